(* Statement F of docs/proofs-forest.md: in a cache with holes the greedy over reuse intervals keeps as much as any
   plan can, from any start, with any number of requests that run. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest FurthestEndFirst.
Import ListNotations.

Section Leads.
Variable blk : nat -> nat -> nat.
Local Notation leads := (leads blk).
Lemma leads_le X t n : forall d, leads X t n d <= n.
Proof. induction n; simpl; intros; auto. destruct (X t (blk t d)); [specialize (IHn (S d)); lia | lia]. Qed.
Lemma leads_in X t n : forall d k, k < leads X t n d -> X t (blk t (d + k)) = true.
Proof.
  induction n; simpl; intros d k H; [lia|]. destruct (X t (blk t d)) eqn:E; [|lia].
  destruct k; [now rewrite Nat.add_0_r|]. replace (d + S k) with (S d + k) by lia. apply IHn. lia.
Qed.
Lemma leads_ge X t n m : forall d, m <= n -> (forall k, k < m -> X t (blk t (d + k)) = true) -> leads X t n d >= m.
Proof.
  revert m. induction n; simpl; intros m d L H; [lia|]. destruct m; [lia|].
  pose proof (H 0 ltac:(lia)) as H0. rewrite Nat.add_0_r in H0. rewrite H0.
  enough (leads X t n (S d) >= m) by lia. apply IHn; [lia|]. intros k Hk.
  replace (S d + k) with (d + S k) by lia. apply H. lia.
Qed.
Lemma leads_min X t n m : forall d, n <= m -> leads X t n d = min n (leads X t m d).
Proof.
  revert m. induction n; simpl; intros m d H; auto. destruct m; [lia|]. simpl.
  destruct (X t (blk t d)); auto. rewrite (IHn m); lia.
Qed.
Lemma leads_more X Y t n : forall d, (forall c, X t c = true -> Y t c = true) -> leads X t n d <= leads Y t n d.
Proof.
  induction n; simpl; intros d H; auto. specialize (IHn (S d) H). specialize (H (blk t d)).
  destruct (X t (blk t d)); [rewrite H by auto; lia|lia].
Qed.
End Leads.

Section Reads.
Variable blk : nat -> nat -> nat.
Variable len : nat -> nat.
Local Notation reads := (Model.reads blk len).
Local Notation from := (from blk len).
Lemma from_le t c : from t c <= t.
Proof. induction t; simpl; auto. destruct (reads t c); lia. Qed.
Lemma from_read t c s : from t c = S s -> s < t /\ reads s c = true.
Proof. induction t; simpl; [lia|]. destruct (reads t c) eqn:R; intros E.
  - inversion E; subst; split; auto; lia.
  - destruct (IHt E); split; auto; lia.
Qed.
Lemma from_none t c k : from t c <= k -> k < t -> reads k c = false.
Proof. induction t; simpl; [lia|]. destruct (reads t c) eqn:R; intros; [lia|].
  destruct (Nat.eq_dec k t) as [->|]; auto. apply IHt; lia. Qed.
Lemma from_mono T t c p : t <= T -> (forall k, k < T -> reads k c = true -> reads k p = true) ->
  from t c <= from t p.
Proof. intros L H. induction t; simpl; auto. destruct (reads t c) eqn:R; [now rewrite (H t ltac:(lia) R)|].
  destruct (reads t p); [pose proof (from_le t c); lia|]. apply IHt. lia. Qed.
Lemma runs_ok r t c : runs r blk len t c = true <-> exists k, t - r <= k /\ k < t /\ reads k c = true.
Proof.
  unfold Forest.runs. rewrite existsb_exists. split.
  - intros (k & H & R). apply in_seq in H. exists k. repeat split; auto; lia.
  - intros (k & H1 & H2 & R). exists k. split; auto. apply in_seq. lia.
Qed.
End Reads.

Section F.
Variables NB T D C r : nat.
Variable blk : nat -> nat -> nat.            (* block of request t at depth d (from 0) *)
Variable len need : nat -> nat.              (* length of its path; how many leading blocks it needs *)
Variable at_first : nat -> bool.
Hypothesis len_D : forall t, t < T -> len t <= D.
Hypothesis D_pos : D > 0.
Hypothesis need_len : forall t, t < T -> need t <= len t.
Hypothesis blk_NB : forall t d, t < T -> d < len t -> blk t d < NB.
Hypothesis blk_inj : forall t d d', t < T -> d < len t -> d' < len t -> blk t d = blk t d' -> d = d'.
Hypothesis running_fit : fitting NB T C r blk len.

Local Notation reads := (Model.reads blk len).
Local Notation reads_ok := (Model.reads_ok blk len).
Local Notation runs := (runs r blk len).
Local Notation from := (from blk len).
Local Notation leads := (leads blk).
Local Notation plan := (plan NB T C r blk len at_first).
Local Notation room := (room NB C r blk len).
(* a forest: who reads a block reads the one above it *)
Hypothesis tree : forall t d k, t < T -> k < T -> S d < len t ->
  reads k (blk t (S d)) = true -> reads k (blk t d) = true.

(* What is needed was at hand before. *)
Hypothesis known : forall t d, t < T -> d < need t -> from t (blk t d) >= 1 \/ at_first (blk t d) = true.

(* intervals: number t * D + d *)
Definition M := T * D.
Definition rq i := i / D.
Definition dp i := i mod D.
Definition item i := blk (rq i) (dp i).
Definition valid i := dp i <? need (rq i).
Definition b0 i := begins r blk len (rq i) (item i).
Lemma b0_from i : from (rq i) (item i) <= b0 i.
Proof. unfold b0, begins. destruct (from _ _); lia. Qed.
Lemma num t d : d < D -> rq (t * D + d) = t /\ dp (t * D + d) = d.
Proof.
  intros H. unfold rq, dp. rewrite Nat.add_comm. split.
  - rewrite Nat.div_add by lia. rewrite Nat.div_small; auto.
  - rewrite Nat.mod_add by lia. now apply Nat.mod_small.
Qed.
Lemma num_lt i : i < M -> rq i < T /\ dp i < D /\ i = rq i * D + dp i.
Proof.
  unfold M, rq, dp. intros H. pose proof (Nat.div_mod i D ltac:(lia)).
    pose proof (Nat.mod_upper_bound i D ltac:(lia)).
  repeat split; try lia. apply Nat.div_lt_upper_bound; lia.
Qed.
Lemma num_inj i j : i < M -> j < M -> rq i = rq j -> dp i = dp j -> i = j.
Proof. intros Hi Hj E F. apply num_lt in Hi as (_ & _ & ->). apply num_lt in Hj as (_ & _ & ->).
  now rewrite E, F. Qed.

Notation cov := (FurthestEndFirst.cov b0 rq).
Notation load := (FurthestEndFirst.load M b0 rq).

(* two valid intervals that cover one step are of different blocks *)
Lemma distinct u i j : i < M -> j < M -> valid i = true -> valid j = true -> cov u i = true -> cov u j = true ->
  item i = item j -> i = j.
Proof.
  assert (G : forall i j, i < M -> j < M -> valid i = true -> valid j = true -> cov u i = true -> cov u j = true ->
    item i = item j -> rq i < rq j -> False).
  { intros i' j' Hi Hj Vi Vj Ci Cj E L. unfold FurthestEndFirst.cov in *.
    apply andb_prop in Ci as [_ C2], Cj as [C3 _].
    apply Nat.leb_le in C2, C3. pose proof (b0_from j').
    assert (R : reads (rq i') (item j') = false) by (apply (from_none blk len) with (t := rq j'); lia).
    apply num_lt in Hi as (Ti & _ & _). unfold valid in Vi. apply Nat.ltb_lt in Vi.
    specialize (need_len _ Ti). apply not_true_iff_false in R. apply R. apply reads_ok.
    exists (dp i'). split; [lia|]. exact E. }
  intros Hi Hj Vi Vj Ci Cj E. destruct (Nat.lt_trichotomy (rq i) (rq j)) as [L|[L|L]].
  - exfalso. exact (G i j Hi Hj Vi Vj Ci Cj E L).
  - apply num_inj; [assumption|assumption|exact L|]. pose proof (num_lt i Hi) as (Ti & _ & _).
    unfold valid in Vi, Vj. apply Nat.ltb_lt in Vi, Vj. unfold item in E. rewrite <- L in Vj, E.
    pose proof (need_len _ Ti). apply (blk_inj (rq i)); [exact Ti|lia|lia|exact E].
  - exfalso. exact (G j i Hj Hi Vj Vi Cj Ci (eq_sym E) L).
Qed.

(* What is hit, as far as it is needed. *)
Definition kept X := sum T (fun t => leads X t (need t) 0).

Lemma need_D t : t < T -> need t <= D.
Proof. intros H. pose proof (need_len t H). pose proof (len_D t H). lia. Qed.

(* held from the last read on *)
Lemma held X : plan X -> forall t c u, t <= T -> X t c = true -> from t c <= u -> u <= t -> X u c = true.
Proof.
  intros P. induction t; intros c u Ht Xt F U.
  - replace u with 0 by lia. auto.
  - destruct (Nat.eq_dec u (S t)) as [->|]; auto. destruct (p_step _ _ _ _ _ _ _ _ P t c ltac:(lia) Xt) as [H|H].
    + simpl in F. destruct (reads t c); [lia|]. apply IHt; auto; lia.
    + simpl in F. rewrite H in F. lia.
Qed.

Definition found X i := valid i && (dp i <? leads X (rq i) (need (rq i)) 0).
Lemma found_cnt X : kept X = cnt M (found X).
Proof.
  unfold kept, cnt, M. rewrite sum_grid. apply sum_ext. intros t Ht.
  rewrite <- (sum_ltb D (leads X t (need t) 0)) at 1.
  - apply sum_ext. intros d Hd. destruct (num t d Hd) as [E1 E2]. unfold found, valid. rewrite E1, E2.
    pose proof (leads_le blk X t (need t) 0). destruct (Nat.ltb_spec d (leads X t (need t) 0));
      [|now rewrite andb_false_r].
    replace (d <? need t) with true; auto. symmetry. apply Nat.ltb_lt. lia.
  - pose proof (leads_le blk X t (need t) 0). pose proof (need_D t Ht). lia.
Qed.
Lemma found_fits X : plan X -> forall u, load (found X) u <= room u.
Proof.
  intros P u. unfold FurthestEndFirst.load. destruct (le_lt_dec T u) as [L|L].
  - enough (cnt M (fun i => found X i && cov u i) <= cnt M (fun _ => false)) by
      (assert (cnt M (fun _ => false) = 0) by (unfold cnt; apply sum_zero); lia).
    apply cnt_le. intros i Hi H. apply andb_prop in H as [_ H]. unfold FurthestEndFirst.cov in H.
      apply andb_prop in H as [_ H].
    apply Nat.leb_le in H. apply num_lt in Hi. lia.
  - apply Nat.le_trans with (cnt NB (fun c => X u c && negb (runs u c))).
    2:{ pose proof (p_fits _ _ _ _ _ _ _ _ P u L) as F. unfold Forest.room.
        enough (cnt NB (fun c => X u c && negb (runs u c)) + cnt NB (runs u) <= cnt NB (X u)) by lia.
        unfold cnt. rewrite <- sum_add. apply sum_le. intros c _. pose proof (p_runs _ _ _ _ _ _ _ _ P u c L) as R.
        destruct (runs u c); [rewrite R by auto|]; destruct (X u c); simpl; lia. }
    apply sum_inj with (f := item).
    + intros i Hi H. apply andb_prop in H as [Fi Ci]. unfold found in Fi. apply andb_prop in Fi as [Vi Li].
      apply Nat.ltb_lt in Li. unfold valid in Vi. apply Nat.ltb_lt in Vi.
      pose proof (num_lt i Hi) as (Ti & _ & _). specialize (need_len _ Ti). split.
      * apply blk_NB; auto; lia.
      * unfold FurthestEndFirst.cov in Ci. apply andb_prop in Ci as [C1 C2]. apply Nat.leb_le in C1, C2.
        pose proof (b0_from i). apply andb_true_intro. split.
        -- apply (held X P (rq i)); auto; [lia| |lia]. apply (leads_in blk X (rq i) (need (rq i)) 0 (dp i) Li).
        -- apply negb_true_iff. apply not_true_is_false. intros R.
          apply (runs_ok blk len) in R as (k & K1 & K2 & R).
           rewrite (from_none blk len) with (t := rq i) in R; [discriminate| |lia].
           unfold b0, begins in C1. destruct (from (rq i) (item i)); lia.
    + intros i j Hi Hj Pi Pj E. apply andb_prop in Pi as [Fi Ci], Pj as [Fj Cj].
      unfold found in Fi, Fj. apply andb_prop in Fi as [Vi _], Fj as [Vj _]. apply (distinct u); auto.
Qed.

(* the greedy: drop what ends last, of one request the deepest *)
Definition deepest (t : nat) (Dr : nat -> bool) I :=
  forall J, J < M -> Dr J = false -> cov t J = true -> rq J = rq I -> dp J <= dp I.
Notation sweep := (FurthestEndFirst.sweep M b0 rq room deepest).
Definition start i := negb (valid i).
(* What it has dropped at the end; and what a set P of steps proves: the room at P, and the needed blocks whose
   reuse intervals cover no step of P. *)
Definition greedy dropped := sweep T 0 start dropped.
Definition proved P := FurthestEndFirst.bound M b0 rq room T start P.

(* No set of steps proves less than a plan keeps. *)
Lemma certificate_sound X P : plan X -> kept X <= proved P.
Proof.
  intros PX. rewrite found_cnt. apply FurthestEndFirst.no_more_than_bound; [exact (found_fits X PX)|].
  intros i Hi Di. apply negb_true_iff in Di. unfold found. now rewrite Di.
Qed.

Definition prefixes (Dr : nat -> bool) := forall i j, i < M -> j < M -> rq i = rq j -> dp j = S (dp i) ->
  Dr i = true -> Dr j = true.
Lemma prefix_kept t Dr I : I < M -> Dr I = false -> cov t I = true -> deepest t Dr I ->
  prefixes Dr /\ (forall i, i < M -> Dr i = false -> valid i = true) ->
  prefixes (upd Dr I true) /\ (forall i, i < M -> upd Dr I true i = false -> valid i = true).
Proof.
  intros HI DI CI De [P V]. split.
  - intros i j Hi Hj E F Di. destruct (upd_case Dr I true j) as [[-> R]|[nj R]]; rewrite R; auto.
    destruct (Nat.eq_dec i I) as [->|ni].
    + destruct (Dr j) eqn:Dj; auto. exfalso. specialize (V j Hj Dj).
      enough (dp j <= dp I) by lia. apply De; auto.
      pose proof (num_lt I HI) as (TI & _ & _). unfold valid in V. apply Nat.ltb_lt in V. rewrite <- E in V.
      specialize (need_len _ TI). unfold FurthestEndFirst.cov in *. apply andb_prop in CI as [C1 C2].
      rewrite <- E, C2, andb_true_r. apply Nat.leb_le in C1. apply Nat.leb_le.
      eapply Nat.le_trans; [|exact C1]. unfold b0, begins, item. rewrite <- E.
      enough (from (rq I) (blk (rq I) (dp j)) <= from (rq I) (blk (rq I) (dp I)))
        by (destruct (from (rq I) (blk (rq I) (dp j))), (from (rq I) (blk (rq I) (dp I))); lia).
      rewrite F in *. apply (from_mono blk len T); [lia|]. intros k Kt Hk. apply tree; auto. lia.
    + rewrite upd_neq in Di by auto. exact (P i j Hi Hj E F Di).
  - intros i Hi Di. destruct (upd_case Dr I true i) as [[-> R]|[ni R]]; rewrite R in Di; [discriminate|auto].
Qed.
Lemma start_ok : prefixes start /\ (forall i, i < M -> start i = false -> valid i = true).
Proof.
  split.
  - intros i j Hi Hj E F. unfold start, valid. rewrite !negb_true_iff, !Nat.ltb_ge. rewrite <- E, F. lia.
  - intros i _. unfold start. now rewrite negb_false_iff.
Qed.

(* the plan of what the greedy keeps: what runs, and the blocks whose kept intervals cover the step *)
Definition covered Dr u c := existsb (fun i => negb (Dr i) && cov u i && (item i =? c)) (seq 0 M).
Definition planned (Dr : nat -> bool) u c := runs u c || covered Dr u c.
Lemma covered_ok Dr u c : covered Dr u c = true <-> exists i, i < M /\ Dr i = false /\ cov u i = true /\
  item i = c.
Proof.
  unfold covered. rewrite existsb_exists. split.
  - intros (i & H & E). apply in_seq in H. apply andb_prop in E as [E1 E2]. apply andb_prop in E1 as [E0 E1].
    apply negb_true_iff in E0. apply Nat.eqb_eq in E2. exists i; repeat split; auto; lia.
  - intros (i & H & E0 & E1 & E2). exists i. split; [apply in_seq; lia|]. rewrite E0, E1. simpl.
      now apply Nat.eqb_eq.
Qed.
Lemma covered_load Dr t : cnt NB (covered Dr t) <= load (fun i => negb (Dr i)) t.
Proof.
  unfold FurthestEndFirst.load.
  (* each such block has an interval: choose the first *)
  set (first c := find (fun i => negb (Dr i) && cov t i && (item i =? c)) (seq 0 M)).
  assert (Fi : forall c, covered Dr t c = true -> exists i, first c = Some i /\ i < M /\
    negb (Dr i) && cov t i = true /\ item i = c).
  { intros c H. unfold first. destruct (find _ (seq 0 M)) as [i|] eqn:Fk.
    - apply find_some in Fk as [H1 H2]. apply in_seq in H1. apply andb_prop in H2 as [H2 H3].
      exists i. repeat split; auto; [lia | now apply Nat.eqb_eq].
    - apply covered_ok in H as (i & Hi & Di & Ci & E). exfalso.
      apply find_none with (x := i) in Fk; [|apply in_seq; lia].
      rewrite Di, Ci in Fk. simpl in Fk. apply Nat.eqb_neq in Fk. auto. }
  apply sum_inj with (f := fun c => match first c with Some i => i | None => 0 end).
  - intros c _ H. destruct (Fi c H) as (i & -> & H1 & H2 & _). auto.
  - intros c c' _ _ H H'. destruct (Fi c H) as (i & -> & _ & _ & <-), (Fi c' H') as (i' & -> & _ & _ & <-).
    congruence.
Qed.

(* Row forest.optimum. No plan keeps more of what is needed than the greedy leaves, and what the greedy leaves is a
   plan that keeps as much. *)
Theorem statement_F Dr : greedy Dr ->
  (forall X, plan X -> kept X <= cnt M (fun i => negb (Dr i))) /\
  plan (planned Dr) /\ kept (planned Dr) >= cnt M (fun i => negb (Dr i)).
Proof.
  intros Sw.
  destruct (FurthestEndFirst.sweep_best M b0 rq room deepest T 0 _ _ Sw ltac:(lia)) as [G1 G2].
  assert (PV : prefixes Dr /\ (forall i, i < M -> Dr i = false -> valid i = true)).
  { apply (FurthestEndFirst.sweep_inv M b0 rq room deepest
      (fun Dr => prefixes Dr /\ (forall i, i < M -> Dr i = false -> valid i = true)) T 0 start Dr Sw start_ok).
    intros t D0 I HI DI CI De H. now apply (prefix_kept t). }
  destruct PV as [P V]. repeat split.
  - intros X PX. rewrite found_cnt. apply G2; [exact (found_fits X PX)|].
    intros i Hi Di. unfold start in Di. apply negb_true_iff in Di. unfold found. now rewrite Di.
  - intros c H. unfold planned in H. apply orb_prop in H as [H|H].
    { apply (runs_ok blk len) in H as (k & _ & K & _). lia. }
    apply covered_ok in H as (i & Hi & Di & Ci & E).
    specialize (V i Hi Di). unfold valid in V. apply Nat.ltb_lt in V. pose proof (num_lt i Hi) as (Ti & _ & _).
    destruct (known _ _ Ti V) as [K|K]; [|now rewrite <- E]. pose proof (b0_from i). unfold item in H.
    unfold FurthestEndFirst.cov in Ci. apply andb_prop in Ci as [C1 _]. apply Nat.leb_le in C1. lia.
  - intros t c Ht H. unfold planned in *. apply orb_prop in H as [H|H].
    { apply (runs_ok blk len) in H as (k & K1 & K2 & R). destruct (Nat.eq_dec k t) as [->|]; auto. left.
      apply orb_true_iff.
      left. apply (runs_ok blk len). exists k. repeat split; auto; lia. }
    apply covered_ok in H as (i & Hi & Di & Ci & E). unfold FurthestEndFirst.cov in Ci.
    apply andb_prop in Ci as [C1 C2]. apply Nat.leb_le in C1, C2.
    destruct (Nat.eq_dec (b0 i) (S t)) as [F|F].
    + unfold b0, begins in F. destruct (from (rq i) (item i)) as [|s] eqn:Fr; [discriminate|].
      apply (from_read blk len) in Fr as [S1 S2]. rewrite E in S2. destruct (Nat.eq_dec s t) as [->|]; auto.
      left. apply orb_true_iff. left. apply (runs_ok blk len). exists s. repeat split; auto; lia.
    + left. apply orb_true_iff. right. apply covered_ok. exists i. repeat split; auto.
      unfold FurthestEndFirst.cov. apply andb_true_intro. split; apply Nat.leb_le; lia.
  - intros t Ht. apply Nat.le_trans with (cnt NB (runs t) + cnt NB (covered Dr t)).
    + unfold cnt. rewrite <- sum_add. apply sum_le. intros c _. unfold planned.
      destruct (runs t c), (covered Dr t c); simpl; lia.
    + pose proof (covered_load Dr t). pose proof (G1 t ltac:(lia)) as G. pose proof (running_fit t Ht).
      unfold Forest.room in G. lia.
  - intros t c _ R. unfold planned. now rewrite R.
  - (* what is kept for a request is a prefix, so it is found *)
    unfold kept, cnt, M. rewrite sum_grid. apply sum_le. intros t Ht.
    (* number of kept = length of the prefix *)
    assert (Q : forall n, n <= D -> exists m, m <= n /\ sum n (fun d => if negb (Dr (t * D + d)) then 1 else 0) =
      m /\
       forall k, k < n -> (k < m <-> Dr (t * D + k) = false)).
    { induction n; intros Hn; [exists 0; repeat split; simpl; auto; lia|].
      destruct (IHn ltac:(lia)) as (m & Hm & Sm & Eq). simpl. rewrite Sm.
      destruct (Dr (t * D + n)) eqn:Dn; simpl.
      - exists m. repeat split; try lia; intros; destruct (Nat.eq_dec k n) as [->|]; try lia; try congruence;
          apply Eq; auto; lia.
      - assert (m = n).
        { destruct (Nat.eq_dec m n); auto. exfalso.
          assert (N1 : Dr (t * D + (n - 1)) = true).
          { destruct (Dr (t * D + (n - 1))) eqn:X1; auto. apply Eq in X1; lia. }
          enough (Dr (t * D + n) = true) by congruence.
          destruct (num t (n - 1) ltac:(lia)) as [A1 A2]. destruct (num t n ltac:(lia)) as [B1 B2].
          assert (forall d, d < D -> t * D + d < M) by (intros; unfold M; nia).
          apply (P (t * D + (n - 1)) (t * D + n)); auto; try (apply H; lia); lia. }
        subst m. exists (S n). repeat split; try lia. intros. destruct (Nat.eq_dec k n) as [->|]; auto. apply Eq;
          lia. }
    destruct (Q D ltac:(lia)) as (m & Hm & Sm & Eq). rewrite Sm.
    assert (mn : m <= need t).
    { destruct (le_lt_dec m (need t)) as [|L]; auto. exfalso.
      destruct (num t (need t) ltac:(lia)) as [A1 A2].
      assert (I1 : t * D + need t < M) by (unfold M; pose proof (need_D t Ht); nia).
      assert (K : Dr (t * D + need t) = false) by (apply Eq; lia). specialize (V _ I1 K). unfold valid in V.
      rewrite A1, A2 in V. apply Nat.ltb_lt in V. lia. }
    apply leads_ge; auto. intros k Hk. simpl. unfold planned. apply orb_true_iff.
    destruct (num t k ltac:(lia)) as [A1 A2]. destruct (le_lt_dec (begins r blk len t (blk t k)) t) as [B|B].
    + right. apply covered_ok. exists (t * D + k). unfold FurthestEndFirst.cov, b0, item. rewrite A1, A2.
      repeat split.
      * unfold M; nia.
      * apply Eq; lia.
      * apply andb_true_intro; split; apply Nat.leb_le; auto.
    + left. unfold begins in B. destruct (from t (blk t k)) as [|s] eqn:Fr; [lia|].
      apply (from_read blk len) in Fr as [S1 S2]. apply (runs_ok blk len). exists s. repeat split; auto; lia.
Qed.

(* Some set of steps proves that what the greedy leaves is the most. *)
Lemma certificate_F Dr : greedy Dr -> exists P, kept (planned Dr) = proved P.
Proof.
  intros Sw. destruct (FurthestEndFirst.sweep_closes M b0 rq room deepest T 0 _ _ Sw) as (P & Cl).
  destruct (statement_F Dr Sw) as (U & PP & G). exists P.
  pose proof (FurthestEndFirst.kept_is_bound M b0 rq room T 0 _ _ P Cl).
  enough (kept (planned Dr) <= proved P) by (unfold proved in *; lia).
  now apply certificate_sound.
Qed.
End F.
