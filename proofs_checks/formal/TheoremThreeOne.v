(* Theorem 3.1: T-LRU is never worse than LRU. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts.
Import ListNotations.

Section TheoremThreeOne.
Variables N C xi : nat.
Variable forced : bool.

(* What is kept of LRU's cache, up to the budget, is enough for its excess. *)
Lemma enough_is_kept w X Y u : within (past w) X -> within (past w) Y -> history u <= past w (who u) ->
  (past w (who u) > 0 -> prompt u <= guess w (who u)) ->
  (forall i, min (Y i) (budget xi w i) <= X i) -> excess xi X u <= excess xi Y u.
Proof. intros WX WY H P I. unfold excess, uncached, reused, budget in *. specialize (I (who u)). specialize (WX
  (who u)). specialize (WY (who u)). destruct (Nat.eq_dec (past w (who u)) 0); [lia|]. specialize (P ltac:(lia)).
  lia. Qed.

Lemma never_worse us w X exX exY : start N w X -> trace N w us -> covered w us ->
  run xi (tlru_partial N C forced xi) w X us exX -> run xi (lru N C forced) w X us exY -> Forall2 le exX exY.
Proof. intros St Tr Co. apply (side_by_side xi _ _ (fun w us X Y => exists M, together N w us M X Y /\ shape w
  (fun _ => False) M Y /\ forall i, min (Y i) (budget xi w i) <= X i)). 2:{ exists X. split; [now apply
  together_start|]. split; [intros i j _ _ _; auto | intros i; lia]. } clear. intros w u us X Y (M & To & Sh &
  I). destruct (together_turn _ _ _ _ _ _ _ To) as ((Hu & Pu & WX & WY) & K & To'). split; [now apply
  (enough_is_kept w)|]. intros X' Y' CX CY. exists (fill u M). pose proof (fill_shape N w u (fun _ => False) (fun
  _ => False) M Y (g_stands _ _ _ _ _ _ To) ltac:(auto) Sh) as Sh'. destruct To' as [St' WM' WX' WY' Tr Co].
  destruct (lru_cut N C forced _ _ _ _ _ _ K WM' CY WY' Sh') as (SY & DY & ShY & _). assert (WY2 : within (fill u
  M) Y') by (intros i; specialize (DY i); specialize (WY' i); lia). destruct (keeps N C forced (serve u w) (who
  u) (fill u M) (fun _ => False) Y' (fun i => min (Y' i) (budget xi (serve u w) i)) (budget xi (serve u w))
  at_once (fill u X) X') as (WX2 & I'); auto; try (intros; lia); try tauto.
  - intros i. specialize (DY i). unfold fill in *. destruct (Nat.eq_dec i (who u)) as [->|n]; [rewrite upd_eq in
    *; lia|]. rewrite upd_neq in * by auto. specialize (I i). unfold budget in *. simpl. rewrite !upd_neq by
    auto. lia.
  - split; [constructor; auto|]. auto. Qed.
End TheoremThreeOne.

(* Row theorem-31.per-request. T-LRU, however it trims, has at most LRU's excess at every turn: from any initial
   cache, with histories that may be shorter than the past, under optional and under forced caching. *)
Theorem theorem_31_per_request : forall N C xi forced w X us of_tlru of_lru,
  start N w X -> trace N w us -> covered w us ->
  run xi (tlru_partial N C forced xi) w X us of_tlru ->
  run xi (lru N C forced) w X us of_lru ->
  Forall2 le of_tlru of_lru.
Proof. intros. eapply never_worse; eauto. Qed.

Lemma total_le xs ys : Forall2 le xs ys -> total xs <= total ys.
Proof. unfold total. induction 1; simpl; lia. Qed.

(* Rows theorem-31 (forced is false) and theorem-31.forced (it is true). T-LRU with an estimate of at least every
   prompt that continues a conversation has a TEL of at most LRU's, on every trace from the same initial cache. *)
Theorem theorem_31 : forall N C xi forced w X us of_tlru of_lru,
  start N w X -> trace N w us -> covered w us ->
  run xi (tlru_partial N C forced xi) w X us of_tlru ->
  run xi (lru N C forced) w X us of_lru ->
  total of_tlru <= total of_lru.
Proof. intros. apply total_le. eapply theorem_31_per_request; eauto. Qed.
