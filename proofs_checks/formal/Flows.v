(* Unsplittable flows on a path with unit profits, and the trace that asks for them by SLO violations. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model Plans.
Import ListNotations.

(* Task k covers the edges begin k .. finish k and has a demand. A set fits if on no edge the demands are more
   than c. *)
Record flow := Flow {
  tasks : nat; edges : nat; room : nat; begin : nat -> nat; finish : nat -> nat; demand : nat -> nat }.
Definition covers (F : flow) p k := (begin F k <=? p) && (p <=? finish F k).
Definition fit (F : flow) (chosen : nat -> bool) :=
  forall p, sum (tasks F) (fun k => if chosen k && covers F p k then demand F k else 0) <= room F.
Record good_flow (F : flow) : Prop := {
  f_edges : forall k, k < tasks F -> 1 <= begin F k /\ begin F k <= finish F k /\ finish F k <= edges F;
  f_demand : forall k, k < tasks F -> 1 <= demand F k }.

(* Task k is a conversation: its first turn comes just before its first edge, its second just after its last
   one. *)
Section Trace.
Variable F : flow.
Variable xi : nat.
Definition first_turn k := Turn k 0 (demand F k) (demand F k) 0.
Definition second_turn k := Turn k (2 * demand F k) xi 1 0.
Definition ending p := filter (fun k => S (finish F k) =? p) (seq 0 (tasks F)).
Definition starting p := filter (fun k => begin F k =? p) (seq 0 (tasks F)).
Definition block p := map second_turn (ending p) ++ map first_turn (starting p).
Definition asked := flat_map block (seq 0 (edges F + 2)).
End Trace.

(* A turn violates the SLO if it computes more than xi. *)
Definition violates xi us (X : nat -> cache) t :=
  xi <? input us t - min (X t (who (turn_at us t))) (history (turn_at us t)).
Definition violations xi us X := cnt (steps us) (violates xi us X).
