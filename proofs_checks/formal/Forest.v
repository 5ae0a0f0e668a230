(* Shared prefixes (docs/forest-optimum.md, docs/forest-laws.md): requests read paths of blocks, root first. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model.

(* Hindsight, in caches with holes. *)
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

(* Under forced caching the paths that run have to fit, after the last request too. *)
Definition fitting := forall t, t <= T -> cnt NB (runs t) <= C.

(* How many of n blocks of a request, from depth d on, are there without a gap. *)
Fixpoint leads (X : nat -> nat -> bool) t n d :=
  match n with 0 => 0 | S n => if X t (blk t d) then S (leads X t n (S d)) else 0 end.
Definition forest_tel xi X := sum T (fun t => total t - leads X t (ask t) 0 - xi).

(* The relaxation block by block, in fractions of m parts: Y parts of each block are cached, and of the block at
   each depth a request hits so many, no more of a deeper one. *)
Record relaxed (m : nat) (Y hit : nat -> nat -> nat) : Prop := {
  r_first : forall c, Y 0 c <= if at_first c then m else 0;
  r_step : forall t c, t < T -> Y (S t) c <= if reads t c then m else Y t c;
  r_fits : forall t, t < T -> sum NB (Y t) <= m * C;
  r_runs : forall t c, t < T -> runs t c = true -> Y t c = m;
  r_hit : forall t d, t < T -> d < ask t -> hit t d <= Y t (blk t d);
  r_leading : forall t d, t < T -> S d < ask t -> hit t (S d) <= hit t d }.
Definition relaxed_tel xi m (hit : nat -> nat -> nat) :=
  sum T (fun t => m * total t - sum (ask t) (hit t) - m * xi).

(* A block was at hand before t if it was read, or may have been cached at first. *)
Definition seen t c := at_first c || existsb (fun k => reads k c) (seq 0 t).
(* What is of use to a request: of the leading blocks seen before, those without which it would exceed xi. *)
Definition needed xi t := leads seen t (min (ask t) (total t - xi)) 0.

Definition needs xi t c := existsb (fun d => blk t d =? c) (seq 0 (needed xi t)).
(* The reuse interval of c into request t begins after the last read of c and its run, or at the start. The
   relaxation over intervals of needed blocks: y of m parts of each are kept, at no step more than its room. *)
Fixpoint begins t c := match t with 0 => 0 | S s => if reads s c then S s + r else begins s c end.
Definition covers p t c := (begins t c <=? p) && (p <=? t).
Definition kept_in xi (y : nat -> nat -> nat) (some : nat -> nat -> bool) :=
  sum T (fun t => sum NB (fun c => if needs xi t c && some t c then y t c else 0)).
Definition over_intervals xi m (y : nat -> nat -> nat) := (forall t c, y t c <= m) /\
  forall p, p < T -> kept_in xi y (covers p) <= m * (C - cnt NB (runs p)).

(* Tail-Optimized Belady: the first request from t on that reads c, T if none does, and whether it needs c. *)
Fixpoint next_read_in n t c := match n with 0 => t | S n => if reads t c then t else next_read_in n (S t) c end.
Definition next_read t c := next_read_in (T - t) t c.
Definition unneeded xi t c := next_read t c < T -> needs xi (next_read t c) c = false.
Definition may_leave t (X : nat -> bool) c := c < NB /\ X c = true /\ runs t c = false.
Definition is_at t c d := d < len t /\ blk t d = c.
(* What no next request needs goes first; then what is read next furthest away, of one request the deepest. *)
Definition leaves_first xi t (X : nat -> bool) v :=
  may_leave t X v /\ (unneeded xi t v \/
    (forall c, may_leave t X c -> ~ unneeded xi t c) /\
    forall c, may_leave t X c -> next_read t c <= next_read t v /\
      (next_read t c = next_read t v -> forall d e, is_at (next_read t v) c d -> is_at (next_read t v) v e ->
        d <= e)).
End Forest.

(* What goes first of what may go: the latest surplus, and where there is none the latest. *)
Definition first_of (may sur : nat -> Prop) (later : nat -> nat -> Prop) v :=
  (may v /\ sur v /\ forall w, may w -> sur w -> w <> v -> later w v) \/
  ((forall w, may w -> ~ sur w) /\ may v /\ forall w, may w -> w <> v -> later w v).
(* The same as an order. *)
Definition last_surplus (sur : nat -> bool) (later : nat -> nat -> Prop) w v :=
  (sur w = false /\ sur v = true) \/ (sur w = sur v /\ later w v).
(* A cut of single blocks by a rule of what goes first. *)
Inductive cut_by NB C (goes : (nat -> bool) -> nat -> Prop) : (nat -> bool) -> (nat -> bool) -> Prop :=
| by_done X : cnt NB X <= C -> cut_by NB C goes X X
| by_going X v X' : cnt NB X > C -> goes X v -> cut_by NB C goes (upd X v false) X' -> cut_by NB C goes X X'.

Definition forest_belady_cut NB T C r blk len ask total at_first xi t :=
  cut_by NB C (leaves_first NB T r blk len ask total at_first xi t).

(* LRU and T-LRU with high-water marks. Requests are 1, 2, ...; blocks have depths from 1. *)
Section Marks.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.
Variable len dep : nat -> nat.
Notation reads := (reads blk len).

(* The last request up to t that read v, 0 if none did; and the longest that did, its high-water mark. *)
Fixpoint last t v := match t with 0 => 0 | S s => if reads (S s) v then S s else last s v end.
Fixpoint mark t v :=
  match t with 0 => 0 | S s => if reads (S s) v then max (mark s v) (len (S s)) else mark s v end.
Definition surplus t v := mark t v + Q - xi <? dep v.
(* The paths of the latest r requests run, and stay: none under optional caching, r = 0. *)
Definition pin t v := t <? last t v + r.
(* The last request first, of one path the shallower block first. *)
Definition newer t w v := last t v < last t w \/ (last t w = last t v /\ dep w < dep v).

(* In a strict cache only a leaf may go: no cached block has it on its path. *)
Definition above t v c := existsb (fun d => blk (last t c) d =? v) (seq 0 (pred (dep c))).
Definition leaf t (X : nat -> bool) v := forall c, c < NB -> X c = true -> above t v c = false.
Definition may_go (strict : bool) t (X : nat -> bool) v :=
  v < NB /\ X v = true /\ pin t v = false /\ (strict = true -> leaf t X v).
(* Which of two blocks goes later; v may go, and all others that may go later. *)
Definition first_out (later : nat -> nat -> Prop) strict t (X : nat -> bool) v :=
  may_go strict t X v /\ forall w, may_go strict t X w -> w <> v -> later w v.
Definition oldest strict t := first_out (newer t) strict t.

Definition lru_cut strict t := cut_by NB C (oldest strict t).
(* T-LRU may take any surplus at any time. *)
Inductive tlru_cut strict t : (nat -> bool) -> (nat -> bool) -> Prop :=
| t_done X : cnt NB X <= C -> tlru_cut strict t X X
| t_free X v X' : may_go strict t X v -> surplus t v = true ->
    tlru_cut strict t (upd X v false) X' -> tlru_cut strict t X X'
| t_evict X v X' : cnt NB X > C -> oldest strict t X v ->
    tlru_cut strict t (upd X v false) X' -> tlru_cut strict t X X'.

(* The cache before it is cut: the path of the request is there. *)
Definition filled_with t (X : nat -> bool) v := X v || reads t v.

Definition goes_first strict t X v :=
  first_of (may_go strict t X) (fun v => surplus t v = true) (newer t) v.
(* T-LRU that takes the oldest surplus first, on overflow alone. *)
Definition tlru_in_order_cut strict t := cut_by NB C (goes_first strict t).

(* The leading kn blocks that request t asks for are those that an earlier request read. *)
Variables ask total : nat -> nat.
Definition knows t kn :=
  kn <= ask t /\ (kn >= 1 -> exists s, s >= 1 /\ s < t /\ kn <= len s /\ blk s (kn - 1) = blk t (kn - 1)) /\
  forall k s, kn <= k -> k < ask t -> s >= 1 -> s < t -> reads s (blk t k) = false.
Definition hits (X : nat -> bool) t := leads blk (fun _ => X) t (ask t) 0.
Definition forest_excess X t := total t - hits X t - xi.
End Marks.

(* Shared prefixes in exclusive tiers. [tier v] is the tier that has block v; what none of K tiers has is at K or
   more. A policy says of each request which blocks may stay at all, and which of two blocks goes later. *)
Record block_policy := Blocks { may_stay : nat -> nat -> bool; goes_later : nat -> nat -> nat -> Prop }.

Section Tiers.
Variables NB K r : nat.
Variable C : nat -> nat.
Variable blk : nat -> nat -> nat.
Variables len dep ask : nat -> nat.
Variable policy : block_policy.
Variable strict : bool.

(* What may not stay goes, then single blocks go until there is room; what runs is exempt. *)
Definition staying t (X : nat -> bool) v := X v && (pin r blk len t v || may_stay policy t v).
Definition block_cut size t (X X' : nat -> bool) :=
  cut_by NB size (first_out NB r blk len dep (goes_later policy t) strict t) (staying t X) X'.

(* A request finds the leading blocks of its path that the tiers have, each where it is. Then its path is in tier
   0. *)
Definition found_at (tier : nat -> nat) t i :=
  cnt (leads blk (fun _ v => tier v <? K) t (ask t) 0) (fun d => tier (blk t d) =? i).
Definition arrives t (tier : nat -> nat) v := if reads blk len t v then 0 else tier v.
(* Tier i is cut when it has its own blocks, and those that the tiers before it have just lost. *)
Definition tiers_cut t (tier tier' : nat -> nat) := forall i, i < K -> exists X,
  block_cut (C i) t (fun v => (arrives t tier v <=? i) && (i <=? tier' v)) X /\ forall v, X v = (tier' v =? i).
End Tiers.

(* LRU; Threshold-LRU, which keeps what was on a path longer than the cutoff; T-LRU, whose surplus goes at once or,
   on overflow, before all else; Belady, under which the furthest next of T requests goes first. *)
Definition lru_blocks blk len dep := Blocks (fun _ _ => true) (newer blk len dep).
Definition threshold_blocks cutoff blk len dep :=
  Blocks (fun t v => cutoff <? mark blk len t v) (newer blk len dep).
Definition eager_blocks xi Q blk len dep :=
  Blocks (fun t v => negb (surplus xi Q blk len dep t v)) (newer blk len dep).
Definition surplus_first xi Q blk len dep :=
  Blocks (fun _ _ => true) (fun t => last_surplus (surplus xi Q blk len dep t) (newer blk len dep t)).
Definition belady_blocks T blk len dep := Blocks (fun _ _ => true) (fun t w v =>
  let next := next_read (S T) blk len (S t) in
  next w < next v \/ (next w = next v /\ newer blk len dep t w v)).
