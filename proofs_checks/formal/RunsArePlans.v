(* What a policy caches in a run, turn by turn, is a plan of the run's TEL: so what holds of plans holds of
   policies. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Plans.
Import ListNotations.

(* The world after some turns. *)
Definition after (w : world) (us : list turn) := fold_left (fun w u => serve u w) us w.
Lemma now_after us : forall w, now (after w us) = now w + length us.
Proof. induction us as [|u us IH]; intros w; simpl; [lia|]. unfold after in *. simpl. rewrite IH. simpl. lia. Qed.

Lemma sum_first n f : sum (S n) f = f 0 + sum n (fun t => f (S t)).
Proof. induction n; simpl in *; [lia|]. rewrite IHn. lia. Qed.
Lemma firstn_next us : forall t, t < length us -> firstn (S t) us = firstn t us ++ [turn_at us t].
Proof. induction us as [|u us IH]; intros t Ht; simpl in Ht; [lia|]. destruct t; simpl; auto. f_equal. apply IH.
  lia. Qed.

Lemma states xi policy : forall us w X xs, run xi policy w X us xs -> exists Y : nat -> cache, Y 0 = X /\
  (forall t, t < length us ->
     policy (after w (firstn (S t) us)) (who (turn_at us t)) (fill (turn_at us t) (Y t)) (Y (S t))) /\
  total xs = sum (length us) (fun t => excess xi (Y t) (turn_at us t)).
Proof. induction us as [|u us IH]; intros w X xs R; inversion R as [|? ? ? ? X' ys K R']; subst.
  - exists (fun _ => X). repeat split; auto. simpl. lia.
  - destruct (IH _ _ _ R') as (Y & Y0 & St & E). exists (fun t => match t with 0 => X | S t => Y t end). repeat
    split.
    + intros [|t] Ht; simpl in Ht; [unfold after; simpl; rewrite Y0; exact K|]. apply (St t). lia.
    + cbn [length]. rewrite sum_first. unfold total in *. simpl. unfold turn_at in *. simpl. lia. Qed.

(* The past of i at turn t. *)
Section Past.
Variable past0 : cache.
Variable us : list turn.
Fixpoint past_at t i :=
  match t with 0 => past0 i | S s => if who (turn_at us s) =? i then filled us s else past_at s i end.
End Past.
Lemma trace_at N : forall us w, trace N w us -> forall t, t < length us ->
  who (turn_at us t) < N /\ history (turn_at us t) <= past (after w (firstn t us)) (who (turn_at us t)).
Proof. induction us as [|u us IH]; intros w Tr t Ht; simpl in *; [lia|]. destruct Tr as (W & H & Tr). destruct t;
  simpl; auto. apply IH; auto. lia. Qed.
Lemma whole_after : forall us w, whole w us -> forall t, t < length us ->
  history (turn_at us t) = past (after w (firstn t us)) (who (turn_at us t)).
Proof. induction us as [|u us IH]; intros w Wh t Ht; simpl in *; [lia|]. destruct Wh as (H & Wh). destruct t;
  simpl; auto. apply IH; auto. lia. Qed.
Lemma past_after w us : forall t i, t <= length us -> past (after w (firstn t us)) i = past_at (past w) us t i.
Proof. induction t; intros i Ht; auto. unfold after in *. cbn [past_at]. rewrite firstn_next, fold_left_app by
  lia. simpl. destruct (Nat.eqb_spec (who (turn_at us t)) i) as [<-|n]; [now rewrite upd_eq|]. rewrite upd_neq by
  auto. apply IHt. lia. Qed.
Lemma histories_at N us w : trace N w us -> forall t, t < steps us ->
  who (turn_at us t) < N /\ history (turn_at us t) <= past_at (past w) us t (who (turn_at us t)).
Proof. intros Tr t Ht. destruct (trace_at N us w Tr t Ht) as [A B]. split; auto. rewrite past_after in B by
  (unfold steps in Ht; lia). exact B. Qed.
Lemma whole_at us w : whole w us -> forall t, t < steps us ->
  history (turn_at us t) = past_at (past w) us t (who (turn_at us t)).
Proof. intros Wh t Ht. rewrite (whole_after us w Wh t Ht). apply past_after. unfold steps in Ht. lia. Qed.
