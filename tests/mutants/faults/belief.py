"""Faults in beliefs, Algorithm 2, ET-LRU and the belief MDP."""

from mutants.fault import Fault

POSTERIOR = "teltheory/policies/learned/posterior.py"
EVICTION = "teltheory/policies/learned/eviction.py"
SCORES = "teltheory/policies/learned/scores.py"
TABLES = "teltheory/belief/tables.py"
MODEL = "teltheory/belief/model.py"
ETLRU_TESTS = "tests/policies/test_etlru.py"
TABLES_TESTS = "tests/belief/test_tables.py"
EXCHANGE_TESTS = "tests/claims/test_exchange_proof.py"
PRINTED_INDEX_TESTS = "tests/claims/test_printed_index.py"
BELIEF_ROWS_TESTS = "tests/claims/test_belief_rows.py"

FAULTS = (
    Fault(
        "silence-of-the-dead-too-likely",
        POSTERIOR,
        "return pi * x / (1 - pi + pi * (mu + rate * x) / (mu + rate))",
        "return pi * x / (1 - pi + pi * (mu + rate * x) / mu)",
        "the exact posterior divides by the death rate alone",
        rows=("belief.posterior.silence",),
        tests=("tests/policies/test_posterior.py",),
    ),
    Fault(
        "score-of-the-token-after",
        EVICTION,
        "survival(i, cached - lengths[i] + xi)",
        "survival(i, cached - lengths[i] + xi + 1)",
        "Algorithm 2 scores P(L + Q - xi > X)",
        tests=("tests/policies/test_algorithm_2.py",),
    ),
    Fault(
        "learnt-law-a-token-short",
        SCORES,
        "Steps([LOWEST, *(lengths + 1).tolist()], [0.0, *logs])",
        "Steps([LOWEST, *lengths.tolist()], [0.0, *logs])",
        "the empirical law takes P(Q > d) for P(Q >= d)",
        tests=(f"{ETLRU_TESTS}::test_the_learnt_law_token_by_token", ETLRU_TESTS),
    ),
    Fault(
        "older-turns-weigh-more",
        SCORES,
        "np.asarray(log_rate + death_rate * arrival, np.float64)",
        "np.asarray(log_rate - death_rate * arrival, np.float64)",
        "the order of the paper's beliefs is turned round",
        tests=(f"{ETLRU_TESTS}::test_paper_beliefs_token_by_token_in_fractions", ETLRU_TESTS),
    ),
    Fault(
        "start-counts-as-the-last-turn",
        "teltheory/policies/learned/etlru.py",
        "self.times[max(conversation.last, 0)]",
        "self.times[conversation.last]",
        "the silence of the initial cache counts from the trace's last turn",
        tests=(f"{ETLRU_TESTS}::test_posteriors_token_by_token_in_sixty_digits", ETLRU_TESTS),
    ),
    Fault(
        "tables-leave-a-token-free",
        TABLES,
        "sparse=True)) <= model.capacity)",
        "sparse=True)) < model.capacity)",
        "the exact tables never fill the cache",
        rows=("corollary.paging",),
        tests=(TABLES_TESTS,),
    ),
    Fault(
        "tables-forget-forced",
        TABLES,
        "allowed = allowed.take([state.conversations[theta].past], axis=theta)",
        "allowed = allowed.min(axis=theta, keepdims=True)",
        "the exact tables may cut the arriving conversation under forced caching",
        rows=("theorem-d2.forced.one-law",),
        tests=(TABLES_TESTS,),
    ),
    Fault(
        "turn-leaves-nothing-at-hand",
        MODEL,
        "cached[state.arrived] = state.conversations[state.arrived].past",
        "cached[state.arrived] += 0",
        "the recursion in fractions forgets what a turn has just computed",
        tests=(TABLES_TESTS,),
    ),
    Fault(
        "paper-belief-hears-the-silence",
        MODEL,
        "return known.alive * x**mu",
        "return known.alive * x ** (mu + rate)",
        "the paper's belief decays with the turn rate as well",
        rows=("corollary.paging",),
        tests=(TABLES_TESTS,),
    ),
    Fault(
        "first-node-without-its-tail",
        "teltheory/policies/learned/next_event.py",
        "    weights[0] /= -math.expm1(-STEP)\n",
        "",
        "the quadrature drops all times before its first node",
        tests=("tests/policies/test_next_event.py",),
    ),
    Fault(
        "decision-misses-a-cut",
        "teltheory/belief/mdp.py",
        "return min(self.cost_of_keeping(state, kept, turns) for kept in",
        "return max(self.cost_of_keeping(state, kept, turns) for kept in",
        "the recursion keeps the worst",
        tests=(TABLES_TESTS,),
    ),
    Fault(
        "exchange-scores-without-the-threshold",
        "proofs_checks/tail_optimized/theorem_d2_exchange.py",
        "token - known.past + model.xi",
        "token - known.past",
        "the exchange lemma is asked of tokens by other scores than (6)'s",
        rows=("theorem-d2.exchange",),
        tests=(EXCHANGE_TESTS,),
    ),
    Fault(
        "exchange-proof-lets-any-token-go",
        "proofs_checks/tail_optimized/lemmas/exchange_proof.py",
        "yield implies(lowest & (score[out] <= score[new]), then)",
        "yield implies(lowest, then)",
        "the proof assumes that the lowest token may go for any other",
        tests=(EXCHANGE_TESTS,),
    ),
    Fault(
        "t-lru-estimates-the-first-prompt",
        "proofs_checks/tail_optimized/corollaries_d2.py",
        "(length,) = model.kinds[0].prompts[-1].lengths",
        "length = max(model.kinds[0].prompts[0].lengths)",
        "T-LRU's estimate is a first prompt's length, not that of the prompts to come",
        rows=("corollary.tlru.homogeneous", "corollary.tlru.homogeneous.bayes"),
        tests=(BELIEF_ROWS_TESTS,),
    ),
    Fault(
        "kinds-of-one-rate",
        "proofs_checks/tail_optimized/instances/belief_grids.py",
        "Kind(rates[i % len(rates)]",
        "Kind(rates[0]",
        "models of two turn rates have one",
        rows=("corollary.tlru", "et-lru.printed-index"),
        tests=(BELIEF_ROWS_TESTS,),
    ),
    Fault(
        "printed-index-without-the-rate",
        "teltheory/belief/optimality.py",
        "found.append(rate * exact_root(",
        "found.append(exact_root(",
        "the printed index leaves out the turn rate",
        rows=("et-lru.printed-index", "et-lru.printed-index.ratio"),
        tests=(PRINTED_INDEX_TESTS,),
    ),
    Fault(
        "printed-index-turned-round",
        "teltheory/belief/optimality.py",
        "found.append(rate * exact_root(",
        "found.append(rate / exact_root(",
        "the printed index is largest for the longest silence",
        rows=("et-lru.printed-index.homogeneous",),
        tests=(PRINTED_INDEX_TESTS,),
    ),
)
