(* LRU and T-LRU with high-water marks on shared prefixes as programs, for caches with holes. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest ForestTLRU BlockCuts BlockPrograms.
Import ListNotations.

Section ForestPrograms.
Variables NB C xi Q r K : nat.                (* K is at least every depth *)
Variable blk : nat -> nat -> nat.
Variables len dep : nat -> nat.

(* The least recent first, of one path the deepest first. *)
Definition when t v := last blk len t v * S K + (K - dep v).
(* The cache after request t, from an empty one. *)
Fixpoint cached (sur : nat -> nat -> bool) t : nat -> bool :=
  match t with
  | 0 => fun _ => false
  | S s => let X := filled_with blk len t (cached sur s) in
      cut_blocks NB C (pin r blk len t) (sur t) (when t) (cnt NB X) X
  end.
Definition nothing (t v : nat) := false.
Definition lru_cache := cached nothing.
Definition tlru_cache := cached (surplus xi Q blk len dep).
(* The excesses of the requests 1 .. n. *)
Definition excesses ask total (cache : nat -> nat -> bool) n :=
  map (fun t => forest_excess xi blk ask total (cache t) (S t)) (seq 0 n).
Definition run_forest_lru ask total := excesses ask total lru_cache.
Definition run_forest_tlru ask total := excesses ask total tlru_cache.

Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis depths : forall v, dep v <= K.
(* The paths that run fit. *)
Hypothesis fits : forall t, cnt NB (fun v => (1 <=? last blk len t v) && pin r blk len t v) <= C.
Notation last := (last blk len).
Notation newer := (newer blk len dep).
Notation past := (past NB blk len).

Lemma apart t v w : last t v >= 1 -> last t v = last t w -> dep v = dep w -> v = w.
Proof. intros L E D. pose proof (last_reads blk len t v L) as Rv. pose proof (last_reads blk len t w ltac:(lia))
  as Rw. rewrite <- E in Rw. apply Model.reads_ok in Rv as (d & Hd & Ev). apply Model.reads_ok in Rw as (e & He &
  Ew). pose proof (dep_ok _ _ Hd) as A. rewrite Ev in A. pose proof (dep_ok _ _ He) as B. rewrite Ew in B.
  replace e with d in Ew by lia. congruence. Qed.
Lemma when_newer t v w : last t v >= 1 -> when t v <= when t w -> w <> v -> newer t w v.
Proof. unfold when, Forest.newer. intros L H n. pose proof (depths v). pose proof (depths w). destruct
  (lt_eq_lt_dec (last t v) (last t w)) as [[G|G]|G]; [left; lia| |nia]. right. split; [lia|]. rewrite G in H.
  destruct (Nat.eq_dec (dep v) (dep w)); [|lia]. exfalso. apply n. symmetry. now apply (apart t). Qed.
(* sur may be anything: surplus, or nothing. *)
Lemma cut_ok t sur X : past t X ->
  cut_by NB C (fun X v => first_of (may_go NB r blk len dep false t X) (fun v => sur v = true) (newer t) v) X
    (cut_blocks NB C (pin r blk len t) sur (when t) (cnt NB X) X).
Proof. intros P. apply (cut_by_rule NB C (least NB (pin r blk len t) sur (when t)) _ (past t)); auto using
  past_upd.
  - intros Y v PY ((V & M) & G). apply andb_prop in M as [Yv Pv]. apply negb_true_iff in Pv. assert (Mv : may_go
    NB r blk len dep false t Y v) by (repeat split; auto; discriminate). assert (Mw : forall w, may_go NB r blk
    len dep false t Y w -> w < NB /\ may (pin r blk len t) Y w = true). { intros w (W & Yw & Pw & _). split;
    auto. unfold may. now rewrite Yw, Pw. } destruct G as [(S1 & Mn)|Mn]; [left|right]; split; auto; try split;
    auto.
    + intros w Gw Sw n. destruct (Mw w Gw). apply when_newer; auto. now apply PY.
    + intros w Gw Sw. destruct (Mw w Gw) as [W M]. destruct (Mn w W M). congruence.
    + intros w Gw n. destruct (Mw w Gw) as [W M]. apply when_newer; auto; [now apply PY|]. now apply Mn.
  - apply cut_blocks_ok; auto. eapply Nat.le_trans; [|apply (fits t)]. apply cnt_le. intros w W H. apply
    andb_prop in H as [Xw ->]. rewrite andb_true_r. apply Nat.leb_le, P, Xw. Qed.

Lemma cached_ok sur : forall t, past t (cached sur t) /\
  cut_by NB C (fun X v => first_of (may_go NB r blk len dep false (S t) X) (fun v => sur (S t) v = true)
    (newer (S t)) v) (filled_with blk len (S t) (cached sur t)) (cached sur (S t)).
Proof. assert (G : forall t, past t (cached sur t)). { induction t; [intros v; discriminate|]. pose proof
  (past_full NB blk len blk_NB t _ IHt) as P. intros v Hv. cbn [cached] in Hv. pose proof (kept_of NB _ C _ _
  (cut_ok (S t) (sur (S t)) _ P) v Hv) as X. now apply P. } intros t. split; auto. apply cut_ok; auto. apply
  past_full; auto. Qed.
End ForestPrograms.

(* A lemma for the next, of no row (-). What the programs cache are cuts of LRU and of T-LRU, and so is what
   forest_tlru_never_worse is about. *)
Theorem forest_programs_run : forall NB C xi Q r K blk len dep,
  (forall t d, d < len t -> blk t d < NB) -> (forall t d, d < len t -> dep (blk t d) = S d) ->
  (forall v, dep v <= K) -> (forall t, cnt NB (fun v => (1 <=? last blk len t v) && pin r blk len t v) <= C) ->
  forall t,
  lru_cut NB C r blk len dep false (S t) (filled_with blk len (S t) (lru_cache NB C r K blk len dep t))
    (lru_cache NB C r K blk len dep (S t)) /\
  tlru_cut NB C xi Q r blk len dep false (S t) (filled_with blk len (S t) (tlru_cache NB C xi Q r K blk len dep t))
    (tlru_cache NB C xi Q r K blk len dep (S t)).
Proof. intros NB C xi Q r K blk len dep H1 H2 H3 H4 t. split.
  - destruct (cached_ok NB C r K blk len dep H1 H2 H3 H4 nothing t) as [_ R]. unfold lru_cut. unfold lru_cache.
    revert R. apply (cut_by_rule NB C _ _ (fun _ => True)); auto. intros X v _ [(_ & G & _)|(_ & M & Mn)];
    [discriminate|split; auto].
  - destruct (cached_ok NB C r K blk len dep H1 H2 H3 H4 (surplus xi Q blk len dep) t) as [_ R]. apply
    in_order_is_tlru. exact R. Qed.
