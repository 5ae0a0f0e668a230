(* Of intervals that share room, dropping the one that ends last is a best choice, for any room and any ties. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers.
Import ListNotations.

Section Greedy.
Variable M : nat.                 (* intervals 0..M-1: interval i covers the steps b i .. e i *)
Variables b e : nat -> nat.
Variable room : nat -> nat.
Definition cov t i := (b i <=? t) && (t <=? e i).
Definition load (O : nat -> bool) t := cnt M (fun i => O i && cov t i).
Definition fits (O : nat -> bool) := forall t, load O t <= room t.
Variable ok : nat -> (nat -> bool) -> nat -> Prop.   (* a further rule for ties *)

Inductive sweep (T : nat) : nat -> (nat -> bool) -> (nat -> bool) -> Prop :=
| sw_end D : sweep T (S T) D D
| sw_next t D D' : t <= T -> load (fun i => negb (D i)) t <= room t -> sweep T (S t) D D' -> sweep T t D D'
| sw_drop t D I D' : t <= T -> load (fun i => negb (D i)) t > room t ->
    I < M -> D I = false -> cov t I = true ->
    (forall J, J < M -> D J = false -> cov t J = true -> e J <= e I) -> ok t D I ->
    sweep T t (upd D I true) D' -> sweep T t D D'.

Definition avoids (O D : nat -> bool) := forall i, i < M -> D i = true -> O i = false.

Lemma missing (H O : nat -> bool) m : cnt m H > cnt m O -> exists J, J < m /\ H J = true /\ O J = false.
Proof.
  induction m; unfold cnt in *; simpl; intros G; [lia|].
  destruct (H m) eqn:Hm, (O m) eqn:Om; try (exists m; repeat split; auto; lia);
  (destruct IHm as (J & HJ & A & B); [lia | exists J; repeat split; auto; lia]).
Qed.

Lemma exchange t D I O :
  (forall t', t' < t -> load (fun i => negb (D i)) t' <= room t') ->
  load (fun i => negb (D i)) t > room t -> I < M -> D I = false -> cov t I = true ->
  (forall J, J < M -> D J = false -> cov t J = true -> e J <= e I) ->
  fits O -> avoids O D ->
  exists O', fits O' /\ avoids O' (upd D I true) /\ cnt M O' = cnt M O.
Proof.
  intros Bef Over HI DI CI Mx F A. destruct (O I) eqn:OI.
  2:{ exists O. repeat split; auto. intros i Hi Di.
      destruct (upd_case D I true i) as [[-> E]|[_ E]]; auto. rewrite E in Di. now apply A. }
  destruct (missing (fun i => negb (D i) && cov t i) (fun i => O i && cov t i) M) as (J & HJ & PJ & QJ).
  { specialize (F t). unfold load in *. lia. }
  apply andb_prop in PJ as [DJ CJ]. apply negb_true_iff in DJ. rewrite CJ, andb_true_r in QJ.
  assert (IJ : J <> I) by (intros ->; congruence).
  pose proof (Mx J HJ DJ CJ) as eJ.
  exists (upd (upd O I false) J true). split; [|split].
  - intros t'. destruct (le_lt_dec t t') as [L|L].
    + specialize (F t'). unfold load in *.
      rewrite (cnt_ext M _ (upd (upd (fun i => O i && cov t' i) I false) J (cov t' J))).
      2:{ intros i _. unfold upd. destruct (i =? J) eqn:E1; [apply Nat.eqb_eq in E1; now subst|].
          destruct (i =? I); auto. }
      pose proof (cnt_upd M (upd (fun i => O i && cov t' i) I false) J (cov t' J) HJ) as U1.
      pose proof (cnt_upd M (fun i => O i && cov t' i) I false HI) as U2.
      rewrite (upd_neq _ I J) in U1 by auto. cbv beta in U1, U2. rewrite OI in U2. simpl in U2.
      assert (C' : cov t' J = true -> cov t' I = true).
      { unfold cov in *. rewrite !andb_true_iff, !Nat.leb_le in *. lia. }
      rewrite QJ in U1. simpl in U1. destruct (cov t' J); [rewrite C' in U2 by auto|]; simpl in *;
        destruct (cov t' I); simpl in *; lia.
    + eapply Nat.le_trans; [|apply (Bef t' L)]. apply cnt_le. intros i Hi. cbv beta.
      destruct (cov t' i); rewrite ?andb_false_r; auto. rewrite !andb_true_r. intros Oi.
      unfold upd in Oi. destruct (Nat.eqb_spec i J) as [->|]; [now rewrite DJ|].
      destruct (Nat.eqb_spec i I); [discriminate|]. destruct (D i) eqn:Di; auto. rewrite (A i Hi Di) in Oi.
        discriminate.
  - intros i Hi Di. unfold upd in *. destruct (Nat.eqb_spec i J) as [->|].
    + destruct (Nat.eqb_spec J I); congruence.
    + destruct (Nat.eqb_spec i I); auto.
  - pose proof (cnt_upd M (upd O I false) J true HJ) as U1. pose proof (cnt_upd M O I false HI) as U2.
    rewrite (upd_neq _ I J) in U1 by auto. rewrite OI in U2. rewrite QJ in U1. simpl in *. lia.
Qed.

Lemma sweep_best T t D D' : sweep T t D D' ->
  (forall t', t' < t -> load (fun i => negb (D i)) t' <= room t') ->
  (forall t', t' <= T -> load (fun i => negb (D' i)) t' <= room t') /\
  forall O, fits O -> avoids O D -> cnt M O <= cnt M (fun i => negb (D' i)).
Proof.
  induction 1 as [D | t D D' Ht L S IH | t D I D' Ht L HI DI CI Mx Ok S IH]; intros Bef.
  - split; [intros; apply Bef; lia|]. intros O F A. apply cnt_le. intros i Hi Oi.
    destruct (D i) eqn:Di; auto. rewrite (A i Hi Di) in Oi. discriminate.
  - apply IH. intros t' H'. destruct (Nat.eq_dec t' t) as [->|]; auto. apply Bef. lia.
  - destruct IH as [G1 G2].
    { intros t' H'. eapply Nat.le_trans; [|apply (Bef t' H')]. apply cnt_le. intros i Hi. cbv beta.
      destruct (cov t' i); rewrite ?andb_false_r; auto. rewrite !andb_true_r, !negb_true_iff. unfold upd.
      destruct (i =? I); auto; discriminate. }
    split; auto. intros O F A.
    destruct (exchange t D I O Bef L HI DI CI Mx F A) as (O' & F' & A' & E). rewrite <- E. now apply G2.
Qed.

Lemma sweep_inv (P : (nat -> bool) -> Prop) T t D D' : sweep T t D D' -> P D ->
  (forall t D I, I < M -> D I = false -> cov t I = true -> ok t D I -> P D -> P (upd D I true)) -> P D'.
Proof.
  intros S. induction S as [| |? ? ? ? ? ? ? ? ? ? ? S IH]; intros HP Hs; auto. apply IH; auto. eapply Hs; eauto.
Qed.

(* Step of rows theorem-b1 and forest.optimum.
  What a sweep over the steps keeps, which drops the interval that ends last
   wherever the room is exceeded, fits, and no choice of intervals that fits is larger. *)
Theorem greedy_best T D' : (forall i, i < M -> e i <= T) -> sweep T 0 (fun _ => false) D' ->
  fits (fun i => negb (D' i)) /\ forall O, fits O -> cnt M O <= cnt M (fun i => negb (D' i)).
Proof.
  intros E S. destruct (sweep_best T 0 _ _ S) as [G1 G2]; [lia|]. split.
  - intros t. destruct (le_lt_dec t T); auto.
    enough (load (fun i => negb (D' i)) t <= cnt M (fun _ => false)) by
      (assert (cnt M (fun _ => false) = 0) by (clear; unfold cnt; induction M; simpl; lia); lia).
    apply cnt_le. intros i Hi H. apply andb_prop in H as [_ H]. unfold cov in H.
    apply andb_prop in H as [_ H]. apply Nat.leb_le in H. specialize (E i Hi). lia.
  - intros O F. apply G2; auto. intros i _. discriminate.
Qed.
End Greedy.
