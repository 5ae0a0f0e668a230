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

(* The bound of a set P of steps up to T: the room at P, and the intervals outside D that cover no step of P. *)
Definition untouched T (P : nat -> bool) i := negb (existsb (fun t => P t && cov t i) (seq 0 (S T))).
Definition room_of T (P : nat -> bool) := sum (S T) (fun t => if P t then room t else 0).
Definition bound T (D P : nat -> bool) := room_of T P + cnt M (fun i => negb (D i) && untouched T P i).

Lemma untouched_ok T P i : untouched T P i = true <-> forall t, t <= T -> P t = true -> cov t i = false.
Proof.
  unfold untouched. rewrite negb_true_iff. split.
  - intros E t Ht Pt. apply not_true_is_false. intros Ct. apply not_true_iff_false in E. apply E.
    apply existsb_exists. exists t. split; [apply in_seq; lia|]. now rewrite Pt.
  - intros H. apply not_true_is_false. intros E. apply existsb_exists in E as (t & Ht & E). apply in_seq in Ht.
    apply andb_prop in E as [Pt Ct]. rewrite H in Ct; auto; [discriminate|lia].
Qed.
Lemma touched_ok T P i : untouched T P i = false -> exists t, t <= T /\ P t = true /\ cov t i = true.
Proof.
  unfold untouched. rewrite negb_false_iff, existsb_exists. intros (t & Ht & E). apply in_seq in Ht.
  apply andb_prop in E as [Pt Ct]. exists t. repeat split; auto. lia.
Qed.
Lemma sum_loads T (P O : nat -> bool) : sum (S T) (fun t => if P t then load O t else 0) =
  sum M (fun i => sum (S T) (fun t => if P t && (O i && cov t i) then 1 else 0)).
Proof.
  rewrite sum_swap. apply sum_ext. intros t _. unfold load, cnt. destruct (P t); auto.
  simpl. now rewrite sum_zero.
Qed.

(* No choice of intervals outside D that fits is larger than the bound of any set of steps. *)
Lemma no_more_than_bound T (D P O : nat -> bool) : fits O -> avoids O D -> cnt M O <= bound T D P.
Proof.
  intros F A. unfold bound, room_of.
  enough (cnt M O <= sum (S T) (fun t => if P t then load O t else 0) +
    cnt M (fun i => negb (D i) && untouched T P i)).
  { assert (G : sum (S T) (fun t => if P t then load O t else 0) <= sum (S T) (fun t => if P t then room t else 0))
      by (apply sum_le; intros t _; specialize (F t); destruct (P t); lia). lia. }
  rewrite sum_loads. unfold cnt. rewrite <- sum_add. apply sum_le. intros i Hi. destruct (O i) eqn:Oi; [|lia].
  destruct (untouched T P i) eqn:Un.
  - destruct (D i) eqn:Di; simpl; [|lia]. rewrite (A i Hi Di) in Oi. discriminate.
  - apply touched_ok in Un as (t & Ht & Pt & Ct).
    pose proof (sum_ge (S T) (fun t => if P t && (true && cov t i) then 1 else 0) t ltac:(lia)) as G.
    cbv beta in G. rewrite Pt, Ct in G. simpl in *. lia.
Qed.

(* The steps that the log of a sweep gives, read backwards: of the drops whose interval ends before all steps
   chosen so far, the latest one's step is chosen. *)
Record closing (T t : nat) (D D' P : nat -> bool) : Prop := {
  more : forall i, D i = true -> D' i = true;
  later : forall p, P p = true -> t <= p <= T;
  apart : forall p q i, P p = true -> P q = true -> p < q -> i < M -> D' i = false -> cov p i = true ->
    cov q i = false;
  struck : forall i, i < M -> D i = false -> D' i = true -> exists p, P p = true /\ cov p i = true;
  full : forall p, P p = true -> room p <= load (fun i => negb (D' i)) p }.

Lemma sweep_closes T t D D' : sweep T t D D' -> exists P, closing T t D D' P.
Proof.
  induction 1 as [D | t D D' Ht L Sw (P & H) | t D I D' Ht L HI DI CI Mx Ok Sw (P & H)].
  - exists (fun _ => false). constructor; try discriminate; auto. intros i _ E F. congruence.
  - exists P. destruct H. constructor; auto. intros p Pp. specialize (later0 p Pp). lia.
  - destruct H as [Mo La Ap St Fu].
    assert (Mo' : forall i, D i = true -> D' i = true).
    { intros i Di. apply Mo. destruct (upd_case D I true i) as [[_ E]|[_ E]]; now rewrite E. }
    apply andb_prop in CI as [C1 C2]. apply Nat.leb_le in C1, C2.
    destruct (existsb (fun p => P p && (p <=? e I)) (seq 0 (S T))) eqn:Ex.
    + exists P. constructor; auto. intros i Hi Di Di'. destruct (Nat.eq_dec i I) as [->|n].
      * apply existsb_exists in Ex as (p & _ & E). apply andb_prop in E as [Pp E]. exists p. split; auto.
        apply La in Pp. unfold cov. rewrite E. apply Nat.leb_le in E.
        replace (b I <=? p) with true by (symmetry; apply Nat.leb_le; lia). auto.
      * apply St; auto. now rewrite upd_neq.
    + assert (Far : forall p, P p = true -> e I < p).
      { intros p Pp. destruct (le_lt_dec p (e I)) as [G|]; auto. exfalso. apply not_true_iff_false in Ex.
        apply Ex. apply existsb_exists. exists p. pose proof (La p Pp). split; [apply in_seq; lia|]. rewrite Pp.
        now apply Nat.leb_le. }
      exists (upd P t true). constructor; auto.
      * intros p. destruct (upd_case P t true p) as [[-> E]|[_ E]]; rewrite E; [lia|]. apply La.
      * intros p q i Pp Pq pq Hi Di Cp.
        destruct (upd_case P t true q) as [[-> E]|[_ E]]; rewrite E in Pq.
        { destruct (upd_case P t true p) as [[-> E']|[_ E']]; rewrite E' in Pp; [lia|].
          specialize (La p Pp). lia. }
        destruct (upd_case P t true p) as [[-> E']|[_ E']]; rewrite E' in Pp; [|now apply (Ap p)].
        specialize (Far q Pq). specialize (Mo' i).
        assert (e i <= e I) by (apply Mx; auto; destruct (D i); auto; now rewrite Mo' in Di).
        unfold cov. replace (q <=? e i) with false by (symmetry; apply Nat.leb_gt; lia). apply andb_false_r.
      * intros i Hi Di Di'. destruct (Nat.eq_dec i I) as [->|n].
        { exists t. rewrite upd_eq. split; auto. unfold cov. apply andb_true_intro. split; now apply Nat.leb_le. }
        destruct (St i Hi) as (p & Pp & Cp); auto; [now rewrite upd_neq|].
        exists p. split; auto. destruct (upd_case P t true p) as [[_ E]|[_ E]]; now rewrite E.
      * intros p. destruct (upd_case P t true p) as [[-> E]|[_ E]]; rewrite E; [|apply Fu]. intros _.
        pose proof (cnt_upd M (fun i => negb (D i) && cov t i) I false HI) as U. cbv beta in U.
        rewrite DI in U. unfold cov in U at 2. rewrite (proj2 (Nat.leb_le _ _) C1) in U.
        rewrite (proj2 (Nat.leb_le _ _) C2) in U. simpl in U.
        enough (cnt M (upd (fun i => negb (D i) && cov t i) I false) <= load (fun i => negb (D' i)) t)
          by (unfold load in *; lia).
        apply cnt_le. intros J HJ. destruct (upd_case (fun i => negb (D i) && cov t i) I false J) as [[_ F]|[n F]];
          rewrite F; [discriminate|]. intros G. apply andb_prop in G as [DJ CJ]. rewrite CJ.
        apply negb_true_iff in DJ. destruct (D' J) eqn:DJ'; auto. exfalso.
        destruct (St J HJ) as (p & Pp & Cp); auto; [now rewrite upd_neq|]. specialize (Far p Pp).
        specialize (Mx J HJ DJ CJ). apply andb_prop in Cp as [_ Cp]. apply Nat.leb_le in Cp. lia.
Qed.

(* So what a sweep keeps is the bound of these steps. *)
Lemma kept_is_bound T t D D' P : closing T t D D' P -> bound T D P <= cnt M (fun i => negb (D' i)).
Proof.
  intros []. unfold bound, room_of.
  assert (sum (S T) (fun t => if P t then room t else 0) <=
    sum (S T) (fun t => if P t then load (fun i => negb (D' i)) t else 0))
    by (apply sum_le; intros p _; specialize (full0 p); destruct (P p); [now apply full0|lia]).
  enough (sum (S T) (fun t => if P t then load (fun i => negb (D' i)) t else 0) +
    cnt M (fun i => negb (D i) && untouched T P i) <= cnt M (fun i => negb (D' i))) by lia.
  rewrite sum_loads. unfold cnt. rewrite <- sum_add. apply sum_le. intros i Hi. cbv beta.
  destruct (D' i) eqn:Di; simpl negb.
  - rewrite (sum_ext (S T) _ (fun _ => 0)) by (intros; now rewrite andb_false_r). rewrite sum_zero.
    destruct (D i) eqn:DI; simpl; auto. destruct (untouched T P i) eqn:Un; auto. exfalso.
    destruct (struck0 i Hi DI Di) as (p & Pp & Cp). rewrite untouched_ok in Un. specialize (later0 p Pp).
    rewrite Un in Cp by (auto; lia). discriminate.
  - destruct (untouched T P i) eqn:Un.
    + rewrite (sum_ext (S T) _ (fun _ => 0)); [rewrite sum_zero; destruct (D i); simpl; lia|].
      intros p Hp. destruct (P p) eqn:Pp; auto. rewrite untouched_ok in Un. rewrite Un by (auto; lia). auto.
    + rewrite andb_false_r. apply touched_ok in Un as (p & Hp & Pp & Cp).
      rewrite Nat.add_0_r.
      pose proof (sum_one (S T) (fun t => if P t && (true && cov t i) then 1 else 0) p) as G. cbv beta in G.
      rewrite Pp, Cp in G. apply G. intros q Hq n.
      destruct (P q) eqn:Pq; auto. destruct (Nat.lt_trichotomy p q) as [l|[l|l]]; [|congruence|].
      * now rewrite (apart0 p q i).
      * destruct (cov q i) eqn:Cq; auto. rewrite (apart0 q p i) in Cp; auto; discriminate.
Qed.

Lemma sweep_best T t D D' : sweep T t D D' ->
  (forall t', t' < t -> load (fun i => negb (D i)) t' <= room t') ->
  (forall t', t' <= T -> load (fun i => negb (D' i)) t' <= room t') /\
  forall O, fits O -> avoids O D -> cnt M O <= cnt M (fun i => negb (D' i)).
Proof.
  intros Sw. split.
  - induction Sw as [D | t D D' Ht L S IH | t D I D' Ht L HI DI CI Mx Ok S IH].
    + intros; apply H; lia.
    + apply IH. intros t' H'. destruct (Nat.eq_dec t' t) as [->|]; auto. apply H. lia.
    + apply IH. intros t' H'. eapply Nat.le_trans; [|apply (H t' H')]. apply cnt_le. intros i Hi. cbv beta.
      destruct (cov t' i); rewrite ?andb_false_r; auto. rewrite !andb_true_r, !negb_true_iff. unfold upd.
      destruct (i =? I); auto; discriminate.
  - intros O F A. destruct (sweep_closes T t D D' Sw) as (P & Cl).
    apply Nat.le_trans with (bound T D P); [now apply no_more_than_bound | now apply (kept_is_bound T t)].
Qed.

Lemma sweep_inv (P : (nat -> bool) -> Prop) T t D D' : sweep T t D D' -> P D ->
  (forall t D I, I < M -> D I = false -> cov t I = true -> ok t D I -> P D -> P (upd D I true)) -> P D'.
Proof.
  intros S. induction S as [| |? ? ? ? ? ? ? ? ? ? ? S IH]; intros HP Hs; auto. apply IH; auto. eapply Hs; eauto.
Qed.

(* Step of rows theorem-b1 and forest.optimum. What a sweep over the steps keeps, which drops the interval that
   ends last wherever the room is exceeded, fits, and no choice of intervals that fits is larger. *)
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
