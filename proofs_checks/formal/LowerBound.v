(* A bound on the TEL of private conversations that needs no trust in who found it. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Plans WeakDuality.
Import ListNotations.

Section LowerBound.
Variables N C xi : nat.
Variable forced : bool.
Variable at_first : cache.
Variable us : list turn.
Notation turn_at := (turn_at us).
Notation steps := (steps us).
Notation input := (input us).
Notation need := (need xi us).
Notation plan := (plan N C forced at_first us).
Hypothesis numbers : forall t, t < steps -> who (turn_at t) < N.

Definition touch t b := (steps <=? t) || (who (turn_at t) =? b).
Definition asks t := if t <? steps then [(who (turn_at t), need t)] else [].
Definition lower (P : nat -> bool) := uncached_tel xi us - bound steps touch asks (fun _ => C) P.

(* Row theorem-b1.certificate, half of it. For every trace, every set P of steps and every plan, the TEL of the
   plan is at least the bound that P gives. *)
Theorem certificate_is_sound P X : plan X -> lower P <= tel xi us X.
Proof. intros Pl. unfold lower. pose proof (weak_duality N steps touch asks (fun _ => C)) as W.
  assert (K : kept steps asks X <= bound steps touch asks (fun _ => C) P). { apply W with (X := X).
    - intros t b n. unfold asks, touch. destruct (Nat.ltb_spec t steps); simpl; [|intros []]. intros [E|[]].
      inversion E; subst. rewrite Nat.eqb_refl, orb_true_r. split; auto.
    - intros t. unfold asks. destruct (t <? steps); simpl; repeat constructor; auto.
    - intros t b H. unfold touch in H. apply orb_false_iff in H as [H1 H2]. apply Nat.leb_gt in H1.
      apply Nat.eqb_neq in H2. apply (p_grows _ _ _ _ _ _ Pl); auto.
    - apply (p_fits _ _ _ _ _ _ Pl). } assert (E : uncached_tel xi us <= tel xi us X + kept steps asks X).
      { unfold uncached_tel, tel, kept. rewrite <- sum_add. apply sum_le. intros t Ht. unfold asks.
      assert (Q : (t <? steps) = true) by now apply Nat.ltb_lt. rewrite Q. simpl. unfold Plans.need. lia. } lia.
      Qed.
End LowerBound.
