(* On shared prefixes a larger cache includes a smaller one, if blocks go in an order that does not depend on the
   capacity. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest Leads ForestTLRU.

Section Order.
Variable NB : nat.

(* Y holds what X holds, and at most one block more. *)
Definition nested (X Y : nat -> bool) := (forall v, X v = true -> Y v = true) /\ cnt NB Y <= cnt NB X + 1.
Definition rule_nests (goes : (nat -> bool) -> nat -> Prop) (fine : (nat -> bool) -> Prop) :=
  (forall X v, goes X v -> v < NB /\ X v = true) /\
  forall X Y v u, fine Y -> (forall w, X w = true -> Y w = true) -> goes X v -> goes Y u -> v = u \/ X u = false.

Lemma cut_nested goes (fine : (nat -> bool) -> Prop) C X X' : rule_nests goes fine ->
  (forall X v, fine X -> fine (upd X v false)) -> cut_by NB C goes X X' ->
  forall Y Y', nested X Y -> fine Y -> cut_by NB (S C) goes Y Y' -> nested X' Y'.
Proof. intros [In Ne] Fu R. induction R as [X D | X v X' O G R IH]; intros Y Y' [L S1] W K.
  - destruct K as [Y _ | Y u Y' O G K]; [split; auto|lia].
  - destruct (In _ _ G) as (Hv & Xv). pose proof (cnt_upd NB X v false Hv) as UX. rewrite Xv in UX. simpl in UX.
    destruct K as [Y D | Y u Y' O' G' K].
    + apply (IH Y Y); auto; [split|now apply by_done]; [|lia]. intros w.
      destruct (upd_case X v false w) as [[-> E]|[_ E]]; rewrite E; auto.
    + destruct (In _ _ G') as (Hu & Yu). pose proof (cnt_upd NB Y u false Hu) as UY. rewrite Yu in UY.
      simpl in UY. apply (IH (upd Y u false) Y'); auto. split; [|lia]. pose proof (Ne X Y v u W L G G') as N.
      intros w Xw. destruct (upd_case Y u false w) as [[-> E]|[_ E]]; rewrite E.
      * destruct (upd_case X v false u) as [[-> F]|[n F]]; rewrite F in Xw; [discriminate|]. destruct N;
        congruence.
      * destruct (upd_case X v false w) as [[_ F]|[_ F]]; rewrite F in Xw; [discriminate|auto]. Qed.
Lemma kept_of goes C X X' : cut_by NB C goes X X' -> forall v, X' v = true -> X v = true.
Proof. induction 1 as [X D | X v X' O G R IH]; auto. intros w Hw. specialize (IH w Hw).
  destruct (upd_case X v false w) as [[_ E]|[_ E]]; rewrite E in IH; [discriminate|auto]. Qed.

(* What goes first by an order of which no two blocks go before each other. *)
Lemma first_nests (may : (nat -> bool) -> nat -> Prop) (sur : nat -> bool) (later : nat -> nat -> Prop)
  (fine : (nat -> bool) -> Prop) :
  (forall X v, may X v -> v < NB /\ X v = true) ->
  (forall X Y v, (forall w, X w = true -> Y w = true) -> may X v -> may Y v) ->
  (forall X Y v, X v = true -> may Y v -> may X v) ->
  (forall v w, later v w -> later w v -> False) ->
  rule_nests (fun X v => first_of (may X) (fun v => sur v = true) later v) fine.
Proof. intros In Up Dn As. split; [intros X v [(M & _)|(_ & M & _)]; now apply In|].
  intros X Y v u _ L [(M & S & Mn)|(Ns & M & Mn)] GY; destruct (X u) eqn:Xu; auto; left.
  - destruct GY as [(Mu & Su & Mnu)|(Nsu & _)]; [|exfalso; apply (Nsu v); [now apply (Up X)|auto]].
    destruct (Nat.eq_dec v u) as [|n]; auto. exfalso. apply (As v u); [apply Mnu; auto; now apply (Up X)|].
    apply Mn; auto. now apply (Dn X Y).
  - destruct GY as [(Mu & Su & _)|(_ & Mu & Mnu)]; [exfalso; apply (Ns u); auto; now apply (Dn X Y)|].
    destruct (Nat.eq_dec v u) as [|n]; auto. exfalso. apply (As v u); [apply Mnu; auto; now apply (Up X)|].
    apply Mn; auto. now apply (Dn X Y). Qed.
End Order.

Section Inclusion.
Variables NB C : nat.
Variable blk : nat -> nat -> nat.
Variable len : nat -> nat.
Notation full := (filled_with blk len).
(* Which blocks stay at cut t, which are surplus, and which of two goes later: as long as the capacity is in none
   of them. *)
Variables stays sur : nat -> nat -> bool.
Variable later : nat -> nat -> nat -> Prop.
Hypothesis apart : forall t v w, later t v w -> later t w v -> False.
Definition may t (X : nat -> bool) v := v < NB /\ X v = true /\ stays t v = false.
Definition rule t X v := first_of (may t X) (fun v => sur t v = true) (later t) v.

Lemma filled_nested t X Y : nested NB X Y -> nested NB (full t X) (full t Y).
Proof. intros [L S1]. split.
  - intros v. unfold filled_with. rewrite !orb_true_iff. intros [H|H]; auto.
  - assert (G : cnt NB (full t Y) + cnt NB X <= cnt NB (full t X) + cnt NB Y); [|lia]. unfold cnt.
    rewrite <- !sum_add. apply sum_le. intros v _. specialize (L v). unfold filled_with.
    destruct (X v), (Y v), (Model.reads blk len t v); simpl; try lia; now specialize (L eq_refl). Qed.

(* Rows forest.stack.tlru.last and forest.tail-optimized-belady.inclusion, of caches with holes: for any surplus
   and any order that do not depend on the capacity, such as by the last request's mark, or by the need of the next
   request and when it comes. A and B are the caches of C and of C + 1. *)
Theorem order_includes (A B : nat -> nat -> bool) : (forall v, A 0 v = B 0 v) ->
  (forall t, cut_by NB C (rule (S t)) (full (S t) (A t)) (A (S t))) ->
  (forall t, cut_by NB (S C) (rule (S t)) (full (S t) (B t)) (B (S t))) ->
  forall t v, A t v = true -> B t v = true.
Proof. intros E KA KB. enough (G : forall t, nested NB (A t) (B t)) by (intros t; apply (G t)). induction t.
  - split; [intros v; now rewrite E|]. rewrite (cnt_ext NB (B 0) (A 0)); [lia|]. intros; now rewrite E.
  - refine (cut_nested NB (rule (S t)) (fun _ => True) C _ _ _ _ (KA t) _ _ (filled_nested (S t) _ _ IHt) I (KB
    t)); auto. apply first_nests; [intros X v (H & F & _); auto | | |apply apart].
    + intros X Y v L (H & F & S1). repeat split; auto.
    + intros X Y v F (H & _ & S1). repeat split; auto. Qed.
End Inclusion.

Section Marks.
Variables NB C xi Q r : nat.
Variable blk : nat -> nat -> nat.
Variables len dep : nat -> nat.
Hypothesis blk_NB : forall t d, d < len t -> blk t d < NB.
Hypothesis dep_ok : forall t d, d < len t -> dep (blk t d) = S d.
Hypothesis tree : forall s t d k, d < len s -> d < len t -> blk s d = blk t d -> k <= d -> blk s k = blk t k.
Notation full := (filled_with blk len).
Notation past := (past NB blk len).
Notation goes_first := (goes_first NB xi Q r blk len dep).
Notation oldest := (oldest NB r blk len dep).

Lemma past_less t X Y : (forall v, X v = true -> Y v = true) -> past t Y -> past t X.
Proof. intros L P v Xv. apply P. auto. Qed.
Lemma by_marks strict t : rule_nests NB (goes_first strict t) (past t).
Proof. assert (H : rule_nests NB (goes_first false t) (past t)). { apply first_nests; [intros X v (H & F & _);
  auto | | |apply newer_not].
    - intros X Y v L (H & F & P & _). repeat split; auto. discriminate.
    - intros X Y v F (H & _ & P & _). repeat split; auto. discriminate. } destruct H as [In Ne]. destruct strict;
      [split|now split].
  - intros X v [((H & F & _) & _)|(_ & (H & F & _) & _)]; auto.
  - intros X Y v u P L GX GY. apply (strict_is_holes NB xi Q r blk len dep blk_NB dep_ok tree t) in GX;
    [|now apply (past_less t X Y)]. apply (strict_is_holes NB xi Q r blk len dep blk_NB dep_ok tree t) in GY;
    auto. now apply (Ne X Y v u). Qed.
Lemma by_age strict t : rule_nests NB (oldest strict t) (past t).
Proof. split; [intros X v [(H & F & _) _]; auto|]. intros X Y v u P L GX GY.
  apply (oldest_any NB xi Q r blk len dep blk_NB dep_ok tree) in GX; [|now apply (past_less t X Y)].
  apply (oldest_any NB xi Q r blk len dep blk_NB dep_ok tree) in GY; auto. destruct (X u) eqn:Xu; auto. left.
  destruct (Nat.eq_dec v u) as [|n]; auto. exfalso. destruct GX as [(Hv & Xv & Pv & _) MX], GY as [(Hu & _ & Pu &
  _) MY]. apply (newer_not blk len dep t v u); [apply MY | apply MX]; auto; repeat split; auto; discriminate.
  Qed.

(* The caches of C and of C + 1, from the same cache of what was read. *)
Variable strict : bool.
Variables A B : nat -> nat -> bool.
Variable t0 : nat.
Hypothesis same : forall v, A t0 v = B t0 v.
Hypothesis read_before : past t0 (A t0).

Lemma includes goes : (forall t, rule_nests NB (goes t) (past t)) ->
  (forall t, t >= t0 -> cut_by NB C (goes (S t)) (full (S t) (A t)) (A (S t))) ->
  (forall t, t >= t0 -> cut_by NB (S C) (goes (S t)) (full (S t) (B t)) (B (S t))) ->
  forall t, t >= t0 -> nested NB (A t) (B t) /\ past t (B t).
Proof. intros R KA KB. induction 1 as [|t Ht (N & P)].
  - split; [|intros v; rewrite <- same; apply read_before]. split; [intros v; now rewrite same|].
    rewrite (cnt_ext NB (B t0) (A t0)); [lia|]. intros; now rewrite same.
  - assert (Pf : past (S t) (full (S t) (B t))) by (now apply past_full). split;
    [|exact (past_less _ _ _ (kept_of _ _ _ _ _ (KB t Ht)) Pf)]. refine (cut_nested NB (goes (S t)) (past (S t))
    C _ _ (R _) _ (KA t Ht) _ _ (filled_nested NB blk len (S t) _ _ N) Pf (KB t Ht)). intros X v. apply past_upd.
    Qed.

(* Row forest.stack.lru, in strict caches and in caches with holes, optional or with r requests running. *)
Theorem forest_inclusion_of_lru :
  (forall t, t >= t0 -> lru_cut NB C r blk len dep strict (S t) (full (S t) (A t)) (A (S t))) ->
  (forall t, t >= t0 -> lru_cut NB (S C) r blk len dep strict (S t) (full (S t) (B t)) (B (S t))) ->
  forall t, t >= t0 -> forall v, A t v = true -> B t v = true.
Proof. intros KA KB t Ht. apply (includes _ (by_age strict) KA KB t Ht). Qed.

(* Row forest.stack.tlru.high-water, the same of T-LRU that takes the oldest surplus first. *)
Theorem forest_inclusion_of_tlru :
  (forall t, t >= t0 -> tlru_in_order_cut NB C xi Q r blk len dep strict (S t) (full (S t) (A t)) (A (S t))) ->
  (forall t, t >= t0 -> tlru_in_order_cut NB (S C) xi Q r blk len dep strict (S t) (full (S t) (B t)) (B (S t))) ->
  forall t, t >= t0 -> forall v, A t v = true -> B t v = true.
Proof. intros KA KB t Ht. apply (includes _ (by_marks strict) KA KB t Ht). Qed.
End Marks.
