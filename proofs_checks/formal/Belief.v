(* The belief MDP of Appendix D with the paper's belief: what is known, what comes next, and the scores of
   ET-LRU. *)
From Coq Require Import Arith List Bool QArith.
Require Import Numbers Strategies.
Import ListNotations.

(* A kind of conversations: their turn rate, the chance that a new conversation is of this kind, and the laws of
   the first prompt, of all others, and of responses: lengths with chances. *)
Record kind := Kind {
  rate : Q; share : Q; first_prompts : list (nat * Q); prompts : list (nat * Q); responses : list (nat * Q) }.
(* The capacity, the threshold, the rate of new conversations, the law of the gap between two turns: by which
   factor exp(-mu gap) chances to be alive fall, with its chance; and the kinds. *)
Record model := Model { C : nat; xi : nat; births : Q; gaps : list (Q * Q); kinds : list kind }.
(* Conversations 0 .. known-1 have come. Of each its kind, the chance that it is alive, and the length of its
   past. *)
Record state := State { known : nat; kind_of : nat -> kind; alive : nat -> Q; past : nat -> nat }.

Definition tokens (i n : nat) : list token := map (fun j => (i, j)) (seq 1 n).

Section Belief.
Variable M : model.
Local Open Scope Q_scope.

Definition turn_rate (s : state) i := rate (kind_of s i) * alive s i.
(* After a gap with factor f: the rate at which any turn comes. *)
Definition all_rates (s : state) f := births M + qsum (seq 0 (known s)) (fun i => turn_rate s i * f).
(* After a turn of i, which is of kind k and has a past of n then. *)
Definition after (s : state) f i k n := State
  (max (known s) (S i)) (upd (kind_of s) i k)
  (fun j => if (j =? i)%nat then 1 else alive s j * f) (upd (past s) i n).
(* Token j of i is of use to a turn of i with input n if n tokens exceed xi by j or more. *)
Definition needed (i n : nat) (t : token) := ((fst t =? i) && (snd t + xi M <=? n))%nat.

Definition turns (s : state) f w i := flat_map (fun q => map (fun a =>
    let n := (past s i + fst q + fst a)%nat in
    Event (w * (turn_rate s i * f / all_rates s f) * (snd q * snd a)) (needed i (past s i + fst q)) (tokens i n)
      (after s f i (kind_of s i) n))
  (responses (kind_of s i))) (prompts (kind_of s i)).
Definition first_turns (s : state) f w k := flat_map (fun q => map (fun a =>
    let n := (fst q + fst a)%nat in
    Event (w * (births M * share k / all_rates s f) * (snd q * snd a)) (fun _ => false) (tokens (known s) n)
      (after s f (known s) k n))
  (responses k)) (first_prompts k).
Definition events (s : state) : list (event state) := flat_map (fun g =>
  flat_map (turns s (fst g) (snd g)) (seq 0 (known s)) ++
  flat_map (first_turns s (fst g) (snd g)) (kinds M)) (gaps M).

(* What a strategy can save in the next m turns, on average. *)
Definition saved allowed := saves state events (C M) allowed.

(* ET-LRU keeps the tokens with the highest lambda pi P(L + Q - xi >= j). *)
Definition score (s : state) (t : token) : Q :=
  if (fst t <? known s)%nat
  then turn_rate s (fst t) * qsum (prompts (kind_of s (fst t))) (fun q =>
    if (snd t + xi M <=? past s (fst t) + fst q)%nat then snd q else 0)
  else 0.

(* Rates and chances are 0 or more, those of responses are 1 together, and no gap makes it likelier to be
   alive. *)
Definition law (l : list (nat * Q)) := forall x, In x l -> 0 <= snd x.
Record good_kind (k : kind) : Prop := {
  k_rate : 0 <= rate k; k_share : 0 <= share k; k_first : law (first_prompts k); k_prompts : law (prompts k);
  k_responses : law (responses k); k_one : qsum (responses k) snd == 1 }.
Record good_model : Prop := {
  m_births : 0 <= births M; m_gaps : forall g, In g (gaps M) -> 0 <= fst g <= 1 /\ 0 <= snd g;
  m_kinds : forall k, In k (kinds M) -> good_kind k }.
Record good_state (s : state) : Prop := {
  s_kinds : forall i, good_kind (kind_of s i); s_alive : forall i, 0 <= alive s i <= 1 }.
(* The tokens of everybody's past. *)
Definition available (s : state) (t : token) := (fst t < known s /\ 1 <= snd t <= past s (fst t))%nat.
End Belief.
