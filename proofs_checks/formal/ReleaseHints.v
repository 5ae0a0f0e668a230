(* However wrong release hints are, they cost at most what they called dead: of LRU and of T-LRU. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest Leads ForestTLRU BlockCuts ForestInclusion Hints.

Lemma cnt_range n h m P : h <= m -> m <= n -> (forall d, h <= d -> d < m -> P d = true) -> m - h <= cnt n P.
Proof. revert m. induction n; intros m Hm Mn H; [lia|]. unfold cnt. simpl. fold (cnt n P). destruct (le_lt_dec m n)
  as [L|L]; [specialize (IHn m Hm L H); lia|]. assert (m = S n) as -> by lia. destruct (Nat.eq_dec h (S n)) as
  [->|]; [lia|]. rewrite H by lia. specialize (IHn n ltac:(lia) ltac:(lia) (fun d A B => H d A ltac:(lia))). lia.
  Qed.

Section Release.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.
Variables len dep ask total : nat -> nat.
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.
Hypothesis ask_len : forall t, ask t <= len t.
Variable dead : nat -> nat -> bool.
Hypothesis below : dead_below blk len dep dead.

Local Notation reads := (Model.reads blk len).
Local Notation full := (filled_with blk len).
Local Notation last := (last blk len).
Local Notation past := (past NB blk len).
Local Notation pin := (pin r blk len).
Local Notation newer := (newer blk len dep).
Local Notation surplus := (surplus xi Q blk len dep).
Local Notation safer := (safer xi Q blk len dep).
Local Notation above := (above blk len dep).
Local Notation called := (called blk len dead).
Local Notation best := (best NB).
Local Notation excess := (forest_excess xi blk ask total).
Local Notation above_spec := (above_spec NB xi Q r blk len dep blk_NB dep_ok tree).

(* Orders. *)
Lemma safer_strictly t : strictly (safer t).
Proof. apply last_surplus_strictly, newer_strictly. Qed.
Lemma above_order t (sur : nat -> bool) later : strictly later ->
  (forall u c, last t c >= 1 -> above t u c = true -> sur u = true -> sur c = true) ->
  above_later blk len dep t later -> above_later blk len dep t (last_surplus sur later).
Proof. intros St Up [_ Ab]. split; [apply (last_surplus_strictly sur later St)|]. intros u c L A. specialize (Up u
  c L A). specialize (Ab u c L A). unfold last_surplus. destruct (sur u), (sur c); auto. discriminate Up; auto.
  Qed.
Lemma age_above t : above_later blk len dep t (newer t).
Proof. exact (newer_above NB xi Q r blk len dep blk_NB dep_ok tree t). Qed.
Lemma marks_above t : above_later blk len dep t (safer t).
Proof. apply above_order; auto using newer_strictly, age_above. intros u c L A. now apply (above_spec t u c L A).
  Qed.

(* A cut by an order, dead blocks first or not. *)
Lemma cut_is_best later strict t X X' : above_later blk len dep t later -> past t X ->
  cut_by NB C (first_out NB r blk len dep later strict t) X X' -> best (pin t) later C X X'.
Proof. intros Ab P. apply (cut_best NB (pin t) later (past t)); auto using past_upd. intros Y v PY G. apply
  (first_any NB xi Q r blk len dep blk_NB dep_ok tree) in G as ((Hv & Yv & Pv & _) & Mn); auto. repeat split; auto.
  intros w Yw Pw n. apply Mn; auto. repeat split; auto; [now apply PY|discriminate]. Qed.
Lemma tlru_is_best strict t X X' : past t X -> tlru_in_order_cut NB C xi Q r blk len dep strict t X X' ->
  best (pin t) (safer t) C X X'.
Proof. intros P. apply (cut_best NB (pin t) (safer t) (past t)); auto using past_upd. intros Y v PY. now apply
  (by_marks NB xi Q r blk len dep blk_NB dep_ok tree). Qed.

(* What was called dead. *)
Lemma called_ok t v : called t v = true <-> exists s, last t v <= s /\ s <= t /\ dead s v = true.
Proof. unfold Hints.called. rewrite existsb_exists. pose proof (last_le blk len t v). split.
  - intros (s & I & D). apply in_seq in I. exists s. repeat split; auto; lia.
  - intros (s & A & B & D). exists s. split; auto. apply in_seq. lia. Qed.
Lemma last_same t v s : last t v <= s -> s <= t -> last s v = last t v.
Proof. intros A B. induction B as [|t B IH]; auto. simpl in *. destruct (reads (S t) v); [lia|auto]. Qed.
Lemma called_below t u c : last t c >= 1 -> above t u c = true -> called t u = true -> called t c = true.
Proof. intros L A H. apply called_ok in H as (s & B & D & E). apply called_ok. pose proof (above_spec t u c L A) as
  (_ & _ & N & _). assert (last t c <= s) by (unfold Forest.newer in N; lia). exists s. repeat split; auto. apply
  (below s u c); auto; [|unfold Forest.above in *]; rewrite last_same with (t := t); auto. Qed.
Lemma called_unread t v : reads (S t) v = false -> called t v = true -> called (S t) v = true.
Proof. intros R H. apply called_ok in H as (s & A & B & D). apply called_ok. exists s. simpl. rewrite R. auto. Qed.
Lemma not_dead t v : called t v = false -> dead t v = false.
Proof. intros H. apply not_true_iff_false. intros D. apply not_true_iff_false in H. apply H, called_ok. exists t.
  repeat split; auto. apply last_le. Qed.
Lemma called_is_dead t v : only_reads_revive blk len dead -> last t v >= 1 -> called t v = true -> dead t v = true.
Proof. intros Rev L H. apply called_ok in H as (s & A & B & D). revert A L. induction B as [|t B IH]; intros A L;
  auto. simpl in *. destruct (reads (S t) v) eqn:R; [lia|]. apply Rev; auto. Qed.

(* If what a request can use of Y, not called dead, is in X, then X hits as much, but for what was called dead. *)
Lemma excess_of_dead t X Y : past t Y -> (forall v, Y v = true -> called t v = false ->
    (exists d, d < ask (S t) /\ d < total (S t) - xi /\ blk (S t) d = v) -> X v = true) ->
  excess X (S t) <= excess Y (S t) + called_dead blk len ask dead t.
Proof. intros P I. unfold forest_excess, hits. set (h := leads blk (fun _ => X) (S t) (ask (S t)) 0). set (n :=
  leads blk (fun _ => Y) (S t) (ask (S t)) 0). pose proof (leads_le blk (fun _ => Y) (S t) (ask (S t)) 0) as Ln.
  fold n in Ln. set (m := min n (total (S t) - xi)). destruct (le_lt_dec m h) as [|G]; [lia|]. enough (m - h <=
  called_dead blk len ask dead t) by lia. assert (InY : forall d, d < m -> Y (blk (S t) d) = true). { intros d Hd.
  apply (leads_in blk (fun _ => Y) (S t) (ask (S t)) 0 d). fold n. lia. } pose proof (ask_len (S t)) as Al. assert
  (Ch : called t (blk (S t) h) = true). { apply not_false_iff_true. intros Ch. enough (S h <= h) by lia. apply
  (leads_ge blk (fun _ => X) (S t) (ask (S t)) (S h) 0); [lia|]. intros k Hk. simpl. destruct (Nat.eq_dec k h) as
  [->|]; [|apply (leads_in blk (fun _ => X) (S t) (ask (S t)) 0 k); fold h; lia]. apply I; auto. exists h. repeat
  split; lia. } apply cnt_range; [lia|lia|]. intros d Hd Dm. destruct (P _ (InY d Dm)) as [L _]. apply
  andb_true_intro. split; [now apply Nat.leb_le|]. destruct (Nat.eq_dec h d) as [<-|]; auto. apply called_below
  with (blk (S t) h); auto. pose proof (last_reads blk len t _ L) as R. apply Model.reads_ok in R as (e & He & E).
  pose proof (dep_ok _ _ He) as De. rewrite E, dep_ok in De by lia. injection De as <-. unfold Forest.above.
  rewrite dep_ok by lia. simpl. apply existsb_exists. exists h. split; [apply in_seq; lia|]. apply Nat.eqb_eq.
  apply (tree _ _ d); auto; lia. Qed.

(* X with hints and Y without, or with other orders, from the same cache. *)
Section Two.
Variables X Y : nat -> nat -> bool.
Variables of_X of_Y : nat -> nat -> nat -> Prop.
Variable t0 : nat.
Hypothesis same : forall v, X t0 v = Y t0 v.
Hypothesis read_before : past t0 (Y t0).
Hypothesis X_cut : forall t, t >= t0 -> past (S t) (full (S t) (X t)) ->
  best (pin (S t)) (of_X (S t)) C (full (S t) (X t)) (X (S t)).
Hypothesis Y_cut : forall t, t >= t0 -> past (S t) (full (S t) (Y t)) ->
  best (pin (S t)) (of_Y (S t)) C (full (S t) (Y t)) (Y (S t)).

Lemma filled t Z v : full (S t) Z v = true <-> Z v = true \/ reads (S t) v = true.
Proof. unfold filled_with. now rewrite orb_true_iff. Qed.
Lemma both_past t : t >= t0 -> past t (X t) /\ past t (Y t).
Proof. induction 1 as [|t Ht [PX PY]].
  - split; auto. intros v. rewrite same. apply read_before.
  - pose proof (past_full NB blk len blk_NB t _ PX) as FX. pose proof (past_full NB blk len blk_NB t _ PY) as FY.
    split; [refine (past_less _ _ _ _ _ _ _ FX)|refine (past_less _ _ _ _ _ _ _ FY)]; intros v; [apply (X_cut t Ht
    FX)|apply (Y_cut t Ht FY)]. Qed.
Lemma cuts t : t >= t0 -> best (pin (S t)) (of_X (S t)) C (full (S t) (X t)) (X (S t)) /\
  best (pin (S t)) (of_Y (S t)) C (full (S t) (Y t)) (Y (S t)).
Proof. intros Ht. destruct (both_past t Ht). split; [apply X_cut|apply Y_cut]; auto; now apply past_full. Qed.
Lemma pin_before t v : pin (S t) v = true -> reads (S t) v = false -> pin t v = true.
Proof. unfold Forest.pin. simpl. intros P R. rewrite R in P. apply Nat.ltb_lt. apply Nat.ltb_lt in P. lia. Qed.
(* What runs is in both. *)
Lemma running t : t >= t0 -> forall v, X t v = true -> pin t v = true -> Y t v = true.
Proof. induction 1 as [|t Ht IH]; intros v Xv Pv; [now rewrite <- same|]. destruct (cuts t Ht) as [BX BY]. apply
  BY; auto. apply BX in Xv. apply filled. apply filled in Xv. destruct (reads (S t) v) eqn:R; auto. destruct Xv as
  [Xv|]; [left|discriminate]. apply IH; auto. now apply pin_before. Qed.
(* X does not lose what Y keeps, if Y keeps all for which X would lose it. *)
Lemma not_lost t v : t >= t0 -> full (S t) (X t) v = true -> Y (S t) v = true -> (forall w, X (S t) w = true ->
  pin (S t) v = false -> of_X (S t) w v -> Y (S t) w = true) -> X (S t) v = true.
Proof. intros Ht Fv Yv H. apply not_false_iff_true. intros Xv. destruct (cuts t Ht) as [BX BY]. pose proof
  (best_fits _ _ _ _ _ _ BY) as Fits. destruct (both_past (S t) ltac:(lia)) as [_ PY]. destruct (PY v Yv) as [_
  Hv]. pose proof (cnt_upd NB (Y (S t)) v false Hv) as U. rewrite Yv in U. simpl in U. assert (Pv : pin (S t) v =
  false) by (apply (gone_may_go (pin (S t)) (X (S t)) (full (S t) (X t)) v); auto; apply BX). assert (Full : cnt NB
  (X (S t)) = C). { apply BX. destruct (le_lt_dec C (cnt NB (full (S t) (X t)))) as [|L]; auto. rewrite (b_all _ _
  _ _ _ _ BX) in Xv; auto; [discriminate|lia]. } enough (cnt NB (X (S t)) <= cnt NB (upd (Y (S t)) v false)) by
  lia. apply cnt_le. intros w _ Xw. rewrite upd_neq by congruence. destruct (pin (S t) w) eqn:Pw; [apply running;
  auto; lia|]. apply H; auto. apply BX; auto. Qed.

(* By age. `use` are the blocks that X is to keep, `good` those of which Y loses the oldest. *)
Section Ages.
Variables use good : nat -> nat -> bool.
Hypothesis use_before : forall t v, reads (S t) v = false -> use (S t) v = true -> use t v = true.
Hypothesis good_before : forall t v, reads (S t) v = false -> good (S t) v = true -> good t v = true.
Hypothesis X_order : forall t w v, last t w >= 1 -> use t v = true -> called t v = false -> of_X t w v ->
  good t w = true /\ newer t w v.
Hypothesis Y_order : forall t v w, last t w >= 1 -> good t w = true -> of_Y t v w -> newer t v w.
Definition youngest t Z := forall v w, Z v = true -> newer t w v -> last t w >= 1 -> w < NB -> good t w = true ->
  Z w = true.
Hypothesis most_recent : youngest t0 (Y t0).

Lemma stays_youngest t : t >= t0 -> youngest t (Y t).
Proof. induction 1 as [|t Ht IH]; auto. intros v w Yv N Lw Hw Gw. apply not_false_iff_true. intros Yw. destruct
  (cuts t Ht) as [_ BY]. assert (Fv : full (S t) (Y t) v = true) by now apply BY. destruct (full (S t) (Y t) w)
  eqn:Fw.
  - assert (Pw : pin (S t) w = false) by (apply (gone_may_go (pin (S t)) (Y (S t)) (full (S t) (Y t)) w); auto;
    apply BY). apply (newer_not blk len dep (S t) v w); auto. destruct (pin (S t) v) eqn:Pv; [now apply (pin_newer
    r)|]. apply Y_order; auto. now apply BY.
  - apply not_true_iff_false in Fw. apply Fw. clear Fw. rewrite filled in *. simpl in Lw. unfold Forest.newer in N.
    simpl in N. pose proof (last_le blk len t v). pose proof (last_le blk len t w). destruct (reads (S t) w)
    eqn:Rw; auto. left. destruct (reads (S t) v) eqn:Rv; [lia|]. destruct Fv as [Yv'|]; [|discriminate]. apply (IH
    v); auto. Qed.
Lemma kept_by_age t : t >= t0 -> forall v, Y t v = true -> called t v = false -> use t v = true -> X t v = true.
Proof. induction 1 as [|t Ht IH]; intros v Yv Cv Uv; [now rewrite same|]. apply not_lost; auto.
  - destruct (cuts t Ht) as [_ BY]. apply BY in Yv. apply filled. apply filled in Yv. destruct (reads (S t) v)
    eqn:R; auto. destruct Yv as [Yv|]; auto. left. apply IH; auto. apply not_true_iff_false. intros D. rewrite
    called_unread in Cv; auto. discriminate.
  - intros w Xw _ O. destruct (both_past (S t) ltac:(lia)) as [PX _]. destruct (PX w Xw) as [Lw Hw]. destruct
    (X_order (S t) w v) as [G N]; auto. apply (stays_youngest (S t) ltac:(lia) v); auto. Qed.
End Ages.

(* By T-LRU's order, under optional caching: what Y has lost goes before all that it has. *)
Section Marks.
Hypothesis optional : r = 0.
Hypothesis X_order : forall t w v, called t v = false -> of_X t w v -> safer t w v.
Hypothesis Y_order : forall t v w, of_Y t v w -> safer t v w.
Definition ahead t Z := forall w, last t w >= 1 -> w < NB -> Z w = false ->
  cnt NB Z = C /\ forall u, Z u = true -> safer t u w.
Hypothesis most_useful : ahead t0 (Y t0).

Lemma surplus_before t u : surplus (S t) u = true -> surplus t u = true.
Proof. unfold Forest.surplus. simpl. rewrite !Nat.ltb_lt. destruct (reads (S t) u); lia. Qed.
Lemma surplus_same t u : reads (S t) u = false -> surplus (S t) u = surplus t u.
Proof. unfold Forest.surplus. simpl. now intros ->. Qed.
Lemma safer_after t u w : reads (S t) w = false -> safer t u w -> safer (S t) u w.
Proof. intros R. unfold Hints.safer, last_surplus. rewrite (surplus_same t w R). pose proof (surplus_before t u) as
  B. assert (N : newer t u w -> newer (S t) u w). { unfold Forest.newer. simpl. rewrite R. pose proof (last_le blk
  len t u). pose proof (last_le blk len t w). destruct (reads (S t) u); lia. } destruct (surplus (S t) u), (surplus
  t u), (surplus t w); intuition discriminate. Qed.
Lemma unpinned t v : pin t v = false.
Proof. unfold Forest.pin. rewrite optional. pose proof (last_le blk len t v). apply Nat.ltb_ge. lia. Qed.
Lemma stays_ahead t : t >= t0 -> ahead t (Y t).
Proof. induction 1 as [|t Ht IH]; auto. intros w Lw Hw Yw. destruct (cuts t Ht) as [_ BY]. destruct (both_past (S
  t) ltac:(lia)) as [_ PY]. assert (Late : forall u x, Y (S t) u = true -> full (S t) (Y t) x = true -> Y (S t) x =
  false -> safer (S t) u x). { intros u x Yu Fx Yx. apply Y_order, BY; auto. apply unpinned. } destruct (full (S t)
  (Y t) w) eqn:Fw.
  - split; [|auto]. apply BY. destruct (le_lt_dec C (cnt NB (full (S t) (Y t)))) as [|L]; auto. rewrite (b_all _ _
    _ _ _ _ BY) in Yw; auto; [discriminate|lia].
  - apply not_true_iff_false in Fw. rewrite filled in Fw. destruct (reads (S t) w) eqn:Rw; [tauto|]. assert (Yt : Y
    t w = false) by (apply not_true_iff_false; tauto). simpl in Lw. rewrite Rw in Lw. destruct (IH w Lw Hw Yt) as
    [Full Ah]. assert (More : C <= cnt NB (full (S t) (Y t))). { rewrite <- Full. apply cnt_le. intros u _ Yu.
    apply filled. auto. } assert (Full' : cnt NB (Y (S t)) = C) by now apply BY. split; auto. intros u Yu. destruct
    (Y t u) eqn:Yu'; [now apply safer_after, Ah|]. assert (Ru : reads (S t) u = true). { apply BY in Yu. apply
    filled in Yu as [|]; auto. congruence. } destruct (surplus (S t) w) eqn:Sw, (surplus (S t) u) eqn:Su; try (now
    left); try (right; split; [congruence|]; left; simpl; rewrite Ru, Rw; pose proof (last_le blk len t w); lia).
    exfalso. destruct (PY u Yu) as [_ Hu]. pose proof (cnt_upd NB (Y t) u true Hu) as U. rewrite Yu' in U. simpl in
    U. enough (cnt NB (upd (Y t) u true) <= cnt NB (Y (S t))) by lia. apply cnt_le. intros x _. destruct (upd_case
    (Y t) u true x) as [[-> E]|[_ E]]; rewrite E; auto. intros Yx. apply not_false_iff_true. intros Yx'. assert (Sx
    : surplus (S t) x = false). { apply not_true_iff_false. intros S1. apply surplus_before in S1. destruct (Ah x
    Yx) as [[F _]|[F _]]; [congruence|]. rewrite (surplus_same t w Rw) in Sw. congruence. } destruct (Late u x) as
    [[F _]|[F _]]; auto; [apply filled; auto| |]; congruence. Qed.
Lemma kept_by_marks t : t >= t0 -> forall v, Y t v = true -> called t v = false -> X t v = true.
Proof. induction 1 as [|t Ht IH]; intros v Yv Cv; [now rewrite same|]. apply not_lost; auto.
  - destruct (cuts t Ht) as [_ BY]. apply BY in Yv. apply filled. apply filled in Yv. destruct (reads (S t) v)
    eqn:R; auto. destruct Yv as [Yv|]; auto. left. apply IH; auto. apply not_true_iff_false. intros D. rewrite
    called_unread in Cv; auto. discriminate.
  - intros w Xw _ O. destruct (both_past (S t) ltac:(lia)) as [PX _]. destruct (PX w Xw) as [Lw Hw]. apply
    not_false_iff_true. intros Yw. destruct (stays_ahead (S t) ltac:(lia) w Lw Hw Yw) as [_ Ah]. destruct
    (safer_strictly (S t)) as [Tr Ap]. apply (Ap w), Tr with v; auto. Qed.
End Marks.
End Two.

Lemma marks_ahead t : (forall v, last t v = 0) -> forall Z, ahead t Z.
Proof. intros L Z w H. rewrite L in H. lia. Qed.
Lemma fresh_youngest t good : (forall v, last t v = 0) -> forall Z, youngest good t Z.
Proof. intros L Z v w _ _ H. rewrite L in H. lia. Qed.
(* What a request can use of what was read is not surplus, if Q covers. *)
Lemma useful t d : q_covers Q blk len ask total -> d < ask (S t) -> d < total (S t) - xi ->
  last t (blk (S t) d) >= 1 -> surplus t (blk (S t) d) = false.
Proof. intros Co Da Dt L. pose proof (ask_len (S t)). unfold Forest.surplus. apply Nat.ltb_ge. rewrite dep_ok by
  lia. destruct (Co (S t) ltac:(lia)) as (kn & (K1 & K2 & K3) & K4). pose proof (last_reads blk len t _ L) as R.
  pose proof (last_le blk len t (blk (S t) d)). assert (d < kn). { destruct (le_lt_dec kn d) as [G|]; auto. rewrite
  (K3 d (last t (blk (S t) d))) in R; auto; [discriminate|lia]. } destruct K2 as (s & U1 & U2 & U3 & U4); [lia|].
  specialize (K4 ltac:(lia)). assert (mark blk len t (blk (S t) d) >= len s); [|lia]. apply mark_ge; auto; [lia|].
  apply Model.reads_ok. exists d. split; [lia|]. apply (tree s (S t) (kn - 1) d); auto; lia. Qed.

Variable strict : bool.
Variables X Y : nat -> nat -> bool.            (* the caches after each request, from nothing *)
Hypothesis X_first : forall v, X 0 v = false.
Hypothesis Y_first : forall v, Y 0 v = false.
Definition cut_after (cut : bool -> nat -> (nat -> bool) -> (nat -> bool) -> Prop) (Z : nat -> nat -> bool) :=
  forall t, cut strict (S t) (full (S t) (Z t)) (Z (S t)).
Local Notation lru := (lru_cut NB C r blk len dep).
Local Notation tlru := (tlru_in_order_cut NB C xi Q r blk len dep).
Local Notation lru_release := (lru_release_cut NB C r blk len dep dead).
Local Notation tlru_release := (tlru_release_cut NB C xi Q r blk len dep dead).

Lemma same_first v : X 0 v = Y 0 v.
Proof. now rewrite X_first, Y_first. Qed.
Lemma past_first : past 0 (Y 0).
Proof. intros v. rewrite Y_first. discriminate. Qed.
Lemma alive_later t later w v : called t v = false -> last_surplus (dead t) later w v ->
  dead t w = false /\ later w v.
Proof. intros Cv. apply not_dead in Cv. unfold last_surplus. rewrite Cv. intros [[_ F]|[E L]]; [discriminate|auto].
  Qed.
Definition safe t v := negb (surplus t v).
Lemma safe_before t v : reads (S t) v = false -> safe (S t) v = true -> safe t v = true.
Proof. unfold safe, Forest.surplus. simpl. now intros ->. Qed.
Lemma safer_than_safe t w v : safe t v = true -> safer t w v -> safe t w = true /\ newer t w v.
Proof. unfold safe, Hints.safer, last_surplus. destruct (surplus t v), (surplus t w); intuition discriminate. Qed.

Local Notation dead_first later := (fun t => last_surplus (dead t) (later t)).
(* Where each cut of Z is by an order. *)
Definition ordered (later : nat -> nat -> nat -> Prop) (Z : nat -> nat -> bool) := forall t, t >= 0 -> past (S t)
  (full (S t) (Z t)) -> best (pin (S t)) (later (S t)) C (full (S t) (Z t)) (Z (S t)).
Lemma release_ordered (later : nat -> nat -> nat -> Prop) Z : (forall t, strictly (later t)) ->
  (forall t, above_later blk len dep t (later t)) ->
  cut_after (release_cut NB C r blk len dep dead later) Z -> ordered (dead_first later) Z.
Proof. intros St Ab K t _ P. apply cut_is_best with strict; [apply above_order; auto; apply below|auto|apply K].
  Qed.
Lemma lru_ordered Z : cut_after lru Z -> ordered newer Z.
Proof. intros K t _ P. apply cut_is_best with strict; auto using age_above. apply K. Qed.
Lemma tlru_ordered Z : cut_after tlru Z -> ordered safer Z.
Proof. intros K t _ P. apply tlru_is_best with strict; auto. Qed.
(* If X keeps what a request can use of Y but for what was called dead, its excess is Y's and as many more. *)
Lemma excess_by of_X of_Y use t : ordered of_X X -> ordered of_Y Y ->
  (forall v, Y t v = true -> called t v = false -> use t v = true -> X t v = true) ->
  (q_covers Q blk len ask total /\ use = safe \/ use = fun _ _ => true) ->
  excess (X t) (S t) <= excess (Y t) (S t) + called_dead blk len ask dead t.
Proof. intros OX OY K U. destruct (both_past X Y of_X of_Y 0 same_first past_first OX OY t ltac:(lia)) as [_ PY].
  apply excess_of_dead; auto. intros v Yv Cv D. apply K; auto. destruct U as [[Co ->]| ->]; auto. destruct D as (d
  & Da & Dt & <-). unfold safe. rewrite useful; auto. now apply PY. Qed.
Ltac by_age used held := refine (kept_by_age X Y _ _ 0 same_first past_first _ _ used held _ _ _ _ _ _ ltac:(lia));
  eauto using safe_before, fresh_youngest.

(* Rows hints.release.safe, .forced, .covers. However wrong release hints are, at every request the excess with
   them is at most that without, and one for each block that the request asks for and the hints had called dead.
   For LRU, and for T-LRU where caching is optional or Q covers. *)
Theorem release_is_safe : forall marks : bool,
  cut_after (if marks then tlru_release else lru_release) X -> cut_after (if marks then tlru else lru) Y ->
  (marks = true -> r = 0 \/ q_covers Q blk len ask total) ->
  forall t, excess (X t) (S t) <= excess (Y t) (S t) + called_dead blk len ask dead t.
Proof. intros [|] KX KY Sure t.
  - apply release_ordered in KX; auto using safer_strictly, marks_above. apply tlru_ordered in KY. destruct (Sure
    eq_refl) as [Op|Co].
    + apply excess_by with (dead_first safer) safer (fun _ _ => true); auto. intros v Yv Cv _. revert v Yv Cv.
      apply (kept_by_marks X Y (dead_first safer) safer 0); auto using same_first, past_first, marks_ahead; [|lia].
      intros s w x Cx O. now apply alive_later in O.
    + apply excess_by with (dead_first safer) safer safe; auto. by_age safe safe.
      * intros s w x _ Sx Cx O. apply alive_later in O as [_ O]; auto. now apply safer_than_safe.
      * intros s x w _ Sw [[_ F]|[_ N]]; auto. unfold safe in Sw. rewrite F in Sw. discriminate.
  - apply release_ordered in KX; auto using newer_strictly, age_above. apply lru_ordered in KY. apply excess_by
    with (dead_first newer) newer (fun _ _ => true); auto. by_age (fun _ _ : nat => true) (fun _ _ : nat => true).
    intros s w x _ _ Cx O. apply alive_later in O; tauto. Qed.

(* Rows hints.tlru.covers and .forced. If Q covers, T-LRU with release hints has at most the excess of LRU with the
   same ones, and one for each block that was called dead, if what is dead stays dead until it is read. Of LRU
   without hints too, whatever they do. *)
Theorem tlru_release_near_lru : forall hinted : bool,
  cut_after tlru_release X -> cut_after (if hinted then lru_release else lru) Y -> q_covers Q blk len ask total ->
  (hinted = true -> only_reads_revive blk len dead) ->
  forall t, excess (X t) (S t) <= excess (Y t) (S t) + called_dead blk len ask dead t.
Proof. intros hinted KX KY Co Rev t. apply release_ordered in KX; auto using safer_strictly, marks_above. assert
  (Up : forall s w v, safe s v = true -> called s v = false -> dead_first safer s w v -> dead s w = false /\ newer
  s w v). { intros s w v Sv Cv O. apply alive_later in O as [D O]; auto. split; auto. now apply safer_than_safe. }
  destruct hinted.
  - apply release_ordered in KY; auto using newer_strictly, age_above. apply excess_by with (dead_first safer)
    (dead_first newer) safe; auto. by_age safe (fun s v => negb (called s v)).
    + intros s v R. rewrite !negb_true_iff. intros H. apply not_true_iff_false. intros Cv. rewrite called_unread in
      H; auto. discriminate.
    + intros s w v Lw Sv Cv O. destruct (Up s w v Sv Cv O) as [D N]. split; auto. apply negb_true_iff,
      not_true_iff_false. intros H. rewrite called_is_dead in D; auto. discriminate.
    + intros s v w _ H [[_ F]|[_ N]]; auto. apply negb_true_iff, not_dead in H. congruence.
  - apply lru_ordered in KY. apply excess_by with (dead_first safer) newer safe; auto. by_age safe (fun _ _ : nat
    => true). intros s w v _ Sv Cv O. split; auto. now apply (Up s w v). Qed.
End Release.

(* Hints as applications send them. *)
Lemma any_of P a n : existsb P (seq a n) = true <-> exists j, a <= j /\ j < a + n /\ P j = true.
Proof. rewrite existsb_exists. split; intros (j & A & B); exists j; [apply in_seq in A|rewrite in_seq]; intuition.
  Qed.
Definition never_again (held : nat -> nat -> bool) := forall t s, s <= t -> held (S t) s = true -> held t s = true.
Lemma negb_up p q : (p = true -> q = true) -> negb q = true -> negb p = true.
Proof. destruct p, q; auto. Qed.
Lemma open_never_again agent close : never_again (open agent close).
Proof. intros t s Hs. apply negb_up. rewrite !any_of. intros (a & A & B & E). exists a. apply andb_prop in E as [E
  F]. apply any_of in F as (f & F1 & F2 & F3). repeat split; [lia..|]. rewrite E. apply any_of. exists f. repeat
  split; auto; lia. Qed.
Lemma latest_never_again agent : never_again (latest agent).
Proof. intros t s Hs. apply negb_up. unfold comes_again. rewrite !any_of. intros (j & A & B & E). exists j. repeat
  split; auto; lia. Qed.

(* Row hints.release.safe, of hints that T-LRU and LRU are told: dead are the blocks of closed agents, or those on
   no agent's latest path, or on no open agent's. What the theorems ask of hints is true of these, and what was
   called dead since it was read is what is dead when the request comes. *)
Theorem told_hints_release : forall NB blk len dep agent close held,
  (forall t d, d < len t -> blk t d < NB) -> (forall t d, d < len t -> dep (blk t d) = S d) ->
  (forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k) ->
  held = open agent close \/ held = latest agent \/ held = open_latest agent close ->
  dead_below blk len dep (unheld blk len held) /\ only_reads_revive blk len (unheld blk len held) /\
  forall t v, last blk len t v >= 1 -> called blk len (unheld blk len held) t v = unheld blk len held t v.
Proof. intros NB blk len dep agent close held H1 H2 H3 Of. assert (Nev : never_again held). { destruct Of as [-> |
  [-> | ->]]; intros t s Hs; [now apply open_never_again|now apply latest_never_again|]. unfold open_latest. intros
  H. apply andb_prop in H as [A B]. apply andb_true_intro. split; [now apply open_never_again|now apply
  latest_never_again]. } assert (Rev : only_reads_revive blk len (unheld blk len held)). { intros t v _ R. apply
  negb_up. rewrite !any_of. intros (s & A & B & E). apply andb_prop in E as [E F]. assert (s <> S t) by congruence.
  exists s. repeat split; [lia..|]. rewrite E. apply Nev; auto. lia. } split; [|split; auto].
  - intros t u c L A. apply negb_up. rewrite !any_of. intros (s & B & D & E). exists s. repeat split; auto. apply
    andb_prop in E as [E F]. apply andb_true_intro. split; auto. now apply (above_spec NB 0 0 0 blk len dep H1 H2
    H3 t u c L A).
  - intros t v L. apply eq_true_iff_eq. split; [now apply called_is_dead|]. intros D. apply not_false_iff_true.
    intros F. apply not_dead in F. congruence. Qed.
