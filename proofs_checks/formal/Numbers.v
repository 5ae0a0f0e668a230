(* Sums, counts, a function changed at one place, and the least and greatest of finitely many: no word of
   caches. *)
From Coq Require Import Arith Lia List Bool.
Import ListNotations.

Definition upd {A} (f : nat -> A) i v := fun j => if j =? i then v else f j.
Fixpoint sum (n : nat) (f : nat -> nat) := match n with 0 => 0 | S m => sum m f + f m end.
Fixpoint lsum {A} (l : list A) (f : A -> nat) := match l with [] => 0 | x :: l => f x + lsum l f end.
Definition cnt M (p : nat -> bool) := sum M (fun i => if p i then 1 else 0).
Definition b2n (b : bool) := if b then 1 else 0.

Lemma upd_eq {A} (f : nat -> A) i v : upd f i v i = v.
Proof. unfold upd. now rewrite Nat.eqb_refl. Qed.
Lemma upd_neq {A} (f : nat -> A) i j v : j <> i -> upd f i v j = f j.
Proof. unfold upd. intros H. apply Nat.eqb_neq in H. now rewrite H. Qed.
Lemma upd_case {A} (f : nat -> A) i v j :
  (j = i /\ upd f i v j = v) \/ (j <> i /\ upd f i v j = f j).
Proof. destruct (Nat.eq_dec j i); [left; subst; now rewrite upd_eq | right; now rewrite upd_neq]. Qed.

Lemma sum_le n f g : (forall i, i < n -> f i <= g i) -> sum n f <= sum n g.
Proof. induction n; simpl; intros H; [lia|]. assert (sum n f <= sum n g) by (apply IHn; intros; apply H; lia).
  specialize (H n). lia. Qed.
Lemma sum_ext n f g : (forall i, i < n -> f i = g i) -> sum n f = sum n g.
Proof. induction n; simpl; intros H; [lia|]. rewrite IHn, H; auto. Qed.
Lemma sum_upd n f v x : v < n -> sum n (upd f v x) + f v = sum n f + x.
Proof. induction n; simpl; intros H; [lia|]. destruct (Nat.eq_dec v n) as [->|H'].
  - rewrite upd_eq. rewrite (sum_ext n (upd f n x) f); [lia|]. intros; apply upd_neq; lia.
  - rewrite (upd_neq f v n) by lia. specialize (IHn ltac:(lia)). lia. Qed.
Lemma sum_one n f v : (forall j, j < n -> j <> v -> f j = 0) -> sum n f <= f v.
Proof. induction n; simpl; intros H; [lia|]. destruct (Nat.eq_dec v n) as [->|H'].
  - enough (sum n f = 0) by lia. clear IHn. assert (G : forall m, m <= n -> sum m f = 0) by (induction m; simpl;
    intros; [lia|]; rewrite IHm, H; lia). apply G; lia.
  - rewrite (H n) by lia. enough (sum n f <= f v) by lia. apply IHn. intros; apply H; lia. Qed.

Lemma sum_ge n f v : v < n -> f v <= sum n f.
Proof. induction n; simpl; intros H; [lia|]. destruct (Nat.eq_dec v n) as [->|]; [lia|]. specialize (IHn
  ltac:(lia)). lia. Qed.

Lemma sum_add n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; lia. Qed.
Lemma sum_mul m n f : m * sum n f = sum n (fun i => m * f i).
Proof. induction n; simpl; rewrite <- ?IHn; lia. Qed.
Lemma sum_zero n : sum n (fun _ => 0) = 0.
Proof. induction n; simpl; lia. Qed.
Lemma sum_point n s x : sum n (fun u => if u =? s then x else 0) = if s <? n then x else 0.
Proof. induction n; simpl; auto. rewrite IHn. destruct (Nat.eqb_spec n s), (Nat.ltb_spec s n), (Nat.ltb_spec s (S
  n)); lia. Qed.
Lemma sum_swap n m f : sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof. induction n; simpl; [now rewrite sum_zero|]. now rewrite IHn, sum_add. Qed.
Lemma lsum_swap {A} (l : list A) m f :
  lsum l (fun x => sum m (fun j => f x j)) = sum m (fun j => lsum l (fun x => f x j)).
Proof. induction l; simpl; [now rewrite sum_zero|]. now rewrite IHl, sum_add. Qed.
Lemma lsum_le {A} (l : list A) f g : (forall x, In x l -> f x <= g x) -> lsum l f <= lsum l g.
Proof. induction l; simpl; intros H; [lia|]. pose proof (H a (or_introl eq_refl)). assert (lsum l f <= lsum l g)
  by (apply IHl; auto). lia. Qed.

Lemma cnt_le M p r : (forall i, i < M -> p i = true -> r i = true) -> cnt M p <= cnt M r.
Proof. intros H. apply sum_le. intros i Hi. specialize (H i Hi). destruct (p i), (r i); try lia; now specialize
  (H eq_refl). Qed.
Lemma cnt_ext M p r : (forall i, i < M -> p i = r i) -> cnt M p = cnt M r.
Proof. intros H. apply sum_ext. intros i Hi. now rewrite (H i Hi). Qed.
Lemma cnt_upd M p v x : v < M -> cnt M (upd p v x) + b2n (p v) = cnt M p + b2n x.
Proof. intros H. unfold cnt. rewrite (sum_ext M (fun i => if upd p v x i then 1 else 0) (upd (fun i => if p i
  then 1 else 0) v (b2n x))).
  - now apply (sum_upd M (fun i => if p i then 1 else 0)).
  - intros i _. unfold upd, b2n. destruct (i =? v); auto. Qed.

Lemma cnt_split n (A G : nat -> bool) : (forall v, A v = true -> G v = true) ->
  cnt n G = cnt n A + cnt n (fun v => G v && negb (A v)).
Proof. intros H. unfold cnt. rewrite <- sum_add. apply sum_ext. intros v _. specialize (H v). destruct (A v), (G
  v); simpl; auto. now specialize (H eq_refl). Qed.
Lemma sum_app n m f : sum (n + m) f = sum n f + sum m (fun i => f (n + i)).
Proof. induction m; simpl; [rewrite Nat.add_0_r; lia|]. rewrite Nat.add_succ_r. simpl. lia. Qed.
Lemma sum_grid T D f : sum (T * D) f = sum T (fun t => sum D (fun d => f (t * D + d))).
Proof. induction T; simpl; auto. rewrite (Nat.add_comm D (T * D)), sum_app. lia. Qed.
Lemma sum_ltb D k : k <= D -> sum D (fun d => if d <? k then 1 else 0) = k.
Proof. intros H. replace D with (k + (D - k)) by lia. rewrite sum_app. rewrite (sum_ext k _ (fun _ => 1)) by
  (intros; replace (i <? k) with true by (symmetry; apply Nat.ltb_lt; lia); auto). rewrite (sum_ext (D - k) _
  (fun _ => 0)) by (intros; replace (k + i <? k) with false by (symmetry; apply Nat.ltb_ge; lia); auto). rewrite
  sum_zero. enough (sum k (fun _ => 1) = k) by lia. clear. induction k; simpl; lia. Qed.

(* as many ones as there are marked items, if marks are injective *)
Lemma sum_inj M NB (p : nat -> bool) (f : nat -> nat) (Y : nat -> bool) :
  (forall i, i < M -> p i = true -> f i < NB /\ Y (f i) = true) ->
  (forall i j, i < M -> j < M -> p i = true -> p j = true -> f i = f j -> i = j) ->
  cnt M p <= cnt NB Y.
Proof. revert Y. induction M; intros Y H Inj; [unfold cnt; simpl; lia|]. unfold cnt. simpl. fold (cnt M p).
  destruct (p M) eqn:PM.
  - destruct (H M ltac:(lia) PM) as [B YM]. pose proof (cnt_upd NB Y (f M) false B) as U. rewrite YM in U. simpl
    in U. assert (cnt M p <= cnt NB (upd Y (f M) false)). { apply IHM.
      - intros i Hi Pi. destruct (H i ltac:(lia) Pi) as [Bi Yi]. split; auto. rewrite upd_neq; auto. intros E.
        assert (i = M) by (apply Inj; auto; lia). lia.
      - intros; apply Inj; auto; lia. } unfold cnt in *. lia.
  - assert (cnt M p <= cnt NB Y) by (apply IHM; [intros; apply H | intros; apply Inj]; auto; lia). unfold cnt in
    *. lia. Qed.

Lemma cnt_pos m p : cnt m p > 0 -> exists i, i < m /\ p i = true.
Proof. induction m; unfold cnt in *; simpl; intros H; [lia|]. destruct (p m) eqn:E; [exists m; auto|]. destruct
  IHm as (i & Hi & Pi); [lia|]. exists i; auto. Qed.

(* the least key among those that p takes *)
Fixpoint pick (n : nat) (p : nat -> bool) (key : nat -> nat) : option nat :=
  match n with
  | 0 => None
  | S m => match pick m p key with
           | None => if p m then Some m else None
           | Some v => if p m && (key m <? key v) then Some m else Some v
           end
  end.
Lemma pick_spec n p key :
  match pick n p key with
  | None => forall j, j < n -> p j = false
  | Some v => v < n /\ p v = true /\ forall j, j < n -> p j = true -> key v <= key j
  end.
Proof. induction n; simpl; [lia|]. destruct (pick n p key) as [v|].
  - destruct IHn as (V & Pv & M). destruct (p n) eqn:Pn; simpl.
    + destruct (Nat.ltb_spec (key n) (key v)); repeat split; auto; try lia.
      * intros j Hj Pj. destruct (Nat.eq_dec j n) as [->|]; [lia|]. specialize (M j ltac:(lia) Pj). lia.
      * intros j Hj Pj. destruct (Nat.eq_dec j n) as [->|]; [lia|]. apply M; auto; lia.
    + repeat split; auto. intros j Hj Pj. destruct (Nat.eq_dec j n) as [->|]; [congruence|]. apply M; auto; lia.
  - destruct (p n) eqn:Pn.
    + repeat split; auto. intros j Hj Pj. destruct (Nat.eq_dec j n) as [->|]; [lia|]. rewrite IHn in Pj by lia.
      discriminate.
    + intros j Hj. destruct (Nat.eq_dec j n) as [->|]; auto. apply IHn. lia. Qed.

