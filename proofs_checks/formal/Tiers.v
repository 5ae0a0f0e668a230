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
  above
   xi, in parts of a token. *)
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

Definition tlru_tiers K (worth : nat -> world -> nat -> nat) (w : world) (u : turn) (us : list turn) (Z Z' :
  tiers) :=
  cut_all K (fun i before => tier_cut (room i before) (worth i w) w before) (arrive u Z) Z'.
End Budgets.

(* The LRU cascade: what it is to hold is the whole past. *)
Definition lru_tiers N C inclusive K := tlru_tiers N C inclusive false K (fun _ => past).
