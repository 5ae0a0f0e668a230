(* Tiers of memory: what a turn finds in them, how they are cut one after the other, what loading costs,
   budgets. *)
From Coq Require Import Arith List Bool.
Require Import Numbers Model Policies.
Import ListNotations.

(* What each tier holds of each conversation: tier 0 its first tokens, tier 1 the next ones, and so on. *)
Definition tiers := nat -> cache.
Definition nothing : tiers := fun _ => empty.
(* What the first k tiers hold together. *)
Definition together (k : nat) (Z : tiers) : cache := fun v => sum k (fun i => Z i v).

(* A turn finds the tokens of its history where they are. *)
Definition found (Z : tiers) (u : turn) (i : nat) :=
  min (together (S i) Z (who u)) (history u) - min (together i Z (who u)) (history u).

(* Then the whole past of who came is in tier 0. *)
Definition arrive (u : turn) (Z : tiers) : tiers :=
  fun i => if i =? 0 then fill u (Z i) else upd (Z i) (who u) 0.

(* What a tier has when it is cut: its own, and what the tier before it has just lost. *)
Fixpoint has (Z Z' : tiers) (i : nat) : cache :=
  match i with 0 => Z 0 | S k => fun v => Z i v + (has Z Z' k v - Z' k v) end.

(* K tiers are cut one after the other. [policy i before X X']: tier i may be cut from X to X' where the tiers
   before it hold `before`. What the last tier loses is gone. *)
Definition cut_all (K : nat) (policy : nat -> cache -> cache -> cache -> Prop) (Z Z' : tiers) :=
  forall i, i < K -> policy i (together i Z') (has Z Z' i) (Z' i).

(* [replays step see w X us seen]: from the world w and what X holds, `see` can be `seen` turn by turn. A step
   knows the turns to come, of which only Belady makes use. *)
Inductive replays {S A} (step : world -> turn -> list turn -> S -> S -> Prop) (see : S -> turn -> A) :
  world -> S -> list turn -> list A -> Prop :=
| no_turn w X : replays step see w X [] []
| a_turn w X u us X' seen : step (serve u w) u us X X' -> replays step see (serve u w) X' us seen ->
    replays step see w X (u :: us) (see X u :: seen).

(* Conversations grow: every history is the whole past. *)
Fixpoint grow (w : world) (us : list turn) : Prop :=
  match us with
  | [] => True
  | u :: us => history u = past w (who u) /\ grow (serve u w) us
  end.

(* To load a token from tier i takes `load i` of the `parts` parts that it takes to compute it. What a turn has
   above xi, in parts of a token. *)
Section Loading.
Variables K parts xi : nat.
Variable load : nat -> nat.
Definition work (Z : tiers) (u : turn) :=
  (history u + prompt u - sum K (found Z u)) * parts + sum K (fun i => load i * found Z u i).
Definition above (Z : tiers) (u : turn) := work Z u - xi * parts.
End Loading.

(* b / (1 - load), rounded up. *)
Definition scaled (parts load b : nat) := (b * parts + (parts - load - 1)) / (parts - load).
Definition scaled_budget (xi parts load : nat) (w : world) (v : nat) :=
  min (past w v) (scaled parts load (past w v + guess w v - xi)).

(* LRU and T-LRU in tiers. `worth i` says how much the tiers 0 to i are to hold of each conversation. *)
Section Budgets.
Variable N : nat.
Variable C : nat -> nat.
Variables inclusive eager : bool.   (* a capacity counts the tiers before it; all surplus goes at once *)

Definition room (i : nat) (before : cache) := if inclusive then C i - sum N before else C i.
(* The capacity of the first k tiers together. *)
Definition capacity (k : nat) := if inclusive then match k with 0 => 0 | S i => C i end else sum k C.

Definition surplus (worth : nat -> nat) (before X : cache) (v : nat) := X v >= 1 /\ before v + X v > worth v.
Definition oldest (w : world) (X : cache) (v : nat) :=
  X v >= 1 /\ forall j, j < N -> X j >= 1 -> came w v <= came w j.

(* Surplus goes first, whichever: on overflow, or at once. Then the least recent goes. *)
Inductive tier_cut (size : nat) (worth : nat -> nat) (w : world) (before : cache) : cache -> cache -> Prop :=
| tier_fits X : sum N X <= size -> (eager = true -> forall v, v < N -> ~ surplus worth before X v) ->
    tier_cut size worth w before X X
| tier_trims X v X' : v < N -> surplus worth before X v -> eager = true \/ sum N X > size ->
    tier_cut size worth w before (lose X v) X' -> tier_cut size worth w before X X'
| tier_evicts X v X' : sum N X > size -> (forall j, j < N -> ~ surplus worth before X j) ->
    v < N -> oldest w X v -> tier_cut size worth w before (lose X v) X' -> tier_cut size worth w before X X'.

Definition tlru_tiers K (worth : nat -> world -> nat -> nat) w (u : turn) (us : list turn) (Z Z' : tiers) :=
  cut_all K (fun i before => tier_cut (room i before) (worth i w) w before) (arrive u Z) Z'.
End Budgets.

(* The LRU cascade: what it is to hold is the whole past. *)
Definition lru_tiers N C inclusive K := tlru_tiers N C inclusive false K (fun _ => past).

(* Policies that go by an order. At each turn a policy says how much of each conversation may stay at all, and
   the rank of its tokens (0 is the first): what may not stay goes, then the tokens of the greatest rank, until
   there is room. *)
Record order := Order { stays : nat -> nat; rank : nat -> nat -> nat }.

Section Orders.
Variable N : nat.
Variable forced : bool.     (* who just came is exempt *)

Inductive cut_by_rank (size theta : nat) (O : order) (before : cache) : cache -> cache -> Prop :=
| rank_fits X : sum N X <= size -> cut_by_rank size theta O before X X
| rank_loses X v X' : sum N X > size -> v < N -> X v >= 1 -> may_lose forced theta v ->
    (forall j, j < N -> X j >= 1 -> may_lose forced theta j ->
      rank O j (before j + X j - 1) <= rank O v (before v + X v - 1)) ->
    cut_by_rank size theta O before (lose X v) X' -> cut_by_rank size theta O before X X'.
Definition staying (theta : nat) (O : order) (before X : cache) : cache :=
  fun v => if exempt forced theta v then X v else min (X v) (stays O v - before v).
Definition ordered_cut size theta O before X X' := cut_by_rank size theta O before (staying theta O before X) X'.

(* The same policy in tiers of capacities C, and in one cache. *)
Definition ordered_tiers C K (policy : world -> turn -> list turn -> order) w u us (Z Z' : tiers) :=
  cut_all K (fun i => ordered_cut (C i) (who u) (policy w u us)) (arrive u Z) Z'.
Definition ordered_cache size (policy : world -> turn -> list turn -> order) w u us (X X' : cache) :=
  ordered_cut size (who u) (policy w u us) empty (fill u X) X'.
End Orders.

(* The least recent goes first. *)
Definition since (w : world) v := now w - came w v.
Definition lru_order (w : world) (u : turn) (us : list turn) := Order (past w) (fun v _ => since w v).
Definition threshold_order cutoff (w : world) (u : turn) (us : list turn) :=
  Order (fun v => if short cutoff w v then 0 else past w v) (fun v _ => since w v).
(* T-LRU with flat budgets: all surplus goes at once, or on overflow that of the least recent first. *)
Definition eager_order xi (w : world) (u : turn) (us : list turn) := Order (budget xi w) (fun v _ => since w v).
Definition least_recent_order xi (w : world) (u : turn) (us : list turn) :=
  Order (past w) (fun v d => if d <? budget xi w v then since w v else S (now w) + since w v).
(* Belady and Tail-Optimized Belady: tokens that the next turn needs are lost by the time until it comes, the
   furthest first; before them what is not needed, of conversations in the order that `idle` says. *)
Fixpoint wait v (us : list turn) :=
  match us with [] => 0 | u :: us => if who u =? v then 0 else S (wait v us) end.
Definition foreseen (idle : world -> list turn -> nat -> nat) (need : turn -> nat) w u us :=
  Order (past w) (fun v d => if (wait v us <? length us) && (d <? need (nth (wait v us) us u))
    then wait v us else length us + idle w us v).
Definition belady_order idle := foreseen idle history.
Definition tail_optimized_order idle xi := foreseen idle (fun u => min (history u) (history u + prompt u - xi)).
