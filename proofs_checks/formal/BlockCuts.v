(* What a cut of single blocks leaves, if blocks go by an order: of what may go, what fits of what goes latest. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Forest.

(* Of two sets of one size each has something that the other one lacks. *)
Lemma missing n (A B : nat -> bool) v : v < n -> A v = true -> B v = false -> cnt n A <= cnt n B ->
  exists w, w < n /\ B w = true /\ A w = false.
Proof. intros Hv Av Bv L. destruct (cnt_pos n (fun w => B w && negb (A w))) as (w & Hw & E).
  - destruct (le_lt_dec (cnt n (fun w => B w && negb (A w))) 0) as [Z|]; auto. exfalso. assert (S : cnt n B <=
    cnt n (upd A v false)). { apply cnt_le. intros w Hw Bw. destruct (upd_case A v false w) as [[-> E]|[_ E]];
    rewrite E; [congruence|]. destruct (A w) eqn:Aw; auto. exfalso. pose proof (sum_ge n (fun w => if B w && negb
    (A w) then 1 else 0) w Hw) as G. cbv beta in G. rewrite Bw, Aw in G. simpl in G. unfold cnt in Z. lia. } pose
    proof (cnt_upd n A v false Hv) as U. rewrite Av in U. simpl in U. lia.
  - apply andb_prop in E as [E F]. apply negb_true_iff in F. eauto. Qed.

(* The latest surplus first: an order. *)
Lemma first_of_order may (sur : nat -> bool) later v : first_of may (fun v => sur v = true) later v ->
  may v /\ forall w, may w -> w <> v -> last_surplus sur later w v.
Proof. unfold last_surplus. intros [(M & S & Mn)|(Ns & M & Mn)]; split; auto; intros w Mw n.
  - rewrite S. destruct (sur w) eqn:E; auto.
  - pose proof (Ns v M). pose proof (Ns w Mw). destruct (sur v), (sur w); try congruence. auto. Qed.
Definition strictly (later : nat -> nat -> Prop) :=
  (forall u v w, later u v -> later v w -> later u w) /\ forall v, ~ later v v.
Lemma last_surplus_strictly sur later : strictly later -> strictly (last_surplus sur later).
Proof. intros [Tr Ap]. unfold last_surplus. split.
  - intros u v w [[A B]|[A B]] [[A' B']|[A' B']]; try congruence; [left|left|right]; split; try congruence;
    eauto.
  - intros v [[A B]|[_ A]]; [congruence|]. exact (Ap v A). Qed.

Lemma kept_of NB goes size X X' : cut_by NB size goes X X' -> forall v, X' v = true -> X v = true.
Proof. induction 1 as [X D | X v X' O G R IH]; auto. intros w Hw. specialize (IH w Hw). destruct (upd_case X v
  false w) as [[_ E]|[_ E]]; rewrite E in IH; [discriminate|auto]. Qed.
Section Cuts.
Variable NB : nat.
Variable stay : nat -> bool.                  (* what may not go *)
Variable later : nat -> nat -> Prop.
Hypothesis trans : forall u v w, later u v -> later v w -> later u w.
Hypothesis apart : forall v, ~ later v v.
Definition inside (X : nat -> bool) := forall v, X v = true -> v < NB.

Record best size (X X' : nat -> bool) : Prop := {
  b_less : forall v, X' v = true -> X v = true;
  b_stay : forall v, X v = true -> stay v = true -> X' v = true;
  b_all : cnt NB X <= size -> forall v, X v = true -> X' v = true;
  b_full : size <= cnt NB X -> cnt NB X' = size;
  b_later : forall v w, X' v = true -> stay v = false -> X w = true -> X' w = false -> later v w }.
Lemma best_ext size X Y X' Y' : (forall v, X v = Y v) -> (forall v, X' v = Y' v) -> best size X X' ->
  best size Y Y'.
Proof. intros E E' [L P A F R]. constructor.
  - intros v. rewrite <- E, <- E'. apply L.
  - intros v. rewrite <- E, <- E'. apply P.
  - intros H v. rewrite <- E, <- E'. apply A. now rewrite (cnt_ext NB X Y).
  - intros H. rewrite <- (cnt_ext NB X' Y'), F; auto. now rewrite (cnt_ext NB X Y).
  - intros v w. rewrite <- E, <- !E'. apply R. Qed.
(* What goes by the order, of sets that are `fine`, which what is left stays. *)
Lemma cut_best (fine : (nat -> bool) -> Prop) (goes : (nat -> bool) -> nat -> Prop) size X X' :
  (forall X v, fine X -> fine (upd X v false)) -> (forall X v, fine X -> goes X v -> v < NB /\ X v = true /\
    stay v = false /\ forall w, X w = true -> stay w = false -> w <> v -> later w v) ->
  fine X -> cut_by NB size goes X X' -> best size X X'.
Proof. intros Fu Sp P R. revert P. induction R as [X D | X v X' O G R IH]; intros P.
  - constructor; auto; [lia|]. intros v w _ _ Xw Yw. congruence.
  - destruct (Sp _ _ P G) as (Hv & Xv & Pv & Mn). pose proof (cnt_upd NB X v false Hv) as U. rewrite Xv in U.
    simpl in U. clear R. destruct (IH (Fu X v P)) as [L Pi A F La]. constructor; [| |lia| |].
    + intros w H. specialize (L w H). destruct (upd_case X v false w) as [[_ E]|[_ E]]; rewrite E in L;
      [discriminate|auto].
    + intros w Xw Pw. apply Pi; auto. rewrite upd_neq; auto. congruence.
    + intros _. apply F. lia.
    + intros w x Ww Pw Xx Wx. destruct (Nat.eq_dec x v) as [->|n]; [|apply La; auto; now rewrite upd_neq].
      specialize (L w Ww). destruct (upd_case X v false w) as [[_ E]|[n E]]; rewrite E in L; [discriminate|]. now
      apply Mn. Qed.
Lemma best_fits size X X' : best size X X' -> cnt NB X' <= size.
Proof. intros [L P A F R]. destruct (le_lt_dec size (cnt NB X)) as [H|H]; [rewrite F; auto|]. enough (cnt NB X'
  <= cnt NB X) by lia. apply cnt_le. auto. Qed.
Lemma gone_may_go (B A : nat -> bool) v : (forall v, A v = true -> stay v = true -> B v = true) -> A v = true ->
  B v = false -> stay v = false.
Proof. intros S Av Bv. destruct (stay v) eqn:E; auto. rewrite S in Bv; auto; discriminate. Qed.
(* Y holds what X holds, and at most one block more: so it is after cuts to one block more. *)
Definition nested (X Y : nat -> bool) := (forall v, X v = true -> Y v = true) /\ cnt NB Y <= cnt NB X + 1.
Lemma best_nested size X Y X' Y' : nested X Y -> inside Y -> best size X X' -> best (S size) Y Y' -> nested X' Y'.
Proof. intros [L S1] In BX BY. pose proof (best_fits _ _ _ BX). pose proof (best_fits _ _ _ BY). destruct BX as
  [LX PX AX FX RX], BY as [LY PY AY FY RY]. split.
  - intros v Xv. destruct (Y' v) eqn:Yv; auto. exfalso. assert (O : S size < cnt NB Y). { destruct (le_lt_dec
    (cnt NB Y) (S size)) as [G|]; auto. rewrite AY in Yv; auto. discriminate. } assert (Hv : v < NB) by auto.
    pose proof (cnt_split NB X Y L) as SY. destruct (cnt_pos NB (fun w => Y' w && X w && negb (X' w))) as (w & Hw
    & E). { destruct (cnt NB (fun w => Y' w && X w && negb (X' w))) eqn:Z; [|lia]. exfalso. assert (G : cnt NB Y'
    <= cnt NB (upd X' v false) + cnt NB (fun w => Y w && negb (X w))). { unfold cnt. rewrite <- sum_add. apply
    sum_le. intros w Hw. destruct (Y' w) eqn:Yw; [|lia]. rewrite (LY w Yw). destruct (X w) eqn:Xw; simpl; [|lia].
    pose proof (sum_ge NB (fun w => if Y' w && X w && negb (X' w) then 1 else 0) w Hw) as Q. cbv beta in Q.
    rewrite Yw, Xw in Q. unfold cnt in Z. rewrite upd_neq by congruence. destruct (X' w); simpl in *; lia. } pose
    proof (cnt_upd NB X' v false Hv) as U. rewrite Xv in U. simpl in U. rewrite FY in G by lia. lia. } apply
    andb_prop in E as [E Wx]. apply andb_prop in E as [Wy Xw]. apply negb_true_iff in Wx. apply (apart v), trans
    with w; [apply RX | apply RY]; auto; [apply (gone_may_go Y' Y) | apply (gone_may_go X' X)]; auto.
  - destruct (le_lt_dec size (cnt NB X)) as [G|G]; [rewrite FX; lia|]. apply Nat.le_trans with (cnt NB X + 1).
    + eapply Nat.le_trans; [apply cnt_le; intros c _; apply LY|auto].
    + apply Nat.add_le_mono_r, cnt_le. intros w _. apply AX. lia. Qed.
Lemma best_one size X X' Y' : inside X -> best size X X' -> best size X Y' -> forall v, X' v = true -> Y' v = true.
Proof. intros P [LX PX AX FX RX] [LY PY AY FY RY] v Xv. destruct (Y' v) eqn:Yv; auto. exfalso. assert (O : size
  <= cnt NB X). { destruct (le_lt_dec (cnt NB X) size) as [L|]; [|lia]. specialize (AY L v (LX v Xv)).
  congruence. } destruct (missing NB X' Y' v) as (w & Hw & Yw & Xw); auto; [rewrite FX, FY; auto|]. apply (apart
  v), trans with w; [apply RX | apply RY]; auto; [apply (gone_may_go Y' X) | apply (gone_may_go X' X)]; auto.
  Qed.

(* What was cut to A', and one more: together they are a cut of all they had. *)
Lemma compose first size A G A' B' : inside G -> (forall v, A v = true -> G v = true) ->
  (forall v, G v = true -> stay v = true -> A v = true) -> cnt NB (fun v => G v && negb (A v)) <= size ->
  best first A A' -> best size (fun v => G v && negb (A' v)) B' ->
  best (first + size) G (fun v => A' v || B' v).
Proof. intros P AG Pi Fit [LA PA AA FA RA] [LB PB AB FB RB]. pose proof (cnt_split NB A G AG) as S1. pose proof
  (cnt_split NB A' G (fun v H => AG v (LA v H))) as S2. pose proof (cnt_split NB A' A LA) as S3. assert (S4 : cnt
  NB (fun v => A' v || B' v) = cnt NB A' + cnt NB B'). { rewrite (cnt_split NB A' (fun v => A' v || B' v)) by
  (intros v ->; auto). f_equal. apply cnt_ext. intros v _. specialize (LB v). destruct (A' v), (B' v); simpl in
  *; auto. rewrite andb_false_r in LB. now specialize (LB eq_refl). } assert (Same : cnt NB A <= first -> cnt NB
  A' = cnt NB A). { intros H. apply cnt_ext. intros v _. apply eq_true_iff_eq. split; auto. } constructor.
  - intros v H. apply orb_prop in H as [H|H]; auto. apply LB in H. now apply andb_prop in H as [H _].
  - intros v Gv Pv. rewrite PA; auto.
  - intros H v Gv. destruct (A' v) eqn:Av; auto. apply AB; [|now rewrite Gv, Av]. destruct (le_lt_dec (cnt NB A)
    first) as [F|F]; [rewrite Same in S2 by auto; lia|]. specialize (FA ltac:(lia)). lia.
  - intros H. rewrite S4. destruct (le_lt_dec (cnt NB A) first) as [F|F].
    + specialize (Same F). rewrite FB; lia.
    + specialize (FA ltac:(lia)). rewrite FB; lia.
  - intros v w Hv Pv Gw Hw. apply orb_false_elim in Hw as [Aw Bw]. assert (Dw : (G w && negb (A' w)) = true) by
    (now rewrite Gw, Aw). destruct (B' v) eqn:Bv; [now apply RB|]. rewrite orb_false_r in Hv. destruct (A w)
    eqn:Ow; [now apply RA|]. destruct (le_lt_dec (cnt NB (fun v => G v && negb (A' v))) size) as [F|F]; [rewrite
    AB in Bw; auto; discriminate|]. destruct (missing NB (fun v => G v && negb (A v)) B' w) as (x & Hx & Bx &
    Nx); auto.
    + now rewrite Gw, Ow.
    + rewrite FB; lia.
    + pose proof (LB x Bx) as Dx. apply andb_prop in Dx as [Gx Ax]. rewrite Gx in Nx. simpl in Nx. apply
      negb_false_iff in Nx. apply negb_true_iff in Ax. apply trans with x.
      * now apply RA.
      * apply RB; auto. destruct (stay x) eqn:Px; auto. rewrite PA in Ax; auto; discriminate. Qed.
End Cuts.
