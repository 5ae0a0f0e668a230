(* T-LRU is never worse than Threshold-LRU(xi - Q), and that is never worse than LRU. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts TheoremThreeOne.
Import ListNotations.

Section ThresholdLRU.
Variables N C xi Q : nat.
Variable forced : bool.
Hypothesis Qxi : Q <= xi.
Notation short := (short (xi - Q)).
Notation drop := (drop forced (xi - Q)).
Notation threshold_lru := (threshold_lru N C forced (xi - Q)).

Lemma drop_le w theta X : within X (drop w theta X).
Proof. intros i. unfold Policies.drop, drop_those. destruct (_ && _); lia. Qed.
Lemma drop_long w theta X i : short w i = false -> drop w theta X i = X i.
Proof. unfold Policies.drop, drop_those. intros ->. reflexivity. Qed.
Lemma short_iff w i : short w i = true <-> past w i <= xi - Q.
Proof. unfold Policies.short. apply Nat.leb_le. Qed.
Lemma exempt_iff theta v : exempt forced theta v = true <-> forced = true /\ v = theta.
Proof. unfold exempt. rewrite andb_true_iff, Nat.eqb_eq. reflexivity. Qed.
Lemma always_serve w u us : always Q w (u :: us) -> always Q (serve u w) us.
Proof. intros [G F]. inversion F; subst. split; auto. intros i. simpl. destruct (upd_case (guess w) (who u)
  (estimate u) i) as [[-> E]|[_ E]]; now rewrite E. Qed.

(* What LRU has of who is not short is enough for its excess: who is short has no excess. *)
Lemma long_is_enough w X Y u : always Q w [u] -> within (past w) X -> within (past w) Y ->
  history u <= past w (who u) -> (past w (who u) > 0 -> prompt u <= guess w (who u)) ->
  (forall i, short w i = false -> Y i <= X i) -> excess xi X u <= excess xi Y u.
Proof. intros [G _] WX WY H P I. rewrite G in P. unfold excess, uncached, reused. specialize (I (who u)).
  specialize (WX (who u)). specialize (WY (who u)). destruct (Nat.eq_dec (past w (who u)) 0); [lia|]. specialize
  (P ltac:(lia)). destruct (short w (who u)) eqn:S; [apply short_iff in S; lia|]. specialize (I eq_refl). lia.
  Qed.

(* X is Threshold-LRU's cache, Y is LRU's. *)
Lemma threshold_never_worse us w X exX exY : start N w X -> trace N w us -> covered w us -> always Q w us ->
  run xi threshold_lru w X us exX -> run xi (lru N C forced) w X us exY -> Forall2 le exX exY.
Proof. intros St Tr Co Al. apply (side_by_side xi _ _ (fun w us X Y => exists M, together N w us M X Y /\ shape w
  (fun _ => False) M Y /\ always Q w us /\ forall i, short w i = false -> Y i <= X i)). 2:{ exists X. split; [now
  apply together_start|]. repeat split; try apply Al; auto. } clear -Qxi. intros w u us X Y (M & To & Sh & Al &
  I). destruct (together_turn _ _ _ _ _ _ _ To) as ((Hu & Pu & WX & WY) & K & To'). split. { apply
  (long_is_enough w); auto. destruct Al as [G F]. inversion F; subst. split; auto. } intros X' Y' CX CY. exists
  (fill u M). pose proof (fill_shape N w u (fun _ => False) (fun _ => False) M Y (g_stands _ _ _ _ _ _ To)
  ltac:(auto) Sh) as Sh'. destruct To' as [St' WM' WX' WY' Tr Co]. destruct (lru_cut N C forced _ _ _ _ _ _ K WM'
  CY WY' Sh') as (SY & DY & ShY & _). assert (WY2 : within (fill u M) Y') by (intros i; specialize (DY i);
  specialize (WY' i); lia). destruct (keeps N C forced (serve u w) (who u) (fill u M) (fun _ => False) Y' (fun i
  => if short (serve u w) i then 0 else Y' i) (past (serve u w)) at_once (drop (serve u w) (who u) (fill u X))
  X') as (WX2 & I'); auto; try tauto.
  - intros i. destruct (short _ i); lia.
  - intros i. specialize (WM' i). specialize (WY2 i). destruct (short _ i); lia.
  - intros i. pose proof (drop_le (serve u w) (who u) (fill u X) i). specialize (WX' i). lia.
  - intros i. destruct (short (serve u w) i) eqn:S; [lia|]. rewrite drop_long by auto. specialize (DY i). unfold
    fill in *. destruct (Nat.eq_dec i (who u)) as [->|n]; [rewrite upd_eq in *; lia|]. rewrite upd_neq in
    * by auto. specialize (I i). unfold Policies.short in *. simpl in S. rewrite upd_neq in S by auto. specialize
      (I S). lia.
  - split; [constructor; auto|]. repeat split; auto; try apply (always_serve w u us Al). intros i S. specialize
    (I' i). rewrite S in I'. exact I'. Qed.

(* X is T-LRU's cache, Y is Threshold-LRU's. *)
Lemma tlru_never_worse_than_threshold us w X exX exY : start N w X -> trace N w us -> covered w us ->
  always Q w us ->
  run xi (tlru N C forced xi) w X us exX -> run xi threshold_lru w X us exY -> Forall2 le exX exY.
Proof. intros St Tr Co Al. apply (side_by_side xi _ _ (fun w us X Y => exists M, together N w us M X Y /\ shape w
  (fun j => short w j = true) M Y /\ always Q w us /\ forall i, min (Y i) (budget xi w i) <= X i)). 2:{ exists X.
  split; [now apply together_start|]. repeat split; try apply Al; auto. intros i. lia. } clear -Qxi. intros w u
  us X Y (M & To & Sh & Al & I). destruct (together_turn _ _ _ _ _ _ _ To) as ((Hu & Pu & WX & WY) & K & To').
  split; [now apply (enough_is_kept xi w)|]. intros X' Y' CX CY. exists (fill u M). assert (Sh1 : shape (serve u
  w) (fun j => short (serve u w) j = true) (fill u M) (fill u Y)). { apply (fill_shape N w u (fun j => short w j
  = true)); auto; [apply To|]. intros j nj. unfold Policies.short. simpl. now rewrite upd_neq by auto. } assert
  (Sh2 : shape (serve u w) (fun j => short (serve u w) j = true) (fill u M) (drop (serve u w) (who u) (fill u
  Y))). { intros i j Hi Hj Bj. rewrite drop_long by (now apply not_true_is_false). apply (Sh1 i j); auto. pose
  proof (drop_le (serve u w) (who u) (fill u Y) i). lia. } destruct To' as [St' WM' WX' WY' Tr Co]. assert (DD :
  within (fill u M) (drop (serve u w) (who u) (fill u Y))). { intros i. pose proof (drop_le (serve u w) (who u)
  (fill u Y) i). specialize (WY' i). lia. } destruct (lru_cut N C forced _ _ _ _ _ _ K WM' CY DD Sh2) as (SY & DY
  & ShY & FY). assert (WY2 : within (fill u M) Y'). { intros i. specialize (DY i). specialize (DD i). lia. }
  assert (Al' := always_serve _ _ _ Al). destruct (keeps N C forced (serve u w) (who u) (fill u M) (fun j =>
  short (serve u w) j && negb (exempt forced (who u) j) = true) Y' (fun i => min (Y' i) (budget xi (serve u w)
  i)) (budget xi (serve u w)) (no_surplus N forced (who u) (budget xi (serve u w))) (fill u X) X') as (WX2 & I');
  auto; try (intros; lia).
  - intros i j Hi Hj Bj. apply not_true_is_false in Bj. apply andb_false_iff in Bj as [B|B].
    + apply (ShY i j); auto. now rewrite B.
    + apply negb_false_iff in B. assert (B' := B). apply exempt_iff in B' as [Fo ->]. rewrite (FY Fo). unfold
      Policies.drop, drop_those. rewrite B, andb_false_r. unfold fill. now rewrite !upd_eq.
  - intros Z WZ Rd j B. apply andb_prop in B as [S E]. apply negb_true_iff in E. apply short_iff in S. destruct
    (le_lt_dec N j) as [L|L]. { specialize (WZ j). specialize (WM' j). rewrite (s_inside _ _ St' j L) in WM'.
    lia. } assert (Ml : may_lose forced (who u) j). { intros Fo ->. rewrite (proj2 (exempt_iff (who u) (who u)))
    in E by auto. discriminate. } specialize (Rd j L Ml). unfold budget in Rd. destruct Al' as [G _]. rewrite (G
    j) in Rd. lia.
  - intros j. destruct (short (serve u w) j && negb (exempt forced (who u) j)); auto.
  - intros i. specialize (DY i). pose proof (drop_le (serve u w) (who u) (fill u Y) i). unfold fill in *.
    destruct (Nat.eq_dec i (who u)) as [->|n]; [rewrite upd_eq in *; lia|]. rewrite upd_neq in * by auto.
    specialize (I i). unfold budget in *. simpl. rewrite !upd_neq by auto. lia.
  - split; [constructor; auto|]. repeat split; auto; apply Al'. Qed.
End ThresholdLRU.

(* Rows theorem-31.threshold-lru.first and .partial (surplus goes in any order, as much as is needed). Where xi is
   at least Q, the estimate of every turn, T-LRU has at most the excess of Threshold-LRU(xi - Q) at every turn:
   optional and forced, any initial cache. *)
Theorem tlru_below_threshold_lru : forall N C xi Q forced w X us of_tlru of_threshold,
  Q <= xi -> always Q w us -> start N w X -> trace N w us -> covered w us ->
  run xi (tlru N C forced xi) w X us of_tlru ->
  run xi (threshold_lru N C forced (xi - Q)) w X us of_threshold ->
  Forall2 le of_tlru of_threshold.
Proof. intros N C xi Q forced w X us xs ys L Al St Tr Co. now apply tlru_never_worse_than_threshold with (Q :=
  Q). Qed.

(* Row theorem-31.threshold-lru.second. Where xi is at least Q, Threshold-LRU(xi - Q) has at most LRU's excess at
   every turn: optional and forced, any initial cache. *)
Theorem threshold_lru_below_lru : forall N C xi Q forced w X us of_threshold of_lru,
  Q <= xi -> always Q w us -> start N w X -> trace N w us -> covered w us ->
  run xi (threshold_lru N C forced (xi - Q)) w X us of_threshold ->
  run xi (lru N C forced) w X us of_lru ->
  Forall2 le of_threshold of_lru.
Proof. intros N C xi Q forced w X us xs ys L Al St Tr Co. now apply threshold_never_worse with (Q := Q). Qed.

(* Row theorem-31.threshold-lru. Where xi is at least the upper bound Q, the TEL of T-LRU is at most that of
   Threshold-LRU(xi - Q), and that is at most the TEL of LRU. *)
Theorem theorem_31_threshold_lru : forall N C xi Q forced w X us of_tlru of_threshold of_lru,
  Q <= xi -> always Q w us -> start N w X -> trace N w us -> covered w us ->
  run xi (tlru N C forced xi) w X us of_tlru ->
  run xi (threshold_lru N C forced (xi - Q)) w X us of_threshold ->
  run xi (lru N C forced) w X us of_lru ->
  total of_tlru <= total of_threshold /\ total of_threshold <= total of_lru.
Proof. intros. split; apply total_le; [eapply tlru_below_threshold_lru | eapply threshold_lru_below_lru]; eauto.
  Qed.
