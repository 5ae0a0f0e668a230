(* Fewest SLO violations are as hard as unsplittable flows on a path: the reduction, in both directions. *)
From Coq Require Import Arith Lia List Bool FinFun.
Require Import Numbers Model Plans Flows.
Import ListNotations.

Lemma firstn_next (us : list turn) t : t < length us -> firstn (S t) us = firstn t us ++ [turn_at us t].
Proof. unfold turn_at. revert t. induction us as [|u us IH]; intros t H; simpl in H; [lia|]. destruct t; auto.
  cbn [firstn nth app]. f_equal. apply IH. lia. Qed.
Lemma first_of (k : nat) (l : list turn) u : In u l -> who u = k ->
  exists a v b, l = a ++ v :: b /\ who v = k /\ forall x, In x a -> who x <> k.
Proof. induction l as [|x l IH]; intros [] E.
  - subst. exists [], u, l. repeat split; auto.
  - destruct (Nat.eq_dec (who x) k) as [W|W]; [exists [], x, l; repeat split; auto|]. destruct (IH H E) as (a & v
    & b & -> & Wv & N). exists (x :: a), v, b. repeat split; auto. intros y [<-|Hy]; auto. Qed.
Lemma nodup_app {A} (l r : list A) : NoDup l -> NoDup r -> (forall x, In x l -> ~ In x r) -> NoDup (l ++ r).
Proof. intros L R D. induction L as [|x l N L IH]; simpl; auto. constructor; [|apply IH; intros y Hy; apply D;
  now right]. rewrite in_app_iff. intros [H|H]; auto. apply (D x); auto. now left. Qed.

Section Reduction.
Variable F : flow.
Variable xi : nat.
Hypothesis good : good_flow F.
Hypothesis small : forall k, k < tasks F -> demand F k <= xi.
Notation m := (tasks F).
Notation first := (first_turn F).
Notation second := (second_turn F xi).
Notation block := (block F xi).
Notation us := (asked F xi).

Lemma in_ending k p : In k (ending F p) <-> k < m /\ S (finish F k) = p.
Proof. unfold ending. rewrite filter_In, in_seq, Nat.eqb_eq. lia. Qed.
Lemma in_starting k p : In k (starting F p) <-> k < m /\ begin F k = p.
Proof. unfold starting. rewrite filter_In, in_seq, Nat.eqb_eq. lia. Qed.
Lemma differ k j : k < m -> j < m -> first k <> second j.
Proof. intros Hk Hj E. inversion E. pose proof (f_demand _ good j Hj). lia. Qed.
Lemma in_seconds u p : In u (map second (ending F p)) <-> exists k, k < m /\ S (finish F k) = p /\ u = second k.
Proof. rewrite in_map_iff. split; [intros (k & <- & H); apply in_ending in H; exists k; intuition|]. intros (k &
  Hk & E & ->). exists k. split; auto. now apply in_ending. Qed.
Lemma in_firsts u p : In u (map first (starting F p)) <-> exists k, k < m /\ begin F k = p /\ u = first k.
Proof. rewrite in_map_iff. split; [intros (k & <- & H); apply in_starting in H; exists k; intuition|]. intros (k
  & Hk & E & ->). exists k. split; auto. now apply in_starting. Qed.
Lemma in_block u p : In u (block p) <->
  exists k, k < m /\ (u = second k /\ S (finish F k) = p \/ u = first k /\ begin F k = p).
Proof. unfold Flows.block. rewrite in_app_iff, in_seconds, in_firsts. split.
  - intros [(k & A & B & C)|(k & A & B & C)]; exists k; auto.
  - intros (k & A & [(B & C)|(B & C)]); [left|right]; exists k; auto. Qed.
Lemma in_blocks u a n : In u (flat_map block (seq a n)) <-> exists k p, k < m /\ a <= p < a + n /\
  (u = second k /\ S (finish F k) = p \/ u = first k /\ begin F k = p).
Proof. rewrite in_flat_map. split.
  - intros (p & Hp & H). apply in_seq in Hp. apply in_block in H as (k & Hk & C). exists k, p. auto.
  - intros (k & p & Hk & Hp & C). exists p. split; [now apply in_seq|]. apply in_block. exists k. auto. Qed.
Lemma same_first k j : first k = first j -> k = j.
Proof. intros E. now inversion E. Qed.
Lemma same_second k j : second k = second j -> k = j.
Proof. intros E. now inversion E. Qed.
Lemma nodup_blocks a n : NoDup (flat_map block (seq a n)).
Proof. revert a. induction n; intros a; simpl; [constructor|]. apply nodup_app; auto.
  - apply nodup_app; try (apply Injective_map_NoDup; [|apply NoDup_filter, seq_NoDup]).
    + exact same_second.
    + exact same_first.
    + intros u H1 H2. apply in_seconds in H1 as (k & Hk & _ & ->). apply in_firsts in H2 as (j & Hj & _ & E). now
      apply (differ j k Hj Hk).
  - intros u H1 H2. apply in_block in H1 as (k & Hk & C1). apply in_blocks in H2 as (j & p & Hj & Hp & C2).
    destruct C1 as [(-> & E1)|(-> & E1)], C2 as [(E2 & E3)|(E2 & E3)].
    + apply same_second in E2. subst. lia.
    + now apply (differ j k).
    + now apply (differ k j).
    + apply same_first in E2. subst. lia. Qed.

(* After any number of turns there is an edge up to which tasks have begun, and before which they have ended. *)
Lemma prefix_edge n : forall a P R, flat_map block (seq a n) = P ++ R -> exists p, a - 1 <= p /\
  (forall k, k < m -> In (first k) P -> begin F k <= p) /\
  (forall k, k < m -> a <= S (finish F k) -> S (finish F k) <= p -> In (second k) P).
Proof. induction n; intros a P R E; simpl in E.
  - symmetry in E. apply app_eq_nil in E as [-> ->]. exists (a - 1). repeat split; auto; [intros k _ []|lia].
  - destruct (app_eq_app _ _ _ _ E) as (l & [(B & _)|(-> & E')]).
    + unfold Flows.block in B. destruct (app_eq_app _ _ _ _ B) as (l' & [(B' & _)|(-> & B')]).
      * exists (a - 1). repeat split; auto; [|lia]. intros k Hk H. exfalso. assert (H' : In (first k) (map second
        (ending F a))) by (rewrite B'; apply in_or_app; auto). apply in_seconds in H' as (j & Hj & _ & Q). now
        apply (differ k j).
      * exists a. split; [lia|]. split.
        -- intros k Hk H. apply in_app_or in H as [H|H].
           ++ apply in_seconds in H as (j & Hj & _ & Q). exfalso. now apply (differ k j).
           ++ assert (H' : In (first k) (map first (starting F a))) by (rewrite B'; apply in_or_app; auto). apply
              in_firsts in H' as (j & Hj & Q & E1). apply same_first in E1. subst. lia.
        -- intros k Hk L1 L2. apply in_or_app. left. apply in_seconds. exists k. repeat split; auto. lia.
    + destruct (IHn (S a) l R E') as (p & Hp & B1 & B2). exists p. split; [lia|]. split.
      * intros k Hk H. apply in_app_or in H as [H|H]; auto. apply in_block in H as (j & Hj & [(Q & _)|(Q & E1)]).
        -- exfalso. now apply (differ k j).
        -- apply same_first in Q. subst. lia.
      * intros k Hk L1 L2. apply in_or_app. destruct (Nat.eq_dec a (S (finish F k))) as [->|Ne].
        -- left. apply in_block. exists k. auto.
        -- right. apply B2; auto. lia. Qed.
Lemma first_before_second n : forall a P R k, flat_map block (seq a n) = P ++ R -> k < m -> In (second k) P ->
  a <= begin F k -> In (first k) P.
Proof. induction n; intros a P R k E Hk H L; simpl in E.
  - symmetry in E. apply app_eq_nil in E as [-> ->]. destruct H.
  - destruct (f_edges _ good k Hk) as (E1 & E2 & E3). assert (Nb : ~ In (second k) (block a)). { intros Q. apply
    in_block in Q as (j & Hj & [(Q & E4)|(Q & _)]).
      - apply same_second in Q. subst. lia.
      - now apply (differ j k). } destruct (app_eq_app _ _ _ _ E) as (l & [(B & _)|(-> & E')]).
    + exfalso. apply Nb. rewrite B. apply in_or_app. auto.
    + apply in_app_or in H as [H|H]; [contradiction|]. apply in_or_app. destruct (Nat.eq_dec a (begin F k)) as
      [->|Ne]; [left; apply in_block; exists k; auto|]. right. apply (IHn (S a) l R k); auto. lia. Qed.

(* From a set that fits to a plan. *)
Definition has_come (P : list turn) k := existsb (fun u => (who u =? k) && (history u =? 0)) P.
Definition has_gone (P : list turn) k := existsb (fun u => (who u =? k) && (0 <? history u)) P.
Lemma in_us u : In u us -> exists k, k < m /\ (u = second k \/ u = first k).
Proof. unfold asked. intros H. apply in_blocks in H as (k & p & Hk & _ & C). exists k. intuition. Qed.
Lemma come_iff P k : incl P us -> k < m -> (has_come P k = true <-> In (first k) P).
Proof. intros I Hk. unfold has_come. rewrite existsb_exists. split.
  - intros (u & Hu & E). apply andb_prop in E as [W H]. apply Nat.eqb_eq in W, H. destruct (in_us u (I u Hu)) as
    (j & Hj & [->| ->]); simpl in W, H; subst; auto. pose proof (f_demand _ good k Hj). lia.
  - intros H. exists (first k). split; auto. simpl. now rewrite Nat.eqb_refl. Qed.
Lemma gone_iff P k : incl P us -> k < m -> (has_gone P k = true <-> In (second k) P).
Proof. intros I Hk. unfold has_gone. rewrite existsb_exists. split.
  - intros (u & Hu & E). apply andb_prop in E as [W H]. apply Nat.eqb_eq in W. apply Nat.ltb_lt in H. destruct
    (in_us u (I u Hu)) as (j & Hj & [->| ->]); simpl in W, H; subst; auto. lia.
  - intros H. exists (second k). split; auto. pose proof (f_demand _ good k Hk). cbn [who history second_turn].
    rewrite Nat.eqb_refl. apply Nat.ltb_lt. lia. Qed.
Lemma in_prefix t : incl (firstn t us) us.
Proof. intros u H. rewrite <- (firstn_skipn t us). apply in_or_app. auto. Qed.
Lemma turn_in t : t < steps us -> In (turn_at us t) us.
Proof. intros H. apply nth_In. exact H. Qed.

Definition kept_by (chosen : nat -> bool) (t : nat) : cache := fun k =>
  if (k <? m) && chosen k && has_come (firstn t us) k && negb (has_gone (firstn t us) k) then 2 * demand F k
    else 0.
Lemma kept_plan chosen : fit F chosen -> plan m (2 * room F) false empty us (kept_by chosen).
Proof. intros Fi. constructor.
  - intros i. unfold kept_by. simpl. rewrite andb_false_r. apply Nat.le_0_l.
  - intros t i Ht Ni. unfold kept_by. rewrite (firstn_next us t Ht). unfold has_come, has_gone. rewrite
    !existsb_app. simpl. apply not_eq_sym, Nat.eqb_neq in Ni. rewrite Ni. simpl. now rewrite !orb_false_r.
  - intros t Ht. unfold filled, input. destruct (in_us _ (turn_in t Ht)) as (k & Hk & [E|E]); rewrite E; cbn [who
    history prompt response first_turn second_turn].
    + enough (G : has_gone (firstn (S t) us) k = true) by (unfold kept_by; rewrite G, andb_false_r; lia). apply
      gone_iff; auto using in_prefix. rewrite (firstn_next us t Ht), E. apply in_or_app. right. now left.
    + unfold kept_by. destruct (_ && _); lia.
  - intros t Ht. destruct (prefix_edge (edges F + 2) 0 (firstn t us) (skipn t us)) as (p & _ & B1 & B2). {
    symmetry. apply firstn_skipn. } specialize (Fi p). apply Nat.le_trans with (sum m (fun k => 2 * (if chosen k
    && covers F p k then demand F k else 0))).
    + apply sum_le. intros k Hk. unfold kept_by. destruct (k <? m); simpl; [|lia]. destruct (chosen k); simpl;
      [|lia]. destruct (has_come (firstn t us) k) eqn:Co; simpl; [|lia]. destruct (has_gone (firstn t us) k)
      eqn:Go; simpl; [lia|]. apply come_iff in Co; auto using in_prefix. specialize (B1 k Hk Co). unfold covers.
      replace (begin F k <=? p) with true by (symmetry; now apply Nat.leb_le). destruct (Nat.leb_spec p (finish F
      k)) as [L|L]; simpl; [lia|]. exfalso. apply not_true_iff_false in Go. apply Go. apply gone_iff; auto using
      in_prefix. apply B2; auto; lia.
    + rewrite (sum_ext m _ (fun k => (if chosen k && covers F p k then demand F k else 0) + (if chosen k &&
      covers F p k then demand F k else 0))) by (intros; lia). rewrite sum_add. lia.
  - discriminate. Qed.
Lemma nth_same t j : t < steps us -> j < steps us -> turn_at us t = turn_at us j -> t = j.
Proof. intros Ht Hj E. exact (proj1 (NoDup_nth us _) (nodup_blocks 0 (edges F + 2)) t j Ht Hj E). Qed.
Lemma chosen_keep chosen t : t < steps us -> violates xi us (kept_by chosen) t = true ->
  exists k, k < m /\ turn_at us t = second k /\ chosen k = false.
Proof. intros Ht V. unfold violates in V. apply Nat.ltb_lt in V. unfold input in V. destruct (in_us _ (turn_in t
  Ht)) as (k & Hk & [E|E]); rewrite E in V; cbn [who history prompt first_turn second_turn] in V.
  - exists k. repeat split; auto. apply not_true_is_false. intros Ch. unfold kept_by in V. rewrite Ch in V.
    replace (k <? m) with true in V by (symmetry; now apply Nat.ltb_lt). simpl andb in V. assert (Go : has_gone
    (firstn t us) k = false). { apply not_true_is_false. intros G. apply gone_iff in G; auto using in_prefix.
    apply (In_nth _ _ (Turn 0 0 0 0 0)) in G as (j & Hj & Ej). rewrite firstn_length in Hj. enough (t = j) by
    lia. apply nth_same; auto; [unfold steps; lia|]. rewrite E, <- Ej. unfold turn_at. rewrite <- (firstn_skipn t
    us) at 2. rewrite app_nth1; auto. rewrite firstn_length. lia. } assert (Co : has_come (firstn t us) k =
    true). { apply come_iff; auto using in_prefix. pose proof (first_before_second (edges F + 2) 0 (firstn (S t)
    us) (skipn (S t) us) k) as FS. rewrite firstn_skipn in FS. specialize (FS eq_refl Hk). rewrite (firstn_next
    us t Ht), E in FS. assert (In (first k) (firstn t us ++ [second k])) as Q. { apply FS; [|lia]. apply
    in_or_app. right. now left. } apply in_app_or in Q as [Q|[Q|[]]]; auto. symmetry in Q. now apply differ in Q.
    } rewrite Go, Co in V. simpl andb in V. cbn iota in V. lia.
  - specialize (small k Hk). lia. Qed.
Lemma fit_to_plan chosen w : fit F chosen -> w <= cnt m chosen ->
  plan m (2 * room F) false empty us (kept_by chosen) /\ violations xi us (kept_by chosen) + w <= m.
Proof. intros Fi W. split; [now apply kept_plan|]. assert (V : violations xi us (kept_by chosen) <= cnt m (fun k
  => negb (chosen k))). { apply (sum_inj _ _ _ (fun t => who (turn_at us t))).
    - intros t Ht Vt. destruct (chosen_keep chosen t Ht Vt) as (k & Hk & E & Ch). rewrite E. simpl. now rewrite
      Ch.
    - intros t j Ht Hj Vt Vj E. destruct (chosen_keep chosen t Ht Vt) as (k & Hk & Et & _). destruct (chosen_keep
      chosen j Hj Vj) as (l & Hl & Ej & _). apply nth_same; auto. rewrite Et, Ej in *. simpl in E. now subst. }
      assert (S : cnt m chosen + cnt m (fun k => negb (chosen k)) = m). { unfold cnt. rewrite <- sum_add. rewrite
      (sum_ext m _ (fun _ => 1)) by (intros i _; destruct (chosen i); auto). clear. induction m; simpl; lia. }
      lia. Qed.

(* From a plan to a set that fits. *)
Section Plan.
Variable X : nat -> cache.
Hypothesis P : plan m (2 * room F) false empty us X.
Definition mine k t := violates xi us X t && (who (turn_at us t) =? k).
Definition in_time k := negb (existsb (mine k) (seq 0 (steps us))).

Lemma stays b n k : b + n <= steps us -> (forall i, i < n -> who (turn_at us (b + i)) <> k) -> X (b + n) k <= X
  b k.
Proof. induction n; intros L H; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r. eapply Nat.le_trans; [apply
  (p_grows _ _ _ _ _ _ P); [lia|]|apply IHn; [lia|auto]]. apply not_eq_sym. apply H. lia. Qed.
Lemma in_time_fits : fit F in_time.
Proof. intros p. destruct (le_lt_dec p (edges F)) as [Lp|Lp]. 2:{ rewrite (sum_ext m _ (fun _ => 0)); [rewrite
  sum_zero; lia|]. intros k Hk. destruct (f_edges _ good k Hk) as (_ & _ & E). unfold covers. replace (p <=?
  finish F k) with false by (symmetry; apply Nat.leb_gt; lia). now rewrite !andb_false_r. } set (A := flat_map
  block (seq 0 (S p))). set (B := flat_map block (seq (S p) (edges F + 2 - S p))). assert (E : us = A ++ B). {
  unfold asked, A, B. rewrite <- flat_map_app, <- seq_app. do 2 f_equal. lia. } assert (H : forall k, k < m ->
  in_time k && covers F p k = true -> length A < steps us /\ 2 * demand F k <= X (length A) k). { intros k Hk Hc.
  apply andb_prop in Hc as [It Co]. unfold covers in Co. apply andb_prop in Co as [Co1 Co2]. apply Nat.leb_le in
  Co1, Co2. destruct (f_edges _ good k Hk) as (E1 & E2 & E3). assert (HB : In (second k) B). { apply in_blocks.
  exists k, (S (finish F k)). repeat split; auto; lia. } destruct (first_of k B (second k) HB eq_refl) as (a & v
  & b & EB & Wv & Na). assert (v = second k) as ->. { assert (HV : In v B) by (rewrite EB; apply in_or_app;
  right; now left). apply in_blocks in HV as (j & q & Hj & Hq & [(-> & _)|(-> & Q)]); simpl in Wv; subst; auto.
  lia. } assert (St : steps us = length A + length a + S (length b)). { unfold steps. rewrite E, EB, !app_length.
  simpl. lia. } assert (Tg : turn_at us (length A + length a) = second k). { unfold turn_at. rewrite E, EB,
  app_nth2_plus, app_nth2 by lia. now rewrite Nat.sub_diag. } split; [lia|]. assert (Vg : violates xi us X
  (length A + length a) = false). { unfold in_time in It. apply negb_true_iff in It. apply not_true_is_false.
  intros V. apply not_true_iff_false in It. apply It. apply existsb_exists. exists (length A + length a). split;
  [apply in_seq; lia|]. unfold mine. rewrite V, Tg. simpl. apply Nat.eqb_refl. } unfold violates, input in Vg.
  rewrite Tg in Vg. cbn [who history prompt second_turn] in Vg. apply Nat.ltb_ge in Vg. eapply Nat.le_trans;
  [|apply (stays (length A) (length a) k); [lia|]]; [lia|]. intros i Hi. unfold turn_at. rewrite E, EB,
  app_nth2_plus, app_nth1 by auto. apply Na. now apply nth_In. } destruct (le_lt_dec (steps us) (length A)) as
  [L|L].
  - rewrite (sum_ext m _ (fun _ => 0)); [rewrite sum_zero; lia|]. intros k Hk. destruct (in_time k && covers F p
    k) eqn:C; auto. destruct (H k Hk C). lia.
  - pose proof (p_fits _ _ _ _ _ _ P (length A) L) as Fi. assert (D : sum m (fun k => (if in_time k && covers F p
    k then demand F k else 0) + (if in_time k && covers F p k then demand F k else 0)) <= 2 * room F). { eapply
    Nat.le_trans; [|exact Fi]. apply sum_le. intros k Hk. destruct (in_time k && covers F p k) eqn:C; [|lia].
    destruct (H k Hk C). lia. } rewrite sum_add in D. lia. Qed.
Lemma late_ones : m <= cnt m in_time + violations xi us X.
Proof. assert (V : cnt m (fun k => negb (in_time k)) <= violations xi us X). { assert (Sp : forall k, negb
  (in_time k) = true -> let t := hd 0 (filter (mine k) (seq 0 (steps us))) in t < steps us /\ violates xi us X t
  = true /\ who (turn_at us t) = k). { intros k H. unfold in_time in H. rewrite negb_involutive in H. apply
  existsb_exists in H as (t & Ht & Mt). assert (I : In t (filter (mine k) (seq 0 (steps us)))) by now apply
  filter_In. destruct (filter (mine k) (seq 0 (steps us))) as [|h l] eqn:Q; [destruct I|]. simpl. assert (I' : In
  h (filter (mine k) (seq 0 (steps us)))) by (rewrite Q; now left). apply filter_In in I' as [I1 I2]. apply
  in_seq in I1. unfold mine in I2. apply andb_prop in I2 as [I2 I3]. apply Nat.eqb_eq in I3. repeat split; auto.
  lia. } apply (sum_inj _ _ _ (fun k => hd 0 (filter (mine k) (seq 0 (steps us))))).
    - intros k _ H. destruct (Sp k H) as (A & B & _). auto.
    - intros k j _ _ Hk Hj E. destruct (Sp k Hk) as (_ & _ & <-). destruct (Sp j Hj) as (_ & _ & <-). now rewrite
      E. } assert (S : cnt m in_time + cnt m (fun k => negb (in_time k)) = m). { unfold cnt. rewrite <- sum_add.
      rewrite (sum_ext m _ (fun _ => 1)) by (intros i _; destruct (in_time i); auto). clear. induction m; simpl;
      lia. } lia. Qed.
End Plan.
End Reduction.

(* Row slo.np-hard. On the trace of a flow whose demands are at most xi, with a cache of twice its room: so many
   tasks fit if and only if some plan has at most the other tasks' number of violations. *)
Theorem violations_are_flows : forall F xi w, good_flow F -> (forall k, k < tasks F -> demand F k <= xi) ->
  ((exists chosen, fit F chosen /\ w <= cnt (tasks F) chosen) <->
   (exists X, plan (tasks F) (2 * room F) false empty (asked F xi) X /\ violations xi (asked F xi) X + w <=
     tasks F)).
Proof. intros F xi w G S. split.
  - intros (chosen & Fi & W). exists (kept_by F xi chosen). now apply fit_to_plan.
  - intros (X & P & V). exists (in_time F xi X). split; [now apply in_time_fits|]. pose proof (late_ones F xi X).
    lia. Qed.
