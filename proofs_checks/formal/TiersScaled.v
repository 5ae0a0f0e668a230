(* Scaled budgets in two tiers, and T-LRU in the first of two: never worse than LRU in both. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Policies Cuts Tiers TiersBudgets.
Import ListNotations.

(* The estimate of a conversation stays the same. *)
Fixpoint steady (w : world) (us : list turn) : Prop :=
  match us with
  | [] => True
  | u :: us => (past w (who u) > 0 -> estimate u = guess w (who u)) /\ steady (serve u w) us
  end.

Section Two.
Variables N parts xi : nat.
Variables C load : nat -> nat.
Variables inclusive eager : bool.
Hypothesis larger : inclusive = true -> forall i, C i <= C (S i).
Hypothesis slower : forall i, load i <= load (S i) <= parts.
Hypothesis at_once : load 0 = 0.
Hypothesis gains : load 1 < parts.
Notation capacity := (capacity C inclusive).
Notation room := (room N C inclusive).
Notation sound := (sound N 2 C inclusive).

(* The second tier's budget is the scaled one, or everything. *)
Variable second : world -> nat -> nat.
Hypothesis of_the_past : forall w v, second w v <= past w v.
Hypothesis own : forall u w v, v <> who u -> second (serve u w) v = second w v.
Hypothesis enough : forall w v, second w v = past w v \/ second w v = scaled_budget xi parts (load 1) w v.
Definition first w v := scaled_budget xi parts (load 0) w v.
Definition worth (k : nat) := if k =? 0 then first else second.
Notation step := (tlru_tiers N C inclusive eager 2 worth).
Notation above := (above 2 parts xi load).

(* What the first budget leaves of a conversation. *)
Definition left w v := past w v - first w v.
Notation newer := (newer N).

Lemma first_is w v : first w v = min (past w v) (past w v + guess w v - xi).
Proof. unfold first, scaled_budget, scaled. rewrite at_once, Nat.sub_0_r. f_equal. symmetry. apply Nat.div_unique
  with (parts - 1); lia. Qed.
Lemma first_room Z : room 0 (together 0 Z) = capacity 1.
Proof. unfold Tiers.room, Tiers.capacity, together. destruct inclusive; simpl; auto. rewrite sum_zero. lia. Qed.
Lemma second_room before : sum N before <= capacity 1 -> capacity 2 - capacity 1 <= room 1 before.
Proof. unfold Tiers.room, Tiers.capacity. destruct inclusive; simpl; lia. Qed.

Record two (w : world) (Z : tiers) : Prop := {
  t_sound : sound w Z;
  t_eager : eager = true -> forall v, v < N -> Z 0 v <= first w v;
  t_full : forall v, v < N -> Z 0 v < first w v ->
    capacity 1 <= sum N (Z 0) /\ forall j, j < N -> came w j < came w v -> Z 0 j = 0;
  t_more : forall v, v < N -> first w v > 0 -> first w v <= Z 0 v -> second w v <= together 2 Z v \/
    first w v + (capacity 2 - capacity 1) <= together 2 Z v + newer w v (left w);
  t_less : forall v, v < N -> Z 0 v < first w v -> second w v <= together 2 Z v \/
    capacity 2 <= together 2 Z v + newer w v (past w) }.

Section Step.
Variables (w : world) (u : turn) (us : list turn) (Z Z' : tiers).
Hypothesis T : two w Z.
Hypothesis Nu : who u < N.
Hypothesis Gr : history u = past w (who u).
Hypothesis Sd : past w (who u) > 0 -> estimate u = guess w (who u).
Hypothesis R : step (serve u w) u us Z Z'.
Notation w' := (serve u w).
Lemma So : sound w Z.
Proof. exact (t_sound w Z T). Qed.
Lemma So' : sound w' Z'.
Proof. exact (step_sound N 2 C inclusive eager larger worth w u us Z Z' So Nu R). Qed.
Lemma St : stands N w.
Proof. exact (s_stands _ _ _ _ _ _ So). Qed.
Lemma St' : stands N w'.
Proof. exact (s_stands _ _ _ _ _ _ So'). Qed.

Lemma first_other v : v <> who u -> first w' v = first w v.
Proof. intros n. unfold first. now apply scaled_budget_own. Qed.
Lemma first_up v : first w v <= first w' v.
Proof. destruct (Nat.eq_dec v (who u)) as [->|n]; [|rewrite first_other; auto]. rewrite !first_is. simpl. rewrite
  !upd_eq. destruct (past w (who u)); [lia|]. rewrite Sd; lia. Qed.
Lemma left_up v : left w v <= left w' v.
Proof. unfold left. rewrite !first_is. simpl. destruct (Nat.eq_dec v (who u)) as [->|n]; [rewrite !upd_eq|rewrite
  !upd_neq; auto]. destruct (past w (who u)); [lia|]. rewrite Sd; lia. Qed.
Lemma in_first v : Z' 0 v <= arrive u Z 0 v.
Proof. exact (proj1 (cut_less _ _ _ _ _ _ _ _ (R 0 ltac:(lia))) v). Qed.
Lemma arrived v : arrive u Z 0 v = if v =? who u then past w' (who u) else Z 0 v.
Proof. unfold arrive, fill, upd. simpl. unfold upd. rewrite Nat.eqb_refl. destruct (v =? who u); auto. Qed.

(* A first tier that was full still is. *)
Lemma first_stays_full : capacity 1 <= sum N (Z 0) -> capacity 1 <= sum N (Z' 0).
Proof. intros F. rewrite <- (first_room Z') in *. apply (stays_full _ _ _ _ _ _ _ _ (R 0 ltac:(lia))). simpl has.
  destruct eager eqn:Ea; [left|right; split; auto]; (eapply Nat.le_trans; [exact F|]); apply sum_le; intros j Hj;
  rewrite arrived; pose proof (s_within _ _ _ _ _ _ So 1 ltac:(lia) j) as W; cbn in W; pose proof (past_up u w (who
  u) Gr).
  - pose proof (t_eager w Z T Ea j Hj). pose proof (first_up j). unfold worth. cbn [Nat.eqb]. unfold together; cbn
    [sum]. pose proof (first_is w' j). destruct (Nat.eqb_spec j (who u)) as [->|n]; lia.
  - destruct (Nat.eqb_spec j (who u)) as [->|n]; lia. Qed.
Lemma older_stay_out v : v <> who u -> (forall j, j < N -> came w j < came w v -> Z 0 j = 0) ->
  forall j, j < N -> came w' j < came w' v -> Z' 0 j = 0.
Proof. intros n O j Hj Cj. pose proof (in_first j) as L. rewrite arrived in L. simpl in Cj. rewrite (upd_neq _ _ v)
  in Cj by auto. destruct (Nat.eqb_spec j (who u)) as [->|nj].
  - rewrite upd_eq in Cj. pose proof (s_before _ _ St v). lia.
  - rewrite upd_neq in Cj by auto. rewrite (O j Hj Cj) in L. lia. Qed.
(* Who has less in the first tier than it is to have: the tier is full of it and newer ones; and if it lost that
   just now, of nothing above their budgets. *)
Lemma new_full v : v < N -> Z' 0 v < first w' v ->
  capacity 1 <= sum N (Z' 0) /\ (forall j, j < N -> came w' j < came w' v -> Z' 0 j = 0) /\
  ((v <> who u /\ Z 0 v < first w v) \/ forall j, j < N -> Z' 0 j <= first w' j).
Proof. intros Hv L. pose proof (R 0 ltac:(lia)) as R0. cbn beta in R0. simpl has in R0. destruct (le_lt_dec (arrive
  u Z 0 v) (Z' 0 v)) as [Ke|Lo].
  - rewrite arrived in Ke. destruct (Nat.eqb_spec v (who u)) as [->|n]. { rewrite first_is in L. lia. } rewrite
    first_other in L by auto. destruct (t_full w Z T v Hv ltac:(lia)) as [F O]. split; [now apply
    first_stays_full|]. split; [now apply older_stay_out|]. left. split; auto. lia.
  - destruct (who_lost _ _ _ _ _ _ _ _ R0 v Hv Lo) as [B|(Q & O & NS)].
    + unfold worth, together in B. cbn [Nat.eqb sum] in B. lia.
    + split; [|split]; auto.
      * now rewrite first_room in Q.
      * right. intros j Hj. destruct (NS j Hj) as [E|E]; [lia|]. exact E. Qed.
Lemma size_of_second : capacity 2 - capacity 1 <= room 1 (together 1 Z').
Proof. apply second_room. exact (s_fits _ _ _ _ _ _ So' 1 ltac:(lia)). Qed.
Lemma in_a_tier i : i < 2 -> within (past w') (Z' i).
Proof. intros Hi j. pose proof (s_within _ _ _ _ _ _ So' 2 (le_n _) j). unfold together in *. destruct i as [|[|]];
  simpl in *; lia. Qed.

Lemma new_more v : v < N -> first w' v > 0 -> first w' v <= Z' 0 v -> second w' v <= together 2 Z' v \/
  first w' v + (capacity 2 - capacity 1) <= together 2 Z' v + newer w' v (left w').
Proof. intros Hv P B. pose proof (R 1 ltac:(lia)) as R1. cbn beta in R1. pose proof (step_sum N 2 C inclusive eager
  worth w u us Z Z' Nu R 1 v ltac:(lia)) as Sv. destruct (cut_less _ _ _ _ _ _ _ _ R1) as [Le _]. specialize (Le
  v). assert (E : together 2 Z' v = together 1 Z' v + Z' 1 v) by reflexivity. destruct (le_lt_dec (has (arrive u Z)
  Z' 1 v) (Z' 1 v)) as [Ke|Lo].
  - rewrite arrive_sum in Sv. destruct (Nat.eqb_spec v (who u)) as [->|n].
    + left. pose proof (of_the_past w' (who u)) as O. simpl past in O. rewrite upd_eq in O. lia.
    + rewrite own by auto. rewrite first_other in P, B |- * by auto. pose proof (in_first v) as I. rewrite arrived
      in I. apply Nat.eqb_neq in n as n'. rewrite n' in I. destruct (t_more w Z T v Hv P ltac:(lia)) as [M|M];
      [left; lia|right]. pose proof (newer_up N u w v (left w) (left w') St n left_up). lia.
  - destruct (who_lost _ _ _ _ _ _ _ _ R1 v Hv Lo) as [M|(Q & O & _)]; [left; exact M|right]. pose proof (split N
    w' v (Z' 1) St' (in_a_tier 1 ltac:(lia)) Hv O) as Sp. assert (Nw : newer w' v (Z' 1) <= newer w' v (left w')).
    { apply newer_le. intros j Hj Cj. pose proof (s_within _ _ _ _ _ _ So' 2 (le_n _) j) as W. unfold together in
    W. cbn [sum] in W. unfold left. destruct (le_lt_dec (first w' j) (Z' 0 j)) as [|L]; [lia|]. destruct (new_full
    j Hj L) as (_ & Oj & _). rewrite (Oj v Hv Cj) in B. lia. } pose proof size_of_second. unfold together in E |-
    *. cbn [sum] in *. lia. Qed.
Lemma new_less v : v < N -> Z' 0 v < first w' v -> second w' v <= together 2 Z' v \/
  capacity 2 <= together 2 Z' v + newer w' v (past w').
Proof. intros Hv L. destruct (new_full v Hv L) as (F & O & How). pose proof (R 1 ltac:(lia)) as R1. cbn beta in R1.
  pose proof (step_sum N 2 C inclusive eager worth w u us Z Z' Nu R 1 v ltac:(lia)) as Sv. destruct (cut_less _ _ _
  _ _ _ _ _ R1) as [Le _]. specialize (Le v). assert (E : together 2 Z' v = together 1 Z' v + Z' 1 v) by
  reflexivity. assert (Fu : capacity 1 <= sum N (together 1 Z')) by exact F. destruct (le_lt_dec (has (arrive u Z)
  Z' 1 v) (Z' 1 v)) as [Ke|Lo].
  - rewrite arrive_sum in Sv. destruct (Nat.eqb_spec v (who u)) as [->|n]. { left. pose proof (of_the_past w' (who
    u)) as Op. simpl past in Op. rewrite upd_eq in Op. lia. } rewrite own by auto. rewrite first_other in L by
    auto. pose proof (newer_up N u w v (past w) (past w') St n (fun j => past_up u w j Gr)) as Np. destruct
    (le_lt_dec (first w v) (Z 0 v)) as [B|B].
    + destruct (t_more w Z T v Hv ltac:(lia) B) as [M|M]; [left; lia|right]. destruct How as [[_ How]|Wb]; [lia|].
      pose proof (newer_up N u w v (left w) (left w') St n left_up) as Nl. pose proof (split N w' v (Z' 0) St'
      (in_a_tier 0 ltac:(lia)) Hv O) as Sp. assert (Nw : newer w' v (Z' 0) + newer w' v (left w') <= newer w' v
      (past w')). { unfold newer. rewrite <- sum_add. apply sum_le. intros j Hj. destruct (_ <? _); [|lia].
      specialize (Wb j Hj). unfold left. rewrite first_is in *. lia. } lia.
    + destruct (t_less w Z T v Hv B) as [M|M]; [left; lia|right; lia].
  - destruct (who_lost _ _ _ _ _ _ _ _ R1 v Hv Lo) as [M|(Q & O1 & _)]; [left; exact M|right]. pose proof
    (room_full N C inclusive larger 1 (together 1 Z') (sum N (Z' 1)) Fu Q) as G. rewrite <- sum_add in G. eapply
    Nat.le_trans; [exact G|]. eapply Nat.le_trans; [apply (split N w' v _ St' (s_within _ _ _ _ _ _ So' 2 (le_n _))
    Hv)|].
    + intros j Hj Cj. unfold together. cbn [sum]. rewrite (O1 j Hj Cj), (O j Hj Cj). reflexivity.
    + apply Nat.add_le_mono_l, newer_le. intros j _ _. exact (s_within _ _ _ _ _ _ So' 2 (le_n _) j). Qed.
Lemma new_two : two w' Z'.
Proof. constructor.
  - apply So'.
  - intros Ea v Hv. pose proof (R 0 ltac:(lia)) as R0. cbn beta in R0. simpl has in R0. assert (G : forall X X',
    tier_cut N eager (room 0 (together 0 Z')) (worth 0 w') w' (together 0 Z') X X' -> forall j, j < N -> ~ surplus
    (worth 0 w') (together 0 Z') X' j) by (induction 1; auto). specialize (G _ _ R0 v Hv). unfold surplus, worth,
    together in G. cbn [Nat.eqb sum] in G. lia.
  - intros v Hv L. destruct (new_full v Hv L) as (F & O & _). auto.
  - apply new_more.
  - apply new_less. Qed.
End Step.

Notation sound_lru := (TiersBudgets.sound N 2 C inclusive).
Notation full_lru := (TiersBudgets.full N 2 C inclusive all_past).

Lemma one_turn w Z X u : two w Z -> full_lru w X -> sound_lru w X -> who u < N ->
  history u = past w (who u) -> (past w (who u) > 0 -> prompt u <= guess w (who u)) -> above Z u <= above X u.
Proof. intros T FX SX Nu G P. pose proof (t_sound w Z T) as SZ. set (v := who u) in *. assert (All : Z 0 v = past w
  v -> above Z u <= above X u). { intros E. apply (as_much_is_enough N 2 parts xi C load inclusive slower w); auto.
  fold v. intros k Hk. pose proof (s_within _ _ _ _ _ _ SX k Hk v). destruct k; [auto|]. pose proof (together_mono
  1 (S k) Z v ltac:(lia)) as M. unfold together in M at 1. cbn [sum] in M. lia. } pose proof (first_is w v) as Fi.
  pose proof (s_within _ _ _ _ _ _ SZ 1 ltac:(lia) v) as W1. pose proof (s_within _ _ _ _ _ _ SZ 2 ltac:(lia) v) as
  W2. unfold together in W1. cbn [sum] in W1. destruct (Nat.eq_dec (past w v) 0) as [E0|P0]; [apply All; lia|].
  destruct (le_lt_dec (first w v) (Z 0 v)) as [B|B].
  - destruct (Nat.eq_dec (Z 0 v) (past w v)) as [|n]; auto. rewrite (budget_is_enough N 2 parts xi C load inclusive
    slower w Z u 0); auto; try lia; fold v; try lia. unfold first, scaled_budget in B. unfold together. cbn [sum].
    lia.
  - destruct (t_full w Z T v Nu B) as [Fu Ol]. assert (Sum : forall k, k < 2 -> together (S k) X v >= 1 -> together
    (S k) X v + newer w v (past w) <= capacity (S k)). { intros k Hk Xv. pose proof (s_fits _ _ _ _ _ _ SX (S k)
    Hk). eapply Nat.le_trans; [apply gather; auto|eauto]. intros j Hj Cj. rewrite (lru_newer N 2 C inclusive w X k
    v j); auto. } assert (H1 : together 1 X v <= Z 0 v). { destruct (le_lt_dec (together 1 X v) 0); [lia|].
    specialize (Sum 0 ltac:(lia) ltac:(lia)). pose proof (split N w v (Z 0) (s_stands _ _ _ _ _ _ SZ) (s_within _ _
    _ _ _ _ SZ 1 ltac:(lia)) Nu Ol) as Sp. assert (newer w v (Z 0) <= newer w v (past w)). { apply newer_le. intros
    j _ _. exact (s_within _ _ _ _ _ _ SZ 1 ltac:(lia) j). } lia. } assert (H2 : together 2 X v <= together 2 Z v
    \/ second w v <= together 2 Z v). { destruct (t_less w Z T v Nu B) as [M|M]; [now right|left]. destruct
    (le_lt_dec (together 2 X v) 0); [lia|]. specialize (Sum 1 ltac:(lia) ltac:(lia)). lia. } assert (H2' : together
    2 X v <= together 2 Z v -> above Z u <= above X u). { intros H. apply (as_much_is_enough N 2 parts xi C load
    inclusive slower w); auto. fold v. intros k Hk. destruct k as [|[|k]]; [auto| |now replace k with 0 by lia].
    unfold together in *. cbn [sum] in *. lia. } destruct H2 as [H2|H2]; [auto|]. pose proof (s_within _ _ _ _ _ _
    SX 2 ltac:(lia) v). destruct (enough w v) as [E|E]; rewrite E in H2; [apply H2'; lia|]. destruct (Nat.eq_dec
    (together 2 Z v) (past w v)) as [|n]; [apply H2'; lia|]. rewrite (budget_is_enough N 2 parts xi C load
    inclusive slower w Z u 1); auto; try lia; fold v; try lia. unfold scaled_budget in H2. lia. Qed.
Lemma every_turn : forall us w Z X of_tlru of_lru, two w Z -> full_lru w X -> sound_lru w X ->
  trace N w us -> grow w us -> covered w us -> steady w us ->
  replays step above w Z us of_tlru -> replays (lru_tiers N C inclusive 2) above w X us of_lru ->
  Forall2 le of_tlru of_lru.
Proof. induction us as [|u us IH]; intros w Z X xs ys T FX SX Tr Gr Co Sd RZ RX.
  - inversion RZ; inversion RX; constructor.
  - destruct Tr as (Nu & Hu & Tr). destruct Gr as (Gu & Gr). destruct Co as (Pu & Co). destruct Sd as (Su & Sd).
    inversion RZ as [|? ? ? ? Z' zs CZ RZ']; subst. inversion RX as [|? ? ? ? X' xs' CX RX']; subst. constructor;
    [now apply (one_turn w)|]. apply (IH (serve u w) Z' X'); auto.
    + apply (new_two w u us Z Z'); auto.
    + apply (step_full N 2 C inclusive false larger all_past) with (us := us) (Z := X); auto. intros k u' w' v n.
      unfold all_past. simpl. now rewrite upd_neq.
    + apply (step_sound N 2 C inclusive false larger all_past w u us X X'); auto. Qed.
Lemma nothing_two : two nobody nothing.
Proof. assert (E : forall v, first nobody v = 0) by (intros; rewrite first_is; auto). constructor; [now apply
  nothing_sound| | | |].
  - intros _ v _. apply Nat.le_0_l.
  - intros v _ L. rewrite E in L. lia.
  - intros v _ P. rewrite E in P. lia.
  - intros v _ L. rewrite E in L. lia. Qed.
Lemma from_nothing us of_tlru of_lru :
  trace N nobody us -> grow nobody us -> covered nobody us -> steady nobody us ->
  replays step above nobody nothing us of_tlru ->
  replays (lru_tiers N C inclusive 2) above nobody nothing us of_lru -> Forall2 le of_tlru of_lru.
Proof. intros. apply (every_turn us nobody nothing nothing); auto; try apply nothing_two; try apply nothing_full;
  try apply nothing_sound; auto. Qed.
End Two.

Definition scaled_budgets parts xi load : nat -> world -> nat -> nat :=
  worth parts xi load (scaled_budget xi parts (load 1)).
(* Rows tiers.tlru.scaled, .least-recent, .eager, .inclusive and .inclusive.eager. Conversations grow, and no
   prompt is more than its conversation's estimate, which stays the same. In two tiers T-LRU with scaled budgets
   has at most the LRU cascade's excess at every turn, whichever surplus goes on overflow, or if all goes at
   once. *)
Theorem scaled_never_worse : forall N C inclusive eager parts xi load us of_tlru of_lru,
  (inclusive = true -> forall i, C i <= C (S i)) -> (forall i, load i <= load (S i) <= parts) ->
  load 0 = 0 -> load 1 < parts ->
  trace N nobody us -> grow nobody us -> covered nobody us -> steady nobody us ->
  replays (tlru_tiers N C inclusive eager 2 (scaled_budgets parts xi load)) (above 2 parts xi load)
    nobody nothing us of_tlru ->
  replays (lru_tiers N C inclusive 2) (above 2 parts xi load) nobody nothing us of_lru ->
  Forall2 le of_tlru of_lru.
Proof. intros. eapply from_nothing with (second := scaled_budget xi parts (load 1)); eauto.
  - intros w v. unfold scaled_budget. lia.
  - intros; now apply scaled_budget_own. Qed.

Definition first_budget parts xi load : nat -> world -> nat -> nat := worth parts xi load past.
(* Row tiers.tlru.first-tier. The same for T-LRU in the first tier and LRU in the second. *)
Theorem first_tier_never_worse : forall N C inclusive eager parts xi load us of_tlru of_lru,
  (inclusive = true -> forall i, C i <= C (S i)) -> (forall i, load i <= load (S i) <= parts) ->
  load 0 = 0 -> load 1 < parts ->
  trace N nobody us -> grow nobody us -> covered nobody us -> steady nobody us ->
  replays (tlru_tiers N C inclusive eager 2 (first_budget parts xi load)) (above 2 parts xi load)
    nobody nothing us of_tlru ->
  replays (lru_tiers N C inclusive 2) (above 2 parts xi load) nobody nothing us of_lru ->
  Forall2 le of_tlru of_lru.
Proof. intros. eapply from_nothing with (second := past); eauto. intros u w v n. simpl. now rewrite upd_neq. Qed.
