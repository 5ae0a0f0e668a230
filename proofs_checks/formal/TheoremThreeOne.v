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
Proof.
  intros WX WY H P I. unfold excess, uncached, reused, budget in *.
  specialize (I (who u)). specialize (WX (who u)). specialize (WY (who u)).
  destruct (Nat.eq_dec (past w (who u)) 0); [lia|]. specialize (P ltac:(lia)). lia.
Qed.

Lemma never_worse : forall us w M X Y exX exY,
  stands N w -> within (past w) M -> within M X -> within M Y -> shape w (fun _ => False) M Y ->
  (forall i, min (Y i) (budget xi w i) <= X i) -> trace N w us -> covered w us ->
  run xi (lru N C forced) w Y us exY -> run xi (tlru_partial N C forced xi) w X us exX -> Forall2 le exX exY.
Proof.
  induction us as [|u us IH]; intros w M X Y exX exY St WM WX WY Sh I Tr Co RY RX.
  - inversion RY; inversion RX; constructor.
  - destruct Tr as (Nu & Hu & Tr). destruct Co as (Pu & Co).
    inversion RY as [|? ? ? ? Y' ysY CY RY']; subst. inversion RX as [|? ? ? ? X' xsX CX RX']; subst.
    constructor.
    + apply (enough_is_kept w); auto; intros i; [specialize (WX i) | specialize (WY i)]; specialize (WM i); lia.
    + destruct (serve_stands N w u St Nu) as (St' & K).
      assert (WM' : within (past (serve u w)) (fill u M)) by (exact (fill_le u M (past w) WM)).
      pose proof (fill_shape N w u (fun _ => False) (fun _ => False) M Y St ltac:(auto) Sh) as Sh'.
      destruct (lru_cut N C forced _ _ _ _ _ _ K WM' CY (fill_le u Y M WY) Sh') as (SY & DY & ShY & _).
      assert (WY' : within (fill u M) Y').
      { intros i. specialize (DY i). pose proof (fill_le u Y M WY i). lia. }
      destruct (keeps N C forced (serve u w) (who u) (fill u M) (fun _ => False) Y'
        (fun i => min (Y' i) (budget xi (serve u w) i)) (budget xi (serve u w)) at_once (fill u X) X')
        as (WX' & I'); auto; try (intros; lia); try tauto.
      * now apply fill_le.
      * intros i. specialize (DY i). unfold fill in *.
        destruct (Nat.eq_dec i (who u)) as [->|n]; [rewrite upd_eq in *; lia|].
        rewrite upd_neq in * by auto. specialize (I i). unfold budget in *. simpl.
        rewrite !upd_neq by auto. lia.
      * apply (IH (serve u w) (fill u M) X' Y' xsX ysY); auto.
Qed.
End TheoremThreeOne.

(* Row theorem-31.per-request. T-LRU, however it trims, has at most LRU's excess at every turn: from any initial
   cache, with histories that may be shorter than the past, under optional and under forced caching. *)
Theorem theorem_31_per_request : forall N C xi forced w X us of_tlru of_lru,
  start N w X -> trace N w us -> covered w us ->
  run xi (tlru_partial N C forced xi) w X us of_tlru ->
  run xi (lru N C forced) w X us of_lru ->
  Forall2 le of_tlru of_lru.
Proof.
  intros N C xi forced w X us xs ys St Tr Co RX RY. destruct (start_stands _ _ _ St) as (S & W).
  apply (never_worse N C xi forced us w X X X xs ys); auto; intros i; auto; lia.
Qed.

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
