(* The programs of Replays.v always end, and cut as Policies.v says: so the theorems are about what runs. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies TheoremThreeOne Replays.
Import ListNotations.

Section Refines.
Variables N C : nat.
Variable forced : bool.
Notation pass := (pass forced).

(* A pass changes nothing but what is held. *)
Lemma pass_in theta f over l m : In m (pass theta f over l) -> exists n, In n l /\ m = holding n (held m).
Proof. revert over. induction l as [|n l IH]; simpl; intros over H; [tauto|]. destruct (exempt forced theta (id
  n)); destruct H as [<-|H].
  - exists n. destruct n. auto.
  - destruct (IH _ H) as (x & A & B). exists x. auto.
  - exists n. auto.
  - destruct (IH _ H) as (x & A & B). exists x. auto. Qed.
Lemma pass_ids theta f over l : ids (pass theta f over l) = ids l.
Proof. revert over. induction l; simpl; intros; auto. destruct (exempt _ _ _); simpl; now rewrite IHl. Qed.
Lemma pass_ordered theta f over l : ordered l -> ordered (pass theta f over l).
Proof. revert over. induction l as [|n l IH]; simpl; auto. intros over [A B]. destruct (exempt forced theta (id
  n)); simpl; split; auto; intros m H; apply pass_in in H as (x & H & ->); simpl; auto. Qed.
Lemma pass_less theta f over l i : held_of (pass theta f over l) i <= held_of l i.
Proof. revert over. induction l as [|n l IH]; simpl; auto. intros over. destruct (exempt forced theta (id n));
  simpl; destruct (id n =? i); auto; lia. Qed.
(* If less has gone than should, everybody who may lose something is at its floor. *)
Lemma pass_floor theta f l : (forall n h, f (holding n h) = f n) -> forall over,
  together (pass theta f over l) <= together l /\
  (together l < over + together (pass theta f over l) ->
   forall m, In m (pass theta f over l) -> exempt forced theta (id m) = false -> held m <= f m).
Proof. intros F. induction l as [|n l IH]; simpl; intros over; [split; [lia | tauto]|]. destruct (exempt forced
  theta (id n)) eqn:E; simpl.
  - destruct (IH over) as [A B]. split; [lia|]. intros H m [<-|G] Em; [congruence|]. apply B; auto; lia.
  - remember (min (held n - f n) over) as k eqn:Ek. destruct (IH (over - k)) as [A B]. split; [lia|]. intros H m
    [<-|G] Em; [|apply B; auto; lia]. rewrite F. simpl. lia. Qed.

Section Steps.
Variable b : nat -> nat.
Variable ready : cache -> Prop.
Variable w : world.
Variable theta : nat.
Notation cut := (cut N C forced b ready w theta).
Definition leads_to X Y := forall Z, cut Y Z -> cut X Z.
Definition says (l : list node) (X : cache) := forall i, X i = held_of l i.

Lemma exempt_not v : exempt forced theta v = false <-> may_lose forced theta v.
Proof. unfold exempt, may_lose. destruct forced; simpl; rewrite ?Nat.eqb_neq; split; auto. discriminate. Qed.

Lemma trim_lump k : forall X v, v < N -> may_lose forced theta v -> k <= X v - b v ->
  exists Y, (forall i, Y i = if i =? v then X v - k else X i) /\ leads_to X Y.
Proof. induction k; intros X v V M H.
  - exists X. split; [|unfold leads_to; auto]. intros i. destruct (Nat.eqb_spec i v); subst; lia.
  - destruct (IHk (lose X v) v V M) as (Y & E & L); [unfold lose; rewrite upd_eq; lia|]. exists Y. split.
    + intros i. rewrite E. unfold lose. rewrite upd_eq. destruct (Nat.eqb_spec i v); [lia|]. now rewrite upd_neq.
    + intros Z HZ. apply trims with (v := v); auto. lia. Qed.
Lemma evict_lump k : forall X v, v < N -> may_lose forced theta v -> k <= X v -> k <= sum N X - C ->
  (k > 0 -> forall Y, (forall i, Y i <= X i) -> ready Y) ->
  (k > 0 -> forall j, j < N -> X j >= 1 -> may_lose forced theta j -> came w v <= came w j) ->
  exists Y, (forall i, Y i = if i =? v then X v - k else X i) /\ leads_to X Y.
Proof. induction k; intros X v V M H O Rd Mn.
  - exists X. split; [|unfold leads_to; auto]. intros i. destruct (Nat.eqb_spec i v); subst; lia.
  - pose proof (sum_upd N X v (X v - 1) V) as U. assert (Le : forall i, lose X v i <= X i). { intros i. unfold
    lose. destruct (upd_case X v (X v - 1) i) as [[-> E]|[_ E]]; rewrite E; lia. } destruct (IHk (lose X v) v V
    M) as (Y & E & L).
    + unfold lose. rewrite upd_eq. lia.
    + unfold lose in *. lia.
    + intros _ Y HY. apply Rd; [lia|]. intros i. specialize (HY i). specialize (Le i). lia.
    + intros _ j Hj Xj. specialize (Le j). apply Mn; auto; lia.
    + exists Y. split.
      * intros i. rewrite E. unfold lose. rewrite upd_eq. destruct (Nat.eqb_spec i v); [lia|]. now rewrite
        upd_neq.
      * intros Z HZ. apply evicts with (v := v); [lia | apply Rd; auto; lia | | auto]. repeat split; auto; try
        lia. apply Mn. lia. Qed.

Lemma shift {A} (pre : list A) n l : pre ++ n :: l = (pre ++ [n]) ++ l.
Proof. now rewrite <- app_assoc. Qed.
Lemma same_ids pre n h l : ids (pre ++ holding n h :: l) = ids (pre ++ n :: l).
Proof. now rewrite !map_app. Qed.

Lemma trim_pass l : forall pre over X, NoDup (ids (pre ++ l)) ->
  (forall n, In n l -> id n < N /\ keep n = b (id n)) -> says (pre ++ l) X ->
  exists Y, says (pre ++ pass theta keep over l) Y /\ leads_to X Y.
Proof. induction l as [|n l IH]; simpl; intros pre over X D H S; [exists X; unfold leads_to; auto|]. destruct (H
  n (or_introl eq_refl)) as [V B]. destruct (exempt forced theta (id n)) eqn:Ex.
  - rewrite shift in D, S. rewrite shift. apply IH; auto.
  - remember (min (held n - keep n) over) as k eqn:Ek. assert (Xn : X (id n) = held n) by (rewrite S; apply
    held_in; auto; apply in_or_app; simpl; auto). destruct (trim_lump k X (id n) V (proj1 (exempt_not _) Ex)) as
    (Y & E & L); [rewrite Xn, <- B; lia|]. rewrite shift. destruct (IH (pre ++ [holding n (held n - k)]) (over -
    k) Y) as (Z & SZ & LZ); auto.
    + rewrite <- shift, same_ids. auto.
    + intros i. rewrite <- shift, held_replace by auto. rewrite E, Xn, S. reflexivity.
    + exists Z. split; auto. intros Z' H'. apply L, LZ, H'. Qed.

Lemma evict_pass l : forall pre over X, NoDup (ids (pre ++ l)) ->
  (forall n, In n (pre ++ l) -> id n < N /\ key n = came w (id n)) -> ordered l -> says (pre ++ l) X ->
  over = sum N X - C ->
  (over > 0 -> forall n, In n pre -> exempt forced theta (id n) = false -> held n = 0) ->
  (over > 0 -> forall Y, (forall i, Y i <= X i) -> ready Y) ->
  exists Y, says (pre ++ pass theta emptied over l) Y /\ leads_to X Y.
Proof. induction l as [|n l IH]; simpl; intros pre over X D H O S Ov Pre Rd; [exists X; unfold leads_to; auto|].
  destruct O as [O1 O2]. assert (G : In n (pre ++ n :: l)) by (apply in_or_app; simpl; auto). destruct (H n G) as
  [V B]. destruct (exempt forced theta (id n)) eqn:Ex.
  - rewrite shift in D, S. rewrite shift. apply IH; auto; try (rewrite <- shift; auto). intros P m Gm Em. apply
    in_app_or in Gm as [Gm|[<-|[]]]; auto. congruence.
  - change (emptied n) with 0. remember (min (held n - 0) over) as k eqn:Ek. assert (Xn : X (id n) = held n) by
    (rewrite S; apply held_in; auto). destruct (evict_lump k X (id n) V (proj1 (exempt_not _) Ex)) as (Y & E &
    L); try lia.
    + intros. apply Rd; auto; lia.
    + intros K j Hj Xj Mj. rewrite S in Xj. destruct (held_some _ _ Xj) as (m & Gm & <- & Hm). apply exempt_not
      in Mj. destruct (H m Gm) as [_ Km]. rewrite <- B, <- Km. assert (Xm : held_of (pre ++ n :: l) (id m) = held
      m) by (apply held_in; auto). apply in_app_or in Gm as [Gm|[<-|Gm]]; auto. exfalso. pose proof (Pre
      ltac:(lia) m Gm Mj). lia.
    + assert (U : sum N Y + X (id n) = sum N X + (X (id n) - k)). { rewrite <- (sum_upd N X (id n) (X (id n) - k)
      V). f_equal. apply sum_ext. intros i _. apply E. } rewrite shift. destruct (IH (pre ++ [holding n (held n -
      k)]) (over - k) Y) as (Z & SZ & LZ); auto.
      * rewrite <- shift, same_ids. auto.
      * intros m Gm. rewrite <- shift in Gm. apply in_app_or in Gm as [Gm|[<-|Gm]]; simpl; auto; apply (H m),
        in_or_app; simpl; auto.
      * intros i. rewrite <- shift, held_replace by auto. rewrite E, Xn, S. reflexivity.
      * lia.
      * intros P m Gm Em. apply in_app_or in Gm as [Gm|[<-|[]]]; simpl in *; [apply Pre; auto; lia | lia].
      * intros P Z HZ. apply Rd; [lia|]. intros i. specialize (HZ i). rewrite E in HZ. destruct (Nat.eqb_spec i
        (id n)); subst; lia.
      * exists Z. split; auto. intros Z' H'. apply L, LZ, H'. Qed.

(* What the program leaves is a cut, where T-LRU evicts only without surplus and LRU (ready) always may. *)
Lemma cut_down_ok l X : NoDup (ids l) ->
  (forall n, In n l -> id n < N /\ key n = came w (id n) /\ keep n = b (id n)) -> ordered l -> says l X ->
  (forall Y, no_surplus N forced theta b Y -> ready Y) -> (forced = true -> X theta <= C) ->
  exists Y, says (cut_down C forced theta l) Y /\ cut X Y.
Proof. intros D H O S Rd F. unfold cut_down. set (l1 := trimmed C forced theta l). destruct (trim_pass l []
  (together l - C) X) as (X1 & S1 & L1); auto; [intros n G; destruct (H n G) as (? & ? & ?); auto|]. change (says
  l1 X1) in S1. assert (D1 : NoDup (ids l1)) by (unfold l1, trimmed; now rewrite pass_ids). assert (H1 : forall
  n, In n l1 -> id n < N /\ key n = came w (id n) /\ keep n = b (id n)). { intros n G. apply pass_in in G as (m &
  G & ->). simpl. now apply H. } assert (T1 : sum N X1 = together l1). { rewrite <- (together_sum N) by (auto;
  intros n G; now apply H1). apply sum_ext. intros i _. apply S1. } destruct (pass_floor theta keep l (fun _ _ =>
  eq_refl) (together l - C)) as [A1 B1]. fold (trimmed C forced theta l) in A1, B1. fold l1 in A1, B1. destruct
  (evict_pass l1 [] (together l1 - C) X1) as (X2 & S2 & L2); auto; try lia.
  - intros n G. destruct (H1 n G) as (? & ? & ?). auto.
  - unfold l1, trimmed. now apply pass_ordered.
  - simpl. tauto.
  - intros P Y HY. apply Rd. intros v V M. apply exempt_not in M. destruct (le_lt_dec (X1 v) 0) as [Z|Z];
    [specialize (HY v); lia|]. rewrite S1 in Z. destruct (held_some _ _ Z) as (m & Gm & <- & Hm). specialize (B1
    ltac:(lia) m Gm M). destruct (H1 m Gm) as (_ & _ & K). specialize (HY (id m)). rewrite S1 in HY. lia.
  - exists X2. split; [exact S2|]. apply L1, L2, fits. destruct (le_lt_dec (sum N X2) C) as [|G]; auto. exfalso.
    set (l2 := pass theta emptied (together l1 - C) l1) in *. change (says l2 X2) in S2. destruct (pass_floor
    theta emptied l1 (fun _ _ => eq_refl) (together l1 - C)) as [A2 B2]. fold l2 in A2, B2. assert (T2 : sum N X2
    = together l2). { rewrite <- (together_sum N).
      - apply sum_ext. intros i _. apply S2.
      - unfold l2. now rewrite pass_ids.
      - intros n Gn. apply pass_in in Gn as (m & Gm & ->). simpl. now apply H1. } assert (Z : forall j, exempt
        forced theta j = false -> X2 j = 0). { intros j E. destruct (le_lt_dec (X2 j) 0) as [|Z]; [lia|]. rewrite
        S2 in Z |- *. destruct (held_some _ _ Z) as (m & Gm & <- & Hm). specialize (B2 ltac:(lia) m Gm E). unfold
        emptied in B2. lia. } assert (Q : sum N X2 <= X2 theta). { apply sum_one. intros j _ n. apply Z. apply
        exempt_not. intros _. exact n. } destruct (bool_dec forced true) as [Fo|Fo].
    + specialize (F Fo). pose proof (pass_less theta emptied (together l1 - C) l1 theta) as P2. pose proof
      (pass_less theta keep (together l - C) l theta) as P1. fold (trimmed C forced theta l) in P1. fold l1 in
      P1. fold l2 in P2. specialize (S2 theta). specialize (S theta). lia.
    + rewrite (Z theta) in Q; [lia|]. unfold exempt. apply not_true_is_false in Fo. now rewrite Fo. Qed.
End Steps.

(* A policy of this form, where the future may be known: budgets, and who came when, are read off the world. *)
Section Simulation.
Variable xi : nat.
Variable b : world -> nat -> nat.
Variable as_if : world -> world.
Variable ready : world -> nat -> cache -> Prop.
Hypothesis ready_ok : forall w theta Y, no_surplus N forced theta (b w) Y -> ready w theta Y.
Definition policy (w : world) theta := cut N C forced (b w) (ready w theta) (as_if w) theta.

Record shows (w : world) (l : list node) (X : cache) : Prop := {
  s_once : NoDup (ids l);
  s_notes : forall n, In n l -> id n < N /\ key n = came (as_if w) (id n) /\ keep n = b w (id n);
  s_ordered : ordered l;
  s_says : says l X }.

(* The notes are what the world says after the turn; of the others the turn changes nothing. *)
Fixpoint noted (w : world) (us : list turn) (notes : list (nat * nat)) : Prop :=
  match us, notes with
  | [], [] => True
  | u :: us, (k, keeps) :: notes => let w' := serve u w in
    k = came (as_if w') (who u) /\ keeps = b w' (who u) /\
    (forall i, i <> who u -> came (as_if w') i = came (as_if w) i /\ b w' i = b w i) /\ noted w' us notes
  | _, _ => False
  end.

(* Under forced caching every past has to fit. *)
Definition fitting (us : list turn) :=
  Forall (fun u => forced = true -> history u + prompt u + response u <= C) us.

Lemma replay_ok : forall us notes w l X, shows w l X -> noted w us notes -> Forall (fun u => who u < N) us ->
  fitting us -> run xi policy w X us (replay C forced xi l us notes).
Proof. induction us as [|u us IH]; intros [|[k keeps] notes] w l X Sh No Wh Fi; simpl in No |- *; try tauto;
  [constructor|]. destruct No as (K & B & Ot & No). inversion Wh; subst. inversion Fi; subst. set (n := Node (who
  u) (came (as_if (serve u w)) (who u)) (b (serve u w) (who u)) (history u + prompt u + response u)). assert (New
  : ~ In (id n) (ids (without (who u) l))). { intros G. apply in_map_iff in G as (m & E & G). apply in_without in
  G as [_ G]. simpl in E. congruence. } destruct (cut_down_ok (b (serve u w)) (ready (serve u w) (who u)) (as_if
  (serve u w)) (who u) (insert n (without (who u) l)) (fill u X)) as (Y & SY & CY).
  - apply ids_insert; auto. apply ids_without, (s_once _ _ _ Sh).
  - intros m G. apply in_insert in G as [->|G]; [simpl; auto|]. apply in_without in G as [G E]. destruct (s_notes
    _ _ _ Sh m G) as (M1 & M2 & M3). destruct (Ot _ E) as [-> ->]. auto.
  - apply ordered_insert, ordered_without, (s_ordered _ _ _ Sh).
  - intros i. rewrite held_insert, held_without by auto. unfold fill, n, upd. simpl. destruct (i =? who u); auto.
    apply (s_says _ _ _ Sh).
  - apply ready_ok.
  - intros Fo. unfold fill. rewrite upd_eq. auto.
  - replace (excess xi (held_of l) u) with (excess xi X u) by (unfold excess, uncached, reused; now rewrite
    (s_says _ _ _ Sh)). apply run_turn with (X' := Y); [exact CY|]. apply IH; auto. constructor; auto.
    + unfold cut_down, trimmed. rewrite !pass_ids. apply ids_insert; auto. apply ids_without, (s_once _ _ _ Sh).
    + intros m G. apply pass_in in G as (m' & G & ->). apply pass_in in G as (m2 & G & ->). simpl. apply
      in_insert in G as [->|G]; [simpl; auto|]. apply in_without in G as [G E]. destruct (s_notes _ _ _ Sh m2 G)
      as (M1 & M2 & M3). destruct (Ot _ E) as [-> ->]. auto.
    + unfold cut_down, trimmed. apply pass_ordered, pass_ordered, ordered_insert, ordered_without, (s_ordered _ _
      _ Sh). Qed.
End Simulation.
End Refines.

(* An initial cache as a list. *)
Definition listed (n : nat) (w : world) (b : nat -> nat) (X : cache) : list node :=
  fold_right (fun i l => insert (Node i (came w i) (b i) (X i)) l) [] (seq 0 n).

Lemma listed_in m w b X : forall a n,
  In n (fold_right (fun i l => insert (Node i (came w i) (b i) (X i)) l) [] (seq a m)) ->
  a <= id n < a + m /\ key n = came w (id n) /\ keep n = b (id n).
Proof. induction m; simpl; intros a n H; [tauto|]. apply in_insert in H as [->|H]; [simpl; lia|]. destruct (IHm
  (S a) n H) as (? & ? & ?). repeat split; auto; lia. Qed.
Lemma listed_shows N b as_if w X : (forall i, N <= i -> X i = 0) ->
  shows N b as_if w (listed N (as_if w) (b w) X) X.
Proof. intros Z. unfold listed. set (put := fun i l => insert (Node i (came (as_if w) i) (b w i) (X i)) l).
  assert (G : forall m a, let l := fold_right put [] (seq a m) in NoDup (ids l) /\ ordered l /\ forall i, held_of
  l i = if (a <=? i) && (i <? a + m) then X i else 0). { induction m; intros a; simpl.
    - repeat split; auto; [constructor|]. intros i. destruct (Nat.leb_spec a i), (Nat.ltb_spec i (a + 0)); auto.
      lia.
    - destruct (IHm (S a)) as (D & O & E). assert (New : ~ In a (ids (fold_right put [] (seq (S a) m)))). {
      intros H. apply in_map_iff in H as (n & Q & H). apply listed_in in H. lia. } repeat split; [now apply
      ids_insert | now apply ordered_insert|]. intros i. unfold put at 1. rewrite held_insert by auto. simpl.
      rewrite E. destruct (Nat.eqb_spec i a), (Nat.leb_spec (S a) i), (Nat.ltb_spec i (S a + m)), (Nat.leb_spec a
      i), (Nat.ltb_spec i (a + S m)); simpl; subst; auto; lia. } destruct (G N 0) as (D & O & E). constructor;
      auto.
  - intros n H. apply listed_in in H. lia.
  - intros i. rewrite E. simpl. destruct (Nat.ltb_spec i N); auto. Qed.

Section ByRecency.
Definition same (w : world) := w.
Variables N C xi : nat.
Variable forced : bool.
Definition run_lru w X us := lru_program C forced xi (listed N w (past w) X) (now w) us.
Definition run_tlru w X us := tlru_program C forced xi (listed N w (budget xi w) X) (now w) us.
Lemma lru_noted : forall us w, noted past same w us (lru_notes (now w) us).
Proof. induction us as [|u us IH]; intros w; simpl; auto. rewrite !upd_eq. repeat split; try now apply upd_neq.
  exact (IH (serve u w)). Qed.
Lemma tlru_noted : forall us w, noted (budget xi) same w us (tlru_notes xi (now w) us).
Proof. induction us as [|u us IH]; intros w; simpl; auto. unfold budget at 1. simpl. rewrite !upd_eq. repeat
  split.
  - now apply upd_neq.
  - unfold budget. simpl. now rewrite !upd_neq.
  - exact (IH (serve u w)). Qed.
End ByRecency.

Lemma who_in N : forall us w, trace N w us -> Forall (fun u => who u < N) us.
Proof. induction us; intros w H; constructor; destruct H as (? & ? & ?); eauto. Qed.
Lemma none_outside N w X : start N w X -> forall i, N <= i -> X i = 0.
Proof. intros St i H. pose proof (of_the_past _ _ _ St i). rewrite (nobody_else _ _ _ St i H) in H0. lia. Qed.

(* A lemma for the next, of no row (-). What the programs do are runs of the policies, so no theorem is empty:
   under forced caching as long as every past fits. *)
Theorem programs_run : forall N C xi forced w X us, start N w X -> trace N w us -> fitting C forced us ->
  run xi (tlru N C forced xi) w X us (run_tlru N C xi forced w X us) /\
  run xi (tlru_partial N C forced xi) w X us (run_tlru N C xi forced w X us) /\
  run xi (lru N C forced) w X us (run_lru N C xi forced w X us).
Proof. intros N C xi forced w X us St Tr Fi. pose proof (who_in _ _ _ Tr) as Wh. pose proof (none_outside _ _ _
  St) as Z. repeat split.
  - apply (replay_ok N C forced xi (budget xi) same (fun w theta => no_surplus N forced theta (budget xi w)));
    auto.
    + exact (listed_shows N (budget xi) same w X Z).
    + apply tlru_noted.
  - apply (replay_ok N C forced xi (budget xi) same (fun _ _ => at_once)); auto; [intros; exact I | |].
    + exact (listed_shows N (budget xi) same w X Z).
    + apply tlru_noted.
  - apply (replay_ok N C forced xi past same (fun _ _ => at_once)); auto; [intros; exact I | |].
    + exact (listed_shows N past same w X Z).
    + apply lru_noted. Qed.

(* Row theorem-31.per-request, for the programs. T-LRU as it runs has at most the excess of LRU as it runs at every
   turn, from any initial cache, optional and forced. *)
Theorem theorem_31_of_programs : forall N C xi forced w X us,
  start N w X -> trace N w us -> covered w us -> fitting C forced us ->
  Forall2 le (run_tlru N C xi forced w X us) (run_lru N C xi forced w X us).
Proof. intros N C xi forced w X us St Tr Co Fi. destruct (programs_run N C xi forced w X us St Tr Fi) as (_ & RT
  & RL). exact (theorem_31_per_request N C xi forced w X us _ _ St Tr Co RT RL). Qed.
