(* The checker of certificates as a program: in one pass over the trace it computes the bound of LowerBound.v. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model WeakDuality LowerBound.
Import ListNotations.

(* When i came last, counted from 1; 0 if never. *)
Fixpoint latest (seen : list (nat * nat)) i :=
  match seen with [] => 0 | (j, t) :: seen => if j =? i then t else latest seen i end.

Section Checker.
Variables C xi : nat.
Definition needs (u : turn) := min (history u) (history u + prompt u - xi).
(* `looked` is one more than the last step of P, 0 before the first; `steps` says of each step whether it is in P.
  *)
Fixpoint kept_at_most (t looked : nat) (seen : list (nat * nat)) (us : list turn) (P : list bool) :=
  match us with
  | [] => 0
  | u :: us =>
    let p := hd false P in let looked := if p then S t else looked in
    (if p then C else 0) + (if latest seen (who u) <? looked then 0 else needs u) +
    kept_at_most (S t) looked ((who u, S t) :: seen) us (tl P)
  end.
Fixpoint without_cache (us : list turn) := match us with [] => 0 | u :: us => history u + prompt u - xi +
  without_cache us end.
Definition least_tel (us : list turn) (P : list bool) := without_cache us - kept_at_most 0 0 [] us P.
End Checker.


(* One more than the greatest number below n that q takes; 0 if there is none. *)
Fixpoint last_of (q : nat -> bool) n := match n with 0 => 0 | S m => if q m then S m else last_of q m end.
Lemma last_of_more q n m : m < last_of q n <-> exists s, m <= s /\ s < n /\ q s = true.
Proof.
  induction n; simpl; [split; [lia | intros (s & ? & ? & ?); lia]|]. destruct (q n) eqn:Q.
  - split; [intros H; exists n; repeat split; auto; lia|]. intros (s & A & B & _). lia.
  - rewrite IHn. split; intros (s & A & B & E); exists s; repeat split; auto.
    destruct (Nat.eq_dec s n); [congruence|lia].
Qed.

Section Meets.
Variables C xi : nat.
Variable us : list turn.
Variable P : nat -> bool.
Notation at_ t := (turn_at us t).
Notation T := (LowerBound.steps us).
Definition came_before t i := last_of (fun k => who (at_ k) =? i) t.

Lemma touched s t b : t <= T -> seen (touch us) s t b = true <-> exists k, s <= k /\ k < t /\ (who (at_ k) =? b) =
  true.
Proof.
  intros L. unfold seen, touch. rewrite existsb_exists. split.
  - intros (k & I & H). apply in_seq in I. exists k. rewrite (proj2 (Nat.leb_gt T k)) in H by lia.
    repeat split; auto; lia.
  - intros (k & A & B & E). exists k. rewrite in_seq, E, orb_true_r. split; auto. lia.
Qed.
Lemma hit_ok t b : t < T -> hit (touch us) P t b = (came_before t b <? last_of P (S t)).
Proof.
  intros L. apply eq_true_iff_eq. rewrite Nat.ltb_lt, last_of_more. unfold hit. rewrite existsb_exists.
  split.
  - intros (s & I & H). apply in_seq in I. apply andb_prop in H as [Ps H]. unfold covers in H.
    apply andb_prop in H as [_ H]. apply negb_true_iff, not_true_iff_false in H. rewrite touched in H by lia.
    exists s. repeat split; auto; [|lia]. destruct (le_lt_dec (came_before t b) s) as [|G]; auto.
    exfalso. apply H. apply last_of_more in G. exact G.
  - intros (s & A & B & Ps). exists s. rewrite in_seq. split; [lia|]. rewrite Ps. unfold covers.
    rewrite (proj2 (Nat.leb_le s t)) by lia. simpl. apply negb_true_iff, not_true_iff_false.
    rewrite touched by lia. intros G. apply last_of_more in G. unfold came_before in A. lia.
Qed.

Definition share t := (if P t then C else 0) +
  (if hit (touch us) P t (who (at_ t)) then 0 else LowerBound.need xi us t).
Lemma pass_ok : forall vs k looked seen Q, k + length vs = T -> (forall i, nth i vs (Turn 0 0 0 0 0) = at_ (k +
  i)) ->
  (forall i, nth i Q false = P (k + i)) -> looked = last_of P k -> (forall i, latest seen i = came_before k i) ->
  kept_at_most C xi k looked seen vs Q = sum (length vs) (fun i => share (k + i)).
Proof.
  induction vs as [|u vs IH]; intros k looked seen Q L V HQ Lo Se; auto. simpl length in *. simpl kept_at_most.
  pose proof (V 0) as V0. pose proof (HQ 0) as Q0. simpl in V0. rewrite Nat.add_0_r in V0, Q0.
  assert (E : hd false Q = P k) by (rewrite <- Q0; now destruct Q).
  assert (Lk : (if hd false Q then S k else looked) = last_of P (S k)) by (rewrite E, Lo; auto).
  rewrite Lk. change (S (length vs)) with (1 + length vs). rewrite sum_app. simpl. rewrite Nat.add_0_r. f_equal.
  - unfold share. rewrite E, hit_ok, Se by lia. rewrite V0. reflexivity.
  - rewrite (IH (S k) _ _ (tl Q)); auto; try lia.
    + apply sum_ext. intros i _. f_equal. lia.
    + intros i. specialize (V (S i)). simpl in V. rewrite V. f_equal. lia.
    + intros i. specialize (HQ (S i)). replace (S k + i) with (k + S i) by lia. rewrite <- HQ. now destruct Q;
      destruct i.
    + intros i. simpl. unfold came_before. simpl. rewrite V0. destruct (who (at_ k) =? i); auto. apply Se.
Qed.

Lemma without_cache_ok : forall vs k, k + length vs = T -> (forall i, nth i vs (Turn 0 0 0 0 0) = at_ (k + i)) ->
  without_cache xi vs = sum (length vs) (fun i => input us (k + i) - xi).
Proof.
  induction vs as [|u vs IH]; intros k L V; auto. simpl length in *. simpl without_cache.
  change (S (length vs)) with (1 + length vs). rewrite sum_app. simpl. rewrite Nat.add_0_r. f_equal.
  - unfold input. now rewrite <- (Nat.add_0_r k), <- V.
  - rewrite (IH (S k)) by (try lia; intros i; specialize (V (S i)); simpl in V; rewrite V; rewrite Nat.add_succ_r;
    auto).
    apply sum_ext. intros i _. now rewrite Nat.add_succ_r.
Qed.
End Meets.

Lemma least_tel_ok C xi us P : least_tel C xi us P = lower C xi us (fun s => nth s P false).
Proof.
  unfold least_tel, lower. f_equal.
  - rewrite (without_cache_ok xi us us 0); auto.
  - rewrite (pass_ok C xi us (fun s => nth s P false) us 0); auto. unfold share, bound. rewrite sum_add. f_equal.
    apply sum_ext. intros t Ht. unfold asks. replace (t <? steps us) with true by (symmetry; now apply
      Nat.ltb_lt). simpl.
    now rewrite Nat.add_0_r.
Qed.

(* Row theorem-b1.certificate, for the program. What the checker answers is at most the TEL of every plan, whoever
   found P. *)
Theorem checker_is_sound : forall N C xi us P X, Forall (fun u => who u < N) us -> plan N C us X ->
  least_tel C xi us P <= tel xi us X.
Proof.
  intros N C xi us P X F Pl. rewrite least_tel_ok. apply (certificate_is_sound N C xi us); auto.
  intros t Ht. rewrite Forall_forall in F. apply F, nth_In, Ht.
Qed.
