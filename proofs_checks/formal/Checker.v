(* The checker of certificates as a program: one pass over the trace bounds the TEL of every plan from below. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers FurthestNext Model Policies Plans Replays Programs RunsArePlans TailOptimizedBelady.
Import ListNotations.

(* When i came last, counted from 1; 0 if never. *)
Fixpoint latest (seen : list (nat * nat)) i :=
  match seen with [] => 0 | (j, t) :: seen => if j =? i then t else latest seen i end.

Section Checker.
Variables C xi : nat.
Variable forced : bool.
Variable at_first : cache.
Definition needs (u : turn) := min (history u) (history u + prompt u - xi).
(* `looked` is one more than the last step of P so far, 0 before the first; P says of each step whether it is in
   it, and `exempt` is what forced caching exempts there. The reuse interval of a turn begins after the last turn
   of its conversation, under forced caching a step later. *)
Fixpoint kept_at_most (t looked exempt : nat) (seen : list (nat * nat)) (us : list turn) (P : list bool) :=
  match us with
  | [] => 0
  | u :: us =>
    let p := hd false P in
    let looked := if p then S t else looked in
    let last := latest seen (who u) in
    let most := if last =? 0 then min (needs u) (at_first (who u)) else needs u in
    let begins := if forced && negb (last =? 0) then S last else last in
    (if p then C - exempt else 0) + (if begins <? looked then 0 else most) +
    kept_at_most (S t) looked (if forced then history u + prompt u + response u else 0) ((who u, S t) :: seen) us
      (tl P)
  end.
Fixpoint without_cache (us : list turn) :=
  match us with [] => 0 | u :: us => history u + prompt u - xi + without_cache us end.
Definition least_tel (us : list turn) (P : list bool) := without_cache us - kept_at_most 0 0 0 [] us P.
End Checker.

(* One more than the greatest number below n that q takes; 0 if there is none. *)
Fixpoint last_of (q : nat -> bool) n := match n with 0 => 0 | S m => if q m then S m else last_of q m end.
Lemma last_of_more q n m : m < last_of q n <-> exists s, m <= s /\ s < n /\ q s = true.
Proof. induction n; simpl; [split; [lia | intros (s & ? & ? & ?); lia]|]. destruct (q n) eqn:Q.
  - split; [intros H; exists n; repeat split; auto; lia|]. intros (s & A & B & _). lia.
  - rewrite IHn. split; intros (s & A & B & E); exists s; repeat split; auto. destruct (Nat.eq_dec s n);
    [congruence|lia]. Qed.

Section Meets.
Variables N C xi : nat.
Variable forced : bool.
Variable at_first : cache.
Variable us : list turn.
Variable P : nat -> bool.
Notation at_ t := (turn_at us t).
Notation T := (steps us).
Notation r := (b2n forced).
Notation comes := (comes us).
Notation since := (since r comes).
Notation free := (free T r comes).
Notation next := (FurthestNext.next T comes).
(* The room that exempt conversations leave. *)
Definition room t := C - match t with 0 => 0 | S s => if forced then filled us s else 0 end.
Definition came_before t i := last_of (fun k => who (at_ k) =? i) t.
Definition begins t i := if forced && negb (came_before t i =? 0) then S (came_before t i) else came_before t i.
Definition most t :=
  if came_before t (who (at_ t)) =? 0 then min (need xi us t) (at_first (who (at_ t))) else need xi us t.
Definition share t := (if P t then room t else 0) +
  (if begins t (who (at_ t)) <? last_of P (S t) then 0 else most t).

Lemma pass_ok : forall vs k looked exempt seen Q, k + length vs = T ->
  (forall i, nth i vs (Turn 0 0 0 0 0) = at_ (k + i)) -> (forall i, nth i Q false = P (k + i)) ->
  looked = last_of P k -> C - exempt = room k -> (forall i, latest seen i = came_before k i) ->
  kept_at_most C xi forced at_first k looked exempt seen vs Q = sum (length vs) (fun i => share (k + i)).
Proof. induction vs as [|u vs IH]; intros k looked ex seen Q L V HQ Lo Ex Se; auto. simpl length in *. pose proof
  (V 0) as V0. pose proof (HQ 0) as Q0. simpl in V0. rewrite Nat.add_0_r in V0, Q0. assert (E : hd false Q = P k)
  by (rewrite <- Q0; now destruct Q). assert (Lk : (if hd false Q then S k else looked) = last_of P (S k)) by
  (rewrite E, Lo; auto). cbn [kept_at_most]. cbv zeta. rewrite Lk, Se, Ex. change (S (length vs)) with (1 +
  length vs). rewrite sum_app. cbn [sum]. rewrite Nat.add_0_r. f_equal.
  - unfold share, most, begins. rewrite E, V0. reflexivity.
  - rewrite (IH (S k) _ _ _ (tl Q)); auto; try lia.
    + apply sum_ext. intros i _. f_equal. lia.
    + intros i. specialize (V (S i)). simpl in V. rewrite V. f_equal. lia.
    + intros i. specialize (HQ (S i)). replace (S k + i) with (k + S i) by lia. rewrite <- HQ. now destruct Q;
      destruct i.
    + unfold room, filled, input. rewrite <- V0. destruct forced; auto.
    + intros i. simpl. unfold came_before. simpl. rewrite V0. destruct (who (at_ k) =? i); auto. apply Se. Qed.
Lemma without_cache_ok : forall vs k, (forall i, nth i vs (Turn 0 0 0 0 0) = at_ (k + i)) ->
  without_cache xi vs = sum (length vs) (fun i => input us (k + i) - xi).
Proof. induction vs as [|u vs IH]; intros k V; auto. simpl length. simpl without_cache. change (S (length vs))
  with (1 + length vs). rewrite sum_app. simpl. rewrite Nat.add_0_r. f_equal.
  - unfold input. now rewrite <- (Nat.add_0_r k), <- V.
  - rewrite (IH (S k)) by (intros i; specialize (V (S i)); simpl in V; rewrite V; rewrite Nat.add_succ_r; auto).
    apply sum_ext. intros i _. now rewrite Nat.add_succ_r. Qed.

(* Where the program finds no step of P in the interval, there is none; and who came before has a turn before. *)
Lemma since_begins t i : since t i <= begins t i.
Proof. unfold begins, came_before. induction t; simpl; auto; [lia|]. unfold comes at 1. rewrite Nat.eqb_sym.
  destruct (who (at_ t) =? i) eqn:E; auto. unfold b2n. destruct forced; simpl; lia. Qed.
Lemma free_not_hit t : t < T -> free P t (who (at_ t)) = true ->
  begins t (who (at_ t)) <? last_of P (S t) = false.
Proof. intros Ht F. apply Nat.ltb_ge. apply Nat.nlt_ge. intros H. apply last_of_more in H as (p & A & B & E).
  pose proof (since_begins t (who (at_ t))). assert (G := proj1 (free_spec T r comes P t _ Ht) F p E). unfold
  covers in G. apply andb_false_iff in G as [G|G]; apply Nat.leb_gt in G; lia. Qed.
Lemma first_turn t : t < T -> next 0 (who (at_ t)) = t <-> came_before t (who (at_ t)) = 0.
Proof. intros Ht. assert (L : next 0 (who (at_ t)) <= t) by (apply next_last; auto; [lia|apply Nat.eqb_refl]).
  destruct (next_spec T r comes (who (at_ t)) 0 ltac:(lia)) as (B & W). split; intros H.
  - destruct (came_before t (who (at_ t))) eqn:E; auto. exfalso. assert (G : 0 < came_before t (who (at_ t))) by
    lia. apply last_of_more in G as (s & _ & S1 & S2). assert (L' : next 0 (who (at_ t)) <= s); [|lia]. apply
    next_last; try lia. unfold TailOptimizedBelady.comes. now rewrite Nat.eqb_sym.
  - destruct (Nat.eq_dec (next 0 (who (at_ t))) t) as [|n]; auto. exfalso. enough (0 < came_before t (who (at_
    t))) by lia. apply last_of_more. exists (next 0 (who (at_ t))). repeat split; try lia. destruct W as [W _];
    [lia|]. unfold TailOptimizedBelady.comes in W. now rewrite Nat.eqb_sym. Qed.

Hypothesis numbers : forall t, t < T -> who (at_ t) < N.
Lemma room_enough t : t <= T -> FurthestNext.room N C r comes (left_by us) t <= room t.
Proof. intros Ht. unfold FurthestNext.room, room. destruct t as [|s]; [lia|]. pose proof (sum_ge N (fun i => if
  FurthestNext.exempt r comes (S s) i then level comes (left_by us) (S s) i else 0) (who (at_ s)) (numbers s
  ltac:(lia))) as G. cbv beta in G. rewrite exempt_same in G. unfold Policies.exempt in G. rewrite Nat.eqb_refl,
  andb_true_r in G. cbn [level] in G. replace (comes s (who (at_ s))) with true in G by (symmetry; apply
  Nat.eqb_refl). change (left_by us s (who (at_ s))) with (filled us s) in G. cbn [level]. lia. Qed.
(* What is counted at a turn is counted of whose turn it is. *)
Lemma own_turns f g : (forall i, i < N -> f i = sum T (fun t => g t i)) ->
  (forall t i, t < T -> i <> who (at_ t) -> g t i = 0) -> sum N f <= sum T (fun t => g t (who (at_ t))).
Proof. intros E Z. rewrite (sum_ext N f _ E), sum_swap. apply sum_le. intros t Ht. apply sum_one. intros i _ n.
  auto. Qed.
Lemma bound_share : bound N C xi forced us at_first P <= sum T share.
Proof. unfold bound, allowed, of_rooms. pose (first t i := if (next 0 i =? t) && comes t i && free P t i then min
  (need xi us t) (at_first i) else 0). pose (later t i := if (0 <=? t) && comes t i && negb (next 0 i =? t) &&
  free P t i then need xi us t else 0). assert (A : sum N (of_next T r comes (of_use xi us) 0 at_first P) <= sum
  T (fun t => first t (who (at_ t)))). { apply (own_turns _ first).
    - intros i _. unfold of_next, first. rewrite (sum_ext T _ (fun t => if t =? next 0 i then if comes (next 0 i)
      i && free P (next 0 i) i then min (need xi us (next 0 i)) (at_first i) else 0 else 0)). 2:{ intros t _.
      rewrite (Nat.eqb_sym t). destruct (Nat.eqb_spec (next 0 i) t) as [->|]; auto. } rewrite sum_point. destruct
      (Nat.ltb_spec (next 0 i) T) as [L|L]; auto. simpl. destruct (next_spec T r comes i 0 ltac:(lia)) as (_ &
      W). destruct (W L) as [-> _]. reflexivity.
    - intros t i _ n. unfold first, TailOptimizedBelady.comes. now rewrite (proj2 (Nat.eqb_neq _ _) n),
      andb_false_r. } assert (B : sum N (of_later T r comes (of_use xi us) 0 P) <= sum T (fun t => later t (who
      (at_ t)))). { apply (own_turns _ later); [reflexivity|]. intros t i _ n. unfold later,
      TailOptimizedBelady.comes. now rewrite (proj2 (Nat.eqb_neq _ _) n). } assert (R : sum T (fun p => if P p
      then FurthestNext.room N C r comes (left_by us) p else 0) <= sum T (fun p => if P p then room p else 0)). {
      apply sum_le. intros t Ht. pose proof (room_enough t ltac:(lia)). destruct (P t); lia. } enough (G : sum T
      (fun p => if P p then room p else 0) + sum T (fun t => first t (who (at_ t))) + sum T (fun t => later t
      (who (at_ t))) <= sum T share) by lia. rewrite <- !sum_add. apply sum_le. intros t Ht. unfold share, first,
      later, most. replace (comes t (who (at_ t))) with true by (symmetry; apply Nat.eqb_refl). pose proof
      (first_turn t Ht) as Fi. pose proof (free_not_hit t Ht) as Fr. set (looked := last_of P (S t)) in *.
      rewrite !andb_true_r. simpl. destruct (free P t (who (at_ t))); [rewrite Fr by auto | rewrite
      !andb_false_r; lia]. destruct (Nat.eqb_spec (next 0 (who (at_ t))) t) as [E|E], (Nat.eqb_spec (came_before
      t (who (at_ t))) 0) as [E'|E']; simpl; try lia; tauto. Qed.
End Meets.

(* Rows theorem-b1.certificate and .certificate.forced, for the program. What the checker answers is at most the
   TEL of every plan, from any initial cache that fits, whoever found P. *)
Theorem checker_is_sound : forall N C xi forced w X0 us P X,
  sum N X0 <= C -> trace N w us -> each_fits C forced us -> plan N C forced X0 us X ->
  least_tel C xi forced X0 us P <= tel xi us X.
Proof. intros N C xi forced w X0 us P X Fi Tr Ea Pl. unfold least_tel. rewrite (without_cache_ok xi us us 0),
  (pass_ok C xi forced X0 us (fun s => nth s P false) us 0) by (auto; simpl; lia). pose proof (bound_share N C xi
  forced X0 us (fun s => nth s P false) (fun t H => proj1 (histories_at N us w Tr t H))) as B. destruct
  (tail_optimized_belady_runs N C xi forced w X0 us Ea) as (xs & R). pose proof (proj2 (certificate_closes N C xi
  forced w X0 us Fi Tr xs R) (fun s => nth s P false) X Pl) as U. set (p := fun s => nth s P false) in *. unfold
  uncached_tel, steps in *. change (fun i => input us (0 + i) - xi) with (fun i => input us i - xi). change (fun
  i => share C xi forced X0 us p (0 + i)) with (share C xi forced X0 us p). lia. Qed.
