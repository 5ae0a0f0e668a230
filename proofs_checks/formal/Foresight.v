(* Belady and Tail-Optimized Belady as programs: they know the turns to come. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Programs.
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

(* A policy sees the turns `us` that follow the world w0: those that are left, and each conversation as if it had
   come the earlier, the later its next turn is. *)
Section Foresight.
Variables N C xi : nat.
Variable forced : bool.
Variable w0 : world.
Variable us : list turn.
Definition left (w : world) := skipn (now w - now w0) us.
Definition by_next_turn (w : world) := World (now w) (past w) (ahead (left w)) (guess w).

(* Tail-Optimized Belady trims what its next turn does not need, then evicts from who comes last.
   With xi = 0 a turn needs its whole history, and this is Belady's policy. *)
Definition tail_optimized_belady (w : world) (theta : nat) :=
  cut N C forced (next_need xi (left w)) (no_surplus N forced theta (next_need xi (left w))) (by_next_turn w)
    theta.

Fixpoint next_notes (us : list turn) :=
  match us with [] => [] | u :: us => (ahead us (who u), next_need xi us (who u)) :: next_notes us end.
Definition run_tob (X : cache) :=
  replay C forced xi (listed N (by_next_turn w0) (next_need xi us) X) us (next_notes us).

Lemma skipn_one {A} n : forall l : list A, skipn (S n) l = tl (skipn n l).
Proof. induction n; intros [|x l]; simpl; auto. rewrite <- IHn. reflexivity. Qed.
Lemma next_noted : forall vs w, left w = vs -> now w0 <= now w ->
  noted (fun w => next_need xi (left w)) by_next_turn w vs (next_notes vs).
Proof.
  induction vs as [|u vs IH]; intros w E L; simpl; auto.
  assert (E' : left (serve u w) = vs).
  { unfold left in *. change (now (serve u w)) with (S (now w)). rewrite Nat.sub_succ_l by auto.
    now rewrite skipn_one, E. }
  rewrite E', E. repeat split.
  - simpl. destruct (Nat.eqb_spec (who u) i); congruence.
  - simpl. destruct (Nat.eqb_spec (who u) i); congruence.
  - apply IH; simpl; auto.
Qed.
End Foresight.

(* A lemma for the next, of no row (-). What the program does is a run of the policy. *)
Theorem tob_program_runs : forall N C xi forced w X us, start N w X -> trace N w us -> fitting C forced us ->
  run xi (tail_optimized_belady N C xi forced w us) w X us (run_tob N C xi forced w us X).
Proof.
  intros N C xi forced w X us St Tr Fi.
  assert (E : left w us w = us) by (unfold left; now rewrite Nat.sub_diag).
  apply (replay_ok N C forced xi (fun v => next_need xi (left w us v)) (by_next_turn w us)
    (fun v theta => no_surplus N forced theta (next_need xi (left w us v)))); auto.
  - pose proof (listed_shows N (fun v => next_need xi (left w us v)) (by_next_turn w us) w X
      (none_outside _ _ _ St)) as Sh. cbv beta in Sh. now rewrite E in Sh.
  - apply next_noted; auto.
  - exact (who_in _ _ _ Tr).
Qed.
