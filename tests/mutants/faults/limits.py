"""Faults in what can't be done: the adversary, the reductions, and what TEL has to do with other measures."""

from mutants.fault import Fault

ADVERSARY = "teltheory/claims/adversary.py"
FLOW = "teltheory/optimal/path_flow.py"
MEASURES = "proofs_checks/tail_optimized/tail_measures.py"
ADVERSARY_TESTS = ("tests/claims/test_adversary.py",)
FLOW_TESTS = ("tests/optimal/test_path_flow.py",)

FAULTS = (
    Fault(
        "adversary-lets-the-best-return",
        ADVERSARY,
        "    return max(\n        (opened",
        "    return min(\n        (opened",
        "the conversation returns of whom most is cached",
        rows=("tel.not-competitive",),
        tests=ADVERSARY_TESTS,
    ),
    Fault(
        "nobody-takes-the-forced-room",
        ADVERSARY,
        "range(first, first + self.conversations + self.forced)",
        "range(first, first + self.conversations)",
        "under forced caching no last conversation takes the room that is there for arrivals",
        rows=("tel.not-competitive.forced",),
        tests=ADVERSARY_TESTS,
    ),
    Fault(
        "tasks-end-an-edge-early",
        FLOW,
        "if task.last == edge - 1:",
        "if task.last == max(edge, task.first):",
        "a conversation returns before the last edge of its task",
        rows=("slo.np-hard",),
        tests=FLOW_TESTS,
    ),
    Fault(
        "no-visitor-at-the-last-edge",
        FLOW,
        "if forced and edge <= flow.edges:",
        "if forced and edge < flow.edges:",
        "under forced caching the last edge has all the room",
        rows=("slo.np-hard.forced",),
        tests=FLOW_TESTS,
    ),
    Fault(
        "requested-pages-stored-twice",
        "proofs_checks/tail_optimized/hardness.py",
        "first = last[page] + (not self.bypassing)",
        "first = last[page]",
        "a page is kept at its own request, where its size is counted already",
        rows=("slo.np-hard.caching",),
    ),
    Fault(
        "a-filler-too-few",
        FLOW,
        "for _ in range(most - room)]",
        "for _ in range(most - room - 1)]",
        "edges are filled to one less than the capacity",
        rows=("slo.np-hard.uniform",),
        tests=FLOW_TESTS,
    ),
    Fault(
        "rank-rounded-down",
        FLOW,
        "return turns - ceil(q * turns)",
        "return turns - int(q * turns)",
        "turns are added for the percentile of a rank that is rounded down",
        rows=("percentile.np-hard", "percentile.np-hard.forced", "appendix-g.hard"),
        tests=FLOW_TESTS,
    ),
    Fault(
        "tel-of-what-is-reused",
        "teltheory/cost/metrics.py",
        'return np.maximum(outcome.uncached - whole_number("xi", xi), 0)',
        'return np.maximum(outcome.cached - whole_number("xi", xi), 0)',
        "TEL counts the reused lengths",
        rows=("tel.mean",),
        tests=("tests/cost/test_metrics.py",),
    ),
    Fault(
        "worst-share-of-whole-turns",
        MEASURES,
        "taken = min(left, b)",
        "taken = b if left > 0 else 0",
        "the worst share of the turns is rounded up to whole ones",
        rows=("tel.cvar",),
    ),
    Fault(
        "percentile-one-too-high",
        "proofs_checks/tail_optimized/hardness.py",
        "return sorted(uncached)[max(ceil(q * len(uncached)), 1) - 1]",
        "return sorted(uncached)[min(ceil(q * len(uncached)), len(uncached) - 1)]",
        "a percentile is the next larger length",
        rows=("tel.cvar.given-threshold",),
    ),
    Fault(
        "cvar-of-any-policy",
        MEASURES,
        "if worst_share(uncached, level) == share",
        "if worst_share(uncached, level) >= share",
        "policies whose CVaR is not the least are taken for ones with the least TEL",
        rows=("tel.cvar.optimum",),
    ),
    Fault(
        "thresholds-begin-at-one",
        MEASURES,
        "for xi in range(longest + 1)]",
        "for xi in range(1, longest + 1)]",
        "the least TEL at 0 is left out, and those at larger thresholds are taken for others",
        rows=("tel.cvar.every-threshold",),
    ),
    Fault(
        "tlru-finds-everything-worth-keeping",
        "teltheory/policies/online.py",
        "return tel_safe_budget(node.past, self.q_hat, self.xi)",
        "return tel_safe_budget(node.past, self.q_hat, 0)",
        "T-LRU's budgets are whole pasts, as LRU's are",
        rows=("intro.lru-arbitrarily-poor", "intro.lru-arbitrarily-poor.largest"),
    ),
)
