(* Tiers as differences of caches where T-LRU trims in rounds: the first k tiers find what one cache of their
   summed capacities finds. A cut in rounds goes by no order of tokens, so TiersDifferences.v does not say it. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts RoundRobin Tiers TiersBudgets TiersDifferences TiersRun.
Import ListNotations.

(* T-LRU with flat budgets in exclusive tiers, one after the other. Each cuts what it has, and what the tier before
   it has just lost, as one cache does: in rounds, then the least recent. Of a conversation's budget it is to hold
   what the tiers before it do not hold. *)
Definition tiers_in_rounds N forced (C : nat -> nat) K (order : world -> list nat) xi w u (us : list turn) Z Z' :=
  cut_all K (fun i before => in_rounds N (C i) forced (order w) (fun v => budget xi w v - before v) w (who u))
    (arrive u Z) Z'.
(* The same policy in one cache, as in RoundRobin.v. *)
Definition cache_in_rounds N forced size order xi w u (us : list turn) X X' :=
  tlru_in_rounds N size forced order xi w (who u) (fill u X) X'.

Lemma sum_same n f g : (forall i, i < n -> f i <= g i) -> sum n g <= sum n f -> forall i, i < n -> f i = g i.
Proof. intros L E i Hi. specialize (L i Hi) as Li. destruct (Nat.eq_dec (f i) (g i)) as [|D]; auto. exfalso. pose
  proof (sum_upd n f i (g i) Hi) as U. assert (sum n (upd f i (g i)) <= sum n g); [|lia]. apply sum_le. intros j
  Hj. destruct (upd_case f i (g i) j) as [[-> P]|[_ P]]; rewrite P; auto. Qed.

Section Left. Variable N : nat. Variable forced : bool. Variable order : list nat.
Hypothesis inside_N : Forall (fun v => v < N) order. Variable whole : nat -> nat.          (* the budgets *)
Variable w : world. Variable theta : nat. Notation rank := (Order (past w) (fun v _ => since w v)).
Notation best size := (best N forced rank theta size).

(* How often the first p visits of all rounds come to v. *)
Definition visits p v := sum p (fun q => if nth (q mod length order) order N =? v then 1 else 0).
Lemma visits_up p q v : p <= q -> visits p v <= visits q v.
Proof. unfold visits. induction 1; simpl; lia. Qed.

(* The surplus of v, and what is left without any. *)
Definition spare (before X : cache) : cache := fun v =>
  if exempt forced theta v || (N <=? v) then 0 else X v - (whole v - before v).
Definition bare before X : cache := fun v => X v - spare before X v.
Definition trimmed p before X : cache := fun v => X v - min (visits p v) (spare before X v).

(* What a cut in rounds leaves, whatever the steps. *)
Inductive left_over (size : nat) (before X X' : cache) : Prop :=
| all_fits : sum N X <= size -> (forall v, v < N -> X' v = X v) -> left_over size before X X'
| by_visits p : size < sum N X -> sum N X' = size -> (forall v, v < N -> X' v = trimmed p before X v) ->
    left_over size before X X'
| by_age : size < sum N X -> size <= sum N (bare before X) -> best size before (bare before X) X' ->
    left_over size before X X'.

Lemma best_ext size before X Y X' : (forall v, X v = Y v) -> best size before X X' -> best size before Y X'.
Proof. intros E [b1 b2 b3 b4 b5]. assert (S : sum N X = sum N Y) by (apply sum_ext; auto). constructor.
  - intros v. rewrite <- E. apply b1.
  - intros v Hv. rewrite <- E. now apply b2.
  - intros H v Hv. rewrite <- E. apply b3; auto. lia.
  - intros H. apply b4. lia.
  - intros v j d e. rewrite <- E. apply b5. Qed.

Section Cut. Variable size : nat. Variable before X0 : cache. Variable b : nat -> nat.
Hypothesis b_is : forall v, b v = whole v - before v. Notation visit := (visit N size forced theta b).
Notation n := (length order).

(* X is what is left after p visits; a visit was left out only after it fitted. *)
Definition state p X := size <= sum N X /\ forall v, X v = trimmed p before X0 v.

Lemma visit_trims post : forall pre p X, order = pre ++ post -> state p X ->
  (size < sum N X -> exists r, p = r * n + length pre) ->
  exists q, state q (visit post X) /\ (size < sum N (visit post X) -> exists r, q = r * n).
Proof. induction post as [|v post IH]; intros pre p X E [Su T] R; cbn [Policies.visit].
  - exists p. split; [now split|]. intros L. destruct (R L) as (r & ->). exists (S r). rewrite E, app_nil_r. cbn.
    lia.
  - assert (Hv : v < N) by (rewrite Forall_forall in inside_N; apply inside_N; rewrite E; apply in_or_app; simpl;
    auto). assert (E' : order = (pre ++ [v]) ++ post) by (rewrite <- app_assoc; exact E). assert (Ln : n = length
    pre + S (length post)) by (rewrite E, app_length; reflexivity). pose proof (sum_upd N X v (X v - 1) Hv) as U.
    destruct (Nat.ltb_spec size (sum N X)) as [G|G].
    + destruct (R G) as (r & P). assert (At : nth (p mod n) order N = v). { rewrite P, Nat.add_comm, Nat.mod_add,
      Nat.mod_small by lia. rewrite E. apply nth_middle. } assert (V : forall i, visits (S p) i = visits p i + if
      v =? i then 1 else 0). { intros i. unfold visits. cbn [sum]. now rewrite At. } assert (St : state (S p) (if
      true && (b v <? X v) && negb (exempt forced theta v) then lose X v else X)). { pose proof (T v) as Tv.
      unfold trimmed, spare in Tv. rewrite b_is. split; [destruct (_ && _); unfold lose; lia|]. intros i.
      specialize (T i). specialize (V i). unfold trimmed, spare in *. replace (N <=? v) with false in Tv by
      (symmetry; apply Nat.leb_gt; lia). destruct (Nat.ltb_spec (whole v - before v) (X v)), (exempt forced theta
      v) eqn:Ex; cbn [andb negb orb] in *; try (at_place v i; [rewrite Nat.eqb_refl in V|destruct (Nat.eqb_spec v
      i); [congruence|]]); try (destruct (Nat.eqb_spec v i) as [<-|]); rewrite ?Ex in *; cbn [orb] in *; try
      (replace (N <=? v) with false in * by (symmetry; apply Nat.leb_gt; lia)); try lia; rewrite V, Nat.add_0_r;
      auto. } refine (IH (pre ++ [v]) (S p) _ E' St _). intros _. exists r. rewrite app_length. simpl. lia.
    + refine (IH (pre ++ [v]) p _ E' (conj Su T) _). lia. Qed.

Lemma by_age_alone X X' : in_rounds N size forced order b w theta X X' -> no_surplus N forced theta b X ->
  cut_by_rank N forced size theta rank before X X'.
Proof. induction 1 as [X D | X X' O Sp R IH | X v X' O Ns Lv R IH]; intros No.
  - now constructor.
  - now elim Sp.
  - destruct Lv as (Hv & Xv & Mv & Le). apply (rank_loses N forced size theta rank before X v X'); auto.
    + intros j Hj Xj Mj. specialize (Le j Hj Xj Mj). simpl. unfold since. lia.
    + apply IH. intros i Hi Mi. specialize (No i Hi Mi). at_place v i; lia. Qed.

Lemma rounds_leave X X' : in_rounds N size forced order b w theta X X' -> size < sum N X0 ->
  forall p, state p X -> (size < sum N X -> exists r, p = r * n) -> left_over size before X0 X'.
Proof. intros R Big. induction R as [X D | X X' O Sp R IH | X v X' O Ns Lv R IH]; intros p St Rd.
  - destruct St as [Su T]. apply by_visits with (p := p); auto. lia.
  - destruct (visit_trims order [] p X eq_refl St) as (q & Sq & Rq). { intros L. destruct (Rd L) as (r & ->).
    exists r. simpl. lia. } apply (IH q Sq Rq).
  - destruct St as [Su T]. assert (E : forall i, X i = bare before X0 i). { intros i. specialize (T i).
    specialize (Ns i). unfold trimmed, bare, spare in *. destruct (exempt forced theta i) eqn:Ex; cbn [orb] in *;
    [lia|]. destruct (Nat.leb_spec N i); [lia|]. rewrite b_is in Ns. assert (may_lose forced theta i);
    [|intuition lia]. intros Fo ->. unfold exempt in Ex. rewrite Fo, Nat.eqb_refl in Ex. discriminate. } apply
    by_age; auto; [rewrite <- (sum_ext N X _ (fun i _ => E i)); lia|]. apply (best_ext _ _ X); auto. apply
    cut_best; [intros i d; apply le_n|]. apply by_age_alone; auto. eapply rounds_evict; eauto. Qed.
End Cut. Lemma cut_leaves size before b X X' : (forall v, b v = whole v - before v) ->
  in_rounds N size forced order b w theta X X' -> left_over size before X X'.
Proof. intros B R. destruct (le_lt_dec (sum N X) size) as [L|G].
  - apply all_fits; auto. destruct R; auto; lia.
  - apply (rounds_leave size before X b B X X' R G 0).
    + split; [lia|]. intros v. unfold trimmed, visits. simpl. lia.
    + intros _. exists 0. reflexivity. Qed.

(* Some tiers that were cut from A to A', and one more that was cut from H to B': together they have lost what one
   cut takes of all that they had, G. *) Section Twice. Variables A G A' H : cache. Hypothesis more : within G A.
Hypothesis all : forall v, A' v + H v = G v. Ltac at_v v := unfold trimmed, bare, spare, empty in *;
  try (replace (N <=? v) with false in * by (symmetry; apply Nat.leb_gt; lia));
  destruct (exempt forced theta v); cbn [orb] in *; try lia.

Lemma took_less p v : v < N -> A' v = trimmed p empty A v -> A v - A' v <= min (visits p v) (spare empty G v).
Proof. intros Hv. pose proof (more v). at_v v. Qed.
Lemma spare_twice p q v : v < N -> A' v = trimmed p empty A v -> q <= p ->
  min (visits q v) (spare A' H v) = min (visits q v) (spare empty G v).
Proof. intros Hv E L. pose proof (visits_up q p v L). pose proof (more v). pose proof (all v). at_v v. Qed.
Lemma spare_after_bare v : v < N -> A' v <= bare empty A v -> spare A' H v = spare empty G v.
Proof. intros Hv L. pose proof (more v). pose proof (all v). at_v v. Qed.
Lemma bare_after_bare v : A' v <= bare empty A v -> A' v + bare A' H v = bare empty G v.
Proof. intros L. pose proof (more v). pose proof (all v). unfold bare, spare, empty in *. destruct (exempt forced
  theta v || (N <=? v)); lia. Qed.

Lemma twice first size B' : (forced = true -> A theta = G theta) -> sum N (fun v => G v - A v) <= size ->
  within H B' -> left_over first empty A A' -> left_over size A' H B' ->
  left_over (first + size) empty G (fun v => A' v + B' v).
Proof. intros Th Fit WB LA LB. assert (SG : sum N G = sum N A' + sum N H) by (rewrite <- sum_add; apply sum_ext;
  auto). assert (Less : forall v, v < N -> A' v <= A v). { intros v Hv. destruct LA as [_ E|p _ _ E|_ _ [b1 _ _ _
  _]]; [rewrite E; auto|rewrite E by auto| specialize (b1 v)]; at_v v. } assert (SH : sum N H = sum N (fun v => G
  v - A v) + sum N (fun v => A v - A' v)). { rewrite <- sum_add. apply sum_ext. intros v Hv. specialize (Less v
  Hv). pose proof (more v). pose proof (all v). lia. } assert (Fits : sum N H <= size -> (forall v, v < N -> B' v
  = H v) -> sum N A' <= first -> left_over (first + size) empty G (fun v => A' v + B' v)). { intros SB E F. apply
  all_fits; [lia|]. intros v Hv. rewrite E; auto. } destruct LA as [FA EA|p BA SA EA|BA FA BestA].
  - rewrite (sum_ext N (fun v => A v - A' v) (fun _ => 0)), sum_zero in SH by (intros; rewrite EA; lia). rewrite
    (sum_ext N A' A EA) in *. destruct LB as [FB EB|q BB SB EB|BB FB BestB]; [auto|lia|lia].
  - assert (Visits : forall q, q <= p -> size < sum N H -> sum N B' = size -> (forall v, v < N -> B' v = H v -
    min (visits q v) (spare empty G v)) -> left_over (first + size) empty G (fun v => A' v + B' v)). { intros q L
    BB SB E. apply by_visits with (p := q); [lia|rewrite sum_add; lia|]. intros v Hv. pose proof (spare_twice p q
    v Hv (EA v Hv) L) as P. pose proof (all v). rewrite (E v Hv). unfold trimmed. unfold spare at 1 in P.
    destruct (exempt forced theta v || (N <=? v)); lia. } assert (Same : size < sum N H -> sum N B' = size ->
    (forall v, v < N -> B' v + min (visits p v) (spare A' H v) <= H v) -> left_over (first
    + size) empty G (fun v => A' v + B' v)). { intros BB SB M. assert (SX : sum N H = sum N B' + sum N (fun v =>
      H v - B' v)). { rewrite <- sum_add. apply sum_ext. intros v _. specialize (WB v). lia. } assert (T : forall
      v, v < N -> A v - A' v <= min (visits p v) (spare empty G v) /\ min (visits p v) (spare empty G v) <= H v -
      B' v). { intros v Hv. split; [apply took_less; auto|]. rewrite <- (spare_twice p p v Hv (EA v Hv) (le_n
      _)). specialize (M v Hv). lia. } pose proof (sum_same N (fun v => A v - A' v) (fun v => H v - B' v)) as Q.
      simpl in Q. apply (Visits p (le_n _) BB SB). intros v Hv. pose proof (T v Hv). specialize (WB v). rewrite
      <- Q in *; auto; [|intros i Hi; pose proof (T i Hi); lia|lia]. assert (A v - A' v = H v - B' v); [|lia].
      apply Q; auto; [intros i Hi; pose proof (T i Hi); lia|lia]. } destruct LB as [FB EB|q BB SB EB|BB FB [b1 _
      _ b4 _]]; [apply Fits; auto; lia| |].
    + destruct (le_lt_dec q p) as [L|L].
      * apply (Visits q L BB SB). intros v Hv. rewrite <- (spare_twice p q v Hv (EA v Hv) L). exact (EB v Hv).
      * apply (Same BB SB). intros v Hv. pose proof (visits_up p q v ltac:(lia)). rewrite (EB v Hv). unfold
        trimmed. assert (spare A' H v <= H v); [|lia]. at_v v.
    + apply (Same BB (b4 FB)). intros v Hv. specialize (b1 v). unfold bare in b1. assert (spare A' H v <= H v);
      [|lia]. at_v v.
  - pose proof (b_less _ _ _ _ _ _ _ _ BestA) as Le. pose proof (b_full _ _ _ _ _ _ _ _ BestA FA) as SA. destruct
    LB as [FB EB|q BB SB EB|BB FB BestB]; [apply Fits; auto; lia| |].
    + apply by_visits with (p := q); [lia|rewrite sum_add; lia|]. intros v Hv. rewrite (EB v Hv). pose proof (all
      v). unfold trimmed. rewrite (spare_after_bare v Hv (Le v)). pose proof (spare_after_bare v Hv (Le v)) as P.
      unfold spare at 1 in P. destruct (exempt forced theta v || (N <=? v)); lia.
    + pose proof (fun v => bare_after_bare v (Le v)) as E. apply by_age; [lia| |].
      * rewrite <- (sum_ext N (fun v => A' v + bare A' H v) (bare empty G)) by auto. rewrite sum_add. lia.
      * apply (compose N forced rank theta first size (bare empty A)); auto.
        -- intros v. pose proof (more v). unfold bare, spare, empty. destruct (_ || _); lia.
        -- intros Fo. unfold bare, spare, exempt. rewrite Fo, Nat.eqb_refl. simpl. rewrite Th; auto.
        -- eapply Nat.le_trans; [|exact Fit]. apply sum_le. intros v _. pose proof (more v). unfold bare, spare,
           empty. destruct (_ || _); lia.
        -- apply (best_ext _ _ (bare A' H)); auto. intros v. rewrite <- E. lia. Qed.
End Twice.
(* Two cuts in rounds of one cache leave the same. *)
Lemma left_same size X Y X' Y' : stands N w -> (forall v, v < N -> X v <= past w v) ->
  (forall v, v < N -> X v = Y v) -> left_over size empty X X' -> left_over size empty Y Y' ->
  forall v, v < N -> X' v = Y' v.
Proof. intros St W E LX LY. assert (SE : sum N X = sum N Y) by (apply sum_ext; auto). assert (SS : forall v, v <
  N -> spare empty X v = spare empty Y v) by (intros v Hv; unfold spare; now rewrite E). assert (BB : forall v, v
  < N -> bare empty X v = bare empty Y v) by (intros v Hv; unfold bare; now rewrite SS, E). assert (BS : sum N
  (bare empty X) = sum N (bare empty Y)) by (apply sum_ext; auto). assert (Age : forall p P P' Q', sum N P' =
  size -> (forall v, v < N -> P' v = trimmed p empty P v) -> size <= sum N (bare empty P) -> best size empty
  (bare empty P) Q' -> forall v, v < N -> P' v = Q' v). { intros p P P' Q' S EP F [_ _ b3 _ _]. assert (L :
  forall v, v < N -> bare empty P v <= P' v) by (intros v Hv; rewrite EP by auto; unfold trimmed, bare; lia).
  pose proof (sum_le N _ _ L). intros v Hv. rewrite b3 by (auto; lia). symmetry. apply (sum_same N _ _ L); auto.
  lia. } assert (Visits : forall p q P P' Q', p <= q -> sum N P' = size -> sum N Q' = size -> (forall v, v < N ->
  P' v = trimmed p empty P v) -> (forall v, v < N -> Q' v = trimmed q empty P v) -> forall v, v < N -> P' v = Q'
  v). { intros p q P P' Q' L SP SQ EP EQ v Hv. symmetry. apply (sum_same N Q' P'); auto; [|lia]. intros i Hi.
  pose proof (visits_up p q i L). rewrite EP, EQ by auto. unfold trimmed. lia. } assert (TT : forall p v, v < N
  -> trimmed p empty X v = trimmed p empty Y v) by (intros p v Hv; unfold trimmed; now rewrite SS, E). destruct
  LX as [F EX|p B SX EX|B F BX], LY as [G EY|q C SY EY|C G BY]; try lia.
  - intros v Hv. rewrite EX, EY; auto.
  - destruct (le_lt_dec p q) as [L|L].
    + apply (Visits p q X); auto. intros v Hv. rewrite TT; auto.
    + intros v Hv. symmetry. revert v Hv. apply (Visits q p Y); auto; [lia|]. intros v Hv. rewrite <- TT; auto.
  - apply (Age p Y); auto. intros v Hv. rewrite <- TT; auto.
  - intros v Hv. symmetry. revert v Hv. apply (Age q X); auto. intros v Hv. rewrite TT; auto.
  - apply (best_same N forced rank theta w size (bare empty X) (bare empty Y)); auto.
    + intros v j d e Hv Hj Pv Pj. simpl. apply (since_apart N); auto; lia.
    + intros v Hv. specialize (W v Hv). unfold bare. lia. Qed.
End Left.

Section Differences. Variables N K xi : nat. Variable C : nat -> nat. Variable forced : bool.
Variable order : world -> list nat. Hypothesis inside_N : forall w, Forall (fun v => v < N) (order w).
Notation tiers_step := (tiers_in_rounds N forced C K order xi).
Notation cache_step size := (cache_in_rounds N forced size order xi).
Notation left_over w theta := (left_over N forced (order w) (budget xi w) w theta).

Lemma fits_after size os b w theta X X' : in_rounds N size forced os b w theta X X' -> sum N X' <= size.
Proof. induction 1; auto. Qed.

Lemma together_in_rounds w u us Z Z' : (forall i, i < K -> sum N (Z i) <= C i) -> tiers_step w u us Z Z' ->
  forall k, k < K -> left_over w (who u) (sum (S k) C) empty (together (S k) (arrive u Z)) (together (S k) Z').
Proof. intros Fit R. assert (Le : forall k, k < K -> within (has (arrive u Z) Z' k) (Z' k)). { intros k Hk.
  refine (rounds_within N forced w (who u) _ _ _ _ _ _ (R k Hk) _). intros v. apply le_n. } assert (B : forall k,
  k < K -> left_over w (who u) (C k) (together k Z') (has (arrive u Z) Z' k) (Z' k)). { intros k Hk. eapply
  cut_leaves; [apply inside_N|reflexivity|exact (R k Hk)]. } induction k as [|k IH]; intros Hk; [exact (B 0
  Hk)|]. change (sum (S (S k)) C) with (sum (S k) C + C (S k)). refine (twice N forced (order w) (budget xi w) w
  (who u) _ _ _ _ _ _ _ _ _ _ _ _ (IH ltac:(lia)) (B (S k) Hk)).
  - intros v. apply together_up.
  - apply has_sum. intros i Hi. apply Le. lia.
  - intros _. now rewrite !arrive_sum, Nat.eqb_refl.
  - eapply Nat.le_trans; [|apply (Fit (S k) Hk)]. apply sum_le. intros v _. rewrite !arrive_sum. unfold together.
    cbn [sum]. destruct (v =? who u); lia.
  - apply (Le (S k) Hk). Qed.

Lemma same_finds_in_rounds k : k < K -> forall us w Z X of_tiers of_cache, stands N w ->
  (forall i, i < K -> sum N (Z i) <= C i) -> (forall v, v < N -> X v = together (S k) Z v) ->
  within (past w) X -> trace N w us -> replays tiers_step (fun Z u => sum (S k) (found Z u)) w Z us of_tiers ->
  replays (cache_step (sum (S k) C)) reused w X us of_cache -> of_tiers = of_cache.
Proof. intros Hk. induction us as [|u us IH]; intros w Z X xs ys St Fit E W Tr RZ RX.
  - inversion RZ; inversion RX; auto.
  - destruct Tr as (Nu & Hu & Tr). inversion RZ as [|? ? ? ? Z' zs CZ RZ']; subst. inversion RX as [|? ? ? ? X'
    xs' CX RX']; subst. f_equal; [now apply reused_together; apply E|]. destruct (serve_stands N w u St Nu) as
    (St' & _). assert (WF : within (past (serve u w)) (fill u X)) by exact (fill_le u X (past w) W). apply (IH
    (serve u w) Z' X'); auto.
    + intros i Hi. exact (fits_after _ _ _ _ _ _ _ (CZ i Hi)).
    + apply (left_same N forced (order (serve u w)) (budget xi (serve u w)) (serve u w) (who u) (sum (S k) C)
      (fill u X) (together (S k) (arrive u Z))); auto.
      * intros v Hv. unfold fill. rewrite arrive_sum. unfold upd. destruct (v =? who u); auto.
      * eapply cut_leaves; [apply inside_N| |exact CX]. intros v. unfold empty. lia.
      * exact (together_in_rounds (serve u w) u us Z Z' Fit CZ k Hk).
    + exact (rounds_within N forced _ _ _ _ _ _ _ _ CX WF). Qed.
End Differences.

(* Row tiers.difference.flat.round-robin. Private conversations, whatever they forget, optional and forced: under
   T-LRU with flat budgets that trims in rounds, which visit the conversations in any order that does not depend on
   the capacities, the first k + 1 tiers find at every turn what one cache of their summed capacities finds. *)
Theorem in_rounds_is_a_difference : forall N K C forced xi order k us of_tiers of_cache,
  (forall w, Forall (fun v => v < N) (order w)) -> k < K -> trace N nobody us ->
  replays (tiers_in_rounds N forced C K order xi) (fun Z u => sum (S k) (found Z u)) nobody nothing us of_tiers ->
  replays (cache_in_rounds N forced (sum (S k) C) order xi) reused nobody empty us of_cache ->
  of_tiers = of_cache.
Proof. intros N K C forced xi order k us xs ys Or Hk Tr RZ RX. apply (same_finds_in_rounds N K xi C forced order
  Or k Hk us nobody nothing empty); auto.
  - constructor; simpl; lia.
  - intros i _. unfold nothing, empty. rewrite sum_zero. lia.
  - intros v _. unfold together, nothing, empty. now rewrite sum_zero.
  - intros v. apply le_n. Qed.

(* The relation is not empty: with optional caching, where rounds visit everybody, every trace has a run. *)
Lemma visit_takes N size theta b v : forall order X, Forall (fun v => v < N) order -> In v order -> b v < X v ->
  size < sum N X -> sum N (visit N size false theta b order X) < sum N X.
Proof. induction order as [|u order IH]; intros X Or I S G; [destruct I|]. inversion_clear Or. cbn [visit
  exempt]. replace (size <? sum N X) with true by (symmetry; now apply Nat.ltb_lt). rewrite andb_true_r. cbn
  [andb]. destruct (Nat.ltb_spec (b u) (X u)) as [L|L].
  - eapply Nat.le_lt_trans; [|apply (lose_less N X u); auto; lia]. apply sum_le. intros i _. refine (visit_within
    N false theta b order size (lose X u) _ _ i). now intros j.
  - apply IH; auto. destruct I as [->|]; auto. lia. Qed.
Lemma visit_ext N size theta b b' order : (forall v, b v = b' v) -> forall X,
  visit N size false theta b order X = visit N size false theta b' order X.
Proof. intros E. induction order; intros X; simpl; auto. now rewrite E, IHorder. Qed.
Lemma rounds_ext N size order w theta b b' X X' : (forall v, b v = b' v) ->
  in_rounds N size false order b w theta X X' -> in_rounds N size false order b' w theta X X'.
Proof. intros E. induction 1 as [X D | X X' O Sp R IH | X v X' O Ns Lv R IH].
  - now apply rounds_fit.
  - apply rounds_visit; auto; [|now rewrite <- (visit_ext N size theta b b' order E)]. intros H. apply Sp. intros
    v Hv Mv. rewrite E. auto.
  - eapply rounds_evict; eauto. intros i Hi Mi. rewrite <- E. auto. Qed.
Lemma a_cut_in_rounds N size order b w theta : Forall (fun v => v < N) order -> (forall v, v < N -> In v order) ->
  forall n X, sum N X <= n -> exists X', in_rounds N size false order b w theta X X'.
Proof. intros Or Al. induction n as [n IH] using lt_wf_ind. intros X L. destruct (le_lt_dec (sum N X) size) as
  [F|F]; [exists X; now apply rounds_fit|]. pose proof (pick_spec N (fun v => b v <? X v) b) as S. destruct (pick
  N _ b) as [v|].
  - destruct S as (Hv & Sv & _). apply Nat.ltb_lt in Sv. pose proof (visit_takes N size theta b v order X Or (Al
    v Hv) Sv F). destruct (IH (sum N (visit N size false theta b order X)) ltac:(lia) _ (le_n _)) as (X' & R).
    exists X'. apply rounds_visit; auto. intros No. specialize (No v Hv ltac:(discriminate)). lia.
  - pose proof (pick_spec N (fun v => 1 <=? X v) (came w)) as O. destruct (pick N (fun v => 1 <=? X v) (came w))
    as [v|] eqn:E; [|apply nobody_is_zero in E; lia]. destruct O as (Hv & Xv & Mn). apply Nat.leb_le in Xv. pose
    proof (lose_less N X v Hv Xv). destruct (IH (sum N (lose X v)) ltac:(lia) _ (le_n _)) as (X' & R). exists X'.
    apply rounds_evict with (v := v); [exact F| | |exact R].
    + intros j Hj _. specialize (S j Hj). now apply Nat.ltb_ge in S.
    + repeat split; auto; [discriminate|]. intros j Hj Xj _. apply Mn; auto. now apply Nat.leb_le. Qed.
(* Of no row (-). With optional caching every trace has a run in rounds, whatever is seen of it. *)
Theorem rounds_run : forall {A} N C K order xi (see : tiers -> turn -> A) w Z us,
  (forall w, Forall (fun v => v < N) (order w)) -> (forall w v, v < N -> In v (order w)) ->
  exists seen, replays (tiers_in_rounds N false C K order xi) see w Z us seen.
Proof. intros A N C K order xi see w Z us Or Al. apply a_replay. clear w Z us. intros w u us Z. apply all_cuts.
  - intros i before X. eapply a_cut_in_rounds; auto.
  - intros i before before' X X' E. apply rounds_ext. intros v. now rewrite E. Qed.
