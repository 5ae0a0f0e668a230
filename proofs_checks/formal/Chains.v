(* Strict caches of chains of two blocks, and the forest that asks for an independent set of a graph. *)
From Coq Require Import Arith List Bool.
Require Import Numbers.
Import ListNotations.

(* A request reads the first `depth` blocks of a chain and has `input` units to compute or to find. *)
Record read := Read { chain : nat; depth : nat; input : nat }.
Definition nth_read (reads : list read) t := nth t reads (Read 0 0 0).

(* A strict cache is closed towards the root: it holds so many leading blocks of each of N chains. They grow only
   where the chain is read, up to where it is read. *)
Record strict_plan (N C : nat) (reads : list read) (X : nat -> nat -> nat) : Prop := {
  s_none : forall k, X 0 k = 0;
  s_others : forall t k, t < length reads -> k <> chain (nth_read reads t) -> X (S t) k <= X t k;
  s_own : forall t, t < length reads -> let r := nth_read reads t in
    X (S t) (chain r) <= max (X t (chain r)) (depth r);
  s_fits : forall t, t < length reads -> sum N (X t) <= C }.
Definition excess_of (xi : nat) X (reads : list read) t :=
  let r := nth_read reads t in input r - min (X t (chain r)) (depth r) - xi.
Definition strict_tel xi X reads := sum (length reads) (excess_of xi X reads).

(* A graph with vertices 0 .. n-1; a set of them is independent if no edge is between two of its vertices. *)
Definition graph n (edges : list (nat * nat)) :=
  forall e, In e edges -> fst e < n /\ snd e < n /\ fst e <> snd e.
Definition independent (edges : list (nat * nat)) (chosen : nat -> bool) :=
  forall e, In e edges -> chosen (fst e) && chosen (snd e) = false.

(* A vertex is a chain. All begin, then on each edge all others have their first block read twice, and at the end
   all return. *)
Section Reads.
Variable n : nat.
Definition others (e : nat * nat) := filter (fun k => negb (k =? fst e) && negb (k =? snd e)) (seq 0 n).
Definition beginning := map (fun k => Read k 2 2) (seq 0 n).
Definition opening e := map (fun k => Read k 1 1) (others e).
Definition closing e := map (fun k => Read k 1 3) (others e).
Definition ending := flat_map (fun k => [Read k 1 1; Read k 2 4]) (seq 0 n).
Definition asks edges := beginning ++ flat_map (fun e => opening e ++ closing e) edges ++ ending.
End Reads.
