(* What LRU, and T-LRU with least-recent trimming, reuse in closed form: optional caching from an empty start,
   where histories are whole. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Cuts Inclusion.
Import ListNotations.

Section Formula.
Variables N C : nat.
Variable b : world -> nat -> nat.        (* the budgets *)

(* The part of a past within its budget; what comes before i is that of the more recent conversations. *)
Definition part w i := min (past w i) (b w i).
Definition recent w i f := sum N (fun j => if came w i <? came w j then f j else 0).
(* clip(C - S, 0, b) + clip(C - S', 0, L - b): S are the parts of the more recent conversations, S' all parts and
   the rests of the more recent ones. *)
Definition formula w i := min (C - recent w i (part w)) (part w i) +
  min (C - (sum N (part w) + recent w i (fun j => past w j - part w j))) (past w i - part w i).
Fixpoint by_formula w us :=
  match us with
  | [] => []
  | u :: us => (history u + prompt u - formula w (who u)) :: by_formula (serve u w) us
  end.

(* Budgets do not shrink as long as Ok says so. *)
Variable Ok : world -> list turn -> Prop.
Hypothesis ok_serve : forall w u us, Ok w (u :: us) -> history u = past w (who u) ->
  Ok (serve u w) us /\ part w (who u) <= part (serve u w) (who u) /\
  forall j, j <> who u -> b (serve u w) j = b w j.

(* What is cached of the parts; the shape of the parts, and of the rests; no part is missing unless the others fill
   the cache, and nothing is missing unless the cache is full. *)
Definition low w (X : cache) i := min (X i) (part w i).
Record shaped (w : world) (X : cache) : Prop := {
  h_past : within (past w) X;
  h_low : forall i j, i < N -> j < N -> came w i < came w j -> low w X i >= 1 -> low w X j = part w j;
  h_rest : forall i j, i < N -> j < N -> came w i < came w j -> X i > part w i -> X j = past w j;
  h_parts : (forall j, j < N -> low w X j = part w j) \/ C <= sum N (low w X);
  h_full : (forall j, j < N -> X j = past w j) \/ C <= sum N X }.

Lemma formula_holds w X i : stands N w -> shaped w X -> sum N X <= C -> i < N -> X i = formula w i.
Proof. intros St [P L R G F] Fit Hi. unfold formula. pose proof (P i) as Pi. destruct (Nat.eq_dec (past w i) 0)
  as [E|Past]; [unfold part in *; lia|]. assert (Less : forall j, j <> i -> (came w i <? came w j) = false ->
  came w j < came w i). { intros j n E. apply Nat.ltb_ge in E. destruct (Nat.eq_dec (came w j) (came w i)) as
  [Q|]; [|lia]. exfalso. apply n. apply (s_apart _ _ St); auto. rewrite Q. apply (s_came _ _ St). lia. } assert
  (Low : forall j, low w X j <= X j) by (intros; unfold low; lia).
  (* the parts *)
  assert (E1 : low w X i = min (C - recent w i (part w)) (part w i)). { apply Nat.le_antisymm.
    - destruct (Nat.eq_dec (low w X i) 0) as [Z|Z]; [lia|]. apply Nat.min_glb; [|unfold low; lia]. enough (recent
      w i (part w) + low w X i <= sum N X) by lia. unfold recent. pose proof (sum_point N i (low w X i)) as Pt.
      rewrite (proj2 (Nat.ltb_lt i N) Hi) in Pt. rewrite <- Pt, <- sum_add. apply sum_le. intros j Hj. destruct
      (Nat.eqb_spec j i) as [->|n].
      + rewrite Nat.ltb_irrefl. simpl. apply Low.
      + destruct (Nat.ltb_spec (came w i) (came w j)) as [Lt|]; [|lia]. specialize (L i j Hi Hj Lt ltac:(lia)).
        specialize (Low j). lia.
    - destruct (le_lt_dec (part w i) (low w X i)) as [|M]; [lia|]. destruct G as [G|G]; [specialize (G i Hi);
      lia|]. enough (sum N (low w X) <= recent w i (part w) + low w X i) by lia. unfold recent. pose proof
      (sum_point N i (low w X i)) as Pt. rewrite (proj2 (Nat.ltb_lt i N) Hi) in Pt. rewrite <- Pt, <- sum_add.
      apply sum_le. intros j Hj. destruct (Nat.eqb_spec j i) as [->|n]; [lia|]. destruct (came w i <? came w j)
      eqn:E; [unfold low; lia|]. specialize (Less j n E). destruct (low w X j) eqn:Lj; [lia|]. specialize (L j i
      Hj Hi Less ltac:(lia)). lia. }
  (* the rest *)
  assert (E2 : X i - part w i = min (C - (sum N (part w) + recent w i (fun j => past w j - part w j))) (past w i
  - part w i)). { pose proof (sum_point N i (X i - part w i)) as Pt. rewrite (proj2 (Nat.ltb_lt i N) Hi) in Pt.
    apply Nat.le_antisymm.
    - destruct (Nat.eq_dec (X i - part w i) 0) as [Z|Z]; [lia|]. apply Nat.min_glb; [|lia]. assert (Al : forall
      j, j < N -> low w X j = part w j). { destruct G as [G|G]; auto. exfalso. assert (sum N (low w X) + (X i -
      part w i) <= sum N X); [|lia]. rewrite <- Pt, <- sum_add. apply sum_le. intros j _. unfold low. destruct
      (Nat.eqb_spec j i) as [->|]; lia. } enough (sum N (part w) + recent w i (fun j => past w j - part w j) + (X
      i - part w i) <= sum N X) by lia. unfold recent. rewrite <- Pt at 1. rewrite <- !sum_add. apply sum_le.
      intros j Hj. specialize (Al j Hj). unfold low in Al. destruct (Nat.eqb_spec j i) as [->|n]; [rewrite
      Nat.ltb_irrefl; lia|]. destruct (Nat.ltb_spec (came w i) (came w j)) as [Lt|]; [|lia]. rewrite (R i j Hi Hj
      Lt) by lia. unfold part. lia.
    - destruct (le_lt_dec (past w i) (X i)) as [|M]; [lia|]. destruct F as [F|F]; [specialize (F i Hi); lia|].
      enough (sum N X <= sum N (part w) + recent w i (fun j => past w j - part w j) + (X i - part w i)) by lia.
      unfold recent. rewrite <- Pt at 1. rewrite <- !sum_add. apply sum_le. intros j Hj. specialize (P j).
      destruct (Nat.eqb_spec j i) as [->|n]; [lia|]. destruct (came w i <? came w j) eqn:E; [unfold part; lia|].
      specialize (Less j n E). destruct (le_lt_dec (X j) (part w j)) as [|S]; [lia|]. specialize (R j i Hj Hi
      Less S). lia. } unfold low in E1. lia. Qed.

Lemma served w u us X : stands N w -> who u < N -> history u = past w (who u) -> Ok w (u :: us) ->
  shaped w X -> shaped (serve u w) (fill u X).
Proof. intros St Nu Hu O [P L R G F]. destruct (ok_serve w u us O Hu) as (_ & Gr & Oth). set (k := who u) in *.
  set (n := history u + prompt u + response u). assert (Pk : past (serve u w) k = n) by (simpl; unfold k; now
  rewrite upd_eq). assert (Xk : fill u X k = n) by (unfold fill; now rewrite upd_eq). assert (Po : forall j, j <>
  k -> past (serve u w) j = past w j) by (intros; simpl; now rewrite upd_neq). assert (Xo : forall j, j <> k ->
  fill u X j = X j) by (intros; unfold fill; now rewrite upd_neq). assert (Co : forall j, j <> k -> came (serve u
  w) j = came w j) by (intros; simpl; now rewrite upd_neq). assert (Ck : came (serve u w) k = now w) by (simpl;
  unfold k; now rewrite upd_eq). assert (Pa : forall j, j <> k -> part (serve u w) j = part w j). { intros j nj.
  unfold part. now rewrite Po, Oth by auto. } assert (Lk : low (serve u w) (fill u X) k = part (serve u w) k) by
  (unfold low, part; rewrite Xk, Pk; lia). assert (Lo : forall j, j <> k -> low (serve u w) (fill u X) j = low w
  X j). { intros j nj. unfold low. now rewrite Xo, Pa by auto. } assert (Be : forall i j, came (serve u w) i <
  came (serve u w) j -> j = k \/ i <> k /\ j <> k /\ came w i < came w j). { intros i j Lt. destruct (Nat.eq_dec
  j k); auto. right. destruct (Nat.eq_dec i k) as [->|ni].
    - rewrite Ck, Co in Lt by auto. pose proof (s_before _ _ St j). lia.
    - rewrite !Co in Lt by auto. auto. } constructor.
  - exact (fill_le u X (past w) P).
  - intros i j Hi Hj Lt H. destruct (Be i j Lt) as [->|(ni & nj & Lt')]; auto. rewrite Lo in * by auto. rewrite
    Pa by auto. now apply (L i j).
  - intros i j Hi Hj Lt H. destruct (Be i j Lt) as [->|(ni & nj & Lt')]; [congruence|]. rewrite Xo in * by auto.
    rewrite Pa in H by auto. rewrite Po by auto. now apply (R i j).
  - destruct G as [G|G]; [left|right].
    + intros j Hj. destruct (Nat.eq_dec j k) as [->|nj]; auto. rewrite Lo, Pa; auto.
    + eapply Nat.le_trans; [exact G|]. apply sum_le. intros j _. destruct (Nat.eq_dec j k) as [->|nj].
      * rewrite Lk. unfold low. lia.
      * now rewrite Lo.
  - destruct F as [F|F]; [left|right].
    + intros j Hj. destruct (Nat.eq_dec j k) as [->|nj]; [congruence|]. rewrite Xo, Po; auto.
    + eapply Nat.le_trans; [exact F|]. apply sum_le. intros j _. destruct (Nat.eq_dec j k) as [->|nj].
      * rewrite Xk. specialize (P k). unfold n. lia.
      * now rewrite Xo. Qed.

Lemma cut_shaped w theta X X' : in_order N C false (b w) w theta X X' -> shaped w X ->
  shaped w X' /\ sum N X' <= C.
Proof. induction 1 as [X D | X v X' O Go R IH]; intros Sh; [auto|]. apply IH. clear IH R X'. destruct Sh as [P L
  R G F]. destruct (goes _ _ _ _ _ _ _ Go) as (Hv & Xv). pose proof (sum_upd N X v (X v - 1) Hv) as U. fold (lose
  X v) in U. assert (Dn : forall i, lose X v i <= X i) by (intros i; at_place v i; lia). assert (Ot : forall i, i
  <> v -> lose X v i = X i) by (intros i n; unfold lose; now rewrite upd_neq). assert (Ml : forall i, may_lose
  false theta i) by (intros i E; discriminate). assert (Pw : within (past w) (lose X v)) by (intros i; specialize
  (P i); specialize (Dn i); lia). assert (Lv : lose X v v = X v - 1) by (unfold lose; now rewrite upd_eq).
  destruct Go as [(_ & Fv & _ & Mn)|(Ns & _ & _ & _ & Mn)].
  - assert (Sv : X v > part w v) by (unfold part; lia). assert (Lo : forall i, low w (lose X v) i = low w X i). {
    intros i. unfold low. destruct (Nat.eq_dec i v) as [->|n]; [rewrite Lv; lia|now rewrite Ot]. } constructor;
    auto; try (right; lia).
    + intros i j Hi Hj Lt. rewrite !Lo. now apply (L i j).
    + intros i j Hi Hj Lt Si. assert (Si' : X i > part w i) by (specialize (Dn i); lia). destruct (Nat.eq_dec j
      v) as [->|n]; [|rewrite Ot by auto; now apply (R i j)]. exfalso. specialize (Mn i Hi). specialize (P i).
      unfold part in Si'. enough (came w v <= came w i) by lia. apply Mn; auto. lia.
    + destruct G as [G|G]; [left|right].
      * intros j Hj. rewrite Lo. auto.
      * eapply Nat.le_trans; [exact G|]. apply sum_le. intros j _. now rewrite Lo.
  - assert (Nos : forall i, i < N -> X i <= part w i). { intros i Hi. specialize (Ns i Hi (Ml i)). specialize (P
    i). unfold part. lia. } assert (Low : forall i, i < N -> low w (lose X v) i = lose X v i). { intros i Hi.
    specialize (Nos i Hi). specialize (Dn i). unfold low. lia. } constructor; auto; try (right; lia).
    + intros i j Hi Hj Lt Li. assert (Xi : X i >= 1) by (specialize (Dn i); unfold low in Li; lia). destruct
      (Nat.eq_dec j v) as [->|n]; [specialize (Mn i Hi Xi (Ml i)); lia|]. rewrite Low, Ot by auto. rewrite <- (L
      i j Hi Hj Lt); unfold low; [specialize (Nos j Hj); lia|]. specialize (Nos i Hi). lia.
    + intros i j Hi Hj Lt Si. specialize (Dn i). specialize (Nos i Hi). lia.
    + right. rewrite (sum_ext N (low w (lose X v)) (lose X v)) by auto. lia. Qed.

Lemma uncached_by_formula : forall us w X xs, stands N w -> shaped w X -> sum N X <= C -> Ok w us -> whole w us ->
  Forall (fun u => who u < N) us ->
  run 0 (fun w => in_order N C false (b w) w) w X us xs -> xs = by_formula w us.
Proof. induction us as [|u us IH]; intros w X xs St Sh Fit O Wh Nu R; inversion R as [|? ? ? ? X' ys K R'];
  subst; auto. destruct Wh as [Hu Wh]. inversion Nu as [|? ? Nw Nu']; subst. simpl. f_equal.
  - rewrite <- (formula_holds w X (who u) St Sh Fit Nw). pose proof (h_past _ _ Sh (who u)). unfold excess,
    uncached, reused. lia.
  - destruct (serve_stands N w u St Nw) as (St' & _). destruct (ok_serve w u us O Hu) as (O' & _). destruct
    (cut_shaped _ _ _ _ K (served w u us X St Nw Hu O Sh)) as (Sh' & Fit'). now apply (IH (serve u w) X'). Qed.
Lemma nothing_shaped : shaped nobody empty.
Proof. constructor; unfold low, part, empty; simpl; try (intros i; lia); auto; intros; lia. Qed.
Lemma nobody_starts : start N nobody empty.
Proof. constructor; unfold empty; simpl; intros; lia. Qed.
End Formula.

(* Row stack.lru. From an empty start, with whole histories, a turn under LRU reuses clip(C - S, 0, L), and with a
   token more of capacity no less: run 0 gives the uncached tokens. *)
Theorem formula_of_lru : forall N C us xs, trace N nobody us -> whole nobody us ->
  run 0 (lru N C false) nobody empty us xs -> xs = by_formula N C past nobody us /\
    forall of_larger, run 0 (lru N (S C) false) nobody empty us of_larger -> Forall2 le of_larger xs.
Proof. intros N C us xs Tr Wh R. split; [|intros ys; exact (inclusion_of_lru N C false nobody empty us xs ys
  (nobody_starts N) Tr R)]. destruct (start_stands N _ _ (nobody_starts N)) as (St & W). apply
  (uncached_by_formula N C past (fun _ _ => True)) with (X := empty); auto.
  - intros w u _ _ Hu. unfold part. simpl. rewrite upd_eq. repeat split; auto; [lia|]. intros j n. now rewrite
    upd_neq.
  - apply nothing_shaped.
  - unfold empty. rewrite sum_zero. lia.
  - exact (trace_numbers N us _ Tr).
  - now apply lru_runs. Qed.

(* Row stack.tlru, the same of T-LRU with least-recent trimming and one estimate Q. *)
Theorem formula_of_tlru : forall N C xi Q us xs, trace N nobody us -> whole nobody us ->
  Forall (fun u => estimate u = Q) us ->
  run 0 (tlru_in_order N C false xi) nobody empty us xs -> xs = by_formula N C (budget xi) nobody us /\
    forall of_larger, run 0 (tlru_in_order N (S C) false xi) nobody empty us of_larger -> Forall2 le of_larger xs.
Proof. intros N C xi Q us xs Tr Wh Es R. split; [|intros ys; exact (inclusion_of_tlru N C xi false nobody empty
  us xs ys (nobody_starts N) Tr R)]. destruct (start_stands N _ _ (nobody_starts N)) as (St & W). apply
  (uncached_by_formula N C (budget xi) (fun w us => (forall j, past w j = 0 \/ guess w j = Q) /\ Forall (fun u =>
  estimate u = Q) us)) with (X := empty); auto.
  - intros w u vs [G F] Hu. inversion F as [|? ? E F']; subst. pose proof (G (who u)) as Gu. unfold part, budget.
    simpl. rewrite !upd_eq. repeat split; auto; [|lia|intros j n; now rewrite !upd_neq]. intros j. destruct
    (Nat.eq_dec j (who u)) as [->|n]; [right; now rewrite upd_eq|]. rewrite !upd_neq by auto. auto.
  - apply nothing_shaped.
  - unfold empty. rewrite sum_zero. lia.
  - exact (trace_numbers N us _ Tr). Qed.
