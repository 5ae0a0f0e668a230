(* The model of docs/model.md: turns with histories, what is known of each conversation, and caches. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers.
Import ListNotations.

(* Who comes, with how much of its past (a history may be shorter than the past), which prompt and response, and
   the estimate of the prompt that this conversation brings next. *)
Record turn := Turn { who : nat; history : nat; prompt : nat; response : nat; estimate : nat }.

(* A cache says how many tokens of each conversation it holds. *)
Definition cache := nat -> nat.

(* What every policy sees alike: the time, and of each conversation its past, when it last came, its estimate. *)
Record world := World { now : nat; past : nat -> nat; came : nat -> nat; guess : nat -> nat }.

(* The world after a turn. *)
Definition serve (u : turn) (w : world) := World
  (S (now w))
  (upd (past w) (who u) (history u + prompt u + response u))
  (upd (came w) (who u) (now w))
  (upd (guess w) (who u) (estimate u)).

(* The cache before it is cut: the whole past of who came is there. *)
Definition fill (u : turn) (X : cache) : cache := upd X (who u) (history u + prompt u + response u).

(* Nobody has come, and nothing is cached. *)
Definition nobody := World 1 (fun _ => 0) (fun _ => 0) (fun _ => 0).
Definition empty : cache := fun _ => 0.

(* N conversations, numbered from 0, may have come before: those that did came at different times, and the initial
   cache X holds at most their pasts. *)
Record start (N : nat) (w : world) (X : cache) : Prop := {
  before_now : forall i, came w i < now w;
  has_come : forall i, past w i > 0 -> came w i >= 1;
  one_at_a_time : forall i j, came w i = came w j -> came w i >= 1 -> i = j;
  nobody_else : forall i, N <= i -> past w i = 0;
  of_the_past : forall i, X i <= past w i }.

(* A trace: each turn's history is at most the past. *)
Fixpoint trace (N : nat) (w : world) (us : list turn) : Prop :=
  match us with
  | [] => True
  | u :: us => who u < N /\ history u <= past w (who u) /\ trace N (serve u w) us
  end.

(* Each turn's history is the whole past. *)
Fixpoint whole (w : world) (us : list turn) : Prop :=
  match us with [] => True | u :: us => history u = past w (who u) /\ whole (serve u w) us end.

(* No prompt that continues a conversation is more than the estimate. *)
Fixpoint covered (w : world) (us : list turn) : Prop :=
  match us with
  | [] => True
  | u :: us => (past w (who u) > 0 -> prompt u <= guess w (who u)) /\ covered (serve u w) us
  end.

(* All estimates are Q, those from before the trace too. *)
Definition always (Q : nat) (w : world) (us : list turn) : Prop :=
  (forall i, guess w i = Q) /\ Forall (fun u => estimate u = Q) us.

(* On shared prefixes request t reads the blocks blk t 0, ..., blk t (len t - 1), root first. *)
Section Reads.
Variable blk : nat -> nat -> nat.
Variable len : nat -> nat.
Definition reads t v := existsb (fun d => blk t d =? v) (seq 0 (len t)).
Lemma reads_ok t v : reads t v = true <-> exists d, d < len t /\ blk t d = v.
Proof.
  unfold reads. rewrite existsb_exists. split.
  - intros (d & H & E). apply in_seq in H. apply Nat.eqb_eq in E. exists d; split; auto; lia.
  - intros (d & H & E). exists d. split; [apply in_seq; lia | now apply Nat.eqb_eq].
Qed.
End Reads.
