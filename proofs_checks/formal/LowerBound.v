(* A bound on the TEL of private conversations that needs no trust in who found it (optional caching, empty
  start). *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model WeakDuality.
Import ListNotations.

Section LowerBound.
Variables N C xi : nat.
Variable us : list turn.
Definition turn_at t := nth t us (Turn 0 0 0 0 0).
Definition steps := length us.
Hypothesis numbers : forall t, t < steps -> who (turn_at t) < N.

Definition input t := history (turn_at t) + prompt (turn_at t).
(* What is of use to a turn: the part of its history without which it would exceed xi. *)
Definition need t := min (history (turn_at t)) (input t - xi).

(* What may be cached at the start of each step: somebody's cached tokens grow only at its own turns. *)
Record plan (X : nat -> cache) : Prop := {
  p_none : forall i, X 0 i = 0;
  p_grows : forall t i, t < steps -> i <> who (turn_at t) -> X (S t) i <= X t i;
  p_own : forall t, t < steps -> X (S t) (who (turn_at t)) <= input t + response (turn_at t);
  p_fits : forall t, t < steps -> sum N (X t) <= C }.
Definition tel (X : nat -> cache) :=
  sum steps (fun t => input t - min (X t (who (turn_at t))) (history (turn_at t)) - xi).

Definition touch t b := (steps <=? t) || (who (turn_at t) =? b).
Definition asks t := if t <? steps then [(who (turn_at t), need t)] else [].
Definition uncached_tel := sum steps (fun t => input t - xi).
Definition lower (P : nat -> bool) := uncached_tel - bound steps touch asks (fun _ => C) P.

(* Row theorem-b1.certificate, half of it.
  For every trace, every set P of steps and every plan, the TEL of the plan is
   at least the bound that P gives. *)
Theorem certificate_is_sound P X : plan X -> lower P <= tel X.
Proof.
  intros Pl. unfold lower.
  pose proof (weak_duality N steps touch asks (fun _ => C)) as W.
  assert (K : kept steps asks X <= bound steps touch asks (fun _ => C) P).
  { apply W with (X := X).
    - intros t b n. unfold asks, touch. destruct (Nat.ltb_spec t steps); simpl; [|intros []].
      intros [E|[]]. inversion E; subst. rewrite Nat.eqb_refl, orb_true_r. split; auto.
    - intros t. unfold asks. destruct (t <? steps); simpl; repeat constructor; auto.
    - intros t b H. unfold touch in H. apply orb_false_iff in H as [H1 H2].
      apply Nat.leb_gt in H1. apply Nat.eqb_neq in H2. apply (p_grows _ Pl); auto.
    - apply (p_fits _ Pl). }
  assert (E : uncached_tel <= tel X + kept steps asks X).
  { unfold uncached_tel, tel, kept. rewrite <- sum_add. apply sum_le. intros t Ht. unfold asks.
    assert (Q : (t <? steps) = true) by now apply Nat.ltb_lt. rewrite Q. simpl.
    unfold need. lia. }
  lia.
Qed.
End LowerBound.
