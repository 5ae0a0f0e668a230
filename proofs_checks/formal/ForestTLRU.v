(* T-LRU with high-water marks is never worse than LRU on shared prefixes: in caches with holes and in strict ones,
   any part of the surplus in any order, optional caching (r = 0), and forced with r requests running. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest Leads.
Import ListNotations.

Section Marks.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.             (* request t = 1, 2, ...; depth d from 0 *)
Variables len dep : nat -> nat.               (* depth of a block, from 1 *)
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.

Local Notation reads := (Model.reads blk len).
Local Notation reads_ok := (Model.reads_ok blk len).
Local Notation last := (last blk len).
Local Notation mark := (mark blk len).
Local Notation surplus := (surplus xi Q blk len dep).
Local Notation pin := (pin r blk len).
Local Notation newer := (newer blk len dep).
Local Notation above := (above blk len dep).
Local Notation may_go := (may_go NB r blk len dep).
Local Notation oldest := (oldest NB r blk len dep).
Local Notation lru_cut := (lru_cut NB C r blk len dep).
Local Notation tlru_cut := (tlru_cut NB C xi Q r blk len dep).
Local Notation full := (filled_with blk len).

Lemma last_le t v : last t v <= t.
Proof. induction t; simpl; auto. destruct (reads (S t) v); lia. Qed.
Lemma last_reads t v : last t v >= 1 -> reads (last t v) v = true.
Proof. induction t; simpl; [lia|]. destruct (reads (S t) v) eqn:R; auto. Qed.
Lemma last_ge t s v : s >= 1 -> s <= t -> reads s v = true -> last t v >= s.
Proof. induction t; simpl; intros; [lia|]. destruct (reads (S t) v) eqn:R; [lia|]. apply IHt; auto. destruct
  (Nat.eq_dec s (S t)) as [->|]; [congruence|lia]. Qed.
Lemma mark_ge t s v : s >= 1 -> s <= t -> reads s v = true -> mark t v >= len s.
Proof. induction t; simpl; intros; [lia|]. destruct (Nat.eq_dec s (S t)) as [->|].
  - rewrite H1. lia.
  - specialize (IHt ltac:(auto) ltac:(lia) H1). destruct (reads (S t) v); lia. Qed.
Lemma mark_up t u v : (forall s, reads s v = true -> reads s u = true) -> mark t v <= mark t u.
Proof. intros H. induction t; simpl; auto. specialize (H (S t)). destruct (reads (S t) v); [rewrite H by auto;
  lia|]. destruct (reads (S t) u); lia. Qed.
Lemma pin_newer t w v : pin t w = true -> pin t v = false -> newer t w v.
Proof. unfold Forest.pin, Forest.newer. rewrite Nat.ltb_lt, Nat.ltb_ge. lia. Qed.
Lemma newer_trans t u v w : newer t u v -> newer t v w -> newer t u w.
Proof. unfold Forest.newer. lia. Qed.
Lemma newer_not t v w : newer t v w -> newer t w v -> False.
Proof. unfold Forest.newer. lia. Qed.

(* What was read. *)
Definition past t (X : nat -> bool) := forall v, X v = true -> last t v >= 1 /\ v < NB.
(* LRU's caches: who is more recent than a cached block is cached. *)
Definition top t (X : nat -> bool) := forall v w, X v = true -> newer t w v -> last t w >= 1 -> w < NB -> X w =
  true.

(* Who is above a block is read whenever it is; so it is newer, runs if it runs, is surplus only if it is. *)
Lemma above_spec t u c : last t c >= 1 -> above t u c = true ->
  u < NB /\ last t u >= 1 /\ newer t u c /\ (pin t c = true -> pin t u = true) /\
  (surplus t u = true -> surplus t c = true) /\ dep u < dep c /\ forall s, reads s c = true -> reads s u = true.
Proof. intros L A. unfold Forest.above in A. apply existsb_exists in A as (k & Hk & E). apply in_seq in Hk. apply
  Nat.eqb_eq in E. subst u. pose proof (last_reads t c L) as R. apply reads_ok in R as (d & Hd & E). pose proof
  (dep_ok (last t c) d Hd) as Dc. rewrite E in Dc. assert (Hk' : k < len (last t c)) by lia. pose proof (dep_ok
  (last t c) k Hk') as Dk. assert (Up : forall s, reads s c = true -> reads s (blk (last t c) k) = true). {
  intros s Rs. apply reads_ok in Rs as (e & He & Ee). pose proof (dep_ok s e He) as De. rewrite Ee, Dc in De.
  injection De as ->. apply reads_ok. exists k. split; [lia|]. apply (tree s (last t c) e k); auto;
  [congruence|lia]. } assert (Ge : last t (blk (last t c) k) >= last t c). { apply last_ge; auto; [apply
  last_le|]. apply Up. now apply last_reads. } repeat split; auto; try lia.
  - unfold Forest.newer. lia.
  - unfold Forest.pin. rewrite !Nat.ltb_lt. lia.
  - unfold Forest.surplus. rewrite !Nat.ltb_lt. pose proof (mark_up t _ _ Up). lia. Qed.
(* Below what may go there is a leaf that may go, by any order in which who is above goes later. *)
Definition above_later t (later : nat -> nat -> Prop) := (forall u v w, later u v -> later v w -> later u w) /\
  forall u c, last t c >= 1 -> above t u c = true -> later u c.
Lemma leaf_below t later X : above_later t later -> past t X -> forall v, may_go false t X v ->
  exists c, may_go true t X c /\ (c = v \/ later v c).
Proof. intros [Tr Ab] P. assert (G : forall n v, sum NB dep < n + dep v -> may_go false t X v -> exists c, may_go
  true t X c /\ (c = v \/ later v c)). { induction n; intros v B (Hv & Xv & Pv & _).
    - pose proof (sum_ge NB dep v Hv). lia.
    - destruct (existsb (fun c => X c && above t v c) (seq 0 NB)) eqn:Ex.
      + apply existsb_exists in Ex as (c & Hc & E). apply in_seq in Hc. apply andb_prop in E as [Xc Ac]. destruct
        (P c Xc) as [Lc _]. destruct (above_spec t v c Lc Ac) as (_ & _ & _ & Pi & _ & De & _). assert (Mc :
        may_go false t X c). { repeat split; auto; [lia| |discriminate]. destruct (pin t c) eqn:Pc; auto. rewrite
        Pi in Pv; auto. } destruct (IHn c ltac:(lia) Mc) as (l & Ml & Nl). exists l. split; auto. right. destruct
        Nl as [->|Nl]; eauto.
      + exists v. split; auto. repeat split; auto. intros _ c Hc Xc. apply not_true_is_false. intros A. apply
        not_true_iff_false in Ex. apply Ex. apply existsb_exists. exists c. rewrite Xc, A. split; auto. apply
        in_seq. lia. } intros v. apply (G (S (sum NB dep))). lia. Qed.
Lemma first_any later strict t X v : above_later t later -> past t X ->
  first_out NB r blk len dep later strict t X v -> first_out NB r blk len dep later false t X v.
Proof. intros Ab P [(Hv & Xv & Pv & Lf) Mn]. split; [repeat split; auto; discriminate|]. intros w Mw n. destruct
  strict; [|now apply Mn]. destruct (leaf_below t later X Ab P w Mw) as (c & Mc & [->|Nc]); [now apply Mn|].
  destruct (Nat.eq_dec c v) as [->|n']; auto. eapply (proj1 Ab); [exact Nc|]. now apply Mn. Qed.
Lemma newer_above t : above_later t (newer t).
Proof. split; [intros u v w; apply newer_trans|]. intros u c L A. now apply (above_spec t u c L A). Qed.
Lemma oldest_any strict t X v : past t X -> oldest strict t X v -> oldest false t X v.
Proof. apply first_any, newer_above. Qed.

(* Of what was read the same block goes first in a strict cache and in one with holes. *)
Lemma same_goes t X v : past t X ->
  (goes_first NB xi Q r blk len dep true t X v <-> goes_first NB xi Q r blk len dep false t X v).
Proof. intros P. unfold goes_first, first_of. assert (Le : forall w, may_go true t X w -> may_go false t X w). {
  intros w (A & B & D & _). repeat split; auto. discriminate. } assert (Dn : forall w, may_go false t X w ->
  exists c, may_go true t X c /\ (c = w \/ newer t w c) /\ (surplus t w = true -> surplus t c = true)). { intros
  w Mw. destruct (leaf_below t (fun v c => newer t v c /\ (surplus t v = true -> surplus t c = true)) X) with (v
  := w) as (c & Mc & [->|[Nc Sc]]); eauto. split.
    - intros u x y [A1 A2] [B1 B2]. split; auto. eapply newer_trans; eauto.
    - intros u c L A. destruct (above_spec t u c L A) as (_ & _ & N & _ & S & _). auto. } split; intros [(M & S &
      Mn)|(Ns & M & Mn)].
  - left. split; [auto|split; [auto|]]. intros w Mw Sw n. destruct (Dn w Mw) as (c & Mc & Nc & Sc). destruct
    (Nat.eq_dec c v) as [->|n']; [destruct Nc; congruence|]. specialize (Mn c Mc (Sc Sw) n'). destruct Nc as
    [->|Nc]; auto. eapply newer_trans; eauto.
  - right. split; [|split; [auto|]].
    + intros w Mw Sw. destruct (Dn w Mw) as (c & Mc & _ & Sc). exact (Ns c Mc (Sc Sw)).
    + intros w Mw n. destruct (Dn w Mw) as (c & Mc & Nc & _). destruct (Nat.eq_dec c v) as [->|n']; [destruct Nc;
      congruence|]. specialize (Mn c Mc n'). destruct Nc as [->|Nc]; auto. eapply newer_trans; eauto.
  - left. split; [|auto]. destruct (Dn v M) as (c & Mc & [->|Nc] & Sc); auto. exfalso. apply (newer_not t v c
    Nc). apply Mn; auto. intros ->. exact (newer_not t v v Nc Nc).
  - right. split; [auto|split; [|auto]]. destruct (Dn v M) as (c & Mc & [->|Nc] & _); auto. exfalso. apply
    (newer_not t v c Nc). apply Mn; auto. intros ->. exact (newer_not t v v Nc Nc). Qed.

Lemma past_upd t X v : past t X -> past t (upd X v false).
Proof. intros P w. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; [discriminate|apply P]. Qed.
(* Row forest.tlru.high-water.closed. Of what was read, strict caches and caches with holes are cut to the same:
   what is surplus ends a path. *)
Theorem strict_is_holes : forall t X X', past t X ->
  (tlru_in_order_cut NB C xi Q r blk len dep true t X X' <->
   tlru_in_order_cut NB C xi Q r blk len dep false t X X').
Proof. intros t X X' P. split; intros R; induction R as [X D | X v X' O G R IH]; (now apply by_done) || (apply
  by_going with (v := v); [auto|now apply same_goes|exact (IH (past_upd t X v P))]). Qed.

(* T-LRU that takes the oldest surplus first, on overflow alone, is a T-LRU. *)
Lemma in_order_is_tlru strict t X X' :
  tlru_in_order_cut NB C xi Q r blk len dep strict t X X' -> tlru_cut strict t X X'.
Proof. induction 1 as [X D | X v X' O [(M & S & _)|(_ & M & Mn)] R IH].
  - now apply t_done.
  - now apply t_free with (v := v).
  - apply t_evict with (v := v); auto. split; auto. Qed.

Lemma past_full t X : past t X -> past (S t) (full (S t) X).
Proof. intros P v. unfold filled_with. rewrite orb_true_iff. simpl. destruct (reads (S t) v) eqn:R.
  - intros _. split; [lia|]. apply reads_ok in R as (d & Hd & <-). now apply blk_NB.
  - intros [H|H]; [now apply P|discriminate]. Qed.
Lemma top_full t X : top t X -> top (S t) (full (S t) X).
Proof. intros T v w. unfold filled_with, Forest.newer. rewrite !orb_true_iff. simpl. pose proof (last_le t w).
  pose proof (last_le t v). destruct (reads (S t) w) eqn:Rw; auto. destruct (reads (S t) v) eqn:Rv; intros
  [H1|H1] N Lw Hw; try lia; try discriminate. left. apply (T v w); auto. Qed.
Lemma others_newer t X v x : oldest false t X v -> past t X -> X x = true -> x <> v -> newer t x v.
Proof. intros [(Hv & Xv & Pv & _) Mn] P Xx n. destruct (P x Xx) as [_ Hx]. destruct (pin t x) eqn:Px; [now apply
  pin_newer|]. apply Mn; auto. repeat split; auto. discriminate. Qed.
Lemma lru_cut_inv strict t X X' : lru_cut strict t X X' -> past t X -> top t X ->
  cnt NB X' <= C /\ (forall v, X' v = true -> X v = true) /\ top t X'.
Proof. unfold Forest.lru_cut. induction 1 as [X D | X v X' O Ov R IH]; intros P T; auto. apply oldest_any in Ov;
  auto. destruct IH as (I1 & I2 & I3); [now apply past_upd| |].
  - intros x w. destruct (upd_case X v false x) as [[-> E]|[nx E]]; rewrite E; [discriminate|]. intros Xx Nw Lw
    Hw. destruct (upd_case X v false w) as [[-> F]|[nw F]]; rewrite F; [|now apply (T x w)]. exfalso. exact
    (newer_not t x v (others_newer t X v x Ov P Xx nx) Nw).
  - repeat split; auto. intros w Hw. specialize (I2 w Hw). destruct (upd_case X v false w) as [[-> E]|[_ E]];
    rewrite E in I2; try discriminate; auto. Qed.
Lemma tlru_cut_inv strict t Z X X' : tlru_cut strict t X X' -> cnt NB Z <= C -> top t Z -> past t X ->
  (forall v, Z v = true -> surplus t v = false -> X v = true) ->
  past t X' /\ forall v, Z v = true -> surplus t v = false -> X' v = true.
Proof. induction 1 as [X D | X v X' Mv Sv R IH | X v X' O Ov R IH]; intros ZC T P I; auto.
  - apply IH; auto using past_upd. intros w Zw Bw. destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E;
    [congruence|auto].
  - apply oldest_any in Ov; auto. apply IH; auto using past_upd. intros w Zw Bw. destruct (upd_case X v false w)
    as [[-> E]|[_ E]]; rewrite E; [|auto]. exfalso. enough (cnt NB X <= cnt NB Z) by lia. apply cnt_le. intros x
    Hx Xx. destruct (Nat.eq_dec x v) as [->|nx]; auto. destruct (P x Xx) as [Lx _]. apply (T v x); auto. now
    apply (others_newer t X v x). Qed.

(* The requests; how many leading blocks each can hit, and how many units it has in all. *)
Variables ask total : nat -> nat.
Hypothesis ask_len : forall t, ask t <= len t.
Variable t0 : nat.
(* Q covers the new part of every request after t0 that knows something. *)
Hypothesis covers : forall t, t > t0 -> exists kn, knows blk len ask t kn /\ (kn >= 1 -> total t <= kn + Q).

(* LRU's and T-LRU's cache after request t. After t0 both have the same: of what was read the most recent. *)
Variables strict : bool.
Variables A B : nat -> nat -> bool.
Hypothesis same : forall v, A t0 v = B t0 v.
Hypothesis read_before : past t0 (A t0).
Hypothesis most_recent : top t0 (A t0).
Hypothesis A_cut : forall t, t >= t0 -> lru_cut strict (S t) (full (S t) (A t)) (A (S t)).
Hypothesis B_cut : forall t, t >= t0 -> tlru_cut strict (S t) (full (S t) (B t)) (B (S t)).

Lemma invariant t : t >= t0 -> past t (A t) /\ past t (B t) /\ top t (A t) /\
  forall v, A t v = true -> surplus t v = false -> B t v = true.
Proof. induction 1 as [|t Ht (PA & PB & TA & I)].
  - repeat split; auto; try (now apply read_before); try (rewrite <- same in *; now apply read_before). intros v
    Av _. now rewrite <- same.
  - assert (Pf := past_full t). destruct (lru_cut_inv _ _ _ _ (A_cut t Ht) (Pf _ PA) (top_full t _ TA)) as (CA &
    SA & TA'). destruct (tlru_cut_inv _ _ (A (S t)) _ _ (B_cut t Ht) CA TA' (Pf _ PB)) as (PB' & I'). { intros v
    Av Bv. specialize (SA v Av). unfold filled_with in *. apply orb_true_iff. apply orb_true_iff in SA. destruct
    (reads (S t) v) eqn:R; auto. destruct SA as [SA|]; auto. left. apply I; auto. unfold Forest.surplus in *.
    simpl in Bv. now rewrite R in Bv. } repeat split; auto; try (apply (Pf _ PA); now apply SA); now apply PB'.
    Qed.

Local Notation excess := (forest_excess xi blk ask total).

(* Rows forest.tlru.high-water, .forced and .running, in strict caches and caches with holes. If Q covers the part
   of each request that no earlier one had, of those that continue a path, T-LRU has at most LRU's excess at every
   request. *)
Theorem forest_tlru_never_worse t : t >= t0 -> excess (B t) (S t) <= excess (A t) (S t).
Proof. intros Ht. destruct (invariant t Ht) as (PA & PB & TA & I). unfold forest_excess, hits. enough (leads blk
  (fun _ => B t) (S t) (ask (S t)) 0 >= min (leads blk (fun _ => A t) (S t) (ask (S t)) 0) (total (S t) - xi)) by
  lia. pose proof (leads_le blk (fun _ => A t) (S t) (ask (S t)) 0) as L. apply (leads_ge blk); [lia|]. intros k
  Hk. simpl. assert (Ak : A t (blk (S t) k) = true) by (apply (leads_in blk (fun _ => A t) (S t) (ask (S t)) 0
  k); lia). apply I; auto. pose proof (ask_len (S t)). unfold Forest.surplus. apply Nat.ltb_ge. rewrite dep_ok by
  lia. destruct (covers (S t) ltac:(lia)) as (kn & (K1 & K2 & K3) & K4). destruct (PA _ Ak) as [Lk _]. pose proof
  (last_reads _ _ Lk) as R. pose proof (last_le t (blk (S t) k)). assert (k < kn). { destruct (le_lt_dec kn k) as
  [H1|]; auto. rewrite (K3 k (last t (blk (S t) k))) in R; auto; lia. } destruct K2 as (s' & U1 & U2 & U3 & U4);
  [lia|]. specialize (K4 ltac:(lia)). assert (mark t (blk (S t) k) >= len s'). { apply mark_ge; auto; [lia|].
  apply reads_ok. exists k. split; [lia|]. apply (tree s' (S t) (kn - 1) k); auto; lia. } lia. Qed.
End Marks.
