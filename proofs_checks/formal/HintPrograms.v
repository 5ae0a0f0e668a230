(* LRU and T-LRU with release hints as programs: that there are runs, and what hints can do to T-LRU. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest ForestTLRU BlockCuts ForestInclusion BlockPrograms ForestPrograms Hints ReleaseHints.
Import ListNotations.

Section Programs.
Variables NB C xi Q r K : nat.                (* K is at least every depth *)
Variable blk : nat -> nat -> nat.
Variables len dep : nat -> nat.
Variable dead : nat -> nat -> bool.
Variable marks : bool.                        (* T-LRU, or LRU *)

(* Among what is dead, and among what is not: of T-LRU surplus first, then as LRU. *)
Definition rank t v := b2n (marks && negb (surplus xi Q blk len dep t v)) * (S t * S K) + when K blk len dep t v.
(* The cache after request t, from an empty one. *)
Fixpoint released t : nat -> bool :=
  match t with
  | 0 => fun _ => false
  | S s => let X := filled_with blk len t (released s) in
      cut_blocks NB C (pin r blk len t) (dead t) (rank t) (cnt NB X) X
  end.

Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.
Hypothesis depths : forall v, dep v <= K.
Hypothesis below : dead_below blk len dep dead.
Hypothesis fits : forall t, cnt NB (fun v => (1 <=? last blk len t v) && pin r blk len t v) <= C.
Definition later : nat -> nat -> nat -> Prop := if marks then safer xi Q blk len dep else newer blk len dep.

Lemma rank_later t v w : last blk len t v >= 1 -> last blk len t w >= 1 -> rank t v <= rank t w -> w <> v ->
  later t w v.
Proof. intros Lv Lw H n. assert (B : forall u, when K blk len dep t u < S t * S K). { intros u. unfold when. pose
  proof (last_le blk len t u). nia. } pose proof (B v). pose proof (B w). assert (N : when K blk len dep t v <=
  when K blk len dep t w -> newer blk len dep t w v) by (intros; eapply when_newer; eauto). unfold rank, later in
  *. destruct marks.
  - unfold safer, last_surplus. destruct (surplus xi Q blk len dep t v), (surplus xi Q blk len dep t w); simpl in
    H; auto; try (right; split; auto; apply N; lia). exfalso. simpl in *. lia.
  - apply N. simpl in H. lia. Qed.
Lemma later_strictly t : strictly (later t).
Proof. unfold later. destruct marks; [apply safer_strictly|apply newer_strictly]. Qed.
Lemma later_above t : above_later blk len dep t (later t).
Proof. unfold later. destruct marks; [now apply (marks_above NB)|now apply (age_above NB)]. Qed.
(* What goes first in a cache with holes is a leaf. *)
Lemma first_strict strict t order X v : strictly order -> above_later blk len dep t order -> past NB blk len t X ->
  first_out NB r blk len dep order false t X v -> first_out NB r blk len dep order strict t X v.
Proof. intros [Tr Ap] [_ Ab] P [(Hv & Xv & Pv & _) Mn]. split.
  - repeat split; auto. intros _ c Hc Xc. apply not_true_iff_false. intros A. destruct (P c Xc) as [Lc _]. destruct
    (above_spec NB xi Q r blk len dep blk_NB dep_ok tree t v c Lc A) as (_ & _ & _ & Pi & _ & De & _). apply (Ap
    v), Tr with c; [now apply Ab|]. apply Mn; [|intros ->; lia]. repeat split; auto; [|discriminate]. destruct (pin
    r blk len t c); auto. rewrite Pi in Pv; auto.
  - intros w (A & B & D & _) n. apply Mn; auto. repeat split; auto. discriminate. Qed.
Lemma released_ok strict t : past NB blk len t (released t) /\ release_cut NB C r blk len dep dead later strict
  (S t) (filled_with blk len (S t) (released t)) (released (S t)).
Proof. assert (G : forall t, past NB blk len t (released t) -> release_cut NB C r blk len dep dead later strict (S
  t) (filled_with blk len (S t) (released t)) (released (S t))). { clear t. intros t P. apply (past_full NB blk len
  blk_NB) in P. apply (cut_by_rule NB C (least NB (pin r blk len (S t)) (dead (S t)) (rank (S t))) _ (past NB blk
  len (S t))); auto using past_upd.
    - intros Z v PZ ((V & M) & Ls). apply andb_prop in M as [Zv Pv]. apply negb_true_iff in Pv. apply first_strict;
      auto.
      + apply last_surplus_strictly, later_strictly.
      + apply above_order; auto using later_strictly, later_above. apply below.
      + split; [repeat split; auto; discriminate|]. intros w (W & Zw & Pw & _) n. assert (Mw : may (pin r blk len
        (S t)) Z w = true) by (unfold may; now rewrite Zw, Pw). destruct (PZ v Zv) as [Lv _]. destruct (PZ w Zw) as
        [Lw _]. unfold last_surplus. destruct Ls as [[Dv Mn]|Mn].
        * rewrite Dv. destruct (dead (S t) w) eqn:Dw; auto. right. split; auto. apply rank_later; auto.
        * destruct (Mn w W Mw) as [-> Rw]. destruct (Mn v V) as [-> _]; [unfold may; now rewrite Zv, Pv|]. right.
          split; auto. now apply rank_later.
    - apply cut_blocks_ok; auto. eapply Nat.le_trans; [|apply (fits (S t))]. apply cnt_le. intros w W H. apply
      andb_prop in H as [Zw ->]. rewrite andb_true_r. apply Nat.leb_le, P, Zw. } assert (P : forall t, past NB blk
      len t (released t)). { induction t0 as [|s IH]; [intros v; discriminate|]. intros v Hv. apply (kept_of NB _ C
      _ _ (G s IH)) in Hv. now apply (past_full NB blk len blk_NB s _ IH). } split; auto. Qed.
End Programs.

(* Beside row hints.release.safe, of LRU and of T-LRU. There are runs with release hints, in caches with holes and
   strict ones, optional, and forced where what runs fits. *)
Theorem release_runs : forall NB C xi Q r K blk len dep dead marks,
  (forall t d, d < len t -> blk t d < NB) -> (forall t d, d < len t -> dep (blk t d) = S d) ->
  (forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k) ->
  (forall v, dep v <= K) -> dead_below blk len dep dead ->
  (forall t, cnt NB (fun v => (1 <=? last blk len t v) && pin r blk len t v) <= C) ->
  forall strict, cut_after blk len strict (if marks : bool then tlru_release_cut NB C xi Q r blk len dep dead else
    lru_release_cut NB C r blk len dep dead) (released NB C xi Q r K blk len dep dead marks).
Proof. intros NB C xi Q r K blk len dep dead marks H1 H2 H3 H4 H5 H6 strict t. pose proof (proj2 (released_ok NB C
  xi Q r K blk len dep dead marks H1 H2 H3 H4 H5 H6 strict t)) as G. destruct marks; exact G. Qed.

(* Examples: request t reads first t, first t + 1, ...; blocks of even numbers are roots, odd ones below them. *)
Definition blocks (first : list nat) t d := nth t first 0 + d.
Definition lengths (number : list nat) t := nth t number 0.
Definition depth v := S (v mod 2).
Definition is_forest NB (blk : nat -> nat -> nat) (len : nat -> nat) := (forall t d, d < len t -> blk t d < NB) /\
  (forall t d, d < len t -> depth (blk t d) = S d) /\
  forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.
Definition all n (p : nat -> bool) := forallb p (seq 0 n).
Lemma all_ok n p : all n p = true -> forall i, i < n -> p i = true.
Proof. unfold all. rewrite forallb_forall. intros H i L. apply H, in_seq. lia. Qed.
Lemma within number t d : d < lengths number t -> t < length number.
Proof. unfold lengths. intros H. destruct (le_lt_dec (length number) t) as [L|]; auto. rewrite (nth_overflow number
  0 L) in H. lia. Qed.
(* Whether an example is one can be computed. *)
Lemma seems_ok NB first number : all (length number) (fun t => all (lengths number t) (fun d =>
  (blocks first t d <? NB) && (depth (blocks first t d) =? S d))) = true ->
  is_forest NB (blocks first) (lengths number).
Proof. intros H. assert (G : forall t d, d < lengths number t -> blocks first t d < NB /\ depth (blocks first t d)
  = S d). { intros t d L. apply all_ok with (i := t) in H; [|now apply within with d]. apply all_ok with (i := d)
  in H; auto. apply andb_prop in H as [A B]. apply Nat.ltb_lt in A. apply Nat.eqb_eq in B. auto. } repeat split;
  intros; try now apply G. unfold blocks in *. lia. Qed.
Lemma one_fits NB C first number : let blk := blocks first in let len := lengths number in
  all (length number) (fun t => cnt NB (Model.reads blk len t) <=? C) = true ->
  forall t, cnt NB (fun v => (1 <=? last blk len t v) && pin 1 blk len t v) <= C.
Proof. intros blk len H t. apply Nat.le_trans with (cnt NB (Model.reads blk len t)).
  - apply cnt_le. intros v _ E. apply andb_prop in E as [A B]. apply Nat.leb_le in A. apply Nat.ltb_lt in B. pose
    proof (last_le blk len t v). replace t with (last blk len t v) by lia. now apply last_reads.
  - destruct (le_lt_dec (length number) t) as [L|L]; [|now apply Nat.leb_le, (all_ok _ _ H)]. unfold Model.reads,
    len, lengths. rewrite (nth_overflow number 0 L). unfold cnt. cbn. rewrite sum_zero. lia. Qed.
Lemma none_runs NB C blk len t : cnt NB (fun v => (1 <=? last blk len t v) && pin 0 blk len t v) <= C.
Proof. rewrite (cnt_ext NB _ (fun _ => false)); [unfold cnt; rewrite sum_zero; lia|]. intros v _. unfold pin. pose
  proof (last_le blk len t v). replace (t <? last blk len t v + 0) with false; [apply andb_false_r|]. symmetry.
  apply Nat.ltb_ge. lia. Qed.
(* What is on no agent's latest path is dead. *)
Definition superseded first number agent := unheld (blocks first) (lengths number) (latest agent).
Lemma superseded_below NB first number agent : is_forest NB (blocks first) (lengths number) ->
  dead_below (blocks first) (lengths number) depth (superseded first number agent).
Proof. intros (H1 & H2 & H3). now apply (told_hints_release NB _ _ _ agent (fun _ _ => false) (latest agent) H1 H2
  H3); auto. Qed.
Lemma depth_ok v : depth v <= 2.
Proof. unfold depth. pose proof (Nat.mod_upper_bound v 2). lia. Qed.

(* Four requests: a b, d e, c, d e. Before the last one c's agent, which had read d e, makes them dead. Of capacity
   2 LRU kept d e, loses e and keeps d; T-LRU kept a d, of which none is surplus, and loses d. *)
Definition first_of_four := [0; 0; 2; 4; 2].
Definition number_of_four := [0; 2; 2; 1; 2].
Definition agent_of_four t := nth t [1; 1; 0; 0] 1.
Lemma four_covered : let len := lengths number_of_four in q_covers 0 (blocks first_of_four) len len len.
Proof. intros len t Ht. destruct (Nat.eq_dec t 4) as [->|n].
  - exists 2. split; [|auto]. split; [auto|]. split; [intros _; exists 2; cbn; repeat split; lia|]. cbn. lia.
  - exists 0. split; [|lia]. split; [lia|]. split; [lia|]. intros k s _ Hk Hs L. pose proof (within _ _ _ Hk) as B.
    cbn in B. assert (k < 2) by (destruct t as [|[|[|[|]]]]; cbn in Hk; lia). destruct t as [|[|[|[|]]]]; try lia;
    destruct s as [|[|[|]]]; try lia; destruct k as [|[|]]; reflexivity || (cbn in Hk; lia). Qed.
(* Row hints.tlru.covers.wrong is refuted. T-LRU with release hints can have more than LRU with the same ones at a
   request, though Q covers, and the hints say what is so: agents have left the paths that are called dead. *)
Theorem tlru_release_can_be_worse : exists NB C xi Q first number agent X Y,
  let blk := blocks first in let len := lengths number in let dead := superseded first number agent in
  is_forest NB blk len /\ q_covers Q blk len len len /\ (forall v, X 0 v = false) /\ (forall v, Y 0 v = false) /\
  (forall strict, cut_after blk len strict (tlru_release_cut NB C xi Q 0 blk len depth dead) X) /\
  (forall strict, cut_after blk len strict (lru_release_cut NB C 0 blk len depth dead) Y) /\
  exists t, forest_excess xi blk len len (Y t) (S t) < forest_excess xi blk len len (X t) (S t).
Proof. pose proof (seems_ok 5 first_of_four number_of_four eq_refl) as F. pose proof (superseded_below 5
  first_of_four number_of_four agent_of_four F) as B. set (Z := released 5 2 1 0 0 2 (blocks first_of_four)
  (lengths number_of_four) depth (superseded first_of_four number_of_four agent_of_four)). exists 5, 2, 1, 0,
  first_of_four, number_of_four, agent_of_four, (Z true), (Z false). cbv zeta. split; [exact F|]. split; [exact
  four_covered|]. destruct F as (H1 & H2 & H3). do 2 (split; [auto|]). split; [|split].
  - exact (release_runs 5 2 1 0 0 2 _ _ depth _ true H1 H2 H3 depth_ok B (none_runs 5 2 _ _)).
  - exact (release_runs 5 2 1 0 0 2 _ _ depth _ false H1 H2 H3 depth_ok B (none_runs 5 2 _ _)).
  - exists 3. now apply Nat.ltb_lt. Qed.

(* Six requests: a b, c d, e, e f, c, e f, cached whole while they run; the last has units that nobody asks for. *)
Definition first_of_six := [0; 0; 2; 4; 4; 2; 4].
Definition number_of_six := [0; 2; 2; 1; 2; 1; 2].
Definition agent_of_six t := nth t [2; 2; 0; 1; 0; 1] 0.
(* Row hints.release.safe.forced.tlru is refuted. If Q does not cover, under forced caching release hints can
   cost T-LRU more than the blocks that they had called dead. *)
Theorem forced_release_is_not_safe : exists NB C xi Q first number agent total X Y,
  let blk := blocks first in let len := lengths number in let dead := superseded first number agent in
  is_forest NB blk len /\ (forall v, X 0 v = false) /\ (forall v, Y 0 v = false) /\
  (forall strict, cut_after blk len strict (tlru_release_cut NB C xi Q 1 blk len depth dead) X) /\
  (forall strict, cut_after blk len strict (tlru_in_order_cut NB C xi Q 1 blk len depth) Y) /\
  exists t, forest_excess xi blk len total (Y t) (S t) + called_dead blk len len dead t
    < forest_excess xi blk len total (X t) (S t).
Proof. pose proof (seems_ok 6 first_of_six number_of_six eq_refl) as F. pose proof (superseded_below 6 first_of_six
  number_of_six agent_of_six F) as B. assert (Fit := one_fits 6 3 first_of_six number_of_six eq_refl). exists 6, 3,
  1, 0, first_of_six, number_of_six, agent_of_six, (fun t => if t =? 6 then 5 else 2), (released 6 3 1 0 1 2
  (blocks first_of_six) (lengths number_of_six) depth (superseded first_of_six number_of_six agent_of_six) true),
  (tlru_cache 6 3 1 0 1 2 (blocks first_of_six) (lengths number_of_six) depth). cbv zeta. split; [exact F|].
  destruct F as (H1 & H2 & H3). do 2 (split; [auto|]). split; [|split].
  - exact (release_runs 6 3 1 0 1 2 _ _ depth _ true H1 H2 H3 depth_ok B Fit).
  - intros strict t. destruct (cached_ok 6 3 1 2 _ _ depth H1 H2 depth_ok Fit (surplus 1 0 (blocks first_of_six)
    (lengths number_of_six) depth) t) as [P R]. destruct strict; [|exact R]. apply (strict_is_holes 6 3 1 0 1 _ _
    depth H1 H2 H3); [|exact R]. now apply past_full.
  - exists 5. now apply Nat.ltb_lt. Qed.
