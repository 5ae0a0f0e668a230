(* With Bayes' rule in place of the paper's belief, ET-LRU need not be optimal: random prompts, one turn to
   come. *)
From Coq Require Import Arith Lia List QArith Lqa.
Require Import Strategies.
Import ListNotations.
Local Open Scope Q_scope.

(* A conversation sends turns at a rate (a whole number), dies at rate 1, and has been silent since its last
   turn. It was alive with chance p; after a further silence of t, where x = exp(-t), Bayes' rule says: *)
Definition silent (x : Q) (r : Z) (p : Q) :=
  let gone := Qpower x (1 + r) in
  p * gone / (1 - p + p * ((inject_Z r * gone + 1) / (1 + inject_Z r))).
Record conversation := Conversation { rate : Z; alive : Q; past : nat; law : list (nat * Q) }.

(* The next turn comes after the gap x: i's with a chance in proportion to its rate and its chance to be alive
   then. *)
Definition weight x c := inject_Z (rate c) * silent x (rate c) (alive c).
Definition excess xi (c : conversation) (y : nat) :=
  qsum (law c) (fun q => snd q * inject_Z (Z.of_nat (past c + fst q - y - xi))).
(* The expected excess of the next turn, where y is kept; [births] is the rate of new conversations, [first] the
   expected excess of a first turn. *)
Definition cost x xi (births first : Q) (known : list conversation) (y : list nat) :=
  (births * first + qsum (combine known y) (fun p => weight x (fst p) * excess xi (fst p) (snd p))) /
  (births + qsum known (weight x)).
(* Problem (6): what ET-LRU minimises, with what is known at the decision. *)
Definition objective xi (known : list conversation) (y : list nat) :=
  qsum (combine known y) (fun p => inject_Z (rate (fst p)) * alive (fst p) * excess xi (fst p) (snd p)).

(* Two conversations of rate 1, whose prompts are 0 with chance 2/3 and 1 with 1/3. One has a past of 2 and was
   silent for a gap of x = 1/2; one has a past of 1 and has just come. C = 1, xi = 1. *)
Definition gap : Q := 1 # 2.
Definition prompts : list (nat * Q) := [(0%nat, 2 # 3); (1%nat, 1 # 3)].
Definition known := [Conversation 1 (silent gap 1 1) 2 prompts; Conversation 1 1 1 prompts].
Definition expected := cost gap 1 1 (1 # 2) known.

(* Row theorem-d2.bayes-random. Of all that fits ET-LRU keeps a token of the first conversation and nothing else,
   and to keep one of the second costs less. *)
Theorem bayes_random :
  silent gap 1 1 == 2 # 5 /\
  (forall y z, (y + z <= 1)%nat -> (y, z) <> (1, 0)%nat -> objective 1 known [1; 0]%nat < objective 1 known [y;
    z]) /\
  expected [1; 0]%nat == 343 # 774 /\ expected [0; 1]%nat == 335 # 774.
Proof. split; [reflexivity|]. split; [|split; reflexivity]. intros y z H N. destruct y as [|[|y]]; [destruct z as
  [|[|z]]; [reflexivity|reflexivity|lia]| |lia]. destruct z; [now elim N|lia]. Qed.
