(* LRU and T-LRU as programs, which always end and cut as Policies.v says: so the theorems are about what runs. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies TheoremThreeOne.
Import ListNotations.

Section Programs.
Variables N C xi : nat.
Variable forced : bool.

(* One token at a time: surplus first, that of the least recent first; then from the least recent. *)
Definition can_lose theta (b X : nat -> nat) i := (b i <? X i) && negb (exempt forced theta i).
Fixpoint cut_down (fuel theta : nat) (when b : nat -> nat) (X : cache) : cache :=
  if sum N X <=? C then X else
  match fuel with
  | 0 => X
  | S fuel =>
    match pick N (can_lose theta b X) when with
    | Some v => cut_down fuel theta when b (lose X v)
    | None => match pick N (can_lose theta (fun _ => 0) X) when with
              | Some v => cut_down fuel theta when b (lose X v)
              | None => X end
    end
  end.
Definition tlru_program (w : world) theta X := cut_down (sum N X) theta (came w) (budget xi w) X.
Definition lru_program (w : world) theta X := cut_down (sum N X) theta (came w) (past w) X.

Fixpoint replay (program : world -> nat -> cache -> cache) (w : world) (X : cache) (us : list turn) : list nat :=
  match us with
  | [] => []
  | u :: us => excess xi X u :: replay program (serve u w) (program (serve u w) (who u) (fill u X)) us
  end.

(* Under forced caching every past has to fit. *)
Definition fitting (us : list turn) :=
  Forall (fun u => forced = true -> history u + prompt u + response u <= C) us.

Lemma exempt_not theta v : exempt forced theta v = false <-> may_lose forced theta v.
Proof.
  unfold exempt, may_lose. destruct forced; simpl; rewrite ?Nat.eqb_neq; split; auto. discriminate.
Qed.
Lemma can_lose_ok theta b X i : can_lose theta b X i = true <-> b i < X i /\ may_lose forced theta i.
Proof. unfold can_lose. rewrite andb_true_iff, Nat.ltb_lt, negb_true_iff, exempt_not. reflexivity. Qed.

Lemma least_recent_ok w theta X v :
  pick N (can_lose theta (fun _ => 0) X) (came w) = Some v -> least_recent N forced w theta X v.
Proof.
  intros E. pose proof (pick_spec N (can_lose theta (fun _ => 0) X) (came w)) as H. rewrite E in H.
  destruct H as (V & Pv & M). apply can_lose_ok in Pv as [Xv Mv].
  repeat split; auto. intros j Hj Xj Mj. apply M; auto. apply can_lose_ok. split; [lia|auto].
Qed.
Lemma stuck theta X when : (forced = true -> X theta <= C) ->
  pick N (can_lose theta (fun _ => 0) X) when = None -> sum N X <= C.
Proof.
  intros F E. pose proof (pick_spec N (can_lose theta (fun _ => 0) X) when) as H. rewrite E in H.
  assert (G : forall j, j < N -> may_lose forced theta j -> X j = 0).
  { intros j Hj Mj. specialize (H j Hj). destruct (X j) eqn:Xj; auto. exfalso.
    apply not_true_iff_false in H. apply H. apply can_lose_ok. split; auto. lia. }
  destruct forced eqn:Fo.
  - apply Nat.le_trans with (X theta); auto. apply sum_one. intros j Hj Nj. apply G; auto. intros _. exact Nj.
  - rewrite (sum_ext N X (fun _ => 0)); [rewrite sum_zero; lia|]. intros i Hi. apply G; auto.
    intros Q. discriminate.
Qed.
Lemma less theta X v : v < N -> X v >= 1 -> (forced = true -> X theta <= C) ->
  sum N (lose X v) < sum N X /\ (forced = true -> lose X v theta <= C).
Proof.
  intros V Xv F. unfold lose. pose proof (sum_upd N X v (X v - 1) V). split; [lia|]. intros Fo. specialize (F Fo).
  destruct (upd_case X v (X v - 1) theta) as [[-> E]|[_ E]]; rewrite E; lia.
Qed.

(* The program trims enough: it evicts only where no surplus is left. *)
Lemma cut_down_ok w theta b (ready : cache -> Prop) : (forall X, no_surplus N forced theta b X -> ready X) ->
  forall fuel X, fuel >= sum N X -> (forced = true -> X theta <= C) ->
  cut N C forced b ready w theta X (cut_down fuel theta (came w) b X).
Proof.
  intros Rd. induction fuel; intros X Hf F; cbn [cut_down]; destruct (Nat.leb_spec (sum N X) C) as [L|L];
    try (now apply fits); [lia|].
  pose proof (pick_spec N (can_lose theta b X) (came w)) as H.
  destruct (pick N (can_lose theta b X) (came w)) as [v|].
  - destruct H as (V & Pv & M). apply can_lose_ok in Pv as [Xv Mv].
    destruct (less theta X v V ltac:(lia) F) as [D F'].
    apply trims with (v := v); auto. apply IHfuel; auto; lia.
  - destruct (pick N (can_lose theta (fun _ => 0) X) (came w)) as [v|] eqn:E.
    + pose proof (least_recent_ok _ _ _ _ E) as O. assert (O' := O). destruct O as (V & Xv & _).
      destruct (less theta X v V Xv F) as [D F'].
      apply evicts with (v := v); auto; [|apply IHfuel; auto; lia].
      apply Rd. intros j Hj Mj. specialize (H j Hj). destruct (le_lt_dec (X j) (b j)) as [|G]; auto.
      rewrite (proj2 (can_lose_ok theta b X j)) in H by auto. discriminate.
    + pose proof (stuck _ _ _ F E). lia.
Qed.

Lemma replay_ok (policy : world -> nat -> cache -> cache -> Prop) program :
  (forall w theta X, (forced = true -> X theta <= C) -> policy w theta X (program w theta X)) ->
  forall us w X, fitting us -> run xi policy w X us (replay program w X us).
Proof.
  intros H. induction us as [|u us IH]; intros w X F; simpl; [constructor|]. inversion F; subst.
  econstructor; [|apply IH; assumption]. apply H. intros Fo. unfold fill. rewrite upd_eq. auto.
Qed.
End Programs.

(* A lemma for the next, of no row (-). What the programs do are runs of the policies, so no theorem is empty:
   under forced caching as long as every past fits. *)
Theorem programs_run : forall N C xi forced w X us, fitting C forced us ->
  run xi (tlru N C forced xi) w X us (replay xi (tlru_program N C xi forced) w X us) /\
  run xi (tlru_partial N C forced xi) w X us (replay xi (tlru_program N C xi forced) w X us) /\
  run xi (lru N C forced) w X us (replay xi (lru_program N C forced) w X us).
Proof.
  intros. repeat split; apply (replay_ok C xi forced); auto; intros; apply cut_down_ok; auto; intros; exact I.
Qed.

(* Row theorem-31.per-request, for the programs. T-LRU as it runs has at most the excess of LRU as it runs at every
   turn, from any initial cache, optional and forced. *)
Theorem theorem_31_of_programs : forall N C xi forced w X us,
  start N w X -> trace N w us -> covered w us -> fitting C forced us ->
  Forall2 le (replay xi (tlru_program N C xi forced) w X us) (replay xi (lru_program N C forced) w X us).
Proof.
  intros N C xi forced w X us St Tr Co Fi. destruct (programs_run N C xi forced w X us Fi) as (_ & RT & RL).
  exact (theorem_31_per_request N C xi forced w X us _ _ St Tr Co RT RL).
Qed.
