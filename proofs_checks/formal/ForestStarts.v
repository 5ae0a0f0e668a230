(* A start of a forest that is closed towards the root is worth what requests of total 0 in front are. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest Leads StatementF.

Section Starts.
Variables NB k T C r xi : nat.                (* k requests in front, then the T requests of the trace *)
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable start : nat -> bool.
Hypothesis paths : forest NB (k + T) blk len ask.
Notation reads := (Model.reads blk len).
(* Those in front read the start and nothing else, so that it is closed, and nothing of them counts. *)
Hypothesis in_front : forall c, start c = true <-> exists j, j < k /\ reads j c = true.
Hypothesis no_total : forall j, j < k -> total j = 0.
Hypothesis fits : cnt NB start <= C.
Hypothesis one_runs : r <= 1.
(* The trace alone, and plans for it from the start; plans for all requests from nothing. *)
Definition of_trace {A} (f : nat -> A) t := f (k + t).
Notation plan_from_start := (Forest.plan NB T C r (of_trace blk) (of_trace len) start).
Notation tel_from_start := (forest_tel T (of_trace blk) (of_trace ask) (of_trace total) xi).
Notation plan_of_all := (Forest.plan NB (k + T) C r blk len (fun _ => false)).
Notation tel_of_all := (forest_tel (k + T) blk ask total xi).

Lemma tel_split X : tel_of_all X = sum T (fun t => total (k + t) - leads blk X (k + t) (ask (k + t)) 0 - xi).
Proof. unfold forest_tel. rewrite sum_app, (sum_ext k _ (fun _ => 0)), sum_zero; auto. intros j Hj. now rewrite
  no_total. Qed.
Lemma leads_shift X Z t n : (forall c, Z t c = true -> X (k + t) c = true) -> forall d,
  leads (of_trace blk) Z t n d <= leads blk X (k + t) n d.
Proof. intros H. induction n; intros d; simpl; auto. unfold of_trace at 1. specialize (IHn (S d)). specialize (H
  (blk (k + t) d)). destruct (Z t _); [rewrite H by auto; lia|lia]. Qed.
Lemma leads_same X t n : forall d, leads (of_trace blk) (fun t => X (k + t)) t n d = leads blk X (k + t) n d.
Proof. induction n; intros d; simpl; auto. now rewrite IHn. Qed.
Lemma runs_shift t c : runs r (of_trace blk) (of_trace len) t c = true <->
  exists j, t - r <= j /\ j < t /\ reads (k + j) c = true.
Proof. exact (runs_ok (of_trace blk) (of_trace len) r t c). Qed.

Lemma rest_of_plan X : plan_of_all X -> plan_from_start (fun t => X (k + t)).
Proof. intros P. constructor.
  - intros c Xc. apply in_front. rewrite Nat.add_0_r in Xc. apply (plan_seen NB (k + T) C r blk len (fun _ =>
    false) X P k c ltac:(lia)) in Xc. apply existsb_exists in Xc as (j & Hj & R). apply in_seq in Hj. exists j.
    split; auto. lia.
  - intros t c Ht. rewrite Nat.add_succ_r. apply (p_step _ _ _ _ _ _ _ _ P). lia.
  - intros t Ht. apply (p_fits _ _ _ _ _ _ _ _ P). lia.
  - intros t c Ht H. apply runs_shift in H as (j & J & L & R). apply (p_runs _ _ _ _ _ _ _ _ P); [lia|]. apply
    runs_ok. exists (k + j). repeat split; auto; lia. Qed.
(* In front of a plan from the start all of the start that was read is cached. *)
Definition with_front (Z : nat -> nat -> bool) t c :=
  if t <=? k then start c && existsb (fun j => reads j c) (seq 0 t) else Z (t - k) c.
Lemma plan_with_front Z : plan_from_start Z -> plan_of_all (with_front Z) /\ tel_of_all (with_front Z) <=
  tel_from_start Z.
Proof. intros P. assert (At : forall c, start c && existsb (fun j => reads j c) (seq 0 k) = start c). { intros c.
  destruct (start c) eqn:S; auto. apply in_front in S as (j & Hj & R). apply existsb_exists. exists j. split;
  auto. apply in_seq. lia. } split; [constructor|].
  - intros c. unfold with_front. cbn. now rewrite andb_false_r.
  - intros t c Ht. unfold with_front. destruct (Nat.leb_spec (S t) k), (Nat.leb_spec t k); try lia.
    + rewrite seq_S, existsb_app. cbn. destruct (start c), (reads t c), (existsb _ _); auto.
    + assert (t = k) as -> by lia. rewrite At, Nat.sub_succ_l, Nat.sub_diag by lia. intros H1. destruct (p_step _
      _ _ _ _ _ _ _ P 0 c ltac:(lia) H1) as [H2|H2]; [left; exact (p_first _ _ _ _ _ _ _ _ P c H2)|right]. now
      rewrite <- (Nat.add_0_r k).
    + rewrite Nat.sub_succ_l by lia. intros H1. destruct (p_step _ _ _ _ _ _ _ _ P (t - k) c ltac:(lia) H1) as
      [|H2]; auto. right. now replace t with (k + (t - k)) by lia.
  - intros t Ht. unfold with_front. destruct (Nat.leb_spec t k); [|apply (p_fits _ _ _ _ _ _ _ _ P); lia]. eapply
    Nat.le_trans; [|exact fits]. apply cnt_le. intros c _ H1. now apply andb_prop in H1 as [H1 _].
  - intros t c Ht H. unfold with_front. apply runs_ok in H as (j & J & L & R). destruct (Nat.leb_spec t k).
    + apply andb_true_intro. split; [apply in_front; exists j; split; auto; lia|]. apply existsb_exists. exists
      j. split; auto. apply in_seq. lia.
    + apply (p_runs _ _ _ _ _ _ _ _ P); [lia|]. apply runs_shift. exists (j - k). repeat split; try lia. now
      replace (k + (j - k)) with j by lia.
  - rewrite tel_split. apply sum_le. intros t Ht. enough (leads (of_trace blk) Z t (ask (k + t)) 0 <= leads blk
    (with_front Z) (k + t) (ask (k + t)) 0) by (unfold of_trace in *; lia). apply leads_shift. intros c Zc.
    unfold with_front. destruct (Nat.leb_spec (k + t) k); [|now rewrite Nat.add_comm, Nat.add_sub]. assert (t =
    0) as -> by lia. rewrite Nat.add_0_r, At. exact (p_first _ _ _ _ _ _ _ _ P c Zc). Qed.

(* Rows forest.optimum.start (r = 0) and .forced (r = 1). Tail-Optimized Belady on all requests, from nothing, has
   the least TEL of any plan for the trace from the start. *)
Theorem closed_start_is_requests_in_front : forall X : nat -> nat -> bool, (forall c, X 0 c = false) ->
  (forall t, t < k + T -> forest_belady_cut NB (k + T) C r blk len ask total (fun _ => false) xi (S t)
    (filled_with blk len t (X t)) (X (S t))) ->
  (exists Z, plan_from_start Z /\ tel_from_start Z = tel_of_all X) /\
  forall Z, plan_from_start Z -> tel_of_all X <= tel_from_start Z.
Proof. intros X X0 Cut. destruct (forest_belady_is_optimal NB (k + T) C r xi blk len ask total (fun _ => false)
  paths ltac:(unfold cnt; rewrite sum_zero; lia) X X0 Cut) as [P Le]. split.
  - exists (fun t => X (k + t)). split; [now apply rest_of_plan|]. rewrite tel_split. apply sum_ext. intros t _.
    now rewrite leads_same.
  - intros Z PZ. destruct (plan_with_front Z PZ) as [PZ' L]. specialize (Le _ PZ'). lia. Qed.
End Starts.
