(* The linear relaxations of the optimum of a forest are whole: block by block, and over reuse intervals without a
   precedence. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest FurthestNext Leads StatementF.

(* Different blocks of a path are different blocks. *)
Lemma sum_along NB n (b f : nat -> nat) : (forall d, d < n -> b d < NB) ->
  (forall d e, d < n -> e < n -> b d = b e -> d = e) ->
  sum n (fun d => f (b d)) <= sum NB (fun c => if existsb (fun d => b d =? c) (seq 0 n) then f c else 0).
Proof. induction n; intros In Inj; [simpl; lia|]. cbn [sum]. specialize (IHn ltac:(auto) ltac:(auto)). pose proof
  (sum_point NB (b n) (f (b n))) as P. rewrite (proj2 (Nat.ltb_lt _ _) (In n ltac:(lia))) in P. rewrite <- P.
  eapply Nat.le_trans; [apply Nat.add_le_mono_r, IHn|]. rewrite <- sum_add. apply sum_le. intros c _. rewrite
  seq_S, existsb_app. cbn. rewrite orb_false_r, (Nat.eqb_sym (b n) c). destruct (existsb _ _) eqn:E,
  (Nat.eqb_spec c (b n)) as [->|]; simpl; try lia. exfalso. apply existsb_exists in E as (d & D & E). apply
  in_seq in D. apply Nat.eqb_eq in E. specialize (Inj d n ltac:(lia) ltac:(lia) E). lia. Qed.

Section Relaxation.
Variables NB T C r xi : nat.
Variable blk : nat -> nat -> nat.
Variables len ask total : nat -> nat.
Variable at_first : nat -> bool.
Hypothesis paths : forest NB T blk len ask.
Notation reads := (Model.reads blk len).
Notation runs := (Forest.runs r blk len).
Notation need := (needed blk len ask total at_first xi).
Notation needs := (needs blk len ask total at_first xi).
Notation covers := (Forest.covers r blk len).
Notation free := (FurthestNext.free T r reads).
Notation bound := (bound NB T C r xi blk len ask total at_first).
Notation kept_in := (kept_in NB T blk len ask total at_first xi).
Notation room p := (C - cnt NB (runs p)).

Lemma needs_reads t c : t < T -> needs t c = true -> reads t c = true.
Proof. intros Ht N. apply needs_ok in N as (d & Hd & E). apply Model.reads_ok. exists d. pose proof (need_len NB
  T xi blk len ask total at_first paths t Ht). split; auto; lia. Qed.
Lemma room_same p : FurthestNext.room NB C r reads one p = room p.
Proof. unfold FurthestNext.room, cnt. f_equal. apply sum_ext. intros c _. rewrite runs_same, level_one. destruct
  (runs p c) eqn:R; auto. apply runs_ok in R as (k & _ & K & R). replace (existsb _ _) with true; auto. symmetry.
  apply existsb_exists. exists k. split; auto. apply in_seq. lia. Qed.
(* What P allows: the room at P, and the needed blocks whose intervals cover no step of P. *)
Lemma bound_ge (P : nat -> bool) m :
  m * sum T (fun p => if P p then room p else 0) + kept_in (fun _ _ => m) (free P) <= m * bound P.
Proof. unfold StatementF.bound, allowed. rewrite !Nat.mul_add_distr_l, <- Nat.add_assoc. apply Nat.add_le_mono. {
  apply Nat.mul_le_mono_l, sum_le. intros p _. now rewrite room_same. } unfold Forest.kept_in. rewrite sum_swap,
  <- Nat.mul_add_distr_l, <- sum_add. rewrite sum_mul. apply sum_le. intros c Hc. unfold of_next, of_later. set
  (s := FurthestNext.next T reads 0 c). eapply Nat.le_trans; [apply (sum_le T _ (fun t => m * ((if t =? s then
  b2n (free P s c && needs s c) else 0) + (if (0 <=? t) && reads t c && negb (s =? t) && free P t c then worth xi
  blk len ask total at_first t c else 0))))|].
  - intros t Ht. destruct (needs t c) eqn:N, (free P t c) eqn:F; simpl; try lia. pose proof (needs_reads t c Ht
    N) as R. rewrite Nat.eqb_sym. destruct (Nat.eqb_spec s t) as [->|]; rewrite ?R, ?F, ?N; simpl; [lia|]. unfold
    worth. rewrite N. simpl. lia.
  - rewrite <- sum_mul, sum_add, sum_point. apply Nat.mul_le_mono_l, Nat.add_le_mono_r. destruct (Nat.ltb_spec s
    T) as [L|]; simpl; [|lia]. destruct (free P s c); simpl; [|lia]. unfold worth, amounts. destruct (needs s c)
    eqn:N; simpl; [|lia]. enough (at_first c = true) as -> by auto. apply needs_ok in N as (d & Hd & E). unfold
    needed in Hd. pose proof (leads_in blk (seen blk len at_first) s _ 0 d Hd) as Se. simpl in Se. rewrite E in
    Se. unfold seen in Se. apply orb_prop in Se as [|Se]; auto. apply existsb_exists in Se as (k & K & R). apply
    in_seq in K. pose proof (next_last T reads 0 k c ltac:(lia) ltac:(lia) R). fold s in H. lia. Qed.

(* A plan, whole and in fractions. *)
Notation plan := (Forest.plan NB T C r blk len at_first).
Variable X : nat -> nat -> bool.
Hypothesis is_plan : plan X.
Definition taken m t c := if needs t c && X t c then m else 0.
Lemma stays_until p t c : t <= T -> p <= t -> (forall k, p <= k -> k < t -> reads k c = false) -> X t c = true ->
  X p c = true.
Proof. intros Ht L. induction L as [|t L IH]; auto. intros N H. destruct (p_step _ _ _ _ _ _ _ _ is_plan t c
  ltac:(lia) H) as [H'|H']; [apply IH; auto; lia|]. rewrite N in H' by lia. discriminate. Qed.
Lemma taken_fits m : over_intervals NB T C r blk len ask total at_first xi m (taken m).
Proof. split; [intros t c; unfold taken; destruct (_ && _); lia|]. intros p Hp. unfold Forest.kept_in. rewrite
  sum_swap. pose proof (p_fits _ _ _ _ _ _ _ _ is_plan p Hp) as F. rewrite (cnt_split NB (runs p) (X p)) in F by
  (intros c; now apply (p_runs _ _ _ _ _ _ _ _ is_plan)). apply Nat.le_trans with (m * cnt NB (fun c => X p c &&
  negb (runs p c))); [|nia]. unfold cnt. rewrite sum_mul. apply sum_le. intros c Hc. set (v := FurthestNext.next
  T reads p c). destruct (next_spec T r reads c p ltac:(lia)) as (B & W). fold v in B, W. assert (Sole : forall
  t, t < T -> needs t c = true -> covers p t c = true -> t = v). { intros t Ht N Co. apply andb_prop in Co as [C1
  C2]. apply Nat.leb_le in C1, C2. pose proof (next_last T reads p t c C2 Ht (needs_reads t c Ht N)) as L. fold v
  in L. destruct (Nat.eq_dec t v); auto. exfalso. destruct W as [W _]; [lia|]. pose proof (since_after r reads v
  t c ltac:(lia) W). change (FurthestNext.since r reads t c) with (begins r blk len t c) in *. lia. } destruct
  (le_lt_dec T v) as [G|G].
  - rewrite (sum_ext T _ (fun _ => 0)), sum_zero; [lia|]. intros t Ht. destruct (needs t c && covers p t c)
    eqn:E; auto. apply andb_prop in E as [E1 E2]. rewrite (Sole t Ht E1 E2) in Ht. lia.
  - eapply Nat.le_trans; [apply (sum_le T _ (fun t => if t =? v then (if needs v c && covers p v c then taken m v
    c else 0) else 0))|rewrite sum_point, (proj2 (Nat.ltb_lt _ _) G)].
    + intros t Ht. destruct (Nat.eqb_spec t v) as [->|n]; auto. destruct (needs t c && covers p t c) eqn:E; auto.
      apply andb_prop in E as [E1 E2]. now specialize (Sole t Ht E1 E2).
    + destruct (needs v c && covers p v c) eqn:E; [|lia]. unfold taken. apply andb_prop in E as [E1 E2]. rewrite
      E1. simpl. destruct (X v c) eqn:Xv; [|lia]. rewrite (stays_until p v c); auto; try lia.
      * destruct (runs p c) eqn:R; simpl; [|lia]. exfalso. apply runs_ok in R as (k & K & L & R). pose proof
        (since_after r reads k v c ltac:(lia) R). apply andb_prop in E2 as [E2 _]. apply Nat.leb_le in E2. change
        (FurthestNext.since r reads v c) with (begins r blk len v c) in *. lia.
      * intros k K L. apply not_true_is_false. intros R. pose proof (next_last T reads p k c K ltac:(lia) R) as
        Q. fold v in Q. lia. Qed.
Lemma taken_all m : m * hits_needed T xi blk len ask total at_first X <= kept_in (taken m) (fun _ _ => true).
Proof. unfold hits_needed. rewrite sum_mul. apply sum_le. intros t Ht. pose proof (hits_found NB T xi blk len ask
  total at_first paths X t Ht) as H. rewrite (found_cnt NB T xi blk len ask total at_first paths X t Ht) in H.
  apply Nat.le_trans with (m * cnt NB (fun c => needs t c && X t c)); [now apply Nat.mul_le_mono_l|]. unfold cnt.
  rewrite sum_mul. apply sum_le. intros c _. unfold taken. destruct (needs t c), (X t c); simpl; lia. Qed.
(* No choice of intervals in fractions keeps more than P allows. *)
Lemma intervals_allowed m y P : over_intervals NB T C r blk len ask total at_first xi m y ->
  kept_in y (fun _ _ => true) <= m * bound P.
Proof. intros [Le Fi]. eapply Nat.le_trans; [|apply bound_ge]. rewrite sum_mul. apply Nat.le_trans with (sum T
  (fun p => if P p then kept_in y (covers p) else 0) + kept_in (fun _ _ => m) (free P)). 2:{ apply
  Nat.add_le_mono_r, sum_le. intros p Hp. destruct (P p); [now apply Fi|lia]. } assert (E : sum T (fun p => if P
  p then kept_in y (covers p) else 0) = sum T (fun t => sum NB (fun c => sum T (fun p => if P p then if needs t c
  && covers p t c then y t c else 0 else 0)))). { rewrite (sum_ext T (fun t => sum NB _) _ (fun t _ => sum_swap
  NB T _)), sum_swap. apply sum_ext. intros p _. destruct (P p); auto. rewrite (sum_ext T _ (fun _ => 0)); [now
  rewrite sum_zero|]. intros. apply sum_zero. } rewrite E. unfold Forest.kept_in. rewrite <- sum_add. apply
  sum_le. intros t Ht. rewrite <- sum_add. apply sum_le. intros c _. rewrite andb_true_r. specialize (Le t c).
  destruct (needs t c) eqn:N; simpl; [|lia]. destruct (free P t c) eqn:F; [lia|]. unfold FurthestNext.free in F.
  apply negb_false_iff, existsb_exists in F as (p & Hp & F). apply in_seq in Hp. apply andb_prop in F as [Pp Cp].
  pose proof (sum_ge T (fun p => if P p then if covers p t c then y t c else 0 else 0) p ltac:(lia)) as G. cbv
  beta in G. change (covers p t c = true) in Cp. rewrite Pp, Cp in G. lia. Qed.

(* By depth: z is hit of n blocks, of which Y is there; F says whose intervals cover no step of P. *)
Lemma by_depth n nd e m (z Y : nat -> nat) (F : nat -> bool) : (forall d, d < n -> z d <= Y d <= m) ->
  (forall d, S d < n -> z (S d) <= z d) -> nd <= n -> nd = e \/ (nd < n -> z nd = 0) ->
  (forall d d', d <= d' -> d' < n -> F d' = true -> F d = true) ->
  min (sum n z) (m * e) <= m * sum nd (fun d => b2n (F d)) + sum n (fun d => if F d then 0 else Y d).
Proof. intros Le Dn L En Mo. replace n with (nd + (n - nd)) by lia. rewrite sum_mul, !sum_app. destruct (existsb
  (fun d => negb (F d)) (seq 0 nd)) eqn:Ex.
  - apply existsb_exists in Ex as (j & J & Fj). apply in_seq in J. apply negb_true_iff in Fj. assert (A : sum nd
    z <= sum nd (fun d => m * b2n (F d)) + sum nd (fun d => if F d then 0 else Y d)). { rewrite <- sum_add. apply
    sum_le. intros d Hd. specialize (Le d ltac:(lia)). destruct (F d); simpl; lia. } enough (sum (n - nd) (fun i
    => z (nd + i)) <= sum (n - nd) (fun i => if F (nd + i) then 0 else Y (nd + i))) by lia. apply sum_le. intros
    i Hi. destruct (F (nd + i)) eqn:Fi; [|apply Le; lia]. rewrite (Mo j (nd + i)) in Fj;
    [discriminate|lia|lia|auto].
  - assert (A : sum nd (fun d => m * b2n (F d)) = nd * m). { rewrite (sum_ext nd _ (fun _ => m)); [clear;
    induction nd; simpl; lia|]. intros d Hd. destruct (F d) eqn:Fd; simpl; [lia|]. exfalso. apply
    not_true_iff_false in Ex. apply Ex. apply existsb_exists. exists d. rewrite Fd. split; auto. apply in_seq.
    lia. } destruct En as [->|En]; [lia|]. rewrite (sum_ext (n - nd) (fun i => z (nd + i)) (fun _ => 0)),
    sum_zero.
    + enough (sum nd z <= nd * m) by lia. clear - Le L. induction nd; simpl; [lia|]. specialize (IHnd
      ltac:(lia)). specialize (Le nd ltac:(lia)). lia.
    + induction i; intros Hi; [rewrite Nat.add_0_r; apply En; lia|]. rewrite Nat.add_succ_r. specialize (Dn (nd +
      i) ltac:(lia)). specialize (IHi ltac:(lia)). lia. Qed.

Lemma begins_up n u c : (forall k, k < n -> reads k c = true -> reads k u = true) ->
  FurthestNext.since r reads n c <= FurthestNext.since r reads n u.
Proof. induction n; simpl; intros H; auto. specialize (IHn ltac:(auto)). specialize (H n). pose proof (since_le r
  reads n c). destruct (reads n c); [now rewrite H by auto|]. destruct (reads n u); lia. Qed.

Section Fractions.
Variable m : nat.
Variables Y hit : nat -> nat -> nat.
Hypothesis rel : relaxed NB T C r blk len ask at_first m Y hit.
Variable P : nat -> bool.
Lemma parts t c : t <= T -> Y t c <= if seen blk len at_first t c then m else 0.
Proof. unfold seen. induction t; intros Ht.
  - eapply Nat.le_trans; [apply (r_first _ _ _ _ _ _ _ _ _ _ _ rel)|]. destruct (at_first c); auto.
  - specialize (IHt ltac:(lia)). pose proof (r_step _ _ _ _ _ _ _ _ _ _ _ rel t c ltac:(lia)) as S. rewrite
    seq_S, existsb_app. cbn. destruct (at_first c), (existsb _ _), (reads t c); simpl in *; lia. Qed.
Definition unfree t c := if free P t c then 0 else m.
Definition in_rooms := FurthestNext.kept NB reads unfree Y.
Lemma rooms_hold : sum T in_rooms <= m * sum T (fun p => if P p then room p else 0).
Proof. pose proof (plan_allowed NB T (m * C) r reads unfree (fun _ _ => m)) as A. assert (Lv : forall t c, level
  reads (fun _ _ => m) t c = m * level reads one t c). { induction t; simpl; intros c; [lia|]. unfold one at 1.
  destruct (reads t c); auto; lia. } specialize (A ltac:(intros; unfold unfree; destruct (free P _ _); lia) (fun
  c => if at_first c then m else 0) Y P). eapply Nat.le_trans; [apply A|].
  - constructor; try apply rel. intros t c Ht E. rewrite Lv, level_one. rewrite runs_same in E. rewrite (r_runs _
    _ _ _ _ _ _ _ _ _ _ rel t c Ht E). apply runs_ok in E as (k & _ & K & R). replace (existsb _ _) with true;
    [simpl; lia|]. symmetry. apply existsb_exists. exists k. split; auto. apply in_seq. lia.
  - unfold allowed, of_next, of_later, unfree. rewrite (sum_ext NB _ (fun _ => 0)), sum_zero, (sum_ext NB _ (fun
    _ => 0)), sum_zero.
    + rewrite !Nat.add_0_r, sum_mul. unfold of_rooms. apply sum_le. intros p _. destruct (P p); [|lia]. rewrite
      <- room_same. unfold FurthestNext.room. rewrite Nat.mul_sub_distr_l, sum_mul. apply Nat.sub_le_mono_l,
      sum_le. intros c _. rewrite Lv. destruct (exempt _ _ _ _); lia.
    + intros c _. rewrite (sum_ext T _ (fun _ => 0)); [apply sum_zero|]. intros t _. destruct (free P t c);
      rewrite ?andb_false_r; auto. now destruct (_ && _).
    + intros c _. destruct (free P _ c); rewrite ?andb_false_r; auto. now destruct (_ <? _). Qed.
Lemma request_hits t : t < T -> min (sum (ask t) (hit t)) (m * (total t - xi)) <=
  sum NB (fun c => if needs t c && free P t c then m else 0) + in_rooms t.
Proof. intros Ht. pose proof (need_len NB T xi blk len ask total at_first paths t Ht) as NL. pose proof (f_ask _
  _ _ _ _ paths t Ht) as AL. set (F d := free P t (blk t d)). assert (In : forall n d, n <= len t -> d < n -> blk
  t d < NB) by (intros; apply (f_inside _ _ _ _ _ paths); lia). assert (Inj : forall n d e, n <= len t -> d < n
  -> e < n -> blk t d = blk t e -> d = e) by (intros n d e; intros; apply (f_path _ _ _ _ _ paths t); auto; lia).
  eapply Nat.le_trans; [apply (by_depth (ask t) (need t) (total t - xi) m (hit t) (fun d => Y t (blk t d)) F)|].
  - intros d Hd. split; [now apply (r_hit _ _ _ _ _ _ _ _ _ _ _ rel)|]. pose proof (parts t (blk t d)
    ltac:(lia)). destruct (seen _ _ _ _ _); lia.
  - intros d. now apply (r_leading _ _ _ _ _ _ _ _ _ _ _ rel).
  - apply need_ask.
  - unfold needed. set (e := total t - xi). destruct (le_lt_dec e (leads blk (seen blk len at_first) t (min (ask
    t) e) 0)) as [G|G].
    + left. pose proof (leads_le blk (seen blk len at_first) t (min (ask t) e) 0). lia.
    + right. intros L. set (l := leads blk _ t _ 0) in *. enough (seen blk len at_first t (blk t l) = false) as
      S. { pose proof (parts t (blk t l) ltac:(lia)) as Q. rewrite S in Q. pose proof (r_hit _ _ _ _ _ _ _ _ _ _
      _ rel t l Ht L). lia. } apply not_true_is_false. intros S. assert (l >= Datatypes.S l); [|lia]. apply
      leads_ge; [lia|]. intros k Hk. simpl. destruct (Nat.eq_dec k l) as [->|n]; auto. apply (leads_in blk _ t
      (min (ask t) e) 0 k). fold l. lia.
  - intros d d' L Hd'. unfold F, FurthestNext.free. rewrite !negb_true_iff. intros H. apply not_true_is_false.
    intros E. apply not_true_iff_false in H. apply H. apply existsb_exists in E as (p & Hp & E). apply
    existsb_exists. exists p. split; auto. apply andb_prop in E as [-> E]. simpl. unfold FurthestNext.covers in
    *. apply andb_prop in E as [E1 E2]. rewrite E2, andb_true_r. apply Nat.leb_le in E1. apply Nat.leb_le. eapply
    Nat.le_trans; [|exact E1]. apply begins_up. intros k Hk. clear - L Hd' AL paths Ht Hk. induction L as [|e L
    IH]; auto. intros R. apply IH; [lia|]. apply (f_tree _ _ _ _ _ paths t e k); auto; lia.
  - apply Nat.add_le_mono.
    + rewrite sum_mul. eapply Nat.le_trans; [apply (sum_along NB (need t) (blk t) (fun c => m * b2n (free P t
      c))); eauto|]. apply sum_le. intros c _. fold (needs t c). destruct (needs t c), (free P t c); simpl; lia.
    + eapply Nat.le_trans; [apply (sum_along NB (ask t) (blk t) (fun c => if free P t c then 0 else Y t c));
      eauto|]. apply sum_le. intros c _. destruct (existsb _ _) eqn:E; [|lia]. apply existsb_exists in E as (d &
      Hd & E). apply in_seq in Hd. apply Nat.eqb_eq in E. replace (reads t c) with true.
      * unfold unfree. pose proof (parts t c ltac:(lia)). destruct (free P t c); [lia|]. destruct (seen _ _ _ _
        _); lia.
      * symmetry. apply Model.reads_ok. exists d. split; auto. lia. Qed.
Lemma relaxed_allowed : m * sum T (fun t => total t - xi) <= relaxed_tel T ask total xi m hit + m * bound P.
Proof. pose proof (bound_ge P m) as B. pose proof rooms_hold as R. unfold Forest.kept_in in B. enough (m * sum T
  (fun t => total t - xi) <= relaxed_tel T ask total xi m hit + (sum T (fun t => sum NB (fun c => if needs t c &&
  free P t c then m else 0)) + sum T in_rooms)) by lia. rewrite sum_mul. unfold relaxed_tel. rewrite <- !sum_add.
  apply sum_le. intros t Ht. pose proof (request_hits t Ht). rewrite Nat.mul_sub_distr_l in *. lia. Qed.
End Fractions.
End Relaxation.

(* Rows forest.optimum.relaxation, .relaxation.forced and, over intervals, .start.any. X is what Tail-Optimized
   Belady caches, m any number of parts. In fractions no plan block by block is below its TEL, and no choice of
   intervals keeps more than it does, without a precedence. Both reach it. *)
Theorem relaxations_are_whole : forall NB T C r xi blk len ask total at_first (X : nat -> nat -> bool) m,
  forest NB T blk len ask -> cnt NB at_first <= C -> (forall c, X 0 c = at_first c) ->
  (forall t, t < T -> forest_belady_cut NB T C r blk len ask total at_first xi (S t)
    (filled_with blk len t (X t)) (X (S t))) ->
  let tel := forest_tel T blk ask total xi X in let uncached := sum T (fun t => total t - xi) in
  let intervals := over_intervals NB T C r blk len ask total at_first xi m in
  let kept y := kept_in NB T blk len ask total at_first xi y (fun _ _ => true) in
  ((forall Y hit, relaxed NB T C r blk len ask at_first m Y hit -> m * tel <= relaxed_tel T ask total xi m hit) /\
   exists Y hit, relaxed NB T C r blk len ask at_first m Y hit /\ relaxed_tel T ask total xi m hit = m * tel) /\
  (forall y, intervals y -> kept y + m * tel <= m * uncached) /\
  exists y, intervals y /\ kept y + m * tel = m * uncached.
Proof. intros NB T C r xi blk len ask total at_first X m F Fit X0 Cut tel uncached intervals kept. pose proof
  (is_plan NB T C r xi blk len ask total at_first X X0 Cut Fit) as Pl. destruct (gap_closes NB T C r xi blk len
  ask total at_first F X X0 Cut) as (P & G). pose proof (tel_and_hits NB T C r xi blk len ask total at_first X
  Pl) as TH. fold tel uncached in TH. assert (Up : forall y, intervals y -> kept y + m * tel <= m * uncached). {
  intros y Iy. pose proof (intervals_allowed NB T C r xi blk len ask total at_first F m y P Iy). unfold kept.
  nia. } split; [split|split; auto].
  - intros Y hit Re. pose proof (relaxed_allowed NB T C r xi blk len ask total at_first F m Y hit Re P) as A.
    fold uncached in A. nia.
  - exists (fun t c => m * b2n (X t c)), (fun t d => if d <? leads blk X t (ask t) 0 then m else 0). destruct Pl
    as [p1 p2 p3 p4]. split; [constructor|].
    + intros c. rewrite X0. destruct (at_first c); simpl; lia.
    + intros t c Ht. specialize (p2 t c Ht). destruct (X (S t) c); simpl; [|lia]. destruct (p2 eq_refl) as [->|
      ->]; simpl; destruct (Model.reads _ _ _ _); lia.
    + intros t Ht. rewrite <- sum_mul. now apply Nat.mul_le_mono_l, p3.
    + intros t c Ht R. rewrite p4; auto. simpl. lia.
    + intros t d Ht Hd. destruct (Nat.ltb_spec d (leads blk X t (ask t) 0)) as [L|L]; [|lia]. pose proof
      (leads_in blk X t (ask t) 0 d L) as E. simpl in E. rewrite E. simpl. lia.
    + intros t d Ht Hd. destruct (Nat.ltb_spec (S d) (leads blk X t (ask t) 0)), (Nat.ltb_spec d (leads blk X t
      (ask t) 0)); lia.
    + unfold relaxed_tel, tel, forest_tel. rewrite sum_mul. apply sum_ext. intros t Ht. set (l := leads blk X t
      (ask t) 0). pose proof (leads_le blk X t (ask t) 0) as L. fold l in L. rewrite (sum_ext _ _ (fun d => m *
      (if d <? l then 1 else 0))) by (intros d _; destruct (d <? l); lia). rewrite <- sum_mul, sum_ltb,
      !Nat.mul_sub_distr_l by auto. reflexivity.
  - exists (taken xi blk len ask total at_first X m). pose proof (taken_fits NB T C r xi blk len ask total
    at_first F X Pl m) as I. split; [exact I|]. pose proof (taken_all NB T xi blk len ask total at_first F X m)
    as A. specialize (Up _ I). unfold kept in *. nia. Qed.
