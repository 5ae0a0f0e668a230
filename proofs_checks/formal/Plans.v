(* What could have been cached at the start of each turn, in hindsight, and the TEL of it. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model.

Section Plans.
Variables N C xi : nat.
Variable forced : bool.         (* forced caching: at the next turn all of who came last is cached *)
Variable at_first : cache.      (* what may be cached before the first turn *)
Variable us : list turn.
Definition turn_at t := nth t us (Turn 0 0 0 0 0).
Definition steps := length us.

Definition input t := history (turn_at t) + prompt (turn_at t).
Definition filled t := input t + response (turn_at t).
(* What is of use to a turn: the part of its history without which it would exceed xi. *)
Definition need t := min (history (turn_at t)) (input t - xi).

(* What may be cached at the start of each step: somebody's cached tokens grow only at its own turns. *)
Record plan (X : nat -> cache) : Prop := {
  p_first : forall i, X 0 i <= at_first i;
  p_grows : forall t i, t < steps -> i <> who (turn_at t) -> X (S t) i <= X t i;
  p_own : forall t, t < steps -> X (S t) (who (turn_at t)) <= filled t;
  p_fits : forall t, t < steps -> sum N (X t) <= C;
  p_forced : forall t, S t < steps -> forced = true -> X (S t) (who (turn_at t)) = filled t }.
Definition tel (X : nat -> cache) :=
  sum steps (fun t => input t - min (X t (who (turn_at t))) (history (turn_at t)) - xi).
Definition uncached_tel := sum steps (fun t => input t - xi).

(* Under forced caching every past has to fit. *)
Definition each_fits := forall t, t < steps -> forced = true -> filled t <= C.
End Plans.
