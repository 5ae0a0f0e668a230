(* TEL is not competitive: whatever an online policy does, with dice or a larger cache too, there is a trace on
   which it pays and the optimum does not. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Plans.
Import ListNotations.

(* What an online policy holds depends on the turns so far. On every trace of N conversations (under forced
   caching: where every past fits) it is a plan. *)
Definition held (policy : list turn -> cache) (us : list turn) : nat -> cache := fun t => policy (firstn t us).
Definition online (forced : bool) N C (policy : list turn -> cache) := forall us,
  (forall u, In u us -> who u < N) -> each_fits C forced us -> plan N C forced empty us (held policy us).

(* K new conversations have a past of n each, and one more under forced caching; then conversation i comes
   again. *)
Definition first_turn n k := Turn k 0 1 (n - 1) 0.
Definition opening n K := map (first_turn n) (seq 0 K).
Definition game n K xi i := opening n K ++ [Turn i n xi 0 0].

Section Game.
Variables n K xi h : nat.
Variable forced : bool.
Hypothesis n_pos : n >= 1.
Hypothesis xi_pos : xi >= 1.
Hypothesis h_pos : h >= 1.
Hypothesis fits : forced = true -> xi <= n.
Notation more := (b2n forced).       (* one more conversation, and room for it *)
Notation tr := (game n (K + more) xi).
Definition last := K + more.

Lemma game_steps i : steps (tr i) = S last.
Proof. unfold steps, game, opening. rewrite app_length, map_length, seq_length. simpl. unfold last. lia. Qed.
Lemma game_first i t : t < last -> turn_at (tr i) t = first_turn n t.
Proof. intros H. unfold turn_at, game, opening. rewrite app_nth1 by (rewrite map_length, seq_length; exact H).
  rewrite (nth_indep _ _ (first_turn n 0)) by (rewrite map_length, seq_length; exact H). rewrite map_nth, seq_nth
  by exact H. reflexivity. Qed.
Lemma game_last i : turn_at (tr i) last = Turn i n xi 0 0.
Proof. unfold turn_at, game, opening. rewrite app_nth2; rewrite map_length, seq_length; [|auto]. unfold last. now
  rewrite Nat.sub_diag. Qed.
Lemma game_start i : firstn last (tr i) = opening n last.
Proof. unfold game, last. rewrite firstn_app. unfold opening. rewrite map_length, seq_length, Nat.sub_diag.
  simpl. rewrite app_nil_r. apply firstn_all2. now rewrite map_length, seq_length. Qed.

Lemma term_le m f t : t < m -> f t <= sum m f.
Proof. induction m; simpl; intros H; [lia|]. destruct (Nat.eq_dec t m) as [->|]; [lia|]. specialize (IHm
  ltac:(lia)). lia. Qed.
Lemma sum_const m c : sum m (fun _ => c) = m * c.
Proof. induction m; simpl; lia. Qed.

(* An online policy with room for h n pays on average n (1 - h / K): it does not know who comes again. *)
Lemma game_fits i : i < K -> each_fits (n + more * n) forced (tr i).
Proof. intros Hi t Ht Fo. pose proof (fits Fo). rewrite game_steps in Ht. unfold filled, input. destruct
  (Nat.eq_dec t last) as [->|]; [rewrite game_last|rewrite game_first by lia]; rewrite Fo; simpl; lia. Qed.
Lemma game_numbers i u : i < K -> In u (tr i) -> who u < K + more.
Proof. intros Hi. unfold game, opening. rewrite in_app_iff, in_map_iff. intros [(k & <- & Hk)|[<-|[]]]; [apply
  in_seq in Hk; simpl; lia|simpl; lia]. Qed.
Lemma policy_pays policy : online forced (K + more) (h * n + more * n) policy ->
  n * (K - h) <= sum K (fun i => tel xi (tr i) (held policy (tr i))).
Proof. intros On. set (x := policy (opening n last)). assert (Pay : forall i, i < K -> n <= tel xi (tr i) (held
  policy (tr i)) + x i). { intros i Hi. unfold tel. rewrite game_steps. pose proof (term_le (S last) (fun t =>
  input (tr i) t - min (held policy (tr i) t (who (turn_at (tr i) t))) (history (turn_at (tr i) t)) - xi) last
  ltac:(lia)) as L. cbn beta in L. unfold input in L at 1. rewrite game_last in L. cbn [who history prompt] in L.
  unfold held in L at 1. rewrite game_start in L. fold x in L. lia. } assert (Fit : sum K x <= h * n). { destruct
  (Nat.eq_dec K 0) as [->|]; [simpl; lia|]. assert (P : plan (K + more) (h * n + more * n) forced empty (tr 0)
  (held policy (tr 0))). { apply On; [intros u Hu; apply (game_numbers 0); auto; lia|]. intros t Ht Fo. pose
  proof (game_fits 0 ltac:(lia) t Ht Fo). nia. } pose proof (p_fits _ _ _ _ _ _ P last ltac:(rewrite game_steps;
  lia)) as F. unfold held in F. rewrite game_start in F. fold x in F. destruct (bool_dec forced true) as [Q|Q];
  [|apply not_true_is_false in Q]; rewrite Q in F; simpl in F. 2:{ rewrite !Nat.add_0_r in F. exact F. } rewrite
  Nat.add_1_r in F. simpl in F. assert (E : last = S K) by (unfold last; rewrite Q; simpl; lia). pose proof
  (p_forced _ _ _ _ _ _ P K ltac:(rewrite game_steps; lia) Q) as Fo. unfold filled, input in Fo. rewrite
  game_first in Fo by lia. cbn [who history prompt response first_turn] in Fo. unfold held in Fo. rewrite <- E,
  game_start in Fo. fold x in Fo. lia. } assert (S1 : sum K (fun _ => n) <= sum K (fun i => tel xi (tr i) (held
  policy (tr i)) + x i)) by (apply sum_le; auto). rewrite sum_add, sum_const in S1. nia. Qed.

(* In hindsight a cache of n keeps the one that comes again, and who is exempt. *)
Definition keeps_it i t j :=
  if (t <=? last) && ((i <? t) && (j =? i) || forced && (t =? S j)) then n else 0.
Lemma optimum_pays_nothing i : i < K ->
  plan (K + more) (n + more * n) forced empty (tr i) (keeps_it i) /\ tel xi (tr i) (keeps_it i) = 0.
Proof. intros Hi. assert (Le : K <= last /\ last <= S K) by (unfold last; destruct forced; simpl; lia). split;
  [constructor|].
  - intros j. unfold keeps_it. simpl. rewrite andb_false_r. apply Nat.le_0_l.
  - intros t j Ht Nj. rewrite game_steps in Ht. unfold keeps_it. destruct (Nat.eq_dec t last) as [->|nl].
    + replace (S last <=? last) with false by (symmetry; apply Nat.leb_gt; lia). apply Nat.le_0_l.
    + rewrite game_first in Nj by lia. cbn [who first_turn] in Nj. destruct (Nat.eqb_spec (S t) (S j)); [lia|].
      rewrite andb_false_r, orb_false_r. destruct (Nat.leb_spec (S t) last), (Nat.leb_spec t last), (Nat.ltb_spec
      i (S t)), (Nat.ltb_spec i t), (Nat.eqb_spec j i), forced, (t =? S j); simpl; lia.
  - intros t Ht. rewrite game_steps in Ht. unfold keeps_it, filled, input. destruct (Nat.eq_dec t last) as
    [->|nl].
    + replace (S last <=? last) with false by (symmetry; apply Nat.leb_gt; lia). apply Nat.le_0_l.
    + rewrite game_first by lia. cbn [who history prompt response first_turn]. destruct (_ && _); lia.
  - intros t Ht. unfold keeps_it. apply Nat.le_trans with (sum (K + more) (fun j => (if j =? i then n else 0) +
    if forced && (t =? S j) then n else 0)).
    + apply sum_le. intros j _. destruct (t <=? last), (j =? i), (i <? t), (forced && (t =? S j)); simpl; lia.
    + rewrite sum_add. apply Nat.add_le_mono.
      * eapply Nat.le_trans; [apply (sum_one _ _ i)|]; [|rewrite Nat.eqb_refl; auto]. intros j _ Nj. apply
        Nat.eqb_neq in Nj. now rewrite Nj.
      * destruct forced; simpl; [|rewrite sum_zero; lia]. destruct t as [|t]; [simpl; rewrite sum_zero; lia|].
        eapply Nat.le_trans; [apply (sum_one _ _ t)|]; [|destruct (_ =? _); lia]. intros j _ Nj. destruct
        (Nat.eqb_spec (S t) (S j)); [lia|auto].
  - intros t Ht Fo. rewrite game_steps in Ht. unfold keeps_it, filled, input. rewrite game_first by lia. cbn [who
    history prompt response first_turn]. rewrite Fo, Nat.eqb_refl, orb_true_r, andb_true_r. replace (S t <=?
    last) with true by (symmetry; apply Nat.leb_le; lia). lia.
  - unfold tel. rewrite game_steps. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_zero|]. intros t Ht. unfold
    input. destruct (Nat.eq_dec t last) as [->|nl].
    + rewrite game_last. cbn [who history prompt]. unfold keeps_it. rewrite Nat.leb_refl. replace (i <? last)
      with true by (symmetry; apply Nat.ltb_lt; lia). rewrite Nat.eqb_refl. simpl. lia.
    + rewrite game_first by lia. cbn [who history prompt first_turn]. lia. Qed.
End Game.

Lemma sum_times m w f : w * sum m f = sum m (fun i => w * f i).
Proof. induction m; simpl; nia. Qed.
Lemma on_average K f x : K >= 1 -> x <= sum K f -> exists i, i < K /\ x <= K * f i.
Proof. intros HK H. assert (G : forall m, m <= K -> (exists i, i < K /\ x <= K * f i) \/ K * sum m f + m <= m *
  x). { induction m; intros Hm; [right; simpl; lia|]. destruct IHm as [|IH]; [lia|auto|]. destruct (le_lt_dec x
  (K * f m)); [left; exists m; split; auto; lia|right; simpl; nia]. } destruct (G K (le_n _)) as [|G']; auto.
  nia. Qed.

(* Rows tel.not-competitive and .forced. Let n, xi and h be at least 1, and h < K. For every policy with dice,
   that is a finite list of online policies with weights, with a cache of h n, there is a trace on which the
   weighted sum of TELs is at least n (1 - h / K) of the weights, and a cache of n could have paid nothing. Under
   forced caching (xi at most n) both have room for n more. *)
Theorem not_competitive : forall n K xi h forced (dice : list (nat * (list turn -> cache))),
  n >= 1 -> xi >= 1 -> h >= 1 -> h < K -> (forced = true -> xi <= n) ->
  (forall d, In d dice -> online forced (K + b2n forced) (h * n + b2n forced * n) (snd d)) ->
  exists us, (exists i, i < K /\ us = game n (K + b2n forced) xi i) /\
    n * (K - h) * lsum dice fst <= K * lsum dice (fun d => fst d * tel xi us (held (snd d) us)) /\
    exists best, plan (K + b2n forced) (n + b2n forced * n) forced empty us best /\ tel xi us best = 0.
Proof. intros n K xi h forced dice Hn Hx Hh HK Fi On. destruct (on_average K (fun i => lsum dice (fun d => fst d
  * tel xi (game n (K + b2n forced) xi i) (held (snd d) (game n (K + b2n forced) xi i)))) (n * (K - h) * lsum
    dice fst)) as (i & Hi & P); [lia| |].
  - rewrite <- lsum_swap. assert (E : n * (K - h) * lsum dice fst = lsum dice (fun d => fst d * (n * (K - h)))).
    { clear. induction dice; simpl; [lia|]. nia. } rewrite E. apply lsum_le. intros [w p] Hd. pose proof
    (policy_pays n K xi h forced Hn Hx Hh Fi p (On _ Hd)) as Q. cbn [fst snd]. eapply Nat.le_trans; [apply
    Nat.mul_le_mono_l, Q|]. rewrite sum_times. auto.
  - exists (game n (K + b2n forced) xi i). split; [eauto|]. split; [exact P|]. exists (keeps_it n K forced i).
    now apply (optimum_pays_nothing n K xi h). Qed.

(* Row tel.not-competitive. So for no ratio c and no constant b is an online policy c-competitive, not with h
   times the optimum's cache either. *)
Theorem no_ratio : forall c b xi h, xi >= 1 -> h >= 1 -> exists n N, forall policy, online false N (h * n)
  policy ->
  exists us best, plan N n false empty us best /\ c * tel xi us best + b < tel xi us (held policy us).
Proof. intros c b xi h Hx Hh. exists (2 * S b), (2 * h). intros policy On. assert (E1 : 2 * h + b2n false = 2 *
  h) by apply Nat.add_0_r. assert (E2 : forall x, x + b2n false * (2 * S b) = x) by (intros; apply Nat.add_0_r).
  destruct (not_competitive (2 * S b) (2 * h) xi h false [(1, policy)]) as (us & _ & P & best & PB & Z); try lia;
  try discriminate.
  - intros d [<-|[]]. rewrite E1, E2. exact On.
  - exists us, best. rewrite E1, E2 in PB. split; [exact PB|]. rewrite Z. cbn [lsum fst snd] in P. rewrite
    Nat.mul_1_l, !Nat.add_0_r in P. replace (2 * h - h) with h in P by lia. apply Nat.mul_lt_mono_pos_l with (2 *
    h); nia. Qed.
