(* Tiers as differences of caches: under a policy that goes by an order, the first k tiers find what one cache of
   their summed capacities finds. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts Tiers TiersBudgets.
Import ListNotations.

(* The children of a token that is lost are lost; and no two conversations have tokens of the same rank. *)
Definition downwards (O : order) := forall v d, rank O v d <= rank O v (S d).
Definition apart N (w : world) (O : order) := forall v j d e, v < N -> j < N -> d < past w v -> e < past w j ->
  rank O v d = rank O j e -> v = j.

Section Order.
Variable N : nat.
Variable forced : bool.
Variable O : order.
Variable theta : nat.
Hypothesis down : downwards O.
Notation may_lose := (may_lose forced theta).

Lemma deeper v d e : d <= e -> rank O v d <= rank O v e.
Proof. induction 1; auto. pose proof (down v m). lia. Qed.

(* What a cut leaves, whatever the steps: what fits, with the lowest ranks. *)
Record best (size : nat) (before X X' : cache) : Prop := {
  b_less : within X X';
  b_exempt : forall v, ~ may_lose v -> X' v = X v;
  b_all : sum N X <= size -> forall v, v < N -> X' v = X v;
  b_full : size <= sum N X -> sum N X' = size;
  b_rank : forall v j d e, v < N -> j < N -> may_lose v -> d < X' v -> X' j <= e -> e < X j ->
    rank O v (before v + d) <= rank O j (before j + e) }.

Lemma cut_best size before X X' : cut_by_rank N forced size theta O before X X' -> best size before X X'.
Proof. induction 1 as [X L | X v X' G Hv Xv Mv Mx R [Le Ex Al Fu Ra]].
  - constructor; auto; try (intros i; lia); intros; lia.
  - pose proof (sum_upd N X v (X v - 1) Hv) as U. constructor.
    + intros i. specialize (Le i). revert Le. at_place v i; lia.
    + intros i Mi. rewrite Ex by auto. unfold lose. apply upd_neq. intros ->. auto.
    + lia.
    + intros _. apply Fu. unfold lose. lia.
    + intros a j d e Ha Hj Ma Hd He Xj. pose proof (Le a) as La. destruct (le_lt_dec (lose X v j) e) as [G'|G'];
      [|now apply Ra]. assert (j = v /\ e = X v - 1) as [-> ->] by (revert G'; at_place v j; lia). assert (Xa : X'
      a <= X a) by (revert La; at_place v a; lia). replace (before v + (X v - 1)) with (before v
      + X v - 1) by lia. eapply Nat.le_trans; [|apply (Mx a Ha); [lia|auto]]. apply deeper. lia. Qed.

(* Two such cuts of the same cache leave the same. *)
Lemma best_same w size X Y X' Y' : apart N w O -> (forall v, v < N -> X v <= past w v) ->
  (forall v, v < N -> X v = Y v) -> best size empty X X' -> best size empty Y Y' -> forall v, v < N -> X' v = Y' v.
Proof. intros Ap W E. assert (G : forall A B A' B', (forall v, v < N -> A v <= past w v) -> (forall v, v < N -> A v
  = B v) -> best size empty A A' -> best size empty B B' -> forall v, v < N -> B' v <= A' v). { clear X Y X' Y' W
  E. intros A B A' B' W E [LA XA AA FA RA] [LB XB AB FB RB] v Hv. destruct (le_lt_dec (B' v) (A' v)) as [|L]; auto.
  exfalso. rewrite (sum_ext N B A) in * by (intros; symmetry; auto). assert (S : sum N B' <= sum N A'). { destruct
  (le_lt_dec (sum N A) size) as [F|F].
      - rewrite (sum_ext N B' A'); auto. intros i Hi. rewrite (AA F i Hi), (AB F i Hi). symmetry. auto.
      - rewrite FA, FB by lia. auto. } pose proof (sum_upd N B' v (A' v) Hv) as U. destruct (somewhere N (upd B' v
        (A' v)) A') as (j & Hj & Lj); [lia|]. destruct (upd_case B' v (A' v) j) as [[-> Q]|[n Q]]; rewrite Q in Lj;
        [lia|]. pose proof (LA j) as LAj. pose proof (LB v) as LBv. pose proof (E v Hv). pose proof (E j Hj).
        assert (Mv : may_lose v). { intros Fo ->. rewrite XA, XB in L; try lia; unfold Policies.may_lose; tauto. }
        assert (Mj : may_lose j). { intros Fo ->. rewrite XA, XB in Lj; try lia; unfold Policies.may_lose; tauto. }
        pose proof (RA j v (B' j) (A' v) Hj Hv Mj Lj (le_n _) ltac:(lia)) as R1. pose proof (RB v j (A' v) (B' j)
        Hv Hj Mv L (le_n _) ltac:(lia)) as R2. unfold empty in *. simpl in *. apply n. symmetry. apply (Ap v j (A'
        v) (B' j)); auto; try lia.
    - specialize (W v Hv). lia.
    - specialize (W j Hj). lia. } intros BX BY v Hv. apply Nat.le_antisymm.
  - apply (G Y X Y' X'); auto; intros; rewrite <- E; auto.
  - apply (G X Y X' Y'); auto. Qed.

(* Some tiers that were cut to A', and one more: together they are a cut of all they had. *)
Lemma compose first size A G A' B' : within G A -> (forced = true -> A theta = G theta) ->
  sum N (fun v => G v - A v) <= size -> best first empty A A' -> best size A' (fun v => G v - A' v) B' ->
  best (first + size) empty G (fun v => A' v + B' v).
Proof. intros AG Th Fit [LA XA AA FA RA] [LB XB AB FB RB]. unfold empty in *. simpl in RA. assert (SG : sum N G =
  sum N A + sum N (fun v => G v - A v)). { rewrite <- sum_add. apply sum_ext. intros i _. specialize (AG i). lia. }
  assert (SB : sum N (fun v => G v - A' v) = sum N (fun v => G v - A v) + sum N (fun v => A v - A' v)). { rewrite
  <- sum_add. apply sum_ext. intros i _. specialize (AG i). specialize (LA i). lia. } assert (SA : sum N A = sum N
  A' + sum N (fun v => A v - A' v)). { rewrite <- sum_add. apply sum_ext. intros i _. specialize (LA i). lia. }
  assert (Same : sum N A <= first -> sum N (fun v => A v - A' v) = 0). { intros H. specialize (AA H). rewrite
  (sum_ext N _ (fun _ => 0)); [apply sum_zero|]. intros i Hi. rewrite AA; lia. } constructor.
  - intros i. specialize (AG i). specialize (LA i). specialize (LB i). simpl in LB. lia.
  - intros i Mi. assert (forced = true /\ i = theta) as [Fo ->]. { destruct forced; [|exfalso; apply Mi; intros Q;
    discriminate]. split; auto. destruct (Nat.eq_dec i theta); auto. exfalso. apply Mi. intros _. auto. }
    specialize (LB theta). simpl in LB. rewrite (XA theta Mi), (Th Fo) in *. lia.
  - intros H i Hi. destruct (le_lt_dec (sum N A) first) as [F|F].
    + rewrite AB; auto; [|rewrite SB, Same; auto; lia]. specialize (AG i). specialize (LA i). lia.
    + rewrite AB; auto; [specialize (AG i); specialize (LA i); lia|]. specialize (FA ltac:(lia)). lia.
  - intros H. rewrite sum_add. destruct (le_lt_dec (sum N A) first) as [F|F].
    + rewrite FB; [|lia]. specialize (Same F). lia.
    + rewrite FB, FA; lia.
  - intros v j d e Hv Hj Mv Hd He Ge. simpl. assert (Gj : e - A' j < G j - A' j) by lia. assert (Bj : B' j <= e -
    A' j) by lia. assert (A' j <= e) by lia. replace e with (A' j + (e - A' j)) at 1 by lia. destruct (le_lt_dec
    (A' v) d) as [D|D]. { replace d with (A' v + (d - A' v)) by lia. apply RB; auto. lia. } destruct (le_lt_dec (A
    j) e) as [E|E]. 2:{ replace (A' j + (e - A' j)) with e by lia. now apply RA. } destruct (le_lt_dec (sum N (fun
    v => G v - A' v)) size) as [F|F]. { specialize (AB F j Hj). simpl in AB. lia. } specialize (FB ltac:(lia)).
    assert (exists x, x < N /\ A' x < A x /\ B' x >= 1) as (x & Hx & Ax & Bx). { destruct (le_lt_dec (G j - A' j)
    (B' j + (A j - A' j))) as [Q|Q]; [exists j; repeat split; auto; lia|]. pose proof (sum_upd N (fun v => G v - A'
    v) j (B' j + (A j - A' j)) Hj) as U. simpl in U. destruct (somewhere N (upd (fun v => G v
    - A' v) j (B' j + (A j - A' j))) (fun v => B' v + (A v - A' v))) as (x & Hx & Lx); [rewrite sum_add; lia|].
      destruct (upd_case (fun v => G v - A' v) j (B' j + (A j - A' j)) x) as [[-> P]|[n P]]; rewrite P in Lx;
      [lia|]. exists x. specialize (LB x). specialize (AG x). simpl in LB. repeat split; auto; lia. } assert (Mx :
      may_lose x). { intros Fo ->. rewrite (XA theta) in Ax; [lia|]. unfold Policies.may_lose. tauto. } pose proof
      (RA v x d (A' x) Hv Hx Mv D (le_n _) Ax) as R1. pose proof (RB x j 0 (e - A' j) Hx Hj Mx ltac:(lia) Bj Gj) as
      R2. rewrite Nat.add_0_r in R2. lia. Qed.
End Order.

Section Differences.
Variables N K : nat.
Variable C : nat -> nat.
Variable forced : bool.
Variable policy : world -> turn -> list turn -> order.
Hypothesis orders : forall w u us, stands N w -> who u < N ->
  downwards (policy (serve u w) u us) /\ apart N (serve u w) (policy (serve u w) u us).
Notation tiers_step := (ordered_tiers N forced C K policy).
Notation cache_step size := (ordered_cache N forced size policy).

Lemma together_is_one w u us Z Z' : stands N w -> who u < N -> (forall i, i < K -> sum N (Z i) <= C i) ->
  tiers_step (serve u w) u us Z Z' -> forall k, k < K ->
  best N forced (policy (serve u w) u us) (who u) (sum (S k) C) empty
    (staying forced (who u) (policy (serve u w) u us) empty (together (S k) (arrive u Z))) (together (S k) Z') /\
  forall v, together k Z' v + has (arrive u Z) Z' k v = together (S k) (arrive u Z) v.
Proof. intros St Nu Fit R. destruct (orders w u us St Nu) as [Dn _]. set (O := policy (serve u w) u us) in *.
  assert (B : forall k, k < K -> best N forced O (who u) (C k) (together k Z') (staying forced (who u) O (together
  k Z') (has (arrive u Z) Z' k)) (Z' k)). { intros k Hk. apply cut_best; auto. exact (R k Hk). } assert (Su :
  forall k, k < K -> forall v, together k Z' v + has (arrive u Z) Z' k v = together (S k) (arrive u Z) v). { intros
  k Hk. apply has_sum. intros i Hi v. pose proof (b_less _ _ _ _ _ _ _ _ (B i ltac:(lia)) v) as L. unfold staying
  in L. destruct (exempt forced (who u) v); lia. } induction k as [|k IH]; intros Hk; (split; [|apply Su; exact
  Hk]).
  - exact (B 0 Hk).
  - destruct (IH ltac:(lia)) as [P _]. specialize (B (S k) Hk). specialize (Su (S k) Hk). assert (E : forall v,
    staying forced (who u) O (together (S k) Z') (has (arrive u Z) Z' (S k)) v = staying forced (who u) O empty
    (together (S (S k)) (arrive u Z)) v - together (S k) Z' v). { intros v. unfold staying, empty. rewrite <- Su.
    destruct (exempt forced (who u) v); lia. } assert (B' : best N forced O (who u) (C (S k)) (together (S k) Z')
    (fun v => staying forced (who u) O empty (together (S (S k)) (arrive u Z)) v - together (S k) Z' v) (Z' (S
    k))). { destruct B as [b1 b2 b3 b4 b5]. constructor.
      - intros v. rewrite <- E. apply b1.
      - intros v Hv. rewrite <- E. now apply b2.
      - intros H v Hv. rewrite <- E. apply b3; auto. rewrite (sum_ext N _ _ (fun i _ => E i)). exact H.
      - intros H. apply b4. rewrite (sum_ext N _ _ (fun i _ => E i)). exact H.
      - intros v j d e. rewrite <- E. apply b5. } change (sum (S (S k)) C) with (sum (S k) C + C (S k)). refine
        (compose N forced O (who u) _ _ _ _ _ _ _ _ _ P B').
    + intros v. unfold staying. pose proof (together_up (S k) (arrive u Z) v). destruct (exempt forced (who u) v);
      lia.
    + intros _. unfold staying. rewrite !arrive_sum, Nat.eqb_refl. reflexivity.
    + eapply Nat.le_trans; [|apply (Fit (S k) Hk)]. apply sum_le. intros v _. unfold staying. rewrite !arrive_sum.
      unfold together. cbn [sum]. destruct (v =? who u), (exempt forced (who u) v); lia. Qed.

Lemma reused_together Z X u k : X (who u) = together (S k) Z (who u) -> sum (S k) (found Z u) = reused X u.
Proof. unfold reused. intros ->. generalize (S k) as m. clear k. induction m; [auto|]. cbn [sum]. rewrite IHm.
  unfold found. pose proof (together_up m Z (who u)). lia. Qed.

Lemma same_finds k : k < K -> forall us w Z X of_tiers of_cache, stands N w ->
  (forall i, i < K -> sum N (Z i) <= C i) -> (forall v, v < N -> X v = together (S k) Z v) ->
  (forall v, v < N -> X v <= past w v) -> trace N w us ->
  replays tiers_step (fun Z u => sum (S k) (found Z u)) w Z us of_tiers ->
  replays (cache_step (sum (S k) C)) reused w X us of_cache -> of_tiers = of_cache.
Proof. intros Hk. induction us as [|u us IH]; intros w Z X xs ys St Fit E W Tr RZ RX.
  - inversion RZ; inversion RX; auto.
  - destruct Tr as (Nu & Hu & Tr). inversion RZ as [|? ? ? ? Z' zs CZ RZ']; subst. inversion RX as [|? ? ? ? X' xs'
    CX RX']; subst. f_equal; [now apply reused_together; apply E|]. destruct (serve_stands N w u St Nu) as (St' &
    _). destruct (orders w u us St Nu) as [Dn Ap]. destruct (together_is_one w u us Z Z' St Nu Fit CZ k Hk) as [B
    _]. assert (WF : forall v, v < N -> fill u X v <= past (serve u w) v). { intros v Hv. unfold fill. simpl.
    unfold upd. destruct (v =? who u); auto. } pose proof (cut_best N forced _ (who u) Dn _ _ _ _ CX) as BX. assert
    (EX : forall v, v < N -> X' v = together (S k) Z' v). { eapply (best_same N forced _ (who u) (serve u w));
    [exact Ap| | |exact BX|exact B].
      - intros v Hv. specialize (WF v Hv). unfold staying. destruct (exempt forced (who u) v); lia.
      - intros v Hv. unfold staying, fill. rewrite arrive_sum. unfold upd. destruct (v =? who u); auto. now rewrite
        E. } apply (IH (serve u w) Z' X'); auto.
    + intros i Hi. destruct (together_is_one w u us Z Z' St Nu Fit CZ i Hi) as [Bi _]. pose proof (cut_best N
      forced _ (who u) Dn _ _ _ _ (CZ i Hi)) as [b1 b2 b3 b4 b5]. destruct (le_lt_dec (C i) (sum N (staying forced
      (who u) (policy (serve u w) u us) (together i Z') (has (arrive u Z) Z' i)))) as [L|L]; [rewrite b4; auto|].
      rewrite (sum_ext N _ _ (fun v Hv => b3 ltac:(lia) v Hv)). lia.
    + intros v Hv. specialize (WF v Hv). pose proof (b_less _ _ _ _ _ _ _ _ BX v) as L. unfold staying in L.
      destruct (exempt forced (who u) v); lia. Qed.

Lemma differences k us of_tiers of_cache : k < K -> trace N nobody us ->
  replays tiers_step (fun Z u => sum (S k) (found Z u)) nobody nothing us of_tiers ->
  replays (cache_step (sum (S k) C)) reused nobody empty us of_cache -> of_tiers = of_cache.
Proof. intros Hk Tr RZ RX. apply (same_finds k Hk us nobody nothing empty); auto.
  - constructor; simpl; lia.
  - intros i _. unfold nothing, empty. rewrite sum_zero. lia.
  - intros v _. unfold together, nothing, empty. now rewrite sum_zero. Qed.
End Differences.

(* Ranks by recency. *)
Lemma since_apart N w v j : stands N w -> past w v >= 1 -> past w j >= 1 -> since w v = since w j -> v = j.
Proof. unfold since. intros St Pv Pj E. pose proof (s_before _ _ St v). pose proof (s_before _ _ St j). apply
  (s_apart _ _ St); [lia|]. apply (s_came _ _ St). lia. Qed.
Lemma since_now u w v : since (serve u w) v <= S (now w).
Proof. unfold since. apply Nat.le_sub_l. Qed.
Lemma wait_who v us d : wait v us < length us -> who (nth (wait v us) us d) = v.
Proof. induction us as [|u us IH]; simpl; [lia|]. destruct (Nat.eqb_spec (who u) v); auto. intros H. apply IH. lia.
  Qed.
Ltac orders := intros w u rest St Nu; destruct (serve_stands _ w u St Nu) as (St' & _); split;
  [intros v d; simpl; auto | intros v j d e Hv Hj Pv Pj; simpl; try (apply (since_apart _ _ v j St'); lia)].

(* Private conversations, whatever they forget, optional and forced: at every turn the first k + 1 tiers find
   what one cache of their summed capacities finds under the same policy. *)
Definition differences_of N (policy : world -> turn -> list turn -> order) :=
  forall K C forced k us of_tiers of_cache, k < K -> trace N nobody us ->
  replays (ordered_tiers N forced C K policy) (fun Z u => sum (S k) (found Z u)) nobody nothing us of_tiers ->
  replays (ordered_cache N forced (sum (S k) C) policy) reused nobody empty us of_cache -> of_tiers = of_cache.
Definition is_a_difference policy := forall N, differences_of N policy.
(* What is not needed goes in a strict order of the conversations, any. *)
Definition tells_apart N (idle : world -> list turn -> nat -> nat) :=
  forall w us v j, stands N w -> v < N -> j < N -> past w v >= 1 -> past w j >= 1 ->
  idle w us v = idle w us j -> v = j.

(* Rows tiers.difference.lru, tiers.lru.difference, .three and .edits. *)
Theorem lru_is_a_difference : is_a_difference lru_order.
Proof. unfold is_a_difference, differences_of. intros. eapply differences; eauto. orders. Qed.

(* Row tiers.difference.threshold. *)
Theorem threshold_is_a_difference : forall cutoff, is_a_difference (threshold_order cutoff).
Proof. unfold is_a_difference, differences_of. intros. eapply differences; eauto. orders. Qed.

(* Row tiers.difference.flat.eager. *)
Theorem eager_is_a_difference : forall xi, is_a_difference (eager_order xi).
Proof. unfold is_a_difference, differences_of. intros. eapply differences; eauto. orders. Qed.

(* Row tiers.difference.flat.least-recent. *)
Theorem least_recent_is_a_difference : forall xi, is_a_difference (least_recent_order xi).
Proof. unfold is_a_difference, differences_of. intros. eapply differences; eauto. orders.
  - destruct (Nat.ltb_spec d (budget xi (serve u w) v)), (Nat.ltb_spec (S d) (budget xi (serve u w) v)); unfold
    since; lia.
  - pose proof (since_apart _ _ v j St' ltac:(lia) ltac:(lia)) as Ap. pose proof (since_now u w v). pose proof
    (since_now u w j). destruct (d <? _), (e <? _); intros E; try (apply Ap; lia); lia. Qed.

Lemma foreseen_is_a_difference N idle need : tells_apart N idle -> differences_of N (foreseen idle need).
Proof. unfold differences_of. intros Ap. intros. eapply differences; eauto. orders.
  - destruct (Nat.ltb_spec (wait v rest) (length rest)); simpl; auto. set (q := need (nth (wait v rest) rest u)).
    destruct (Nat.ltb_spec d q), (Nat.ltb_spec (S d) q); lia.
  - pose proof (wait_who v rest u) as Wv. pose proof (wait_who j rest u) as Wj. pose proof (Ap _ rest v j St' Hv Hj
    ltac:(lia) ltac:(lia)) as A. destruct (Nat.ltb_spec (wait v rest) (length rest)), (Nat.ltb_spec (wait j rest)
    (length rest)); simpl; try destruct (d <? _); try destruct (e <? _); intros E; try (apply A; lia); try lia.
    rewrite <- Wv, <- Wj, E by lia. reflexivity. Qed.

(* Row tiers.difference.belady. *)
Theorem belady_is_a_difference : forall N idle, tells_apart N idle -> differences_of N (belady_order idle).
Proof. intros N idle. apply foreseen_is_a_difference. Qed.

(* Row tiers.difference.tob.flat. *)
Theorem tail_optimized_is_a_difference : forall N idle xi, tells_apart N idle ->
  differences_of N (tail_optimized_order idle xi).
Proof. intros N idle xi. apply foreseen_is_a_difference. Qed.

(* The LRU cascade of Tiers.v, exclusive or inclusive, where conversations grow: what its tiers have is forced by
   what TiersBudgets.v says of full tiers. *)
Lemma one_lru N w size A B : within (past w) A -> sum N A <= size ->
  (forall v, v < N -> A v < past w v -> forall j, j < N -> came w j < came w v -> A j = 0) ->
  (forall v, v < N -> B v < past w v -> size <= B v + newer N w v (past w)) ->
  forall v, v < N -> A v <= B v.
Proof. intros WA SA FA FB v Hv. destruct (le_lt_dec (A v) (B v)) as [|L]; auto. exfalso. specialize (WA v).
  specialize (FB v Hv ltac:(lia)). enough (A v + newer N w v (past w) <= sum N A) by lia. apply gather; auto.
  intros j Hj Cj. destruct (le_lt_dec (past w j) (A j)) as [|G]; auto. rewrite (FA j Hj G v Hv Cj) in L. lia. Qed.

Section LruCascade.
Variables N K k : nat.
Variable C : nat -> nat.
Variable inclusive : bool.
Hypothesis larger : inclusive = true -> forall i, C i <= C (S i).
Hypothesis k_K : k < K.
Definition one_size : nat -> nat := fun _ => capacity C inclusive (S k).
Notation sound_K := (sound N K C inclusive).
Notation full_K := (full N K C inclusive (fun _ => past)).
Notation sound_1 := (sound N 1 one_size false).
Notation full_1 := (full N 1 one_size false (fun _ => past)).

Lemma cascade_finds : forall us w Z X of_tiers of_cache,
  sound_K w Z -> full_K w Z -> sound_1 w X -> full_1 w X -> trace N w us -> grow w us ->
  replays (lru_tiers N C inclusive K) (fun Z u => sum (S k) (found Z u)) w Z us of_tiers ->
  replays (lru_tiers N one_size false 1) (fun X u => reused (X 0) u) w X us of_cache -> of_tiers = of_cache.
Proof. assert (ow : forall (k : nat) u w v, v <> who u -> past (serve u w) v = past w v) by (intros ? u w v n;
  simpl; now rewrite upd_neq). induction us as [|u us IH]; intros w Z X xs ys SZ FZ SX FX Tr Gr RZ RX.
  - inversion RZ; inversion RX; auto.
  - destruct Tr as (Nu & Hu & Tr). destruct Gr as (Gu & Gr). inversion RZ as [|? ? ? ? Z' zs CZ RZ']; subst.
    inversion RX as [|? ? ? ? X' xs' CX RX']; subst. f_equal.
    + apply reused_together. pose proof (s_within _ _ _ _ _ _ SZ (S k) k_K) as WZ. pose proof (s_within _ _ _ _ _ _
      SX 1 (le_n _)) as WX. pose proof (s_fits _ _ _ _ _ _ SZ (S k) k_K) as LZ. pose proof (s_fits _ _ _ _ _ _ SX 1
      (le_n _)) as LX. apply Nat.le_antisymm; [apply (one_lru N w _ (X 0) _ WX LX)|apply (one_lru N w _ _ (X 0) WZ
      LZ)]; auto; intros v Hv L; first [apply (FX 0 v ltac:(lia) Hv L)|apply (FZ k v k_K Hv L)].
    + apply (IH (serve u w) Z' X'); auto.
      * apply (step_sound N K C inclusive false larger (fun _ => past) w u us Z Z'); auto.
      * apply (step_full N K C inclusive false larger (fun _ => past)) with (us := us) (Z := Z); auto.
      * apply (step_sound N 1 one_size false false ltac:(discriminate) (fun _ => past) w u us X X'); auto.
      * apply (step_full N 1 one_size false false ltac:(discriminate) (fun _ => past)) with (us := us) (Z := X);
        auto. Qed.
End LruCascade.

(* Rows tiers.lru.difference, .three and .inclusive, where conversations grow. *)
Theorem lru_cascade_is_one_lru : forall N K C inclusive k us of_tiers of_cache,
  (inclusive = true -> forall i, C i <= C (S i)) -> k < K -> trace N nobody us -> grow nobody us ->
  replays (lru_tiers N C inclusive K) (fun Z u => sum (S k) (found Z u)) nobody nothing us of_tiers ->
  replays (lru_tiers N (fun _ => capacity C inclusive (S k)) false 1) (fun X u => reused (X 0) u)
    nobody nothing us of_cache ->
  of_tiers = of_cache.
Proof. intros N K C inc k us xs ys La Hk Tr Gr RZ RX. apply (cascade_finds N K k C inc La Hk us nobody nothing
  nothing); auto; try apply nothing_sound; try apply nothing_full; auto. Qed.
