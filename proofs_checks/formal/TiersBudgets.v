(* Budgets in any number of tiers that no tier raises: they are never worse than LRU in all tiers. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Policies Cuts Tiers.
Import ListNotations.

(* Together the tiers hold what they held, whichever tier it is in. *)
Lemma has_sum Z Z' i : (forall k, k < i -> within (has Z Z' k) (Z' k)) ->
  forall v, together i Z' v + has Z Z' i v = together (S i) Z v.
Proof. intros W v. unfold together. induction i; [simpl; lia|]. simpl in IHi |- *. pose proof (W i ltac:(lia) v).
  rewrite <- IHi; [lia|]. intros k Hk. apply W. lia. Qed.
Lemma arrive_sum u Z k v :
  together (S k) (arrive u Z) v = if v =? who u then history u + prompt u + response u else together (S k) Z v.
Proof. unfold together. induction k; simpl.
  - unfold arrive, fill, upd. simpl. destruct (v =? who u); auto.
  - simpl in IHk. rewrite IHk. unfold arrive, upd. simpl. destruct (v =? who u); lia. Qed.
Lemma together_up k Z v : together k Z v <= together (S k) Z v.
Proof. unfold together. simpl. lia. Qed.
Lemma together_mono k m Z v : k <= m -> together k Z v <= together m Z v.
Proof. induction 1; auto. pose proof (together_up m Z v). lia. Qed.
Lemma together_all N k Z : sum N (together (S k) Z) = sum N (together k Z) + sum N (Z k).
Proof. rewrite <- sum_add. reflexivity. Qed.

Lemma somewhere n f g : sum n f < sum n g -> exists j, j < n /\ f j < g j.
Proof. induction n; simpl; intros H; [lia|]. destruct (le_lt_dec (g n) (f n)); [|exists n; auto]. destruct IHn as
  (j & Hj & L); [lia|]. exists j. auto. Qed.

Section Newer.
Variable N : nat.
(* A sum over those that came later. *)
Definition newer (w : world) v f := sum N (fun j => if came w v <? came w j then f j else 0).
Lemma and_newer w v x f : v < N ->
  sum N (upd (fun j => if came w v <? came w j then f j else 0) v x) = x + newer w v f.
Proof. intros Hv. unfold newer. pose proof (sum_upd N (fun j => if came w v <? came w j then f j else 0) v x Hv) as
  U. cbn beta in U. rewrite Nat.ltb_irrefl in U. lia. Qed.
Lemma split w v X : stands N w -> within (past w) X -> v < N ->
  (forall j, j < N -> came w j < came w v -> X j = 0) -> sum N X <= X v + newer w v X.
Proof. intros St W Hv O. rewrite <- and_newer by auto. apply sum_le. intros j Hj. unfold upd. destruct
  (Nat.eqb_spec j v) as [->|n]; auto. destruct (Nat.ltb_spec (came w v) (came w j)); auto. destruct (le_lt_dec (X
  j) 0); auto. specialize (W j). destruct (Nat.eq_dec (came w j) (came w v)); [case n; apply (s_apart _ _ St);
  auto; apply (s_came _ _ St)|rewrite O]; lia. Qed.
Lemma gather w v X f : v < N -> (forall j, j < N -> came w v < came w j -> f j <= X j) ->
  X v + newer w v f <= sum N X.
Proof. intros Hv H. rewrite <- and_newer by auto. apply sum_le. intros j Hj. unfold upd. destruct (Nat.eqb_spec j
  v) as [->|n]; auto. destruct (Nat.ltb_spec (came w v) (came w j)); [auto|lia]. Qed.
Lemma newer_le w v f g : (forall j, j < N -> came w v < came w j -> f j <= g j) -> newer w v f <= newer w v g.
Proof. intros H. apply sum_le. intros j Hj. destruct (Nat.ltb_spec (came w v) (came w j)); auto. Qed.
Lemma newer_up u w v f g : stands N w -> v <> who u -> (forall j, f j <= g j) ->
  newer w v f <= newer (serve u w) v g.
Proof. intros St n H. apply sum_le. intros j Hj. simpl. rewrite (upd_neq _ _ v) by auto. destruct (Nat.ltb_spec
  (came w v) (came w j)); [|lia]. specialize (H j). destruct (Nat.eq_dec j (who u)) as [->|nj]; [rewrite
  upd_eq|rewrite upd_neq by auto].
  - pose proof (s_before _ _ St v). replace (came w v <? now w) with true by (symmetry; now apply Nat.ltb_lt). lia.
  - apply Nat.ltb_lt in H0. rewrite H0. lia. Qed.
Lemma past_up u w v : history u = past w (who u) -> past w v <= past (serve u w) v.
Proof. simpl. intros G. unfold upd. destruct (Nat.eqb_spec v (who u)) as [->|]; lia. Qed.
End Newer.

Section Facts.
Variables N size : nat.
Variable eager : bool.
Variable worth : nat -> nat.
Variable w : world.
Variable before : cache.
Notation cut := (tier_cut N eager size worth w before).
Notation within_worth X := (sum N (fun v => min (X v) (worth v - before v))).

Lemma cut_less X X' : cut X X' -> within X X' /\ sum N X' <= size.
Proof. induction 1 as [X D E | X v X' Hv Sv F R [IH D] | X v X' O NS Hv Ov R [IH D]]; split; auto; try (intros i;
  lia); intros i; specialize (IH i); revert IH; at_place v i; lia. Qed.
(* A tier that is full within what it is to hold stays full, and any full tier if only overflow goes. *)
Lemma stays_full X X' : cut X X' -> size <= within_worth X \/ (eager = false /\ size <= sum N X) ->
  size <= sum N X'.
Proof. induction 1 as [X D E | X v X' Hv Sv F R IH | X v X' O NS Hv Ov R IH]; intros H.
  - destruct H as [H|[_ H]]; auto. eapply Nat.le_trans; [exact H|]. apply sum_le. intros; lia.
  - apply IH. destruct H as [H|[H1 H2]].
    + left. eapply Nat.le_trans; [exact H|]. apply sum_le. intros i Hi. destruct Sv. at_place v i; lia.
    + right. split; auto. destruct F as [F|F]; [congruence|]. pose proof (sum_upd N X v (X v - 1) Hv). unfold lose.
      lia.
  - apply IH. left. pose proof (sum_upd N X v (X v - 1) Hv). destruct Ov as [Xv _]. apply Nat.le_trans with (sum N
    (lose X v)); [unfold lose; lia|]. apply sum_le. intros i Hi. specialize (NS i Hi). unfold surplus in NS.
    at_place v i; lia. Qed.
(* Who lost something has what it is to have, or the tier is full of newer ones and of no surplus. *)
Lemma who_lost X X' : cut X X' -> forall v, v < N -> X' v < X v ->
  worth v <= before v + X' v \/
  (size <= sum N X' /\ (forall j, j < N -> came w j < came w v -> X' j = 0) /\
   forall j, j < N -> X' j = 0 \/ before j + X' j <= worth j).
Proof. induction 1 as [X D E | X x X' Hx Sx F R IH | X x X' O NS Hx Ox R IH]; intros v Hv L; [lia|..]; pose proof
  (cut_less _ _ R) as [Le _].
  - specialize (IH v Hv). destruct (Nat.eq_dec v x) as [->|n].
    + unfold lose in IH at 1. rewrite upd_eq in IH. destruct Sx as [Xx Sx]. destruct (Nat.eq_dec (X' x) (X x - 1));
      [left; lia|]. apply IH. specialize (Le x). unfold lose in Le. rewrite upd_eq in Le. lia.
    + unfold lose in IH at 1. rewrite upd_neq in IH by auto. auto.
  - assert (Q : size <= sum N X'). { apply (stays_full _ _ R). left. pose proof (sum_upd N X x (X x - 1) Hx).
    destruct Ox as [Xx _]. apply Nat.le_trans with (sum N (lose X x)); [unfold lose; lia|]. apply sum_le. intros i
    Hi. specialize (NS i Hi). unfold surplus in NS. at_place x i; lia. } destruct (Nat.eq_dec v x) as [->|n].
    + right. split; [|split]; auto; intros j Hj; specialize (Le j); revert Le; at_place x j.
      * destruct Ox. lia.
      * intros Le Cj. destruct Ox as [_ Ox]. specialize (Ox j Hj). lia.
      * destruct Ox. specialize (NS x Hj). unfold surplus in NS. lia.
      * specialize (NS j Hj). unfold surplus in NS. lia.
    + apply (IH v Hv). unfold lose. rewrite upd_neq by auto. exact L. Qed.
(* Nobody loses what it is to have where all that is to be had fits. *)
Lemma no_loss X X' : cut X X' -> within_worth X <= size ->
  forall v, v < N -> X' v < X v -> worth v <= before v + X' v.
Proof. induction 1 as [X D E | X x X' Hx Sx F R IH | X x X' O NS Hx Ox R IH]; intros Fit v Hv L; [lia|..].
  - pose proof (proj1 (cut_less _ _ R) v) as Le. specialize (IH ltac:(eapply Nat.le_trans; [|exact Fit]; apply
    sum_le; intros i _; at_place x i; lia) v Hv). destruct Sx. revert Le IH. at_place x v; intros Le IH; [|auto].
    destruct (Nat.eq_dec (X' x) (X x - 1)); [lia|]. apply IH. lia.
  - exfalso. enough (sum N X <= within_worth X) by lia. apply sum_le. intros i Hi. specialize (NS i Hi). unfold
    surplus in NS. lia. Qed.
End Facts.

Section Cascade.
Variables N K : nat.
Variable C : nat -> nat.
Variables inclusive eager : bool.
Hypothesis larger : inclusive = true -> forall i, C i <= C (S i).
Notation room := (room N C inclusive).
Notation capacity := (capacity C inclusive).

Lemma room_fits i before x : sum N before <= capacity i -> x <= room i before ->
  sum N before + x <= capacity (S i).
Proof. unfold Tiers.room, Tiers.capacity. destruct inclusive; simpl; [|lia]. destruct i; [lia|]. pose proof (larger
  eq_refl i). lia. Qed.
Lemma room_full i before x : capacity i <= sum N before -> room i before <= x ->
  capacity (S i) <= sum N before + x.
Proof. unfold Tiers.room, Tiers.capacity. destruct inclusive; simpl; lia. Qed.

Variable worth : nat -> world -> nat -> nat.
Notation step := (tlru_tiers N C inclusive eager K worth).
Hypothesis falling : forall k w v, worth (S k) w v <= worth k w v.
Hypothesis of_the_past : forall k w v, worth k w v <= past w v.
Hypothesis own : forall k u w v, v <> who u -> worth k (serve u w) v = worth k w v.

Record sound (w : world) (Z : tiers) : Prop := {
  s_stands : stands N w;
  s_within : forall k, k <= K -> within (past w) (together k Z);
  s_fits : forall k, k <= K -> sum N (together k Z) <= capacity k;
  s_tier : inclusive = false -> forall k, k < K -> sum N (Z k) <= C k }.

Section Step.
Variables (w : world) (u : turn) (us : list turn) (Z Z' : tiers).
Hypothesis So : sound w Z.
Hypothesis Nu : who u < N.
Hypothesis R : step (serve u w) u us Z Z'.

Lemma step_less k : k < K -> within (has (arrive u Z) Z' k) (Z' k).
Proof. intros H. exact (proj1 (cut_less _ _ _ _ _ _ _ _ (R k H))). Qed.
Lemma step_sum k v : k < K -> together k Z' v + has (arrive u Z) Z' k v = together (S k) (arrive u Z) v.
Proof. intros H. apply has_sum. intros i Hi. apply step_less. lia. Qed.
Lemma step_down k v : k < K -> together (S k) Z' v <= together (S k) (arrive u Z) v.
Proof. intros H. rewrite <- (step_sum k v H). pose proof (step_less k H v). unfold together. simpl. lia. Qed.
Lemma step_sound : sound (serve u w) Z'.
Proof. destruct So as [St W F]. constructor.
  - apply (serve_stands N w u St Nu).
  - intros [|k] Hk v; [unfold together; simpl; lia|]. pose proof (step_down k v ltac:(lia)) as D. rewrite
    arrive_sum in D. specialize (W (S k) Hk v). simpl. unfold upd. destruct (v =? who u); lia.
  - intros k. induction k; intros Hk; [unfold together; simpl; rewrite sum_zero; lia|]. rewrite together_all. apply
    room_fits; [apply IHk; lia|]. exact (proj2 (cut_less _ _ _ _ _ _ _ _ (R k Hk))).
  - intros I k Hk. pose proof (proj2 (cut_less _ _ _ _ _ _ _ _ (R k Hk))) as Q. unfold Tiers.room in Q. rewrite I
    in Q. lia. Qed.

(* Where no tier is to hold more than the one before it: who has less than it is to have was evicted, so the
   first k tiers hold nothing less recent, and would have no room beside it for all pasts that are newer. *)
Definition full (w : world) (Z : tiers) := forall k v, k < K -> v < N -> together (S k) Z v < worth k w v ->
  capacity (S k) <= together (S k) Z v + newer N w v (past w) /\
  forall j, j < N -> came w j < came w v -> together (S k) Z j = 0.

Hypothesis Gr : history u = past w (who u).
Hypothesis F : full w Z.
Notation w' := (serve u w).
Notation has := (has (arrive u Z) Z').

Lemma kept k v : k < K -> together (S k) Z' v < worth k w' v -> has k v <= Z' k v ->
  v <> who u /\ together (S k) Z' v = together (S k) Z v /\ together (S k) Z v < worth k w v.
Proof. intros Hk L Ke. pose proof (step_sum k v Hk) as Sk. pose proof (step_less k Hk v). pose proof (of_the_past k
  w' v) as P. assert (E : together (S k) Z' v = together k Z' v + Z' k v) by reflexivity. rewrite arrive_sum in Sk.
  simpl in P. destruct (Nat.eqb_spec v (who u)) as [->|n]; [rewrite upd_eq in P; lia|]. rewrite own in L by auto.
  lia. Qed.
Lemma step_older k : k <= K -> forall v, v < N -> (forall i, k = S i -> together k Z' v < worth i w' v) ->
  forall j, j < N -> came w' j < came w' v -> together k Z' j = 0.
Proof. induction k as [|k IH]; intros Hk v Hv L j Hj Cj; [reflexivity|]. specialize (L k eq_refl). destruct
  (le_lt_dec (has k v) (Z' k v)) as [Ke|Lo].
  - destruct (kept k v Hk L Ke) as (n & _ & Lw). destruct (F k v Hk Hv Lw) as [_ O]. pose proof (step_down k j Hk)
    as D. rewrite arrive_sum in D. simpl in Cj. rewrite (upd_neq _ _ v) in Cj by auto. destruct (Nat.eqb_spec j
    (who u)) as [->|nj].
    + rewrite upd_eq in Cj. pose proof (s_before _ _ (s_stands _ _ So) v). lia.
    + rewrite upd_neq in Cj by auto. rewrite (O j Hj Cj) in D. lia.
  - assert (E : forall i, together (S k) Z' i = together k Z' i + Z' k i) by reflexivity. rewrite E in *. destruct
    (who_lost _ _ _ _ _ _ _ _ (R k Hk) v Hv Lo) as [B|(_ & O & _)]; [lia|]. rewrite (O j Hj Cj), (IH ltac:(lia) v
    Hv); auto. intros i ->. pose proof (falling i w' v). lia. Qed.
(* Where somebody lost that, the tiers are full: each overflows with what the one before it could not hold. *)
Lemma lost_full k : forall v, k < K -> v < N -> Z' k v < has k v -> together (S k) Z' v < worth k w' v ->
  capacity (S k) <= sum N (together (S k) Z').
Proof. induction k as [|k IH]; intros v Hk Hv Lo L; rewrite together_all; pose proof (R _ Hk) as Rk; cbn beta in
  Rk; destruct (who_lost _ _ _ _ _ _ _ _ Rk v Hv Lo) as [B|(Q & _)]; try (unfold together in *; simpl in *; lia).
  - apply room_full; auto. unfold Tiers.capacity. destruct inclusive; simpl; lia.
  - destruct (Bool.bool_dec inclusive true) as [I|I]; [unfold Tiers.room, Tiers.capacity in *; rewrite I in *;
    lia|]. apply room_full; auto. pose proof (no_loss _ _ _ _ _ _ _ _ Rk) as NL. destruct (somewhere N (Z (S k))
    (fun j => min (has (S k) j) (worth (S k) w' j - together (S k) Z' j))) as (j & Hj & G).
    + apply Nat.nle_gt. intros Fit. enough (worth (S k) w' v <= together (S k) Z' v + Z' (S k) v) by (unfold
      together in *; simpl in *; lia). apply NL; auto. eapply Nat.le_trans; [exact Fit|]. unfold Tiers.room. apply
      Bool.not_true_is_false in I. rewrite I. apply (s_tier _ _ So); auto.
    + apply (IH j); [lia|auto| |pose proof (falling k w' j); lia]. simpl Tiers.has in G. unfold arrive in G at 1.
      simpl in G. unfold upd in G. destruct (j =? who u); lia. Qed.
Lemma step_full : full w' Z'.
Proof. intros k v Hk Hv L. assert (O : forall j, j < N -> came w' j < came w' v -> together (S k) Z' j = 0). {
  apply step_older; auto. intros i [= <-]. exact L. } split; auto. destruct (le_lt_dec (has k v) (Z' k v)) as
  [Ke|Lo].
  - destruct (kept k v Hk L Ke) as (n & -> & Lw). destruct (F k v Hk Hv Lw) as [Fk _]. pose proof (newer_up N u w v
    (past w) (past w') (s_stands _ _ So) n (fun j => past_up u w j Gr)). lia.
  - eapply Nat.le_trans; [apply (lost_full k v); auto|]. eapply Nat.le_trans; [apply (split N w' v); auto; apply
    step_sound; auto|apply Nat.add_le_mono_l, newer_le; intros; apply (s_within _ _ step_sound); auto]. Qed.
End Step.

Lemma nothing_sound : sound nobody nothing.
Proof. assert (E : forall k v, together k nothing v = 0) by (intros; unfold together; apply sum_zero). constructor.
  - constructor; simpl; try lia.
  - intros k _ v. rewrite E. lia.
  - intros k _. rewrite (sum_ext N _ (fun _ => 0)); [rewrite sum_zero; lia|auto].
  - intros _ k _. unfold nothing, empty. rewrite sum_zero. lia. Qed.
Lemma nothing_full : full nobody nothing.
Proof. intros k v _ _ L. pose proof (of_the_past k nobody v) as P. simpl in P. lia. Qed.
End Cascade.

(* What a turn saves: in parts of a token, its found tokens by what it does not take to load them. *)
Section Saved.
Variables N K parts xi : nat.
Variable load : nat -> nat.
Hypothesis slower : forall i, load i <= load (S i) <= parts.
Definition saves k (Z : tiers) v := sum k (fun i => (parts - load i) * Z i v).

Lemma work_saves w Z u : (forall k, k <= K -> within (past w) (together k Z)) -> history u = past w (who u) ->
  work K parts load Z u + saves K Z (who u) = (history u + prompt u) * parts /\
  saves K Z (who u) <= history u * parts.
Proof. intros W G. unfold work. assert (E : forall k, k <= K -> sum k (found Z u) = together k Z (who u) /\ sum k
  (fun i => load i * found Z u i) + saves k Z (who u) = together k Z (who u) * parts). { induction k; intros Hk;
  [auto|]. destruct (IHk ltac:(lia)) as [E1 E2]. assert (Fk : found Z u k = Z k (who u)). { unfold found. pose
  proof (W (S k) Hk (who u)). pose proof (W k ltac:(lia) (who u)). rewrite !Nat.min_l by lia. unfold together.
  simpl. lia. } simpl. rewrite E1. unfold saves in *. simpl. rewrite Fk. unfold together in *. simpl. split;
  [lia|]. assert (load k <= parts) by (destruct (slower k); lia). replace ((sum k (fun i => Z i (who u)) + Z k (who
  u)) * parts) with (sum k (fun i => Z i (who u)) * parts + Z k (who u) * parts) by lia. rewrite <- E2. nia. }
  destruct (E K (le_n _)) as [E1 E2]. rewrite E1. pose proof (W K (le_n _) (who u)). assert (together K Z (who u) *
  parts <= history u * parts) by nia. split; [|lia]. replace ((history u + prompt u - together K Z (who u))
  * parts) with ((history u + prompt u) * parts - together K Z (who u) * parts) by nia. nia. Qed.
Lemma more_saves Z Y v : forall k c, (forall i, i < k -> c <= parts - load i) ->
  (forall i, i <= k -> together i Z v <= together i Y v) ->
  saves k Z v + c * together k Y v <= saves k Y v + c * together k Z v.
Proof. induction k; intros c Hc D; [unfold saves, together; simpl; lia|]. specialize (IHk (parts - load k)). pose
  proof (D (S k) (le_n _)) as Dk. pose proof (Hc k ltac:(lia)). assert (I : saves k Z v + (parts - load k) *
  together k Y v <= saves k Y v + (parts - load k) * together k Z v). { apply IHk; auto. intros i Hi. enough (load
  i <= load k) by lia. clear - Hi slower. induction Hi; [apply slower|]. destruct (slower m); lia. } unfold saves,
  together in *. simpl in *. nia. Qed.
Lemma last_saves Z v : forall k c, (forall i, i < k -> c <= parts - load i) -> c * together k Z v <= saves k Z v.
Proof. induction k; intros c Hc; unfold saves, together in *; simpl; [lia|]. specialize (IHk c ltac:(intros; apply
  Hc; lia)). pose proof (Hc k ltac:(lia)). nia. Qed.
Lemma scaled_enough l b y : l < parts -> scaled parts l b <= y -> b * parts <= (parts - l) * y.
Proof. unfold scaled. intros L H. pose proof (Nat.div_mod (b * parts + (parts - l - 1)) (parts - l) ltac:(lia)) as
  D. pose proof (Nat.mod_upper_bound (b * parts + (parts - l - 1)) (parts - l) ltac:(lia)). nia. Qed.
End Saved.

Section Comparison.
Variables N K parts xi : nat.
Variables C load : nat -> nat.
Variables inclusive eager : bool.
Hypothesis larger : inclusive = true -> forall i, C i <= C (S i).
Hypothesis slower : forall i, load i <= load (S i) <= parts.
Notation sound := (sound N K C inclusive).
Notation full := (full N K C inclusive).
Notation above := (above K parts xi load).
Definition all_past : nat -> world -> nat -> nat := fun _ => past.

(* LRU's tiers: where somebody has a token, all that is newer is there. *)
Lemma lru_newer w X k v j : full all_past w X -> sound w X -> k < K -> v < N -> j < N ->
  together (S k) X v >= 1 -> came w v < came w j -> together (S k) X j = past w j.
Proof. intros F So Hk Hv Hj Xv Cj. pose proof (s_within _ _ _ _ _ _ So (S k) Hk j). destruct (le_lt_dec (past w j)
  (together (S k) X j)); [lia|]. destruct (F k j Hk Hj l) as [_ O]. specialize (O v Hv Cj). lia. Qed.
Lemma budget_or_lru worth w Z X k v : full worth w Z -> sound w Z -> full all_past w X -> sound w X ->
  k < K -> v < N -> worth k w v <= together (S k) Z v \/ together (S k) X v <= together (S k) Z v.
Proof. intros FZ SZ FX SX Hk Hv. destruct (le_lt_dec (worth k w v) (together (S k) Z v)) as [|L]; auto. right.
  destruct (le_lt_dec (together (S k) X v) (together (S k) Z v)) as [|G]; auto. exfalso. destruct (FZ k v Hk Hv L)
  as [Fu _]. pose proof (s_fits _ _ _ _ _ _ SX (S k) Hk). enough (together (S k) X v + newer N w v (past w) <= sum
  N (together (S k) X)) by lia. apply gather; auto. intros j Hj Cj. rewrite (lru_newer w X k v j); auto; lia. Qed.

(* As much in every tier and the ones before it; or all that the budget asks for. *)
Lemma as_much_is_enough w Z X u : sound w Z -> sound w X -> history u = past w (who u) ->
  (forall k, k <= K -> together k X (who u) <= together k Z (who u)) -> above Z u <= above X u.
Proof. intros SZ SX G D. pose proof (more_saves parts load slower X Z (who u) K 0 ltac:(intros; lia) D). destruct
  (work_saves K parts load slower w Z u (s_within _ _ _ _ _ _ SZ) G) as [E _]. destruct (work_saves K parts load
  slower w X u (s_within _ _ _ _ _ _ SX) G) as [E' _]. unfold Tiers.above. lia. Qed.
Lemma budget_is_enough w Z u i : sound w Z -> history u = past w (who u) -> i < K -> load i < parts ->
  (past w (who u) > 0 -> prompt u <= guess w (who u)) -> past w (who u) > 0 ->
  scaled parts (load i) (past w (who u) + guess w (who u) - xi) <= together (S i) Z (who u) -> above Z u = 0.
Proof. intros SZ G Hi Li P Pp B. specialize (P Pp). pose proof (scaled_enough parts _ _ _ Li B) as E. pose proof
  (last_saves parts load Z (who u) (S i) (parts - load i)) as L. assert (Mo : forall j, j <= i -> load j <= load
  i). { intros j Hj. clear - Hj slower. induction Hj; auto. destruct (slower m); lia. } specialize (L ltac:(intros
  j Hj; specialize (Mo j ltac:(lia)); lia)). assert (M : saves parts load (S i) Z (who u) <= saves parts load K Z
  (who u)). { unfold saves. clear - Hi. induction Hi; auto. eapply Nat.le_trans; [exact IHHi|]. apply Nat.le_add_r.
  } destruct (work_saves K parts load slower w Z u (s_within _ _ _ _ _ _ SZ) G) as [E' _]. unfold Tiers.above.
  rewrite G in E'. nia. Qed.
Lemma more_or_less (f g : nat -> nat) n : (forall k, k <= n -> f k <= g k) \/ exists k, k <= n /\ g k < f k.
Proof. induction n as [|n [H|(k & Hk & L)]].
  - destruct (le_lt_dec (f 0) (g 0)); [left; intros k Hk; now replace k with 0 by lia | right; exists 0; auto].
  - destruct (le_lt_dec (f (S n)) (g (S n))); [left|right; exists (S n); auto]. intros k Hk. destruct (Nat.eq_dec k
    (S n)) as [->|]; auto. apply H. lia.
  - right. exists k. auto. Qed.

Variable worth : nat -> world -> nat -> nat.
Hypothesis falling : forall k w v, worth (S k) w v <= worth k w v.
Hypothesis of_the_past : forall k w v, worth k w v <= past w v.
Hypothesis own : forall k u w v, v <> who u -> worth k (serve u w) v = worth k w v.
Hypothesis at_last : forall w v, worth (K - 1) w v = scaled_budget xi parts (load (K - 1)) w v.
Hypothesis gains : load (K - 1) < parts.

Lemma one_turn w Z X u : full worth w Z -> sound w Z -> full all_past w X -> sound w X -> who u < N ->
  history u = past w (who u) -> (past w (who u) > 0 -> prompt u <= guess w (who u)) -> above Z u <= above X u.
Proof. intros FZ SZ FX SX Nu G P. destruct (more_or_less (fun k => together k X (who u)) (fun k => together k Z
  (who u)) K) as [H|(k & Hk & L)].
  - now apply (as_much_is_enough w).
  - destruct k; [unfold together in L; simpl in L; lia|]. destruct (budget_or_lru worth w Z X k (who u) FZ SZ FX SX
    Hk Nu) as [B|B]; [|lia]. pose proof (s_within _ _ _ _ _ _ SX (S k) Hk (who u)) as WX. assert (M : worth (K
    - 1) w (who u) <= worth k w (who u)). { assert (Q : k <= K - 1) by lia. revert Q. generalize (K - 1). clear -
      falling. induction 1; auto. pose proof (falling m w (who u)). lia. } rewrite at_last in M. unfold
      scaled_budget in M. pose proof (together_mono (S k) (S (K - 1)) Z (who u) ltac:(lia)) as U. rewrite
      (budget_is_enough w Z u (K - 1)); auto; lia. Qed.
Lemma every_turn : forall us w Z X of_tlru of_lru,
  full worth w Z -> sound w Z -> full all_past w X -> sound w X ->
  trace N w us -> grow w us -> covered w us ->
  replays (tlru_tiers N C inclusive eager K worth) above w Z us of_tlru ->
  replays (lru_tiers N C inclusive K) above w X us of_lru -> Forall2 le of_tlru of_lru.
Proof. induction us as [|u us IH]; intros w Z X xs ys FZ SZ FX SX Tr Gr Co RZ RX.
  - inversion RZ; inversion RX; constructor.
  - destruct Tr as (Nu & Hu & Tr). destruct Gr as (Gu & Gr). destruct Co as (Pu & Co). inversion RZ as [|? ? ? ? Z'
    zs CZ RZ']; subst. inversion RX as [|? ? ? ? X' xs' CX RX']; subst. constructor; [now apply (one_turn w)|].
    apply (IH (serve u w) Z' X'); auto.
    + apply (step_full N K C inclusive eager larger worth) with (us := us) (Z := Z); auto.
    + apply (step_sound N K C inclusive eager larger worth w u us Z Z'); auto.
    + apply (step_full N K C inclusive false larger all_past) with (us := us) (Z := X); auto. intros k u' w' v n.
      unfold all_past. simpl. now rewrite upd_neq.
    + apply (step_sound N K C inclusive false larger all_past w u us X X'); auto. Qed.
Lemma from_nothing us of_tlru of_lru : trace N nobody us -> grow nobody us -> covered nobody us ->
  replays (tlru_tiers N C inclusive eager K worth) above nobody nothing us of_tlru ->
  replays (lru_tiers N C inclusive K) above nobody nothing us of_lru -> Forall2 le of_tlru of_lru.
Proof. intros. apply (every_turn us nobody nothing nothing); auto; try apply nothing_full; try apply nothing_sound;
  auto. Qed.
End Comparison.

Lemma scaled_budget_own xi parts l u w v : v <> who u ->
  scaled_budget xi parts l (serve u w) v = scaled_budget xi parts l w v.
Proof. intros n. unfold scaled_budget. simpl. now rewrite !upd_neq. Qed.

Definition one_budget K parts xi load : nat -> world -> nat -> nat :=
  fun _ => scaled_budget xi parts (load (K - 1)).
(* Rows tiers.tlru.one-budget and .exact. Conversations grow, and no prompt is more than its estimate, which may
   change at every turn. T-LRU with the last tier's scaled budget in all tiers, of which there may be any number,
   has at most the LRU cascade's excess at every turn: exclusive tiers and inclusive ones, whichever surplus goes
   on overflow, or if all goes at once. *)
Theorem one_budget_never_worse : forall N K C inclusive eager parts xi load us of_tlru of_lru,
  (inclusive = true -> forall i, C i <= C (S i)) -> (forall i, load i <= load (S i) <= parts) ->
  load (K - 1) < parts -> trace N nobody us -> grow nobody us -> covered nobody us ->
  replays (tlru_tiers N C inclusive eager K (one_budget K parts xi load)) (above K parts xi load)
    nobody nothing us of_tlru ->
  replays (lru_tiers N C inclusive K) (above K parts xi load) nobody nothing us of_lru ->
  Forall2 le of_tlru of_lru.
Proof. intros N K C inc ea parts xi load us xs ys La Sl Ga Tr Gr Co RT RL. eapply from_nothing; eauto; unfold
  one_budget; auto.
  - intros k w v. unfold scaled_budget. lia.
  - intros; now apply scaled_budget_own. Qed.

Definition last_budget K parts xi load (k : nat) (w : world) (v : nat) :=
  if k <? K - 1 then past w v else scaled_budget xi parts (load (K - 1)) w v.
(* Rows tiers.tlru.last-tier, .three and .exact. The same for LRU in all tiers but the last, and T-LRU with the
   scaled budget in the last one. *)
Theorem last_tier_never_worse : forall N K C inclusive eager parts xi load us of_tlru of_lru,
  (inclusive = true -> forall i, C i <= C (S i)) -> (forall i, load i <= load (S i) <= parts) ->
  load (K - 1) < parts -> trace N nobody us -> grow nobody us -> covered nobody us ->
  replays (tlru_tiers N C inclusive eager K (last_budget K parts xi load)) (above K parts xi load)
    nobody nothing us of_tlru ->
  replays (lru_tiers N C inclusive K) (above K parts xi load) nobody nothing us of_lru ->
  Forall2 le of_tlru of_lru.
Proof. intros N K C inc ea parts xi load us xs ys La Sl Ga Tr Gr Co RT RL. eapply from_nothing; eauto; unfold
  last_budget.
  - intros k w v. unfold scaled_budget. destruct (Nat.ltb_spec (S k) (K - 1)), (Nat.ltb_spec k (K - 1)); lia.
  - intros k w v. unfold scaled_budget. destruct (k <? K - 1); lia.
  - intros k u w v n. rewrite scaled_budget_own by auto. simpl. now rewrite upd_neq.
  - intros w v. now rewrite Nat.ltb_irrefl. Qed.
