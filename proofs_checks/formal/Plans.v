(* In hindsight: what could have been cached at the start of each turn, the TEL of it, and Belady's policies. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model Policies.

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

(* The first turn of conversation i from t on; steps if there is none. *)
Fixpoint next_in n t i := match n with 0 => t | S n => if who (turn_at t) =? i then t else next_in n (S t) i end.
Definition next t i := next_in (steps - t) t i.
(* What its next turn needs of it. *)
Definition use t i := if next t i <? steps then need (next t i) else 0.

(* Of all who have something cached and may lose it, nobody comes later than v. *)
Definition furthest (t theta : nat) (X : cache) (v : nat) :=
  v < N /\ X v >= 1 /\ may_lose forced theta v /\
  forall j, j < N -> X j >= 1 -> may_lose forced theta j -> next t j <= next t v.

(* Tail-Optimized Belady before turn t: first goes what no next turn needs, then what is needed furthest away. *)
Inductive tob_cut (t theta : nat) : cache -> cache -> Prop :=
| tob_fits X : sum N X <= C -> tob_cut t theta X X
| tob_unneeded X v X' : v < N -> X v > use t v -> may_lose forced theta v ->
    tob_cut t theta (lose X v) X' -> tob_cut t theta X X'
| tob_furthest X v X' : sum N X > C -> no_surplus N forced theta (use t) X -> furthest t theta X v ->
    tob_cut t theta (lose X v) X' -> tob_cut t theta X X'.
(* Belady: what comes back furthest away, or never. *)
Inductive belady_cut (t theta : nat) : cache -> cache -> Prop :=
| belady_fits X : sum N X <= C -> belady_cut t theta X X
| belady_furthest X v X' : sum N X > C -> furthest t theta X v ->
    belady_cut t theta (lose X v) X' -> belady_cut t theta X X'.

(* As policies of a run from the world w: they see the number of turns that have been. *)
Definition tail_optimized_belady (w w' : world) := tob_cut (now w' - now w).
Definition belady (w w' : world) := belady_cut (now w' - now w).
End Plans.
