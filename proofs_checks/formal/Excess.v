(* What a turn reuses and by how much its uncached tokens exceed the threshold; a run and its excesses. *)
From Coq Require Import Arith List.
Require Import Numbers Model.
Import ListNotations.

(* The cached prefix is cut to the history, and the turn reuses what is left. *)
Definition reused (X : cache) (u : turn) := min (X (who u)) (history u).
Definition uncached (X : cache) (u : turn) := history u + prompt u - reused X u.
(* On natural numbers a - b is 0 if b is more than a, so this is max(uncached - xi, 0). *)
Definition excess (xi : nat) (X : cache) (u : turn) := uncached X u - xi.

(* TEL: the sum of the excesses. *)
Definition total (xs : list nat) := fold_right Nat.add 0 xs.

(* [run xi cut w X us xs]: from the world w and the cache X the turns us can have the excesses xs. A policy is a
   relation: [cut w i X X'] says that X may be cut to X' after a turn of i. *)
Inductive run (xi : nat) (cut : world -> nat -> cache -> cache -> Prop) :
  world -> cache -> list turn -> list nat -> Prop :=
| run_end w X : run xi cut w X [] []
| run_turn w X u us X' xs :
    cut (serve u w) (who u) (fill u X) X' ->
    run xi cut (serve u w) X' us xs ->
    run xi cut w X (u :: us) (excess xi X u :: xs).
