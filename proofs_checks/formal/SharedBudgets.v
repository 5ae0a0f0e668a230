(* T-LRU on sets of modules is never worse than LRU: one budget for the items of a request. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Policies Cuts ModuleSets SetBudgets.
Import ListNotations.

Section Promise.
Variable size : nat -> nat.
Notation promised := (promised size).

Lemma promised_nothing l : forall i, promised 0 l i = 0.
Proof. induction l as [|j l IH]; intros i; simpl; auto. destruct (i =? j); [lia|apply IH]. Qed.
Lemma promised_size l : forall left i, promised left l i <= size i.
Proof. induction l as [|j l IH]; intros left i; simpl; [lia|]. destruct (Nat.eqb_spec i j) as [->|]; [lia|apply
  IH]. Qed.
Lemma promised_in_all l : forall left, NoDup l -> lsum l (fun i => size i - promised left l i) <= lsum l size -
  left.
Proof. induction l as [|j l IH]; intros left ND; [simpl; lia|]. inversion ND; subst. cbn [lsum
  ModuleSets.promised]. rewrite Nat.eqb_refl. specialize (IH (left - size j) H2). assert (E : lsum l (fun i =>
  size i - (if i =? j then min (size j) left else promised (left - size j) l i)) <= lsum l (fun i => size i -
  promised (left - size j) l i)). { apply lsum_le. intros i Hi. destruct (Nat.eqb_spec i j) as [->|];
  [contradiction|lia]. } lia. Qed.
Lemma promised_all l : forall left i, In i l -> lsum l size <= left -> promised left l i = size i.
Proof. induction l as [|j l IH]; intros left i H L; simpl in *; [tauto|]. destruct (Nat.eqb_spec i j) as [->|n];
  [lia|]. destruct H as [->|H]; [contradiction|]. apply IH; auto. lia. Qed.
Lemma promise_is_spent a i b : forall left, NoDup (a ++ i :: b) -> promised left (a ++ i :: b) i < size i ->
  forall j, In j b -> promised left (a ++ i :: b) j = 0.
Proof. induction a as [|x a IH]; intros left ND L j Hj; simpl in *; inversion ND; subst.
  - rewrite Nat.eqb_refl in L. destruct (Nat.eqb_spec j i) as [->|]; [contradiction|]. replace (left - size i)
    with 0 by lia. apply promised_nothing.
  - assert (i <> x) by (intros ->; apply H1, in_or_app; right; now left). assert (j <> x) by (intros ->; apply
    H1, in_or_app; right; now right). apply Nat.eqb_neq in H, H0. rewrite H in L. rewrite H0. now apply IH. Qed.
End Promise.

Lemma lsum_part l p (f : nat -> nat) : lsum l f = lsum (filter p l) f + lsum (filter (fun j => negb (p j)) l) f.
Proof. induction l as [|x l IH]; simpl; auto. destruct (p x); simpl; lia. Qed.
Lemma lsum_inside (f : nat -> nat) l : forall m, NoDup l -> incl l m -> lsum l f <= lsum m f.
Proof. induction l as [|x l IH]; intros m ND I; simpl; [lia|]. inversion ND; subst. destruct (in_split x m (I x
  (or_introl eq_refl))) as (a & b & ->). assert (incl l (a ++ b)). { intros y Hy. specialize (I y (or_intror
  Hy)). apply in_app_or in I. apply in_or_app. destruct I as [|[->|]]; auto. contradiction. } specialize (IH (a
  ++ b) H2 H). clear - IH. revert IH. generalize (lsum l f) as s. induction a as [|y a IHa]; simpl; intros s H;
     [lia|]. specialize (IHa (s - f y)). lia. Qed.

Section Shared.
Variables N C xi Q : nat.
Variable size : nat -> nat.
Notation asked := (asked size).

(* What is known of who was asked for together: request number (since i) is with (since i). *)
Record together (w : world) (k : nat) (since : nat -> nat) (log : nat -> request) : Prop := {
  t_known : forall i, past w i > 0 -> since i > 0;
  t_before : forall i, since i < k;
  t_in : forall i, since i > 0 -> In i (items (log (since i))) /\ NoDup (items (log (since i))) /\
    promise (log (since i)) = shared_promise xi size Q (log (since i)) /\ guess w i = promise (log (since i)) i;
  t_order : forall i j a b, since i > 0 -> since i = since j -> rev (items (log (since i))) = a ++ i :: b -> In
    j a ->
    came w i < came w j }.

Lemma touched_came R : forall l w i, (forall j, came w j < now w) -> let w' := fold_left (fun w i => serve
  (touch size R i) w) l w in
  now w' = now w + length l /\ (forall j, came w' j < now w') /\ (~ In i l -> came w' i = came w i) /\
  (In i l -> now w <= came w' i).
Proof. induction l as [|x l IH]; intros w i B; simpl; [repeat split; auto; tauto|]. destruct (IH (serve (touch
  size R x) w) i) as (A1 & A2 & A3 & A4). { intros j. simpl. specialize (B j). destruct (upd_case (came w) x (now
  w) j) as [[-> E]|[_ E]]; rewrite E; lia. } cbn zeta in *. simpl in A1. repeat split; auto; [lia| |].
  - intros Ni. rewrite A3 by tauto. simpl. apply upd_neq. intros ->. tauto.
  - intros [->|H]; [|simpl in A4; specialize (A4 H); lia]. destruct (in_dec Nat.eq_dec i l) as [H|H].
    + specialize (A4 H). simpl in A4. lia.
    + rewrite A3 by auto. simpl. rewrite upd_eq. auto. Qed.
Lemma later_is_newer R a i b j : forall w, (forall j, came w j < now w) -> NoDup (a ++ i :: b) -> In j b ->
  let w' := fold_left (fun w i => serve (touch size R i) w) (a ++ i :: b) w in came w' i < came w' j.
Proof. intros w B ND Hj. cbn zeta. rewrite fold_left_app. simpl. set (v := fold_left _ a w). destruct
  (touched_came R a w i B) as (_ & Bv & _). cbn zeta in Bv. fold v in Bv. pose proof (NoDup_remove_2 _ _ _ ND) as
  Ni. assert (B' : forall j, came (serve (touch size R i) v) j < now (serve (touch size R i) v)). { intros x.
  simpl. specialize (Bv x). destruct (upd_case (came v) i (now v) x) as [[-> E]|[_ E]]; rewrite E; lia. }
  destruct (touched_came R b (serve (touch size R i) v) i B') as (_ & _ & A3 & _). destruct (touched_came R b
  (serve (touch size R i) v) j B') as (_ & _ & _ & A4). cbn zeta in A3, A4. rewrite A3 by (intros H; apply Ni,
  in_or_app; auto). simpl. rewrite upd_eq. specialize (A4 Hj). simpl in A4. lia. Qed.
Lemma existsb_in i l : existsb (Nat.eqb i) l = true <-> In i l.
Proof. rewrite existsb_exists. split; [intros (x & Hx & E); apply Nat.eqb_eq in E; now subst|]. intros H. exists
  i. split; auto. apply Nat.eqb_refl. Qed.
Lemma not_existsb_in i l : existsb (Nat.eqb i) l = false <-> ~ In i l.
Proof. rewrite <- existsb_in. symmetry. apply not_true_iff_false. Qed.

Lemma one_more w k since log R : stands N w -> together w k since log -> k >= 1 -> well_asked N R ->
  promise R = shared_promise xi size Q R ->
  together (asked w R) (S k) (fun i => if existsb (Nat.eqb i) (items R) then k else since i) (upd log k R).
Proof. intros St [Kn Be In_ Or] Hk (ND & Ne & _) Pr. assert (Lo : forall i, since i > 0 -> upd log k R (since i)
  = log (since i)). { intros i Hi. apply upd_neq. specialize (Be i). lia. } pose proof (s_before _ _ St) as Bw.
  unfold ModuleSets.asked. constructor.
  - intros i Pi. destruct (existsb (Nat.eqb i) (items R)) eqn:E; [lia|]. rewrite asked_past in Pi by auto. auto.
  - intros i. specialize (Be i). destruct (existsb _ _); lia.
  - intros i Hi. rewrite asked_guess. destruct (existsb (Nat.eqb i) (items R)) eqn:E.
    + rewrite upd_eq. apply existsb_in in E. auto.
    + rewrite Lo by auto. auto.
  - intros i j a b Hi Eq Sp Hj. destruct (existsb (Nat.eqb i) (items R)) eqn:Ei, (existsb (Nat.eqb j) (items R))
    eqn:Ej.
    + rewrite upd_eq in Sp. assert (Sp' : items R = rev b ++ i :: rev a). { rewrite <- (rev_involutive (items
      R)), Sp, rev_app_distr. simpl. now rewrite <- app_assoc. } rewrite Sp' in *. apply later_is_newer; auto.
      now apply in_rev in Hj.
    + specialize (Be j). lia.
    + specialize (Be i). lia.
    + rewrite Lo in Sp by auto. apply not_existsb_in in Ei, Ej. destruct (touched_came R (items R) w i Bw) as (_
      & _ & A & _). destruct (touched_came R (items R) w j Bw) as (_ & _ & B & _). cbn zeta in A, B. rewrite A, B
      by auto. now apply (Or i j a b). Qed.

Lemma shared_enough w X Y k since log R : before N size w X Y -> together w k since log -> NoDup (items R) ->
  (forall i, In i (items R) -> since i > 0 ->
    total_of size R - lsum (filter (fun j => since j =? since i) (items R)) size <= Q) ->
  forall i, In i (items R) -> X i < Y i -> excess_of xi size X R = 0.
Proof. intros B [Kn Be In_ Or] ND Cov i Hi L. pose proof (b_Y _ _ _ _ _ B i) as WY. assert (Pi : past w i > 0) by
  lia. pose proof (Kn i Pi) as Si. specialize (Cov i Hi Si). destruct (In_ i Si) as (Ii & NR & Pr & Gi). set (R0
  := log (since i)) in *. set (p := fun j => since j =? since i) in *. assert (G : forall j, In j (filter p
  (items R)) -> In j (items R0) /\ guess w j = promise R0 j /\ guess w j <= X j). { intros j Hj. apply filter_In
  in Hj as [Hj Pj]. apply Nat.eqb_eq in Pj. destruct (In_ j ltac:(lia)) as (Ij & _ & _ & Gj). rewrite Pj in Ij,
  Gj. fold R0 in Ij, Gj. split; [auto|split; [auto|]]. pose proof (b_low _ _ _ _ _ B i) as Li. pose proof (b_low
  _ _ _ _ _ B j) as Lj. unfold low in Li, Lj. destruct (in_split i (rev (items R0))) as (a & b & Sp); [now apply
  -> in_rev|]. assert (Jn : In j (a ++ i :: b)) by (rewrite <- Sp; now apply -> in_rev). apply in_app_or in Jn as
  [Ja|[->|Jb]].
    - pose proof (Or i j a b Si (eq_sym Pj) Sp Ja) as Nw. rewrite (b_shape _ _ _ _ _ B i j ltac:(lia) Nw
      ltac:(unfold nobody_but; tauto)) in Lj. pose proof (b_promise _ _ _ _ _ B j). lia.
    - lia.
    - rewrite Gj, Pr. unfold shared_promise. rewrite Sp. rewrite (promise_is_spent size a i b); auto;
      [lia|rewrite <- Sp; now apply NoDup_rev|]. pose proof (b_size _ _ _ _ _ B i) as Zi. rewrite <- Sp. change
      (shared_promise xi size Q R0 i < size i). rewrite <- Pr, <- Gi. lia. } assert (S1 : lsum (filter p (items
      R)) (fun j => size j - X j) <= lsum (items R0) (fun j => size j - promise R0 j)). { eapply Nat.le_trans;
      [|apply (lsum_inside _ (filter p (items R)) (items R0))].
    - apply lsum_le. intros j Hj. destruct (G j Hj) as (_ & E & Le). lia.
    - now apply NoDup_filter.
    - intros j Hj. now destruct (G j Hj). } assert (Rv : forall f, lsum (rev (items R0)) f = lsum (items R0) f).
      { intros f. apply Nat.le_antisymm; apply lsum_inside; auto using NoDup_rev; intros j Hj; apply in_rev;
      [exact Hj|now rewrite rev_involutive]. } pose proof (promised_in_all size (rev (items R0)) (lsum (items R0)
      size + Q - xi) (NoDup_rev NR)) as S2. rewrite !Rv in S2. rewrite Pr in S1. unfold shared_promise in S1.
      assert (S3 : lsum (items R0) size + Q - xi < lsum (items R0) size). { destruct (le_lt_dec (lsum (items R0)
      size) (lsum (items R0) size + Q - xi)) as [H|]; auto. exfalso. pose proof (b_low _ _ _ _ _ B i) as Li.
      unfold low in Li. rewrite Gi, Pr in Li. unfold shared_promise in Li. rewrite promised_all in Li; [|now
      apply -> in_rev|now rewrite Rv]. pose proof (b_size _ _ _ _ _ B i). lia. } pose proof (lsum_part (items R)
      p (fun j => size j - X j)) as P1. pose proof (lsum_part (items R) p size) as P2. assert (P3 : lsum (filter
      (fun j => negb (p j)) (items R)) (fun j => size j - X j) <= lsum (filter (fun j => negb (p j)) (items R))
      size) by (apply lsum_le; intros; lia). unfold total_of in Cov. unfold ModuleSets.excess_of. lia. Qed.
End Shared.

(* Row prompt-cache.tlru.shared. A request's items have one budget (S + Q - xi)+, promised to the most recent
   first, and Q covers what a request has beside the items that were last asked for together. Then T-LRU,
   whichever way it trims, has at most LRU's excess at every request. *)
Theorem shared_budgets_never_worse : forall N C xi Q size Rs of_tlru of_lru,
  shared_budgets N xi size Q 1 (fun _ => 0) Rs ->
  set_run xi size (set_tlru N C) nobody empty Rs of_tlru ->
  set_run xi size (set_lru N C) nobody empty Rs of_lru -> Forall2 le of_tlru of_lru.
Proof. intros N C xi Q size Rs xs ys Sh RX RY. assert (G : forall Rs w X Y k since log xs ys, before N size w X Y
  -> together xi Q size w k since log -> k >= 1 -> shared_budgets N xi size Q k since Rs -> set_run xi size
  (set_tlru N C) w X Rs xs -> set_run xi size (set_lru N C) w Y Rs ys -> Forall2 le xs ys). { clear. induction Rs
  as [|R Rs IH]; intros w X Y k since log xs ys B T Hk Sh RX RY; simpl in *.
    - inversion RX; inversion RY; constructor.
    - destruct Sh as (Wa & Pr & Cov & Sh). inversion RX as [|? ? ? ? X' xs' CX RX']; subst. inversion RY as [|? ?
      ? ? Y' ys' CY RY']; subst. constructor.
      + apply (enough N xi size w); auto; [apply Wa|]. apply (shared_enough N xi Q size w X Y k since log R);
        auto. apply Wa.
      + apply (IH (asked size w R) X' Y' (S k) (fun i => if existsb (Nat.eqb i) (items R) then k else since i)
        (upd log k R)); auto.
        * apply (one_request N C size w X Y R X' Y'); auto. intros i Hi. rewrite Pr. apply promised_size.
        * apply (one_more N); auto. apply B. } apply (G Rs nobody empty empty 1 (fun _ => 0) (fun _ => Request []
          0 (fun _ => 0)) xs ys); auto; [apply nothing_yet|]. constructor; simpl; intros; lia. Qed.
