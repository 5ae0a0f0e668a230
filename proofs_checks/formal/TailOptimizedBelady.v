(* Theorem B.1 for the policy, in lengths: Tail-Optimized Belady has the least TEL of any plan, and the steps that
   its evictions give prove it. From any initial cache, under optional and forced caching. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Plans RunsArePlans FurthestNext.
Import ListNotations.

(* Conversations are items; under forced caching what the latest turn read stays. *)
Section Conversations.
Variables N C xi : nat.
Variable forced : bool.
Variable us : list turn.
Notation turn_at := (turn_at us).
Notation T := (steps us).
Notation who_at t := (who (turn_at t)).
Notation filled := (filled us).
Notation need := (need xi us).
Notation next := (Plans.next us).
Definition comes t i := i =? who_at t.
Definition of_use t (i : nat) := need t.
Definition left_by t (i : nat) := filled t.
Notation r := (b2n forced).
Notation exempt_at := (FurthestNext.exempt r comes).
Notation item_cut := (FurthestNext.cut N T C r comes of_use).
Notation item_plan := (FurthestNext.plan N T C r comes left_by).
(* What a set P of steps allows any plan to keep: the room at P, and what is of use to turns whose reuse intervals
   cover no step of P (of what was cached before the first turn: what there is). *)
Definition bound X0 P := allowed N T C r comes of_use left_by 0 X0 P.

Lemma next_same t i : FurthestNext.next T comes t i = next t i.
Proof. unfold FurthestNext.next, Plans.next. generalize (T - t) as n. intros n. revert t. induction n; intros t;
  simpl; auto. unfold comes at 1. rewrite Nat.eqb_sym. now destruct (who_at t =? i). Qed.
Lemma exempt_same t i : exempt_at (S t) i = Policies.exempt forced (who_at t) i.
Proof. unfold FurthestNext.exempt, Policies.exempt. simpl. unfold comes at 1. pose proof (since_le r comes t i).
  unfold b2n in *. destruct (i =? who_at t), forced; simpl; (apply Nat.ltb_lt || apply Nat.ltb_ge); lia. Qed.
Lemma may_same t i : may_lose forced (who_at t) i <-> exempt_at (S t) i = false.
Proof. rewrite exempt_same. unfold may_lose, Policies.exempt. destruct forced; simpl; rewrite ?Nat.eqb_neq;
  split; auto. discriminate. Qed.
Lemma cut_same t Y Y' : tob_cut N C xi forced us (S t) (who_at t) Y Y' -> item_cut (S t) Y Y'.
Proof. induction 1 as [Y D | Y v Y' Hv F Mv R IH | Y v Y' O Ns (Hv & Yv & Mv & Mx) R IH].
  - now apply cut_fits.
  - apply cut_unneeded with (v := v) (Z := lose Y v); auto; [|now apply may_same|intros i; reflexivity]. unfold
    FurthestNext.use. now rewrite next_same.
  - apply cut_furthest with (v := v) (Z := lose Y v); auto; [|now apply may_same| |intros i; reflexivity].
    + intros j Hj Ej. apply may_same in Ej. unfold FurthestNext.use. rewrite next_same. now apply Ns.
    + intros j Hj Yj Ej. apply may_same in Ej. rewrite !next_same. now apply Mx. Qed.
Hypothesis numbers : forall t, t < T -> who_at t < N.
Hypothesis enough : forall t, t < T -> next (S t) (who_at t) < T -> need (next (S t) (who_at t)) <= filled t.
Lemma left_is_enough t i : t < T -> i < N -> comes t i = true -> FurthestNext.next T comes (S t) i < T ->
  of_use (FurthestNext.next T comes (S t) i) i <= left_by t i.
Proof. intros Ht _ E. apply Nat.eqb_eq in E. subst i. rewrite next_same. apply (enough t Ht). Qed.
Lemma fill_same t Y : FurthestNext.fill comes left_by t Y = Model.fill (turn_at t) Y.
Proof. reflexivity. Qed.
Lemma kept_same Z t : t < T -> FurthestNext.kept N comes of_use Z t = min (need t) (Z t (who_at t)).
Proof. intros Ht. unfold FurthestNext.kept, comes, of_use. rewrite (sum_ext N _ (fun i => if i =? who_at t then
  min (need t) (Z t (who_at t)) else 0)).
  - rewrite sum_point. now rewrite (proj2 (Nat.ltb_lt _ _) (numbers t Ht)).
  - intros i _. destruct (Nat.eqb_spec i (who_at t)) as [->|]; auto. Qed.
Lemma plan_same X0 Z : Plans.plan N C forced X0 us Z -> item_plan X0 Z.
Proof. intros Pl. constructor.
  - apply (p_first _ _ _ _ _ _ Pl).
  - intros t i Ht. rewrite fill_same. unfold Model.fill. destruct (upd_case (Z t) (who_at t) (history (turn_at t)
    + prompt (turn_at t) + response (turn_at t)) i) as [[-> E]|[n E]]; rewrite E; [apply (p_own _ _ _ _ _ _ Pl t
      Ht) | now apply (p_grows _ _ _ _ _ _ Pl)].
  - apply (p_fits _ _ _ _ _ _ Pl).
  - intros [|t] i Ht E; [unfold FurthestNext.exempt in E; discriminate|]. rewrite exempt_same in E. unfold
    Policies.exempt in E. apply andb_prop in E as [Fo E]. apply Nat.eqb_eq in E. subst i. simpl. unfold comes.
    rewrite Nat.eqb_refl. now apply (p_forced _ _ _ _ _ _ Pl). Qed.
Lemma tel_and_kept Z : tel xi us Z + sum T (FurthestNext.kept N comes of_use Z) = uncached_tel xi us.
Proof. unfold tel, uncached_tel. rewrite <- sum_add. apply sum_ext. intros t Ht. rewrite kept_same by auto.
  unfold Plans.need. lia. Qed.

(* A run: X t is cached at the start of turn t. *)
Variable X : nat -> cache.
Hypothesis cuts : forall t, t < T -> tob_cut N C xi forced us (S t) (who_at t) (Model.fill (turn_at t) (X t)) (X
  (S t)).
Lemma cut_facts t theta Y Y' : tob_cut N C xi forced us t theta Y Y' ->
  sum N Y' <= C /\ (forall i, Y' i <= Y i) /\ (forced = true -> Y' theta = Y theta).
Proof. induction 1 as [Y D | Y v Y' Hv F Mv R (S1 & W & E) | Y v Y' O Ns (Hv & Yv & Mv & _) R (S1 & W & E)];
  auto; repeat split; auto; try (intros i; specialize (W i); revert W; unfold lose; destruct (upd_case Y v (Y v -
  1) i) as [[-> U]|[_ U]]; rewrite U; lia); intros Fo; rewrite (E Fo); unfold lose; apply upd_neq; intros V; now
  apply (Mv Fo). Qed.
Lemma is_a_plan X0 : X 0 = X0 -> sum N X0 <= C -> Plans.plan N C forced X0 us X.
Proof. intros E F. constructor.
  - intros i. now rewrite E.
  - intros t i Ht n. destruct (cut_facts _ _ _ _ (cuts t Ht)) as (_ & W & _). specialize (W i). unfold Model.fill
    in W. rewrite upd_neq in W; auto.
  - intros t Ht. destruct (cut_facts _ _ _ _ (cuts t Ht)) as (_ & W & _). specialize (W (who_at t)). unfold
    Model.fill in W. rewrite upd_eq in W. exact W.
  - intros [|t] Ht; [now rewrite E|]. now destruct (cut_facts _ _ _ _ (cuts t ltac:(lia))) as (S1 & _).
  - intros t Ht Fo. destruct (cut_facts _ _ _ _ (cuts t ltac:(lia))) as (_ & _ & K). rewrite (K Fo). unfold
    Model.fill. now rewrite upd_eq. Qed.
Lemma closes_gap : exists P, bound (X 0) P <= sum T (FurthestNext.kept N comes of_use X).
Proof. apply closes; [exact left_is_enough|]. intros t Ht. exists (Model.fill (turn_at t) (X t)). split;
  [reflexivity|]. apply cut_same. apply cuts. lia. Qed.
End Conversations.

(* The turns of a trace: a turn's need is at most what the conversation's turn before has left. *)
Lemma past_next past0 us i : forall t, t <= steps us -> Plans.next us t i < steps us ->
  past_at past0 us (Plans.next us t i) i = past_at past0 us t i.
Proof. apply (backwards (steps us) (fun t => Plans.next us t i < steps us -> past_at past0 us (Plans.next us t i)
  i = past_at past0 us t i)).
  - rewrite <- next_same, next_end. lia.
  - intros t Ht IH. rewrite <- next_same, next_here, !next_same by auto. unfold comes at 1 2. rewrite
    (Nat.eqb_sym i). destruct (Nat.eqb_spec (who (turn_at us t)) i) as [E|E]; auto. intros L. rewrite (IH L).
    simpl. now apply Nat.eqb_neq in E as ->. Qed.
Lemma next_who us t i : t <= steps us -> Plans.next us t i < steps us -> who (turn_at us (Plans.next us t i)) = i.
Proof. intros Ht L. rewrite <- next_same in *. destruct (next_spec (steps us) 0 (comes us) i t Ht) as (_ & W).
  destruct (W L) as [W1 _]. symmetry. now apply Nat.eqb_eq. Qed.

Section Rows.
Variables N C xi : nat.
Variable forced : bool.
Variable w : world.
Variable X0 : cache.
Variable us : list turn.
Hypothesis fits : sum N X0 <= C.
Hypothesis turns : trace N w us.
Notation plan := (Plans.plan N C forced X0 us).
Notation bound := (bound N C xi forced us X0).

Lemma numbers t : t < steps us -> who (turn_at us t) < N.
Proof. apply (histories_at N us w turns). Qed.
Lemma enough t : t < steps us -> Plans.next us (S t) (who (turn_at us t)) < steps us ->
  need xi us (Plans.next us (S t) (who (turn_at us t))) <= filled us t.
Proof. intros Ht L. set (s := Plans.next us (S t) (who (turn_at us t))) in *. destruct (histories_at N us w turns
  s L) as (_ & H). pose proof (next_who us (S t) (who (turn_at us t)) ltac:(lia) L) as W1. fold s in W1. rewrite
  W1 in H. unfold s in H at 2. rewrite past_next in H by (auto; lia). simpl in H. rewrite Nat.eqb_refl in H.
  unfold need. lia. Qed.

Lemma of_states X : X 0 = X0 ->
  (forall t, t < steps us ->
    tob_cut N C xi forced us (S t) (who (turn_at us t)) (Model.fill (turn_at us t) (X t)) (X (S t))) ->
  plan X /\ (forall Z, plan Z -> tel xi us X <= tel xi us Z) /\
  (forall P Z, plan Z -> uncached_tel xi us <= tel xi us Z + bound P) /\
  exists P, uncached_tel xi us = tel xi us X + bound P.
Proof. intros E Cu. destruct (closes_gap N C xi forced us enough X Cu) as (P & Cl). rewrite E in Cl. pose proof
  (is_a_plan N C xi forced us X Cu X0 E fits) as Pl. assert (Up : forall P Z, plan Z -> uncached_tel xi us <= tel
  xi us Z + bound P). { intros Q Z PZ. rewrite <- (tel_and_kept N xi us numbers Z). apply Nat.add_le_mono_l.
  apply plan_allowed; [|now apply plan_same]. apply (left_is_enough N xi us enough). } pose proof (tel_and_kept N
  xi us numbers X) as K. split; [exact Pl|]. split; [|split; [exact Up|]].
  - intros Z PZ. specialize (Up P Z PZ). lia.
  - exists P. specialize (Up P X Pl). lia. Qed.
Lemma of_a_run xs : run xi (tail_optimized_belady N C xi forced us w) w X0 us xs ->
  exists X, plan X /\ total xs = tel xi us X /\ (forall Z, plan Z -> tel xi us X <= tel xi us Z) /\
  (forall P Z, plan Z -> uncached_tel xi us <= tel xi us Z + bound P) /\
  exists P, uncached_tel xi us = tel xi us X + bound P.
Proof. intros R. destruct (states xi _ us w X0 xs R) as (X & E & Cu & To). exists X. destruct (of_states X E) as
  (A & B & D & F).
  - intros t Ht. specialize (Cu t Ht). unfold tail_optimized_belady in Cu. rewrite now_after in Cu. rewrite
    firstn_length_le in Cu by (unfold steps in Ht; lia). replace (now w + S t - now w) with (S t) in Cu by lia.
    exact Cu.
  - repeat split; try apply A; auto. Qed.

(* Rows theorem-b1 (forced is false) and theorem-b1.forced (it is true). Tail-Optimized Belady attains the optimum:
   what it caches is a plan, and no plan has a smaller TEL. *)
Theorem tail_optimized_belady_is_optimal : forall of_tob,
  run xi (tail_optimized_belady N C xi forced us w) w X0 us of_tob ->
  (exists X, plan X /\ tel xi us X = total of_tob) /\ forall X, plan X -> total of_tob <= tel xi us X.
Proof. intros xs R. destruct (of_a_run xs R) as (X & P & E & B & _). split; [exists X; auto|]. intros Z PZ.
  rewrite E. auto. Qed.

(* Rows theorem-b1.certificate and .certificate.forced. A set P of steps proves every optimum: what Tail-Optimized
   Belady keeps is what P allows, and no plan keeps more than any P allows. *)
Theorem certificate_closes : forall of_tob,
  run xi (tail_optimized_belady N C xi forced us w) w X0 us of_tob ->
  (exists P, uncached_tel xi us = total of_tob + bound P) /\
  forall P X, plan X -> uncached_tel xi us <= tel xi us X + bound P.
Proof. intros xs R. destruct (of_a_run xs R) as (X & _ & E & _ & U & (P & Eq)). split; auto. exists P. now
  rewrite E. Qed.
End Rows.

(* Tail-Optimized Belady can always cut: under forced caching if who came fits. *)
Lemma cut_ends N C xi forced us t theta : forall n Y, sum N Y <= n -> (forced = true -> Y theta <= C) ->
  exists Y', tob_cut N C xi forced us t theta Y Y'.
Proof. induction n; intros Y Hn F; [exists Y; apply tob_fits; lia|]. destruct (le_lt_dec (sum N Y) C) as [L|O];
  [exists Y; now apply tob_fits|]. assert (May : forall v, Policies.exempt forced theta v = false <-> may_lose
  forced theta v). { intros v. unfold Policies.exempt, may_lose. destruct forced; simpl; [rewrite Nat.eqb_neq|];
  intuition. } assert (Go : forall v, v < N -> Y v >= 1 -> may_lose forced theta v -> exists Y', tob_cut N C xi
  forced us t theta (lose Y v) Y'). { intros v Hv Yv M. apply IHn; unfold lose; [pose proof (sum_upd N Y v (Y v -
  1) Hv); lia|]. intros Fo. rewrite upd_neq; auto. intros E. now apply (M Fo). } pose proof (pick_spec N (fun v
  => (Plans.use xi us t v <? Y v) && negb (Policies.exempt forced theta v)) (fun _ => 0)) as S1. destruct (pick N
  _ (fun _ => 0)) as [v|].
  - destruct S1 as (Hv & E & _). apply andb_prop in E as [E1 E2]. apply Nat.ltb_lt in E1. apply negb_true_iff,
    May in E2. destruct (Go v Hv ltac:(lia) E2) as (Y' & K). exists Y'. apply tob_unneeded with (v := v); auto.
  - set (last := t + (steps us - t)). pose proof (pick_spec N (fun v => (1 <=? Y v) && negb (Policies.exempt
    forced theta v)) (fun v => last - Plans.next us t v)) as S2. destruct (pick N _ (fun v => last - Plans.next
    us t v)) as [v|].
    + destruct S2 as (Hv & E & Mx). apply andb_prop in E as [Yv E]. apply Nat.leb_le in Yv. apply negb_true_iff,
      May in E. destruct (Go v Hv Yv E) as (Y' & K). exists Y'. apply tob_furthest with (v := v); auto.
      * intros j Hj Mj. specialize (S1 j Hj). apply May in Mj. rewrite Mj, andb_true_r in S1. now apply
        Nat.ltb_ge.
      * repeat split; auto. intros j Hj Yj Mj. apply May in Mj. specialize (Mx j Hj). rewrite (proj2 (Nat.leb_le
        _ _) Yj), Mj in Mx. specialize (Mx eq_refl). enough (forall i, Plans.next us t i <= last) as B by (pose
        proof (B j); pose proof (B v); lia). unfold last. intros i. unfold Plans.next. generalize (steps us - t)
        as m. clear. intros m. revert t. induction m; intros t; simpl; [lia|]. specialize (IHm (S t)). destruct
        (_ =? i); lia.
    + exfalso. enough (sum N Y <= C) by lia. assert (Z : forall v, v < N -> may_lose forced theta v -> Y v = 0).
      { intros v Hv M. apply May in M. specialize (S2 v Hv). rewrite M, andb_true_r in S2. apply Nat.leb_gt in
      S2. lia. } destruct forced eqn:Fo.
      * apply Nat.le_trans with (Y theta); auto. apply sum_one. intros j Hj n'. apply Z; auto. now intros _.
      * rewrite (sum_ext N Y (fun _ => 0)), sum_zero; [lia|]. intros j Hj. apply Z; auto. discriminate. Qed.

(* Row theorem-b1, the other half. Tail-Optimized Belady has a run on every trace, under forced caching if every
   past fits, so the theorems above are not empty. *)
Theorem tail_optimized_belady_runs : forall N C xi forced w X0 us, each_fits C forced us ->
  exists xs, run xi (tail_optimized_belady N C xi forced us w) w X0 us xs.
Proof. intros N C xi forced w X0 us F. assert (G : forall vs w' Y, Forall (fun u => forced = true -> history u +
  prompt u + response u <= C) vs -> exists xs, run xi (tail_optimized_belady N C xi forced us w) w' Y vs xs). {
  induction vs as [|u vs IH]; intros w' Y Fo; [eexists; constructor|]. inversion Fo as [|? ? Fu Fv]; subst.
  destruct (cut_ends N C xi forced us (now (serve u w') - now w) (who u) _ (Model.fill u Y) (le_n _)) as (Y' &
  K).
    - intros E. unfold Model.fill. rewrite upd_eq. auto.
    - destruct (IH (serve u w') Y' Fv) as (xs & R). eexists. econstructor; [exact K | exact R]. } apply G. apply
      Forall_forall. intros u Hu Fo. apply (In_nth us u (Turn 0 0 0 0 0)) in Hu as (t & Ht & <-). apply (F t Ht
      Fo). Qed.

(* Belady with whole histories cuts as Tail-Optimized Belady with xi = 0 does. *)
Lemma belady_cuts N C forced us past0 : forall t theta Y Y', S t <= steps us ->
  (forall s, s < steps us -> history (turn_at us s) = past_at past0 us s (who (turn_at us s))) ->
  (forall j, Y j <= past_at past0 us (S t) j) ->
  belady_cut N C forced us (S t) theta Y Y' -> tob_cut N C 0 forced us (S t) theta Y Y'.
Proof. intros t theta Y Y' Ht Wh W R. induction R as [Y D | Y v Y' O Fu R IH]; [now apply tob_fits|]. assert (R'
  : tob_cut N C 0 forced us (S t) theta (lose Y v) Y'). { apply IH. intros j. specialize (W j). unfold lose.
  destruct (upd_case Y v (Y v - 1) j) as [[-> E]|[_ E]]; rewrite E; lia. } destruct (le_lt_dec (steps us)
  (Plans.next us (S t) v)) as [L|L].
  - destruct Fu as (Hv & Yv & Mv & _). apply tob_unneeded with (v := v); auto. unfold Plans.use. replace
    (Plans.next us (S t) v <? steps us) with false by (symmetry; now apply Nat.ltb_ge). lia.
  - apply tob_furthest with (v := v); auto. intros j Hj Mj. destruct (Y j) eqn:Yj; [lia|]. destruct Fu as (_ & _
    & _ & Mx). specialize (Mx j Hj ltac:(lia) Mj). pose proof (next_who us (S t) j Ht ltac:(lia)) as W1. unfold
    Plans.use. replace (Plans.next us (S t) j <? steps us) with true by (symmetry; apply Nat.ltb_lt; lia).
    specialize (W j). specialize (Wh (Plans.next us (S t) j) ltac:(lia)). rewrite W1, past_next in Wh by lia.
    unfold need, input. lia. Qed.

Lemma belady_runs N C forced us w : (forall s, s < steps us ->
    history (turn_at us s) = past_at (past w) us s (who (turn_at us s))) -> forall vs k w' Y xs,
  now w' = now w + k -> k + length vs = steps us -> (forall i, nth i vs (Turn 0 0 0 0 0) = turn_at us (k + i)) ->
  (forall j, Y j <= past_at (past w) us k j) -> run 0 (belady N C forced us w) w' Y vs xs ->
  run 0 (tail_optimized_belady N C 0 forced us w) w' Y vs xs.
Proof. intros Wh. assert (Le : forall t Y Y' theta, belady_cut N C forced us t theta Y Y' -> forall j, Y' j <= Y
  j). { intros t Y Y' theta. induction 1 as [Y D | Y v Y' O Fu _ IH]; auto. intros j. specialize (IH j). revert
  IH. unfold lose. destruct (upd_case Y v (Y v - 1) j) as [[-> G]|[_ G]]; rewrite G; lia. } induction vs as [|u
  vs IH]; intros k w' Y xs Nw L V W R; inversion R as [|? ? ? ? Y' ys K R']; subst; [constructor|]. simpl in L.
  pose proof (V 0) as V0. simpl in V0. rewrite Nat.add_0_r in V0. subst u. assert (Wf : forall j, Model.fill
  (turn_at us k) Y j <= past_at (past w) us (S k) j). { intros j. simpl. unfold Model.fill. rewrite Nat.eqb_sym.
  destruct (Nat.eqb_spec j (who (turn_at us k))) as [->|n]; [now rewrite upd_eq|]. now rewrite upd_neq by auto. }
  unfold belady in K. cbn [now serve] in K. replace (S (now w') - now w) with (S k) in K by lia. apply run_turn
  with (X' := Y').
  - unfold tail_optimized_belady. cbn [now serve]. replace (S (now w') - now w) with (S k) by lia. apply
    (belady_cuts N C forced us (past w)); auto. lia.
  - apply (IH (S k)); auto; simpl; try lia.
    + intros i. specialize (V (S i)). simpl in V. rewrite V. f_equal. lia.
    + intros j. exact (Nat.le_trans _ _ _ (Le _ _ _ _ K j) (Wf j)). Qed.
(* Row theorem-b1.belady, of whole histories. Belady's policy is Tail-Optimized Belady with xi = 0, and no plan has
   a smaller sum of uncached tokens, that is, none has more hits. *)
Theorem belady_is_optimal : forall N C forced w X0 us of_belady,
  start N w X0 -> sum N X0 <= C -> trace N w us -> whole w us ->
  run 0 (belady N C forced us w) w X0 us of_belady ->
  run 0 (tail_optimized_belady N C 0 forced us w) w X0 us of_belady /\
  forall X, Plans.plan N C forced X0 us X -> total of_belady <= tel 0 us X.
Proof. intros N C forced w X0 us xs St Fi Tr Wh R. assert (R' : run 0 (tail_optimized_belady N C 0 forced us w) w
  X0 us xs). { apply (belady_runs N C forced us w) with (k := 0); auto using whole_at. intros j. apply
  (of_the_past _ _ _ St). } split; auto. now apply (tail_optimized_belady_is_optimal N C 0 forced w X0 us Fi Tr
  xs). Qed.
