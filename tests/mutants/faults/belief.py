"""Faults in beliefs, Algorithm 2, ET-LRU and the belief MDP."""

from mutants.fault import Fault

POSTERIOR = "teltheory/belief/posterior.py"
EVICTION = "teltheory/belief/eviction.py"
SCORES = "teltheory/belief/scores.py"
TABLES = "teltheory/belief/tables.py"
MODEL = "teltheory/belief/model.py"
ETLRU_TESTS = "tests/belief/test_etlru.py"
TABLES_TESTS = "tests/belief/test_tables.py"

FAULTS = (
    Fault(
        "silence-of-the-dead-too-likely",
        POSTERIOR,
        "return pi * x / (1 - pi + pi * (mu + rate * x) / (mu + rate))",
        "return pi * x / (1 - pi + pi * (mu + rate * x) / mu)",
        "the exact posterior divides by the death rate alone",
        rows=("belief.posterior.silence",),
        tests=("tests/belief/test_posterior.py",),
    ),
    Fault(
        "prior-of-certainty",
        POSTERIOR,
        "silent = (1 - alive) + alive * (death_rate + turn_rate * decay) / leaving",
        "silent = alive * (death_rate + turn_rate * decay) / leaving",
        "a second silence forgets that the conversation may have died in the first",
        tests=("tests/belief/test_posterior.py",),
    ),
    Fault(
        "equal-scores-most-recent-first",
        EVICTION,
        "self.key = (score, place)",
        "self.key = (score, -place)",
        "Algorithm 2 breaks ties the other way round",
        tests=("tests/belief/test_algorithm_2.py",),
    ),
    Fault(
        "score-of-the-token-after",
        EVICTION,
        "survival(i, cached - lengths[i] + xi)",
        "survival(i, cached - lengths[i] + xi + 1)",
        "Algorithm 2 scores P(L + Q - xi > X)",
        tests=("tests/belief/test_algorithm_2.py",),
    ),
    Fault(
        "evaluations-miscounted",
        EVICTION,
        "    evaluations = len(heap)\n",
        "    evaluations = 0\n",
        "the first scores are not counted",
        tests=("tests/belief/test_algorithm_2.py",),
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
        "step-begins-late",
        SCORES,
        "self.log[bisect_right(self.start, d) - 1]",
        "self.log[max(bisect_right(self.start, d - 1) - 1, 0)]",
        "a length that begins a step has the step's before",
        tests=(ETLRU_TESTS,),
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
        "teltheory/belief/etlru.py",
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
        "births-are-never-next",
        MODEL,
        "total = model.birth_rate + sum(rates)",
        "total = sum(rates, Fraction(1, 10**9))",
        "the probabilities of the next turn leave the births out",
        rows=("corollary.paging",),
        tests=(TABLES_TESTS,),
    ),
    Fault(
        "first-node-without-its-tail",
        "teltheory/belief/next_event.py",
        "    weights[0] /= -math.expm1(-STEP)\n",
        "",
        "the quadrature drops all times before its first node",
        tests=("tests/belief/test_next_event.py",),
    ),
    Fault(
        "decision-misses-a-cut",
        "teltheory/belief/mdp.py",
        "return min(self.cost_of_keeping(state, kept, turns) for kept in",
        "return max(self.cost_of_keeping(state, kept, turns) for kept in",
        "the recursion keeps the worst",
        tests=(TABLES_TESTS,),
    ),
)
