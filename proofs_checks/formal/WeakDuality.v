(* Weak duality of the certificates of the optimum: no plan keeps more than a set P of steps allows. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers.
Import ListNotations.

(* Items have amounts: private conversations (one item a turn), blocks of a forest (0 or 1, with holes or strict),
   or modules. Forced caching and running requests come in by `touch` and `room`. *)
Section Duality.
Variables NB T : nat.
Variable touch : nat -> nat -> bool.          (* step, item: its amount may rise at the step *)
Variable asks : nat -> list (nat * nat).      (* step: (item, at most so much of it is of use) *)
Variable room : nat -> nat.
Hypothesis asks_ok : forall t b n, In (b, n) (asks t) -> touch t b = true /\ b < NB.
Hypothesis asks_once : forall t, NoDup (map fst (asks t)).

Definition seen s t b := existsb (fun k => touch k b) (seq s (t - s)).
Definition covers s t b := (s <=? t) && negb (seen s t b).

(* a plan: what is cached at the start of each step *)
Variable X : nat -> nat -> nat.
Hypothesis mono : forall t b, touch t b = false -> X (S t) b <= X t b.
Hypothesis fits : forall t, t < T -> sum NB (X t) <= room t.

Lemma seen_S s t b : seen s (S t) b = seen s t b || ((s <=? t) && touch t b).
Proof. unfold seen. destruct (Nat.leb_spec s t).
  - replace (S t - s) with ((t - s) + 1) by lia. rewrite seq_app, existsb_app. simpl.
    replace (s + (t - s)) with t by lia. now rewrite orb_false_r.
  - replace (S t - s) with 0 by lia. replace (t - s) with 0 by lia. reflexivity. Qed.

Lemma falls s t b : covers s t b = true -> X t b <= X s b.
Proof. unfold covers. intros H. apply andb_prop in H as [H1 H2]. apply Nat.leb_le in H1.
  induction H1 as [|t H1 IH]; auto. rewrite seen_S in H2. destruct (seen s t b); [discriminate|]. simpl in H2.
  assert (E : (s <=? t) = true) by (apply Nat.leb_le; lia). rewrite E in H2. simpl in H2.
  destruct (touch t b) eqn:Tb; [discriminate|]. specialize (mono t b Tb). specialize (IH eq_refl). lia. Qed.

Lemma add_list (Y : nat -> nat) (A : nat -> bool) (l : list (nat * nat)) :
  NoDup (map fst l) -> (forall b n, In (b, n) l -> b < NB) ->
  lsum l (fun p => if A (fst p) then 0 else Y (fst p)) + sum NB (fun b => if A b then Y b else 0)
  <= sum NB (fun b => if A b || existsb (Nat.eqb b) (map fst l) then Y b else 0).
Proof. induction l as [|[b n] l IH]; simpl; intros ND In_.
  - apply sum_le. intros b _. rewrite orb_false_r. lia.
  - inversion ND as [|? ? Nb ND']; subst. specialize (IH ND' ltac:(intros; eapply In_; right; eauto)).
    set (f := fun b => if A b || existsb (Nat.eqb b) (map fst l) then Y b else 0) in *.
    set (g := fun b0 => if A b0 || ((b0 =? b) || existsb (Nat.eqb b0) (map fst l)) then Y b0 else 0).
    assert (B : b < NB) by (eapply In_; left; reflexivity). assert (Nb' : existsb (Nat.eqb b) (map fst l) =
    false). { apply not_true_is_false. intros H. apply existsb_exists in H as (x & Hx & E).
    apply Nat.eqb_eq in E. now subst. } pose proof (sum_upd NB f b (Y b) B) as U.
    assert (G : sum NB (if A b then f else upd f b (Y b)) <= sum NB g). { apply sum_le. intros j _.
    destruct (A b) eqn:Ab.
      - unfold f, g. destruct (A j), (j =? b), (existsb (Nat.eqb j) (map fst l)); simpl; lia.
      - unfold upd, f, g. destruct (Nat.eqb_spec j b) as [->|]; [rewrite Ab; simpl; lia|].
        destruct (A j), (existsb (Nat.eqb j) (map fst l)); simpl; lia. }
        assert (F : A b = false -> f b = 0) by (intros Ab; unfold f; now rewrite Ab, Nb'). destruct (A b);
        [lia|]. specialize (F eq_refl). lia. Qed.

(* at one step: the intervals that cover it are of different items *)
Lemma one_step s : s < T ->
  sum T (fun t => lsum (asks t) (fun p => if covers s t (fst p) then X s (fst p) else 0)) <= room s.
Proof. intros Hs. enough (G : forall m, sum m (fun t => lsum (asks t) (fun p => if covers s t (fst p) then X s
  (fst p) else 0)) <= sum NB (fun b => if seen s m b then X s b else 0)). { specialize (G T).
  pose proof (fits s Hs). assert (sum NB (fun b => if seen s T b then X s b else 0) <= sum NB (X s)) by (apply
  sum_le; intros b _; destruct (seen s T b); lia). lia. } induction m; simpl; [lia|].
  destruct (Nat.leb_spec s m) as [L|L].
  - pose proof (add_list (X s) (seen s m) (asks m) (asks_once m) ltac:(intros b n H;
    apply (asks_ok m b n H))) as G. assert (E : lsum (asks m) (fun p => if covers s m (fst p) then X s (fst p)
    else 0) <= lsum (asks m) (fun p => if seen s m (fst p) then 0 else X s (fst p))). { apply lsum_le.
    intros p _. unfold covers. destruct (s <=? m), (seen s m (fst p)); simpl; lia. }
    assert (H : sum NB (fun b => if seen s m b || existsb (Nat.eqb b) (map fst (asks m)) then X s b else 0) <=
    sum NB (fun b => if seen s (S m) b then X s b else 0)). { apply sum_le. intros b _. rewrite seen_S.
    assert (Q : (s <=? m) = true) by now apply Nat.leb_le. rewrite Q. simpl.
    destruct (existsb (Nat.eqb b) (map fst (asks m))) eqn:Ex.
      - apply existsb_exists in Ex as (x & Hx & E'). apply Nat.eqb_eq in E'. subst x.
        apply in_map_iff in Hx as ([b' n] & E' & Hin). simpl in E'. subst b'.
        destruct (asks_ok _ _ _ Hin) as [Tb _]. rewrite Tb, !orb_true_r. lia.
      - rewrite orb_false_r. destruct (seen s m b), (touch m b); simpl; lia. } lia.
  - assert (E : lsum (asks m) (fun p => if covers s m (fst p) then X s (fst p) else 0) <= 0).
    { assert (Q : (s <=? m) = false) by now apply Nat.leb_gt. apply Nat.le_trans with (lsum (asks m) (fun _ =>
    0)).
      - apply lsum_le. intros p _. unfold covers. rewrite Q. simpl. lia.
      - clear. induction (asks m); simpl; lia. } assert (H : sum NB (fun b => if seen s m b then X s b else 0) <=
        sum NB (fun b => if seen s (S m) b then X s b else 0)). { apply sum_le. intros b _. rewrite seen_S.
        destruct (seen s m b); simpl; lia. } lia. Qed.

Variable P : nat -> bool.
Definition hit t b := existsb (fun s => P s && covers s t b) (seq 0 (S t)).
Definition kept := sum T (fun t => lsum (asks t) (fun p => min (snd p) (X t (fst p)))).
Definition bound := sum T (fun s => if P s then room s else 0)
                  + sum T (fun t => lsum (asks t) (fun p => if hit t (fst p) then 0 else snd p)).

Lemma pick_one t s b : s < T -> P s && covers s t b = true -> X t b <=
  sum T (fun s => if P s && covers s t b then X s b else 0).
Proof. intros Hs H. assert (Q : X t b <= X s b) by (apply andb_prop in H as [_ H]; now apply falls).
  enough (X s b <= sum T (fun s => if P s && covers s t b then X s b else 0)) by lia. clear Q. revert Hs.
  generalize T as m. induction m; simpl; intros; [lia|]. destruct (Nat.eq_dec s m) as [->|]; [rewrite H; lia|].
  specialize (IHm ltac:(lia)). lia. Qed.

(* Rows theorem-b1.certificate, forest.optimum.certificate, one direction. For every set P of steps every plan
   keeps at most the room over P and the needs whose reuse intervals cover no step of P. *)
Theorem weak_duality : kept <= bound.
Proof. unfold kept, bound. assert (S1 : sum T (fun t => lsum (asks t) (fun p => min (snd p) (X t (fst p)))) <=
  sum T (fun t => lsum (asks t) (fun p => (if hit t (fst p) then 0 else snd p) + sum T (fun s => if P s && covers
  s t (fst p) then X s (fst p) else 0)))). { apply sum_le. intros t Ht. apply lsum_le. intros [b n] _. simpl.
  destruct (hit t b) eqn:Hh; [|lia]. unfold hit in Hh. apply existsb_exists in Hh as (s & Hs & E).
  apply in_seq in Hs. pose proof (pick_one t s b ltac:(lia) E). lia. }
  assert (S2 : sum T (fun t => lsum (asks t) (fun p => sum T (fun s => if P s && covers s t (fst p) then X s (fst
  p) else 0))) <= sum T (fun s => if P s then room s else 0)). { rewrite (sum_ext T _ (fun t => sum T (fun s =>
  lsum (asks t) (fun p => if P s && covers s t (fst p) then X s (fst p) else 0)))) by (intros; apply lsum_swap).
  rewrite sum_swap. apply sum_le. intros s Hs. destruct (P s) eqn:Ps.
    - apply (one_step s Hs).
    - simpl. rewrite (sum_ext T _ (fun _ => 0)); [rewrite sum_zero; lia|]. intros t _. induction (asks t); simpl;
      auto. } rewrite (sum_ext T (fun t => lsum (asks t) (fun p => (if hit t (fst p) then 0 else snd p) + _))
      (fun t => lsum (asks t) (fun p => if hit t (fst p) then 0 else snd p) + lsum (asks t) (fun p => sum T (fun
      s => if P s && covers s t (fst p) then X s (fst p) else 0)))) in S1 by (intros; apply lsum_add).
      rewrite sum_add in S1. lia. Qed.
End Duality.
