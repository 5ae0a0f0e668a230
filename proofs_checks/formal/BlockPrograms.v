(* A cut of single blocks as a program: surplus first, of it and of the rest what has the least key. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Forest.

Section Program.
Variables NB C : nat.
Variables stays sur : nat -> bool.
Variable key : nat -> nat.
Definition may (X : nat -> bool) v := X v && negb (stays v).
Fixpoint cut_blocks (fuel : nat) (X : nat -> bool) : nat -> bool :=
  if cnt NB X <=? C then X else
  match fuel with
  | 0 => X
  | S fuel =>
    match pick NB (fun v => may X v && sur v) key with
    | Some v => cut_blocks fuel (upd X v false)
    | None => match pick NB (may X) key with Some v => cut_blocks fuel (upd X v false) | None => X end
    end
  end.

(* What it takes first. *)
Definition least (X : nat -> bool) v := (v < NB /\ may X v = true) /\
  ((sur v = true /\ forall w, w < NB -> may X w = true -> sur w = true -> key v <= key w) \/
   (forall w, w < NB -> may X w = true -> sur w = false /\ key v <= key w)).
Lemma cut_blocks_ok : forall fuel X, fuel >= cnt NB X -> cnt NB (fun v => X v && stays v) <= C ->
  cut_by NB C least X (cut_blocks fuel X).
Proof. induction fuel; intros X F Fi; cbn [cut_blocks]; destruct (Nat.leb_spec (cnt NB X) C) as [L|L]; try (now
  apply by_done); [lia|]. assert (Go : forall v, least X v -> cut_by NB C least X (cut_blocks fuel (upd X v
  false))). { intros v G. apply by_going with (v := v); auto. destruct G as ((V & M) & _). apply andb_prop in M
  as [Xv _]. pose proof (cnt_upd NB X v false V) as U. rewrite Xv in U. simpl in U. apply IHfuel; [lia|]. eapply
  Nat.le_trans; [|exact Fi]. apply cnt_le. intros w _. destruct (upd_case X v false w) as [[_ E]|[_ E]]; rewrite
  E; [discriminate|auto]. } pose proof (pick_spec NB (fun v => may X v && sur v) key) as H. destruct (pick NB _
  key) as [v|].
  - destruct H as (V & E & Mn). apply andb_prop in E as [M S]. apply Go. split; [auto|left]. split; auto. intros
    w W Mw Sw. apply Mn; auto. now rewrite Mw, Sw.
  - pose proof (pick_spec NB (may X) key) as K. destruct (pick NB (may X) key) as [v|].
    + destruct K as (V & M & Mn). apply Go. split; [auto|right]. intros w W Mw. specialize (H w W). rewrite Mw in
      H. auto.
    + exfalso. enough (cnt NB X <= C) by lia. eapply Nat.le_trans; [|exact Fi]. apply cnt_le. intros w W Xw.
      specialize (K w W). unfold may in K. rewrite Xw in *. now apply negb_false_iff in K. Qed.
End Program.

(* What goes by one rule goes by another one that follows from it. *)
Lemma cut_by_rule NB C (goes goes' : (nat -> bool) -> nat -> Prop) (fine : (nat -> bool) -> Prop) X X' :
  (forall X v, fine X -> fine (upd X v false)) -> (forall X v, fine X -> goes X v -> goes' X v) -> fine X ->
  cut_by NB C goes X X' -> cut_by NB C goes' X X'.
Proof. intros Fu Im F R. induction R as [X D | X v X' O G R IH]; [now apply by_done|]. apply by_going with (v :=
  v); auto. Qed.

(* A function of the numbers below n, found once. *)
Definition table {A} n (f : nat -> A) :=
  let found := List.map f (List.seq 0 n) in
  fun v => match List.nth_error found v with Some x => x | None => f v end.
Lemma table_ok {A} n (f : nat -> A) v : table n f v = f v.
Proof. unfold table. rewrite List.nth_error_map. destruct (List.nth_error (List.seq 0 n) v) as [x|] eqn:E; auto.
  simpl. assert (L : v < n) by (rewrite <- (List.seq_length n 0); apply List.nth_error_Some; congruence). apply
  List.nth_error_nth with (d := 0) in E. rewrite List.seq_nth in E by auto. now subst. Qed.
