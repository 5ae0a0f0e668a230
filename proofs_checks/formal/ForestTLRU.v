(* T-LRU with high-water marks is never worse than LRU on shared prefixes: caches with holes (the strict ones are
   the same), any part of the surplus in any order, optional caching (r = 0),
     and forced with r requests running. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers.
Import ListNotations.

Section Forest.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.             (* request t = 1, 2, ...; depth d from 0 *)
Variables len ask total : nat -> nat.
Variable dep : nat -> nat.                    (* depth of a block, from 1 *)
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis ask_len : forall t, ask t <= len t.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.

Local Notation reads := (Model.reads blk len).
Local Notation reads_ok := (Model.reads_ok blk len).
Fixpoint last t v := match t with 0 => 0 | S s => if reads (S s) v then S s else last s v end.
Fixpoint mark t v := match t with 0 => 0 | S s => if reads (S s) v then max (mark s v) (len (S s)) else mark s v
  end.
Lemma last_le t v : last t v <= t.
Proof. induction t; simpl; auto. destruct (reads (S t) v); lia. Qed.
Lemma last_read t v : last t v >= 1 -> exists s, s >= 1 /\ s <= t /\ reads s v = true.
Proof. induction t; simpl; [lia|]. destruct (reads (S t) v) eqn:R; intros H.
  - exists (S t); repeat split; auto; lia.
  - destruct (IHt H) as (s & A & B & D). exists s; repeat split; auto; lia. Qed.
Lemma mark_ge t s v : s >= 1 -> s <= t -> reads s v = true -> mark t v >= len s.
Proof. induction t; simpl; intros; [lia|]. destruct (Nat.eq_dec s (S t)) as [->|].
  - rewrite H1. lia.
  - specialize (IHt ltac:(auto) ltac:(lia) H1). destruct (reads (S t) v); lia. Qed.
Definition bud t v := mark t v + Q - xi.

(* Q covers the new part of every request that knows something *)
Definition known t kn := kn <= ask t /\ (kn >= 1 -> exists s, s >= 1 /\ s < t /\ kn <= len s /\ blk s (kn - 1) =
  blk t (kn - 1)) /\
  forall k s, kn <= k -> k < ask t -> s >= 1 -> s < t -> reads s (blk t k) = false.
Hypothesis covers : forall t, t >= 1 -> exists kn, known t kn /\ (kn >= 1 -> total t <= kn + Q).

Definition pin t v := t <? last t v + r.
Definition newer t w v := last t v < last t w \/ (last t w = last t v /\ dep w < dep v).
Definition oldest t (X : nat -> bool) v := v < NB /\ X v = true /\ pin t v = false /\
  forall w, w < NB -> X w = true -> w <> v -> pin t w = false -> newer t w v.
Inductive lcut t : (nat -> bool) -> (nat -> bool) -> Prop :=
| l_done X : cnt NB X <= C -> lcut t X X
| l_evict X v X' : cnt NB X > C -> oldest t X v -> lcut t (upd X v false) X' -> lcut t X X'.
Inductive tcut t : (nat -> bool) -> (nat -> bool) -> Prop :=
| t_done X : cnt NB X <= C -> tcut t X X
| t_free X v X' : pin t v = false -> dep v > bud t v -> tcut t (upd X v false) X' -> tcut t X X'
| t_evict X v X' : cnt NB X > C -> oldest t X v -> tcut t (upd X v false) X' -> tcut t X X'.

Definition full t (X : nat -> bool) v := X v || reads t v.
Variables A B : nat -> nat -> bool.            (* LRU's and T-LRU's cache after request t *)
Hypothesis A0 : forall v, A 0 v = false.
Hypothesis B0 : forall v, B 0 v = false.
Hypothesis A_cut : forall t, lcut (S t) (full (S t) (A t)) (A (S t)).
Hypothesis B_cut : forall t, tcut (S t) (full (S t) (B t)) (B (S t)).

Definition past t (X : nat -> bool) := forall v, X v = true -> last t v >= 1 /\ v < NB.
Definition top t (X : nat -> bool) := forall v w, X v = true -> newer t w v -> last t w >= 1 -> w < NB -> X w =
  true.
Lemma pin_newer t w v : pin t w = true -> pin t v = false -> newer t w v.
Proof. unfold pin, newer. rewrite Nat.ltb_lt, Nat.ltb_ge. lia. Qed.

Lemma lcut_inv t X X' : lcut t X X' -> past t X -> top t X ->
  cnt NB X' <= C /\ (forall v, X' v = true -> X v = true) /\ top t X'.
Proof.
  induction 1 as [X D | X v X' Ov (Hv & Xv & Pv & Mn) R IH]; intros P T; auto.
  destruct IH as (I1 & I2 & I3).
  - intros w. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; [discriminate|apply P].
  - intros x w. destruct (upd_case X v false x) as [[-> E]|[nx E]]; rewrite E; [discriminate|].
    intros Xx Nw Lw Hw. destruct (upd_case X v false w) as [[-> F]|[nw F]]; rewrite F; [|now apply (T x w)].
    exfalso. destruct (P x Xx) as [_ Hx]. assert (N : newer t x v).
    { destruct (pin t x) eqn:Px; [now apply pin_newer | now apply Mn]. }
    unfold newer in *. lia.
  - repeat split; auto. intros w Hw. specialize (I2 w Hw).
    destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E in I2; try discriminate; auto.
Qed.
Lemma tcut_inv t Z X X' : tcut t X X' -> cnt NB Z <= C -> top t Z -> past t X ->
  (forall v, Z v = true -> dep v <= bud t v -> X v = true) ->
  past t X' /\ forall v, Z v = true -> dep v <= bud t v -> X' v = true.
Proof.
  induction 1 as [X D | X v X' Pv Sv R IH | X v X' Ov (Hv & Xv & Pv & Mn) R IH]; intros ZC T P I; auto.
  - apply IH; auto.
    + intros w. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; [discriminate|apply P].
    + intros w Zw Bw. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; [lia|auto].
  - apply IH; auto.
    + intros w. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; [discriminate|apply P].
    + intros w Zw Bw. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; [|auto]. exfalso.
      enough (cnt NB X <= cnt NB Z) by lia. apply cnt_le. intros x Hx Xx.
      destruct (Nat.eq_dec x v) as [->|nx]; auto. destruct (P x Xx) as [Lx _].
      apply (T v x); auto. destruct (pin t x) eqn:Px; [now apply pin_newer | now apply Mn].
Qed.

Lemma invariant t : past t (A t) /\ past t (B t) /\ top t (A t) /\
  forall v, A t v = true -> dep v <= bud t v -> B t v = true.
Proof.
  induction t as [|t (PA & PB & TA & I)].
  - unfold past, top. repeat split; intros; rewrite ?A0, ?B0 in *; try discriminate.
  - assert (Pf : forall X, past t X -> past (S t) (full (S t) X)).
    { intros X P v. unfold full. rewrite orb_true_iff. simpl. destruct (reads (S t) v) eqn:R.
      - intros _. split; [lia|]. apply reads_ok in R as (d & Hd & <-). now apply blk_NB.
      - intros [H|H]; [now apply P|discriminate]. }
    assert (Tf : top (S t) (full (S t) (A t))).
    { intros v w. unfold full, newer. rewrite !orb_true_iff. simpl. pose proof (last_le t w).
      pose proof (last_le t v).
      destruct (reads (S t) w) eqn:Rw; auto. destruct (reads (S t) v) eqn:Rv; intros [H1|H1] N Lw Hw; try lia;
        try discriminate.
      left. apply (TA v w); auto. }
    destruct (lcut_inv _ _ _ (A_cut t) (Pf _ PA) Tf) as (CA & SA & TA').
    destruct (tcut_inv _ (A (S t)) _ _ (B_cut t) CA TA' (Pf _ PB)) as (PB' & I').
    { intros v Av Bv. specialize (SA v Av). unfold full in *. apply orb_true_iff. apply orb_true_iff in SA.
      destruct (reads (S t) v) eqn:R; auto. destruct SA as [SA|]; auto. left. apply I; auto.
      unfold bud in *. simpl in Bv. now rewrite R in Bv. }
    repeat split; auto; try (apply (Pf _ PA); now apply SA); now apply PB'.
Qed.

Fixpoint leads (X : nat -> bool) t n d := match n with 0 => 0 | S n => if X (blk t d) then S (leads X t n (S d))
  else 0 end.
Lemma leads_le X t n : forall d, leads X t n d <= n.
Proof. induction n; simpl; intros; auto. destruct (X (blk t d)); [specialize (IHn (S d)); lia | lia]. Qed.
Lemma leads_in X t n : forall d k, k < leads X t n d -> X (blk t (d + k)) = true.
Proof.
  induction n; simpl; intros d k H; [lia|]. destruct (X (blk t d)) eqn:E; [|lia].
  destruct k; [now rewrite Nat.add_0_r|]. replace (d + S k) with (S d + k) by lia. apply IHn. lia.
Qed.
Lemma leads_ge X t n m : forall d, m <= n -> (forall k, k < m -> X (blk t (d + k)) = true) -> leads X t n d >= m.
Proof.
  revert m. induction n; simpl; intros m d L H; [lia|]. destruct m; [lia|].
  pose proof (H 0 ltac:(lia)) as H0. rewrite Nat.add_0_r in H0. rewrite H0.
  enough (leads X t n (S d) >= m) by lia. apply IHn; [lia|]. intros k Hk.
  replace (S d + k) with (d + S k) by lia. apply H. lia.
Qed.
Definition hits X t := leads X t (ask t) 0.
Definition excess X t := total t - hits X t - xi.

(* Rows forest.tlru.high-water, .forced and .running.
  If Q covers the part of each request that no earlier one had, of
   those that continue a path, T-LRU has at most LRU's excess at every request. *)
Theorem forest_tlru_never_worse t : excess (B t) (S t) <= excess (A t) (S t).
Proof.
  destruct (invariant t) as (PA & PB & TA & I). unfold excess.
  enough (hits (B t) (S t) >= min (hits (A t) (S t)) (total (S t) - xi)) by lia.
  unfold hits. pose proof (leads_le (A t) (S t) (ask (S t)) 0) as L.
  apply leads_ge; [lia|]. intros k Hk. simpl.
  assert (Ak : A t (blk (S t) k) = true) by (apply (leads_in (A t) (S t) (ask (S t)) 0 k); lia).
  apply I; auto. pose proof (ask_len (S t)). rewrite dep_ok by lia.
  destruct (covers (S t) ltac:(lia)) as (kn & (K1 & K2 & K3) & K4).
  destruct (PA _ Ak) as [Lk _]. apply last_read in Lk as (s & S1 & S2 & R).
  assert (k < kn). { destruct (le_lt_dec kn k) as [H1|]; auto. rewrite (K3 k s) in R; auto; lia. }
  destruct K2 as (s' & U1 & U2 & U3 & U4); [lia|]. specialize (K4 ltac:(lia)).
  assert (mark t (blk (S t) k) >= len s').
  { apply mark_ge; auto; [lia|]. apply reads_ok. exists k. split; [lia|].
    apply (tree s' (S t) (kn - 1) k); auto; lia. }
  unfold bud. lia.
Qed.
End Forest.
