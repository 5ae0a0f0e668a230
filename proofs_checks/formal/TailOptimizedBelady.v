(* Theorem B.1 for the policy, in lengths: Tail-Optimized Belady has the least TEL of any plan, and the steps that
   its
   evictions give prove it. From any initial cache, under optional and forced caching. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Plans RunsArePlans.
Import ListNotations.

Section Bound.
Variables N C xi : nat.
Variable forced : bool.
Variable us : list turn.
Notation turn_at := (turn_at us).
Notation T := (steps us).
Notation who_at t := (who (turn_at t)).
Notation filled := (filled us).
Notation need := (need xi us).
Notation next := (next us).
Notation use := (use xi us).

(* The first step that the reuse interval of i into turn t covers: 0 where i has had no turn. *)
Fixpoint since t i := match t with 0 => 0 | S s => if who_at s =? i then S s + b2n forced else since s i end.
Definition covers p t := (since t (who_at t) <=? p) && (p <=? t).
(* Whether it covers no step of P. *)
Definition free (P : nat -> bool) t := negb (existsb (fun p => P p && covers p t) (seq 0 T)).
(* What is exempt at a step under forced caching, and the room that it leaves. *)
Definition exempt_at p j := match p with 0 => false | S t => exempt forced (who_at t) j end.
Definition room p := C - match p with 0 => 0 | S t => if forced then filled t else 0 end.

(* What P allows from turn t on if Y is cached: the room at P; of each conversation what is cached and of use, if
   the
   interval of its next turn covers no step of P; what is of use to later turns whose intervals cover no step of
     P. *)
Definition of_rooms (P : nat -> bool) := sum T (fun p => if P p then room p else 0).
Definition of_cached t (Y : cache) P j :=
  if (next t j <? T) && free P (next t j) then min (need (next t j)) (Y j) else 0.
Definition of_later t P s := if (t <=? s) && negb (next t (who_at s) =? s) && free P s then need s else 0.
Definition allowed t Y P := of_rooms P + sum N (of_cached t Y P) + sum T (of_later t P).

Lemma next_here t i : t < T -> next t i = if who_at t =? i then t else next (S t) i.
Proof. intros H. unfold Plans.next. replace (T - t) with (S (T - S t)) by lia. reflexivity. Qed.
Lemma next_end i : next T i = T.
Proof. unfold Plans.next. now rewrite Nat.sub_diag. Qed.
(* Induction from the end of the trace. *)
Lemma backwards (A : nat -> Prop) : A T -> (forall t, t < T -> A (S t) -> A t) -> forall t, t <= T -> A t.
Proof.
  intros E St t Ht. replace t with (T - (T - t)) by lia. generalize (T - t) as k. induction k.
  - now rewrite Nat.sub_0_r.
  - destruct (le_lt_dec T k); [replace (T - S k) with (T - k) by lia; auto|].
    apply St; [lia|]. replace (S (T - S k)) with (T - k) by lia. auto.
Qed.
Lemma next_spec i t : t <= T -> t <= next t i <= T /\ (next t i < T -> who_at (next t i) = i /\
  since (next t i) i = since t i).
Proof.
  revert t. apply (backwards (fun t => t <= next t i <= T /\ (next t i < T -> who_at (next t i) = i /\
    since (next t i) i = since t i))).
  - rewrite next_end. split; lia.
  - intros t Ht (B & W). rewrite next_here by auto. destruct (Nat.eqb_spec (who_at t) i) as [E|E].
    + split; [lia|]. auto.
    + split; [lia|]. intros L. destruct (W L) as [W1 W2]. split; auto. rewrite W2. simpl.
      now apply Nat.eqb_neq in E as ->.
Qed.
Lemma next_last t s : t <= s -> s < T -> next t (who_at s) <= s.
Proof.
  intros L H. assert (G : forall t, t <= T -> t <= s -> next t (who_at s) <= s).
  { apply (backwards (fun t => t <= s -> next t (who_at s) <= s)); [lia|]. intros u Hu IH Us.
    rewrite next_here by auto. destruct (Nat.eqb_spec (who_at u) (who_at s)); auto.
    apply IH. destruct (Nat.eq_dec u s) as [->|]; [congruence|lia]. }
  apply G; lia.
Qed.
Lemma since_after s t : s < t -> since t (who_at s) >= S s + b2n forced.
Proof.
  induction t; simpl; intros H; [lia|]. destruct (Nat.eqb_spec (who_at t) (who_at s)); [lia|].
  apply IHt. destruct (Nat.eq_dec s t) as [->|]; [congruence|lia].
Qed.
Lemma since_le t i : since t i <= t + b2n forced.
Proof. induction t; simpl; [lia|]. destruct (who_at t =? i); lia. Qed.

Lemma free_spec P t : t < T -> free P t = true <-> forall p, P p = true -> covers p t = false.
Proof.
  intros Ht. unfold free. rewrite negb_true_iff. split.
  - intros E p Pp. apply not_true_is_false. intros Cp. apply not_true_iff_false in E. apply E.
    apply existsb_exists. exists p. rewrite Pp, Cp. split; auto. apply in_seq.
    apply andb_prop in Cp as [_ Cp]. apply Nat.leb_le in Cp. lia.
  - intros H. apply not_true_is_false. intros E. apply existsb_exists in E as (p & _ & E).
    apply andb_prop in E as [Pp Cp]. rewrite H in Cp; auto. discriminate.
Qed.
Lemma free_upd P t s : t < T -> P t = false -> free (upd P t true) s = free P s && negb (covers t s).
Proof.
  intros Ht Pt. unfold free. rewrite <- negb_orb. f_equal. apply eq_true_iff_eq.
  rewrite orb_true_iff, !existsb_exists. split.
  - intros (p & Hp & E). apply andb_prop in E as [Pp Cp]. destruct (upd_case P t true p) as [[-> E]|[n E]]; auto.
    rewrite E in Pp. left. exists p. now rewrite Pp, Cp.
  - intros [(p & Hp & E)|E].
    + exists p. apply andb_prop in E as [Pp Cp]. split; auto. rewrite Cp, andb_true_r.
      destruct (upd_case P t true p) as [[_ E]|[_ E]]; rewrite E; auto.
    + exists t. rewrite upd_eq, E. split; auto. apply in_seq. lia.
Qed.

(* Which intervals of next turns cover step t: all but that of who is exempt. *)
Lemma covers_next t j : t < T -> next t j < T -> covers t (next t j) = negb (exempt_at t j).
Proof.
  intros Ht L. destruct (next_spec j t ltac:(lia)) as (B & W). destruct (W L) as [W1 W2].
  unfold covers. rewrite W1, W2. replace (t <=? next t j) with true by (symmetry; apply Nat.leb_le; lia).
  rewrite andb_true_r. destruct t as [|t]; auto. simpl. unfold exempt. rewrite (Nat.eqb_sym j).
  pose proof (since_le t j). unfold b2n in *.
  destruct (who_at t =? j), forced; simpl; (apply Nat.leb_le || apply Nat.leb_gt); lia.
Qed.

(* One more step t in P adds its room, and takes what was counted of the conversations that are not exempt. *)
Lemma buy t Y P : t < T -> P t = false ->
  allowed t Y (upd P t true) + sum N (fun j => if exempt_at t j then 0 else of_cached t Y P j)
  = allowed t Y P + room t.
Proof.
  intros Ht Pt. unfold allowed.
  assert (E1 : of_rooms (upd P t true) = of_rooms P + room t).
  { unfold of_rooms. pose proof (sum_upd T (fun p => if P p then room p else 0) t (room t) Ht) as U.
    cbv beta in U. rewrite Pt in U. rewrite <- U, Nat.add_0_r.
    apply sum_ext. intros p _. unfold upd. destruct (Nat.eqb_spec p t) as [->|]; auto. }
  assert (E2 : sum N (of_cached t Y P) = sum N (of_cached t Y (upd P t true)) +
    sum N (fun j => if exempt_at t j then 0 else of_cached t Y P j)).
  { rewrite <- sum_add. apply sum_ext. intros j _. unfold of_cached.
    destruct (Nat.ltb_spec (next t j) T) as [L|]; simpl.
    - rewrite free_upd, covers_next, negb_involutive by auto. destruct (exempt_at t j), (free P (next t j));
      simpl; lia.
    - destruct (exempt_at t j); auto. }
  assert (E3 : sum T (of_later t (upd P t true)) = sum T (of_later t P)).
  { apply sum_ext. intros s Hs. unfold of_later. destruct (Nat.leb_spec t s) as [L|]; simpl; auto.
    destruct (Nat.eqb_spec (next t (who_at s)) s) as [|n]; simpl; auto. rewrite free_upd by auto.
    replace (covers t s) with false; [now rewrite andb_true_r|]. symmetry. unfold covers.
    apply andb_false_iff. left. apply Nat.leb_gt. pose proof (next_last t s L Hs).
    destruct (next_spec (who_at s) t ltac:(lia)) as (B & W). destruct W as [W1 _]; [lia|].
    pose proof (since_after (next t (who_at s)) s ltac:(lia)) as G. rewrite W1 in G. lia. }
  lia.
Qed.

(* A turn reuses what is of use to it, and what it leaves covers the need of the next turn of the same
   conversation. *)
Hypothesis numbers : forall t, t < T -> who_at t < N.
Hypothesis enough : forall t, t < T -> next (S t) (who_at t) < T -> need (next (S t) (who_at t)) <= filled t.
Lemma serving t (Y : cache) P : t < T -> (forall p, P p = true -> t < p) ->
  allowed t Y P = allowed (S t) (fill (turn_at t) Y) P + min (need t) (Y (who_at t)).
Proof.
  intros Ht Pt. unfold allowed. set (i := who_at t). set (s := next (S t) i).
  assert (Nt : next t i = t) by (unfold i; now rewrite next_here, Nat.eqb_refl by auto).
  assert (Ft : free P t = true).
  { apply free_spec; auto. intros p Pp. specialize (Pt p Pp). unfold covers. apply andb_false_iff. right.
    apply Nat.leb_gt. lia. }
  assert (E1 : sum N (of_cached t Y P) = sum N (upd (of_cached (S t) (fill (turn_at t) Y) P) i (min (need t) (Y
    i)))).
  { apply sum_ext. intros j _. destruct (Nat.eq_dec j i) as [->|n].
    - rewrite upd_eq. unfold of_cached. rewrite Nt, Ft. replace (t <? T) with true by (symmetry;
      now apply Nat.ltb_lt).
      reflexivity.
    - rewrite upd_neq by auto. unfold of_cached, fill. rewrite upd_neq by auto. rewrite next_here by auto.
      fold i. rewrite Nat.eqb_sym. now apply Nat.eqb_neq in n as ->. }
  pose proof (sum_upd N (of_cached (S t) (fill (turn_at t) Y) P) i (min (need t) (Y i)) (numbers t Ht)) as E2.
  assert (E3 : of_cached (S t) (fill (turn_at t) Y) P i = if (s <? T) && free P s then need s else 0).
  { unfold of_cached, fill. fold s. fold i. rewrite upd_eq. destruct (Nat.ltb_spec s T) as [L|]; simpl; auto.
    specialize (enough t Ht L). change (need s <= input us t + response (turn_at t)) in enough.
      unfold input in enough.
    destruct (free P s); auto. lia. }
  assert (E4 : sum T (of_later t P) = sum T (of_later (S t) P) + if (s <? T) && free P s then need s else 0).
  { assert (A : forall u, u < T -> of_later t P u = of_later (S t) P u +
      if (u =? s) then (if (s <? T) && free P s then need s else 0) else 0).
    { intros u Hu. unfold of_later. destruct (next_spec i (S t) ltac:(lia)) as (B & W). fold s in B, W.
      destruct (Nat.eqb_spec u s) as [->|nu].
      - destruct (W ltac:(lia)) as [W1 _]. rewrite W1, Nt. fold s. rewrite (proj2 (Nat.ltb_lt s T)) by auto.
        rewrite Nat.eqb_refl. replace (t <=? s) with true by (symmetry; apply Nat.leb_le; lia).
        replace (t =? s) with false by (symmetry; apply Nat.eqb_neq; lia). simpl. rewrite andb_false_r. simpl.
          reflexivity.
      - destruct (Nat.eq_dec u t) as [->|nt].
        + fold i. rewrite Nt, Nat.eqb_refl, andb_false_r. replace (S t <=? t) with false
            by (symmetry; apply Nat.leb_gt; lia). reflexivity.
        + replace (S t <=? u) with (t <=? u) by (apply eq_true_iff_eq; rewrite !Nat.leb_le; lia).
          destruct (Nat.leb_spec t u); simpl; auto. rewrite (next_here t) by auto. fold i.
          destruct (Nat.eqb_spec i (who_at u)) as [E|E]; [|lia]. rewrite <- E. fold s.
          replace (t =? u) with false by (symmetry; apply Nat.eqb_neq; lia).
          replace (s =? u) with false by (symmetry; apply Nat.eqb_neq; lia). simpl. lia. }
    rewrite (sum_ext T _ _ A), sum_add, sum_point. destruct (s <? T); auto. }
  lia.
Qed.

Definition kept (X : nat -> cache) t := min (need t) (X t (who_at t)).
Definition kept_from t X := sum T (fun s => if t <=? s then kept X s else 0).
Lemma kept_here t X : t < T -> kept_from t X = kept X t + kept_from (S t) X.
Proof.
  intros Ht. unfold kept_from.
  pose proof (sum_upd T (fun s => if S t <=? s then kept X s else 0) t (kept X t) Ht) as U. cbv beta in U.
  replace (S t <=? t) with false in U by (symmetry; apply Nat.leb_gt; lia).
  rewrite (sum_ext T (fun s => if t <=? s then kept X s else 0) (upd (fun s => if S t <=? s then kept X s else 0) t
    (kept X t))); [lia|]. intros s _. destruct (upd_case (fun s => if S t <=? s then kept X s else 0) t (kept X t)
      s)
    as [[-> E]|[n E]]; rewrite E; [now rewrite Nat.leb_refl|].
  replace (S t <=? s) with (t <=? s); auto. apply eq_true_iff_eq. rewrite !Nat.leb_le. lia.
Qed.
Lemma kept_end X : kept_from T X = 0.
Proof.
  unfold kept_from. rewrite (sum_ext T _ (fun _ => 0)); [apply sum_zero|]. intros s Hs.
  replace (T <=? s) with false; auto. symmetry. apply Nat.leb_gt. lia.
Qed.
Lemma allowed_more t Y Y' P : (forall j, j < N -> Y j <= Y' j) -> allowed t Y P <= allowed t Y' P.
Proof.
  intros H. unfold allowed. enough (sum N (of_cached t Y P) <= sum N (of_cached t Y' P)) by lia.
  apply sum_le. intros j Hj. specialize (H j Hj). unfold of_cached. destruct (_ && _); lia.
Qed.
Lemma split_exempt t (Y : cache) : t < T -> sum N Y = sum N (fun j => if exempt_at t j then 0 else Y j) +
  match t with 0 => 0 | S t => if forced then Y (who_at t) else 0 end.
Proof.
  intros Ht. destruct t as [|t]; simpl.
  - rewrite (sum_ext N (fun j => Y j) Y) by auto. lia.
  - unfold exempt. destruct forced; simpl; [|rewrite (sum_ext N (fun j => Y j) Y) by auto; lia].
    pose proof (sum_upd N Y (who_at t) 0 (numbers t ltac:(lia))) as U.
    rewrite (sum_ext N (upd Y (who_at t) 0) (fun j => if j =? who_at t then 0 else Y j)) in U by auto. lia.
Qed.

(* No plan keeps more than any set of steps allows. *)
Lemma plan_allowed X0 X P : plan N C forced X0 us X -> sum T (kept X) <= allowed 0 X0 P.
Proof.
  intros Pl.
  assert (G : forall t, t <= T -> kept_from t X <= allowed t (X t) (fun p => P p && (t <=? p))).
  { apply backwards; [rewrite kept_end; lia|]. intros t Ht IH. rewrite kept_here by auto.
    set (P' := fun p => P p && (S t <=? p)) in *.
    assert (Le : kept X t + kept_from (S t) X <= allowed t (X t) P').
    { rewrite (serving t (X t) P' Ht); [|intros p Pp; apply andb_prop in Pp as [_ Pp]; now apply Nat.leb_le in Pp].
      unfold kept at 1. enough (allowed (S t) (X (S t)) P' <= allowed (S t) (fill (turn_at t) (X t)) P') by lia.
      apply allowed_more. intros j _. unfold fill.
      destruct (upd_case (X t) (who_at t) (history (turn_at t) + prompt (turn_at t) + response (turn_at t)) j)
        as [[-> E]|[n E]]; rewrite E; [apply (p_own _ _ _ _ _ _ Pl t Ht) | now apply (p_grows _ _ _ _ _ _ Pl)]. }
    assert (Ex : forall p, (P p && (t <=? p)) = if P t then upd P' t true p else P' p).
    { intros p. unfold P'. destruct (P t) eqn:Pt.
      - destruct (upd_case P' t true p) as [[-> E]|[n E]]; fold P' in E; unfold P' in E; rewrite E.
        + now rewrite Pt, Nat.leb_refl.
        + f_equal. apply eq_true_iff_eq. rewrite !Nat.leb_le. lia.
      - destruct (Nat.eq_dec p t) as [->|n]; [now rewrite Pt|]. f_equal. apply eq_true_iff_eq.
        rewrite !Nat.leb_le. lia. }
    assert (Same : allowed t (X t) (fun p => P p && (t <=? p)) = allowed t (X t) (if P t then upd P' t true else
      P')).
    { assert (Fr : forall s, free (fun p => P p && (t <=? p)) s = free (if P t then upd P' t true else P') s).
      { intros s. unfold free. f_equal. apply eq_true_iff_eq. rewrite !existsb_exists.
        split; intros (p & Hp & E); exists p; split; auto; specialize (Ex p); destruct (P t); congruence. }
      unfold allowed, of_rooms. f_equal; [f_equal|]; apply sum_ext.
      - intros p _. specialize (Ex p). destruct (P t); now rewrite Ex.
      - intros j _. unfold of_cached. now rewrite Fr.
      - intros s _. unfold of_later. now rewrite Fr. }
    rewrite Same. destruct (P t); [|exact Le].
    pose proof (buy t (X t) P' Ht) as B. unfold P' in B at 1. rewrite (proj2 (Nat.leb_gt (S t) t)) in B by lia.
    rewrite andb_false_r in B. specialize (B eq_refl).
    enough (sum N (fun j => if exempt_at t j then 0 else of_cached t (X t) P' j) <= room t) by lia.
    apply Nat.le_trans with (sum N (fun j => if exempt_at t j then 0 else X t j)).
    { apply sum_le. intros j _. unfold of_cached. destruct (exempt_at t j); auto. destruct (_ && _); lia. }
    pose proof (p_fits _ _ _ _ _ _ Pl t Ht) as F. pose proof (split_exempt t (X t) Ht). unfold room.
    destruct t as [|t]; [lia|]. pose proof (p_forced _ _ _ _ _ _ Pl t Ht) as Fo.
    destruct forced; [specialize (Fo eq_refl)|]; lia. }
  specialize (G 0 ltac:(lia)). unfold kept_from in G. simpl in G.
  rewrite (sum_ext T (fun s => kept X s) (kept X)) in G by auto.
  assert (Al : allowed 0 (X 0) (fun p => P p && true) <= allowed 0 X0 P).
  { apply Nat.le_trans with (allowed 0 X0 (fun p => P p && true)).
    - apply allowed_more. intros j _. apply (p_first _ _ _ _ _ _ Pl).
    - unfold allowed, of_rooms, of_cached, of_later.
      assert (Fr : forall s, free (fun p => P p && true) s = free P s).
      { intros s. unfold free. f_equal. apply eq_true_iff_eq. rewrite !existsb_exists.
        split; intros (p & Hp & E); exists p; rewrite andb_true_r in *; auto. }
      apply Nat.eq_le_incl. f_equal; [f_equal|]; apply sum_ext; intros; rewrite ?andb_true_r, ?Fr; auto. }
  lia.
Qed.

(* What the cuts of Tail-Optimized Belady keep: read backwards, an eviction of what is needed before all steps of P
   puts its step into P. *)
Notation tob_cut := (tob_cut N C xi forced us).
Lemma evictions t Y Y' : S t < T -> tob_cut (S t) (who_at t) Y Y' -> (forced = true -> Y (who_at t) = filled t) ->
  forall P K, (forall p, P p = true -> S t <= p) -> allowed (S t) Y' P <= K ->
  exists P, (forall p, P p = true -> S t <= p) /\ allowed (S t) Y P <= K.
Proof.
  intros Ht R. induction R as [Y D | Y v Y' Hv F Mv R IH | Y v Y' O Ns Fu R IH]; intros Fo P K RP A.
  - exists P. auto.
  - destruct (IH) with (P := P) (K := K) as (Q & RQ & AQ); auto.
    { intros E. rewrite <- (Fo E). unfold lose. rewrite upd_neq; auto. intros W. now apply (Mv E). }
    exists Q. split; auto. eapply Nat.le_trans; [|exact AQ]. unfold allowed.
    enough (sum N (of_cached (S t) Y Q) <= sum N (of_cached (S t) (lose Y v) Q)) by lia. apply sum_le. intros j _.
    unfold of_cached, lose. destruct (upd_case Y v (Y v - 1) j) as [[-> E]|[_ E]]; rewrite E; [|lia].
    unfold Plans.use in F. destruct (next (S t) v <? T); simpl; [|lia]. destruct (free Q _); lia.
  - destruct (IH) with (P := P) (K := K) as (Q & RQ & AQ); auto.
    { intros E. rewrite <- (Fo E). unfold lose. destruct Fu as (_ & _ & Mv & _). rewrite upd_neq; auto.
      intros W. now apply (Mv E). }
    destruct Fu as (Hv & Yv & Mv & Mx). set (e := next (S t) v).
    assert (Ev : forall i, may_lose forced (who_at t) i -> exempt_at (S t) i = false).
    { intros i M. simpl. unfold exempt. destruct forced; auto. simpl. apply Nat.eqb_neq. now apply M. }
    assert (Us : forall i, i < N -> may_lose forced (who_at t) i -> Y i >= 1 ->
      next (S t) i < T /\ Y i <= need (next (S t) i)).
    { intros i Hi Mi Yi. specialize (Ns i Hi Mi). unfold Plans.use in Ns.
      destruct (Nat.ltb_spec (next (S t) i) T); [auto|lia]. }
    assert (eT : e < T) by (now apply Us).
    destruct (free Q e) eqn:Fe.
    + exists (upd Q (S t) true). split.
      { intros p. destruct (upd_case Q (S t) true p) as [[-> E]|[_ E]]; rewrite E; auto. }
      assert (Far : forall p, Q p = true -> e < p).
      { intros p Qp. destruct (le_lt_dec p e) as [L|]; auto. exfalso. specialize (RQ p Qp).
        pose proof (proj1 (free_spec Q e eT) Fe p Qp) as Cp. unfold covers in Cp.
        destruct (next_spec v (S t) ltac:(lia)) as (B & W). fold e in B, W. destruct (W eT) as [W1 W2].
        rewrite W1, W2, (proj2 (Nat.leb_le p e) L), andb_true_r in Cp. apply Nat.leb_gt in Cp.
        specialize (Ev v Mv). simpl in Ev. unfold exempt in Ev. simpl in W2, Cp. unfold b2n in Cp.
        rewrite (Nat.eqb_sym v) in Ev. destruct (who_at t =? v); [destruct forced; [discriminate|lia]|].
        pose proof (since_le t v). unfold b2n in *. destruct forced; lia. }
      assert (Qt : Q (S t) = false).
      { destruct (Q (S t)) eqn:E; auto. specialize (Far _ E).
        destruct (next_spec v (S t) ltac:(lia)) as (B & _). fold e in B. lia. }
      assert (Of : forall i, i < N -> exempt_at (S t) i = false -> of_cached (S t) Y Q i = Y i).
      { intros i Hi Ei. destruct (Y i) eqn:Yi.
        { unfold of_cached. destruct (_ && _); lia. }
        assert (Mi : may_lose forced (who_at t) i).
        { intros E ->. simpl in Ei. unfold exempt in Ei. rewrite E, Nat.eqb_refl in Ei. discriminate. }
        destruct (Us i Hi Mi ltac:(lia)) as [L Le]. unfold of_cached. rewrite (proj2 (Nat.ltb_lt _ _) L).
        assert (Fi : free Q (next (S t) i) = true).
        { apply free_spec; auto. intros p Qp. specialize (Far p Qp). specialize (Mx i Hi ltac:(lia) Mi).
          fold e in Mx.
          unfold covers. apply andb_false_iff. right. apply Nat.leb_gt. lia. }
        rewrite Fi. simpl. lia. }
      pose proof (buy (S t) Y Q Ht Qt) as B. pose proof (split_exempt (S t) Y Ht) as Sp. cbv iota in Sp.
      rewrite (sum_ext N _ (fun j => if exempt_at (S t) j then 0 else Y j)) in B
        by (intros j Hj; destruct (exempt_at (S t) j) eqn:Ej; auto).
      assert (One : allowed (S t) Y Q = allowed (S t) (lose Y v) Q + 1).
      { unfold allowed. enough (sum N (of_cached (S t) Y Q) = sum N (of_cached (S t) (lose Y v) Q) + 1) by lia.
        pose proof (sum_upd N (of_cached (S t) (lose Y v) Q) v (Y v) Hv) as U.
        assert (V : of_cached (S t) (lose Y v) Q v = Y v - 1).
        { specialize (Of v Hv (Ev v Mv)). unfold of_cached, lose in *. fold e in Of |- *. rewrite Fe in *.
          rewrite (proj2 (Nat.ltb_lt _ _) eT) in *. simpl in *. rewrite upd_eq. lia. }
        rewrite (sum_ext N (of_cached (S t) Y Q) (upd (of_cached (S t) (lose Y v) Q) v (Y v))); [lia|].
        intros j Hj. destruct (Nat.eq_dec j v) as [->|n]; [rewrite upd_eq; now apply Of; auto|].
        rewrite upd_neq by auto. unfold of_cached, lose. now rewrite upd_neq. }
      pose proof (sum_ge N (fun j => if exempt_at (S t) j then 0 else Y j) v Hv) as Gv. cbv beta in Gv.
      rewrite (Ev v Mv) in Gv. unfold room in B. destruct forced; [specialize (Fo eq_refl)|]; lia.
    + exists Q. split; auto. eapply Nat.le_trans; [|exact AQ]. unfold allowed.
      enough (sum N (of_cached (S t) Y Q) <= sum N (of_cached (S t) (lose Y v) Q)) by lia. apply sum_le.
        intros j _.
      unfold of_cached, lose. destruct (upd_case Y v (Y v - 1) j) as [[-> E]|[_ E]]; rewrite E; [|lia].
      fold e. rewrite Fe, andb_false_r. lia.
Qed.

Variable X : nat -> cache.
Hypothesis cuts : forall t, t < T -> tob_cut (S t) (who_at t) (fill (turn_at t) (X t)) (X (S t)).

Lemma allowed_end Y P : (forall p, P p = true -> T <= p) -> allowed T Y P = 0.
Proof.
  assert (Z : forall n f, (forall i, i < n -> f i = 0) -> sum n f = 0).
  { intros n f H. rewrite (sum_ext n f (fun _ => 0)) by auto. apply sum_zero. }
  intros R. unfold allowed, of_rooms. rewrite !Z; auto.
  - intros s Hs. unfold of_later. now rewrite (proj2 (Nat.leb_gt T s)).
  - intros j _. unfold of_cached. now rewrite next_end, Nat.ltb_irrefl.
  - intros p Hp. destruct (P p) eqn:Pp; auto. specialize (R p Pp). lia.
Qed.
Lemma closes : exists P, allowed 0 (X 0) P <= sum T (kept X).
Proof.
  assert (G : forall t, t <= T -> exists P, (forall p, P p = true -> t <= p) /\
    allowed t (X t) P <= kept_from t X).
  { apply backwards.
    - exists (fun _ => false). split; [discriminate|]. rewrite allowed_end by discriminate. lia.
    - intros t Ht (P & RP & A).
      assert (E : exists P, (forall p, P p = true -> S t <= p) /\
        allowed (S t) (fill (turn_at t) (X t)) P <= kept_from (S t) X).
      { destruct (Nat.eq_dec (S t) T) as [ET|n].
        - exists P. split; auto. rewrite ET in *. rewrite allowed_end in * by auto. lia.
        - apply (evictions t _ (X (S t)) ltac:(lia) (cuts t Ht)) with (P := P); auto.
          intros _. unfold fill. now rewrite upd_eq. }
      destruct E as (Q & RQ & AQ). exists Q. split; [intros p Qp; specialize (RQ p Qp); lia|].
      rewrite (serving t (X t) Q Ht), kept_here by auto. unfold kept at 1. lia. }
  destruct (G 0 ltac:(lia)) as (P & _ & A). exists P. unfold kept_from in A. simpl in A.
  rewrite (sum_ext T (fun s => kept X s) (kept X)) in A by auto. exact A.
Qed.

Lemma cut_facts t theta Y Y' : tob_cut t theta Y Y' ->
  sum N Y' <= C /\ (forall i, Y' i <= Y i) /\ (forced = true -> Y' theta = Y theta).
Proof.
  induction 1 as [Y D | Y v Y' Hv F Mv R (S1 & W & E) | Y v Y' O Ns (Hv & Yv & Mv & _) R (S1 & W & E)]; auto;
    repeat split; auto; try (intros i; specialize (W i); revert W; unfold lose;
      destruct (upd_case Y v (Y v - 1) i) as [[-> U]|[_ U]]; rewrite U; lia);
    intros Fo; rewrite (E Fo); unfold lose; apply upd_neq; intros V; now apply (Mv Fo).
Qed.
Lemma is_a_plan X0 : X 0 = X0 -> sum N X0 <= C -> plan N C forced X0 us X.
Proof.
  intros E F. constructor.
  - intros i. now rewrite E.
  - intros t i Ht n. destruct (cut_facts _ _ _ _ (cuts t Ht)) as (_ & W & _). specialize (W i). unfold fill in W.
    rewrite upd_neq in W; auto.
  - intros t Ht. destruct (cut_facts _ _ _ _ (cuts t Ht)) as (_ & W & _). specialize (W (who_at t)).
    unfold fill in W.
    rewrite upd_eq in W. exact W.
  - intros [|t] Ht; [now rewrite E|]. now destruct (cut_facts _ _ _ _ (cuts t ltac:(lia))) as (S1 & _).
  - intros t Ht Fo. destruct (cut_facts _ _ _ _ (cuts t ltac:(lia))) as (_ & _ & K). rewrite (K Fo).
    unfold fill. now rewrite upd_eq.
Qed.
Lemma tel_and_kept Z : tel xi us Z + sum T (kept Z) = uncached_tel xi us.
Proof.
  unfold tel, uncached_tel, kept. rewrite <- sum_add. apply sum_ext. intros t _. unfold Plans.need. lia.
Qed.
End Bound.

(* The turns of a trace: a turn's need is at most what the conversation's turn before has left. *)
Lemma past_next past0 us i : forall t, t <= steps us -> next us t i < steps us ->
  past_at past0 us (next us t i) i = past_at past0 us t i.
Proof.
  apply (backwards us (fun t => next us t i < steps us ->
    past_at past0 us (next us t i) i = past_at past0 us t i)).
  - rewrite next_end. lia.
  - intros t Ht IH. rewrite (next_here us t i Ht). destruct (Nat.eqb_spec (who (turn_at us t)) i) as [E|E]; auto.
    intros L. rewrite (IH L). simpl. now apply Nat.eqb_neq in E as ->.
Qed.

Section Rows.
Variables N C xi : nat.
Variable forced : bool.
Variable w : world.
Variable X0 : cache.
Variable us : list turn.
Hypothesis fits : sum N X0 <= C.
Hypothesis turns : trace N w us.
Notation plan := (plan N C forced X0 us).
(* What a set P of steps allows any plan to keep: the room at P, and what is of use to turns whose reuse intervals
   cover
   no step of P (of what was cached before the first turn: what there is). *)
Notation bound := (allowed N C xi forced us 0 X0).

Lemma numbers t : t < steps us -> who (turn_at us t) < N.
Proof. apply (histories_at N us w turns). Qed.
Lemma enough t : t < steps us -> next us (S t) (who (turn_at us t)) < steps us ->
  need xi us (next us (S t) (who (turn_at us t))) <= filled us t.
Proof.
  intros Ht L. set (s := next us (S t) (who (turn_at us t))) in *.
  destruct (histories_at N us w turns s L) as (_ & H).
  destruct (next_spec forced us (who (turn_at us t)) (S t) ltac:(lia)) as (_ & W). destruct (W L) as [W1 _].
  fold s in W1. rewrite W1 in H. unfold s in H at 2. rewrite past_next in H by (auto; lia).
  simpl in H. rewrite Nat.eqb_refl in H. unfold need. lia.
Qed.

Lemma of_states X : X 0 = X0 ->
  (forall t, t < steps us ->
    tob_cut N C xi forced us (S t) (who (turn_at us t)) (fill (turn_at us t) (X t)) (X (S t))) ->
  plan X /\ (forall Z, plan Z -> tel xi us X <= tel xi us Z) /\
  (forall P Z, plan Z -> uncached_tel xi us <= tel xi us Z + bound P) /\
  exists P, uncached_tel xi us = tel xi us X + bound P.
Proof.
  intros E Cu.
  destruct (closes N C xi forced us numbers enough X Cu) as (P & Cl). rewrite E in Cl.
  pose proof (is_a_plan N C xi forced us X Cu X0 E fits) as Pl.
  assert (Up : forall P Z, plan Z -> uncached_tel xi us <= tel xi us Z + bound P).
  { intros Q Z PZ. pose proof (plan_allowed N C xi forced us numbers enough X0 Z Q PZ).
    rewrite <- (tel_and_kept xi us Z). lia. }
  pose proof (tel_and_kept xi us X) as K. split; [exact Pl|]. split; [|split; [exact Up|]].
  - intros Z PZ. specialize (Up P Z PZ). lia.
  - exists P. specialize (Up P X Pl). lia.
Qed.
Lemma of_a_run xs : run xi (tail_optimized_belady N C xi forced us w) w X0 us xs ->
  exists X, plan X /\ total xs = tel xi us X /\ (forall Z, plan Z -> tel xi us X <= tel xi us Z) /\
  (forall P Z, plan Z -> uncached_tel xi us <= tel xi us Z + bound P) /\
  exists P, uncached_tel xi us = tel xi us X + bound P.
Proof.
  intros R. destruct (states xi _ us w X0 xs R) as (X & E & Cu & To). exists X.
  destruct (of_states X E) as (A & B & D & F).
  - intros t Ht. specialize (Cu t Ht). unfold tail_optimized_belady in Cu. rewrite now_after in Cu.
    rewrite firstn_length_le in Cu by (unfold steps in Ht; lia).
    replace (now w + S t - now w) with (S t) in Cu by lia. exact Cu.
  - repeat split; try apply A; auto.
Qed.

(* Rows theorem-b1 (forced is false) and theorem-b1.forced (it is true). Tail-Optimized Belady attains the
   optimum: what
   it caches is a plan, and no plan has a smaller TEL. *)
Theorem tail_optimized_belady_is_optimal : forall of_tob,
  run xi (tail_optimized_belady N C xi forced us w) w X0 us of_tob ->
  (exists X, plan X /\ tel xi us X = total of_tob) /\ forall X, plan X -> total of_tob <= tel xi us X.
Proof.
  intros xs R. destruct (of_a_run xs R) as (X & P & E & B & _). split; [exists X; auto|]. intros Z PZ.
    rewrite E. auto.
Qed.

(* Rows theorem-b1.certificate and .certificate.forced. A set P of steps proves every optimum: what Tail-Optimized
   Belady
   keeps is what P allows, and no plan keeps more than any P allows. *)
Theorem certificate_closes : forall of_tob,
  run xi (tail_optimized_belady N C xi forced us w) w X0 us of_tob ->
  (exists P, uncached_tel xi us = total of_tob + bound P) /\
  forall P X, plan X -> uncached_tel xi us <= tel xi us X + bound P.
Proof.
  intros xs R. destruct (of_a_run xs R) as (X & _ & E & _ & U & (P & Eq)). split; auto. exists P. now rewrite E.
Qed.
End Rows.

(* Tail-Optimized Belady can always cut: under forced caching if who came fits. *)
Lemma cut_ends N C xi forced us t theta : forall n Y, sum N Y <= n -> (forced = true -> Y theta <= C) ->
  exists Y', tob_cut N C xi forced us t theta Y Y'.
Proof.
  induction n; intros Y Hn F; [exists Y; apply tob_fits; lia|].
  destruct (le_lt_dec (sum N Y) C) as [L|O]; [exists Y; now apply tob_fits|].
  assert (May : forall v, exempt forced theta v = false -> may_lose forced theta v).
  { intros v E Fo ->. unfold exempt in E. rewrite Fo, Nat.eqb_refl in E. discriminate. }
  assert (Go : forall v, v < N -> Y v >= 1 -> exempt forced theta v = false ->
    exists Y', tob_cut N C xi forced us t theta (lose Y v) Y').
  { intros v Hv Yv E. apply IHn; unfold lose; [pose proof (sum_upd N Y v (Y v - 1) Hv); lia|]. intros Fo.
    specialize (May v E Fo). rewrite upd_neq; auto. }
  destruct (existsb (fun v => (use xi us t v <? Y v) && negb (exempt forced theta v)) (seq 0 N)) eqn:Ex.
  - apply existsb_exists in Ex as (v & Hv & E). apply in_seq in Hv. apply andb_prop in E as [E1 E2].
    apply Nat.ltb_lt in E1. apply negb_true_iff in E2. destruct (Go v ltac:(lia) ltac:(lia) E2) as (Y' & K).
    exists Y'. apply tob_unneeded with (v := v); auto. lia.
  - assert (Ns : no_surplus N forced theta (use xi us t) Y).
    { intros v Hv Mv. destruct (le_lt_dec (Y v) (use xi us t v)) as [|G]; auto. exfalso.
      apply not_true_iff_false in Ex. apply Ex. apply existsb_exists. exists v. split; [apply in_seq; lia|].
      rewrite (proj2 (Nat.ltb_lt _ _) G). simpl. apply negb_true_iff. unfold exempt. destruct forced; auto. simpl.
      apply Nat.eqb_neq. now apply Mv. }
    destruct (argmax N (fun v => (1 <=? Y v) && negb (exempt forced theta v)) (next us t)) as (v & Hv & Pv & Mx).
    { destruct (existsb (fun v => (1 <=? Y v) && negb (exempt forced theta v)) (seq 0 N)) eqn:E.
      - apply existsb_exists in E as (v & Hv & E). apply in_seq in Hv. exists v. split; auto. lia.
      - exfalso. assert (Z : forall v, v < N -> exempt forced theta v = false -> Y v = 0).
        { intros v Hv Ev. destruct (Y v) eqn:Yv; auto. exfalso. apply not_true_iff_false in E. apply E.
          apply existsb_exists. exists v. rewrite Ev, Yv. split; auto. apply in_seq. lia. }
        enough (sum N Y <= C) by lia. destruct forced eqn:Fo.
        + apply Nat.le_trans with (Y theta); auto. apply sum_one. intros j Hj n'. apply Z; auto.
          simpl. now apply Nat.eqb_neq.
        + rewrite (sum_ext N Y (fun _ => 0)) by auto. rewrite sum_zero. lia. }
    apply andb_prop in Pv as [Yv Ev]. apply Nat.leb_le in Yv. apply negb_true_iff in Ev.
    destruct (Go v Hv Yv Ev) as (Y' & K). exists Y'. apply tob_furthest with (v := v); auto. repeat split; auto.
    intros j Hj Yj Mj. apply Mx; auto. rewrite (proj2 (Nat.leb_le _ _) Yj). simpl. apply negb_true_iff.
    unfold exempt. destruct forced; auto. simpl. apply Nat.eqb_neq. now apply Mj.
Qed.

(* Row theorem-b1, the other half. Tail-Optimized Belady has a run on every trace, under forced caching if every
   past
   fits, so the theorems above are not empty. *)
Theorem tail_optimized_belady_runs : forall N C xi forced w X0 us, each_fits C forced us ->
  exists xs, run xi (tail_optimized_belady N C xi forced us w) w X0 us xs.
Proof.
  intros N C xi forced w X0 us F.
  assert (G : forall vs w' Y, Forall (fun u => forced = true -> history u + prompt u + response u <= C) vs ->
    exists xs, run xi (tail_optimized_belady N C xi forced us w) w' Y vs xs).
  { induction vs as [|u vs IH]; intros w' Y Fo; [eexists; constructor|]. inversion Fo as [|? ? Fu Fv]; subst.
    destruct (cut_ends N C xi forced us (now (serve u w') - now w) (who u) _ (fill u Y) (le_n _)) as (Y' & K).
    - intros E. unfold fill. rewrite upd_eq. auto.
    - destruct (IH (serve u w') Y' Fv) as (xs & R). eexists. econstructor; [exact K | exact R]. }
  apply G. apply Forall_forall. intros u Hu Fo. apply (In_nth us u (Turn 0 0 0 0 0)) in Hu as (t & Ht & <-).
  apply (F t Ht Fo).
Qed.

(* Belady with whole histories cuts as Tail-Optimized Belady with xi = 0 does. *)
Lemma belady_cuts N C forced us past0 : forall t theta Y Y', S t <= steps us ->
  (forall s, s < steps us -> history (turn_at us s) = past_at past0 us s (who (turn_at us s))) ->
  (forall j, Y j <= past_at past0 us (S t) j) ->
  belady_cut N C forced us (S t) theta Y Y' -> tob_cut N C 0 forced us (S t) theta Y Y'.
Proof.
  intros t theta Y Y' Ht Wh W R. induction R as [Y D | Y v Y' O Fu R IH]; [now apply tob_fits|].
  assert (R' : tob_cut N C 0 forced us (S t) theta (lose Y v) Y').
  { apply IH. intros j. specialize (W j). unfold lose.
    destruct (upd_case Y v (Y v - 1) j) as [[-> E]|[_ E]]; rewrite E; lia. }
  destruct (le_lt_dec (steps us) (next us (S t) v)) as [L|L].
  - destruct Fu as (Hv & Yv & Mv & _). apply tob_unneeded with (v := v); auto. unfold use.
    replace (next us (S t) v <? steps us) with false by (symmetry; now apply Nat.ltb_ge). lia.
  - apply tob_furthest with (v := v); auto. intros j Hj Mj. destruct (Y j) eqn:Yj; [lia|].
    destruct Fu as (_ & _ & _ & Mx). specialize (Mx j Hj ltac:(lia) Mj).
    destruct (next_spec forced us j (S t) Ht) as (_ & Wn). destruct (Wn ltac:(lia)) as [W1 _].
    unfold use. replace (next us (S t) j <? steps us) with true by (symmetry; apply Nat.ltb_lt; lia).
    specialize (W j). specialize (Wh (next us (S t) j) ltac:(lia)). rewrite W1, past_next in Wh by lia.
    unfold need, input. lia.
Qed.

(* Row theorem-b1.belady. With xi = 0 and whole histories Belady's policy keeps the most: no plan has a smaller
   sum of
   uncached tokens, that is, none has more hits. *)
Theorem belady_is_optimal : forall N C forced w X0 us of_belady,
  start N w X0 -> sum N X0 <= C -> trace N w us -> whole w us ->
  run 0 (belady N C forced us w) w X0 us of_belady ->
  forall X, plan N C forced X0 us X -> total of_belady <= tel 0 us X.
Proof.
  intros N C forced w X0 us xs St Fi Tr Wh R. destruct (states 0 _ us w X0 xs R) as (X & E & Cu & To).
  assert (Cu' : forall t, t < steps us ->
    belady_cut N C forced us (S t) (who (turn_at us t)) (fill (turn_at us t) (X t)) (X (S t))).
  { intros t Ht. specialize (Cu t Ht). unfold belady in Cu. rewrite now_after in Cu.
    rewrite firstn_length_le in Cu by (unfold steps in Ht; lia).
    replace (now w + S t - now w) with (S t) in Cu by lia. exact Cu. }
  assert (Le : forall t Y Y' theta, belady_cut N C forced us t theta Y Y' -> forall j, Y' j <= Y j).
  { intros t Y Y' theta. induction 1 as [Y D | Y v Y' O Fu _ IH]; auto. intros j. specialize (IH j). revert IH.
    unfold lose. destruct (upd_case Y v (Y v - 1) j) as [[-> G]|[_ G]]; rewrite G; lia. }
  assert (W : forall t, t <= steps us -> forall j, X t j <= past_at (past w) us t j).
  { induction t; intros Ht j; [rewrite E; apply (of_the_past _ _ _ St)|].
    pose proof (Le _ _ _ _ (Cu' t Ht) j) as L. unfold fill in L. simpl. rewrite Nat.eqb_sym.
    destruct (Nat.eqb_spec j (who (turn_at us t))) as [->|n]; [now rewrite upd_eq in L|].
    rewrite upd_neq in L by auto. specialize (IHt ltac:(lia) j). lia. }
  intros Z PZ. rewrite To. apply (of_states N C 0 forced w X0 us Fi Tr X E); auto.
  intros t Ht. apply (belady_cuts N C forced us (past w)); auto using whole_at. intros j. simpl. unfold fill.
    rewrite Nat.eqb_sym.
  destruct (Nat.eqb_spec j (who (turn_at us t))) as [->|n]; [now rewrite upd_eq|].
  rewrite upd_neq by auto. apply W. lia.
Qed.
