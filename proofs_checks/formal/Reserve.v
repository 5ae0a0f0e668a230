(* T-LRU that reserves what the other turns of an application may compute is never worse than LRU, by sum and by
   path. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Policies Cuts Applications.
Import ListNotations.

Lemma most_of_le {A} (l : list A) f g : (forall x, In x l -> f x <= g x) -> most_of l f <= most_of l g.
Proof. induction l as [|x l IH]; simpl; intros H; [lia|]. pose proof (H x (or_introl eq_refl)). specialize (IH
  ltac:(auto)). lia. Qed.
Lemma most_of_ge {A} (l : list A) f x : In x l -> f x <= most_of l f.
Proof. induction l as [|y l IH]; simpl; [tauto|]. intros [->|H]; [lia|]. specialize (IH H). lia. Qed.
Lemma most_of_within {A} (l : list A) f m : (forall x, In x l -> f x <= m) -> most_of l f <= m.
Proof. induction l as [|y l IH]; simpl; intros H; [lia|]. pose proof (H y (or_introl eq_refl)). specialize (IH
  ltac:(auto)). lia. Qed.

Section Reserve. Variables N C T : nat. Variable forced : bool. Variable turn : nat -> turn.
Variable app : nat -> nat. Variable routes : nat -> list (list nat). Variable xi expected : nat -> nat.
Variables X Y : nat -> cache. Notation world_at := (world_at turn). Notation computed := (computed turn).
Notation others := (others turn app routes expected X).
Notation reserved := (reserved T turn app routes xi expected X). Notation next := (next T turn).
Notation at_most := (at_most turn expected X).
Hypothesis one_app : forall a r t, In r (routes a) -> In t r -> app t = a /\ t < T.
Hypothesis once : forall a r, In r (routes a) -> NoDup r.
Hypothesis numbers : forall k, k < T -> who (turn k) < N.
Hypothesis no_longer : forall k, k < T -> input turn k <= expected k.
Hypothesis X_run : reserve_run N C T forced turn app routes xi expected X.
Hypothesis Y_run : lru_run N C T forced turn Y.

Lemma next_now k : k < T -> next k (who (turn k)) = k.
Proof. intros H. unfold Applications.next. destruct (T - k) eqn:E; [lia|]. simpl. now rewrite Nat.eqb_refl. Qed.
Lemma next_later k c : k < T -> c <> who (turn k) -> next (S k) c = next k c.
Proof. intros H n. unfold Applications.next. replace (T - k) with (S (T - S k)) by lia. simpl. apply not_eq_sym,
  Nat.eqb_neq in n. now rewrite n. Qed.
Lemma less_to_come k j : k < T -> at_most (S k) j <= at_most k j.
Proof. intros H. unfold Applications.at_most. destruct (Nat.ltb_spec j (S k)), (Nat.ltb_spec j k); try lia.
  replace j with k by lia. specialize (no_longer k H). unfold Applications.computed. lia. Qed.
(* What is reserved of a conversation does not rise while it waits. *)
Lemma reserved_falls k c : k < T -> c <> who (turn k) -> reserved (S k) c <= reserved k c.
Proof. intros H n. unfold Applications.reserved. rewrite next_later by auto. destruct (next k c <? T); [|lia].
  enough (others (S k) (next k c) <= others k (next k c)) by lia. apply most_of_le. intros r _. apply lsum_le.
  intros j _. now apply less_to_come. Qed.

Record holds (k : nat) : Prop := {
  h_stands : stands N (world_at k); h_X : within (past (world_at k)) (X k); h_Y : within (past (world_at k)) (Y k);
  h_shape : shape (world_at k) (fun _ => False) (past (world_at k)) (Y k);
  h_low : forall c, min (Y k c) (reserved k c) <= X k c }.
Lemma always_holds k : k <= T -> holds k.
Proof. destruct X_run as (X0 & CX), Y_run as (Y0 & CY). induction k; intros Hk.
  - constructor; [constructor; simpl; lia|rewrite X0|rewrite Y0|rewrite Y0|rewrite X0, Y0]; intros i; try intros
    j; unfold empty; simpl; lia.
  - destruct (IHk ltac:(lia)) as [St WX WY Sh Lo]. specialize (CX k Hk). specialize (CY k Hk). set (u := turn k)
    in *. destruct (serve_stands N (world_at k) u St (numbers k Hk)) as (St' & K). change (serve u (world_at k))
    with (world_at (S k)) in *. assert (WX' : within (past (world_at (S k))) (fill u (X k))) by exact (fill_le u
    (X k) (past (world_at k)) WX). assert (WY' : within (past (world_at (S k))) (fill u (Y k))) by exact (fill_le
    u (Y k) (past (world_at k)) WY). pose proof (fill_shape N (world_at k) u (fun _ => False) (fun _ => False)
    (past (world_at k)) (Y k) St ltac:(auto) Sh) as Sh'. destruct (lru_cut N C forced (world_at (S k)) (who u)
    (fun _ => False) (past (world_at (S k))) (fill u (Y k)) (Y (S k)) K ltac:(intros i; auto) CY WY' Sh') as (SY
    & DY & ShY & _). destruct (keeps N C forced (world_at (S k)) (who u) (past (world_at (S k))) (fun _ => False)
    (Y (S k)) (fun c => min (Y (S k) c) (reserved (S k) c)) (reserved (S k)) at_once (fill u (X k)) (X (S k))) as
    (WX2 & I'); auto; try (intros; lia); try tauto; try (intros i; auto; fail).
    + intros c. specialize (DY c). pose proof (WX' c) as Wc. unfold fill in *. simpl in Wc. destruct (Nat.eq_dec
      c (who u)) as [->|n]; [rewrite upd_eq in *; lia|]. rewrite upd_neq in * by auto. specialize (Lo c). pose
      proof (reserved_falls k c Hk n). lia.
    + constructor; auto. intros c. specialize (DY c). specialize (WY' c). lia. Qed.

(* A turn that computes more than under LRU stays within what the others of its routes leave of the threshold. *)
Lemma short_turn t : t < T -> computed Y t < computed X t -> computed X t + others t t <= xi (app t).
Proof. intros Ht L. destruct (always_holds t ltac:(lia)) as [St WX WY Sh Lo]. specialize (Lo (who (turn t))).
  unfold Applications.reserved in Lo. rewrite next_now in Lo by auto. replace (t <? T) with true in Lo by
  (symmetry; now apply Nat.ltb_lt). specialize (no_longer t Ht). unfold Applications.computed, input in *. lia.
  Qed.
Lemma without t l f : In t l -> NoDup l -> lsum l f <= f t + lsum (filter (fun j => negb (j =? t)) l) f.
Proof. induction l as [|x l IH]; intros H ND; [destruct H|]. inversion ND; subst. simpl. destruct (Nat.eqb_spec x
  t) as [->|n]; simpl.
  - enough (lsum l f <= lsum (filter (fun j => negb (j =? t)) l) f) by lia. clear - H2. induction l as [|y l IH];
    simpl; [lia|]. destruct (Nat.eqb_spec y t) as [->|n]; [exfalso; apply H2; now left|]. simpl. specialize (IH
    ltac:(intros Q; apply H2; now right)). lia.
  - destruct H as [->|H]; [contradiction|]. specialize (IH H ltac:(auto)). lia. Qed.
Lemma route_within a r : In r (routes a) -> lsum r (computed X) <= max (xi a) (lsum r (computed Y)).
Proof. intros Hr. destruct (Exists_dec (fun t => computed Y t < computed X t) r) as [E|E]; [intros t; apply
  lt_dec| |].
  - apply Exists_exists in E as (t & Ht & L). destruct (one_app a r t Hr Ht) as (<- & HT). pose proof (short_turn
    t HT L) as S. pose proof (without t r (computed X) Ht (once _ _ Hr)) as W. enough (lsum (filter (fun j =>
    negb (j =? t)) r) (computed X) <= others t t) by lia. eapply Nat.le_trans; [|apply (most_of_ge _ _ r)].
    + apply lsum_le. intros j Hj. apply filter_In in Hj as [Hj _]. destruct (one_app _ _ _ Hr Hj) as (_ & Lj).
      unfold Applications.at_most. destruct (j <? t); [lia|]. specialize (no_longer j Lj). unfold
      Applications.computed. lia.
    + apply filter_In. split; auto. apply existsb_exists. exists t. split; auto. apply Nat.eqb_refl.
  - apply Nat.le_trans with (lsum r (computed Y)); [|lia]. apply lsum_le. intros t Ht. destruct (le_lt_dec
    (computed X t) (computed Y t)) as [|L]; auto. exfalso. apply E, Exists_exists. eauto. Qed.
End Reserve.

(* Rows parrot.tail.reserve (one route of all turns) and parrot.tail.reserve.path (a route for each path). If no
   input is longer than expected, T-LRU that reserves has at most LRU's excess in every application, whichever
   way it trims; histories may be of any length, and caching may be forced. *)
Theorem reserve_never_worse : forall N C T forced turn app routes xi expected X Y,
  (forall a r t, In r (routes a) -> In t r -> app t = a /\ t < T) -> (forall a r, In r (routes a) -> NoDup r) ->
  (forall k, k < T -> who (turn k) < N) ->
  (forall k, k < T -> input turn k <= expected k) ->
  reserve_run N C T forced turn app routes xi expected X -> lru_run N C T forced turn Y ->
  forall a, excess_of turn routes xi X a <= excess_of turn routes xi Y a.
Proof. intros N C T forced turn app routes xi expected X Y A O W E RX RY a. unfold excess_of. enough (most_of
  (routes a) (fun r => lsum r (computed turn X)) <= max (xi a) (most_of (routes a) (fun r => lsum r (computed
  turn Y)))) by lia. apply most_of_within. intros r Hr. pose proof (route_within N C T forced turn app routes xi
  expected X Y A O W E RX RY a r Hr) as R. pose proof (most_of_ge (routes a) (fun r => lsum r (computed turn Y))
  r Hr). lia. Qed.
