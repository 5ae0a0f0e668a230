(* Tail-Optimized Belady as a program: it knows the turns to come, and its TEL is the least. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Replays Programs Plans RunsArePlans TailOptimizedBelady.
Import ListNotations.

(* How many turns there are from the next one of i to the end: 0 if i never returns. *)
Fixpoint ahead (us : list turn) i :=
  match us with [] => 0 | u :: us => if who u =? i then S (length us) else ahead us i end.
(* What is of use to the next turn of i: the part of its history without which it would exceed xi. *)
Fixpoint next_need xi (us : list turn) i :=
  match us with
  | [] => 0
  | u :: us => if who u =? i then min (history u) (history u + prompt u - xi) else next_need xi us i
  end.
Fixpoint next_notes xi (us : list turn) :=
  match us with [] => [] | u :: us => (ahead us (who u), next_need xi us (who u)) :: next_notes xi us end.

(* The later the next turn, the smaller the key. With xi = 0 a turn needs its whole history: Belady's policy. *)
Definition run_tob N C xi forced us (X : cache) :=
  replay C forced xi (listed N (World 0 X (ahead us) X) (next_need xi us) X) us (next_notes xi us).

Section Foresight.
Variables N C xi : nat.
Variable forced : bool.
Variable w0 : world.
Variable us : list turn.
Definition been (w : world) := now w - now w0.
Definition left (w : world) := skipn (been w) us.
Definition by_next_turn (w : world) := World 0 (past w) (ahead (left w)) (past w).

Lemma skipn_one {A} n : forall l : list A, skipn (S n) l = tl (skipn n l).
Proof. induction n; intros [|x l]; simpl; auto. rewrite <- IHn. reflexivity. Qed.
Lemma left_next w : now w0 <= now w -> forall u, left (serve u w) = tl (left w).
Proof. intros L u. unfold left, been. change (now (serve u w)) with (S (now w)). rewrite Nat.sub_succ_l by auto.
  apply skipn_one. Qed.
Lemma next_noted : forall vs w, left w = vs -> now w0 <= now w ->
  noted (fun w => next_need xi (left w)) by_next_turn w vs (next_notes xi vs).
Proof. induction vs as [|u vs IH]; intros w E L; simpl; auto. rewrite left_next, E by auto. simpl. repeat split.
  - destruct (Nat.eqb_spec (who u) i); congruence.
  - destruct (Nat.eqb_spec (who u) i); congruence.
  - apply IH; simpl; auto. now rewrite left_next, E. Qed.

(* The keys and budgets are those of Plans.v. *)
Lemma skipn_at : forall (l : list turn) t, t < length l -> skipn t l = nth t l (Turn 0 0 0 0 0) :: skipn (S t) l.
Proof. induction l; intros t H; [simpl in H; lia|]. destruct t; auto. simpl in H. exact (IHl t ltac:(lia)). Qed.
Lemma as_next i : forall n t, n = steps us - t ->
  ahead (skipn t us) i = steps us - next_in us n t i /\
  next_need xi (skipn t us) i = if next_in us n t i <? steps us then need xi us (next_in us n t i) else 0.
Proof. induction n; intros t E; simpl.
  - rewrite skipn_all2 by (unfold steps in E; lia). simpl. split; [lia|]. destruct (Nat.ltb_spec t (steps us));
    auto. lia.
  - unfold steps in *. rewrite skipn_at by lia. cbn [ahead next_need]. fold (turn_at us t). destruct (who
    (turn_at us t) =? i).
    + rewrite skipn_length. split; [lia|]. replace (t <? length us) with true by (symmetry; apply Nat.ltb_lt;
      lia). reflexivity.
    + apply IHn. lia. Qed.

Lemma cuts_as w t theta X Y : came w = ahead (skipn t us) -> cut N C forced (next_need xi (skipn t us))
  (no_surplus N forced theta (next_need xi (skipn t us))) w theta X Y -> tob_cut N C xi forced us t theta X Y.
Proof. assert (B : forall i, next_need xi (skipn t us) i = use xi us t i) by (intros i; now apply as_next).
  assert (A : forall i, ahead (skipn t us) i = steps us - next us t i) by (intros i; now apply as_next). intros
  W. induction 1 as [X D | X v Y V F M R IH | X v Y O Rd (V & F & M & Mn) R IH].
  - now apply tob_fits.
  - apply tob_unneeded with (v := v); auto. now rewrite <- B.
  - apply tob_furthest with (v := v); auto.
    + intros j Hj Mj. rewrite <- B. now apply Rd.
    + repeat split; auto. intros j Hj Fj Mj. specialize (Mn j Hj Fj Mj). rewrite W, !A in Mn. specialize (Rd j Hj
      Mj). rewrite B in Rd. unfold use in Rd. destruct (Nat.ltb_spec (next us t j) (steps us)); lia. Qed.
End Foresight.

Lemma run_as xi (p q : world -> nat -> cache -> cache -> Prop) : (forall w i X Y, p w i X Y -> q w i X Y) ->
  forall us w X xs, run xi p w X us xs -> run xi q w X us xs.
Proof. intros H us w X xs. induction 1; econstructor; eauto. Qed.

(* A lemma for the next, of no row (-). What the program does is a run of Tail-Optimized Belady. *)
Theorem tob_program_runs : forall N C xi forced w X us, start N w X -> trace N w us -> fitting C forced us ->
  run xi (tail_optimized_belady N C xi forced us w) w X us (run_tob N C xi forced us X).
Proof. intros N C xi forced w X us St Tr Fi. assert (E : left w us w = us) by (unfold left, been; now rewrite
  Nat.sub_diag). apply (run_as xi (policy N C forced (fun v => next_need xi (left w us v)) (by_next_turn w us)
  (fun v theta => no_surplus N forced theta (next_need xi (left w us v))))). { intros v i Y Z K. now apply
  cuts_as in K. } apply replay_ok; auto.
  - pose proof (listed_shows N (fun v => next_need xi (left w us v)) (by_next_turn w us) w X (none_outside _ _ _
    St)) as Sh. cbv beta in Sh. unfold by_next_turn in Sh. rewrite E in Sh. exact Sh.
  - apply next_noted; auto.
  - exact (who_in _ _ _ Tr). Qed.

(* Rows theorem-b1 and theorem-b1.forced, for the program. Tail-Optimized Belady as it runs has the least TEL of
   any plan, from any initial cache that fits. *)
Theorem theorem_b1_of_programs : forall N C xi forced w X us,
  start N w X -> sum N X <= C -> trace N w us -> fitting C forced us ->
  forall best, plan N C forced X us best -> total (run_tob N C xi forced us X) <= tel xi us best.
Proof. intros N C xi forced w X us St Fi Tr Fs best Pl. exact (proj2 (tail_optimized_belady_is_optimal N C xi
  forced w X us Fi Tr _ (tob_program_runs N C xi forced w X us St Tr Fs)) best Pl). Qed.
