(* Tiers as differences of caches on shared prefixes: under a policy that goes by an order, what a request finds in
   the first k tiers is what it finds in one cache of their summed capacities. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest Leads ForestTLRU BlockCuts.

Section Difference.
Variables NB K r : nat.
Variable C : nat -> nat.
Variable blk : nat -> nat -> nat.
Variables len dep ask : nat -> nat.
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.
Hypothesis ask_len : forall t, ask t <= len t.
Variable policy : block_policy.
(* Who is above goes later, and stays if who is below does. *)
Hypothesis downwards : forall t, above_later blk len dep t (goes_later policy t) /\ forall u c,
  last blk len t c >= 1 -> above blk len dep t u c = true ->
  may_stay policy t c = true -> may_stay policy t u = true.
Variable strict : bool.
Hypothesis apart : forall t v, ~ goes_later policy t v v.
Notation reads := (Model.reads blk len).
Notation last := (last blk len).
Notation above := (above blk len dep).
Notation pin := (pin r blk len).
Notation past := (past NB blk len).
Notation staying := (staying r blk len policy).
Notation block_cut := (block_cut NB r blk len dep policy strict).
Notation arrives := (arrives blk len).
Notation tiers_cut := (tiers_cut NB K r C blk len dep policy strict).

Notation best t := (best NB (pin t) (goes_later policy t)).

Lemma cut_leaves t size X X' : past t X ->
  cut_by NB size (first_out NB r blk len dep (goes_later policy t) strict t) X X' -> best t size X X'.
Proof. apply (cut_best NB _ _ (past t)); [apply past_upd|]. intros Z v P G. apply (first_any NB 0 0 r blk len dep
  blk_NB dep_ok tree) in G; auto; [|apply downwards]. destruct G as ((Hv & Xv & Pv & _) & Mn). repeat split;
  auto. intros w Zw Pw n. apply Mn; auto. repeat split; auto; [now apply P|discriminate]. Qed.

(* A child is there only if its parent is. *)
Definition closed (X : nat -> bool) := forall s d, S d < len s -> X (blk s (S d)) = true -> X (blk s d) = true.
Lemma parent t s d : S d < len s -> last t (blk s (S d)) >= 1 -> above t (blk s d) (blk s (S d)) = true.
Proof. intros H L. set (c := blk s (S d)) in *. pose proof (last_reads blk len t c L) as R. assert (Dc : dep c =
  S (S d)) by now apply dep_ok. apply Model.reads_ok in R as (e & He & E). pose proof (dep_ok _ _ He) as D.
  rewrite E, Dc in D. injection D as <-. apply existsb_exists. exists d. rewrite Dc. split; [apply in_seq; simpl;
  lia|]. apply Nat.eqb_eq, (tree (last t c) s (S d) d); auto. Qed.

Section Step.
Variable t : nat.
Variables tier tier' : nat -> nat.
Hypothesis Past : forall v, tier v < K -> last t v >= 1 /\ v < NB.
Hypothesis Fit : forall i, i < K -> cnt NB (fun v => tier v =? i) <= C i.
Hypothesis Pins : forall v, pin t v = true -> tier v < K -> tier v = 0.
Hypothesis Closed : forall k, k < K -> closed (fun v => tier v <=? k).
Hypothesis Cut : tiers_cut (S t) tier tier'.
Notation arr := (arrives (S t) tier).
Definition had k := staying (S t) (fun v => arr v <=? k).

Lemma arr_past v : arr v < K -> last (S t) v >= 1 /\ v < NB.
Proof. unfold Forest.arrives. simpl. destruct (reads (S t) v) eqn:R; [|apply Past]. intros _. split; [lia|].
  apply Model.reads_ok in R as (d & Hd & <-). auto. Qed.
Lemma had_past k : k < K -> past (S t) (had k).
Proof. intros Hk v H. apply andb_prop in H as [H _]. apply Nat.leb_le in H. apply arr_past. lia. Qed.
Lemma arr_pin v k : k < K -> pin (S t) v = true -> arr v <= k -> arr v = 0.
Proof. intros Hk P L. unfold Forest.arrives in *. destruct (reads (S t) v) eqn:R; auto. apply Pins; [|lia].
  unfold Forest.pin in *. simpl in P. rewrite R in P. apply Nat.ltb_lt in P. apply Nat.ltb_lt. lia. Qed.
Lemma step k : k < K -> best (S t) (sum (S k) C) (had k) (fun v => tier' v <=? k).
Proof. assert (B : forall k, k < K -> best (S t) (C k) (staying (S t) (fun v => (arr v <=? k) && (k <=? tier'
  v))) (fun v => tier' v =? k)). { intros i Hi. destruct (Cut i Hi) as (X & R & E). apply (best_ext _ _ _ _ _ _ X
  _ (fun v => eq_refl) E). apply cut_leaves; auto. intros v H. apply andb_prop in H as [H _]. apply andb_prop in
  H as [H _]. apply Nat.leb_le in H. apply arr_past. lia. } induction k; intros Hk; specialize (B _ Hk).
  - refine (best_ext _ _ _ _ _ _ _ _ _ _ B); intros v; [|destruct (tier' v); auto]. unfold had, Forest.staying.
    now rewrite andb_true_r.
  - specialize (IHk ltac:(lia)). change (sum (S (S k)) C) with (sum (S k) C + C (S k)). refine (best_ext _ _ _ _
    (had (S k)) _ (fun v => (tier' v <=? k) || (tier' v =? S k)) _ (fun v => eq_refl) _ _). { intros v. apply
    eq_true_iff_eq. rewrite orb_true_iff, !Nat.leb_le, Nat.eqb_eq. lia. } apply (compose NB _ _ (proj1 (proj1
    (downwards (S t)))) _ _ (had k)); auto.
    + intros v H. now apply (had_past (S k) Hk).
    + intros v. unfold had, Forest.staying. rewrite !andb_true_iff, !Nat.leb_le. intros [H ->]. split; auto.
    + intros v. unfold had, Forest.staying. rewrite !andb_true_iff, !Nat.leb_le. intros [H ->] P. split; auto.
      rewrite (arr_pin v (S k)); auto; lia.
    + eapply Nat.le_trans; [|apply (Fit (S k) Hk)]. apply cnt_le. intros v _. unfold had, Forest.staying. rewrite
      andb_true_iff, negb_true_iff, andb_true_iff. intros [[H ->] N]. rewrite andb_true_r in N. apply Nat.leb_le
      in H. apply Nat.leb_gt in N. apply Nat.eqb_eq. unfold Forest.arrives in *. destruct (reads (S t) v); lia.
    + refine (best_ext _ _ _ _ _ _ _ _ _ (fun v => eq_refl) B). intros v. unfold had, Forest.staying. rewrite <-
      Nat.ltb_antisym. change (k <? tier' v) with (S k <=? tier' v). destruct (arr v <=? S k), (S k <=? tier' v);
      simpl; auto; now rewrite ?andb_true_r, ?andb_false_r. Qed.

Lemma step_past v : tier' v < K -> last (S t) v >= 1 /\ v < NB.
Proof. intros H. assert (Hk : K - 1 < K) by lia. apply (had_past (K - 1) Hk). apply (b_less _ _ _ _ _ _ (step (K
  - 1) Hk)). apply Nat.leb_le. lia. Qed.
Lemma step_fit i : i < K -> cnt NB (fun v => tier' v =? i) <= C i.
Proof. intros Hi. destruct (Cut i Hi) as (X & R & E). rewrite <- (cnt_ext NB X) by auto. clear E. unfold
  Forest.block_cut in R. induction R; auto. Qed.
Lemma step_pins v : pin (S t) v = true -> tier' v < K -> tier' v = 0.
Proof. intros P H. assert (Hk : K - 1 < K) by lia. enough ((tier' v <=? 0) = true) by (apply Nat.leb_le in H0;
  lia). apply (b_stay _ _ _ _ _ _ (step 0 ltac:(lia))); auto. unfold had, Forest.staying. rewrite P, andb_true_r.
  assert (Hv : had (K - 1) v = true) by (apply (b_less _ _ _ _ _ _ (step (K - 1) Hk)), Nat.leb_le; lia). apply
  andb_prop in Hv as [Hv _]. apply Nat.leb_le in Hv. now rewrite (arr_pin v (K - 1)). Qed.
Lemma arr_closed k : k < K -> closed (fun v => arr v <=? k).
Proof. intros Hk s d H. rewrite !Nat.leb_le. unfold Forest.arrives. destruct (reads (S t) (blk s (S d))) eqn:R.
  - intros _. replace (reads (S t) (blk s d)) with true; [lia|]. symmetry. assert (L : last (S t) (blk s (S d))
    >= 1) by (simpl; rewrite R; lia). pose proof (above_spec NB 0 0 r blk len dep blk_NB dep_ok tree (S t) _ _ L
    (parent _ s d H L)) as A. now apply A.
  - intros L. destruct (reads (S t) (blk s d)); [lia|]. specialize (Closed k Hk s d H). rewrite !Nat.leb_le in
    Closed. auto. Qed.
Lemma step_closed k : k < K -> closed (fun v => tier' v <=? k).
Proof. intros Hk s d H Xc. set (c := blk s (S d)) in *. set (u := blk s d) in *. destruct (step k Hk) as [L P A F
  R]. specialize (L c Xc). destruct (had_past k Hk c L) as [Lc _]. pose proof (parent (S t) s d H Lc) as Ab. fold
  c u in Ab. destruct (downwards (S t)) as [[Tr La] St]. destruct (above_spec NB 0 0 r blk len dep blk_NB dep_ok
  tree (S t) u c Lc Ab) as (_ & _ & _ & Pi & _). unfold had, Forest.staying in L. apply andb_prop in L as [L1
  L2]. assert (Hu : had k u = true). { apply andb_true_intro. split; [exact (arr_closed k Hk s d H L1)|]. apply
  orb_true_iff. apply orb_prop in L2 as [L2|L2]; [left; auto|right; now apply (St u c)]. } destruct (tier' u <=?
  k) eqn:Xu; auto. exfalso. destruct (pin (S t) c) eqn:Pc; [rewrite P in Xu; auto; discriminate|]. apply (apart
  (S t) c), Tr with u; [now apply R | now apply La]. Qed.
End Step.

(* The tiers, and one cache of what the first k + 1 hold, from nothing. *)
Variable tier : nat -> nat -> nat.
Variable X : nat -> nat -> bool.
Variables k t : nat.
Hypothesis k_K : k < K.
Hypothesis none : forall v, tier 0 v >= K.
Hypothesis empty : forall v, X 0 v = false.
Hypothesis tiers_are_cut : forall s, s < t -> tiers_cut (S s) (tier s) (tier (S s)).
Hypothesis cache_is_cut : forall s, s < t ->
  block_cut (sum (S k) C) (S s) (filled_with blk len (S s) (X s)) (X (S s)).

Lemma invariant : forall s, s <= t -> (forall v, tier s v < K -> last s v >= 1 /\ v < NB) /\
  (forall i, i < K -> cnt NB (fun v => tier s v =? i) <= C i) /\
  (forall v, pin s v = true -> tier s v < K -> tier s v = 0) /\
  (forall k, k < K -> closed (fun v => tier s v <=? k)) /\ forall v, X s v = (tier s v <=? k).
Proof. induction s; intros Hs.
  - assert (N : forall v i, i < K -> (tier 0 v <=? i) = false) by (intros; apply Nat.leb_gt; specialize (none v);
    lia). repeat split; try (intros; specialize (none v); lia).
    + intros i Hi. unfold cnt. rewrite (sum_ext NB _ (fun _ => 0)); [rewrite sum_zero; lia|]. intros v _. replace
      (tier 0 v =? i) with false; auto. symmetry. apply Nat.eqb_neq. specialize (none v). lia.
    + intros i Hi s d _ H. rewrite N in H by auto. discriminate.
    + intros v. now rewrite empty, N.
  - destruct (IHs ltac:(lia)) as (P & F & Pi & Cl & E). pose proof (tiers_are_cut s Hs) as TC. refine (conj _
    (conj _ (conj _ (conj _ _)))); [exact (step_past s _ _ P F Pi TC)|exact (step_fit s _ _ TC) |exact (step_pins
    s _ _ P F Pi TC)|exact (step_closed s _ _ P F Pi Cl TC)|]. pose proof (step s _ _ P F Pi TC k k_K) as B. pose
    proof (had_past s (tier s) P k k_K) as Pa. assert (Bx : best (S s) (sum (S k) C) (had s (tier s) k) (X (S
    s))). { apply (best_ext _ _ _ _ (staying (S s) (filled_with blk len (S s) (X s))) _ (X (S s))); auto.
      - intros v. unfold had, Forest.staying, filled_with, Forest.arrives. rewrite E. destruct (reads (S s) v);
        [now rewrite orb_true_r|now rewrite orb_false_r].
      - apply cut_leaves; [|now apply cache_is_cut]. intros v H. apply Pa. revert H. unfold had, Forest.staying,
        filled_with, Forest.arrives. rewrite E. destruct (reads (S s) v); [now rewrite orb_true_r|now rewrite
        orb_false_r]. } intros v. apply eq_true_iff_eq. split; revert v; eapply (best_one NB _ _ (proj1 (proj1
        (downwards (S s)))) (apart (S s))); eauto; intros v H; now apply Pa. Qed.

Lemma same_found : sum (S k) (found_at K blk ask (tier t) (S t)) = hits blk ask (X t) (S t).
Proof. destruct (invariant t (le_n t)) as (_ & _ & _ & Cl & E). unfold hits. set (L := leads blk (fun _ v => tier
  t v <? K) (S t) (ask (S t)) 0). set (l := leads blk (fun _ => X t) (S t) (ask (S t)) 0). pose proof (ask_len (S
  t)) as AL. pose proof (leads_le blk (fun _ v => tier t v <? K) (S t) (ask (S t)) 0) as LL. fold L in LL. assert
  (lL : l <= L). { apply leads_more. intros c. rewrite E, Nat.leb_le, Nat.ltb_lt. lia. } transitivity (cnt L (fun
  d => tier t (blk (S t) d) <=? k)).
  - unfold found_at. fold L. generalize k as m. clear. induction m; cbn [sum] in *.
    + apply cnt_ext. intros d _. destruct (tier t (blk (S t) d)); auto.
    + rewrite IHm. unfold cnt. rewrite <- sum_add. apply sum_ext. intros d _. destruct (Nat.leb_spec (tier t (blk
      (S t) d)) m), (Nat.leb_spec (tier t (blk (S t) d)) (S m)), (Nat.eqb_spec (tier t (blk (S t) d)) (S m));
      lia.
  - rewrite <- (sum_ltb L l lL). apply cnt_ext. intros d Hd. rewrite <- E. apply eq_true_iff_eq. rewrite
    Nat.ltb_lt. split; [|apply (leads_in blk (fun _ => X t) (S t) (ask (S t)) 0 d)]. intros Xd. assert (All :
    forall e, e <= d -> X t (blk (S t) (d - e)) = true). { induction e; intros He; [now rewrite Nat.sub_0_r|].
    specialize (IHe ltac:(lia)). rewrite E in IHe |- *. apply (Cl k k_K (S t) (d - S e)); [lia|]. now replace (S
    (d - S e)) with (d - e) by lia. } destruct (le_lt_dec l d) as [G|]; auto. exfalso. assert (l >= S l); [|lia].
    apply (leads_ge blk (fun _ => X t) (S t) (ask (S t)) (S l) 0); [lia|]. intros e He. simpl. replace e with (d
    - (d - e)) by lia. apply All. lia. Qed.
End Difference.

(* On every forest, whatever is asked of each path, in strict tiers and in tiers with holes, optional (r = 0) and
   forced with r requests running: at every request the first k + 1 tiers find what one cache of their summed
   capacities finds under the same policy. *)
Definition is_a_forest_difference (policy : (nat -> nat -> nat) -> (nat -> nat) -> (nat -> nat) -> block_policy) :=
  forall NB K r C blk len dep ask strict k t tier X, (forall t d, d < len t -> blk t d < NB) ->
  (forall t d, d < len t -> dep (blk t d) = S d) ->
  (forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k) ->
  (forall t, ask t <= len t) -> k < K -> (forall v, tier 0 v >= K) -> (forall v, X 0 v = false) ->
  (forall s, s < t -> tiers_cut NB K r C blk len dep (policy blk len dep) strict (S s) (tier s) (tier (S s))) ->
  (forall s, s < t -> block_cut NB r blk len dep (policy blk len dep) strict (sum (S k) C) (S s)
    (filled_with blk len (S s) (X s)) (X (S s))) ->
  sum (S k) (found_at K blk ask (tier t) (S t)) = hits blk ask (X t) (S t).
Lemma differences (policy : (nat -> nat -> nat) -> (nat -> nat) -> (nat -> nat) -> block_policy) :
  (forall blk len dep t, let later := goes_later (policy blk len dep) t in
    (forall u v w, later u v -> later v w -> later u w) /\ (forall v, ~ later v v) /\
    forall u c, newer blk len dep t u c -> dep u < dep c ->
      (forall s, Model.reads blk len s c = true -> Model.reads blk len s u = true) -> later u c /\
      (may_stay (policy blk len dep) t c = true -> may_stay (policy blk len dep) t u = true)) ->
  is_a_forest_difference policy.
Proof. intros H NB K r C blk len dep ask strict k t tier X HB HD HT HA Hk H0 HX CT CX. eapply (same_found NB K r
  C blk len dep ask HB HD HT HA (policy blk len dep)); eauto; intros s.
  - destruct (H blk len dep s) as (Tr & _ & Dn). split; [split; [exact Tr|]|]; intros u c L A; destruct
    (above_spec NB 0 0 r blk len dep HB HD HT s u c L A) as (_ & _ & Nw & _ & _ & De & Up); now apply Dn.
  - intros v. now apply (H blk len dep s). Qed.

Ltac by_order := apply differences; intros blk len dep t;
  cbn [goes_later may_stay lru_blocks threshold_blocks eager_blocks surplus_first belady_blocks]; unfold newer;
  refine (conj _ (conj _ (fun u c Nw De Up => conj _ _))); [intros u v w|intros v| |]; auto; try lia.

(* Row tiers.difference.forest.lru. *)
Theorem forest_lru_is_a_difference : is_a_forest_difference lru_blocks.
Proof. by_order. Qed.

(* Row tiers.difference.forest.threshold, with high-water marks. *)
Theorem forest_threshold_is_a_difference : forall cutoff, is_a_forest_difference (threshold_blocks cutoff).
Proof. intros cutoff. by_order. rewrite !Nat.ltb_lt. pose proof (mark_up blk len t u c Up). lia. Qed.

Lemma surplus_up xi Q blk len dep t u c : dep u < dep c ->
  (forall s, Model.reads blk len s c = true -> Model.reads blk len s u = true) ->
  surplus xi Q blk len dep t u = true -> surplus xi Q blk len dep t c = true.
Proof. intros De Up. unfold surplus. rewrite !Nat.ltb_lt. pose proof (mark_up blk len t u c Up). lia. Qed.
(* Row tiers.difference.forest.flat.eager. *)
Theorem forest_eager_is_a_difference : forall xi Q, is_a_forest_difference (eager_blocks xi Q).
Proof. intros xi Q. by_order. pose proof (surplus_up xi Q blk len dep t u c De Up) as S. destruct (surplus xi Q
  blk len dep t u); auto. now rewrite S. Qed.

(* Row tiers.difference.forest.flat.least-recent. *)
Theorem forest_least_recent_is_a_difference : forall xi Q, is_a_forest_difference (surplus_first xi Q).
Proof. intros xi Q. apply differences. intros blk len dep t. destruct (last_surplus_strictly (surplus xi Q blk
  len dep t) (newer blk len dep t)) as [Tr Ap]. { unfold strictly, newer. split; intros; lia. } refine (conj Tr
  (conj Ap (fun u c Nw De Up => conj _ (fun H => H)))). pose proof (surplus_up xi Q blk len dep t u c De Up) as
  S. cbn. unfold last_surplus. destruct (surplus xi Q blk len dep t u), (surplus xi Q blk len dep t c); auto. now
  specialize (S eq_refl). Qed.

(* Row tiers.difference.forest.belady. A block's next request is the next through it. *)
Theorem forest_belady_is_a_difference : forall T, is_a_forest_difference (belady_blocks T).
Proof. intros T. by_order. enough (next_read (S T) blk len (S t) u <= next_read (S T) blk len (S t) c) by lia.
  assert (Ge : forall n m v, m <= next_read_in blk len n m v). { induction n; cbn; intros m v; auto. destruct
  (Model.reads blk len m v); auto. specialize (IHn (S m) v). lia. } unfold next_read. cbn [Nat.sub]. generalize
  (S t) as m. induction (T - t) as [|n IHn]; cbn; intros m; auto. specialize (Up m). specialize (Ge n (S m) c).
  destruct (Model.reads blk len m c); [now rewrite Up|]. destruct (Model.reads blk len m u); [lia|apply IHn].
  Qed.
