(* Items that are read at turns: evicting what is read next furthest away keeps the most, and the steps of its
   evictions prove it. Items are conversations with amounts of tokens, or blocks with amounts 0 and 1. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers.
Import ListNotations.

Section Items.
Variables N T C r : nat.       (* items 0 .. N-1, turns 0 .. T-1; what the latest r turns read stays *)
Variable touch : nat -> nat -> bool.         (* turn, item: whether it is read *)
Variable worth : nat -> nat -> nat.          (* turn, item it reads: so much of it is of use *)
Variable after : nat -> nat -> nat.          (* turn, item it reads: so much of it is there afterwards *)

Definition fill t (Y : nat -> nat) i := if touch t i then after t i else Y i.
Fixpoint level t i := match t with 0 => 0 | S s => if touch s i then after s i else level s i end.
(* The first step that the reuse interval of i into turn t covers; 0 where it was not read. *)
Fixpoint since t i := match t with 0 => 0 | S s => if touch s i then S s + r else since s i end.
Definition exempt t i := t <? since t i.
Definition room t := C - sum N (fun i => if exempt t i then level t i else 0).
Fixpoint next_in n t i := match n with 0 => t | S n => if touch t i then t else next_in n (S t) i end.
Definition next t i := next_in (T - t) t i.
Definition use t i := if next t i <? T then worth (next t i) i else 0.

Record plan (X0 : nat -> nat) (Z : nat -> nat -> nat) : Prop := {
  z_first : forall i, Z 0 i <= X0 i;
  z_step : forall t i, t < T -> Z (S t) i <= fill t (Z t) i;
  z_fits : forall t, t < T -> sum N (Z t) <= C;
  z_stays : forall t i, t < T -> exempt t i = true -> Z t i = level t i }.
Definition kept (Z : nat -> nat -> nat) t := sum N (fun i => if touch t i then min (worth t i) (Z t i) else 0).

(* Functions are compared at each place. *)
Definition one_less (Y : nat -> nat) v (Z : nat -> nat) := forall i, Z i = upd Y v (Y v - 1) i.
Inductive cut (t : nat) : (nat -> nat) -> (nat -> nat) -> Prop :=
| cut_fits Y Y' : sum N Y <= C -> (forall i, Y i = Y' i) -> cut t Y Y'
| cut_unneeded Y v Z Y' : v < N -> Y v > use t v -> exempt t v = false ->
    one_less Y v Z -> cut t Z Y' -> cut t Y Y'
| cut_furthest Y v Z Y' : sum N Y > C -> (forall j, j < N -> exempt t j = false -> Y j <= use t j) ->
    v < N -> Y v >= 1 -> exempt t v = false ->
    (forall j, j < N -> Y j >= 1 -> exempt t j = false -> next t j <= next t v) ->
    one_less Y v Z -> cut t Z Y' -> cut t Y Y'.

(* What a set P of steps allows from turn t on if Y is cached: the room at P; of each item what is cached and of
   use, if the interval of its next turn covers no step of P; and what is of use to later turns whose intervals
   cover none. *)
Definition covers p t i := (since t i <=? p) && (p <=? t).
Definition free (P : nat -> bool) t i := negb (existsb (fun p => P p && covers p t i) (seq 0 T)).
Definition of_rooms (P : nat -> bool) := sum T (fun p => if P p then room p else 0).
Definition of_next t (Y : nat -> nat) P i :=
  if (next t i <? T) && free P (next t i) i then min (worth (next t i) i) (Y i) else 0.
Definition of_later t P i :=
  sum T (fun s => if (t <=? s) && touch s i && negb (next t i =? s) && free P s i then worth s i else 0).
Definition allowed t Y P := of_rooms P + sum N (of_next t Y P) + sum N (of_later t P).

Lemma next_here t i : t < T -> next t i = if touch t i then t else next (S t) i.
Proof. intros H. unfold next. replace (T - t) with (S (T - S t)) by lia. reflexivity. Qed.
Lemma next_end i : next T i = T.
Proof. unfold next. now rewrite Nat.sub_diag. Qed.
(* Induction from the end. *)
Lemma backwards (A : nat -> Prop) : A T -> (forall t, t < T -> A (S t) -> A t) -> forall t, t <= T -> A t.
Proof. intros E St t Ht. replace t with (T - (T - t)) by lia. generalize (T - t) as k. induction k.
  - now rewrite Nat.sub_0_r.
  - destruct (le_lt_dec T k); [replace (T - S k) with (T - k) by lia; auto|]. apply St; [lia|]. replace (S (T - S
    k)) with (T - k) by lia. auto. Qed.
Lemma next_spec i : forall t, t <= T -> t <= next t i <= T /\ (next t i < T -> touch (next t i) i = true /\
  since (next t i) i = since t i).
Proof. apply (backwards (fun t => t <= next t i <= T /\ (next t i < T -> touch (next t i) i = true /\ since (next
  t i) i = since t i))).
  - rewrite next_end. split; lia.
  - intros t Ht (B & W). rewrite next_here by auto. destruct (touch t i) eqn:E.
    + split; [lia|]. auto.
    + split; [lia|]. intros L. destruct (W L) as [W1 W2]. split; auto. rewrite W2. simpl. now rewrite E. Qed.
Lemma next_last t s i : t <= s -> s < T -> touch s i = true -> next t i <= s.
Proof. intros L H Ts. assert (G : forall t, t <= T -> t <= s -> next t i <= s). { apply (backwards (fun t => t <=
  s -> next t i <= s)); [lia|]. intros u Hu IH Us. rewrite next_here by auto. destruct (touch u i) eqn:E; auto.
  apply IH. destruct (Nat.eq_dec u s) as [->|]; [congruence|lia]. } apply G; lia. Qed.
Lemma since_le t i : since t i <= t + r.
Proof. induction t; simpl; [lia|]. destruct (touch t i); lia. Qed.
Lemma since_after s t i : s < t -> touch s i = true -> since t i >= S s + r.
Proof. induction t; simpl; intros H Ts; [lia|]. destruct (touch t i) eqn:E; [lia|]. apply IHt; auto. destruct
  (Nat.eq_dec s t) as [->|]; [congruence|lia]. Qed.

Lemma free_spec P t i : t < T -> free P t i = true <-> forall p, P p = true -> covers p t i = false.
Proof. intros Ht. unfold free. rewrite negb_true_iff. split.
  - intros E p Pp. apply not_true_is_false. intros Cp. apply not_true_iff_false in E. apply E. apply
    existsb_exists. exists p. rewrite Pp, Cp. split; auto. apply in_seq. apply andb_prop in Cp as [_ Cp]. apply
    Nat.leb_le in Cp. lia.
  - intros H. apply not_true_is_false. intros E. apply existsb_exists in E as (p & _ & E). apply andb_prop in E
    as [Pp Cp]. rewrite H in Cp; auto. discriminate. Qed.
Lemma free_upd P t s i : t < T -> P t = false -> free (upd P t true) s i = free P s i && negb (covers t s i).
Proof. intros Ht Pt. unfold free. rewrite <- negb_orb. f_equal. apply eq_true_iff_eq. rewrite orb_true_iff,
  !existsb_exists. split.
  - intros (p & Hp & E). apply andb_prop in E as [Pp Cp]. destruct (upd_case P t true p) as [[-> E]|[n E]]; auto.
    rewrite E in Pp. left. exists p. now rewrite Pp, Cp.
  - intros [(p & Hp & E)|E].
    + exists p. apply andb_prop in E as [Pp Cp]. split; auto. rewrite Cp, andb_true_r. destruct (upd_case P t
      true p) as [[_ E]|[_ E]]; rewrite E; auto.
    + exists t. rewrite upd_eq, E. split; auto. apply in_seq. lia. Qed.
Lemma free_ext P Q s i : (forall p, P p = Q p) -> free P s i = free Q s i.
Proof. intros E. unfold free. f_equal. apply eq_true_iff_eq. rewrite !existsb_exists. split; intros (p & Hp & H);
  exists p; rewrite E in *; auto. Qed.
Lemma allowed_ext t Y P Q : (forall p, P p = Q p) -> allowed t Y P = allowed t Y Q.
Proof. intros E. unfold allowed, of_rooms. f_equal; [f_equal|]; apply sum_ext.
  - intros p _. now rewrite E.
  - intros i _. unfold of_next. now rewrite (free_ext P Q _ i E).
  - intros i _. apply sum_ext. intros s _. now rewrite (free_ext P Q _ i E). Qed.

(* Which intervals of next turns cover step t: all but those of what stays. *)
Lemma covers_next t i : t < T -> next t i < T -> covers t (next t i) i = negb (exempt t i).
Proof. intros Ht L. destruct (next_spec i t ltac:(lia)) as (B & W). destruct (W L) as [W1 W2]. unfold covers,
  exempt. rewrite W2. replace (t <=? next t i) with true by (symmetry; apply Nat.leb_le; lia). rewrite
  andb_true_r. destruct (Nat.ltb_spec t (since t i)); simpl; (apply Nat.leb_le || apply Nat.leb_gt); lia. Qed.

(* One more step t in P adds its room, and takes what was counted of the items that need not stay. *)
Lemma buy t Y P : t < T -> P t = false ->
  allowed t Y (upd P t true) + sum N (fun i => if exempt t i then 0 else of_next t Y P i) = allowed t Y P + room t.
Proof. intros Ht Pt. unfold allowed. assert (E1 : of_rooms (upd P t true) = of_rooms P + room t). { unfold
  of_rooms. pose proof (sum_upd T (fun p => if P p then room p else 0) t (room t) Ht) as U. cbv beta in U.
  rewrite Pt in U. rewrite <- U, Nat.add_0_r. apply sum_ext. intros p _. unfold upd. destruct (Nat.eqb_spec p t)
  as [->|]; auto. } assert (E2 : sum N (of_next t Y P) = sum N (of_next t Y (upd P t true)) + sum N (fun i => if
  exempt t i then 0 else of_next t Y P i)). { rewrite <- sum_add. apply sum_ext. intros i _. unfold of_next.
  destruct (Nat.ltb_spec (next t i) T) as [L|]; simpl.
    - rewrite free_upd, covers_next, negb_involutive by auto. destruct (exempt t i), (free P (next t i) i);
      simpl; lia.
    - destruct (exempt t i); auto. } assert (E3 : sum N (of_later t (upd P t true)) = sum N (of_later t P)). {
      apply sum_ext. intros i _. apply sum_ext. intros s Hs. destruct (Nat.leb_spec t s) as [L|]; simpl; auto.
      destruct (touch s i) eqn:Ts; simpl; auto. destruct (Nat.eqb_spec (next t i) s) as [|n]; simpl; auto.
      rewrite free_upd by auto. replace (covers t s i) with false; [now rewrite andb_true_r|]. symmetry. unfold
      covers. apply andb_false_iff. left. apply Nat.leb_gt. pose proof (next_last t s i L Hs Ts). destruct
      (next_spec i t ltac:(lia)) as (B & W). destruct W as [W1 _]; [lia|]. pose proof (since_after (next t i) s i
      ltac:(lia) W1). lia. } lia. Qed.

(* A turn uses what it can, and what it leaves covers the need of the next turn that reads the item. *)
Hypothesis enough : forall t i, t < T -> i < N -> touch t i = true -> next (S t) i < T ->
  worth (next (S t) i) i <= after t i.
Lemma serving t Y P : t < T -> (forall p, P p = true -> t < p) ->
  allowed t Y P = allowed (S t) (fill t Y) P + sum N (fun i => if touch t i then min (worth t i) (Y i) else 0).
Proof. intros Ht Pt. unfold allowed. enough (sum N (of_next t Y P) + sum N (of_later t P) = sum N (of_next (S t)
  (fill t Y) P) + sum N (of_later (S t) P) + sum N (fun i => if touch t i then min (worth t i) (Y i) else 0)) by
  lia. rewrite <- !sum_add. apply sum_ext. intros i Hi. set (s := next (S t) i). destruct (next_spec i (S t)
  ltac:(lia)) as (B & W). fold s in B, W. unfold of_next, fill. fold s. destruct (touch t i) eqn:Tt.
  - assert (Nt : next t i = t) by (now rewrite next_here, Tt by auto). assert (Ft : free P t i = true). { apply
    free_spec; auto. intros p Pp. specialize (Pt p Pp). unfold covers. apply andb_false_iff. right. apply
    Nat.leb_gt. lia. } rewrite Nt, Ft. replace (t <? T) with true by (symmetry; now apply Nat.ltb_lt). cbn
    [andb]. assert (E : of_later t P i = of_later (S t) P i + if (s <? T) && free P s i then worth s i else 0). {
    unfold of_later. fold s. rewrite Nt. rewrite (sum_ext T _ (fun u => (if (S t <=? u) && touch u i && negb (s
    =? u) && free P u i then worth u i else 0) + if (u =? s) then (if free P s i then worth s i else 0) else 0)).
    { rewrite sum_add, sum_point. destruct (s <? T); simpl; auto. } intros u Hu. destruct (Nat.eqb_spec u s) as
    [->|nu].
      - destruct (W ltac:(lia)) as [W1 _]. rewrite W1, Nat.eqb_refl. replace (t <=? s) with true by (symmetry;
        apply Nat.leb_le; lia). replace (t =? s) with false by (symmetry; apply Nat.eqb_neq; lia). cbn [andb
        negb]. rewrite !andb_false_r. reflexivity.
      - replace (s =? u) with false by (symmetry; apply Nat.eqb_neq; lia). cbn [negb]. rewrite andb_true_r,
        Nat.add_0_r. destruct (Nat.eq_dec u t) as [->|nt].
        + rewrite Nat.eqb_refl. cbn [negb]. rewrite andb_false_r. replace (S t <=? t) with false by (symmetry;
          apply Nat.leb_gt; lia). reflexivity.
        + replace (t =? u) with false by (symmetry; apply Nat.eqb_neq; lia). cbn [negb]. rewrite andb_true_r.
          replace (S t <=? u) with (t <=? u) by (apply eq_true_iff_eq; rewrite !Nat.leb_le; lia). reflexivity. }
          rewrite E. destruct (Nat.ltb_spec s T) as [L|]; cbn [andb]; [|lia]. pose proof (enough t i Ht Hi Tt L)
          as En. fold s in En. destruct (free P s i); lia.
  - assert (Nt : next t i = s) by (now rewrite next_here, Tt by auto). rewrite Nt, Nat.add_0_r. f_equal. apply
    sum_ext. intros u Hu. rewrite Nt. fold s. destruct (Nat.eq_dec u t) as [->|nt]; [now rewrite Tt,
    !andb_false_r|]. replace (S t <=? u) with (t <=? u) by (apply eq_true_iff_eq; rewrite !Nat.leb_le; lia).
    reflexivity. Qed.

Definition kept_from t Z := sum T (fun s => if t <=? s then kept Z s else 0).
Lemma kept_here t Z : t < T -> kept_from t Z = kept Z t + kept_from (S t) Z.
Proof. intros Ht. unfold kept_from. rewrite (sum_ext T _ (fun s => (if s =? t then kept Z t else 0) + if S t <=?
  s then kept Z s else 0)).
  - rewrite sum_add, sum_point. now rewrite (proj2 (Nat.ltb_lt t T)).
  - intros s _. destruct (Nat.eqb_spec s t) as [->|n].
    + rewrite Nat.leb_refl. replace (S t <=? t) with false by (symmetry; apply Nat.leb_gt; lia). lia.
    + replace (S t <=? s) with (t <=? s) by (apply eq_true_iff_eq; rewrite !Nat.leb_le; lia). reflexivity. Qed.
Lemma kept_end Z : kept_from T Z = 0.
Proof. unfold kept_from. rewrite (sum_ext T _ (fun _ => 0)); [apply sum_zero|]. intros s Hs. replace (T <=? s)
  with false; auto. symmetry. apply Nat.leb_gt. lia. Qed.
Lemma kept_all Z : kept_from 0 Z = sum T (kept Z).
Proof. unfold kept_from. now apply sum_ext. Qed.
Lemma allowed_more t Y Y' P : (forall i, i < N -> Y i <= Y' i) -> allowed t Y P <= allowed t Y' P.
Proof. intros H. unfold allowed. enough (sum N (of_next t Y P) <= sum N (of_next t Y' P)) by lia. apply sum_le.
  intros i Hi. specialize (H i Hi). unfold of_next. destruct (_ && _); lia. Qed.
Lemma split_exempt t (Y : nat -> nat) : (forall i, exempt t i = true -> Y i = level t i) ->
  sum N Y = sum N (fun i => if exempt t i then 0 else Y i) + sum N (fun i => if exempt t i then level t i else 0).
Proof. intros H. rewrite <- sum_add. apply sum_ext. intros i _. specialize (H i). destruct (exempt t i); [|lia].
  now rewrite H. Qed.

(* No plan keeps more than any set of steps allows. *)
Lemma plan_allowed X0 Z P : plan X0 Z -> sum T (kept Z) <= allowed 0 X0 P.
Proof. intros Pl. assert (G : forall t, t <= T -> kept_from t Z <= allowed t (Z t) (fun p => P p && (t <=? p))).
  { apply backwards; [rewrite kept_end; lia|]. intros t Ht IH. rewrite kept_here by auto. set (P' := fun p => P p
  && (S t <=? p)) in *. assert (Le : kept Z t + kept_from (S t) Z <= allowed t (Z t) P'). { rewrite (serving t (Z
  t) P' Ht); [|intros p Pp; apply andb_prop in Pp as [_ Pp]; now apply Nat.leb_le in Pp]. unfold kept at 1.
  enough (allowed (S t) (Z (S t)) P' <= allowed (S t) (fill t (Z t)) P') by lia. apply allowed_more. intros i _.
  now apply (z_step _ _ Pl). } assert (Ex : forall p, (P p && (t <=? p)) = (if P t then upd P' t true else P')
  p). { intros p. unfold P'. destruct (P t) eqn:Pt.
      - unfold upd. destruct (Nat.eqb_spec p t) as [->|n]; [now rewrite Pt, Nat.leb_refl|]. f_equal. apply
        eq_true_iff_eq. rewrite !Nat.leb_le. lia.
      - destruct (Nat.eq_dec p t) as [->|n]; [now rewrite Pt|]. f_equal. apply eq_true_iff_eq. rewrite
        !Nat.leb_le. lia. } rewrite (allowed_ext t (Z t) _ _ Ex). destruct (P t); [|exact Le]. pose proof (buy t
        (Z t) P' Ht) as B. unfold P' in B at 1. rewrite (proj2 (Nat.leb_gt (S t) t)) in B by lia. rewrite
        andb_false_r in B. specialize (B eq_refl). enough (sum N (fun i => if exempt t i then 0 else of_next t (Z
        t) P' i) <= room t) by lia. apply Nat.le_trans with (sum N (fun i => if exempt t i then 0 else Z t i)). {
        apply sum_le. intros i _. unfold of_next. destruct (exempt t i); auto. destruct (_ && _); lia. } pose
        proof (z_fits _ _ Pl t Ht). pose proof (split_exempt t (Z t) (fun i => z_stays _ _ Pl t i Ht)). unfold
        room. lia. } specialize (G 0 ltac:(lia)). rewrite kept_all in G. eapply Nat.le_trans; [exact G|]. rewrite
        (allowed_ext 0 (Z 0) _ P) by (intros p; apply andb_true_r). apply allowed_more. intros i _. apply
        (z_first _ _ Pl). Qed.

(* Read backwards, an eviction of what is needed before all steps of P puts its step into P. *)
Lemma evictions t Y Y' : t < T -> cut t Y Y' -> (forall i, exempt t i = true -> Y i = level t i) ->
  forall P K, (forall p, P p = true -> t <= p) -> allowed t Y' P <= K ->
  exists P, (forall p, P p = true -> t <= p) /\ allowed t Y P <= K.
Proof. intros Ht R. induction R as [Y Y' D E | Y v Z Y' Hv F Mv OZ R IH | Y v Z Y' O Ns Hv Yv Mv Mx OZ R IH];
  intros Fo P K RP A.
  - exists P. split; auto. eapply Nat.le_trans; [|exact A]. apply allowed_more. intros i _. rewrite E. auto.
  - destruct (IH) with (P := P) (K := K) as (Q & RQ & AQ); auto. { intros i Ei. rewrite OZ, upd_neq by
    congruence. auto. } assert (AZ : allowed t (upd Y v (Y v - 1)) Q <= K). { eapply Nat.le_trans; [|exact AQ].
    apply allowed_more. intros i _. rewrite OZ. auto. } exists Q. split; auto. eapply Nat.le_trans; [|exact AZ].
    unfold allowed. enough (sum N (of_next t Y Q) <= sum N (of_next t (upd Y v (Y v - 1)) Q)) by lia. apply
    sum_le. intros j _. unfold of_next. destruct (upd_case Y v (Y v - 1) j) as [[-> E]|[_ E]]; rewrite E; [|lia].
    unfold use in F. destruct (next t v <? T); simpl; [|lia]. destruct (free Q _ _); lia.
  - destruct (IH) with (P := P) (K := K) as (Q & RQ & AQ); auto. { intros i Ei. rewrite OZ, upd_neq by
    congruence. auto. } assert (AZ : allowed t (upd Y v (Y v - 1)) Q <= K). { eapply Nat.le_trans; [|exact AQ].
    apply allowed_more. intros i _. rewrite OZ. auto. } set (e := next t v). assert (Us : forall i, i < N ->
    exempt t i = false -> Y i >= 1 -> next t i < T /\ Y i <= worth (next t i) i). { intros i Hi Mi Yi. specialize
    (Ns i Hi Mi). unfold use in Ns. destruct (Nat.ltb_spec (next t i) T); [auto|lia]. } assert (eT : e < T) by
    (now apply Us). destruct (next_spec v t ltac:(lia)) as (B & _). fold e in B. destruct (free Q e v) eqn:Fe.
    + exists (upd Q t true). split. { intros p. destruct (upd_case Q t true p) as [[-> E]|[_ E]]; rewrite E;
      auto. } assert (Far : forall p, Q p = true -> e < p). { intros p Qp. destruct (le_lt_dec p e) as [L|];
      auto. exfalso. specialize (RQ p Qp). pose proof (proj1 (free_spec Q e v eT) Fe p Qp) as Cp. pose proof
      (covers_next t v Ht eT) as Ct. fold e in Ct. rewrite Mv in Ct. unfold covers in Cp, Ct. rewrite (proj2
      (Nat.leb_le p e) L), andb_true_r in Cp. apply andb_prop in Ct as [Ct _]. apply Nat.leb_le in Ct. apply
      Nat.leb_gt in Cp. lia. } assert (Qt : Q t = false) by (destruct (Q t) eqn:E; auto; specialize (Far _ E);
      lia). assert (Of : forall i, i < N -> exempt t i = false -> of_next t Y Q i = Y i). { intros i Hi Ei.
      destruct (Y i) eqn:Yi; [unfold of_next; destruct (_ && _); lia|]. destruct (Us i Hi Ei ltac:(lia)) as [L
      Le]. unfold of_next. rewrite (proj2 (Nat.ltb_lt _ _) L). assert (Fi : free Q (next t i) i = true). { apply
      free_spec; auto. intros p Qp. specialize (Far p Qp). specialize (Mx i Hi ltac:(lia) Ei). fold e in Mx.
      unfold covers. apply andb_false_iff. right. apply Nat.leb_gt. lia. } rewrite Fi. simpl. lia. } pose proof
      (buy t Y Q Ht Qt) as By. pose proof (split_exempt t Y Fo) as Sp. rewrite (sum_ext N _ (fun j => if exempt t
      j then 0 else Y j)) in By by (intros j Hj; destruct (exempt t j) eqn:Ej; auto). assert (One : allowed t Y Q
      = allowed t (upd Y v (Y v - 1)) Q + 1). { unfold allowed. enough (sum N (of_next t Y Q) = sum N (of_next t
      (upd Y v (Y v - 1)) Q) + 1) by lia. pose proof (sum_upd N (of_next t (upd Y v (Y v - 1)) Q) v (Y v) Hv) as
      U. assert (V : of_next t (upd Y v (Y v - 1)) Q v = Y v - 1). { specialize (Of v Hv Mv). unfold of_next in
      *. fold e in Of |- *. rewrite Fe in *. rewrite (proj2 (Nat.ltb_lt _ _) eT) in *. simpl in *. rewrite
      upd_eq. lia. } rewrite (sum_ext N (of_next t Y Q) (upd (of_next t (upd Y v (Y v - 1)) Q) v (Y v))); [lia|].
      intros j Hj. destruct (Nat.eq_dec j v) as [->|n]; [rewrite upd_eq; now apply Of; auto|]. rewrite upd_neq by
      auto. unfold of_next. now rewrite upd_neq. } pose proof (sum_ge N (fun j => if exempt t j then 0 else Y j)
      v Hv) as Gv. cbv beta in Gv. rewrite Mv in Gv. unfold room in By. lia.
    + exists Q. split; auto. eapply Nat.le_trans; [|exact AZ]. unfold allowed. enough (sum N (of_next t Y Q) <=
      sum N (of_next t (upd Y v (Y v - 1)) Q)) by lia. apply sum_le. intros j _. unfold of_next. destruct
      (upd_case Y v (Y v - 1) j) as [[-> E]|[_ E]]; rewrite E; [|lia]. fold e. rewrite Fe, andb_false_r. lia.
      Qed.

(* A run: X t is cached at the start of turn t. *)
Variable X : nat -> nat -> nat.
Hypothesis cuts : forall t, S t < T -> exists Y, (forall i, Y i = fill t (X t) i) /\ cut (S t) Y (X (S t)).
Lemma cut_facts t Y Y' : cut t Y Y' -> sum N Y' <= C /\ (forall i, Y' i <= Y i) /\
  forall i, exempt t i = true -> Y' i = Y i.
Proof. induction 1 as [Y Y' D E | Y v Z Y' Hv F Mv OZ R (S1 & W & E) | Y v Z Y' O Ns Hv Yv Mv Mx OZ R (S1 & W &
  E)].
  - repeat split; [|intros i; rewrite E; auto|auto]. now rewrite <- (sum_ext N Y Y') by auto.
  - repeat split; auto; intros i; [|intros Ei; rewrite (E i Ei), OZ; apply upd_neq; congruence]. specialize (W
    i). rewrite OZ in W. destruct (upd_case Y v (Y v - 1) i) as [[-> U]|[_ U]]; rewrite U in W; lia.
  - repeat split; auto; intros i; [|intros Ei; rewrite (E i Ei), OZ; apply upd_neq; congruence]. specialize (W
    i). rewrite OZ in W. destruct (upd_case Y v (Y v - 1) i) as [[-> U]|[_ U]]; rewrite U in W; lia. Qed.
Lemma exempt_step t i : exempt (S t) i = true -> touch t i = true \/ (touch t i = false /\ exempt t i = true).
Proof. unfold exempt. simpl. destruct (touch t i); auto. rewrite !Nat.ltb_lt. right. split; auto. lia. Qed.
Lemma stays t : t < T -> forall i, exempt t i = true -> X t i = level t i.
Proof. induction t; intros Ht i E; [unfold exempt in E; simpl in E; discriminate|]. destruct (cuts t Ht) as (Y &
  EY & Cu). destruct (cut_facts _ _ _ Cu) as (_ & _ & K). rewrite (K i E), EY. unfold fill. simpl. destruct
  (exempt_step t i E) as [->|[-> E']]; auto. apply IHt; auto. lia. Qed.
Lemma filled_stays t : S t < T -> forall i, exempt (S t) i = true -> fill t (X t) i = level (S t) i.
Proof. intros Ht i E. unfold fill. simpl. destruct (exempt_step t i E) as [->|[-> E']]; auto. apply stays; auto.
  lia. Qed.
Lemma allowed_end Y P : (forall p, P p = true -> T <= p) -> allowed T Y P = 0.
Proof. assert (Z : forall n f, (forall i, i < n -> f i = 0) -> sum n f = 0). { intros n f H. rewrite (sum_ext n f
  (fun _ => 0)) by auto. apply sum_zero. } intros R. unfold allowed, of_rooms. rewrite !Z; auto.
  - intros i Hi. apply Z. intros s Hs. now rewrite (proj2 (Nat.leb_gt T s)).
  - intros i _. unfold of_next. now rewrite next_end, Nat.ltb_irrefl.
  - intros p Hp. destruct (P p) eqn:Pp; auto. specialize (R p Pp). lia. Qed.
Lemma closes : exists P, allowed 0 (X 0) P <= sum T (kept X).
Proof. assert (G : forall t, t <= T -> exists P, (forall p, P p = true -> t <= p) /\ allowed t (X t) P <=
  kept_from t X). { apply backwards.
    - exists (fun _ => false). split; [discriminate|]. rewrite allowed_end by discriminate. lia.
    - intros t Ht (P & RP & A). assert (E : exists P, (forall p, P p = true -> S t <= p) /\ allowed (S t) (fill t
      (X t)) P <= kept_from (S t) X). { destruct (Nat.eq_dec (S t) T) as [ET|n].
        - exists P. split; auto. rewrite ET in *. rewrite allowed_end in * by auto. lia.
        - destruct (cuts t ltac:(lia)) as (Y & EY & Cu). destruct (evictions (S t) Y (X (S t)) ltac:(lia) Cu)
          with (P := P) (K := kept_from (S t) X) as (Q & RQ & AQ); auto. { intros i Ei. rewrite EY. apply
          filled_stays; auto. lia. } exists Q. split; auto. eapply Nat.le_trans; [|exact AQ]. apply allowed_more.
          intros i _. rewrite EY. auto. } destruct E as (Q & RQ & AQ). exists Q. split; [intros p Qp; specialize
          (RQ p Qp); lia|]. rewrite (serving t (X t) Q Ht), kept_here by auto. unfold kept at 1. lia. } destruct
          (G 0 ltac:(lia)) as (P & _ & A). exists P. now rewrite <- kept_all. Qed.
End Items.
