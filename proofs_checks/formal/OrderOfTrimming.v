(* Which surplus goes, and when, changes no excess, as long as enough goes before anything is evicted. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies Plans Cuts.
Import ListNotations.

Section Order.
Variables N C xi : nat.
Variable forced : bool.
Variable b : world -> nat -> nat.
Variable gone : world -> nat -> bool.
Notation lru := (lru N C forced).

(* What a cache has within the budgets; all of it where it is exempt. *)
Definition core (w : world) (theta : nat) (X : cache) : cache :=
  fun i => if exempt forced theta i then X i else min (X i) (b w i).
Lemma may_not_exempt theta v : may_lose forced theta v -> exempt forced theta v = false.
Proof. unfold may_lose, exempt. destruct forced; simpl; auto. intros H. apply Nat.eqb_neq. auto. Qed.
Lemma exempt_may theta v : exempt forced theta v = false -> may_lose forced theta v.
Proof. unfold may_lose, exempt. intros E Fo ->. rewrite Fo, Nat.eqb_refl in E. discriminate. Qed.
Lemma core_le w theta X : within X (core w theta X).
Proof. intros i. unfold core. destruct (exempt _ _ _); lia. Qed.

(* Two caches that LRU cuts are the same afterwards if they were before: nobody came at the same time. *)
Lemma lru_same w theta A A' : clock N w theta -> within (past w) A -> lru w theta A A' ->
  forall B B', (forall i, A i = B i) -> lru w theta B B' -> forall i, A' i = B' i.
Proof. intros K W R. unfold Policies.lru in *. induction R as [A D | A v A' Hv F Mv R IH | A v A' O _ Lv R IH];
  intros B B' E S.
  - destruct S as [B _ | B v B' Hv F Mv S | B v B' O Rd Lv S]; auto.
    + specialize (W v). rewrite E in W. lia.
    + rewrite (sum_ext N A B) in D by auto. lia.
  - specialize (W v). lia.
  - destruct S as [B D | B u B' Hv F Mv S | B u B' O' _ Lu S].
    + rewrite (sum_ext N A B) in O by auto. lia.
    + specialize (W u). rewrite E in W. lia.
    + assert (v = u). { destruct Lv as (Hv & Xv & Mv & Mn), Lu as (Hu & Xu & Mu & Mn'). apply (c_apart _ _ _ K).
        - apply Nat.le_antisymm; [apply Mn; auto; rewrite E; auto | apply Mn'; auto; rewrite <- E; auto].
        - apply (c_came _ _ _ K). specialize (W v). lia. } subst u. assert (W' : within (past w) (lose A v)) by
          (intros i; specialize (W i); at_place v i; lia). apply (IH W' (lose B v)); auto. intros i. unfold lose.
          rewrite (E v). unfold upd. destruct (i =? v); auto. Qed.

(* The core of what T-LRU leaves is what LRU leaves of the core. *)
Lemma core_of_cut w theta X X' : within (past w) X -> cut N C forced (b w) (no_surplus N forced theta (b w)) w
  theta X X' ->
  forall A, (forall i, A i = core w theta X i) -> exists A', lru w theta A A' /\ forall i, A' i = core w theta X'
    i.
Proof. intros W R. induction R as [X D | X v X' Hv F Mv R IH | X v X' O Rd Lv R IH]; intros A E.
  - exists A. split; auto. apply fits. apply Nat.le_trans with (sum N X); auto. apply sum_le. intros i _. rewrite
    E. apply core_le.
  - apply IH; [intros i; specialize (W i); at_place v i; lia|]. intros i. rewrite E. unfold core. unfold lose.
    destruct (upd_case X v (X v - 1) i) as [[-> U]|[_ U]]; rewrite U; auto. rewrite (may_not_exempt _ _ Mv). lia.
  - assert (EX : forall i, i < N -> A i = X i). { intros i Hi. rewrite E. unfold core. destruct (exempt forced
    theta i) eqn:Ex; auto. specialize (Rd i Hi (exempt_may _ _ Ex)). lia. } destruct Lv as (Hv & Xv & Mv & Mn).
    destruct (IH ltac:(intros i; specialize (W i); at_place v i; lia) (lose A v)) as (A' & RA & EA).
    + intros i. unfold lose. rewrite EX by auto. unfold core. destruct (upd_case A v (X v - 1) i) as [[-> U]|[n
      U]]; rewrite U.
      * rewrite upd_eq, (may_not_exempt _ _ Mv). specialize (Rd v Hv Mv). lia.
      * rewrite upd_neq by auto. rewrite E. reflexivity.
    + exists A'. split; auto. apply evicts with (v := v); auto; [|exact I|].
      * rewrite (sum_ext N A X) by auto. auto.
      * repeat split; auto; [now rewrite EX|]. intros j Hj Aj. apply Mn; auto. now rewrite <- EX. Qed.

Lemma cut_within budget ready w theta M X X' : cut N C forced budget ready w theta X X' -> within M X ->
  within M X'.
Proof. induction 1 as [| X v X' Hv F Mv R IH | X v X' O Rd Lv R IH]; intros W; auto; apply IH; intros i;
  specialize (W i); at_place v i; lia. Qed.

Lemma drop_within g theta M X : within M X -> within M (drop_those forced g theta X).
Proof. intros W i. specialize (W i). unfold drop_those. destruct (_ && _); lia. Qed.

(* Budgets cover what the next turn can use, and change at a conversation's own turns alone. *)
Fixpoint foresees (w : world) (us : list turn) : Prop :=
  match us with
  | [] => True
  | u :: us => (past w (who u) > 0 -> past w (who u) + prompt u - xi <= b w (who u)) /\
      (forall j, j <> who u -> b (serve u w) j = b w j) /\ foresees (serve u w) us
  end.
Notation policy := (aware_tlru N C forced b gone).

Lemma same_excesses : forall us w X Y exX exY,
  stands N w -> within (past w) X -> within (past w) Y ->
  (forall i, min (X i) (b w i) = min (Y i) (b w i)) -> trace N w us -> foresees w us ->
  run xi policy w X us exX -> run xi policy w Y us exY -> exX = exY.
Proof. induction us as [|u us IH]; intros w X Y exX exY St WX WY I Tr Co RX RY.
  - inversion RX; inversion RY; auto.
  - destruct Tr as (Nu & Hu & Tr). destruct Co as (Pu & Ot & Co). inversion RY as [|? ? ? ? Y' ysY CY RY'];
    subst. inversion RX as [|? ? ? ? X' xsX CX RX']; subst. f_equal.
    + unfold excess, uncached, reused in *. specialize (I (who u)). specialize (WX (who u)). specialize (WY (who
      u)). clear -I WX WY Pu Hu. destruct (Nat.eq_dec (past w (who u)) 0); [lia|]. specialize (Pu ltac:(lia)).
      lia.
    + destruct (serve_stands N w u St Nu) as (St' & K). unfold aware_tlru in CX, CY. set (X1 := drop_those forced
      (gone (serve u w)) (who u) (fill u X)) in *. set (Y1 := drop_those forced (gone (serve u w)) (who u) (fill
      u Y)) in *. assert (WX' : within (past (serve u w)) X1) by (apply drop_within; exact (fill_le u X (past w)
      WX)). assert (WY' : within (past (serve u w)) Y1) by (apply drop_within; exact (fill_le u Y (past w) WY)).
      destruct (core_of_cut _ _ _ _ WX' CX _ (fun _ => eq_refl)) as (A & RA & EA). destruct (core_of_cut _ _ _ _
      WY' CY _ (fun _ => eq_refl)) as (B & RB & EB). assert (AB : forall i, A i = B i). { apply lru_same with (w
      := serve u w) (theta := who u) (B := core (serve u w) (who u) Y1) (B' := B) (A := core (serve u w) (who u)
      X1); auto.
        - intros i. pose proof (core_le (serve u w) (who u) X1 i). specialize (WX' i). lia.
        - intros i. unfold core, X1, Y1, drop_those, fill. destruct (Nat.eq_dec i (who u)) as [->|n]; [now
          rewrite !upd_eq|]. rewrite !upd_neq by auto. specialize (I i). assert (Ex : exempt forced (who u) i =
          false) by (apply may_not_exempt; intros _; auto). rewrite Ex. simpl. rewrite andb_true_r. destruct
          (gone (serve u w) i); auto. now rewrite (Ot i n). } apply (IH (serve u w) X' Y'); auto.
      * exact (cut_within _ _ _ _ _ _ _ CX WX').
      * exact (cut_within _ _ _ _ _ _ _ CY WY').
      * intros i. specialize (AB i). rewrite EA, EB in AB. unfold core in AB. destruct (exempt forced (who u) i);
        [now rewrite AB | exact AB]. Qed.
End Order.

(* Of every policy with budgets that foresee enough and that may drop whom it knows to be gone two runs, which trim
   whichever surplus they like, have the same excess at every turn. *)
Lemma order_is_free_with_foresight : forall N C xi forced b gone w X us one_order other_order,
  start N w X -> trace N w us -> foresees xi b w us ->
  run xi (aware_tlru N C forced b gone) w X us one_order ->
  run xi (aware_tlru N C forced b gone) w X us other_order ->
  one_order = other_order.
Proof. intros N C xi forced b gone w X us xs ys St Tr Co RX RY. destruct (start_stands _ _ _ St) as (S & W).
  apply (same_excesses N C xi forced b gone us w X X xs ys); auto. Qed.
Lemma covered_foresees xi : forall us w, covered w us -> foresees xi (budget xi) w us.
Proof. induction us as [|u us IH]; intros w Co; simpl; auto. destruct Co as (P & Co). repeat split; auto.
  - intros H. specialize (P H). unfold budget. lia.
  - intros j n. unfold budget. simpl. now rewrite !upd_neq. Qed.

(* Row trim.eager, as surplus may go at any time, also where nothing overflows. *)
Theorem order_of_trimming_is_free : forall N C xi forced w X us one_order other_order,
  start N w X -> trace N w us -> covered w us ->
  run xi (tlru N C forced xi) w X us one_order ->
  run xi (tlru N C forced xi) w X us other_order ->
  one_order = other_order.
Proof. intros N C xi forced w X us xs ys St Tr Co. exact (order_is_free_with_foresight N C xi forced (budget xi)
  (fun _ _ => false) w X us xs ys St Tr (covered_foresees xi us w Co)). Qed.

(* The turns to come are known, from the world w0 on: who has none is gone; Length-Aware T-LRU knows the next. *)
Definition coming us (w0 w : world) i := next us (now w - now w0) i.
Definition gone us w0 (w : world) i := steps us <=? coming us w0 w i.
Definition exact_budget xi us w0 (w : world) i := past w i + prompt (turn_at us (coming us w0 w i)) - xi.
Lemma exact_foresees xi us w0 : forall vs w k, now w = now w0 + k -> k + length vs = steps us ->
  (forall i, nth i vs (Turn 0 0 0 0 0) = turn_at us (k + i)) -> foresees xi (exact_budget xi us w0) w vs.
Proof. induction vs as [|u vs IH]; intros w k Nw L V; simpl; auto. simpl in L. pose proof (V 0) as V0. simpl in
  V0. rewrite Nat.add_0_r in V0. assert (Here : forall i, next us k i = if who u =? i then k else next us (S k)
  i). { intros i. unfold next. replace (steps us - k) with (S (steps us - S k)) by lia. simpl. now rewrite V0. }
  unfold exact_budget, coming. replace (now w - now w0) with k by lia. split; [|split].
  - intros _. rewrite Here, Nat.eqb_refl, <- V0. lia.
  - intros j n. cbn [now past serve]. rewrite upd_neq by auto. replace (S (now w) - now w0) with (S k) by lia.
    rewrite (Here j). now rewrite (proj2 (Nat.eqb_neq (who u) j)) by auto.
  - apply (IH _ (S k)); simpl; try lia. intros i. specialize (V (S i)). simpl in V. rewrite V. f_equal. lia. Qed.
(* Rows trim.order-is-free, trim.order-is-free.named and .named.forced. Two runs, which trim whichever surplus they
   like, have the same excess at every turn: T-LRU and End-Aware T-LRU, if no prompt is more than its estimate, and
   Length-Aware T-LRU. *)
Theorem order_is_free : forall N C xi forced w X us one_order other_order,
  start N w X -> trace N w us ->
  let free policy :=
    run xi policy w X us one_order -> run xi policy w X us other_order -> one_order = other_order in
  (covered w us -> free (tlru N C forced xi)) /\
  (covered w us -> free (aware_tlru N C forced (budget xi) (gone us w))) /\
  free (aware_tlru N C forced (exact_budget xi us w) (gone us w)).
Proof. intros N C xi forced w X us xs ys St Tr free. unfold free. repeat split.
  - intros Co. now apply (order_of_trimming_is_free N C xi forced w X us xs ys).
  - intros Co. apply (order_is_free_with_foresight N C xi forced _ _ w X us xs ys); auto using covered_foresees.
  - apply (order_is_free_with_foresight N C xi forced _ _ w X us xs ys); auto. apply (exact_foresees _ _ _ _ _
    0); auto. Qed.

(* Where no budget is less than the past, nothing is trimmed. *)
Lemma nothing_to_trim N C forced b ready w theta X X' : (forall i, past w i <= b i) -> within (past w) X ->
  cut N C forced b ready w theta X X' -> lru N C forced w theta X X'.
Proof. intros B W R. induction R as [X D | X v X' Hv F Mv R IH | X v X' O Rd Lv R IH].
  - now apply fits.
  - specialize (W v). specialize (B v). lia.
  - apply evicts with (v := v); [auto|exact I|auto|]. apply IH. intros i. specialize (W i). at_place v i; lia.
    Qed.

Lemma same_runs N C xi forced : forall us w X Y xs ys, stands N w -> within (past w) X -> (forall i, X i = Y i) ->
  (forall i, xi <= guess w i) -> Forall (fun u => xi <= estimate u) us -> trace N w us ->
  run 0 (tlru_partial N C forced xi) w X us xs -> run 0 (lru N C forced) w Y us ys -> xs = ys.
Proof. induction us as [|u us IH]; intros w X Y xs ys St W E G Es Tr RX RY; inversion RX as [|? ? ? ? X' ? CX
  RX']; subst; inversion RY as [|? ? ? ? Y' ? CY RY']; subst; auto. destruct Tr as (Nu & _ & Tr). inversion Es as
  [|? ? Eu Es']; subst. destruct (serve_stands N w u St Nu) as (St' & K). assert (W' : within (past (serve u w))
  (fill u X)) by (exact (fill_le u X (past w) W)). assert (G' : forall i, xi <= guess (serve u w) i). { intros i.
  simpl. destruct (upd_case (guess w) (who u) (estimate u) i) as [[-> F]|[_ F]]; rewrite F; auto. } f_equal;
  [unfold excess, uncached, reused; now rewrite E|]. assert (CX' : lru N C forced (serve u w) (who u) (fill u X)
  X'). { apply nothing_to_trim with (b := budget xi (serve u w)) (ready := at_once); auto. intros i. specialize
  (G' i). unfold budget. lia. } apply (IH (serve u w) X' Y'); auto; [exact (cut_within _ _ _ _ _ _ _ _ _ _ CX
  W')|]. apply (lru_same N C forced (serve u w) (who u) _ _ K W' CX' (fill u Y)); auto. intros i. unfold fill,
  upd. now rewrite E. Qed.

(* Row theorem-31.large-q. With estimates of at least xi T-LRU is LRU, turn by turn: run 0 gives the uncached
   tokens. *)
Theorem tlru_is_lru : forall N C xi forced w X us of_tlru of_lru,
  start N w X -> trace N w us -> (forall i, xi <= guess w i) -> Forall (fun u => xi <= estimate u) us ->
  run 0 (tlru_partial N C forced xi) w X us of_tlru ->
  run 0 (lru N C forced) w X us of_lru ->
  of_tlru = of_lru.
Proof. intros N C xi forced w X us xs ys St Tr G Es. destruct (start_stands _ _ _ St) as (S & W). now apply
  same_runs. Qed.
