(* The optimum is attained: the greedy can always be finished, so some plan is as good as every other one. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest FurthestEndFirst StatementF.
Import ListNotations.

Section Ex.
Variables NB T D C r : nat. Variable blk : nat -> nat -> nat. Variable len : nat -> nat. Hypothesis D_pos : D > 0.
Let M := M T D.
Notation rq := (rq D). Notation dp := (dp D).
Notation b0 := (b0 D r blk len).
Notation room := (room NB C r blk len).
Notation sweep := (FurthestEndFirst.sweep M b0 rq room (deepest T D r blk len)).

Lemma sweep_exists : forall n t Dr, t + n = S T -> exists Dr', sweep T t Dr Dr'.
Proof.
  induction n; intros t Dr Ht.
  - replace t with (S T) by lia. exists Dr. constructor.
  - (* first drop at t until it fits: induction on the number of undropped intervals *)
    remember (cnt M (fun i => negb (Dr i))) as k eqn:K. revert Dr K.
    induction k as [k IHk] using lt_wf_ind; intros Dr K.
    destruct (le_lt_dec (FurthestEndFirst.load M b0 rq (fun i => negb (Dr i)) t) (room t)) as [L|L].
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

Section Optimum.
Variables NB T D C r xi : nat.
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable at_first : nat -> bool.
Hypothesis paths : forest NB T blk len ask.
Hypothesis fits : fitting NB T C r blk len.
Hypothesis short : forall t, t < T -> len t < D.
Notation reads := (Model.reads blk len).
Notation leads := (leads blk).
Notation need := (needed blk len ask total at_first xi).
Notation plan := (plan NB T C r blk len at_first).
Notation tel := (forest_tel T blk ask total xi).
Notation greedy := (greedy NB T D C r blk len need).
Notation proved := (proved NB T D C r blk len need).

Lemma seen_ok t c : seen blk len at_first t c = true <-> at_first c = true \/ from blk len t c >= 1.
Proof.
  unfold seen. rewrite orb_true_iff. enough (existsb (fun k => reads k c) (seq 0 t) = true <->
    from blk len t c >= 1)
    by tauto. split.
  - intros E. apply existsb_exists in E as (k & K & R). apply in_seq in K.
    destruct (from blk len t c) eqn:F; [|lia]. rewrite (from_none blk len t) in R; [discriminate| |]; lia.
  - intros G. destruct (from blk len t c) eqn:F; [lia|]. apply (from_read blk len) in F as [K R].
    apply existsb_exists.
    exists n. split; auto. apply in_seq. lia.
Qed.
Lemma plan_seen X : plan X -> forall t c, t <= T -> X t c = true -> seen blk len at_first t c = true.
Proof.
  intros P. induction t; intros c Ht Xt; apply seen_ok.
  - left. now apply (p_first _ _ _ _ _ _ _ _ P).
  - destruct (p_step _ _ _ _ _ _ _ _ P t c ltac:(lia) Xt) as [H|H]; simpl; [|rewrite H; lia].
    apply IHt in H; [|lia]. apply seen_ok in H. destruct (reads t c); [lia|auto].
Qed.
Lemma tel_and_kept X : plan X -> tel X + kept T blk need X = sum T (fun t => total t - xi).
Proof.
  intros P. unfold forest_tel, kept. rewrite <- sum_add. apply sum_ext. intros t Ht.
  pose proof (leads_more blk X (seen blk len at_first) t (ask t) 0 (fun c => plan_seen X P t c ltac:(lia))) as L.
  pose proof (leads_le blk X t (ask t) 0) as A.
  assert (Nd : need t = min (min (ask t) (total t - xi)) (leads (seen blk len at_first) t (ask t) 0))
    by (apply leads_min; lia).
  rewrite (leads_min blk X t (need t) (ask t)) by lia. lia.
Qed.

Notation kept_by := (planned T D r blk len).
Lemma of_statement_F dropped : D > 0 -> greedy dropped ->
  plan (kept_by dropped) /\ (forall X, plan X -> tel (kept_by dropped) <= tel X) /\
  (forall X P, plan X -> sum T (fun t => total t - xi) <= tel X +
    proved P) /\
  exists P, sum T (fun t => total t - xi) = tel (kept_by dropped) +
    proved P.
Proof.
  intros D_pos G. destruct paths as [In Pa Tr As].
  assert (Dl : forall t, t < T -> len t <= D) by (intros t Ht; specialize (short t Ht); lia).
  assert (nl : forall t, t < T -> need t <= len t).
  { intros t Ht. specialize (As t Ht). unfold needed.
    pose proof (leads_le blk (seen blk len at_first) t (min (ask t) (total t - xi)) 0). lia. }
  assert (kn : forall t d, t < T -> d < need t -> from blk len t (blk t d) >= 1 \/ at_first (blk t d) = true).
  { intros t d Ht Hd. unfold needed in Hd. apply leads_in in Hd. apply seen_ok in Hd. simpl in Hd. tauto. }
  destruct (statement_F NB T D C r blk len need at_first Dl D_pos nl In Pa fits Tr kn dropped G) as (U & P & K).
  split; [exact P|]. pose proof (tel_and_kept _ P) as E. split; [|split].
  - intros X PX. specialize (U X PX). pose proof (tel_and_kept X PX). lia.
  - intros X S PX. pose proof (tel_and_kept X PX).
    pose proof (certificate_sound NB T D C r blk len need at_first Dl D_pos nl In Pa X S PX). lia.
  - destruct (certificate_F NB T D C r blk len need at_first Dl D_pos nl In Pa fits Tr kn dropped G) as (S & Eq).
    exists S. lia.
Qed.
End Optimum.

(* More than every path. *)
Definition wide T len := S (sum T len).
Lemma wide_ok T len t : t < T -> len t < wide T len.
Proof. intros H. unfold wide. pose proof (sum_ge T len t H). lia. Qed.

Section Rows.
Variables NB T C r xi : nat.
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable at_first : nat -> bool.
Notation D := (wide T len).
Notation need := (needed blk len ask total at_first xi).
Notation greedy := (greedy NB T D C r blk len need).
Notation kept_by := (planned T D r blk len).
Notation plan := (plan NB T C r blk len at_first).
Notation tel := (forest_tel T blk ask total xi).
Notation proved := (proved NB T D C r blk len need).
Notation uncached_tel := (sum T (fun t => total t - xi)).
Hypothesis paths : forest NB T blk len ask.
Hypothesis fits : fitting NB T C r blk len.

(* Rows forest.optimum (r = 0), .forced (r = 1) and .running, from any start, closed or not. What the greedy over
   reuse intervals keeps is a plan of least TEL. *)
Theorem forest_optimum : forall dropped, greedy dropped ->
  plan (kept_by dropped) /\ forall X, plan X -> tel (kept_by dropped) <= tel X.
Proof.
  intros dropped G. destruct (of_statement_F NB T D C r xi blk len ask total at_first paths fits (wide_ok T len)
    dropped ltac:(unfold wide; lia) G) as (P & B & _). auto.
Qed.

(* Rows forest.optimum.certificate and .certificate.forced. A set P of steps proves that: no plan has a TEL below
   what any set proves, and what the greedy keeps has the TEL that one of them proves. *)
Theorem forest_certificate : forall dropped, greedy dropped ->
  (forall P X, plan X -> uncached_tel <= tel X + proved P) /\
  exists P, uncached_tel = tel (kept_by dropped) + proved P.
Proof.
  intros dropped G. destruct (of_statement_F NB T D C r xi blk len ask total at_first paths fits (wide_ok T len)
    dropped ltac:(unfold wide; lia) G) as (_ & _ & S & E). auto.
Qed.

(* Row forest.optimum, in one sentence. On every forest the greedy comes to an end, and so some plan is beaten by
   no plan, and some set of steps proves it. *)
Theorem optimum_attained : exists best P, plan best /\
  (forall X, plan X -> tel best <= tel X) /\ uncached_tel = tel best + proved P.
Proof.
  destruct (sweep_exists NB T D C r blk len ltac:(unfold wide;
    lia) (S T) 0 (start D need) ltac:(lia)) as [dropped G].
  destruct (forest_optimum dropped G) as (P & B), (forest_certificate dropped G) as (_ & S & E).
  exists (kept_by dropped), S. auto.
Qed.
End Rows.
