(* Theorem B.1 for private conversations, optional caching, empty start: what the greedy of statement F keeps of
   the tokens of conversations is a plan of least TEL. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model FurthestEndFirst StatementF OptimumAttained LowerBound.
Import ListNotations.

Fixpoint run_of (Z : nat -> bool) n d := match n with 0 => 0 | S n => if Z d then S (run_of Z n (S d)) else 0 end.
Lemma run_of_ge Z n m : forall d, m <= n -> (forall k, k < m -> Z (d + k) = true) -> run_of Z n d >= m.
Proof.
  revert m. induction n; simpl; intros m d L H; [lia|]. destruct m; [lia|].
  pose proof (H 0 ltac:(lia)) as H0. rewrite Nat.add_0_r in H0. rewrite H0.
  enough (run_of Z n (S d) >= m) by lia. apply IHn; [lia|]. intros k Hk.
  replace (S d + k) with (d + S k) by lia. apply H. lia.
Qed.
Lemma run_of_in Z n : forall d k, k < run_of Z n d -> Z (d + k) = true /\ k < n.
Proof.
  induction n; simpl; intros d k H; [lia|]. destruct (Z d) eqn:E; [|lia].
  destruct k; [rewrite Nat.add_0_r; split; auto; lia|]. replace (d + S k) with (S d + k) by lia.
  destruct (IHn (S d) k) as [A B]; [lia|]. split; auto. lia.
Qed.
Lemma run_of_mono Z Z' n d : (forall k, k < n -> Z (d + k) = true -> Z' (d + k) = true) ->
  run_of Z n d <= run_of Z' n d.
Proof.
  intros H. apply run_of_ge.
  - destruct (le_lt_dec (run_of Z n d) n) as [|G]; auto. destruct (run_of_in Z n d n G). lia.
  - intros k Hk. destruct (run_of_in _ _ _ _ Hk). auto.
Qed.
Lemma run_of_cnt Z n : run_of Z n 0 <= cnt n Z.
Proof.
  assert (L : run_of Z n 0 <= n).
  { destruct (le_lt_dec (run_of Z n 0) n) as [|G]; auto. destruct (run_of_in Z n 0 n G). lia. }
  rewrite <- (sum_ltb n (run_of Z n 0) L). apply sum_le. intros d _.
  destruct (Nat.ltb_spec d (run_of Z n 0)) as [H|]; [|lia]. apply run_of_in in H as [H _]. simpl in H.
    now rewrite H.
Qed.
Lemma sum_ltb_le n k : sum n (fun d => if d <? k then 1 else 0) <= k.
Proof.
  enough (sum n (fun d => if d <? k then 1 else 0) = min n k) by lia.
  induction n; cbn [sum]; [lia|]. rewrite IHn. destruct (Nat.ltb_spec n k); lia.
Qed.

Section TheoremB1.
Variables N C xi : nat.
Variable us : list turn.
Notation turn_at := (turn_at us).
Notation T := (steps us).
Notation who_at t := (who (turn_at t)).
(* The past after each turn, which is read and then at hand; D is more than every past. *)
Definition len t := input us t + response (turn_at t).
Fixpoint past_at t i := match t with 0 => 0 | S s => if who_at s =? i then len s else past_at s i end.
Hypothesis numbers : forall t, t < T -> who_at t < N.
Hypothesis histories : forall t, t < T -> history (turn_at t) <= past_at t (who_at t).
Definition D := S (sum T len).

(* Token d of a conversation is a block of a path. *)
Definition blk t d := who_at t * D + d.
Notation need := (need xi us).

Lemma len_D t : t < T -> len t < D.
Proof.
  unfold D. generalize T as n. induction n; simpl; intros; [lia|].
  destruct (Nat.eq_dec t n) as [->|]; [lia|]. specialize (IHn ltac:(lia)). lia.
Qed.
Lemma split_block i d : d < D -> (i * D + d) / D = i /\ (i * D + d) mod D = d.
Proof.
  intros H. assert (D <> 0) by (unfold D; lia). rewrite Nat.add_comm. split.
  - rewrite Nat.div_add by auto. rewrite Nat.div_small; auto.
  - rewrite Nat.mod_add by auto. now apply Nat.mod_small.
Qed.
Lemma same_block i j d e : d < D -> e < D -> i * D + d = j * D + e -> i = j /\ d = e.
Proof.
  intros H1 H2 E. destruct (split_block i d H1) as [A B]. destruct (split_block j e H2) as [A' B'].
  rewrite E in A, B. split; congruence.
Qed.
Lemma past_read t i : past_at t i > 0 -> exists s, s < t /\ who_at s = i /\ len s = past_at t i.
Proof.
  induction t; simpl; [lia|]. destruct (Nat.eqb_spec (who_at t) i) as [E|E]; intros H.
  - exists t. repeat split; auto.
  - destruct (IHt H) as (s & A & B). exists s. split; auto.
Qed.
Lemma past_D t i : t <= T -> past_at t i < D.
Proof.
  intros H. destruct (Nat.eq_dec (past_at t i) 0) as [->|G]; [unfold D; lia|].
  destruct (past_read t i ltac:(lia)) as (s & A & _ & <-). apply len_D. lia.
Qed.
Lemma from_seen t c s : s < t -> reads blk len s c = true -> from blk len t c >= 1.
Proof.
  induction t; simpl; intros Hs R; [lia|]. destruct (reads blk len t c) eqn:Rt; [lia|].
  apply IHt; auto. destruct (Nat.eq_dec s t) as [->|]; [congruence|lia].
Qed.

Lemma D_pos : D > 0.
Proof. unfold D. lia. Qed.
Definition reads_iff := reads_ok blk len.
Lemma need_past t : t < T -> need t <= past_at t (who_at t).
Proof. intros H. specialize (histories t H). unfold LowerBound.need. lia. Qed.
Notation fplan := (StatementF.plan (N * D) T C blk len).
Notation fkept := (StatementF.kept T blk need).
Definition lkept (X : nat -> cache) := sum T (fun t => min (need t) (X t (who_at t))).

(* A plan of lengths is a plan of blocks that keeps as much. *)
Definition blocks (X : nat -> cache) t c := c mod D <? X t (c / D).
Lemma blocks_plan X : plan N C us X -> fplan (blocks X) /\ fkept (blocks X) >= lkept X.
Proof.
  intros P. split; [constructor|].
  - intros c. unfold blocks. rewrite (p_none _ _ _ _ P). apply Nat.ltb_ge. lia.
  - intros t c Ht. unfold blocks. rewrite !Nat.ltb_lt. intros H.
    destruct (Nat.eq_dec (c / D) (who_at t)) as [E|n].
    + right. apply reads_iff. exists (c mod D). split.
      * pose proof (p_own _ _ _ _ P t Ht). rewrite E in H. unfold len. lia.
      * unfold blk. rewrite <- E. rewrite (Nat.mul_comm (c / D)). symmetry. apply Nat.div_mod. unfold D. lia.
    + left. pose proof (p_grows _ _ _ _ P t (c / D) Ht n). lia.
  - intros t Ht. apply Nat.le_trans with (sum N (X t)); [|apply (p_fits _ _ _ _ P t Ht)].
    unfold cnt. rewrite sum_grid. apply sum_le. intros i Hi. unfold blocks.
    rewrite (sum_ext D _ (fun d => if d <? X t i then 1 else 0)); [apply sum_ltb_le|].
    intros d Hd. destruct (split_block i d Hd) as [-> ->]. reflexivity.
  - apply sum_le. intros t Ht. apply (leads_ge D blk D_pos); [lia|]. intros k Hk. simpl. unfold blocks, blk.
    pose proof (need_past t Ht). pose proof (past_D t (who_at t) ltac:(lia)).
    destruct (split_block (who_at t) k ltac:(lia)) as [-> ->]. apply Nat.ltb_lt. lia.
Qed.

(* A plan of blocks has a plan of lengths, its leading blocks, that keeps as much. *)
Definition lengths (Z : nat -> nat -> bool) : nat -> cache :=
  fun t i => min (run_of (fun d => Z t (i * D + d)) D 0) (past_at t i).
Lemma lengths_plan Z : fplan Z -> plan N C us (lengths Z) /\ lkept (lengths Z) >= fkept Z.
Proof.
  intros P. split; [constructor|].
  - intros i. unfold lengths. simpl. lia.
  - intros t i Ht n. unfold lengths. cbn [past_at]. destruct (Nat.eqb_spec (who_at t) i) as [E|_]; [congruence|].
    enough (run_of (fun d => Z (S t) (i * D + d)) D 0 <= run_of (fun d => Z t (i * D + d)) D 0) by lia.
    apply run_of_mono. simpl. intros k Hk H.
    destruct (StatementF.p_step _ _ _ _ _ _ P t _ Ht H) as [|R]; auto. exfalso.
    apply reads_iff in R as (d & Hd & E). pose proof (len_D t Ht).
    destruct (same_block (who_at t) i d k ltac:(lia) Hk E). congruence.
  - intros t Ht. unfold lengths. cbn [past_at]. rewrite Nat.eqb_refl. unfold len. lia.
  - intros t Ht. apply Nat.le_trans with (cnt (N * D) (Z t)); [|apply (StatementF.p_fits _ _ _ _ _ _ P t Ht)].
    unfold cnt. rewrite sum_grid. apply sum_le. intros i Hi. unfold lengths.
    pose proof (run_of_cnt (fun d => Z t (i * D + d)) D) as R. unfold cnt in R. lia.
  - apply sum_le. intros t Ht. pose proof (leads_le D blk D_pos Z t (need t) 0) as L.
    pose proof (need_past t Ht) as B. pose proof (past_D t (who_at t) ltac:(lia)) as B'.
    enough (run_of (fun d => Z t (who_at t * D + d)) D 0 >= leads blk Z t (need t) 0) by (unfold lengths; lia).
    apply run_of_ge; [lia|]. intros k Hk. exact (leads_in D blk D_pos Z t (need t) 0 k Hk).
Qed.

Lemma tel_and_kept X : tel xi us X + lkept X = uncached_tel xi us.
Proof.
  unfold tel, lkept, uncached_tel. rewrite <- sum_add. apply sum_ext. intros t _. unfold LowerBound.need. lia.
Qed.

(* The greedy over reuse intervals of tokens: at each step, while more than C are held, drop one that is needed
  last, of
   one turn the deepest. [dropped] is what it has dropped at the end. *)
Definition greedy dropped :=
  sweep (M T D) (b0 D blk len) (rq D) (room C) (deepest T D blk len) T 0 (start D need) dropped.

Lemma greedy_is_best dropped : greedy dropped ->
  plan N C us (lengths (planned T D blk len dropped)) /\
  forall X, plan N C us X -> tel xi us (lengths (planned T D blk len dropped)) <= tel xi us X.
Proof.
  intros G. assert (Dp : D > 0) by (unfold D; lia).
  destruct (statement_F (N * D) T D C blk len need) with (Dr := dropped) as (U & P & K); auto.
  - intros t Ht. pose proof (len_D t Ht). lia.
  - intros t Ht. unfold LowerBound.need, len, input. lia.
  - intros t d Ht Hd. unfold blk. pose proof (len_D t Ht). specialize (numbers t Ht). nia.
  - intros t d e Ht Hd He E. pose proof (len_D t Ht). 
    exact (proj2 (same_block (who_at t) (who_at t) d e ltac:(lia) ltac:(lia) E)).
  - intros t d k Ht Hd R. apply reads_iff in R as (e & He & E). apply reads_iff.
    destruct (le_lt_dec T k) as [L|L].
    + exfalso. unfold len, input, LowerBound.turn_at in He. rewrite nth_overflow in He by (unfold steps in L; lia).
      simpl in He. lia.
    + pose proof (len_D t Ht). pose proof (len_D k L).
      destruct (same_block (who_at k) (who_at t) e (S d) ltac:(lia) ltac:(lia) E) as [A ->].
      exists d. split; [lia|]. unfold blk. now rewrite A.
  - intros t d Ht Hd. pose proof (need_past t Ht).
    destruct (past_read t (who_at t) ltac:(lia)) as (s & Hs & W & L).
    apply (from_seen t _ s Hs). apply reads_iff. exists d. split; [lia|]. unfold blk. now rewrite W.
  - destruct (lengths_plan _ P) as (PL & KL). split; auto. intros X PX.
    destruct (blocks_plan X PX) as (PB & KB). specialize (U _ PB).
    pose proof (tel_and_kept X). pose proof (tel_and_kept (lengths (planned T D blk len dropped))). lia.
Qed.
Lemma sweep_ends : exists dropped, greedy dropped.
Proof. unfold greedy. apply (sweep_exists T D C blk len ltac:(unfold D; lia) (S T) 0). lia. Qed.
End TheoremB1.

(* The trace of Model.v has the two hypotheses of the section. *)
Definition after (w : world) (us : list turn) := fold_left (fun w u => serve u w) us w.
Lemma trace_at N : forall us w, trace N w us -> forall t, t < length us ->
  who (nth t us (Turn 0 0 0 0 0)) < N /\
  history (nth t us (Turn 0 0 0 0 0)) <= past (after w (firstn t us)) (who (nth t us (Turn 0 0 0 0 0))).
Proof.
  induction us as [|u us IH]; intros w Tr t Ht; simpl in *; [lia|]. destruct Tr as (W & H & Tr).
  destruct t; simpl; auto. apply IH; auto. lia.
Qed.
Lemma past_after us : forall t i, t <= length us -> past (after nobody (firstn t us)) i = past_at us t i.
Proof.
  induction t; intros i Ht; auto. unfold after in *. cbn [past_at].
  assert (E : firstn (S t) us = firstn t us ++ [turn_at us t]).
  { clear IHt i. revert t Ht. induction us as [|u us IH]; intros t Ht; simpl in Ht; [lia|].
    destruct t; simpl; auto. f_equal. apply IH. lia. }
  rewrite E, fold_left_app. simpl.
  destruct (Nat.eqb_spec (who (turn_at us t)) i) as [<-|n]; [now rewrite upd_eq|].
  rewrite upd_neq by auto. apply IHt. lia.
Qed.

Definition kept_by us dropped := lengths us (planned (steps us) (D us) (blk us) (len us) dropped).

(* Row theorem-b1. Tail-Optimized Belady attains the optimum under optional caching, from an empty start. It is the
   greedy over reuse intervals: it drops what is needed last, of one turn the deepest token. *)
Theorem theorem_b1 : forall N C xi us dropped, trace N nobody us -> greedy C xi us dropped ->
  plan N C us (kept_by us dropped) /\
  forall X, plan N C us X -> tel xi us (kept_by us dropped) <= tel xi us X.
Proof.
  intros N C xi us dropped Tr G. apply (greedy_is_best N C xi us); auto; intros t Ht;
    destruct (trace_at N us nobody Tr t Ht) as [A B]; auto.
  rewrite past_after in B by (unfold steps in Ht; lia). exact B.
Qed.

(* Row theorem-b1, the other half. On every trace the greedy comes to an end, so theorem_b1 is not empty:
   it ends for any capacity and threshold. *)
Theorem greedy_ends : forall C xi us, exists dropped, greedy C xi us dropped.
Proof. intros. apply sweep_ends. Qed.
