(* Statement F of docs/proofs-forest.md: on shared prefixes, in a cache with holes, Tail-Optimized Belady on blocks
   has the least TEL of any plan, and a set of steps proves it: from any start, with any number of requests that
   run. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Export Leads.
Require Import Numbers Forest FurthestNext.
Import ListNotations.

Section Policy.
Variables NB T C r xi : nat.
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable at_first : nat -> bool.
Hypothesis paths : forest NB T blk len ask.
Notation reads := (Model.reads blk len).
Notation reads_ok := (Model.reads_ok blk len).
Notation runs := (Forest.runs r blk len).
Notation need := (needed blk len ask total at_first xi).
Notation needs := (needs blk len ask total at_first xi).
Notation next := (next_read T blk len).
Notation unneeded := (unneeded T blk len ask total at_first xi).
Notation leaves_first := (leaves_first NB T r blk len ask total at_first xi).
Notation may_leave := (may_leave NB r blk len).
Notation leads := (leads blk).
Notation fplan := (Forest.plan NB T C r blk len at_first).
Notation tel := (forest_tel T blk ask total xi).

(* What is hit, as far as it is needed. *)
Definition hits_needed X := sum T (fun t => leads X t (need t) 0).
Lemma plan_seen X : fplan X -> forall t c, t <= T -> X t c = true -> seen blk len at_first t c = true.
Proof. intros P. unfold seen. induction t; intros c Ht Xt; apply orb_true_iff.
  - left. now apply (p_first _ _ _ _ _ _ _ _ P).
  - rewrite seq_S, existsb_app. simpl. destruct (p_step _ _ _ _ _ _ _ _ P t c ltac:(lia) Xt) as [H|H].
    + apply IHt in H; [|lia]. apply orb_prop in H as [H|H]; auto. right. now rewrite H.
    + right. rewrite H. simpl. apply orb_true_r. Qed.
Lemma tel_and_hits X : fplan X -> tel X + hits_needed X = sum T (fun t => total t - xi).
Proof. intros P. unfold forest_tel, hits_needed. rewrite <- sum_add. apply sum_ext. intros t Ht. pose proof
  (leads_more blk X (seen blk len at_first) t (ask t) 0 (fun c => plan_seen X P t c ltac:(lia))) as L. pose proof
  (leads_le blk X t (ask t) 0) as A. assert (Nd : need t = min (min (ask t) (total t - xi)) (leads (seen blk len
  at_first) t (ask t) 0)) by (apply leads_min; lia). rewrite (leads_min blk X t (need t) (ask t)) by lia. lia.
  Qed.

(* Blocks are items of amount 0 and 1. *)
Definition worth t c := b2n (needs t c).
Definition one (t c : nat) := 1.
Definition amounts (X : nat -> bool) c := b2n (X c).
Definition bound P := allowed NB T C r reads worth one 0 (amounts at_first) P.

Lemma next_same t c : FurthestNext.next T reads t c = next t c.
Proof. reflexivity. Qed.
Lemma since_read t c : since r reads t c > 0 -> exists k, k < t /\ reads k c = true /\ since r reads t c = S k + r.
Proof. induction t; simpl; [lia|]. destruct (reads t c) eqn:R; intros H; [exists t; repeat split; auto|].
  destruct (IHt H) as (k & A & B). exists k. split; auto. Qed.
Lemma runs_same t c : FurthestNext.exempt r reads t c = runs t c.
Proof. unfold exempt. apply eq_true_iff_eq. rewrite Nat.ltb_lt, (runs_ok blk len). split.
  - intros H. destruct (since_read t c ltac:(lia)) as (k & A & B & E). exists k. repeat split; auto. lia.
  - intros (k & A & B & R). pose proof (since_after r reads k t c B R). lia. Qed.
Lemma needs_ok t c : needs t c = true <-> exists d, d < need t /\ blk t d = c.
Proof. unfold Forest.needs. rewrite existsb_exists. split.
  - intros (d & H & E). apply in_seq in H. apply Nat.eqb_eq in E. exists d. split; auto. lia.
  - intros (d & H & E). exists d. split; [apply in_seq; lia|now apply Nat.eqb_eq]. Qed.
Lemma need_ask t : need t <= ask t.
Proof. unfold needed. pose proof (leads_le blk (seen blk len at_first) t (min (ask t) (total t - xi)) 0). lia. Qed.
Lemma need_len t : t < T -> need t <= len t.
Proof. intros H. pose proof (need_ask t). pose proof (f_ask _ _ _ _ _ paths t H). lia. Qed.

Lemma cut_same t X X' : forest_belady_cut NB T C r blk len ask total at_first xi t X X' ->
  forall Y, (forall c, Y c = amounts X c) -> FurthestNext.cut NB T C r reads worth t Y (amounts X').
Proof. unfold forest_belady_cut. induction 1 as [X D | X v X' O (M & G) R IH]; intros Y E.
  - apply cut_fits; auto. now rewrite (sum_ext NB Y (amounts X)).
  - destruct M as (Hv & Xv & Rv). assert (Yv : Y v = 1) by (rewrite E; unfold amounts; now rewrite Xv). assert
    (OY : sum NB Y > C) by (now rewrite (sum_ext NB Y (amounts X))). assert (Le : forall c, Y c <= 1) by (intros
    c; rewrite E; unfold amounts; destruct (X c); simpl; lia). assert (Un : forall c, unneeded t c <-> use T
    reads worth t c = 0). { intros c. unfold Forest.unneeded, use, worth. rewrite next_same. destruct
    (Nat.ltb_spec (next t c) T) as [L|L]; [|split; [auto|lia]]. destruct (needs (next t c) c); simpl; split;
    auto; try discriminate. intros H. now specialize (H L). } assert (Z : one_less Y v (amounts (upd X v
    false))). { intros c. unfold amounts. destruct (upd_case X v false c) as [[-> F]|[n F]]; rewrite F.
      - now rewrite upd_eq, Yv.
      - rewrite upd_neq by auto. now rewrite E. } assert (Mo : forall c, c < NB -> Y c >= 1 -> exempt r reads t c
        = false -> may_leave t X c). { intros c Hc Yc Ec. rewrite runs_same in Ec. rewrite E in Yc. unfold
        amounts in Yc. repeat split; auto. destruct (X c); auto. simpl in Yc. lia. } destruct G as [U|(Ns & Mx)].
    + apply cut_unneeded with (v := v) (Z := amounts (upd X v false)); auto; [|now rewrite runs_same]. apply Un
      in U. lia.
    + apply cut_furthest with (v := v) (Z := amounts (upd X v false)); auto; [|lia|now rewrite runs_same|].
      * intros c Hc Ec. specialize (Le c). destruct (Y c) eqn:Yc; [lia|]. destruct (use T reads worth t c) eqn:U;
        [|lia]. exfalso. apply (Ns c); [apply Mo; auto; lia|now apply Un].
      * intros c Hc Yc Ec. apply Mx. now apply Mo. Qed.

(* What is hit is at most what is there and needed, and all of it where that is a prefix. *)
Definition found (X : nat -> nat -> bool) t := sum NB (fun c => if reads t c then min (worth t c) (amounts (X t)
  c) else 0).
Lemma found_cnt X t : t < T -> found X t = cnt NB (fun c => needs t c && X t c).
Proof. intros Ht. apply sum_ext. intros c _. unfold worth, amounts. destruct (needs t c) eqn:N, (X t c), (reads t
  c) eqn:R; simpl; auto. exfalso. apply needs_ok in N as (d & Hd & E). apply not_true_iff_false in R. apply R.
  apply reads_ok. exists d. split; auto. pose proof (need_len t Ht). lia. Qed.
Lemma hits_found X t : t < T -> leads X t (need t) 0 <= found X t.
Proof. intros Ht. rewrite found_cnt by auto. set (m := leads X t (need t) 0). pose proof (leads_le blk X t (need
  t) 0) as L. fold m in L. pose proof (need_len t Ht). rewrite <- (sum_ltb m m (le_n m)) at 1. apply (sum_inj m
  NB (fun d => d <? m) (blk t)).
  - intros d Hd _. split; [apply (f_inside _ _ _ _ _ paths); auto; lia|]. apply andb_true_intro. split.
    + apply needs_ok. exists d. split; auto. lia.
    + apply (leads_in blk X t (need t) 0 d). exact Hd.
  - intros d e Hd He _ _ E. apply (f_path _ _ _ _ _ paths t); auto; lia. Qed.
Definition prefix (X : nat -> nat -> bool) t := forall d, S d < need t -> X t (blk t (S d)) = true ->
  X t (blk t d) = true.
Lemma prefix_down X t d e : prefix X t -> d + e < need t -> X t (blk t (d + e)) = true -> X t (blk t d) = true.
Proof. intros P. induction e; intros H Xe; [now rewrite Nat.add_0_r in Xe|]. apply IHe; [lia|]. apply P; [lia|].
  now replace (S (d + e)) with (d + S e) by lia. Qed.
Lemma found_hits X t : t < T -> prefix X t -> found X t <= leads X t (need t) 0.
Proof. intros Ht P. rewrite found_cnt by auto. set (m := leads X t (need t) 0). set (place c := match find (fun d
  => blk t d =? c) (seq 0 (need t)) with Some d => d | None => 0 end). assert (Pl : forall c, needs t c = true ->
  place c < need t /\ blk t (place c) = c). { intros c N. apply needs_ok in N as (d & Hd & E). unfold place.
  destruct (find _ _) as [k|] eqn:F.
    - apply find_some in F as [F1 F2]. apply in_seq in F1. apply Nat.eqb_eq in F2. split; auto. lia.
    - apply find_none with (x := d) in F; [|apply in_seq; lia]. apply Nat.eqb_neq in F. congruence. } rewrite <-
      (sum_ltb m m (le_n m)). apply (sum_inj NB m _ place (fun d => d <? m)).
  - intros c _ H. apply andb_prop in H as [N Xc]. destruct (Pl c N) as [L E]. rewrite <- E in Xc. enough (place c
    < m) by (split; auto; now apply Nat.ltb_lt). destruct (le_lt_dec m (place c)) as [G|]; auto. exfalso. assert
    (m >= S (place c)); [|lia]. apply (leads_ge blk); [lia|]. intros k Hk. simpl. apply (prefix_down X t k (place
    c - k) P); [lia|]. now replace (k + (place c - k)) with (place c) by lia.
  - intros c c' _ _ H H' E. apply andb_prop in H as [N _], H' as [N' _]. destruct (Pl c N) as [_ <-], (Pl c' N')
    as [_ <-]. now rewrite E. Qed.

Lemma level_one t c : FurthestNext.level reads one t c = b2n (existsb (fun k => reads k c) (seq 0 t)).
Proof. induction t; auto. rewrite seq_S, existsb_app. simpl. rewrite orb_false_r, IHt. destruct (existsb _ _),
  (reads t c); reflexivity. Qed.
Lemma plan_same Z : fplan Z -> FurthestNext.plan NB T C r reads one (amounts at_first) (fun t => amounts (Z t)).
Proof. intros []. constructor.
  - intros c. unfold amounts. specialize (p_first c). destruct (Z 0 c); simpl; [now rewrite p_first|lia].
  - intros t c Ht. unfold amounts, fill, one. specialize (p_step t c Ht). destruct (Z (S t) c); simpl; [|lia].
    destruct (p_step eq_refl) as [->| ->]; simpl; auto. destruct (reads t c); auto.
  - exact p_fits.
  - intros t c Ht E. rewrite runs_same in E. unfold amounts. rewrite (p_runs t c Ht E), level_one. apply (runs_ok
    blk len) in E as (k & _ & K & R). simpl. replace (existsb _ _) with true; auto. symmetry. apply
    existsb_exists. exists k. split; auto. apply in_seq. lia. Qed.
Lemma enough t c : t < T -> c < NB -> reads t c = true -> FurthestNext.next T reads (S t) c < T ->
  worth (FurthestNext.next T reads (S t) c) c <= one t c.
Proof. intros _ _ _ _. unfold worth, one. destruct (needs _ _); simpl; lia. Qed.

(* A run of the policy: X t is cached at the start of request t. *)
Variable X : nat -> nat -> bool.
Hypothesis begins : forall c, X 0 c = at_first c.
Hypothesis cuts : forall t, t < T -> forest_belady_cut NB T C r blk len ask total at_first xi (S t)
  (filled_with blk len t (X t)) (X (S t)).

Lemma cut_keeps t Y Y' : forest_belady_cut NB T C r blk len ask total at_first xi t Y Y' ->
  cnt NB Y' <= C /\ (forall c, Y' c = true -> Y c = true) /\ (forall c, runs t c = true -> Y' c = Y c).
Proof. unfold forest_belady_cut. induction 1 as [Y D | Y v Y' O ((Hv & Yv & Rv) & _) R (S1 & W & K)]; auto.
  repeat split; auto; intros c H.
  - specialize (W c H). destruct (upd_case Y v false c) as [[_ E]|[_ E]]; rewrite E in W; [discriminate|auto].
  - rewrite (K c H). apply upd_neq. congruence. Qed.
Lemma is_plan : cnt NB at_first <= C -> fplan X.
Proof. intros F. constructor.
  - intros c. now rewrite begins.
  - intros t c Ht H. destruct (cut_keeps _ _ _ (cuts t Ht)) as (_ & W & _). specialize (W c H). unfold
    filled_with in W. now apply orb_prop in W.
  - intros [|t] Ht; [now rewrite (cnt_ext NB (X 0) at_first)|]. now destruct (cut_keeps _ _ _ (cuts t
    ltac:(lia))).
  - induction t; intros c Ht H; [apply (runs_ok blk len) in H as (k & _ & K & _); lia|]. destruct (cut_keeps _ _
    _ (cuts t ltac:(lia))) as (_ & _ & K). rewrite (K c H). unfold filled_with. apply (runs_ok blk len) in H as
    (k & K1 & K2 & R). destruct (Nat.eq_dec k t) as [->|n]; [rewrite R; apply orb_true_r|]. rewrite IHt; auto;
    [lia|]. apply (runs_ok blk len). exists k. repeat split; auto; lia. Qed.

(* Of one request what is cached and needed is a prefix, at every cut. *)
Definition above_too t (Y : nat -> bool) := forall e d, e < T -> S d < need e -> next t (blk e (S d)) = e ->
  next t (blk e d) = e -> Y (blk e (S d)) = true -> Y (blk e d) = true.
Lemma next_up e t c : t <= T -> next t c = e -> e < T -> reads e c = true /\ forall k, t <= k -> k < e ->
  reads k c = false.
Proof. intros Ht E L. rewrite <- next_same in E. destruct (next_spec T r reads c t Ht) as (B & W). rewrite E in
  W. split; [now apply W|]. intros k K1 K2. apply not_true_is_false. intros R. pose proof (next_last T reads t k
  c K1 ltac:(lia) R). lia. Qed.
Lemma cut_above t Y Y' : t <= T -> forest_belady_cut NB T C r blk len ask total at_first xi t Y Y' ->
  above_too t Y -> above_too t Y'.
Proof. intros Ht. unfold forest_belady_cut. induction 1 as [Y D | Y v Y' O (M & G) R IH]; auto. intros A. apply
  IH. clear IH R Y'. intros e d He Hd Nv Nu. destruct (upd_case Y v false (blk e (S d))) as [[_ E]|[n E]];
  rewrite E; [discriminate|]. intros Yd. pose proof (A e d He Hd Nv Nu Yd) as Yu. destruct (upd_case Y v false
  (blk e d)) as [[Ev F]|[_ F]]; rewrite F; auto. exfalso. subst v. pose proof (need_len e He) as NL. destruct M
  as (Hu & _ & Ru). assert (Ne : forall k, k < need e -> next t (blk e k) = e -> ~ unneeded t (blk e k)). {
  intros k Hk Nk U. unfold Forest.unneeded in U. rewrite Nk in U. specialize (U He). apply not_true_iff_false in
  U. apply U. apply needs_ok. exists k. auto. } destruct G as [U|(_ & Mx)]; [apply (Ne d); auto; lia|]. assert
  (Mv : may_leave t Y (blk e (S d))). { repeat split; auto; [apply (f_inside _ _ _ _ _ paths); auto; lia|]. apply
  not_true_is_false. intros H. apply not_true_iff_false in Ru. apply Ru. apply (runs_ok blk len) in H as (k & K1
  & K2 & R). apply (runs_ok blk len). exists k. repeat split; auto. apply (f_tree _ _ _ _ _ paths e d k); auto;
  lia. } destruct (Mx _ Mv) as [_ De]. rewrite Nv, Nu in De. specialize (De eq_refl (S d) d). assert (S d <= d);
  [|lia]. apply De; split; auto; lia. Qed.
Lemma always_above t : t <= T -> above_too t (X t).
Proof. induction t; intros Ht.
  - intros e d He Hd Nv Nu Xv. rewrite begins in *. destruct (next_up e 0 (blk e d) Ht Nu He) as [_ Un]. unfold
    needed in Hd. pose proof (leads_in blk (seen blk len at_first) e (min (ask e) (total e - xi)) 0 d ltac:(lia))
    as Se. simpl in Se. unfold seen in Se. apply orb_prop in Se as [Se|Se]; auto. apply existsb_exists in Se as
    (k & K & R). apply in_seq in K. rewrite Un in R by lia. discriminate.
  - apply (cut_above (S t) _ _ Ht (cuts t Ht)). intros e d He Hd Nv Nu Yv. unfold filled_with in *. destruct
    (reads t (blk e d)) eqn:Ru; [apply orb_true_r|]. rewrite orb_false_r. pose proof (need_len e He) as NL.
    assert (Rv : reads t (blk e (S d)) = false). { apply not_true_is_false. intros R. apply not_true_iff_false in
    Ru. apply Ru. apply (f_tree _ _ _ _ _ paths e d t); auto; lia. } rewrite Rv, orb_false_r in Yv. apply (IHt
    ltac:(lia) e d); auto.
    + rewrite <- next_same, next_here, Rv by auto. exact Nv.
    + rewrite <- next_same, next_here, Ru by auto. exact Nu. Qed.
Lemma always_prefix t : t < T -> prefix X t.
Proof. intros Ht d Hd Xv. pose proof (need_len t Ht). apply (always_above t ltac:(lia) t d); auto; rewrite <-
  next_same, next_here by auto; replace (reads t _) with true; auto; symmetry; apply reads_ok; [exists (S d) |
  exists d]; split; auto; lia. Qed.

Lemma gap_closes : exists P, bound P <= hits_needed X.
Proof. destruct (closes NB T C r reads worth one enough (fun t => amounts (X t))) as (P & A).
  - intros t Ht. exists (amounts (filled_with blk len t (X t))). split.
    + intros c. unfold amounts, filled_with, fill, one. destruct (X t c), (reads t c); reflexivity.
    + apply (cut_same (S t) _ (X (S t)) (cuts t ltac:(lia))). auto.
  - exists P. unfold bound. eapply Nat.le_trans; [apply allowed_more with (Y' := amounts (X 0))|].
    + intros c _. unfold amounts. now rewrite begins.
    + eapply Nat.le_trans; [exact A|]. apply sum_le. intros t Ht. apply found_hits; auto. now apply
      always_prefix. Qed.
Lemma no_plan_keeps_more Z P : fplan Z -> hits_needed Z <= bound P.
Proof. intros Pl. eapply Nat.le_trans; [|exact (plan_allowed NB T C r reads worth one enough _ _ P (plan_same Z
  Pl))]. apply sum_le. intros t Ht. now apply hits_found. Qed.
End Policy.

Section Rows.
Variables NB T C r xi : nat.
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable at_first : nat -> bool.
Hypothesis paths : forest NB T blk len ask.
Hypothesis fits : cnt NB at_first <= C.
Notation plan := (Forest.plan NB T C r blk len at_first).
Notation tel := (forest_tel T blk ask total xi).
Notation uncached_tel := (sum T (fun t => total t - xi)).
(* What a set P of steps allows any plan to keep: the room at P, and the needed blocks whose reuse intervals cover
   no step of P. *)
Notation bound := (bound NB T C r xi blk len ask total at_first).
(* X t is what Tail-Optimized Belady caches at the start of request t. *)
Variable X : nat -> nat -> bool.
Hypothesis begins : forall c, X 0 c = at_first c.
Hypothesis cuts : forall t, t < T -> forest_belady_cut NB T C r blk len ask total at_first xi (S t)
  (filled_with blk len t (X t)) (X (S t)).

(* Statement F, rows forest.optimum (r = 0), .forced (r = 1) and .running, from any start that fits. Tail-Optimized
   Belady, which evicts what is needed furthest away, of one request the deepest block first, reaches the least TEL
   of any plan. *)
Theorem forest_belady_is_optimal : plan X /\ forall Z, plan Z -> tel X <= tel Z.
Proof. pose proof (is_plan NB T C r xi blk len ask total at_first X begins cuts fits) as Pl. split; auto. intros
  Z PZ. destruct (gap_closes NB T C r xi blk len ask total at_first paths X begins cuts) as (P & G). pose proof
  (no_plan_keeps_more NB T C r xi blk len ask total at_first paths Z P PZ). pose proof (tel_and_hits NB T C r xi
  blk len ask total at_first X Pl). pose proof (tel_and_hits NB T C r xi blk len ask total at_first Z PZ). lia.
  Qed.

(* Rows forest.optimum.certificate and .certificate.forced. A set P of steps proves every optimum: what
   Tail-Optimized Belady keeps is what P allows, and no plan keeps more than any P allows. *)
Theorem forest_certificate_closes : (exists P, uncached_tel = tel X + bound P) /\
  forall P Z, plan Z -> uncached_tel <= tel Z + bound P.
Proof. pose proof (is_plan NB T C r xi blk len ask total at_first X begins cuts fits) as Pl. assert (Up : forall
  P Z, plan Z -> uncached_tel <= tel Z + bound P). { intros P Z PZ. pose proof (no_plan_keeps_more NB T C r xi
  blk len ask total at_first paths Z P PZ). pose proof (tel_and_hits NB T C r xi blk len ask total at_first Z
  PZ). lia. } split; auto. destruct (gap_closes NB T C r xi blk len ask total at_first paths X begins cuts) as (P
  & G). exists P. specialize (Up P X Pl). pose proof (tel_and_hits NB T C r xi blk len ask total at_first X Pl).
  lia. Qed.
End Rows.
