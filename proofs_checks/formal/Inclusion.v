(* A larger cache includes a smaller one: LRU, and T-LRU with least-recent trimming. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts.
Import ListNotations.

Section Inclusion.
Variable N : nat.
Variable forced : bool.
Notation goes_first := (goes_first N forced).
Notation in_order := (in_order N).

(* Y holds what X holds, and at most one token more. *)
Definition nested (X Y : cache) := (forall i, X i <= Y i) /\ sum N Y <= sum N X + 1.

Lemma goes w theta budget X v : goes_first w theta budget X v -> v < N /\ X v >= 1.
Proof. intros [(Hv & F & _)|(_ & Hv & Xv & _)]; split; auto; lia. Qed.

(* What goes first from the larger cache goes first from the smaller one, or is the token more. *)
Lemma same_or_more w theta budget X Y v u : clock N w theta -> within (past w) Y -> (forall i, X i <= Y i) ->
  goes_first w theta budget X v -> goes_first w theta budget Y u -> v = u \/ X u < Y u.
Proof. intros K W L GX GY. destruct (goes _ _ _ _ _ GX) as (Hv & Xv). assert (Same : came w v = came w u -> v =
  u). { intros E. apply (c_apart _ _ _ K); auto. apply (c_came _ _ _ K). specialize (W v). specialize (L v). lia.
  } destruct GY as [(Hu & Yu & Mu & Mn)|(Ns & Hu & Yu & Mu & Mn)].
  - destruct (le_lt_dec (X u) (budget u)) as [G|G]; [right; lia|]. left. destruct GX as [(_ & Fv & Mv & Mn')|(Ns
    & _)]; [|specialize (Ns u Hu Mu); lia]. specialize (L v). apply Same. apply Nat.le_antisymm; [apply Mn' |
    apply Mn]; auto; lia.
  - destruct (X u) eqn:Xu; [right; lia|]. left. specialize (L v). destruct GX as [(_ & Fv & Mv & _)|(_ & _ & _ &
    Mv & Mn')]; [specialize (Ns v Hv Mv); lia|]. apply Same. apply Nat.le_antisymm; [apply Mn' | apply Mn]; auto;
    lia. Qed.

Lemma cut_nested w theta budget C X X' : clock N w theta -> in_order C forced budget w theta X X' ->
  forall Y Y', nested X Y -> within (past w) Y -> in_order (S C) forced budget w theta Y Y' -> nested X' Y'.
Proof. intros K R. induction R as [X D | X v X' O G R IH]; intros Y Y' [L S1] W Q.
  - destruct Q as [Y _ | Y u Y' O G Q]; [split; auto|lia].
  - destruct (goes _ _ _ _ _ G) as (Hv & Xv). pose proof (sum_upd N X v (X v - 1) Hv) as UX. destruct Q as [Y D |
    Y u Y' O' G' Q].
    + apply (IH Y Y); auto using in_order_fits. split; [|unfold lose; lia]. intros i. specialize (L i). at_place
      v i; lia.
    + destruct (goes _ _ _ _ _ G') as (Hu & Yu). pose proof (sum_upd N Y u (Y u - 1) Hu) as UY. apply (IH (lose Y
      u) Y'); auto; [|intros i; specialize (W i); at_place u i; lia]. split; [|unfold lose; lia]. pose proof
      (same_or_more _ _ _ _ _ _ _ K W L G G') as SM. intros i. specialize (L i). unfold lose. destruct (upd_case
      X v (X v - 1) i) as [[Ev EX]|[nv EX]], (upd_case Y u (Y u - 1) i) as [[Eu EY]|[nu EY]]; rewrite EX, EY;
      subst; lia. Qed.

Lemma kept_within w theta budget C X X' M : in_order C forced budget w theta X X' -> within M X -> within M X'.
Proof. induction 1 as [|X v X' O G R IH]; auto. intros W. apply IH. intros i. specialize (W i). at_place v i;
  lia. Qed.

(* Any budgets that depend on what is known of the conversations alone. *)
Lemma larger_reuses_no_less C budget : forall us w X Y exX exY, stands N w -> within (past w) Y -> nested X Y ->
  Forall (fun u => who u < N) us ->
  run 0 (fun w => in_order C forced (budget w) w) w X us exX ->
  run 0 (fun w => in_order (S C) forced (budget w) w) w Y us exY -> Forall2 le exY exX.
Proof. induction us as [|u us IH]; intros w X Y exX exY St W [L S1] Nu RX RY.
  - inversion RX; inversion RY; constructor.
  - inversion Nu as [|? ? Hu Nu']; subst. inversion RY as [|? ? ? ? Y' ysY CY RY']; subst. inversion RX as [|? ?
    ? ? X' xsX CX RX']; subst. destruct (serve_stands N w u St Hu) as (St' & K). assert (W' : within (past (serve
    u w)) (fill u Y)) by (exact (fill_le u Y (past w) W)). constructor; [unfold excess, uncached, reused;
    specialize (L (who u)); lia|]. assert (Ne : nested (fill u X) (fill u Y)). { split; [exact (fill_le u X Y
    L)|]. unfold fill. set (n := history u + prompt u + response u). pose proof (sum_upd N X (who u) n Hu). pose
    proof (sum_upd N Y (who u) n Hu). specialize (L (who u)). lia. } apply (IH (serve u w) X' Y'); auto.
    + exact (kept_within _ _ _ _ _ _ _ CY W').
    + exact (cut_nested _ _ _ _ _ _ K CX _ _ Ne W' CY). Qed.

(* LRU is the order without surplus. *)
Lemma lru_in_order C w theta X X' : within (past w) X -> lru N C forced w theta X X' ->
  in_order C forced (past w) w theta X X'.
Proof. intros W R. unfold lru in R. induction R as [X D | X v X' Hv F Mv R IH | X v X' O _ Lv R IH].
  - now apply in_order_fits.
  - specialize (W v). lia.
  - apply in_order_goes with (v := v); auto; [right; split; auto; intros j _ _; apply W|]. apply IH. intros i.
    specialize (W i). at_place v i; lia. Qed.
Lemma lru_runs C : forall us w X xs, within (past w) X -> run 0 (lru N C forced) w X us xs ->
  run 0 (fun w => in_order C forced (past w) w) w X us xs.
Proof. induction us as [|u us IH]; intros w X xs W R; inversion R as [|? ? ? ? X' ys K R']; subst;
  [constructor|]. assert (W' : within (past (serve u w)) (fill u X)) by (exact (fill_le u X (past w) W)). pose
  proof (lru_in_order _ _ _ _ _ W' K) as I. econstructor; [exact I|]. apply IH; auto. exact (kept_within _ _ _ _
  _ _ _ I W'). Qed.
(* A run in this order is one of T-LRU. *)
Lemma in_order_is_tlru C xi w theta X X' : tlru_in_order N C forced xi w theta X X' ->
  tlru N C forced xi w theta X X'.
Proof. intros R. unfold tlru. induction R as [X D | X v X' O [(Hv & F & Mv & _)|(Ns & Lv)] R IH].
  - now apply fits.
  - now apply trims with (v := v).
  - now apply evicts with (v := v). Qed.
Lemma trace_numbers : forall us w, trace N w us -> Forall (fun u => who u < N) us.
Proof. induction us; intros w Tr; constructor; simpl in Tr; [tauto|]. eapply IHus. apply Tr. Qed.
Lemma nested_itself X : nested X X.
Proof. split; [auto|lia]. Qed.
End Inclusion.

(* Row stack.lru, inclusion. Under LRU with one token more of capacity every turn has at most as many uncached
   tokens (run 0 gives these): from any initial cache, optional and forced, histories may be shorter than the
   past. *)
Theorem inclusion_of_lru : forall N C forced w X us of_smaller of_larger,
  start N w X -> trace N w us ->
  run 0 (lru N C forced) w X us of_smaller ->
  run 0 (lru N (S C) forced) w X us of_larger ->
  Forall2 le of_larger of_smaller.
Proof. intros N C forced w X us xs ys St Tr RX RY. destruct (start_stands _ _ _ St) as (S & W). apply
  (larger_reuses_no_less N forced C (fun w => past w) us w X X); auto using lru_runs, nested_itself. exact
  (trace_numbers N us w Tr). Qed.

(* Row stack.tlru, inclusion. The same of T-LRU with least-recent trimming, for any estimates. *)
Theorem inclusion_of_tlru : forall N C xi forced w X us of_smaller of_larger,
  start N w X -> trace N w us ->
  run 0 (tlru_in_order N C forced xi) w X us of_smaller ->
  run 0 (tlru_in_order N (S C) forced xi) w X us of_larger ->
  Forall2 le of_larger of_smaller.
Proof. intros N C xi forced w X us xs ys St Tr RX RY. destruct (start_stands _ _ _ St) as (S & W). apply
  (larger_reuses_no_less N forced C (budget xi) us w X X); auto using nested_itself. exact (trace_numbers N us w
  Tr). Qed.
