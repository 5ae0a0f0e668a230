(* Leading blocks that are there, and the paths that run. *)
From Coq Require Import Arith Lia List Bool.
Require Model.
Require Import Numbers Forest.
Import ListNotations.

Section Leads.
Variable blk : nat -> nat -> nat.
Local Notation leads := (leads blk).
Lemma leads_le X t n : forall d, leads X t n d <= n.
Proof. induction n; simpl; intros; auto. destruct (X t (blk t d)); [specialize (IHn (S d)); lia | lia]. Qed.
Lemma leads_in X t n : forall d k, k < leads X t n d -> X t (blk t (d + k)) = true.
Proof. induction n; simpl; intros d k H; [lia|]. destruct (X t (blk t d)) eqn:E; [|lia]. destruct k; [now rewrite
  Nat.add_0_r|]. replace (d + S k) with (S d + k) by lia. apply IHn. lia. Qed.
Lemma leads_ge X t n m : forall d, m <= n -> (forall k, k < m -> X t (blk t (d + k)) = true) -> leads X t n d >= m.
Proof. revert m. induction n; simpl; intros m d L H; [lia|]. destruct m; [lia|]. pose proof (H 0 ltac:(lia)) as
  H0. rewrite Nat.add_0_r in H0. rewrite H0. enough (leads X t n (S d) >= m) by lia. apply IHn; [lia|]. intros k
  Hk. replace (S d + k) with (d + S k) by lia. apply H. lia. Qed.
Lemma leads_min X t n m : forall d, n <= m -> leads X t n d = min n (leads X t m d).
Proof. revert m. induction n; simpl; intros m d H; auto. destruct m; [lia|]. simpl. destruct (X t (blk t d));
  auto. rewrite (IHn m); lia. Qed.
Lemma leads_more X Y t n : forall d, (forall c, X t c = true -> Y t c = true) -> leads X t n d <= leads Y t n d.
Proof. induction n; simpl; intros d H; auto. specialize (IHn (S d) H). specialize (H (blk t d)). destruct (X t
  (blk t d)); [rewrite H by auto; lia|lia]. Qed.
End Leads.

Section Reads.
Variable blk : nat -> nat -> nat.
Variable len : nat -> nat.
Local Notation reads := (Model.reads blk len).
Lemma runs_ok r t c : runs r blk len t c = true <-> exists k, t - r <= k /\ k < t /\ reads k c = true.
Proof. unfold Forest.runs. rewrite existsb_exists. split.
  - intros (k & H & R). apply in_seq in H. exists k. repeat split; auto; lia.
  - intros (k & H1 & H2 & R). exists k. split; auto. apply in_seq. lia. Qed.
End Reads.

(* More than every path. *)
Definition wide T len := S (sum T len).
Lemma wide_ok T len t : t < T -> len t < wide T len.
Proof. intros H. unfold wide. pose proof (sum_ge T len t H). lia. Qed.
