(* Theorem D.2: ET-LRU is optimal in the belief MDP with the paper's belief and optional caching. *)
From Coq Require Import Arith Lia List Bool QArith Lqa.
Require Import Numbers Strategies Belief Exchange.
Import ListNotations.
Local Open Scope Q_scope.

Lemma qsum_flat {A B} (g : A -> list B) l f : qsum (flat_map g l) f == qsum l (fun x => qsum (g x) f).
Proof. induction l; simpl; [lra|]. rewrite qsum_app, IHl. lra. Qed.
Lemma qsum_map {A B} (g : A -> B) l f : qsum (map g l) f == qsum l (fun x => f (g x)).
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.
Lemma qsum_one n i x : qsum (seq 0 n) (fun k => if (i =? k)%nat then x else 0) == (if (i <? n)%nat then x else 0).
Proof. induction n; [simpl; lra|]. rewrite seq_S, qsum_app, IHn. simpl. destruct (Nat.eqb_spec i n) as [->|].
  - rewrite Nat.ltb_irrefl. replace (n <? S n)%nat with true by (symmetry; apply Nat.ltb_lt; lia). lra.
  - destruct (Nat.ltb_spec i n), (Nat.ltb_spec i (S n)); try lia; lra. Qed.
Lemma in_tokens i n a j : In (a, j) (tokens i n) <-> a = i /\ (1 <= j <= n)%nat.
Proof. unfold tokens. rewrite in_map_iff. split.
  - intros (k & E & H). apply in_seq in H. inversion E; subst. lia.
  - intros [-> H]. exists j. split; auto. apply in_seq. lia. Qed.

Section TheoremD2.
Variable M : model.
Hypothesis good : good_model M.
Notation events := (events M).
Notation score := (score M).

Lemma rates_pos s f : good_state s -> 0 <= f -> 0 <= all_rates M s f.
Proof. intros [Ki Al] F. unfold all_rates. assert (0 <= qsum (seq 0 (known s)) (fun i => turn_rate s i * f)). {
  apply qsum_pos. intros i _. unfold turn_rate. pose proof (k_rate _ (Ki i)). pose proof (Al i). apply
  Qmult_le_0_compat; auto. apply Qmult_le_0_compat; tauto. } pose proof (m_births _ good). lra. Qed.
Lemma part_pos x y : 0 <= x -> 0 <= y -> 0 <= x / y.
Proof. intros. apply Qmult_le_0_compat; auto. now apply Qinv_le_0_compat. Qed.

(* What an event can be. *)
Lemma in_events s e : In e (events s) -> exists g i k n, In g (gaps M) /\ next e = after s (fst g) i k n /\
  brings e = tokens i n /\ ((i < known s)%nat /\ k = kind_of s i /\ (past s i <= n)%nat \/
    i = known s /\ In k (kinds M)) /\ (good_state s -> 0 <= chance e).
Proof. intros H. unfold Belief.events in H. apply in_flat_map in H as (g & Hg & H). apply in_app_or in H.
  destruct (m_gaps _ good g Hg) as ((F0 & F1) & W). destruct H as [H|H]; apply in_flat_map in H as (i & Hi & H);
  apply in_flat_map in H as (q & Hq & H); apply in_map_iff in H as (a & <- & Ha).
  - apply in_seq in Hi. exists g, i, (kind_of s i), (past s i + fst q + fst a)%nat. repeat split; auto.
    + left. repeat split; lia.
    + intros St. simpl. pose proof (rates_pos s _ St F0). destruct St as [Ki Al]. pose proof (k_rate _ (Ki i)).
      pose proof (Al i). pose proof (k_prompts _ (Ki i) q Hq). pose proof (k_responses _ (Ki i) a Ha). unfold
      turn_rate. repeat (apply part_pos || apply Qmult_le_0_compat); tauto.
  - exists g, (known s), i, (fst q + fst a)%nat. repeat split; auto. intros St. simpl. pose proof (rates_pos s _
    St F0). pose proof (m_kinds _ good i Hi) as Ki. pose proof (k_share _ Ki). pose proof (k_first _ Ki q Hq).
    pose proof (k_responses _ Ki a Ha). pose proof (m_births _ good). repeat (apply part_pos || apply
    Qmult_le_0_compat); tauto. Qed.
Lemma next_good s e : good_state s -> In e (events s) -> good_state (next e).
Proof. intros St H. destruct (in_events s e H) as (g & i & k & n & Hg & -> & _ & Ca & _). destruct (m_gaps _ good
  g Hg) as ((F0 & F1) & _). destruct St as [Ki Al]. constructor; simpl.
  - intros j. unfold upd. destruct (j =? i)%nat; auto. destruct Ca as [(_ & -> & _)|(_ & Hk)]; auto. now apply
    (m_kinds _ good).
  - intros j. destruct (j =? i)%nat; [lra|]. pose proof (Al j). nra. Qed.

Definition tail (k : kind) (L j : nat) := qsum (prompts k) (fun q => if (j + xi M <=? L + fst q)%nat then snd q
  else 0).
Lemma tail_pos k L j : good_kind k -> 0 <= tail k L j.
Proof. intros G. apply qsum_pos. intros q Hq. destruct (_ <=? _)%nat; [now apply (k_prompts _ G)|lra]. Qed.
Lemma tail_mono k L L' j j' : good_kind k -> (L <= L')%nat -> (j' <= j)%nat -> tail k L j <= tail k L' j'.
Proof. intros G HL Hj. apply qsum_le. intros q Hq. pose proof (k_prompts _ G q Hq). destruct (Nat.leb_spec (j +
  xi M) (L + fst q)), (Nat.leb_spec (j' + xi M) (L' + fst q)); try lia; lra. Qed.
Lemma score_pos s t : good_state s -> 0 <= score s t.
Proof. intros [Ki Al]. unfold Belief.score. destruct (fst t <? known s)%nat; [|lra]. unfold turn_rate. pose proof
  (k_rate _ (Ki (fst t))). pose proof (Al (fst t)). pose proof (tail_pos _ (past s (fst t)) (snd t) (Ki (fst
  t))). apply Qmult_le_0_compat; auto. apply Qmult_le_0_compat; tauto. Qed.

(* The chance to be of use is the score times one factor. *)
Definition factor s := qsum (gaps M) (fun g => snd g * (fst g / all_rates M s (fst g))).
Lemma factor_pos s : good_state s -> 0 <= factor s.
Proof. intros St. apply qsum_pos. intros g Hg. destruct (m_gaps _ good g Hg) as ((F0 & F1) & W). apply
  Qmult_le_0_compat; auto. apply part_pos; auto. now apply rates_pos. Qed.
Lemma of_one_turn s f w i t : good_state s ->
  qsum (turns M s f w i) (fun e => chance e * (if of_use e t then 1 else 0)) ==
  if (fst t =? i)%nat then w * (f / all_rates M s f) * (turn_rate s i * tail (kind_of s i) (past s i) (snd t))
    else 0.
Proof. intros [Ki _]. unfold turns. rewrite qsum_flat. set (D := all_rates M s f). rewrite (qsum_ext _ _ (fun q
  => (if (fst t =? i)%nat then w * (f / D) * turn_rate s i else 0) * (if (snd t + xi M <=? past s i + fst q)%nat
  then snd q else 0))).
  - rewrite qsum_mul. fold (tail (kind_of s i) (past s i) (snd t)). destruct (fst t =? i)%nat; lra.
  - intros q _. rewrite qsum_map. simpl. rewrite (qsum_ext _ _ (fun a => ((w * (turn_rate s i * f / D) * snd q) *
    (if needed M i (past s i + fst q) t then 1 else 0)) * snd a)) by (intros; lra). rewrite qsum_mul, (k_one _
    (Ki i)). unfold needed, Qdiv. destruct (fst t =? i)%nat, (_ <=? _)%nat; simpl; lra. Qed.
Lemma of_a_first_turn s f w k t :
  qsum (first_turns M s f w k) (fun e => chance e * (if of_use e t then 1 else 0)) == 0.
Proof. unfold first_turns. rewrite qsum_flat. rewrite (qsum_ext _ _ (fun _ => 0 * 0)); [rewrite qsum_mul; lra|].
  intros q _. rewrite qsum_map. rewrite (qsum_ext _ _ (fun _ => 0 * 0)); [rewrite qsum_mul; lra|]. intros; simpl;
  lra. Qed.
Lemma score_is s t : good_state s ->
  qsum (events s) (fun e => chance e * (if of_use e t then 1 else 0)) == factor s * score s t.
Proof. intros St. unfold Belief.events, factor. rewrite qsum_flat, (Qmult_comm _ (score s t)), <- qsum_mul. apply
  qsum_ext. intros g _. rewrite qsum_app, !qsum_flat. rewrite (qsum_ext (kinds M) _ (fun _ => 0 * 0)) by (intros;
  rewrite of_a_first_turn; lra). rewrite qsum_mul. rewrite (qsum_ext _ _ (fun i => if (fst t =? i)%nat then snd g
  * (fst g / all_rates M s (fst g)) * (turn_rate s (fst t) * tail (kind_of s (fst t)) (past s (fst t)) (snd t))
  else 0)).
  - rewrite qsum_one. unfold Belief.score, tail. destruct (fst t <? known s)%nat; lra.
  - intros i _. rewrite of_one_turn by auto. destruct (Nat.eqb_spec (fst t) i) as [<-|]; lra. Qed.

Lemma others_fall s f i k n t : fst t <> i -> (fst t < known s)%nat -> score (after s f i k n) t == f * score s t.
Proof. intros N H. unfold Belief.score, turn_rate. simpl. rewrite !upd_neq by auto. replace (fst t <? known
  s)%nat with true by (symmetry; now apply Nat.ltb_lt). replace (fst t <? Nat.max (known s) (S i))%nat with true
  by (symmetry; apply Nat.ltb_lt; lia). apply Nat.eqb_neq in N. rewrite N. lra. Qed.
Lemma none_falls_more s f i k n t : good_state s -> good_state (after s f i k n) -> 0 <= f <= 1 ->
  ((i < known s)%nat /\ k = kind_of s i /\ (past s i <= n)%nat \/ i = known s) ->
  f * score s t <= score (after s f i k n) t.
Proof. intros St St' F Ca. pose proof (score_pos _ t St') as P'. pose proof (score_pos _ t St) as P. destruct
  (le_lt_dec (known s) (fst t)) as [L|L]. { assert (E : score s t == 0); [|nra]. unfold Belief.score. replace
  (fst t <? known s)%nat with false by (symmetry; now apply Nat.ltb_ge). lra. } destruct (Nat.eq_dec (fst t) i)
  as [E|E]; [|rewrite others_fall; auto; lra]. destruct Ca as [(Hi & -> & Hn)|Hi]; [|lia]. subst i. unfold
  Belief.score, turn_rate. simpl. rewrite !upd_eq, Nat.eqb_refl. replace (fst t <? known s)%nat with true by
  (symmetry; now apply Nat.ltb_lt). replace (fst t <? Nat.max (known s) (S (fst t)))%nat with true by (symmetry;
  apply Nat.ltb_lt; lia). fold (tail (kind_of s (fst t)) (past s (fst t)) (snd t)). fold (tail (kind_of s (fst
  t)) n (snd t)). destruct St as [Ki Al]. pose proof (tail_mono _ _ _ _ _ (Ki (fst t)) Hn (le_n (snd t))) as T.
  pose proof (tail_pos _ (past s (fst t)) (snd t) (Ki (fst t))) as T0. pose proof (k_rate _ (Ki (fst t))) as R.
  pose proof (Al (fst t)) as A. set (r := rate (kind_of s (fst t))) in *. set (x := alive s (fst t)) in *. set (v
  := tail (kind_of s (fst t)) (past s (fst t)) (snd t)) in *. set (v' := tail (kind_of s (fst t)) n (snd t)) in
  *. assert (f * x <= 1) by nra. assert (0 <= r * v) by nra. assert (r * v <= r * v') by nra. nra. Qed.
Lemma order_kept s e a t : good_state s -> In e (events s) -> available s a -> ~ In a (brings e) ->
  score s a <= score s t -> score (next e) a <= score (next e) t.
Proof. intros St H (Ha & Ja) Na L. pose proof (next_good s e St H) as St'. destruct (in_events s e H) as (g & i &
  k & n & Hg & En & Eb & Ca & _). rewrite En, Eb in *. destruct (m_gaps _ good g Hg) as (F & _). assert (Ni : fst
  a <> i). { intros E. destruct Ca as [(_ & _ & Hn)|(Hi & _)]; [|lia]. apply Na. destruct a as [a j]. simpl in *.
  subst a. apply in_tokens. lia. } rewrite others_fall by auto. pose proof (none_falls_more s (fst g) i k n t St
  St' F ltac:(tauto)) as U. nra. Qed.
Lemma still_available s e t : In e (events s) -> available s t -> available (next e) t.
Proof. intros H (A1 & A2). destruct (in_events s e H) as (g & i & k & n & _ & -> & _ & Ca & _). unfold available.
  simpl. unfold upd. split; [lia|]. destruct (Nat.eqb_spec (fst t) i) as [E|]; auto. rewrite E in *. destruct Ca
  as [(_ & _ & Hn)|(Hi & _)]; lia. Qed.
Lemma brought_available s e t : In e (events s) -> In t (brings e) -> available (next e) t.
Proof. intros H Ht. destruct (in_events s e H) as (g & i & k & n & _ & -> & Eb & _ & _). rewrite Eb in Ht.
  destruct t as [a j]. apply in_tokens in Ht as [-> Hj]. unfold available. simpl. rewrite upd_eq. lia. Qed.
Lemma score_falls s i j : good_state s -> score s (i, S j) <= score s (i, j).
Proof. intros [Ki Al]. unfold Belief.score. simpl fst. simpl snd. destruct (i <? known s)%nat; [|lra]. fold (tail
  (kind_of s i) (past s i) (S j)). fold (tail (kind_of s i) (past s i) j). pose proof (tail_mono _ _ _ _ _ (Ki i)
  (le_n (past s i)) (Nat.le_succ_diag_r j)). pose proof (k_rate _ (Ki i)). pose proof (Al i). unfold turn_rate.
  assert (0 <= rate (kind_of s i) * alive s i) by nra. nra. Qed.
Lemma tokens_prefixes s e : In e (events s) -> prefixes (brings e).
Proof. intros H. destruct (in_events s e H) as (g & i & k & n & _ & _ & -> & _ & _). intros a j j' Ht J1 J2.
  apply in_tokens in Ht as [-> Hj]. apply in_tokens. lia. Qed.
Lemma chances s e : good_state s -> In e (events s) -> 0 <= chance e.
Proof. intros St H. destruct (in_events s e H) as (g & i & k & n & _ & _ & _ & _ & P). auto. Qed.
End TheoremD2.

(* What is saved is what is taken off the excess: the first y tokens of i leave max(0, n - y - xi) of max(0, n -
   xi). *)
Lemma saved_is_less_excess M i n y e : of_use e = needed M i n ->
  used state e (tokens i y) == inject_Z (Z.of_nat (n - xi M - (n - y - xi M))).
Proof. intros E. unfold used, tokens. rewrite qsum_map, E. induction y.
  - simpl. replace (n - xi M - (n - 0 - xi M))%nat with 0%nat by lia. reflexivity.
  - rewrite seq_S, qsum_app, IHy. cbn [qsum]. unfold needed. cbn [fst snd]. rewrite Nat.eqb_refl. cbn [andb].
    destruct (Nat.leb_spec (1 + y + xi M) n).
    + replace (n - xi M - (n - S y - xi M))%nat with (S (n - xi M - (n - y - xi M))) by lia. rewrite
      Nat2Z.inj_succ, <- Z.add_1_r, inject_Z_plus. change (inject_Z 1) with 1. lra.
    + replace (n - xi M - (n - S y - xi M))%nat with (n - xi M - (n - y - xi M))%nat by lia. lra. Qed.

(* The C tokens of A with the highest scores: a choice of ET-LRU, which fills the cache. *)
Definition highest M s A K := top state (C M) (score M) s A K.

(* What the exchange lemma asks of the model. *)
Ltac of_the_model M G := try exact (chances M G); intros; try (eapply next_good; eauto; fail);
  try (now apply factor_pos); try (now apply score_pos); try (now apply score_is);
  try (eapply still_available; eauto; fail); try (eapply brought_available; eauto; fail);
  try (eapply order_kept; eauto; fail); try (now apply score_falls); try (eapply tokens_prefixes; eauto; fail).

(* Row theorem-d2.exchange. If T has C - 1 tokens, and b and all of T score at least as much as a, then whatever
   a strategy saves in the next m turns from a and T, another saves as much from b and T. *)
Theorem exchange_lemma : forall M s a b T m x, good_model M -> good_state s ->
  S (length T) = C M -> NoDup (a :: T) -> NoDup (b :: T) -> (forall t, In t (a :: b :: T) -> available s t) ->
  score M s a <= score M s b -> (forall t, In t T -> score M s a <= score M s t) ->
  saved M any_set m s (a :: T) x -> exists y, x <= y /\ saved M any_set m s (b :: T) y.
Proof. unfold saved. intros M s a b T m x G St. intros. apply (exchange state (events M) (C M) good_state
  available (score M) (factor M)) with (a := a); auto; of_the_model M G. Qed.

(* Row theorem-d2, and its rows by rates and laws. At every state, and for any number of turns to come: whatever
   a strategy saves from some choice of at most C of the tokens A at hand, another saves as much from every
   choice of ET-LRU that fills the cache. Tokens may be kept one by one here. *)
Theorem theorem_d2 : forall M s A K m, good_model M -> good_state s -> (forall t, In t A -> available s t) ->
  highest M s A K -> forall K' x, NoDup K' -> incl K' A -> (length K' <= C M)%nat ->
  saved M any_set m s K' x -> exists y, x <= y /\ saved M any_set m s K y.
Proof. unfold saved. intros M s A K m G St Av To K' x. intros. apply (top_is_best state (events M) (C M)
  good_state available (score M) (factor M)) with (A := A) (K' := K'); auto; of_the_model M G. Qed.

(* Row theorem-d2 and its rows by rates (homogeneous, heterogeneous) and prompts: .fixed, .random,
   .by-conversation. The same for caches that lose the end of a conversation first, now and at every turn to
   come. *)
Theorem theorem_d2_prefixes : forall M s A K m, good_model M -> good_state s ->
  (forall t, In t A -> available s t) -> highest M s A K -> prefixes K -> forall K' x, NoDup K' -> incl K' A ->
    (length K' <= C M)%nat ->
  saved M prefixes m s K' x -> exists y, x <= y /\ saved M prefixes m s K y.
Proof. unfold saved. intros M s A K m G St Av To PK K' x N I L H. apply prefixes_are_sets in H. destruct
  (theorem_d2 M s A K m G St Av To K' x N I L H) as (y & xy & Hy). destruct (prefixes_do_as_well state (events M)
  (C M) good_state available (score M) (factor M)) with (m := m) (s := s) (K := K) (x := y) as (z & yz & Hz);
  auto; of_the_model M G.
  - destruct To as (_ & _ & I' & _). auto.
  - exists z. split; auto. lra. Qed.
