(* The least TEL of a strict cache is as hard as independent sets: the reduction, in both directions. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Chains.
Import ListNotations.

Lemma sum_nth {A} (l : list A) d g : sum (length l) (fun t => g (nth t l d)) = lsum l g.
Proof. induction l as [|x l IH] using rev_ind; auto. rewrite app_length, Nat.add_1_r. simpl. rewrite app_nth2,
  Nat.sub_diag by auto. simpl. rewrite (sum_ext _ _ (fun t => g (nth t l d))).
  - rewrite IH. clear. induction l; simpl; lia.
  - intros i Hi. now rewrite app_nth1. Qed.
Lemma lsum_more {A} (l m : list A) g : lsum (l ++ m) g = lsum l g + lsum m g.
Proof. induction l; simpl; lia. Qed.
Lemma lsum_seq k g : lsum (seq 0 k) g = sum k g.
Proof. induction k; auto. rewrite seq_S, lsum_more, IHk. simpl. lia. Qed.
Lemma lsum_filter {A} (l : list A) p g : lsum (filter p l) g = lsum l (fun x => if p x then g x else 0).
Proof. induction l; simpl; auto. destruct (p a); simpl; lia. Qed.
Lemma lsum_zero {A} (l : list A) g : (forall x, In x l -> g x = 0) -> lsum l g = 0.
Proof. induction l; simpl; intros H; auto. rewrite (H a), IHl; auto. Qed.
Lemma cnt_split M p : cnt M p + cnt M (fun k => negb (p k)) = M.
Proof. unfold cnt. rewrite <- sum_add, (sum_ext M _ (fun _ => 1)); [induction M; simpl; lia|]. intros i _.
  destruct (p i); auto. Qed.
Lemma fewer M p w : w <= cnt M p -> exists q, cnt M q = w /\ forall k, q k = true -> p k = true.
Proof. induction M; intros H.
  - exists (fun _ => false). split; [unfold cnt in *; simpl in *; lia|discriminate].
  - unfold cnt in *. simpl in H. destruct (le_lt_dec w (cnt M p)) as [L|L].
    + destruct (IHM L) as (q & E & I). exists (upd q M false). split.
      * simpl. rewrite upd_eq, <- E, Nat.add_0_r. apply sum_ext. intros i Hi. now rewrite upd_neq by lia.
      * intros k Hk. destruct (upd_case q M false k) as [[-> Q]|[_ Q]]; rewrite Q in Hk; [discriminate|auto].
    + fold (cnt M p) in H. destruct (p M) eqn:PM; [|lia]. exists (fun k => (k <=? M) && p k). split.
      * simpl. rewrite Nat.leb_refl, PM. simpl. fold (cnt M p) in *. rewrite (sum_ext M _ (fun i => if p i then 1
        else 0)).
        -- fold (cnt M p). lia.
        -- intros i Hi. replace (i <=? M) with true by (symmetry; apply Nat.leb_le; lia). auto.
      * intros k Hk. now apply andb_prop in Hk. Qed.

Section Reduction.
Variables n K : nat.
Variable edges : list (nat * nat).
Hypothesis is_graph : graph n edges.
Hypothesis few : 1 <= K /\ K + 3 <= n.
Notation reads := (asks n edges).
Notation at_ := (nth_read reads).

Lemma in_others e k : In k (others n e) <-> k < n /\ k <> fst e /\ k <> snd e.
Proof. unfold others. rewrite filter_In, in_seq, andb_true_iff, !negb_true_iff, !Nat.eqb_neq. lia. Qed.

(* From an independent set to a plan: its chains stay, and a first block stays from where it has an input of 1 to
   where it is read next. *)
Section Plan.
Variable chosen : nat -> bool.
Hypothesis free : independent edges chosen.
Hypothesis size : cnt n chosen = K.

Definition upon (f : nat -> nat) (r : read) : nat -> nat := fun k => if chain r =? k then input r else f k.
Definition state t := fold_left upon (firstn t reads) (fun _ => 0).
Definition going (f : nat -> nat) k := negb (f k =? 0) && negb (f k =? 4).
Definition keeps (f : nat -> nat) k :=
  if chosen k then if going f k then 2 else 0 else if f k =? 1 then 1 else 0.

(* Somebody has no block; and what a request may find. *)
Definition good (f : nat -> nat) := exists k, k < n /\ chosen k = false /\ f k <> 1.
Definition fine (f : nat -> nat) (r : read) := depth r = 2 /\ input r = 2 \/
  depth r = 1 /\ input r = 1 /\ going f (chain r) = true \/
  depth r = 1 /\ input r = 3 /\ f (chain r) = 1 \/ depth r = 2 /\ input r = 4 /\ f (chain r) = 1.
Fixpoint ok f (l : list read) := good f /\ match l with [] => True | r :: l => fine f r /\ ok (upon f r) l end.
Lemma ok_app l m : forall f, ok f l -> ok (fold_left upon l f) m -> ok f (l ++ m).
Proof. induction l; simpl; intros f H M; auto. destruct H as (G & F & O). auto. Qed.

Lemma someone k0 : exists k, k < n /\ chosen k = false /\ k <> k0.
Proof. pose proof (cnt_split n chosen) as S. destruct (cnt_pos n (fun k => negb (chosen k) && negb (k =? k0))) as
  (k & Hk & E).
  - enough (cnt n (fun k => negb (chosen k)) <= cnt n (fun k => negb (chosen k) && negb (k =? k0)) + 1) by lia.
    unfold cnt. apply Nat.le_trans with (sum n (fun k => (if negb (chosen k) && negb (k =? k0) then 1 else 0) +
    (if k =? k0 then 1 else 0))).
    + apply sum_le. intros k _. destruct (chosen k), (k =? k0); simpl; lia.
    + rewrite sum_add. enough (sum n (fun k => if k =? k0 then 1 else 0) <= 1) by lia. eapply Nat.le_trans;
      [apply (sum_one n _ k0)|]; [|rewrite Nat.eqb_refl; auto]. intros j _ nj. apply Nat.eqb_neq in nj. now
      rewrite nj.
  - apply andb_prop in E as [E1 E2]. apply negb_true_iff in E1, E2. apply Nat.eqb_neq in E2. eauto. Qed.
Lemma nobody_good f : (forall k, f k <> 1) -> good f.
Proof. intros H. destruct (someone 0) as (k & A & B & _). exists k. auto. Qed.
Lemma edge_good e f : In e edges -> f (fst e) <> 1 -> f (snd e) <> 1 -> good f.
Proof. intros He A B. destruct (is_graph e He) as (E1 & E2 & _). specialize (free e He). destruct (chosen (fst
  e)) eqn:C1; [|exists (fst e); auto]. exists (snd e). auto. Qed.
Lemma upon_eq f k d i : upon f (Read k d i) k = i.
Proof. unfold upon. simpl. now rewrite Nat.eqb_refl. Qed.
Lemma upon_neq f k d i j : j <> k -> upon f (Read k d i) j = f j.
Proof. unfold upon. simpl. intros H. apply not_eq_sym, Nat.eqb_neq in H. now rewrite H. Qed.
Lemma upon_map d i l : forall f k, fold_left upon (map (fun k => Read k d i) l) f k = i \/
  ~ In k l /\ fold_left upon (map (fun k => Read k d i) l) f k = f k.
Proof. induction l as [|x l IH]; intros f k; simpl; [right; auto|]. destruct (IH (upon f (Read x d i)) k) as
  [E|[N E]]; [now left|]. destruct (Nat.eq_dec k x) as [->|nx]; [left; rewrite E; apply upon_eq|]. right. split;
  [intros [Q|Q]; auto|]. rewrite E. now apply upon_neq. Qed.
Lemma upon_out d i l k : ~ In k l -> forall f, fold_left upon (map (fun k => Read k d i) l) f k = f k.
Proof. induction l as [|x l IH]; intros N f; auto. simpl. rewrite IH by (intros H; apply N; now right). apply
  upon_neq. intros ->. apply N. now left. Qed.
Lemma ok_beginning l : forall f, (forall k, f k <> 1) -> ok f (map (fun k => Read k 2 2) l).
Proof. induction l as [|x l IH]; intros f H; simpl; (split; [now apply nobody_good|]); auto. split; [left;
  auto|]. apply IH. intros k. destruct (Nat.eq_dec k x) as [->|nx]; [rewrite upon_eq; lia|rewrite upon_neq;
  auto]. Qed.
Lemma ok_opening e l : In e edges -> forall f, (forall k, In k l -> k <> fst e /\ k <> snd e /\ going f k =
  true) ->
  f (fst e) <> 1 -> f (snd e) <> 1 -> ok f (map (fun k => Read k 1 1) l).
Proof. intros He. induction l as [|x l IH]; intros f H A B; simpl; (split; [now apply (edge_good e)|]); auto.
  destruct (H x (or_introl eq_refl)) as (H1 & H2 & H3). split; [right; left; auto|]. apply IH; [|rewrite
  upon_neq; auto..]. intros k Hk. destruct (H k (or_intror Hk)) as (K1 & K2 & K3). repeat split; auto. unfold
  going. destruct (Nat.eq_dec k x) as [->|nx]; [rewrite upon_eq|rewrite upon_neq]; auto. Qed.
Lemma ok_closing e l : In e edges -> NoDup l -> forall f, (forall k, In k l -> k <> fst e /\ k <> snd e /\ f k =
  1) ->
  f (fst e) <> 1 -> f (snd e) <> 1 -> ok f (map (fun k => Read k 1 3) l).
Proof. intros He ND. induction ND as [|x l Nx ND IH]; intros f H A B; simpl; (split; [now apply (edge_good e)|]);
  auto. destruct (H x (or_introl eq_refl)) as (H1 & H2 & H3). split; [right; right; left; auto|]. apply IH;
  [|rewrite upon_neq; auto..]. intros k Hk. destruct (H k (or_intror Hk)) as (K1 & K2 & K3). repeat split; auto.
  rewrite upon_neq; auto. intros ->. contradiction. Qed.
Lemma ok_ending l : NoDup l -> forall f, (forall k, In k l -> going f k = true) -> (forall k, f k <> 1) ->
  ok f (flat_map (fun k => [Read k 1 1; Read k 2 4]) l).
Proof. intros ND. induction ND as [|x l Nx ND IH]; intros f H A; simpl; (split; [now apply nobody_good|]); auto.
  split; [right; left; repeat split; auto; apply H; now left|]. split.
  - destruct (someone x) as (k & K1 & K2 & K3). exists k. repeat split; auto. now rewrite upon_neq.
  - split; [right; right; right; repeat split; auto; apply upon_eq|]. apply IH.
    + intros k Hk. assert (k <> x) by (intros ->; contradiction). unfold going. rewrite !upon_neq by auto. apply
      H. now right.
    + intros k. destruct (Nat.eq_dec k x) as [->|nx]; [rewrite upon_eq; lia|rewrite !upon_neq; auto]. Qed.
Definition resting (f : nat -> nat) := forall k, f k <> 1 /\ (k < n -> going f k = true).
Lemma ok_edges : forall es f, (forall e, In e es -> In e edges) -> resting f ->
  ok f (flat_map (fun e => opening n e ++ closing n e) es) /\
  resting (fold_left upon (flat_map (fun e => opening n e ++ closing n e) es) f).
Proof. induction es as [|e es IH]; intros f I Re; simpl.
  - split; auto. split; auto. apply nobody_good. intros k. apply Re.
  - pose proof (I e (or_introl eq_refl)) as He. destruct (is_graph e He) as (E1 & E2 & _). assert (ND : NoDup
    (others n e)) by (apply NoDup_filter, seq_NoDup). set (g := fold_left upon (opening n e) f). assert (Gm :
    forall k, g k = 1 /\ In k (others n e) \/ ~ In k (others n e) /\ g k = f k). { intros k. destruct (in_dec
    Nat.eq_dec k (others n e)) as [Q|Q].
      - left. split; auto. destruct (upon_map 1 1 (others n e) f k) as [E|[N _]]; [exact E|contradiction].
      - right. split; auto. now apply upon_out. } assert (Out : forall k, k = fst e \/ k = snd e -> g k = f k). {
        intros k H. destruct (Gm k) as [[_ Q]|[_ Q]]; auto. apply in_others in Q. lia. } set (h := fold_left upon
        (closing n e) g). assert (Rh : resting h). { intros k. unfold h, closing. destruct (upon_map 1 3 (others
        n e) g k) as [E|[N E]].
      - rewrite E. split; [lia|]. intros _. unfold going. now rewrite E.
      - rewrite E. destruct (Gm k) as [[_ Q]|[_ Q]]; [contradiction|]. rewrite Q. destruct (Re k) as [R1 R2].
        split; auto. intros Hk. unfold going. rewrite E, Q. exact (R2 Hk). } assert (Eh : fold_left upon (opening
        n e ++ closing n e) f = h) by apply fold_left_app. destruct (IH h ltac:(intros; apply I; now right) Rh)
        as [O R']. rewrite fold_left_app, Eh. split; auto. apply ok_app; [apply ok_app|now rewrite Eh].
    + apply (ok_opening e); auto; try apply Re. intros k Hk. apply in_others in Hk. repeat split; try lia. apply
      Re. lia.
    + fold g. apply (ok_closing e); auto; try (rewrite Out by auto; apply Re). intros k Hk. destruct (Gm k) as
      [[Q _]|[Q _]]; [|contradiction]. apply in_others in Hk. repeat split; auto; lia. Qed.
Lemma all_ok : ok (fun _ => 0) reads.
Proof. unfold asks. set (f := fold_left upon (beginning n) (fun _ => 0)). assert (Rf : resting f). { intros k.
  unfold f, beginning. destruct (upon_map 2 2 (seq 0 n) (fun _ => 0) k) as [E|[N E]].
    - rewrite E. split; [lia|]. intros _. unfold going. now rewrite E.
    - rewrite E. split; [lia|]. intros Hk. exfalso. apply N, in_seq. lia. } destruct (ok_edges edges f (fun e H
      => H) Rf) as [O R]. apply ok_app; [apply ok_beginning; lia|]. fold f. apply ok_app; auto. apply ok_ending;
      [apply seq_NoDup| |apply R]. intros k Hk. apply R. apply in_seq in Hk. lia. Qed.
Lemma ok_at l : forall f t, ok f l -> t < length l ->
  good (fold_left upon (firstn t l) f) /\ fine (fold_left upon (firstn t l) f) (nth_read l t).
Proof. induction l as [|r l IH]; intros f t O Ht; simpl in Ht; [lia|]. destruct O as (G & F & O). destruct t;
  simpl; auto. apply (IH (upon f r) t); auto. lia. Qed.
Lemma state_next t : t < length reads -> state (S t) = upon (state t) (at_ t).
Proof. intros H. unfold state, nth_read. enough (E : firstn (S t) reads = firstn t reads ++ [nth t reads (Read 0
  0 0)]) by (rewrite E, fold_left_app; reflexivity). revert t H. generalize reads as l. induction l as [|r l IH];
  intros t H; simpl in H; [lia|]. destruct t; auto. cbn [firstn nth app]. f_equal. apply IH. lia. Qed.
Definition kept t k := if k <? n then keeps (state t) k else 0.
Lemma in_range t : t < length reads -> chain (at_ t) < n.
Proof. intros H. pose proof (nth_In reads (Read 0 0 0) H) as I. fold (at_ t) in I. revert I. generalize (at_ t)
  as r. intros r. unfold asks. rewrite !in_app_iff, in_flat_map. intros [I|[(e & He & I)|I]].
  - apply in_map_iff in I as (k & <- & I). apply in_seq in I. simpl. lia.
  - apply in_app_or in I as [I|I]; apply in_map_iff in I as (k & <- & I); apply in_others in I; simpl; lia.
  - apply in_flat_map in I as (k & I & [<-|[<-|[]]]); apply in_seq in I; simpl; lia. Qed.
Lemma kept_plan : strict_plan n (n + K - 1) reads kept.
Proof. constructor.
  - intros k. unfold kept, keeps, state, going. simpl. now destruct (k <? n), (chosen k).
  - intros t k Ht Nk. unfold kept, keeps, going. rewrite (state_next t Ht). unfold upon. apply not_eq_sym,
    Nat.eqb_neq in Nk. rewrite Nk. auto.
  - intros t Ht r. unfold kept, keeps, going. rewrite (state_next t Ht). fold r. destruct (ok_at reads (fun _ =>
    0) t all_ok Ht) as (_ & Fi). fold (state t) r in Fi. replace (chain r <? n) with true by (symmetry; apply
    Nat.ltb_lt, in_range; auto). unfold upon. rewrite Nat.eqb_refl. unfold fine, going in Fi. destruct Fi as [(D
    & I)|[(D & I & G)|[(D & I & G)|(D & I & G)]]]; rewrite D, I; simpl; try rewrite G; simpl; destruct (chosen
    (chain r)); simpl; lia.
  - intros t Ht. destruct (ok_at reads (fun _ => 0) t all_ok Ht) as ((k0 & H0 & C0 & N0) & _). fold (state t) in
    N0. assert (U : sum n (kept t) + 1 <= sum n (fun k => 1 + if chosen k then 1 else 0)). { pose proof (sum_upd
    n (kept t) k0 1 H0) as Su. assert (Z : kept t k0 = 0). { unfold kept, keeps. rewrite C0. apply Nat.eqb_neq in
    N0. rewrite N0. now destruct (k0 <? n). } rewrite Z, Nat.add_0_r in Su. rewrite <- Su. apply sum_le. intros k
    Hk. destruct (upd_case (kept t) k0 1 k) as [[-> E]|[_ E]]; rewrite E; [lia|]. unfold kept, keeps. destruct (k
    <? n), (chosen k), (going (state t) k), (state t k =? 1); simpl; lia. } rewrite sum_add in U. fold (cnt n
    chosen) in U. rewrite size in U. rewrite (sum_ext n (fun _ => 1) (fun k => b2n true)) in U by auto. assert
    (sum n (fun _ => b2n true) = n) by (clear; induction n; simpl in *; lia). lia. Qed.
Lemma kept_tel : strict_tel 2 kept reads <= n - K.
Proof. assert (T : strict_tel 2 kept reads <= sum (length reads) (fun t => (fun r => if (input r =? 4) && negb
  (chosen (chain r)) then 1 else 0) (at_ t))). { apply sum_le. intros t Ht. unfold excess_of. destruct (ok_at
  reads (fun _ => 0) t all_ok Ht) as (_ & Fi). fold (state t) in Fi. set (r := at_ t) in *. unfold kept, keeps.
  replace (chain r <? n) with true by (symmetry; apply Nat.ltb_lt, in_range; auto). unfold fine in Fi. unfold
  going in *. destruct Fi as [(D & I)|[(D & I & G)|[(D & I & G)|(D & I & G)]]]; rewrite D, I; destruct (chosen
  (chain r)); try rewrite G; cbn [Nat.eqb negb andb]; try lia. } eapply Nat.le_trans; [exact T|]. unfold
  nth_read. rewrite (sum_nth reads (Read 0 0 0) (fun r => if (input r =? 4) && negb (chosen (chain r)) then 1
  else 0)). unfold asks. rewrite !lsum_more. rewrite lsum_zero, (lsum_zero (flat_map _ edges)).
  - simpl. unfold ending. assert (E : forall l, lsum (flat_map (fun k => [Read k 1 1; Read k 2 4]) l) (fun r =>
    if (input r =? 4) && negb (chosen (chain r)) then 1 else 0) = lsum l (fun k => if negb (chosen k) then 1 else
    0)) by (induction l; simpl; auto; lia). rewrite E, lsum_seq. fold (cnt n (fun k => negb (chosen k))). pose
    proof (cnt_split n chosen). lia.
  - intros r Hr. apply in_flat_map in Hr as (e & _ & Hr). apply in_app_or in Hr as [Hr|Hr]; apply in_map_iff in
    Hr as (k & <- & _); auto.
  - intros r Hr. apply in_map_iff in Hr as (k & <- & _). auto. Qed.
End Plan.

(* From a plan to an independent set: the chains that are all there at the end. *)
Section Set_.
Variable X : nat -> nat -> nat.
Hypothesis P : strict_plan n (n + K - 1) reads X.
Hypothesis cheap : strict_tel 2 X reads <= n - K.
Definition middle := flat_map (fun e => opening n e ++ closing n e) edges.
Definition base := length (beginning n) + length middle.
Definition whole k := 2 <=? X (base + (k * 2 + 1)) k.

Lemma ending_at k : k < n -> nth_read (ending n) (k * 2) = Read k 1 1 /\ nth_read (ending n) (k * 2 + 1) = Read
  k 2 4.
Proof. intros Hk. unfold ending. assert (G : forall s m j, j < m -> nth_read (flat_map (fun k => [Read k 1 1;
  Read k 2 4]) (seq s m)) (j * 2) = Read (s + j) 1 1 /\ nth_read (flat_map (fun k => [Read k 1 1; Read k 2 4])
  (seq s m)) (j * 2 + 1) = Read (s + j) 2 4). { intros s m. revert s. induction m; intros s j Hj; [lia|].
  destruct j; [simpl; now rewrite Nat.add_0_r|]. destruct (IHm (S s) j ltac:(lia)) as [A B]. simpl. rewrite
  Nat.add_succ_r. split; [exact A|exact B]. } exact (G 0 n k Hk). Qed.
Lemma ending_length : length (ending n) = n * 2.
Proof. unfold ending. assert (G : forall s m, length (flat_map (fun k => [Read k 1 1; Read k 2 4]) (seq s m)) = m
  * 2) by (intros s m; revert s; induction m; intros s; simpl; auto). apply G. Qed.
Lemma reads_length : length reads = base + n * 2.
Proof. unfold asks, base, middle. rewrite !app_length, ending_length. lia. Qed.
Lemma at_ending j : at_ (base + j) = nth_read (ending n) j.
Proof. unfold nth_read, asks, base, middle. rewrite app_assoc, app_nth2; rewrite app_length; [f_equal; lia|lia].
  Qed.

(* Who holds d blocks held them before, unless its chain was read so far. *)
Lemma held_before d k : forall j b, b + j <= length reads -> d <= X (b + j) k ->
  (forall i, i < j -> chain (at_ (b + i)) = k -> depth (at_ (b + i)) < d) -> d <= X b k.
Proof. induction j; intros b L H N; [now rewrite Nat.add_0_r in H|]. apply IHj; auto; [lia|]. rewrite
  Nat.add_succ_r in *. destruct (Nat.eq_dec k (chain (at_ (b + j)))) as [E|E].
  - pose proof (s_own _ _ _ _ P (b + j) ltac:(lia)) as O. cbn zeta in O. rewrite <- E in O. specialize (N j
    ltac:(lia) (eq_sym E)). lia.
  - pose proof (s_others _ _ _ _ P (b + j) k ltac:(lia) E). lia. Qed.
Lemma end_costs : cnt n (fun k => negb (whole k)) <= sum (n * 2) (fun j => excess_of 2 X reads (base + j)).
Proof. rewrite sum_grid. apply sum_le. intros k Hk. cbn [sum]. destruct (ending_at k Hk) as [_ E]. assert (Ex :
  excess_of 2 X reads (base + (k * 2 + 1)) = 4 - min (X (base + (k * 2 + 1)) k) 2 - 2). { unfold excess_of.
  rewrite at_ending, E. reflexivity. } rewrite Ex. unfold whole. destruct (Nat.leb_spec 2 (X (base + (k * 2 + 1))
  k)); cbn [negb]; lia. Qed.
Lemma middle_depth r : In r middle -> depth r = 1.
Proof. intros H. apply in_flat_map in H as (e & _ & H). apply in_app_or in H as [H|H]; apply in_map_iff in H as
  (k & <- & _); auto. Qed.
(* A chain that is whole at the end was whole ever since the beginning. *)
Lemma whole_since b k : k < n -> length (beginning n) <= b -> b <= base -> whole k = true -> 2 <= X b k.
Proof. intros Hk L1 L2 W. apply Nat.leb_le in W. pose proof reads_length as RL. apply (held_before 2 k (base - b
  + (k * 2 + 1)) b); [lia| |].
  - replace (b + (base - b + (k * 2 + 1))) with (base + (k * 2 + 1)) by lia. exact W.
  - intros i Hi. destruct (le_lt_dec base (b + i)) as [L|L].
    + assert (Ej : exists j, b + i = base + j) by (exists (b + i - base); lia). destruct Ej as (j & Ej). rewrite
      Ej, at_ending. assert (Hj : j < k * 2 + 1) by lia. intros Ei. pose proof (Nat.div_mod j 2 ltac:(lia)) as D.
      pose proof (Nat.mod_upper_bound j 2 ltac:(lia)) as U. destruct (ending_at (j / 2)) as [A B]; [lia|].
      destruct (Nat.eq_dec (j mod 2) 0) as [Q|Q].
      * replace j with (j / 2 * 2) by lia. rewrite A. cbn [depth]. lia.
      * replace j with (j / 2 * 2 + 1) in Ei by lia. rewrite B in Ei. cbn [chain] in Ei. lia.
    + intros _. enough (E : depth (at_ (b + i)) = 1) by lia. apply middle_depth. unfold nth_read, asks. unfold
      base in L. rewrite app_nth2 by lia. fold middle. rewrite app_nth1 by lia. apply nth_In. lia. Qed.

Lemma closing_costs e b : length (beginning n) <= b -> b + length (others n e) <= base ->
  (forall j, j < length (others n e) -> at_ (b + j) = Read (nth j (others n e) 0) 1 3) ->
  n <= sum n (fun k => if (k =? fst e) || (k =? snd e) then 1 else min (X b k) 1) +
       sum (length (others n e)) (fun j => excess_of 2 X reads (b + j)).
Proof. intros L1 L2 At. set (l := others n e) in *. assert (ND : NoDup l) by (apply NoDup_filter, seq_NoDup).
  assert (E : lsum l (fun k => 1 - min (X b k) 1) <= sum (length l) (fun j => excess_of 2 X reads (b + j))). {
  rewrite <- (sum_nth l 0). apply sum_le. intros j Hj. unfold excess_of. rewrite At by auto. cbn [chain depth
  input]. set (k := nth j l 0). destruct (le_lt_dec 1 (X (b + j) k)) as [H|H]; [|lia]. enough (1 <= X b k) by
  lia. apply (held_before 1 k j b); auto; [rewrite reads_length; lia|]. intros i Hi Ei. exfalso. rewrite At in Ei
  by lia. simpl in Ei. assert (i = j) by (apply (proj1 (NoDup_nth l 0) ND); auto; lia). lia. } unfold l at 1 in
  E. unfold others in E. rewrite lsum_filter, lsum_seq in E. eapply Nat.le_trans; [|apply Nat.add_le_mono_l, E].
  rewrite <- sum_add. apply Nat.le_trans with (sum n (fun _ => 1)); [clear; induction n; simpl; lia|]. apply
  sum_le. intros k _. destruct (k =? fst e), (k =? snd e); cbn [orb negb andb]; lia. Qed.
Lemma whole_independent : independent edges whole /\ K <= cnt n whole.
Proof. assert (Tel : forall b c, length (beginning n) <= b -> b + c <= base -> sum c (fun j => excess_of 2 X
  reads (b + j)) + sum (n * 2) (fun j => excess_of 2 X reads (base + j)) <= n - K). { intros b c L1 L2. eapply
  Nat.le_trans; [|exact cheap]. unfold strict_tel. rewrite reads_length, sum_app. apply Nat.add_le_mono_r.
  replace base with (b + (c + (base - b - c))) at 1 by lia. rewrite sum_app, sum_app. lia. } pose proof end_costs
  as Ec. pose proof (cnt_split n whole) as Sp. split.
  - intros e He. destruct (whole (fst e) && whole (snd e)) eqn:Both; auto. exfalso. apply andb_prop in Both as
    [W1 W2]. destruct (is_graph e He) as (G1 & G2 & _). destruct (in_split e edges He) as (es & es' & Es). set (b
    := length (beginning n) + (length (flat_map (fun e => opening n e ++ closing n e) es) + length (opening n
    e))). assert (Mi : middle = (flat_map (fun e => opening n e ++ closing n e) es ++ opening n e) ++ closing n e
    ++ flat_map (fun e => opening n e ++ closing n e) es'). { unfold middle. rewrite Es, flat_map_app. simpl. now
       rewrite <- !app_assoc. } assert (Lc : length (closing n e) = length (others n e)) by apply map_length.
       assert (L2 : b + length (others n e) <= base). { unfold b, base. rewrite Mi, !app_length, Lc. lia. }
       assert (L1 : length (beginning n) <= b) by (unfold b; lia). pose proof (closing_costs e b L1 L2) as Co.
       assert (At : forall j, j < length (others n e) -> at_ (b + j) = Read (nth j (others n e) 0) 1 3). { intros
       j Hj. unfold nth_read, asks. fold middle. rewrite Mi. unfold b. rewrite <- Nat.add_assoc, app_nth2_plus,
       app_nth1 by (rewrite !app_length, Lc; lia). rewrite <- app_length, app_nth2_plus, app_nth1 by lia. unfold
       closing. rewrite (nth_indep _ _ (Read 0 1 3)) by (rewrite map_length; exact Hj). exact (map_nth (fun k =>
       Read k 1 3) (others n e) 0 j). } specialize (Co At). specialize (Tel b (length (others n e)) L1 L2). pose
       proof (s_fits _ _ _ _ P b ltac:(rewrite reads_length; lia)) as Fi. assert (Lo : sum n (fun k => if (k =?
       fst e) || (k =? snd e) then 1 else min (X b k) 1) + cnt n whole <= sum n (X b)). { unfold cnt. rewrite <-
       sum_add. apply sum_le. intros k Hk. destruct (whole k) eqn:W.
      - pose proof (whole_since b k Hk L1 ltac:(lia) W). destruct (_ || _); lia.
      - destruct (Nat.eqb_spec k (fst e)) as [->|]; [congruence|]. destruct (Nat.eqb_spec k (snd e)) as [->|];
        [congruence|]. simpl. lia. } lia.
  - specialize (Tel base 0 ltac:(unfold base; lia) ltac:(lia)). simpl in Tel. lia. Qed.
End Set_.
End Reduction.

(* Row forest.strict.np-hard. A strict cache of n + K - 1 blocks can have a TEL of n - K or less on the reads of
   a graph if and only if K of its n vertices are independent, for 1 <= K <= n - 3 and xi = 2. *)
Theorem strict_caches_are_independent_sets : forall n K edges, graph n edges -> 1 <= K -> K + 3 <= n ->
  ((exists chosen, independent edges chosen /\ K <= cnt n chosen) <->
   (exists X, strict_plan n (n + K - 1) (asks n edges) X /\ strict_tel 2 X (asks n edges) <= n - K)).
Proof. intros n K edges G K1 K3. split.
  - intros (chosen & I & W). destruct (fewer n chosen K W) as (q & Q & Sub). assert (Iq : independent edges q). {
    intros e He. specialize (I e He). destruct (q (fst e)) eqn:E1, (q (snd e)) eqn:E2; auto. rewrite (Sub _ E1),
    (Sub _ E2) in I. discriminate. } exists (kept n edges q). split; [apply kept_plan|apply kept_tel]; auto.
  - intros (X & P & T). exists (whole n edges X). now apply whole_independent. Qed.
