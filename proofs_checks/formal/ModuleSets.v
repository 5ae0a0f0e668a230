(* Requests for sets of modules: what they find, budgets of each module, and runs. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model Policies.
Import ListNotations.

(* A request asks for different items, the last one is the most recent, and has fresh tokens beside them.
   `promise` is what T-LRU is to keep of each item from then on. *)
Record request := Request { items : list nat; fresh : nat; promise : nat -> nat }.

Section Sets.
Variables N C xi : nat.
Variable size : nat -> nat.

(* An item is what a conversation is for Policies.v: its past is its size once it was asked for, and its estimate
   is what T-LRU is to keep of it. *)
Definition touch (R : request) (i : nat) := Turn i 0 (size i) 0 (promise R i).
Definition asked (w : world) (R : request) := fold_left (fun w i => serve (touch R i) w) (items R) w.
Definition at_hand (X : cache) (R : request) := fold_left (fun X i => fill (touch R i) X) (items R) X.
Definition excess_of (X : cache) (R : request) := fresh R + lsum (items R) (fun i => size i - X i) - xi.

(* LRU, and T-LRU, which trims whichever surplus at any time. *)
Definition set_lru (w : world) := lru N C false w.
Definition set_tlru (w : world) := cut N C false (guess w) at_once w.
Inductive set_run (policy : world -> nat -> cache -> cache -> Prop) : world -> cache -> list request -> list nat
  -> Prop :=
| set_end w X : set_run policy w X [] []
| set_next w X R Rs X' xs : policy (asked w R) (last (items R) 0) (at_hand X R) X' ->
    set_run policy (asked w R) X' Rs xs -> set_run policy w X (R :: Rs) (excess_of X R :: xs).

(* The items of a request are different, and there are some. *)
Definition well_asked (R : request) := NoDup (items R) /\ items R <> [] /\ forall i, In i (items R) -> i < N.
Definition total_of (R : request) := fresh R + lsum (items R) size.

(* Own budgets: each item's promise is min(s, (s + q - xi)+), where q covers what its next request has beside
   it. *)
Definition own_promise (q : nat -> nat) (i : nat) := min (size i) (size i + q i - xi).
Fixpoint own_budgets (w : world) (Rs : list (request * (nat -> nat))) (q : nat -> nat) : Prop :=
  match Rs with
  | [] => True
  | (R, now_q) :: Rs => well_asked R /\ (forall i, In i (items R) -> promise R i = own_promise now_q i) /\
      (forall i, In i (items R) -> past w i > 0 -> total_of R - size i <= q i) /\
      own_budgets (asked w R) Rs (fun i => if existsb (Nat.eqb i) (items R) then now_q i else q i)
  end.

(* Shared budgets: a request's items are promised (S + Q - xi)+ tokens in all, the most recent one first. *)
Fixpoint promised (left : nat) (most_recent_first : list nat) (i : nat) : nat :=
  match most_recent_first with
  | [] => 0
  | j :: l => if i =? j then min (size j) left else promised (left - size j) l i
  end.
Definition shared_promise (Q : nat) (R : request) := promised (lsum (items R) size + Q - xi) (rev (items R)).
(* Requests are numbered from 1, number k comes next; `since i` is the last one that asked for i, 0 if none did.
   Q covers what a request has beside the items that were last asked for together. *)
Fixpoint shared_budgets (Q k : nat) (since : nat -> nat) (Rs : list request) : Prop :=
  match Rs with
  | [] => True
  | R :: Rs => well_asked R /\ promise R = shared_promise Q R /\
      (forall i, In i (items R) -> since i > 0 ->
        total_of R - lsum (filter (fun j => since j =? since i) (items R)) size <= Q) /\
      shared_budgets Q (S k) (fun i => if existsb (Nat.eqb i) (items R) then k else since i) Rs
  end.
End Sets.
