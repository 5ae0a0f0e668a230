(* The exchange lemma of Theorem D.2: where a turn lowers no score of its conversation, and all others fall
   alike, it is best to keep the tokens of the highest scores. *)
From Coq Require Import Arith Lia List Bool QArith Lqa.
Require Import Strategies.
Import ListNotations.
Local Open Scope nat_scope.

Definition token_dec : forall a b : token, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Lemma qsum_app {A} (l m : list A) f : (qsum (l ++ m) f == qsum l f + qsum m f)%Q.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.
Lemma qsum_ext {A} (l : list A) f g : (forall x, In x l -> f x == g x)%Q -> (qsum l f == qsum l g)%Q.
Proof. induction l; simpl; intros H; [lra|]. rewrite (H a), IHl by auto. lra. Qed.
Lemma qsum_le {A} (l : list A) f g : (forall x, In x l -> f x <= g x)%Q -> (qsum l f <= qsum l g)%Q.
Proof. induction l; simpl; intros H; [lra|]. pose proof (H a (or_introl eq_refl)). specialize (IHl ltac:(auto)).
  lra. Qed.
Lemma qsum_pos {A} (l : list A) f : (forall x, In x l -> 0 <= f x)%Q -> (0 <= qsum l f)%Q.
Proof. induction l; simpl; intros H; [lra|]. pose proof (H a (or_introl eq_refl)). specialize (IHl ltac:(auto)).
  lra. Qed.
Lemma qsum_add {A} (l : list A) f g : (qsum l (fun x => f x + g x) == qsum l f + qsum l g)%Q.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.
Lemma qsum_mul {A} (l : list A) c f : (qsum l (fun x => c * f x) == c * qsum l f)%Q.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.
Lemma qsum_swap {A B} (l : list A) (m : list B) f :
  (qsum l (fun x => qsum m (fun y => f x y)) == qsum m (fun y => qsum l (fun x => f x y)))%Q.
Proof. induction l; simpl; [induction m; simpl; lra|]. rewrite IHl, <- qsum_add. lra. Qed.
Lemma weaken {A B} (R R' : A -> B -> Prop) l m : (forall x y, R x y -> R' x y) -> Forall2 R l m -> Forall2 R' l m.
Proof. intros H. induction 1; constructor; auto. Qed.
Lemma qsum_incl K L f : NoDup K -> incl K L -> (forall t : token, 0 <= f t)%Q -> (qsum K f <= qsum L f)%Q.
Proof. intros ND. revert L. induction ND as [|t K Nt ND IH]; intros L I P; simpl; [apply qsum_pos; auto|].
  destruct (in_split t L (I t (or_introl eq_refl))) as (l & m & ->). rewrite qsum_app. simpl. assert (incl K (l
  ++ m)). { intros u Hu. specialize (I u (or_intror Hu)). apply in_app_or in I. apply in_or_app. destruct I as
     [|[->|]]; auto. contradiction. } specialize (IH (l ++ m) H P). rewrite qsum_app in IH. lra. Qed.

(* Of a set with more tokens than another some token is not in the other; and one that has not that of it all. *)
Lemma some_outside (B K : list token) : NoDup B -> length K < length B -> exists b, In b B /\ ~ In b K.
Proof. intros ND L. destruct (Forall_Exists_dec (fun b => In b K) (fun b => in_dec token_dec b K) B) as [F|E].
  - exfalso. rewrite Forall_forall in F. pose proof (NoDup_incl_length ND F). lia.
  - apply Exists_exists in E as (b & Hb & Nb). exists b; auto. Qed.
Lemma some_missing (B K : list token) a : NoDup B -> length K <= length B -> In a K -> ~ In a B ->
  exists b, In b B /\ ~ In b K.
Proof. intros ND L Ka Ba. destruct (Forall_Exists_dec (fun b => In b K) (fun b => in_dec token_dec b K) B) as
  [F|E].
  - exfalso. rewrite Forall_forall in F. apply Ba. exact (NoDup_length_incl ND L F a Ka).
  - apply Exists_exists in E as (b & Hb & Nb). exists b; auto. Qed.
Lemma pad (B K : list token) : NoDup B -> NoDup K -> length K <= length B ->
  exists L, NoDup L /\ incl K L /\ incl L (K ++ B) /\ length L = length B.
Proof. intros NB. remember (length B - length K) as n. revert K Heqn. induction n; intros K E NK L.
  - exists K. repeat split; auto; try lia; [apply incl_refl|apply incl_appl, incl_refl].
  - destruct (some_outside B K NB) as (b & Hb & Nb); [lia|]. destruct (IHn (b :: K)) as (M & NM & I1 & I2 & LM);
    simpl; try lia; [constructor; auto|]. exists M. repeat split; auto.
    + intros t Ht. apply I1. now right.
    + intros t Ht. specialize (I2 t Ht). apply in_app_or in I2. apply in_or_app. destruct I2 as [[->|]|]; auto.
      Qed.
Definition outside (B K : list token) := length (filter (fun t => if in_dec token_dec t B then false else true) K).
Lemma outside_pos B K t : In t K -> ~ In t B -> 1 <= outside B K.
Proof. intros Ht Nt. destruct (in_split t K Ht) as (l & r & ->). unfold outside. rewrite filter_app, app_length.
  simpl. destruct (in_dec token_dec t B); [contradiction|]. simpl. lia. Qed.
Lemma lowest (f : token -> Q) (p : token -> Prop) (dec : forall t, {p t} + {~ p t}) K : (exists t, In t K /\ p
  t) ->
  exists c, In c K /\ p c /\ forall t, In t K -> p t -> (f c <= f t)%Q.
Proof. induction K as [|u K IH]; intros (t & Ht & Pt); [destruct Ht|]. destruct (Exists_dec p K dec) as [E|E].
  - apply Exists_exists in E. destruct (IH E) as (c & Hc & Pc & Mn). destruct (dec u) as [Pu|Nu].
    + destruct (Qlt_le_dec (f u) (f c)).
      * exists u. repeat split; [now left|auto|]. intros v [->|Hv] Pv; [lra|]. specialize (Mn v Hv Pv). lra.
      * exists c. repeat split; [now right|auto|]. intros v [->|Hv] Pv; auto.
    + exists c. repeat split; [now right|auto|]. intros v [->|Hv] Pv; [contradiction|auto].
  - assert (Nk : forall v, In v K -> ~ p v) by (intros v Hv Pv; apply E, Exists_exists; eauto). destruct Ht as
    [->|Ht]; [|now apply Nk in Pt]. exists t. repeat split; [now left|auto|]. intros v [->|Hv] Pv; [lra|]. now
    apply Nk in Pv. Qed.

Section Exchange.
Variable state : Type.
Variable events : state -> list (event state).
Variable C : nat.
Variable proper : state -> Prop.             (* what every state fulfils *)
Variable there : state -> token -> Prop.     (* the tokens that a state has *)
Variable score : state -> token -> Q.
Variable factor : state -> Q.
Hypothesis chances : forall s e, proper s -> In e (events s) -> (0 <= chance e)%Q.
Hypothesis stays_proper : forall s e, proper s -> In e (events s) -> proper (next e).
Hypothesis factor_pos : forall s, proper s -> (0 <= factor s)%Q.
Hypothesis score_pos : forall s t, proper s -> (0 <= score s t)%Q.
(* The chance that a token is of use to the next turn is its score, times a factor that is the same for all
   tokens. *)
Hypothesis score_is : forall s t, proper s ->
  (qsum (events s) (fun e => chance e * (if of_use e t then 1 else 0)) == factor s * score s t)%Q.
Hypothesis still_there : forall s e t, proper s -> In e (events s) -> there s t -> there (next e) t.
Hypothesis brought : forall s e t, proper s -> In e (events s) -> In t (brings e) -> there (next e) t.
(* What scores as much as a token of a conversation that does not come scores as much as it after the turn. *)
Hypothesis order_kept : forall s e a t, proper s -> In e (events s) -> there s a -> ~ In a (brings e) ->
  (score s a <= score s t -> score (next e) a <= score (next e) t)%Q.

Notation saves := (saves state events C any_set).

Lemma gain s K : proper s ->
  (qsum (events s) (fun e => chance e * used state e K) == factor s * qsum K (score s))%Q.
Proof. intros P. rewrite (qsum_ext _ _ (fun e => qsum K (fun t => chance e * (if of_use e t then 1 else 0)))%Q)
  by (intros; unfold used; rewrite qsum_mul; lra). rewrite qsum_swap, <- qsum_mul. apply qsum_ext. intros t _.
  apply score_is, P. Qed.
Lemma improve (P P' : event state -> Q -> Prop) es xs : Forall2 P es xs -> (forall e, In e es -> 0 <= chance
  e)%Q ->
  (forall e x, In e es -> P e x -> exists y, (x <= y)%Q /\ P' e y) ->
  exists ys, Forall2 P' es ys /\ (mean state es xs <= mean state es ys)%Q.
Proof. induction 1 as [|e x es xs Pe F IH]; intros Ch H; [exists []; split; [constructor|simpl; lra]|]. destruct
  (H e x (or_introl eq_refl) Pe) as (y & L & Py). destruct IH as (ys & F' & L'); [intros; apply Ch; now
  right|intros; eapply H; eauto; now right|]. exists (y :: ys). split; [now constructor|]. simpl. specialize (Ch
  e (or_introl eq_refl)). nra. Qed.
Lemma saves_more m : forall s K L x, proper s -> NoDup K -> incl K L -> saves m s K x ->
  exists y, (x <= y)%Q /\ saves m s L y.
Proof. destruct m; intros s K L x P ND I H; [exists x; split; [lra|exact H]|]. destruct H as (later & F & E).
  exists (factor s * qsum L (score s) + mean state (events s) later)%Q. split.
  - rewrite E, gain by auto. pose proof (qsum_incl K L (score s) ND I (fun t => score_pos s t P)). pose proof
    (factor_pos s P). nra.
  - exists later. split; [|now rewrite gain]. eapply weaken; [|exact F]. intros e y (K' & A1 & A2 & A3 & A4 &
    A5). exists K'. repeat split; auto. intros t Ht. specialize (A2 t Ht). apply in_app_or in A2. apply
    in_or_app. destruct A2; auto. Qed.

Definition exchanges m := forall s a b T x, proper s -> S (length T) = C -> NoDup (a :: T) -> NoDup (b :: T) ->
  (forall t, In t (a :: b :: T) -> there s t) -> (score s a <= score s b)%Q ->
  (forall t, In t T -> score s a <= score s t)%Q -> saves m s (a :: T) x ->
  exists y, (x <= y)%Q /\ saves m s (b :: T) y.

(* A token c that scores least in K goes for one that scores as much. *)
Lemma one_exchange m s c b K x : exchanges m -> proper s -> NoDup K -> length K = C -> In c K -> ~ In b K ->
  (forall t, In t K -> there s t) -> there s b -> (score s c <= score s b)%Q ->
  (forall t, In t K -> score s c <= score s t)%Q -> saves m s K x ->
  exists L y, (x <= y)%Q /\ saves m s L y /\ NoDup L /\ length L = C /\
    (forall t, In t L <-> t = b \/ (In t K /\ t <> c)) /\
    forall B, In b B -> ~ In c B -> S (outside B L) = outside B K.
Proof. intros Ex P ND Le Kc Kb Th Tb Sb Mn H. destruct (in_split c K Kc) as (l & r & ->). pose proof
  (NoDup_remove _ _ _ ND) as (ND' & Nc). assert (In_ : forall t, In t (l ++ r) <-> In t (l ++ c :: r) /\ t <> c).
  { intros t. rewrite !in_app_iff. simpl. split; [|intuition congruence]. intros Ht. split; [tauto|]. intros ->.
  apply Nc. now apply in_or_app. } destruct (saves_more m s (l ++ c :: r) (c :: l ++ r) x P ND) as (x' & L1 &
  H1); auto. { intros t. rewrite !in_app_iff. simpl. rewrite in_app_iff. tauto. } destruct (Ex s c b (l ++ r) x'
  P) as (y & L2 & H2); auto.
  - rewrite app_length in *. simpl in Le. lia.
  - constructor; auto.
  - constructor; auto. intros Hb. apply Kb. now apply In_.
  - intros t [<-|[<-|Ht]]; auto. apply Th. now apply In_.
  - intros t Ht. apply Mn. now apply In_.
  - exists (b :: l ++ r), y. split; [lra|]. split; auto. split; [|split; [|split]].
    + constructor; auto. intros Hb. apply Kb. now apply In_.
    + rewrite app_length in Le. simpl in *. rewrite app_length. lia.
    + intros t. simpl. rewrite In_. split; [intros [->|]; auto|intros [->|]; auto].
    + intros B Bb Bc. unfold outside. simpl. destruct (in_dec token_dec b B); [|contradiction]. rewrite
      !filter_app, !app_length. simpl. destruct (in_dec token_dec c B); [contradiction|]. simpl. lia. Qed.

(* After a turn: what may be kept of a, T and what came is worth no more than what may be kept of b, T and it. *)
Lemma without m s a T b R : exchanges m -> proper s -> S (length T) = C -> NoDup (b :: T) -> a <> b -> ~ In a T ->
  ~ In a R -> (forall t, In t (a :: b :: T ++ R) -> there s t) ->
  (forall t, In t (b :: T) -> score s a <= score s t)%Q ->
  forall n K x, outside (b :: T) K <= n -> NoDup K -> length K = C -> incl K (a :: b :: T ++ R) -> saves m s K x ->
  exists L y, (x <= y)%Q /\ saves m s L y /\ NoDup L /\ length L <= C /\ incl L (b :: T ++ R).
Proof. intros Ex P LT NB ab aT aR Th Sc. induction n; intros K x On ND Le I H; (destruct (in_dec token_dec a K)
  as [Ka|Ka]; [|exists K, x; repeat split; auto; try lra; try lia; intros t Ht; destruct (I t Ht) as [->|]; auto;
  contradiction]).
  - exfalso. assert (Na : ~ In a (b :: T)) by (intros [->|]; auto). pose proof (outside_pos (b :: T) K a Ka Na).
    lia.
  - assert (Na : ~ In a (b :: T)) by (intros [->|]; auto). destruct (some_missing (b :: T) K a NB) as (b' & Hb' &
    Nb'); auto; [simpl; lia|]. destruct (lowest (score s) (fun _ => True) (fun _ => left Logic.I) K) as (c0 & Kc0
    & _ & Mn0); [exists a; auto|]. assert (exists c, In c K /\ ~ In c (b :: T) /\ (forall t, In t K -> score s c
    <= score s t)%Q /\ (score s c <= score s a)%Q) as (c & Kc & Nc & Mn & ca). { destruct (Qlt_le_dec (score s
    c0) (score s a)).
      - exists c0. split; [auto|split; [|split; [auto|lra]]]. intros Hc. specialize (Sc c0 Hc). lra.
      - exists a. split; [auto|split; [auto|split; [|lra]]]. intros t Ht. specialize (Mn0 t Ht Logic.I). lra. }
        assert (ThB : there s b') by (apply Th; right; destruct Hb'; [now left|right; apply in_or_app; auto]).
        destruct (one_exchange m s c b' K x Ex P ND Le Kc Nb') as (L & y & xy & HL & NL & LL & InL & OL); auto.
    + specialize (Sc b' Hb'). lra.
    + specialize (OL (b :: T) Hb' Nc). destruct (IHn L y) as (M & z & yz & HM & NM & LM & IM); auto; [lia| |].
      * intros t Ht. apply InL in Ht. destruct Ht as [->|[Ht _]]; auto. right. destruct Hb'; [now left|right;
        apply in_or_app; auto].
      * exists M, z. repeat split; auto. lra. Qed.

(* Row theorem-d2.exchange, for what its proof uses. *)
Lemma exchange m : exchanges m.
Proof. induction m; intros s a b T x P LT Na Nb Th ab Mn H; [exists x; split; [lra|exact H]|]. destruct
  (token_dec a b) as [->|n]; [exists x; split; [lra|exact H]|]. destruct H as (later & F & E). destruct (improve
  _ (fun e y => exists K', NoDup K' /\ incl K' ((b :: T) ++ brings e) /\ length K' <= C /\ any_set K' /\ saves m
  (next e) K' y) _ _ F) as (ys & F' & L'); [eauto| |].
  - intros e y He (K & ND & I & Le & _ & HK). pose proof (stays_proper s e P He) as P'. assert (ok : ~ In a K \/
    In a (brings e) \/ (In a K /\ ~ In a (brings e))). { destruct (in_dec token_dec a K), (in_dec token_dec a
    (brings e)); auto. } assert (easy : ~ In a K \/ In a (brings e) -> exists y0, (y <= y0)%Q /\ exists K', NoDup
    K' /\ incl K' ((b :: T) ++ brings e) /\ length K' <= C /\ any_set K' /\ saves m (next e) K' y0). { intros C1.
    exists y. split; [lra|]. exists K. repeat split; auto. intros t Ht. specialize (I t Ht). simpl in I |- *.
    rewrite in_app_iff in *. destruct I as [<-|[]]; auto. destruct C1; [contradiction|auto]. } destruct ok as
    [|[|(Ka & Ra)]]; auto. assert (Bn : NoDup (b :: T)) by auto. destruct (pad (b :: T) K Bn ND) as (K1 & N1 & I1
    & I2 & L1); [simpl; lia|]. simpl in L1. rewrite LT in L1. destruct (saves_more m (next e) K K1 y P' ND I1 HK)
    as (y1 & yy & HK1). assert (aT : ~ In a T) by (now inversion Na). assert (ThN : forall t, In t (a :: b :: T
    ++ brings e) -> there (next e) t). { intros t [<-|[<-|Ht]]; try (apply (still_there s e); auto; apply Th;
       simpl; tauto). apply in_app_or in Ht. destruct Ht; [apply (still_there s e); auto; apply Th; simpl;
       auto|]. apply (brought s e); auto. } destruct (without m (next e) a T b (brings e) IHm P' LT Bn n aT Ra
       ThN) with (n := outside (b :: T) K1) (K := K1) (x := y1) as (L & z & yz & HL & NL & LL & IL); auto.
    + intros t Ht. apply (order_kept s e); auto; [apply Th; now left|]. destruct Ht as [<-|Ht]; auto.
    + intros t Ht. specialize (I2 t Ht). apply in_app_or in I2. destruct I2 as [I2|I2].
      * specialize (I t I2). simpl in I |- *. rewrite in_app_iff in *. tauto.
      * simpl in I2 |- *. rewrite in_app_iff. tauto.
    + exists z. split; [lra|]. exists L. repeat split; auto.
  - exists (factor s * qsum (b :: T) (score s) + mean state (events s) ys)%Q. split.
    + rewrite E, gain by auto. simpl. pose proof (factor_pos s P). nra.
    + exists ys. split; auto. now rewrite gain. Qed.

(* Tokens of the highest score: no other one of the available tokens A outscores one of them. *)
Definition top s (A K : list token) := NoDup K /\ length K = C /\ incl K A /\
  forall k t, In k K -> In t A -> ~ In t K -> (score s t <= score s k)%Q.

(* Row theorem-d2, for what its proof uses: whatever a strategy saves from a choice K', another saves from K. *)
Lemma top_is_best m s A K : proper s -> (forall t, In t A -> there s t) -> top s A K ->
  forall K' x, NoDup K' -> incl K' A -> length K' <= C -> saves m s K' x -> exists y, (x <= y)%Q /\ saves m s K y.
Proof. intros P Th (NK & LK & IK & Top). assert (G : forall n K' x, outside K K' <= n -> NoDup K' -> incl K' A ->
  length K' = C -> saves m s K' x -> exists y, (x <= y)%Q /\ saves m s K y). { induction n; intros K' x O N' I'
  L' H; (destruct (Exists_dec (fun t => ~ In t K) K') as [E|E]; [intros t; destruct (in_dec token_dec t K); auto|
  | apply (saves_more m s K' K x P N'); auto; intros t Ht; destruct (in_dec token_dec t K); auto; exfalso; apply
  E, Exists_exists; eauto]).
    - exfalso. apply Exists_exists in E as (t & Ht & Nt). pose proof (outside_pos K K' t Ht Nt). lia.
    - apply Exists_exists in E. destruct (lowest (score s) (fun t => ~ In t K)) with (K := K') as (c & Kc & Nc &
      Mn); auto. { intros t. destruct (in_dec token_dec t K); auto. } destruct (some_missing K K' c NK) as (b &
      Kb & Nb); auto; [lia|]. destruct (one_exchange m s c b K' x (exchange m) P N' L' Kc Nb) as (L & y & xy & HL
      & NL & LL & InL & OL); auto.
      + intros t Ht. destruct (in_dec token_dec t K); auto.
      + specialize (OL K Kb Nc). destruct (IHn L y) as (z & yz & Hz); auto; [lia| |exists z; split; auto; lra].
        intros t Ht. apply InL in Ht. destruct Ht as [->|[Ht _]]; auto. } intros K' x N' I' L' H. destruct (pad K
        K' NK N') as (L & NL & I1 & I2 & LL); [lia|]. destruct (saves_more m s K' L x P N' I1 H) as (y & xy &
        Hy). destruct (G (outside K L) L y) as (z & yz & Hz); auto; [|lia|exists z; split; auto; lra]. intros t
        Ht. specialize (I2 t Ht). apply in_app_or in I2. destruct I2; auto. Qed.

(* Caches that lose the end of a conversation first do as well: some of the highest scores are prefixes. *)
Hypothesis falling : forall s i j, proper s -> (score s (i, S j) <= score s (i, j))%Q.
Hypothesis brings_prefixes : forall s e, proper s -> In e (events s) -> prefixes (brings e).

Lemma prefixes_of_top s A : proper s -> NoDup A -> prefixes A -> C <= length A -> exists K, top s A K /\
  prefixes K.
Proof. intros P. remember (length A - C) as n. revert A Heqn. induction n; intros A E NA PA L.
  - exists A. split; auto. repeat split; auto; [lia|apply incl_refl|]. intros k t _ Ht Nt. contradiction.
  - assert (exists t, In t A) as (t0 & H0) by (destruct A as [|t A]; [simpl in *; lia|exists t; now left]).
    destruct (lowest (score s) (fun _ => True) (fun _ => left Logic.I) A) as ((i & j0) & Kt & _ & Mn); [exists
    t0; auto|]. destruct (lowest (fun t => - inject_Z (Z.of_nat (snd t)))%Q (fun t => fst t = i) (fun t =>
    Nat.eq_dec (fst t) i) A) as ((i' & J) & KJ & Ei & Mx); [now exists (i, j0)|]. simpl in Ei. subst i'. assert
    (Mj : forall j, In (i, j) A -> j <= J). { intros j Hj. specialize (Mx (i, j) Hj eq_refl). simpl in Mx. unfold
    Qle, Qopp in Mx. simpl in Mx. lia. } assert (Mc : forall t, In t A -> (score s (i, J) <= score s t)%Q). {
    intros t Ht. specialize (Mn t Ht Logic.I). enough (score s (i, J) <= score s (i, j0))%Q by lra. specialize
    (Mj j0 Kt). clear - Mj falling P. induction Mj; [lra|]. specialize (falling s i m P). lra. } destruct
    (in_split (i, J) A KJ) as (l & r & ->). pose proof (NoDup_remove _ _ _ NA) as (ND & Nc). assert (In_ : forall
    t, In t (l ++ r) <-> In t (l ++ (i, J) :: r) /\ t <> (i, J)). { intros t. rewrite !in_app_iff. simpl. split;
    [|intuition congruence]. intros Ht. split; [tauto|]. intros ->. apply Nc. now apply in_or_app. } rewrite
    app_length in *. simpl in E, L. destruct (IHn (l ++ r)) as (K & (NK & LK & IK & TK) & PK); auto; try (rewrite
    app_length; lia).
    + intros a j k Ha k1 kj. apply In_ in Ha as [Ha Ne]. apply In_. split; [now apply (PA a j k)|]. intros Q.
      inversion Q; subst. specialize (Mj j Ha). apply Ne. f_equal. lia.
    + exists K. split; auto. split; [|split; [|split]]; auto.
      * intros t Ht. now apply In_, IK.
      * intros k t Hk Ht Nt. destruct (token_dec t (i, J)) as [->|n0]; [|apply TK; auto; now apply In_]. apply
        Mc. now apply In_, IK. Qed.
Lemma prefixes_do_as_well m : forall s K x, proper s -> (forall t, In t K -> there s t) -> prefixes K ->
  saves m s K x -> exists y, (x <= y)%Q /\ Strategies.saves state events C prefixes m s K y.
Proof. induction m; intros s K x P Th PK H; [exists x; split; [lra|exact H]|]. destruct H as (later & F & E).
  destruct (improve _ (fun e y => exists K', NoDup K' /\ incl K' (K ++ brings e) /\ length K' <= C /\ prefixes K'
  /\ Strategies.saves state events C prefixes m (next e) K' y) _ _ F) as (ys & F' & L'); [eauto| |].
  - intros e y He (K' & ND & I & Le & _ & HK). pose proof (stays_proper s e P He) as P'. set (A := nodup
    token_dec (K ++ brings e)). assert (IA : forall t, In t A <-> In t K \/ In t (brings e)) by (intros; unfold
    A; rewrite nodup_In, in_app_iff; tauto). assert (NA : NoDup A) by apply NoDup_nodup. assert (TA : forall t,
    In t A -> there (next e) t). { intros t Ht. apply IA in Ht. destruct Ht; [apply (still_there s e)|apply
    (brought s e)]; auto. } assert (PA : prefixes A). { intros i j k Ht k1 kj. apply IA. apply IA in Ht. destruct
    Ht as [Ht|Ht]; [left; now apply (PK i j)|right]. now apply (brings_prefixes s e P He i j). } assert (exists L
    z, (y <= z)%Q /\ saves m (next e) L z /\ NoDup L /\ incl L A /\ length L <= C /\ prefixes L) as (L & z & yz &
    HL & NL & IL & LL & PL). { destruct (le_lt_dec (length A) C) as [S|S].
      - destruct (saves_more m (next e) K' A y P' ND) as (z & yz & Hz); auto.
        + intros t Ht. apply IA. specialize (I t Ht). now apply in_app_iff in I.
        + exists A, z. repeat split; auto. apply incl_refl.
      - destruct (prefixes_of_top (next e) A P' NA PA) as (L & TL & PL); [lia|]. destruct (top_is_best m (next e)
        A L P' TA TL K' y) as (z & yz & Hz); auto.
        + intros t Ht. apply IA. specialize (I t Ht). now apply in_app_iff in I.
        + destruct TL as (NL & LL & IL & _). exists L, z. repeat split; auto. lia. } destruct (IHm (next e) L z
          P') as (z' & zz & Hz'); auto. exists z'. split; [lra|]. exists L. repeat split; auto. intros t Ht.
          apply in_app_iff, IA. auto.
  - exists (qsum (events s) (fun e => chance e * used state e K) + mean state (events s) ys)%Q. split; [rewrite
    E; lra|]. exists ys. split; auto. lra. Qed.
Lemma prefixes_are_sets m : forall s K x, Strategies.saves state events C prefixes m s K x -> saves m s K x.
Proof. induction m; intros s K x H; auto. destruct H as (later & F & E). exists later. split; auto. eapply
  weaken; [|exact F]. intros e y (K' & A1 & A2 & A3 & A4 & A5). exists K'. repeat split; auto. Qed.
End Exchange.
