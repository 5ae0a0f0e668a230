(* What applications tell the cache: release hints on shared prefixes. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model Forest.

(* Requests are 1, 2, ...; `dead t v` says that at the cut after request t the hints call block v dead. *)
Section Hints.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.
Variables len dep ask total : nat -> nat.
Variable dead : nat -> nat -> bool.
Notation last := (last blk len).

(* All that is asked of hints: a block below a dead one is dead. They may be wrong, and may change their minds. *)
Definition dead_below := forall t u c, last t c >= 1 -> above blk len dep t u c = true -> dead t u = true ->
  dead t c = true.
(* What is dead stays dead until a request reads it. *)
Definition only_reads_revive := forall t v, last t v >= 1 -> reads blk len (S t) v = false -> dead t v = true ->
  dead (S t) v = true.

(* T-LRU's order, the least recent surplus first; with release hints dead blocks go first, then by the order. *)
Definition safer t := last_surplus (surplus xi Q blk len dep t) (newer blk len dep t).
Definition release_cut (later : nat -> nat -> nat -> Prop) strict t :=
  cut_by NB C (first_out NB r blk len dep (last_surplus (dead t) (later t)) strict t).
Definition lru_release_cut := release_cut (newer blk len dep).
Definition tlru_release_cut := release_cut safer.

(* Block v was called dead at a cut since its last read, up to the cut after request t; of how many of the leading
   blocks that request t + 1 asks for, and that were read before, this holds when it comes. *)
Definition called t v := existsb (fun s => dead s v) (seq (last t v) (S t - last t v)).
Definition called_dead t :=
  cnt (ask (S t)) (fun d => (1 <=? last t (blk (S t) d)) && called t (blk (S t) d)).

(* Q covers the part of each request that no earlier one had, of those that continue a path. *)
Definition q_covers := forall t, t >= 1 -> exists kn, knows blk len ask t kn /\ (kn >= 1 -> total t <= kn + Q).
End Hints.

(* Hints that hold requests: a block is dead if no request through it is held. *)
Definition unheld blk len (held : nat -> nat -> bool) t v :=
  negb (existsb (fun s => reads blk len s v && held t s) (seq 1 t)).

(* Event `close a f` says of request a that its agent is closed, and counts from the cut after request f on; it is
   void if the agent came again before. *)
Section Events.
Variable agent : nat -> nat.                 (* of each request *)
Variable close : nat -> nat -> bool.
Definition comes_again a f := existsb (fun j => agent j =? agent a) (seq (S a) (f - S a)).
Definition closed a t := existsb (fun f => close a f && negb (comes_again a f)) (seq a (S t - a)).
(* A request is open until a close of it or of a later one of its agent, and latest until its agent comes again. *)
Definition open t s := negb (existsb (fun a => (agent a =? agent s) && closed a t) (seq s (S t - s))).
Definition latest t s := negb (comes_again s (S t)).
Definition open_latest t s := open t s && latest t s.
End Events.
