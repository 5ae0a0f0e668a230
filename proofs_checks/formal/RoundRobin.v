(* Inclusion for T-LRU with round-robin trimming, where the order of trimming depends on the capacity. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts Inclusion.
Import ListNotations.

Section Rounds.
Variables N C : nat.
Variable forced : bool.
Notation nested := (nested N).

Lemma visit_nested theta budget order : Forall (fun v => v < N) order -> forall X Y, nested X Y ->
  nested (visit N C forced theta budget order X) (visit N (S C) forced theta budget order Y).
Proof. induction 1 as [|v order Hv _ IH]; intros X Y Ne; simpl; auto. apply IH. destruct Ne as [L S1]. pose proof
  (L v) as Lv. pose proof (sum_upd N X v (X v - 1) Hv) as UX. pose proof (sum_upd N Y v (Y v - 1) Hv) as UY.
  assert (D : forall i, lose X v i <= lose Y v i) by (intros i; specialize (L i); unfold lose, upd; destruct (i
  =? v); lia). destruct (Nat.ltb_spec C (sum N X)), (Nat.ltb_spec (budget v) (X v)), (Nat.ltb_spec (S C) (sum N
  Y)), (Nat.ltb_spec (budget v) (Y v)), (exempt forced theta v); cbn [andb negb]; try lia; (split; [intros i;
  specialize (L i); specialize (D i); unfold lose, upd in *; destruct (Nat.eqb_spec i v); subst; lia | unfold
  lose; lia]). Qed.
Lemma visit_none c theta budget order X : sum N X <= c \/ no_surplus N forced theta budget X ->
  Forall (fun v => v < N) order -> visit N c forced theta budget order X = X.
Proof. intros H. induction 1 as [|v order Hv _ IH]; simpl; auto. replace ((c <? sum N X) && (budget v <? X v) &&
  negb (exempt forced theta v)) with false; auto. symmetry. destruct H as [H|H]; [replace (c <? sum N X) with
  false; auto; symmetry; now apply Nat.ltb_ge|]. destruct (exempt forced theta v) eqn:E; [apply andb_false_r|].
  rewrite andb_true_r. apply andb_false_iff. right. apply Nat.ltb_ge. apply H; auto. intros Fo ->. unfold exempt
  in E. rewrite Fo, Nat.eqb_refl in E. discriminate. Qed.
Lemma visit_within theta budget order c M : forall X, within M X ->
  within M (visit N c forced theta budget order X).
Proof. induction order as [|v order IH]; intros X W; simpl; auto. apply IH. destruct (_ && _); auto. intros i.
  specialize (W i). at_place v i; lia. Qed.

Lemma rounds_nested w theta budget order X X' : clock N w theta -> Forall (fun v => v < N) order ->
  in_rounds N C forced order budget w theta X X' -> forall Y Y', nested X Y -> within (past w) Y ->
  in_rounds N (S C) forced order budget w theta Y Y' -> nested X' Y'.
Proof. intros K Or R. induction R as [X D | X X' O Sp R IH | X v X' O Ns Lv R IH]; intros Y Y' Ne W Q.
  - destruct Ne as [L S1]. destruct Q; [split; auto|lia|lia].
  - pose proof (visit_nested theta budget order Or X Y Ne) as Ne'. destruct Q as [Y D | Y Y' O' Sp' Q | Y u Y' O'
    Ns' Lu Q].
    + rewrite (visit_none (S C) theta budget order Y) in Ne' by auto. apply (IH Y Y); auto. now apply rounds_fit.
    + apply (IH _ Y' Ne'); auto. now apply visit_within.
    + exfalso. apply Sp. intros j Hj Mj. destruct Ne as [L _]. specialize (L j). specialize (Ns' j Hj Mj). lia.
  - assert (Hv : v < N /\ X v >= 1) by (destruct Lv as (A & B & _); auto). destruct Hv as [Hv Xv]. pose proof
    (sum_upd N X v (X v - 1) Hv) as UX. induction Q as [Y D | Y Y' O' Sp' Q IHQ | Y u Y' O' Ns' Lu Q IHQ].
    + apply (IH Y Y); auto; [|now apply rounds_fit]. destruct Ne as [L S1]. split; [|unfold lose; lia]. intros i.
      specialize (L i). at_place v i; lia.
    + apply IHQ; [|now apply visit_within]. pose proof (visit_nested theta budget order Or X Y Ne) as Ne'. now
      rewrite (visit_none C theta budget order X) in Ne' by auto.
    + destruct Ne as [L S1]. assert (Hu : u < N) by (destruct Lu as (A & _); auto). assert (Yu : Y u >= 1) by
      (destruct Lu as (_ & A & _); auto). pose proof (sum_upd N Y u (Y u - 1) Hu) as UY. assert (SM : v = u \/ X
      u < Y u). { apply (same_or_more N forced w theta budget X Y v u K W L); right; auto. } apply (IH (lose Y u)
      Y'); auto; [|intros i; specialize (W i); at_place u i; lia]. split; [|unfold lose; lia]. intros i.
      specialize (L i). unfold lose. destruct (upd_case X v (X v - 1) i) as [[Ev EX]|[nv EX]], (upd_case Y u (Y u
      - 1) i) as [[Eu EY]|[nu EY]]; rewrite EX, EY; subst; lia. Qed.
Lemma rounds_within w theta budget order c X X' M : in_rounds N c forced order budget w theta X X' -> within M X ->
  within M X'.
Proof. induction 1 as [X D | X X' O Sp R IH | X v X' O Ns Lv R IH]; auto; intros W; apply IH; [now apply
  visit_within|]. intros i. specialize (W i). at_place v i; lia. Qed.
End Rounds.

(* Row stack.tlru-round-robin. Under T-LRU with round-robin trimming, in any order of the conversations that does
   not depend on the capacity, every turn has with one token more of capacity at most as many uncached tokens. *)
Theorem inclusion_in_rounds : forall N C xi forced order w X us of_smaller of_larger,
  (forall w, Forall (fun v => v < N) (order w)) -> start N w X -> trace N w us ->
  run 0 (tlru_in_rounds N C forced order xi) w X us of_smaller ->
  run 0 (tlru_in_rounds N (S C) forced order xi) w X us of_larger ->
  Forall2 le of_larger of_smaller.
Proof. intros N C xi forced order w X us xs ys Or St Tr RX RY. destruct (start_stands _ _ _ St) as (S1 & W1).
  apply (side_by_side 0 (tlru_in_rounds N (S C) forced order xi) (tlru_in_rounds N C forced order xi) (fun w us Y
  X => stands N w /\ within (past w) Y /\ nested N X Y /\ trace N w us)) with (us := us) (w := w) (X := X) (Y :=
  X); auto using nested_itself. clear -Or. intros w u us Y X (St & W & [L S1] & (Nu & Hu & Tr)). split; [unfold
  excess, uncached, reused; specialize (L (who u)); lia|]. intros Y' X' CY CX. destruct (serve_stands N w u St
  Nu) as (St' & K). assert (W' : within (past (serve u w)) (fill u Y)) by (exact (fill_le u Y (past w) W)).
  assert (Ne : nested N (fill u X) (fill u Y)). { split; [exact (fill_le u X Y L)|]. unfold fill. set (n :=
  history u + prompt u + response u). pose proof (sum_upd N X (who u) n Nu). pose proof (sum_upd N Y (who u) n
  Nu). specialize (L (who u)). lia. } split; [exact St'|]. split; [exact (rounds_within _ _ _ _ _ _ _ _ _ _ CY
  W')|]. split; [|exact Tr]. exact (rounds_nested N C forced _ _ _ _ _ _ K (Or _) CX _ _ Ne W' CY). Qed.
