(* LRU and T-LRU in tiers always come to an end, so that the theorems on their excess are not empty. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Policies Tiers.
Import ListNotations.

Lemma lose_less N X v : v < N -> X v >= 1 -> sum N (lose X v) < sum N X.
Proof. intros Hv Xv. pose proof (sum_upd N X v (X v - 1) Hv). unfold lose. lia. Qed.
Lemma nobody_is_zero N X key : pick N (fun v => 1 <=? X v) key = None -> sum N X = 0.
Proof. intros E. pose proof (pick_spec N (fun v => 1 <=? X v) key) as H. rewrite E in H. rewrite (sum_ext N X
  (fun _ => 0)); [apply sum_zero|]. intros i Hi. specialize (H i Hi). apply Nat.leb_gt in H. lia. Qed.

Lemma a_cut N eager size worth w before : forall n X, sum N X <= n ->
  exists X', tier_cut N eager size worth w before X X'.
Proof. induction n as [n IH] using lt_wf_ind. intros X L. assert (Less : forall v, v < N -> X v >= 1 -> exists
  X', tier_cut N eager size worth w before (lose X v) X'). { intros v Hv Xv. pose proof (lose_less N X v Hv Xv).
  apply (IH (sum N (lose X v))); lia. } pose proof (pick_spec N (fun v => (1 <=? X v) && (worth v <? before v + X
  v)) (came w)) as S. destruct (pick N (fun v => (1 <=? X v) && (worth v <? before v + X v)) (came w)) as [v|].
  - destruct S as (Hv & Sv & _). apply andb_prop in Sv as [S1 S2]. apply Nat.leb_le in S1. apply Nat.ltb_lt in
    S2. destruct (Less v Hv S1) as (X' & R). destruct (bool_dec eager true) as [Ea|Ea]; [exists X'; apply
    tier_trims with (v := v); auto; split; lia|]. destruct (le_lt_dec (sum N X) size) as [F|F]; [exists X; apply
    tier_fits; auto; intros; contradiction|]. exists X'. apply tier_trims with (v := v); auto. split; lia.
  - assert (No : forall j, j < N -> ~ surplus worth before X j). { intros j Hj [A B]. specialize (S j Hj). apply
    andb_false_iff in S as [S|S]; [apply Nat.leb_gt in S|apply Nat.ltb_ge in S]; lia. } destruct (le_lt_dec (sum
    N X) size) as [F|F]; [exists X; apply tier_fits; auto|]. pose proof (pick_spec N (fun v => 1 <=? X v) (came
    w)) as O. destruct (pick N (fun v => 1 <=? X v) (came w)) as [v|] eqn:E; [|apply nobody_is_zero in E; lia].
    destruct O as (Hv & Xv & Mn). apply Nat.leb_le in Xv. destruct (Less v Hv Xv) as (X' & R). exists X'. apply
    tier_evicts with (v := v); auto. split; auto. intros j Hj Xj. apply Mn; auto. now apply Nat.leb_le. Qed.
(* One tier after the other. *)
Lemma all_cuts (policy : nat -> cache -> cache -> cache -> Prop) Z K :
  (forall i before X, exists X', policy i before X X') ->
  (forall i before before' X X', (forall v, before v = before' v) -> policy i before X X' -> policy i before' X
    X') ->
  exists Z', cut_all K policy Z Z'.
Proof. intros Ex Mo. induction K as [|K (Z' & H)]; [exists Z; intros i Hi; lia|]. destruct (Ex K (together K Z')
  (has Z Z' K)) as (X' & R). exists (upd Z' K X'). assert (E : forall i, i <= K -> has Z (upd Z' K X') i = has Z
  Z' i). { induction i; intros Hi; auto. simpl. rewrite IHi, upd_neq by lia. reflexivity. } assert (Tg : forall
  i, i <= K -> forall v, together i Z' v = together i (upd Z' K X') v). { intros i Hi v. unfold together. apply
  sum_ext. intros k Hk. now rewrite upd_neq by lia. } intros i Hi. rewrite E by lia. destruct (Nat.eq_dec i K) as
  [->|n].
  - rewrite upd_eq. apply (Mo K (together K Z')); auto.
  - rewrite upd_neq by auto. apply (Mo i (together i Z')); [apply Tg; lia|]. apply H. lia. Qed.
Lemma a_replay {A} (step : world -> turn -> list turn -> tiers -> tiers -> Prop) (see : tiers -> turn -> A) :
  (forall w u us Z, exists Z', step w u us Z Z') -> forall us w Z, exists seen, replays step see w Z us seen.
Proof. intros Ex. induction us as [|u us IH]; intros w Z; [exists []; constructor|]. destruct (Ex (serve u w) u
  us Z) as (Z' & R). destruct (IH (serve u w) Z') as (seen & S). exists (see Z u :: seen). econstructor; eauto.
  Qed.

(* A lemma for the theorems on tiers, of no row (-). Every trace has a run, whatever is seen of it. *)
Theorem budgets_run : forall {A} N C inclusive eager K worth (see : tiers -> turn -> A) w Z us, exists seen,
  replays (tlru_tiers N C inclusive eager K worth) see w Z us seen.
Proof. intros A N C inc eager K worth see w Z us. apply a_replay. clear w Z us. intros w u us Z. apply all_cuts.
  - intros i before X. eapply a_cut. apply le_n.
  - intros i before before' X X' E R. assert (Er : room N C inc i before = room N C inc i before'). { unfold
    room. rewrite (sum_ext N before before') by auto. reflexivity. } rewrite <- Er. revert E. generalize (room N
    C inc i before) as size, R. clear. induction 1; intros E.
    + apply tier_fits; auto. intros Ea v Hv [S1 S2]. apply (H0 Ea v Hv). split; auto. now rewrite E.
    + apply tier_trims with (v := v); auto. destruct H0. split; auto. now rewrite <- E.
    + apply tier_evicts with (v := v); auto. intros j Hj [S1 S2]. apply (H0 j Hj). split; auto. now rewrite E.
      Qed.
