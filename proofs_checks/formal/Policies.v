(* LRU, T-LRU and Threshold-LRU as the ways in which they may cut a cache, one token at a time. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model.
Import ListNotations.

Section Policies.
Variables N C : nat.        (* conversations 0 .. N-1, and the capacity *)
Variable forced : bool.     (* forced caching: who just came is exempt from trimming, eviction and dropping *)

Definition may_lose (theta v : nat) := forced = true -> v <> theta.

(* v has something cached, may lose it, and nobody else who may lose something came earlier. *)
Definition least_recent (w : world) (theta : nat) (X : cache) (v : nat) :=
  v < N /\ X v >= 1 /\ may_lose theta v /\
  forall j, j < N -> X j >= 1 -> may_lose theta j -> came w v <= came w j.

Definition lose (X : cache) (v : nat) : cache := upd X v (X v - 1).

(* Trimming takes a token from anybody who has more than `budget`, at any time and in any order; eviction takes one
   from the least recent, only where the cache is too small and `ready` says that it may begin. *)
Inductive cut (budget : nat -> nat) (ready : cache -> Prop) (w : world) (theta : nat) : cache -> cache -> Prop :=
| fits X : sum N X <= C -> cut budget ready w theta X X
| trims X v X' : v < N -> X v > budget v -> may_lose theta v ->
    cut budget ready w theta (lose X v) X' -> cut budget ready w theta X X'
| evicts X v X' : sum N X > C -> ready X -> least_recent w theta X v ->
    cut budget ready w theta (lose X v) X' -> cut budget ready w theta X X'.

Definition at_once (X : cache) := True.
Definition no_surplus (theta : nat) (budget : nat -> nat) (X : cache) :=
  forall v, v < N -> may_lose theta v -> X v <= budget v.

(* LRU: a budget of the whole past leaves nothing to trim. *)
Definition lru (w : world) := cut (past w) at_once w.

(* What T-LRU keeps of a conversation so that its next turn stays within xi. *)
Definition budget (xi : nat) (w : world) (i : nat) := past w i + guess w i - xi.

(* T-LRU, which may evict although surplus is left; and T-LRU, which trims enough before it evicts. *)
Definition tlru_partial (xi : nat) (w : world) := cut (budget xi w) at_once w.
Definition tlru (xi : nat) (w : world) (theta : nat) :=
  cut (budget xi w) (no_surplus theta (budget xi w)) w theta.

(* Of those with more than `budget`, v came first. *)
Definition least_recent_surplus (w : world) (theta : nat) (budget : nat -> nat) (X : cache) (v : nat) :=
  v < N /\ X v > budget v /\ may_lose theta v /\
  forall j, j < N -> X j > budget j -> may_lose theta j -> came w v <= came w j.
(* What goes first: the least recent surplus, and where there is none the least recent token. *)
Definition goes_first (w : world) (theta : nat) (budget : nat -> nat) (X : cache) (v : nat) :=
  least_recent_surplus w theta budget X v \/ no_surplus theta budget X /\ least_recent w theta X v.
Inductive in_order (budget : nat -> nat) (w : world) (theta : nat) : cache -> cache -> Prop :=
| in_order_fits X : sum N X <= C -> in_order budget w theta X X
| in_order_goes X v X' : sum N X > C -> goes_first w theta budget X v ->
    in_order budget w theta (lose X v) X' -> in_order budget w theta X X'.
(* T-LRU with least-recent trimming, on overflow alone. *)
Definition tlru_in_order (xi : nat) (w : world) := in_order (budget xi w) w.

(* Threshold-LRU: conversations of at most `cutoff` are dropped, overflow or not; otherwise LRU. *)
Definition short (cutoff : nat) (w : world) (i : nat) := past w i <=? cutoff.
Definition exempt (theta v : nat) := forced && (v =? theta).
Definition drop_those (gone : nat -> bool) (theta : nat) (X : cache) : cache :=
  fun i => if gone i && negb (exempt theta i) then 0 else X i.
Definition drop (cutoff : nat) (w : world) := drop_those (short cutoff w).
Definition threshold_lru (cutoff : nat) (w : world) (theta : nat) (X : cache) :=
  lru w theta (drop cutoff w theta X).

(* T-LRU with round-robin trimming: a round visits the conversations in an order and takes a token of surplus from
   each, as long as the cache is too small; rounds follow while surplus is left. *)
Fixpoint visit (theta : nat) (budget : nat -> nat) (order : list nat) (X : cache) : cache :=
  match order with
  | [] => X
  | v :: order => visit theta budget order
      (if (C <? sum N X) && (budget v <? X v) && negb (exempt theta v) then lose X v else X)
  end.
Inductive in_rounds (order : list nat) (budget : nat -> nat) (w : world) (theta : nat) : cache -> cache -> Prop :=
| rounds_fit X : sum N X <= C -> in_rounds order budget w theta X X
| rounds_visit X X' : sum N X > C -> ~ no_surplus theta budget X ->
    in_rounds order budget w theta (visit theta budget order X) X' -> in_rounds order budget w theta X X'
| rounds_evict X v X' : sum N X > C -> no_surplus theta budget X -> least_recent w theta X v ->
    in_rounds order budget w theta (lose X v) X' -> in_rounds order budget w theta X X'.
Definition tlru_in_rounds (order : world -> list nat) (xi : nat) (w : world) :=
  in_rounds (order w) (budget xi w) w.

(* T-LRU with other budgets, and that drops whom it knows to be gone: End-Aware and Length-Aware T-LRU. *)
Definition aware_tlru (b : world -> nat -> nat) (gone : world -> nat -> bool) w theta (X : cache) :=
  cut (b w) (no_surplus theta (b w)) w theta (drop_those (gone w) theta X).
End Policies.
