(* Tail-Optimized Belady on shared prefixes as a program, for caches with holes: from any start that fits, with any
   number of requests that run. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest FurthestNext StatementF BlockPrograms.
Import ListNotations.

Section ForestForesight.
Variables NB T C r xi : nat.
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable at_first : nat -> bool.
Notation runs := (Forest.runs r blk len).
Notation next := (next_read T blk len).
Notation needs := (needs blk len ask total at_first xi).

(* What no next request needs goes first; then what is read next furthest away, of one request the deepest. *)
Definition idle t v := negb ((next t v <? T) && needs (next t v) v).
Definition place t v :=
  match find (fun d => blk (next t v) d =? v) (seq 0 (len (next t v))) with Some d => d | None => 0 end.
Definition deep := wide (S T) len.
Definition soon t v := (T - next t v) * S deep + (deep - place t v).
Definition cut_at t (X : nat -> bool) :=
  cut_blocks NB C (runs t) (table NB (idle t)) (table NB (soon t)) (cnt NB X) X.
(* The excesses of n requests from t on, if X is cached at the start of t. *)
Fixpoint excesses_from n t (X : nat -> bool) :=
  match n with
  | 0 => []
  | S n => total t - leads blk (fun _ => X) t (ask t) 0 - xi ::
      excesses_from n (S t) (cut_at (S t) (filled_with blk len t X))
  end.
Definition run_forest_tob := excesses_from T 0 at_first.

Hypothesis paths : forest NB T blk len ask.
Hypothesis fits : fitting NB T C r blk len.
Lemma least_leaves t Y v : t <= T -> least NB (runs t) (table NB (idle t)) (table NB (soon t)) Y v ->
  leaves_first NB T r blk len ask total at_first xi t Y v.
Proof. intros Ht ((V & M) & G). unfold may in *. apply andb_prop in M as [Yv Rv]. apply negb_true_iff in Rv.
  assert (Un : forall c, idle t c = true <-> unneeded T blk len ask total at_first xi t c). { intros c. unfold
  idle, unneeded. rewrite negb_true_iff. destruct (Nat.ltb_spec (next t c) T) as [L|L]; simpl; split; auto; try
  lia. } setoid_rewrite table_ok in G. split; [repeat split; auto|]. destruct G as [(S1 & _)|Mn]; [left; now
  apply Un|right]. assert (Mc : forall c, may_leave NB r blk len t Y c -> idle t c = false /\ soon t v <= soon t
  c). { intros c (Hc & Yc & Rc). apply Mn; auto. now rewrite Yc, Rc. } assert (Pl : forall c, next t c <= T /\
  place t c < deep). { intros c. pose proof (proj1 (next_spec T r (Model.reads blk len) c t Ht)) as [_ B]. change
  (next t c <= T) in B. split; auto. unfold place, deep. pose proof (wide_ok (S T) len (next t c) ltac:(lia)) as
  W. destruct (find _ _) as [d|] eqn:F; [|lia]. apply find_some in F as [F _]. apply in_seq in F. lia. } split;
  [intros c H U; apply Un in U; destruct (Mc c H); congruence|]. intros c H. destruct (Mc c H) as [I Le]. pose
  proof (Pl c) as [B1 B2]. pose proof (Pl v) as [B3 B4]. unfold soon in Le. split; [nia|]. intros E d e [Ld Ad]
  [Le' Ae]. rewrite E in Le. assert (L : next t v < T). { unfold idle in I. apply negb_false_iff in I. apply
  andb_prop in I as [I _]. apply Nat.ltb_lt in I. lia. } assert (At : forall x k, next t x = next t v -> k < len
  (next t v) -> blk (next t v) k = x -> place t x = k). { intros x k Ex Lk Ak. unfold place. rewrite Ex. destruct
  (find _ _) as [j|] eqn:F.
    - apply find_some in F as [F1 F2]. apply in_seq in F1. apply Nat.eqb_eq in F2. apply (f_path _ _ _ _ _ paths
      (next t v)); auto; [lia|congruence].
    - apply find_none with (x := k) in F; [|apply in_seq; lia]. apply Nat.eqb_neq in F. congruence. } rewrite <-
      (At c d E Ld Ad), <- (At v e eq_refl Le' Ae). lia. Qed.
Lemma cut_at_ok t X : t <= T -> forest_belady_cut NB T C r blk len ask total at_first xi t X (cut_at t X).
Proof. intros Ht. apply (cut_by_rule NB C (least NB (runs t) (table NB (idle t)) (table NB (soon t))) _ (fun _ =>
  True)); auto; [intros Y v _; now apply least_leaves|]. apply cut_blocks_ok; auto. eapply Nat.le_trans; [|exact
  (fits t Ht)]. apply cnt_le. intros v _ H. now apply andb_prop in H as [_ H]. Qed.
Fixpoint cached t := match t with 0 => at_first | S s => cut_at (S s) (filled_with blk len s (cached s)) end.
Lemma excesses_ok : forall n t, excesses_from n t (cached t) =
  map (fun t => total t - leads blk cached t (ask t) 0 - xi) (seq t n).
Proof. assert (E : forall t n d, leads blk (fun _ => cached t) t n d = leads blk cached t n d) by (induction n;
  intros d; simpl; auto; now rewrite IHn). induction n; intros t; simpl; auto. rewrite E. f_equal. apply (IHn (S
  t)). Qed.
End ForestForesight.

(* Rows forest.optimum, .forced and .running, the other half, and of the extracted program. Tail-Optimized Belady
   has a run on every forest on which what runs fits, whose excesses the program prints. *)
Theorem forest_belady_runs : forall NB T C r xi blk len ask total at_first, forest NB T blk len ask ->
  fitting NB T C r blk len -> exists X : nat -> nat -> bool,
  X 0 = at_first /\ (forall t, t < T -> forest_belady_cut NB T C r blk len ask total at_first xi (S t)
    (filled_with blk len t (X t)) (X (S t))) /\
  run_forest_tob NB T C r xi blk len ask total at_first =
    map (fun t => total t - leads blk X t (ask t) 0 - xi) (seq 0 T).
Proof. intros NB T C r xi blk len ask total at_first F Fit. exists (cached NB T C r xi blk len ask total
  at_first). split; [auto|split; [|apply (excesses_ok NB T C r xi blk len ask total at_first T 0)]]. intros t Ht.
  apply cut_at_ok; auto. Qed.
