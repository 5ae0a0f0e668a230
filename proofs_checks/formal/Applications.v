(* Applications of several turns with one threshold: routes, what a turn reserves, and what caches do. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model Policies.
Import ListNotations.

Fixpoint most_of {A} (l : list A) (f : A -> nat) := match l with [] => 0 | x :: l => max (f x) (most_of l f) end.

Section Applications.
Variables N C T : nat.
Variable forced : bool.
Variable turn : nat -> turn.                 (* turns 0 .. T-1 *)
Variable app : nat -> nat.                   (* turn: its application *)
(* Of an application its routes, lists of turns, and its threshold. By sum there is one route, of all turns; by
   path there are as many as paths. *)
Variable routes : nat -> list (list nat).
Variable xi : nat -> nat.
Variable expected : nat -> nat.              (* turn: what its input is expected to be *)

Fixpoint world_at k := match k with 0 => nobody | S k => serve (turn k) (world_at k) end.
Definition input k := history (turn k) + prompt (turn k).
(* A cache over time: what it holds before each turn; what turn k computes then. *)
Definition computed (X : nat -> cache) k := input k - min (X k (who (turn k))) (history (turn k)).
Definition excess_of (X : nat -> cache) a := most_of (routes a) (fun r => lsum r (computed X)) - xi a.

(* Before turn k: what turn j computes at most, and what the other turns of the heaviest route through t do. *)
Definition at_most (X : nat -> cache) k j := if j <? k then computed X j else expected j.
Definition others (X : nat -> cache) k t :=
  most_of (filter (existsb (Nat.eqb t)) (routes (app t)))
    (fun r => lsum (filter (fun j => negb (j =? t)) r) (at_most X k)).
(* The first turn of conversation c from turn k on; T if there is none. *)
Fixpoint next_in n k c := match n with 0 => k | S n => if who (turn k) =? c then k else next_in n (S k) c end.
Definition next k c := next_in (T - k) k c.
(* Reserve: a turn's threshold is xi less what the others take, so this is to be kept of its conversation. *)
Definition reserved (X : nat -> cache) k c :=
  if next k c <? T then expected (next k c) + others X k (next k c) - xi (app (next k c)) else 0.

Definition reserve_run (X : nat -> cache) := X 0 = empty /\ forall k, k < T ->
  cut N C forced (reserved X (S k)) at_once (world_at (S k)) (who (turn k)) (fill (turn k) (X k)) (X (S k)).
Definition lru_run (X : nat -> cache) := X 0 = empty /\ forall k, k < T ->
  lru N C forced (world_at (S k)) (who (turn k)) (fill (turn k) (X k)) (X (S k)).
End Applications.
