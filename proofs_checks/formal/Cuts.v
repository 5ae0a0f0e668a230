(* What every cut keeps: the shape of LRU's caches, and what a policy holds against a cache of that shape. *)
From Coq Require Import Arith Lia List Bool.
Require Import Numbers Model Excess Policies.
Import ListNotations.

Ltac at_place v i := match goal with |- context[lose ?X v i] =>
  unfold lose; destruct (upd_case X v (X v - 1) i) as [[-> at_it]|[not_it at_it]]; rewrite at_it; clear at_it end.

Section Cuts.
Variables N C : nat.
Variable forced : bool.
Notation may_lose := (may_lose forced).
Notation cut := (cut N C forced).

(* Times: who came last is the one whose turn it is. *)
Record clock (w : world) (theta : nat) : Prop := {
  c_latest : forall j, j <> theta -> came w j < came w theta;
  c_came : forall i, past w i > 0 -> came w i >= 1;
  c_apart : forall i j, came w i = came w j -> came w i >= 1 -> i = j;
  c_inside : forall i, N <= i -> past w i = 0 }.

Definition within (M X : nat -> nat) := forall i, X i <= M i.
(* Who is more recent than somebody with a token has all of M, but for those that `but` excepts. *)
Definition shape (w : world) (but : nat -> Prop) (M X : nat -> nat) :=
  forall i j, X i >= 1 -> came w j > came w i -> ~ but j -> X j = M j.

Lemma inside w theta M X i : clock w theta -> within (past w) M -> within M X -> X i >= 1 -> i < N.
Proof. intros K WM W H. destruct (le_lt_dec N i); auto. specialize (W i). specialize (WM i). rewrite (c_inside _
  _ K) in WM; lia. Qed.
Lemma least_is_less w theta X v i : clock w theta -> least_recent N forced w theta X v ->
  i < N -> X i >= 1 -> came w v <= came w i.
Proof. intros K (Hv & Xv & Mv & Min) Hi Xi. destruct (Nat.eq_dec i theta) as [->|ni].
  - destruct (Nat.eq_dec v theta) as [->|nv]; auto. pose proof (c_latest _ _ K v nv). lia.
  - apply Min; auto. intros _. exact ni. Qed.
(* Only the most recent conversation can be exempt, so all others with a token are more recent than the victim. *)
Lemma others_newer w theta M X v j : clock w theta -> within (past w) M -> within M X ->
  least_recent N forced w theta X v -> X j >= 1 -> j <> v -> came w v < came w j.
Proof. intros K WM W Lv Xj nj. assert (j < N) by (eapply inside; eauto). pose proof (least_is_less w theta X v j
  K Lv H Xj) as Le. destruct (Nat.eq_dec (came w v) (came w j)) as [E|]; [|lia]. exfalso. apply nj. symmetry.
  apply (c_apart _ _ K); auto. apply (c_came _ _ K). destruct Lv as (_ & Xv & _). specialize (W v). specialize
  (WM v). lia. Qed.

(* LRU's cuts: what is left fits, nobody has more than before, and the shape stays. *)
Lemma lru_cut w theta but M X X' : clock w theta -> within (past w) M ->
  lru N C forced w theta X X' -> within M X -> shape w but M X ->
  sum N X' <= C /\ within X X' /\ shape w but M X' /\ (forced = true -> X' theta = X theta).
Proof. intros K WM R. unfold lru in R. induction R as [X D | X v X' Hv F Mv R IH | X v X' O _ Lv R IH]; intros W
  Sh.
  - repeat split; auto. intros i. lia.
  - exfalso. specialize (W v). specialize (WM v). lia.
  - destruct IH as (S1 & D1 & Sh1 & T1).
    + intros i. specialize (W i). at_place v i; lia.
    + intros i j Hi Hj Bj. assert (Xi : X i >= 1) by (revert Hi; at_place v i; lia). at_place v j; [|eapply Sh;
      eauto]. exfalso. pose proof (least_is_less w theta X v i K Lv ltac:(eapply inside; eauto) Xi). lia.
    + repeat split; auto.
      * intros i. specialize (D1 i). revert D1. at_place v i; lia.
      * intros Fo. rewrite (T1 Fo). destruct Lv as (_ & _ & Mv & _). specialize (Mv Fo). at_place v theta;
        [congruence|auto]. Qed.

(* Let Z be a cache of LRU's shape that fits, and `low` at most Z. A policy that trims above `low` alone, and
   evicts the least recent only when the excepted have no more than Z, keeps `low`. *)
Lemma keeps w theta M but Z low b (ready : cache -> Prop) X X' :
  clock w theta -> within (past w) M -> sum N Z <= C -> shape w but M Z -> (forall i, low i <= Z i) ->
  (forall X, within M X -> ready X -> forall j, but j -> X j <= Z j) -> (forall i, low i <= b i) ->
  (forall j, but j \/ ~ but j) ->
  cut b ready w theta X X' -> within M X -> (forall i, low i <= X i) ->
  within M X' /\ forall i, low i <= X' i.
Proof. intros K WM SZ Sh LZ But LB Dec R. induction R as [X D | X v X' Hv F Mv R IH | X v X' O Rd Lv R IH];
  intros W I; auto.
  - apply IH; intros i; [specialize (W i) | specialize (I i); specialize (LB i)]; at_place v i; lia.
  - apply IH; intros i; [specialize (W i); at_place v i; lia|]. at_place v i; [|apply I]. destruct (le_lt_dec
    (low v) (X v - 1)) as [G|G]; auto. exfalso. enough (sum N X <= sum N Z) by lia. apply sum_le. intros j Hj.
    specialize (LZ v). destruct (Nat.eq_dec j v) as [->|nj]; [lia|]. destruct (le_lt_dec 1 (X j)) as [Xj|];
    [|lia]. destruct (Dec j) as [B|B]; [now apply (But X)|]. pose proof (others_newer w theta M X v j K WM W Lv
    Xj nj). destruct Lv as (Hv & Xv & _). specialize (W j). rewrite (Sh v j); auto; lia. Qed.

(* The room of a turn: M becomes the past of who came, the times stay apart. *)
Record stands (w : world) : Prop := {
  s_now : now w >= 1;
  s_before : forall i, came w i < now w;
  s_came : forall i, past w i > 0 -> came w i >= 1;
  s_apart : forall i j, came w i = came w j -> came w i >= 1 -> i = j;
  s_inside : forall i, N <= i -> past w i = 0 }.

Lemma start_stands w X : start N w X -> stands w /\ within (past w) X.
Proof. intros []. split; auto. constructor; auto. specialize (before_now 0). lia. Qed.
Lemma serve_stands w u : stands w -> who u < N -> stands (serve u w) /\ clock (serve u w) (who u).
Proof. intros [] H. assert (A : forall i j, came (serve u w) i = came (serve u w) j -> came (serve u w) i >= 1 ->
  i = j). { simpl. intros i j. pose proof (s_before0 i). pose proof (s_before0 j). destruct (upd_case (came w)
  (who u) (now w) i) as [[-> E]|[_ E]]; rewrite E; destruct (upd_case (came w) (who u) (now w) j) as [[-> E']|[_
  E']]; rewrite E'; auto; lia. } assert (B : forall i, past (serve u w) i > 0 -> came (serve u w) i >= 1). {
  simpl. intros i. destruct (upd_case (came w) (who u) (now w) i) as [[-> E]|[n E]]; rewrite E; [lia|]. rewrite
  upd_neq by auto. apply s_came0. } assert (D : forall i, N <= i -> past (serve u w) i = 0) by (intros i Hi;
  simpl; rewrite upd_neq by lia; auto). split; constructor; auto; simpl.
  - lia.
  - intros i. specialize (s_before0 i). destruct (upd_case (came w) (who u) (now w) i) as [[-> E]|[_ E]]; rewrite
    E; lia.
  - intros j nj. rewrite upd_eq, upd_neq by auto. apply s_before0. Qed.

Lemma fill_le u X Y : within Y X -> within (fill u Y) (fill u X).
Proof. intros W i. unfold fill. destruct (upd_case Y (who u) (history u + prompt u + response u) i) as [[-> E]|[n
  E]]; rewrite E.
  - now rewrite upd_eq.
  - rewrite upd_neq by auto. apply W. Qed.
Lemma fill_shape w u (but but' : nat -> Prop) M X : stands w -> (forall j, j <> who u -> but j -> but' j) ->
  shape w but M X -> shape (serve u w) but' (fill u M) (fill u X).
Proof. intros St Bu Sh i j Hi Hj Bj. unfold fill in *. simpl in Hj. destruct (Nat.eq_dec j (who u)) as [->|nj];
  [now rewrite !upd_eq|]. rewrite !upd_neq by auto. rewrite (upd_neq _ _ j) in Hj by auto. destruct (Nat.eq_dec i
  (who u)) as [->|ni].
  - rewrite upd_eq in Hj. pose proof (s_before _ St j). lia.
  - rewrite upd_neq in Hi, Hj by auto. apply (Sh i j); auto. Qed.

(* Two runs of one trace side by side: their caches X and Y hold at most what was at hand, M. *)
Record together (w : world) (us : list turn) (M X Y : cache) : Prop := {
  g_stands : stands w;
  g_past : within (past w) M;
  g_X : within M X;
  g_Y : within M Y;
  g_trace : trace N w us;
  g_covered : covered w us }.
Lemma together_start w us X : start N w X -> trace N w us -> covered w us -> together w us X X X.
Proof. intros St Tr Co. destruct (start_stands _ _ St). constructor; auto; intros i; auto. Qed.
Lemma together_turn w u us M X Y : together w (u :: us) M X Y ->
  (history u <= past w (who u) /\ (past w (who u) > 0 -> prompt u <= guess w (who u)) /\
   within (past w) X /\ within (past w) Y) /\
  clock (serve u w) (who u) /\ together (serve u w) us (fill u M) (fill u X) (fill u Y).
Proof. intros [St WM WX WY (Nu & Hu & Tr) (Pu & Co)]. destruct (serve_stands w u St Nu) as (St' & K). split;
  [|split; [exact K|constructor; auto using fill_le; exact (fill_le u M (past w) WM)]]. repeat split; auto;
  intros i; specialize (WM i); specialize (WX i); specialize (WY i); lia. Qed.
End Cuts.

(* What holds of the caches at every turn, and makes X's excess at most Y's. *)
Lemma side_by_side xi (pX pY : world -> nat -> cache -> cache -> Prop)
  (inv : world -> list turn -> cache -> cache -> Prop) :
  (forall w u us X Y, inv w (u :: us) X Y -> excess xi X u <= excess xi Y u /\
    forall X' Y', pX (serve u w) (who u) (fill u X) X' -> pY (serve u w) (who u) (fill u Y) Y' ->
      inv (serve u w) us X' Y') ->
  forall us w X Y exX exY, inv w us X Y -> run xi pX w X us exX -> run xi pY w Y us exY -> Forall2 le exX exY.
Proof. intros H. induction us as [|u us IH]; intros w X Y exX exY I RX RY.
  - inversion RX; inversion RY; constructor.
  - inversion RX as [|? ? ? ? X' ? CX RX']; subst. inversion RY as [|? ? ? ? Y' ? CY RY']; subst. destruct (H _ _
    _ _ _ I) as (E & St). constructor; auto. apply (IH (serve u w) X' Y'); auto. Qed.
