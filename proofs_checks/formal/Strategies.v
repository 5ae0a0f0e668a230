(* Caching where the next turn is drawn: events with chances, tokens that are of use, and what a strategy
   saves. *)
From Coq Require Import List Bool QArith.
Import ListNotations.

(* Token j = 1, 2, ... of conversation i. *)
Definition token := (nat * nat)%type.
Fixpoint qsum {A} (l : list A) (f : A -> Q) : Q := match l with [] => 0 | x :: l => f x + qsum l f end.

(* A next turn: its chance, which cached tokens it has use for, which tokens it brings, what is known after
   it. *)
Record event (state : Type) := Event {
  chance : Q; of_use : token -> bool; brings : list token; next : state }.
Arguments chance {_}. Arguments of_use {_}. Arguments brings {_}. Arguments next {_}. Arguments Event {_}.

Section Strategies.
Variable state : Type.
Variable events : state -> list (event state).
Variable C : nat.
Variable allowed : list token -> Prop.    (* which sets of tokens may be kept *)

Definition used (e : event state) (K : list token) := qsum K (fun t => if of_use e t then 1 else 0).
Fixpoint mean (es : list (event state)) (xs : list Q) : Q :=
  match es, xs with e :: es, x :: xs => chance e * x + mean es xs | _, _ => 0 end.

(* [saves m s K x]: from what is known, s, with the tokens K kept, some strategy saves x tokens on average in the
   next m turns. After each event it keeps at most C tokens of those that it had and that the turn brought. *)
Fixpoint saves (m : nat) (s : state) (K : list token) (x : Q) : Prop :=
  match m with
  | O => x == 0
  | S m => exists later,
      Forall2 (fun e y => exists K', NoDup K' /\ incl K' (K ++ brings e) /\ (length K' <= C)%nat /\ allowed K' /\
        saves m (next e) K' y) (events s) later /\
      x == qsum (events s) (fun e => chance e * used e K) + mean (events s) later
  end.
End Strategies.

Definition any_set (K : list token) := True.
(* A cache that loses the end of a conversation first holds with a token all before it. *)
Definition prefixes (K : list token) := forall i j k, In (i, j) K -> (1 <= k)%nat -> (k <= j)%nat -> In (i, k) K.
