(* Shared prefixes (docs/forest-optimum.md): requests read paths of blocks, root first, and caches have holes. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model.

Section Forest.
Variables NB T C : nat.                      (* blocks 0 .. NB-1, requests 0 .. T-1, the capacity *)
Variable r : nat.                            (* the latest r requests run; 0: optional caching, 1: forced *)
Variable blk : nat -> nat -> nat.            (* the block of a request at a depth from 0 *)
Variables len ask total : nat -> nat.        (* blocks of its path, leading ones that it can hit, units in all *)
Variable at_first : nat -> bool.             (* what may be cached before request 0 *)
Notation reads := (reads blk len).

Record forest := {
  f_inside : forall t d, t < T -> d < len t -> blk t d < NB;
  f_path : forall t d d', t < T -> d < len t -> d' < len t -> blk t d = blk t d' -> d = d';
  f_tree : forall t d k, t < T -> k < T -> S d < len t ->
    reads k (blk t (S d)) = true -> reads k (blk t d) = true;
  f_ask : forall t, t < T -> ask t <= len t }.

(* Whether block c is on the path of one of the latest r requests before t. *)
Definition runs t c := existsb (fun k => reads k c) (seq (t - r) (t - (t - r))).

(* What may be cached at the start of each request: what is at hand, within the capacity, all that runs. *)
Record plan (X : nat -> nat -> bool) : Prop := {
  p_first : forall c, X 0 c = true -> at_first c = true;
  p_step : forall t c, t < T -> X (S t) c = true -> X t c = true \/ reads t c = true;
  p_fits : forall t, t < T -> cnt NB (X t) <= C;
  p_runs : forall t c, t < T -> runs t c = true -> X t c = true }.

(* Under forced caching the paths that run have to fit. *)
Definition fitting := forall t, t < T -> cnt NB (runs t) <= C.

(* How many of n blocks of a request, from depth d on, are there without a gap. *)
Fixpoint leads (X : nat -> nat -> bool) t n d :=
  match n with 0 => 0 | S n => if X t (blk t d) then S (leads X t n (S d)) else 0 end.
Definition forest_tel xi X := sum T (fun t => total t - leads X t (ask t) 0 - xi).

(* A block was at hand before t if it was read, or may have been cached at first. *)
Definition seen t c := at_first c || existsb (fun k => reads k c) (seq 0 t).
(* What is of use to a request: of the leading blocks seen before, those without which it would exceed xi. *)
Definition needed xi t := leads seen t (min (ask t) (total t - xi)) 0.

(* The first step that the reuse interval of block c into request t may cover: after it was read last and has run;
   0 if it was not read. Interval t * D + d is that of the block at depth d < D. *)
Fixpoint from t c := match t with 0 => 0 | S s => if reads s c then S s else from s c end.
Definition begins t c := match from t c with 0 => 0 | S s => S s + r end.
Definition room t := C - cnt NB (runs t).
End Forest.
