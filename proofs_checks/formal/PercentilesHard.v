(* Best percentiles are as hard as unsplittable flows on a path, at every level between 0 and 1. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Plans Flows ViolationsHard.
Import ListNotations.

(* P_q of n lengths is the ceil(q n)-th smallest. So it is at most xi if and only if so many of them are. q = a /
   b. *)
Definition rank a b n := (a * n + (b - 1)) / b.
Definition percentile_within a b xi us X := rank a b (steps us) + violations xi us X <= steps us.

(* New conversations of one turn each, after all others: quiet ones never violate the SLO, loud ones always. *)
Definition quiet_turn k := Turn k 0 1 0 0.
Definition loud_turn xi k := Turn k 0 (S xi) 0 0.
Definition quiet m x := map quiet_turn (seq m x).
Definition loud xi m y := map (loud_turn xi) (seq m y).
Definition with_more xi m x y us := us ++ quiet m x ++ loud xi (m + x) y.

Section Levels.
Variables a b : nat.
Hypothesis level : 0 < a < b.
Definition over n := ((b - a) * n) / b.

Lemma rank_over n : rank a b n + over n = n.
Proof. unfold rank, over. pose proof (Nat.div_mod ((b - a) * n) b ltac:(lia)) as D. pose proof
  (Nat.mod_upper_bound ((b - a) * n) b ltac:(lia)) as U. set (q := (b - a) * n / b) in *. set (r := ((b - a) * n)
  mod b) in *. assert (q <= n) by nia. enough ((a * n + (b - 1)) / b = n - q) by lia. symmetry. apply
  Nat.div_unique with (b - 1 - r); [lia|]. nia. Qed.
Lemma over_S n : over n <= over (S n) <= S (over n).
Proof. unfold over. split; [apply Nat.div_le_mono; nia|]. replace (S ((b - a) * n / b)) with (((b - a) * n + 1 *
  b) / b) by (rewrite Nat.div_add; lia). apply Nat.div_le_mono; nia. Qed.
(* Some numbers of quiet and loud turns make the turns that may exceed the percentile the loud ones and v
   more. *)
Lemma enough_more n v : exists x y, x <= b * v /\ y <= b * n /\ over (n + x + y) = y + v.
Proof. destruct (le_lt_dec (over n) v) as [L|L].
  - assert (G : forall k, (exists x, x <= k /\ over (n + x) = v) \/ over (n + k) <= v). { induction k as [|k [(x
    & Hx & E)|H]]; [right; now rewrite Nat.add_0_r|left; exists x; auto|]. destruct (Nat.eq_dec (over (n + k)) v)
    as [E|E]; [left; exists k; auto|right]. rewrite Nat.add_succ_r. pose proof (over_S (n + k)). lia. } assert (R
    : v <= over (n + b * v)). { unfold over. apply Nat.div_le_lower_bound; [lia|]. nia. } destruct (G (b * v)) as
    [(x & Hx & E)|H]; [exists x, 0|exists (b * v), 0]; rewrite Nat.add_0_r; repeat split; lia.
  - assert (G : forall k, (exists y, y <= k /\ over (n + y) = y + v) \/ k + v < over (n + k)). { induction k as
    [|k [(y & Hy & E)|H]]; [right; now rewrite Nat.add_0_r|left; exists y; auto|]. rewrite Nat.add_succ_r. pose
    proof (over_S (n + k)). destruct (Nat.eq_dec (over (S (n + k))) (S k + v)) as [E|E]; [|right; lia]. left.
    exists (S k). rewrite Nat.add_succ_r. auto. } assert (R : over (n + b * n) <= b * n + v). { unfold over.
    apply Nat.div_le_upper_bound; [lia|]. nia. } destruct (G (b * n)) as [(y & Hy & E)|H]; [exists 0, y; rewrite
    Nat.add_0_r; repeat split; lia|lia]. Qed.
End Levels.

Section More.
Variables m C xi x y : nat.
Variable us : list turn.
Hypothesis numbers : forall u, In u us -> who u < m.
Notation longer := (with_more xi m x y us).

Lemma longer_steps : steps longer = steps us + x + y.
Proof. unfold steps, with_more, quiet, loud. rewrite !app_length, !map_length, !seq_length. lia. Qed.
Lemma longer_first t : t < steps us -> turn_at longer t = turn_at us t.
Proof. intros H. unfold turn_at, with_more. now rewrite app_nth1. Qed.
Lemma longer_quiet t : t < x -> turn_at longer (steps us + t) = Turn (m + t) 0 1 0 0.
Proof. intros H. unfold turn_at, with_more, steps. rewrite app_nth2_plus, app_nth1 by (unfold quiet; now rewrite
  map_length, seq_length). unfold quiet. rewrite (nth_indep _ _ (quiet_turn 0)) by (now rewrite map_length,
  seq_length). rewrite map_nth, seq_nth; auto. Qed.
Lemma longer_loud t : t < y -> turn_at longer (steps us + (x + t)) = Turn (m + x + t) 0 (S xi) 0 0.
Proof. intros H. unfold turn_at, with_more, steps. rewrite app_nth2_plus, app_nth2; unfold quiet; rewrite
  map_length, seq_length; [|lia]. replace (x + t - x) with t by lia. unfold loud. rewrite (nth_indep _ _
  (loud_turn xi 0)) by (now rewrite map_length, seq_length). rewrite map_nth, seq_nth; auto. Qed.
Lemma longer_violations X : 1 <= xi -> violations xi longer X = violations xi us X + y.
Proof. intros Xp. unfold violations, cnt. rewrite longer_steps, <- Nat.add_assoc, !sum_app. f_equal.
  - apply sum_ext. intros t Ht. unfold violates, input. now rewrite longer_first.
  - rewrite (sum_ext x _ (fun _ => 0)), sum_zero.
    + rewrite (sum_ext y _ (fun _ => 1)); [clear; induction y; simpl; lia|]. intros t Ht. unfold violates, input.
      rewrite longer_loud by auto. cbn [who history prompt]. replace (xi <? _) with true; auto. symmetry. apply
      Nat.ltb_lt. lia.
    + intros t Ht. unfold violates, input. rewrite longer_quiet by auto. cbn [who history prompt]. replace (xi <?
      _) with false; auto. symmetry. apply Nat.ltb_ge. lia. Qed.
Definition until (X : nat -> cache) t : cache := if t <? steps us then X t else empty.
Lemma plan_longer X : plan m C false empty us X -> plan (m + x + y) C false empty longer (fun t i => if i <? m
  then until X t i else 0).
Proof. intros [P1 P2 P3 P4 P5]. constructor.
  - intros i. unfold until, empty in *. destruct (i <? m), (0 <? steps us); auto.
  - intros t i Ht Ni. destruct (i <? m); auto. unfold until, empty. destruct (Nat.ltb_spec (S t) (steps us));
    [|lia]. destruct (Nat.ltb_spec t (steps us)); [|lia]. rewrite longer_first in Ni by lia. auto.
  - intros t Ht. unfold until, empty. destruct (_ <? m); [|lia]. destruct (Nat.ltb_spec (S t) (steps us));
    [|lia]. unfold filled, input. rewrite longer_first by lia. apply P3. lia.
  - intros t Ht. unfold until, empty. apply Nat.le_trans with (sum m (if t <? steps us then X t else fun _ =>
    0)).
    + rewrite <- Nat.add_assoc, sum_app. rewrite (sum_ext (x + y) _ (fun _ => 0)), sum_zero.
      * rewrite Nat.add_0_r. apply sum_le. intros i Hi. replace (i <? m) with true by (symmetry; now apply
        Nat.ltb_lt). auto.
      * intros i Hi. replace (m + i <? m) with false by (symmetry; apply Nat.ltb_ge; lia). auto.
    + destruct (Nat.ltb_spec t (steps us)); [now apply P4|]. rewrite sum_zero. lia.
  - discriminate. Qed.
Lemma plan_shorter X : plan (m + x + y) C false empty longer X -> plan m C false empty us X.
Proof. intros [P1 P2 P3 P4 P5]. assert (L : forall t, t < steps us -> t < steps longer) by (intros; rewrite
  longer_steps; lia). constructor; auto.
  - intros t i Ht Ni. apply P2; auto. now rewrite longer_first.
  - intros t Ht. specialize (P3 t (L t Ht)). unfold filled, input in *. now rewrite longer_first in P3.
  - intros t Ht. specialize (P4 t (L t Ht)). rewrite <- Nat.add_assoc, sum_app in P4. lia.
  - discriminate. Qed.
Lemma violations_until X : violations xi us (fun t i => if i <? m then until X t i else 0) = violations xi us X.
Proof. apply sum_ext. intros t Ht. unfold violates, until. replace (t <? steps us) with true by (symmetry; now
  apply Nat.ltb_lt). replace (who (turn_at us t) <? m) with true; auto. symmetry. apply Nat.ltb_lt, numbers. now
  apply nth_In. Qed.
End More.

(* Rows percentile.np-hard and appendix-g.hard. For every level a / b between 0 and 1 and every number of tasks w
   there are numbers of quiet and of loud turns, at most b times the tasks and the turns, so that P_q <= xi is
   possible on the trace of the flow with these turns if and only if w tasks fit. *)
Theorem percentiles_are_flows : forall F xi a b w, good_flow F -> (forall k, k < tasks F -> demand F k <= xi) ->
  1 <= xi -> 0 < a < b -> w <= tasks F -> exists x y, x <= b * tasks F /\ y <= b * steps (asked F xi) /\
  ((exists chosen, fit F chosen /\ w <= cnt (tasks F) chosen) <->
   (exists X, plan (tasks F + x + y) (2 * room F) false empty (with_more xi (tasks F) x y (asked F xi)) X /\
      percentile_within a b xi (with_more xi (tasks F) x y (asked F xi)) X)).
Proof. intros F xi a b w G S Xp Lv W. destruct (enough_more a b Lv (steps (asked F xi)) (tasks F - w)) as (x & y
  & Bx & By & E). exists x, y. split; [nia|]. split; [exact By|]. rewrite (violations_are_flows F xi w G S).
  assert (Nu : forall u, In u (asked F xi) -> who u < tasks F). { intros u Hu. destruct (in_us F xi u Hu) as (k &
  Hk & [->| ->]); auto. } set (us := asked F xi) in *. unfold percentile_within. pose proof (rank_over a b Lv
  (steps us + x + y)) as R. split; intros (X & P & V).
  - exists (fun t i => if i <? tasks F then until us X t i else 0). split; [now apply plan_longer|]. rewrite
    (longer_violations _ _ _ _ _ _ Xp), longer_steps, (violations_until (tasks F) xi us Nu X). lia.
  - exists X. split; [now apply (plan_shorter (tasks F) (2 * room F) xi x y)|]. rewrite (longer_violations _ _ _
    _ _ _ Xp), longer_steps in V. lia. Qed.
