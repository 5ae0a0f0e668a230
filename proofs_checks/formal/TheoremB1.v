(* Theorem B.1 for private conversations in units, a corollary of statement F: a conversation is a path of tokens,
   which may be cached one by one. From any initial cache, under optional and forced caching. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Plans RunsArePlans Forest StatementF ForestForesight.
Import ListNotations.

(* How many of n tokens, from token d on, are there without a gap. *)
Definition run_of (Z : nat -> bool) n d := leads (fun _ d => d) (fun _ => Z) 0 n d.
Lemma run_of_in Z n d k : k < run_of Z n d -> Z (d + k) = true /\ k < n.
Proof. intros H. split; [exact (leads_in _ (fun _ => Z) 0 n d k H)|]. pose proof (leads_le (fun _ d => d) (fun _
  => Z) 0 n d). unfold run_of in H. lia. Qed.
Lemma run_of_ge Z n m d : m <= n -> (forall k, k < m -> Z (d + k) = true) -> run_of Z n d >= m.
Proof. exact (leads_ge (fun _ d => d) (fun _ => Z) 0 n m d). Qed.
Lemma run_of_mono Z Z' n d : (forall k, k < n -> Z (d + k) = true -> Z' (d + k) = true) ->
  run_of Z n d <= run_of Z' n d.
Proof. intros H. apply run_of_ge; [apply leads_le|]. intros k Hk. destruct (run_of_in _ _ _ _ Hk). auto. Qed.
Lemma run_of_cnt Z n : run_of Z n 0 <= cnt n Z.
Proof. rewrite <- (sum_ltb n (run_of Z n 0) (leads_le _ _ _ _ _)). apply sum_le. intros d _. destruct
  (Nat.ltb_spec d (run_of Z n 0)) as [H|]; [|lia]. apply run_of_in in H as [H _]. simpl in H. now rewrite H. Qed.
Lemma sum_ltb_le n k : sum n (fun d => if d <? k then 1 else 0) <= k.
Proof. enough (sum n (fun d => if d <? k then 1 else 0) = min n k) by lia. induction n; cbn [sum]; [lia|].
  rewrite IHn. destruct (Nat.ltb_spec n k); lia. Qed.

Section TheoremB1.
Variables N C xi : nat.
Variable forced : bool.
Variables past0 at_first : cache.       (* before the first turn: the pasts, and what may be cached of them *)
Variable us : list turn.
Notation turn_at := (turn_at us).
Notation T := (steps us).
Notation who_at t := (who (turn_at t)).
Notation len := (filled us).            (* the past after each turn, which is read and then at hand *)
Notation past_at := (past_at past0 us).
Hypothesis numbers : forall t, t < T -> who_at t < N.
Hypothesis histories : forall t, t < T -> history (turn_at t) <= past_at t (who_at t).
Hypothesis at_first_past : forall i, at_first i <= past0 i.
Hypothesis nobody_else : forall i, N <= i -> past0 i = 0.
Hypothesis each_fits : each_fits C forced us.
(* More than every past. *)
Definition D := S (sum T len + sum N past0).

(* Token d of a conversation is a block of a path. *)
Definition blk t d := who_at t * D + d.
Definition first_block c := c mod D <? at_first (c / D).
Notation r := (b2n forced).

Lemma len_D t : t < T -> len t < D.
Proof. intros H. unfold D. pose proof (sum_ge T len t H). lia. Qed.
Lemma past0_D i : past0 i < D.
Proof. unfold D. destruct (le_lt_dec N i) as [L|L]; [rewrite nobody_else by auto; lia|]. pose proof (sum_ge N
  past0 i L). lia. Qed.
Lemma split_block i d : d < D -> (i * D + d) / D = i /\ (i * D + d) mod D = d.
Proof. intros H. assert (D <> 0) by (unfold D; lia). rewrite Nat.add_comm. split.
  - rewrite Nat.div_add by auto. rewrite Nat.div_small; auto.
  - rewrite Nat.mod_add by auto. now apply Nat.mod_small. Qed.
Lemma same_block i j d e : d < D -> e < D -> i * D + d = j * D + e -> i = j /\ d = e.
Proof. intros H1 H2 E. destruct (split_block i d H1) as [A B]. destruct (split_block j e H2) as [A' B']. rewrite
  E in A, B. split; congruence. Qed.
Lemma past_read t i : past_at t i = past0 i \/ exists s, s < t /\ who_at s = i /\ len s = past_at t i.
Proof. induction t; simpl; auto. destruct (Nat.eqb_spec (who_at t) i) as [E|E].
  - right. exists t. repeat split; auto.
  - destruct IHt as [H|(s & A & B)]; auto. right. exists s. split; auto. Qed.
Lemma past_D t i : t <= T -> past_at t i < D.
Proof. intros H. destruct (past_read t i) as [->|(s & A & _ & <-)]; [apply past0_D | apply len_D; lia]. Qed.
Notation plan := (Plans.plan N C forced at_first us).
Notation fplan := (Forest.plan (N * D) T C r blk len first_block).
Notation hist := (fun t => history (turn_at t)).
Notation ftel := (forest_tel T blk hist (input us) xi).
Notation tel := (tel xi us).
Lemma read_token t i d : t < T -> d < D -> reads blk len t (i * D + d) = true <-> who_at t = i /\ d < len t.
Proof. intros Ht Hd. rewrite reads_ok. split.
  - intros (e & He & E). pose proof (len_D t Ht). destruct (same_block (who_at t) i e d ltac:(lia) Hd E). subst.
    auto.
  - intros [<- L]. exists d. auto. Qed.
Lemma running_token t c : t <= T -> runs r blk len t c = true ->
  exists s, t = S s /\ forced = true /\ reads blk len s c = true.
Proof. intros Ht H. apply (runs_ok blk len) in H as (k & K1 & K2 & R). unfold b2n in K1. destruct forced; [|lia].
  exists (t - 1). replace k with (t - 1) in R by lia. repeat split; auto. lia. Qed.
Lemma running_fit t : t <= T -> cnt (N * D) (runs r blk len t) <= C.
Proof. intros Ht. destruct (existsb (fun c => runs r blk len t c) (seq 0 (N * D))) eqn:Ex.
  - apply existsb_exists in Ex as (c & _ & H). destruct (running_token t c Ht H) as (s & -> & Fo & _). apply
    Nat.le_trans with (len s); [|apply each_fits; auto; lia]. pose proof (len_D s ltac:(lia)). rewrite <-
    (sum_ltb D (len s)) by lia. apply (sum_inj _ D _ (fun c => c mod D)).
    + intros c' Hc H'. destruct (running_token _ c' Ht H') as (s' & E & _ & R). injection E as <-. apply
      (reads_ok blk len) in R as (d & Hd & <-). unfold blk. destruct (split_block (who_at s) d ltac:(lia)) as [_
      ->]. split; [lia|]. now apply Nat.ltb_lt.
    + intros c1 c2 _ _ H1 H2. destruct (running_token _ c1 Ht H1) as (s1 & E1 & _ & R1). destruct (running_token
      _ c2 Ht H2) as (s2 & E2 & _ & R2). injection E1 as <-. injection E2 as <-. apply (reads_ok blk len) in R1
      as (d1 & L1 & <-). apply (reads_ok blk len) in R2 as (d2 & L2 & <-). unfold blk. destruct (split_block
      (who_at s) d1 ltac:(lia)) as [_ ->]. destruct (split_block (who_at s) d2 ltac:(lia)) as [_ ->]. congruence.
  - enough (cnt (N * D) (runs r blk len t) <= cnt (N * D) (fun _ => false)) by (assert (cnt (N * D) (fun _ =>
    false) = 0) by apply sum_zero; lia). apply cnt_le. intros c Hc H. exfalso. apply not_true_iff_false in Ex.
    apply Ex. apply existsb_exists. exists c. split; auto. apply in_seq. lia. Qed.

(* A plan of lengths is a plan of blocks that keeps as much. *)
Definition blocks (X : nat -> cache) t c := c mod D <? X t (c / D).
Lemma blocks_plan X : plan X -> fplan (blocks X) /\ ftel (blocks X) <= tel X.
Proof. intros []. split; [constructor|].
  - intros c. unfold blocks, first_block. rewrite !Nat.ltb_lt. specialize (p_first (c / D)). lia.
  - intros t c Ht. unfold blocks. rewrite !Nat.ltb_lt. intros H. destruct (Nat.eq_dec (c / D) (who_at t)) as
    [E|n].
    + right. apply (reads_ok blk len). exists (c mod D). split.
      * specialize (p_own t Ht). rewrite E in H. lia.
      * unfold blk. rewrite <- E. rewrite (Nat.mul_comm (c / D)). symmetry. apply Nat.div_mod. unfold D. lia.
    + left. specialize (p_grows t (c / D) Ht n). lia.
  - intros t Ht. apply Nat.le_trans with (sum N (X t)); [|now apply p_fits]. unfold cnt. rewrite sum_grid. apply
    sum_le. intros i Hi. unfold blocks. rewrite (sum_ext D _ (fun d => if d <? X t i then 1 else 0)); [apply
    sum_ltb_le|]. intros d Hd. destruct (split_block i d Hd) as [-> ->]. reflexivity.
  - intros t c Ht H. destruct (running_token t c ltac:(lia) H) as (s & -> & Fo & R). apply (reads_ok blk len) in
    R as (d & Hd & <-). unfold blocks, blk. pose proof (len_D s ltac:(lia)). destruct (split_block (who_at s) d
    ltac:(lia)) as [-> ->]. apply Nat.ltb_lt. rewrite p_forced; auto.
  - apply sum_le. intros t Ht. specialize (histories t Ht). pose proof (past_D t (who_at t) ltac:(lia)). enough
    (leads blk (blocks X) t (hist t) 0 >= min (X t (who_at t)) (hist t)) by lia. apply (leads_ge blk); [lia|].
    intros k Hk. simpl. unfold blocks, blk. destruct (split_block (who_at t) k ltac:(lia)) as [-> ->]. apply
    Nat.ltb_lt. lia. Qed.

(* A plan of blocks has a plan of lengths, its leading blocks, that keeps as much. *)
Definition lengths (Z : nat -> nat -> bool) : nat -> cache :=
  fun t i => min (run_of (fun d => Z t (i * D + d)) D 0) (past_at t i).
Lemma lengths_plan Z : fplan Z -> plan (lengths Z) /\ tel (lengths Z) <= ftel Z.
Proof. intros []. split; [constructor|].
  - intros i. unfold lengths. enough (run_of (fun d => Z 0 (i * D + d)) D 0 <= at_first i) by lia. destruct
    (le_lt_dec (run_of (fun d => Z 0 (i * D + d)) D 0) (at_first i)) as [|G]; auto. exfalso. apply run_of_in in G
    as [G K]. apply p_first in G. unfold first_block in G. destruct (split_block i (at_first i) K) as [E1 E2].
    cbn [Nat.add] in G. rewrite E1, E2 in G. apply Nat.ltb_lt in G. lia.
  - intros t i Ht n. unfold lengths. cbn [past_at]. destruct (Nat.eqb_spec (who_at t) i) as [E|_]; [congruence|].
    enough (run_of (fun d => Z (S t) (i * D + d)) D 0 <= run_of (fun d => Z t (i * D + d)) D 0) by lia. apply
    run_of_mono. simpl. intros k Hk H. destruct (p_step t _ Ht H) as [|R]; auto. exfalso. apply (read_token t i k
    Ht Hk) in R as [E _]. congruence.
  - intros t Ht. unfold lengths. cbn [past_at]. rewrite Nat.eqb_refl. lia.
  - intros t Ht. apply Nat.le_trans with (cnt (N * D) (Z t)); [|now apply p_fits]. unfold cnt. rewrite sum_grid.
    apply sum_le. intros i Hi. unfold lengths. pose proof (run_of_cnt (fun d => Z t (i * D + d)) D) as R. unfold
    cnt in R. lia.
  - intros t Ht Fo. unfold lengths. cbn [past_at]. rewrite Nat.eqb_refl. pose proof (len_D t ltac:(lia)) as L.
    enough (run_of (fun d => Z (S t) (who_at t * D + d)) D 0 >= len t) by lia. apply run_of_ge; [lia|]. intros k
    Hk. apply p_runs; auto. apply (runs_ok blk len). exists t. rewrite Fo. repeat split; simpl; try lia. apply
    read_token; auto; lia.
  - apply sum_le. intros t Ht. pose proof (leads_le blk Z t (hist t) 0) as L. pose proof (histories t Ht) as B.
    pose proof (past_D t (who_at t) ltac:(lia)) as B'. enough (run_of (fun d => Z t (who_at t * D + d)) D 0 >=
    leads blk Z t (hist t) 0) by (unfold lengths; lia). apply run_of_ge; [lia|]. intros k Hk. exact (leads_in blk
    Z t (hist t) 0 k Hk). Qed.

(* The forest of the tokens: a turn's path is all that it has at its end, and it can hit its history. *)
Lemma tokens : forest (N * D) T blk len hist.
Proof. constructor.
  - intros t d Ht Hd. unfold blk. pose proof (len_D t Ht). specialize (numbers t Ht). nia.
  - intros t d e Ht Hd He E. pose proof (len_D t Ht). exact (proj2 (same_block (who_at t) (who_at t) d e
    ltac:(lia) ltac:(lia) E)).
  - intros t d k Ht Kt Hd R. pose proof (len_D t Ht). apply (read_token k _ (S d) Kt ltac:(lia)) in R as [E L].
    apply (read_token k); auto; lia.
  - intros t Ht. unfold filled, input. lia. Qed.

(* Tail-Optimized Belady on single tokens: Z t is what it caches at the start of turn t. *)
Definition run_on_tokens (Z : nat -> nat -> bool) := Z 0 = first_block /\
  forall t, t < T -> forest_belady_cut (N * D) T C r blk len hist (input us) first_block xi (S t)
    (filled_with blk len t (Z t)) (Z (S t)).
(* What a set P of steps allows any plan to keep. *)
Definition bound := StatementF.bound (N * D) T C r xi blk len hist (input us) first_block.

Lemma first_fits : sum N at_first <= C -> cnt (N * D) first_block <= C.
Proof. intros F. eapply Nat.le_trans; [|exact F]. unfold cnt. rewrite sum_grid. apply sum_le. intros i Hi. unfold
  first_block. rewrite (sum_ext D _ (fun d => if d <? at_first i then 1 else 0)); [apply sum_ltb_le|]. intros d
  Hd. destruct (split_block i d Hd) as [-> ->]. reflexivity. Qed.
Lemma tokens_are_best Z : sum N at_first <= C -> run_on_tokens Z ->
  plan (lengths Z) /\ (forall X, plan X -> tel (lengths Z) <= tel X) /\
  (forall P X, plan X -> uncached_tel xi us <= tel X + bound P) /\
  exists P, uncached_tel xi us = tel (lengths Z) + bound P.
Proof. intros F (Z0 & Cu). assert (B : forall c, Z 0 c = first_block c) by (intros c; now rewrite Z0). destruct
  (forest_belady_is_optimal _ T C r xi blk len hist (input us) first_block tokens (first_fits F) Z B Cu) as (PF &
  BF). destruct (forest_certificate_closes _ T C r xi blk len hist (input us) first_block tokens (first_fits F) Z
  B Cu) as (EF & SF). destruct (lengths_plan _ PF) as (PL & TL). assert (S : forall P X, plan X -> uncached_tel
  xi us <= tel X + bound P). { intros P X PX. destruct (blocks_plan X PX) as (PB & TB). specialize (SF P _ PB).
  unfold uncached_tel, bound. lia. } split; [exact PL|]. split; [|split; [exact S|]].
  - intros X PX. destruct (blocks_plan X PX) as (PB & TB). destruct EF as (P & EF). specialize (BF _ PB). lia.
  - destruct EF as (P & EF). exists P. specialize (S P _ PL). unfold uncached_tel, bound in *. lia. Qed.
End TheoremB1.

Section Rows.
Variables N C xi : nat.
Variable forced : bool.
Variable w : world.
Variable X0 : cache.
Variable us : list turn.
Hypothesis starts : Model.start N w X0.
Hypothesis turns : trace N w us.
Hypothesis fits : each_fits C forced us.
Hypothesis first_fits : sum N X0 <= C.
Notation run_on_tokens := (run_on_tokens N C xi forced (past w) X0 us).
Notation lengths := (lengths N (past w) us).
Notation bound := (bound N C xi forced (past w) X0 us).
Notation plan := (Plans.plan N C forced X0 us).
Notation tel := (tel xi us).

Lemma of_a_trace Z : run_on_tokens Z ->
  plan (lengths Z) /\ (forall X, plan X -> tel (lengths Z) <= tel X) /\
  (forall P X, plan X -> uncached_tel xi us <= tel X + bound P) /\
  exists P, uncached_tel xi us = tel (lengths Z) + bound P.
Proof. destruct starts as [B H O Ne Op]. apply tokens_are_best; auto; apply (histories_at N us w turns). Qed.

(* Rows theorem-b1 (forced is false) and theorem-b1.forced (it is true), in units, as a corollary of statement F:
   of tokens that may be cached one by one Tail-Optimized Belady leaves prefixes of least TEL. *)
Theorem theorem_b1 : forall Z, run_on_tokens Z ->
  plan (lengths Z) /\ forall X, plan X -> tel (lengths Z) <= tel X.
Proof. intros Z R. destruct (of_a_trace Z R) as (A & B & _). auto. Qed.

(* Rows theorem-b1.certificate and .certificate.forced, in units. *)
Theorem certificate_of_tokens : forall Z, run_on_tokens Z ->
  (exists P, uncached_tel xi us = tel (lengths Z) + bound P) /\
  forall P X, plan X -> uncached_tel xi us <= tel X + bound P.
Proof. intros Z R. destruct (of_a_trace Z R) as (_ & _ & S & E). auto. Qed.

(* Row theorem-b1, the other half. There is a run on tokens on every trace, so theorem_b1 is not empty. *)
Theorem tokens_run : exists Z, run_on_tokens Z.
Proof. destruct starts as [B H O Ne Op]. edestruct forest_belady_runs as (Z & Z0 & K & _); [| |exists Z; split;
  [exact Z0|exact K]].
  - apply tokens; auto; apply (histories_at N us w turns).
  - intros t Ht. apply running_fit; auto. Qed.
End Rows.
