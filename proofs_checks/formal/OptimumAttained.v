(* The optimum is attained: the greedy can always be finished, so some plan is as good as every other one. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers FurthestEndFirst StatementF.
Import ListNotations.

Section Ex.
Variables T D C : nat. Variable blk : nat -> nat -> nat. Variables len need : nat -> nat. Hypothesis D_pos : D > 0.
Let M := M T D.
Notation rq := (rq D). Notation dp := (dp D).
Notation b0 := (b0 D blk len).
Notation sweep := (FurthestEndFirst.sweep M b0 rq (room C) (deepest T D blk len)).

Lemma sweep_exists : forall n t Dr, t + n = S T -> exists Dr', sweep T t Dr Dr'.
Proof.
  induction n; intros t Dr Ht.
  - replace t with (S T) by lia. exists Dr. constructor.
  - (* first drop at t until it fits: induction on the number of undropped intervals *)
    remember (cnt M (fun i => negb (Dr i))) as k eqn:K. revert Dr K.
    induction k as [k IHk] using lt_wf_ind; intros Dr K.
    destruct (le_lt_dec (FurthestEndFirst.load M b0 rq (fun i => negb (Dr i)) t) (room C t)) as [L|L].
    + destruct (IHn (S t) Dr ltac:(lia)) as [Dr' S1]. exists Dr'. apply sw_next; auto; lia.
    + destruct (argmax M (fun i => negb (Dr i) && FurthestEndFirst.cov b0 rq t i) (fun i => rq i * S D + dp i))
      as (I & HI & PI & Mx).
      { apply cnt_pos. unfold FurthestEndFirst.load in L. lia. }
      apply andb_prop in PI as [DI CI]. apply negb_true_iff in DI.
      assert (Bd : forall i, dp i < D) by (intros; unfold StatementF.dp; apply Nat.mod_upper_bound; lia).
      assert (Cmp : forall J, J < M -> Dr J = false -> FurthestEndFirst.cov b0 rq t J = true -> rq J * S D + dp J
        <= rq I * S D + dp I).
      { intros J HJ DJ CJ. apply Mx; auto. now rewrite DJ, CJ. }
      pose proof (cnt_upd M (fun i => negb (Dr i)) I false HI) as U. cbv beta in U. rewrite DI in U. simpl in U.
      destruct (IHk (cnt M (fun i => negb (upd Dr I true i)))) with (Dr := upd Dr I true) as [Dr' S1]; auto.
      { rewrite (cnt_ext M _ (upd (fun i => negb (Dr i)) I false)) by
          (intros i _; unfold upd; destruct (i =? I); auto). lia. }
      exists Dr'. apply sw_drop with (I := I); auto; [lia| |].
      * intros J HJ DJ CJ. specialize (Cmp J HJ DJ CJ). pose proof (Bd J). pose proof (Bd I). nia.
      * intros J HJ DJ CJ E. specialize (Cmp J HJ DJ CJ). rewrite E in Cmp. lia.
Qed.
End Ex.

(* Row forest.optimum, in one sentence. For every forest, capacity and vector of needs there is a plan that no plan
   beats: the proof takes the one that the greedy leaves. *)
Theorem optimum_attained NB T D C blk len need :
  (forall t, t < T -> len t <= D) -> D > 0 -> (forall t, t < T -> need t <= len t) ->
  (forall t d, t < T -> d < len t -> blk t d < NB) ->
  (forall t d d', t < T -> d < len t -> d' < len t -> blk t d = blk t d' -> d = d') ->
  (forall t d k, t < T -> S d < len t -> Model.reads blk len k (blk t (S d)) = true ->
    Model.reads blk len k (blk t d) = true) ->
  (forall t d, t < T -> d < need t -> from blk len t (blk t d) >= 1) ->
  exists best, plan NB T C blk len best /\ forall X, plan NB T C blk len X ->
    kept T blk need X <= kept T blk need best.
Proof.
  intros H1 H2 H3 H4 H5 H6 H7.
  destruct (sweep_exists T D C blk len H2 (S T) 0 (start D need) ltac:(lia)) as [Dr Sw].
  destruct (statement_F NB T D C blk len need H1 H2 H3 H4 H5 H6 H7 Dr Sw) as (U & P & G).
  exists (planned T D blk len Dr). split; auto. intros X PX. specialize (U X PX). lia.
Qed.
