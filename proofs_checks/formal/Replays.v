(* LRU and T-LRU as programs on a list of conversations. They are extracted (Extraction.v) and compared with the
   toolkit's loops; Programs.v says what they do. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies.
Import ListNotations.

(* A conversation with `held` tokens in the cache. Who has the smallest key is evicted first; `keep` is its budget.
   The list is in the order of the keys. *)
Record node := Node { id : nat; key : nat; keep : nat; held : nat }.
Definition holding (n : node) h := Node (id n) (key n) (keep n) h.

Fixpoint held_of (l : list node) i := match l with [] => 0 | n :: l => if id n =? i then held n else held_of l i
  end.
Fixpoint together (l : list node) := match l with [] => 0 | n :: l => held n + together l end.
Fixpoint without i (l : list node) :=
  match l with [] => [] | n :: l => if id n =? i then without i l else n :: without i l end.
Fixpoint insert (n : node) (l : list node) :=
  match l with [] => [n] | m :: rest => if key n <? key m then n :: l else m :: insert n rest end.

Section Cut.
Variable C : nat.
Variable forced : bool.
(* From the first on, each loses what it has above its floor, until `over` tokens have gone. *)
Fixpoint pass (theta : nat) (floor : node -> nat) (over : nat) (l : list node) : list node :=
  match l with
  | [] => []
  | n :: rest =>
    if exempt forced theta (id n) then n :: pass theta floor over rest else
    let k := min (held n - floor n) over in holding n (held n - k) :: pass theta floor (over - k) rest
  end.
Definition emptied (n : node) := 0.
Definition trimmed theta l := pass theta keep (together l - C) l.
Definition cut_down theta l := pass theta emptied (together (trimmed theta l) - C) (trimmed theta l).

(* A turn comes with the key and the budget that its conversation has from then on. *)
Fixpoint replay (xi : nat) (l : list node) (us : list turn) (notes : list (nat * nat)) : list nat :=
  match us, notes with
  | u :: us, (k, b) :: notes =>
    excess xi (held_of l) u ::
    replay xi (cut_down (who u) (insert (Node (who u) k b (history u + prompt u + response u)) (without (who u)
      l)))
      us notes
  | _, _ => []
  end.
End Cut.

(* By recency: the key is the time. LRU has the whole past for a budget. *)
Fixpoint lru_notes (k : nat) (us : list turn) :=
  match us with [] => [] | u :: us => (k, history u + prompt u + response u) :: lru_notes (S k) us end.
Fixpoint tlru_notes (xi k : nat) (us : list turn) :=
  match us with
  | [] => []
  | u :: us => (k, history u + prompt u + response u + estimate u - xi) :: tlru_notes xi (S k) us
  end.
Definition lru_program C forced xi l k us := replay C forced xi l us (lru_notes k us).
Definition tlru_program C forced xi l k us := replay C forced xi l us (tlru_notes xi k us).

(* What a list says of its conversations. *)
Fixpoint ordered (l : list node) :=
  match l with [] => True | n :: l => (forall m, In m l -> key n <= key m) /\ ordered l end.
Notation ids := (map id).

Lemma held_out l i : ~ In i (ids l) -> held_of l i = 0.
Proof. induction l as [|n l IH]; simpl; auto. intros H. destruct (Nat.eqb_spec (id n) i); [tauto|]. apply IH.
  tauto. Qed.
Lemma held_in l n : NoDup (ids l) -> In n l -> held_of l (id n) = held n.
Proof. induction l as [|m l IH]; simpl; [tauto|]. intros D [->|H]; [now rewrite Nat.eqb_refl|]. inversion D;
  subst. destruct (Nat.eqb_spec (id m) (id n)) as [E|]; auto. exfalso. rewrite E in *. auto using in_map. Qed.
Lemma held_some l i : held_of l i >= 1 -> exists n, In n l /\ id n = i /\ held n = held_of l i.
Proof. induction l as [|n l IH]; simpl; [lia|]. destruct (Nat.eqb_spec (id n) i); intros H; [exists n; auto|].
  destruct (IH H) as (m & A & B). exists m. auto. Qed.
Lemma held_replace pre n h l i : NoDup (ids (pre ++ n :: l)) ->
  held_of (pre ++ holding n h :: l) i = if i =? id n then h else held_of (pre ++ n :: l) i.
Proof. induction pre as [|m pre IH]; simpl; intros D.
  - rewrite (Nat.eqb_sym i). destruct (id n =? i); auto.
  - inversion D; subst. rewrite IH by auto. destruct (Nat.eqb_spec (id m) i), (Nat.eqb_spec i (id n)); auto.
    subst. exfalso. apply H1. rewrite e0, map_app. simpl. apply in_or_app. simpl. auto. Qed.
Lemma together_sum N l : NoDup (ids l) -> (forall n, In n l -> id n < N) -> sum N (held_of l) = together l.
Proof. induction l as [|n l IH]; simpl; intros D H; [apply sum_zero|]. inversion D; subst. rewrite <- IH by auto.
  rewrite (sum_ext N _ (upd (held_of l) (id n) (held n))).
  - pose proof (sum_upd N (held_of l) (id n) (held n) (H n (or_introl eq_refl))) as U. rewrite (held_out l (id
    n)) in U by auto. lia.
  - intros i _. unfold upd. rewrite (Nat.eqb_sym i). reflexivity. Qed.
Lemma in_without i l n : In n (without i l) <-> In n l /\ id n <> i.
Proof. induction l as [|m l IH]; simpl; [tauto|]. destruct (Nat.eqb_spec (id m) i); simpl; rewrite IH; intuition;
  subst; tauto. Qed.
Lemma held_without i l j : held_of (without i l) j = if j =? i then 0 else held_of l j.
Proof. induction l as [|m l IH]; simpl; [now destruct (j =? i)|]. destruct (Nat.eqb_spec (id m) i) as [E|E];
  simpl; rewrite IH; destruct (Nat.eqb_spec j i) as [F|F]; auto.
  - destruct (Nat.eqb_spec (id m) j); auto. congruence.
  - destruct (Nat.eqb_spec (id m) j); auto. congruence. Qed.
Lemma ids_without i l : NoDup (ids l) -> NoDup (ids (without i l)).
Proof. induction l as [|m l IH]; simpl; auto. intros D. inversion D; subst. destruct (id m =? i); auto. simpl.
  constructor; auto. intros H. apply in_map_iff in H as (n & E & H). apply in_without in H as [H _]. apply H1.
  rewrite <- E. now apply in_map. Qed.
Lemma ordered_without i l : ordered l -> ordered (without i l).
Proof. induction l as [|m l IH]; simpl; auto. intros [A B]. destruct (id m =? i); auto. simpl. split; auto.
  intros n H. apply A. now apply in_without in H. Qed.
Lemma in_insert n l m : In m (insert n l) <-> m = n \/ In m l.
Proof. induction l as [|x l IH]; simpl; [intuition|]. destruct (key n <? key x); simpl; rewrite ?IH; intuition.
  Qed.
Lemma held_insert n l j : ~ In (id n) (ids l) ->
  held_of (insert n l) j = if j =? id n then held n else held_of l j.
Proof. induction l as [|x l IH]; simpl; intros H.
  - rewrite (Nat.eqb_sym j). reflexivity.
  - destruct (key n <? key x); simpl; rewrite (Nat.eqb_sym j).
    + reflexivity.
    + rewrite IH by tauto. rewrite (Nat.eqb_sym j). destruct (Nat.eqb_spec (id x) j), (Nat.eqb_spec (id n) j);
      auto. subst. exfalso. apply H. auto. Qed.
Lemma ids_insert n l : NoDup (ids l) -> ~ In (id n) (ids l) -> NoDup (ids (insert n l)).
Proof. induction l as [|x l IH]; simpl; intros D H; [constructor; auto; constructor|]. inversion D; subst.
  destruct (key n <? key x); simpl; constructor; auto. intros G. apply in_map_iff in G as (m & E & G). apply
  in_insert in G as [->|G]; [auto|]. apply H2. rewrite <- E. now apply in_map. Qed.
Lemma ordered_insert n l : ordered l -> ordered (insert n l).
Proof. induction l as [|x l IH]; simpl; intros H; [split; auto; simpl; tauto|]. destruct H as [A B]. destruct
  (Nat.ltb_spec (key n) (key x)); simpl.
  - repeat split; auto. intros m [<-|G]; [lia|]. specialize (A m G). lia.
  - split; auto. intros m G. apply in_insert in G as [->|G]; auto. Qed.
