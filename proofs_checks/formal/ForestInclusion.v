(* On shared prefixes a larger cache includes a smaller one, if blocks go in an order that does not depend on the
   capacity. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest Leads ForestTLRU BlockCuts.

Section Inclusion.
Variables NB C : nat.
Variable blk : nat -> nat -> nat.
Variable len : nat -> nat.
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Notation full := (filled_with blk len).

Lemma filled_nested t X Y : nested NB X Y -> nested NB (full t X) (full t Y).
Proof. intros [L S1]. split.
  - intros v. unfold filled_with. rewrite !orb_true_iff. intros [H|H]; auto.
  - assert (G : cnt NB (full t Y) + cnt NB X <= cnt NB (full t X) + cnt NB Y); [|lia]. unfold cnt. rewrite <-
    !sum_add. apply sum_le. intros v _. specialize (L v). unfold filled_with. destruct (X v), (Y v), (Model.reads
    blk len t v); simpl; try lia; now specialize (L eq_refl). Qed.

(* What goes at cut t, of caches that are `fine`: by a strict order, of what need not stay. *)
Variable goes : nat -> (nat -> bool) -> nat -> Prop.
Variable stays : nat -> nat -> bool.
Variable later : nat -> nat -> nat -> Prop.
Variable fine : nat -> (nat -> bool) -> Prop.
Hypothesis order : forall t, strictly (later t).
Hypothesis fine_inside : forall t X, fine t X -> inside NB X.
Hypothesis fine_less : forall t X Y, (forall v, X v = true -> Y v = true) -> fine t Y -> fine t X.
Hypothesis fine_full : forall t X, fine t X -> fine (S t) (full (S t) X).
Hypothesis goes_by : forall t X v, fine t X -> goes t X v -> v < NB /\ X v = true /\ stays t v = false /\
  forall w, X w = true -> stays t w = false -> w <> v -> later t w v.

Lemma cut_order t size X X' : fine t X -> cut_by NB size (goes t) X X' -> best NB (stays t) (later t) size X X'.
Proof. intros F. apply (cut_best NB _ _ (fine t)); auto. intros Z v FZ. apply fine_less with Z; auto. intros w.
  destruct (upd_case Z v false w) as [[_ E]|[_ E]]; rewrite E; [discriminate|auto]. Qed.
(* The caches of C and of C + 1, from the same cache. *)
Variables A B : nat -> nat -> bool.
Variable t0 : nat.
Hypothesis same : forall v, A t0 v = B t0 v.
Hypothesis begins : fine t0 (A t0).
Hypothesis A_cut : forall t, t >= t0 -> cut_by NB C (goes (S t)) (full (S t) (A t)) (A (S t)).
Hypothesis B_cut : forall t, t >= t0 -> cut_by NB (S C) (goes (S t)) (full (S t) (B t)) (B (S t)).
Lemma includes t : t >= t0 -> nested NB (A t) (B t) /\ fine t (B t).
Proof. induction 1 as [|t Ht (N & P)].
  - split; [split; [intros v; now rewrite same|]|].
    + rewrite (cnt_ext NB (B t0) (A t0)); [lia|]. intros; now rewrite same.
    + apply fine_less with (A t0); auto. intros v. now rewrite same.
  - pose proof (fine_full t _ P) as F. destruct (order (S t)) as [Tr Ap]. pose proof (cut_order _ _ _ _ F (B_cut
    t Ht)) as KB. split; [|apply fine_less with (2 := F), KB]. refine (best_nested NB _ _ Tr Ap C _ _ _ _
    (filled_nested (S t) _ _ N) (fine_inside _ _ F) _ KB). apply cut_order; auto. apply fine_less with (2 := F).
    now apply filled_nested. Qed.
End Inclusion.

(* Caches with holes whose blocks go in any strict order, surplus first; neither depends on the capacity. A and B
   are the caches of C and of C + 1, stays says what may not go. *)
Definition any_order_includes NB blk len (stays sur : nat -> nat -> bool) (later : nat -> nat -> nat -> Prop) :=
  forall C (A B : nat -> nat -> bool),
  let may t X v := v < NB /\ X v = true /\ stays t v = false in
  let goes t X := first_of (may t X) (fun v => sur t v = true) (later t) in
  (forall v, A 0 v = B 0 v) -> (forall v, A 0 v = true -> v < NB) ->
  (forall t, cut_by NB C (goes (S t)) (filled_with blk len (S t) (A t)) (A (S t))) ->
  (forall t, cut_by NB (S C) (goes (S t)) (filled_with blk len (S t) (B t)) (B (S t))) ->
  forall t v, A t v = true -> B t v = true.
Lemma order_includes : forall NB blk len stays sur later, (forall t d, d < len t -> blk t d < NB) ->
  (forall t, strictly (later t)) -> any_order_includes NB blk len stays sur later.
Proof. intros NB blk len stays sur later HB Or C A B may goes E In KA KB t. refine (proj1 (proj1 (includes NB C
  blk len goes stays (fun t => last_surplus (sur t) (later t)) (fun t => inside NB) _ _ _ _ _ A B 0 E In (fun t _
  => KA t) (fun t _ => KB t) t (Nat.le_0_l t)))); auto.
  - intros s. now apply last_surplus_strictly.
  - intros s X Y L I v Xv. auto.
  - intros s X I v H. apply orb_prop in H as [H|H]; auto. apply Model.reads_ok in H as (d & Hd & <-). auto.
  - intros s X v I G. apply first_of_order in G as ((Hv & Xv & Sv) & Mn). unfold may in *. repeat split; auto.
    Qed.

(* Row forest.stack.tlru.last. The last request's path says what is surplus; the oldest surplus goes first. *)
Theorem last_marks_include : forall NB xi Q r blk len dep, (forall t d, d < len t -> blk t d < NB) ->
  any_order_includes NB blk len (pin r blk len) (fun t v => len (last blk len t v) + Q - xi <? dep v)
    (newer blk len dep).
Proof. intros. apply order_includes; auto. intros t. unfold strictly, newer. split; intros; lia. Qed.
(* Row forest.tail-optimized-belady.inclusion. Requests are 1 .. T. What no next request needs goes first, then the
   rest: both in any strict order, as what is read next furthest away first, of one request the deepest. *)
Theorem tail_optimized_belady_includes : forall NB T r xi blk len ask total at_first later,
  (forall t d, d < len t -> blk t d < NB) -> (forall t, strictly (later t)) ->
  let next t := next_read (S T) blk len (S t) in any_order_includes NB blk len (pin r blk len)
    (fun t v => negb ((next t v <=? T) && needs blk len ask total at_first xi (next t v) v)) later.
Proof. intros. now apply order_includes. Qed.

Section Marks.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.
Variables len dep : nat -> nat.
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.
Notation full := (filled_with blk len).
Notation last := (last blk len).
Notation past := (past NB blk len).
Notation newer := (newer blk len dep).
Notation goes_first := (goes_first NB xi Q r blk len dep).
Notation oldest := (oldest NB r blk len dep).

Lemma newer_strictly t : strictly (newer t).
Proof. split; [intros u v w; apply newer_trans|]. intros v H. exact (newer_not blk len dep t v v H H). Qed.
Lemma by_age strict t X v : past t X -> oldest strict t X v -> v < NB /\ X v = true /\ pin r blk len t v = false /\
  forall w, X w = true -> pin r blk len t w = false -> w <> v -> newer t w v.
Proof. intros P G. apply (oldest_any NB xi Q r blk len dep blk_NB dep_ok tree) in G; auto. destruct G as ((Hv &
  Xv & Pv & _) & Mn). repeat split; auto. intros w Xw Pw n. apply Mn; auto. repeat split; auto; [now apply
  P|discriminate]. Qed.
Lemma by_marks strict t X v : past t X -> goes_first strict t X v -> v < NB /\ X v = true /\
  pin r blk len t v = false /\ forall w, X w = true -> pin r blk len t w = false -> w <> v ->
    last_surplus (surplus xi Q blk len dep t) (newer t) w v.
Proof. intros P G. assert (G' : goes_first false t X v) by (destruct strict; auto; now apply (same_goes NB xi Q r
  blk len dep blk_NB dep_ok tree t X v P)). apply first_of_order in G' as ((Hv & Xv & Pv & _) & Mn). repeat
  split; auto. intros w Xw Pw n. apply Mn; auto. repeat split; auto; [now apply P|discriminate]. Qed.
Lemma past_less t X Y : (forall v, X v = true -> Y v = true) -> past t Y -> past t X.
Proof. intros L P v Xv. apply P. auto. Qed.

(* The caches of C and of C + 1, from the same cache of what was read. *)
Variable strict : bool.
Variables A B : nat -> nat -> bool.
Variable t0 : nat.
Hypothesis same : forall v, A t0 v = B t0 v.
Hypothesis read_before : past t0 (A t0).

(* The C most recent of the blocks that were read: all of them, or C. *)
Definition most_recent t (X : nat -> bool) := top NB blk len dep t X /\
  (cnt NB X = C \/ forall v, v < NB -> last t v >= 1 -> X v = true).
(* Row forest.stack.lru, in strict caches and in caches with holes, optional or with r requests running. *)
Theorem forest_inclusion_of_lru :
  (forall t, t >= t0 -> lru_cut NB C r blk len dep strict (S t) (full (S t) (A t)) (A (S t))) ->
  (forall t, t >= t0 -> lru_cut NB (S C) r blk len dep strict (S t) (full (S t) (B t)) (B (S t))) ->
  forall t, t >= t0 -> (forall v, A t v = true -> B t v = true) /\
    (most_recent t0 (A t0) -> most_recent t (A t)).
Proof. intros KA KB t Ht. split.
  - refine (proj1 (proj1 (includes NB C blk len (oldest strict) (pin r blk len) newer past newer_strictly _
    past_less _ (by_age strict) A B t0 same read_before KA KB t Ht))).
    + intros s X P v Xv. now apply P.
    + intros s X. now apply past_full.
  - intros M0. enough (most_recent t (A t) /\ past t (A t)) by tauto. induction Ht as [|t Ht ((T & F) & P)];
    auto. pose proof (past_full NB blk len blk_NB t _ P) as Pf. destruct (cut_order NB (oldest strict) (pin r blk
    len) newer past past_less (by_age strict) (S t) C _ _ Pf (KA t Ht)) as [L _ Al Fu _]. destruct (lru_cut_inv
    NB C xi Q r blk len dep blk_NB dep_ok tree strict (S t) _ _ (KA t Ht) Pf (top_full NB blk len dep t _ T)) as
    (_ & _ & T'). split; [split; [exact T'|]|apply (past_less _ _ _ L Pf)]. destruct (le_lt_dec C (cnt NB (full
    (S t) (A t)))) as [G|G]; [left; auto|right]. intros v Hv Lv. apply Al; [lia|]. apply orb_true_iff. simpl in
    Lv. destruct (Model.reads blk len (S t) v) eqn:R; auto. left. destruct F as [F|F]; auto. exfalso. assert (cnt
    NB (A t) <= cnt NB (full (S t) (A t))); [|lia]. apply cnt_le. intros w _ Aw. unfold filled_with. now rewrite
    Aw. Qed.

(* Row forest.stack.tlru.high-water, the same of T-LRU that takes the oldest surplus first. *)
Theorem forest_inclusion_of_tlru :
  (forall t, t >= t0 -> tlru_in_order_cut NB C xi Q r blk len dep strict (S t) (full (S t) (A t)) (A (S t))) ->
  (forall t, t >= t0 -> tlru_in_order_cut NB (S C) xi Q r blk len dep strict (S t) (full (S t) (B t)) (B (S t))) ->
  forall t, t >= t0 -> forall v, A t v = true -> B t v = true.
Proof. intros KA KB t Ht. refine (proj1 (proj1 (includes NB C blk len (goes_first strict) (pin r blk len) (fun t
  => last_surplus (surplus xi Q blk len dep t) (newer t)) past _ _ past_less _ (by_marks strict) A B t0 same
  read_before KA KB t Ht))).
  - intros s. apply last_surplus_strictly, newer_strictly.
  - intros s X P v Xv. now apply P.
  - intros s X. now apply past_full. Qed.
End Marks.
