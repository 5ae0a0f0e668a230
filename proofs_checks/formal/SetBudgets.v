(* T-LRU on sets of modules is never worse than LRU: budgets of each module. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Policies Cuts ModuleSets.
Import ListNotations.

Section SetBudgets.
Variables N C xi : nat.
Variable size : nat -> nat.
Notation asked := (asked size).
Notation at_hand := (at_hand size).
Notation excess_of := (excess_of xi size).
Definition nobody_but (j : nat) := False.
Definition low (w : world) (Y : cache) : cache := fun i => min (Y i) (guess w i).

(* What holds before a request of T-LRU's cache X and LRU's cache Y. *)
Record before (w : world) (X Y : cache) : Prop := {
  b_stands : stands N w; b_X : within (past w) X; b_Y : within (past w) Y;
  b_shape : shape w nobody_but (past w) Y; b_low : within X (low w Y);
  b_size : forall i, past w i = 0 \/ past w i = size i; b_promise : forall i, guess w i <= past w i }.

Lemma one_item w X Y R i : before w X Y -> i < N -> promise R i <= size i ->
  before (serve (touch size R i) w) (fill (touch size R i) X) (fill (touch size R i) Y).
Proof. intros [St WX WY Sh Lo Si Pr] Hi Pi. destruct (serve_stands N w (touch size R i) St Hi) as (St' & _).
  constructor; auto.
  - exact (fill_le (touch size R i) X (past w) WX).
  - exact (fill_le (touch size R i) Y (past w) WY).
  - exact (fill_shape N w (touch size R i) nobody_but nobody_but (past w) Y St ltac:(auto) Sh).
  - intros j. unfold low, fill. simpl. specialize (Lo j). unfold low in Lo. destruct (Nat.eq_dec j i) as [->|n];
    [rewrite !upd_eq; lia|rewrite !upd_neq; auto].
  - intros j. simpl. destruct (Nat.eq_dec j i) as [->|n]; [rewrite !upd_eq; lia|rewrite !upd_neq; auto].
  - intros j. simpl. destruct (Nat.eq_dec j i) as [->|n]; [rewrite !upd_eq; lia|rewrite !upd_neq; auto]. Qed.
Lemma all_items R : forall l w X Y, before w X Y -> (forall i, In i l -> i < N /\ promise R i <= size i) -> l <>
  [] ->
  let w' := fold_left (fun w i => serve (touch size R i) w) l w in
  before w' (fold_left (fun X i => fill (touch size R i) X) l X) (fold_left (fun X i => fill (touch size R i) X)
    l Y) /\
  clock N w' (last l 0).
Proof. induction l as [|i l IH]; intros w X Y B H Ne; [now elim Ne|]. destruct (H i (or_introl eq_refl)) as [Hi
  Pi]. pose proof (one_item w X Y R i B Hi Pi) as B'. destruct l as [|j l].
  - split; [exact B'|]. exact (proj2 (serve_stands N w (touch size R i) (b_stands _ _ _ B) Hi)).
  - exact (IH _ _ _ B' ltac:(intros; apply H; now right) ltac:(discriminate)). Qed.
Lemma one_request w X Y R X' Y' : before w X Y -> well_asked N R -> (forall i, In i (items R) -> promise R i <=
  size i) ->
  set_tlru N C (asked w R) (last (items R) 0) (at_hand X R) X' ->
  set_lru N C (asked w R) (last (items R) 0) (at_hand Y R) Y' -> before (asked w R) X' Y'.
Proof. intros B (ND & Ne & In_) P CX CY. destruct (all_items R (items R) w X Y B ltac:(auto) Ne) as ([St WX WY Sh
  Lo Si Pr] & K). fold (asked w R) in *. fold (at_hand X R) (at_hand Y R) in *. destruct (lru_cut N C false
  (asked w R) (last (items R) 0) nobody_but (past (asked w R)) (at_hand Y R) Y' K ltac:(intros i; auto) CY WY Sh)
  as (SY & DY & ShY & _). destruct (keeps N C false (asked w R) (last (items R) 0) (past (asked w R)) nobody_but
  Y' (low (asked w R) Y') (guess (asked w R)) at_once (at_hand X R) X') as (WX' & I'); auto; try (intros i; auto;
  fail); try (unfold nobody_but; tauto); try (intros i; unfold low; lia).
  - intros i. specialize (Lo i). specialize (DY i). unfold low in *. lia.
  - constructor; auto. intros i. specialize (DY i). specialize (WY i). lia. Qed.

(* An item that is short of LRU's part has its promise, and then the request is short enough: or nothing is
   less. *)
Lemma enough w X Y R : before w X Y -> NoDup (items R) ->
  (forall i, In i (items R) -> X i < Y i -> excess_of X R = 0) -> excess_of X R <= excess_of Y R.
Proof. intros B ND H. destruct (Exists_dec (fun i => X i < Y i) (items R)) as [E|E]; [intros i; apply lt_dec| |].
  - apply Exists_exists in E as (i & Hi & L). rewrite (H i Hi L). lia.
  - unfold ModuleSets.excess_of. enough (lsum (items R) (fun i => size i - X i) <= lsum (items R) (fun i => size
    i - Y i)) by lia. apply lsum_le. intros i Hi. destruct (le_lt_dec (Y i) (X i)); [lia|]. exfalso. apply E,
    Exists_exists. eauto. Qed.
Lemma without_it X l i : NoDup l -> In i l -> lsum l (fun j => size j - X j) + size i <= lsum l size + (size i -
  X i).
Proof. induction l as [|j l IH]; intros ND H; [destruct H|]. inversion ND; subst. simpl. destruct H as [->|H].
  - enough (lsum l (fun j => size j - X j) <= lsum l size) by lia. apply lsum_le. intros; lia.
  - specialize (IH ltac:(auto) H). lia. Qed.
Lemma own_enough w X Y R q : before w X Y -> NoDup (items R) ->
  (forall i, past w i > 0 -> guess w i = own_promise xi size q i) ->
  (forall i, In i (items R) -> past w i > 0 -> total_of size R - size i <= q i) ->
  forall i, In i (items R) -> X i < Y i -> excess_of X R = 0.
Proof. intros [St WX WY Sh Lo Si Pr] ND Pq Cov i Hi L. specialize (WY i). specialize (Lo i). unfold low in Lo.
  assert (Pi : past w i > 0) by lia. destruct (Si i) as [|Es]; [lia|]. specialize (Cov i Hi Pi). rewrite (Pq i
  Pi) in Lo. unfold own_promise, total_of in *. pose proof (without_it X (items R) i ND Hi). unfold
  ModuleSets.excess_of. lia. Qed.
Lemma nothing_yet : before nobody empty empty.
Proof. constructor; [constructor; simpl; lia|..]; intros i; try (intros j); unfold empty, low; simpl; auto; lia.
  Qed.
End SetBudgets.

Lemma asked_guess size R : forall l w i, guess (fold_left (fun w i => serve (touch size R i) w) l w) i =
  if existsb (Nat.eqb i) l then promise R i else guess w i.
Proof. induction l as [|j l IH]; intros w i; simpl; auto. rewrite IH. simpl. destruct (Nat.eqb_spec i j) as
  [->|n]; simpl; [destruct (existsb _ l); [auto|apply upd_eq]|]. destruct (existsb _ l); auto. now apply upd_neq.
  Qed.
Lemma asked_past size R : forall l w i, existsb (Nat.eqb i) l = false ->
  past (fold_left (fun w i => serve (touch size R i) w) l w) i = past w i.
Proof. induction l as [|j l IH]; intros w i H; simpl in *; auto. apply orb_false_iff in H as [H1 H2]. rewrite IH
  by auto. simpl. apply upd_neq. now apply Nat.eqb_neq. Qed.

(* Rows prompt-cache.tlru.own and .exact. Each item has a budget min(s, (s + q - xi)+) of its own, and its
   estimate q covers what the next request for it has beside it. Then T-LRU, whichever way it trims, has at most
   LRU's excess at every request. *)
Theorem own_budgets_never_worse : forall N C xi size Rs q of_tlru of_lru, own_budgets N xi size nobody Rs q ->
  set_run xi size (set_tlru N C) nobody empty (map fst Rs) of_tlru ->
  set_run xi size (set_lru N C) nobody empty (map fst Rs) of_lru -> Forall2 le of_tlru of_lru.
Proof. intros N C xi size Rs q xs ys. assert (G : forall Rs w X Y q xs ys, before N size w X Y -> own_budgets N
  xi size w Rs q -> (forall i, past w i > 0 -> guess w i = own_promise xi size q i) -> set_run xi size (set_tlru
  N C) w X (map fst Rs) xs -> set_run xi size (set_lru N C) w Y (map fst Rs) ys -> Forall2 le xs ys). { clear.
  induction Rs as [|[R q'] Rs IH]; intros w X Y q xs ys B Ow Pq RX RY; simpl in *.
    - inversion RX; inversion RY; constructor.
    - destruct Ow as (Wa & Pr & Cov & Ow). inversion RX as [|? ? ? ? X' xs' CX RX']; subst. inversion RY as [|? ?
      ? ? Y' ys' CY RY']; subst. constructor.
      + apply (enough N xi size w); auto; [apply Wa|]. apply (own_enough N xi size w X Y R q); auto. apply Wa.
      + apply (IH (asked size w R) X' Y' (fun i => if existsb (Nat.eqb i) (items R) then q' i else q i)); auto.
        * apply (one_request N C size w X Y R X' Y'); auto. intros i Hi. rewrite (Pr i Hi). unfold own_promise.
          lia.
        * intros i Pi. unfold asked in *. rewrite asked_guess. destruct (existsb (Nat.eqb i) (items R)) eqn:E.
          -- rewrite Pr; [unfold own_promise; rewrite E; auto|]. apply existsb_exists in E as (j & Hj & E). apply
             Nat.eqb_eq in E. now subst.
          -- rewrite asked_past in Pi by auto. rewrite (Pq i Pi). unfold own_promise. now rewrite E. } intros Ow
             RX RY. apply (G Rs nobody empty empty q xs ys); auto; [apply nothing_yet|simpl; lia]. Qed.
