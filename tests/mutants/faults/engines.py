"""Faults in what runs T-LRU, and in the rows beside the theorems on it."""

from mutants.fault import Fault

ENGINES = "proofs_checks/tail_optimized/engines.py"
FIGURES = "proofs_checks/tail_optimized/figures_1_2.py"
HINDSIGHT = "proofs_checks/tail_optimized/hindsight.py"

FAULTS = (
    Fault(
        "marks-go-last",
        ENGINES,
        "(self.marked or self.others).popleft()",
        "(self.others or self.marked).popleft()",
        "an engine takes what is not marked first",
        rows=("section-3.infinitely-old", "section-3.infinitely-old.least-recent"),
    ),
    Fault(
        "engine-marks-nothing",
        ENGINES,
        "engine.store(conversation, past, min(past, max(0, past + case.q_hat - case.xi)))",
        "engine.store(conversation, past, past)",
        "an engine is LRU's",
        rows=("section-3.infinitely-old.v1",),
    ),
    Fault(
        "engine-keeps-marks-after-a-hit",
        ENGINES,
        "self.marked = deque(block for block in self.marked if block[0] != conversation)",
        "self.marked = deque(self.marked)",
        "blocks that were marked once stand in the queue twice",
        rows=("section-3.infinitely-old.least-recent",),
    ),
    Fault(
        "server-exempts-nobody",
        ENGINES,
        "others = self.recency[:-1]",
        "others = self.recency",
        "the arriving conversation is trimmed under forced caching",
        rows=("appendix-e.repeated",),
    ),
    Fault(
        "server-forgets-the-estimate",
        ENGINES,
        "max(0, past + self.case.q_hat - self.case.xi)",
        "max(0, past - self.case.xi)",
        "a server's budgets leave no room for the next prompt",
        rows=("appendix-e.repeated.excess",),
    ),
    Fault(
        "server-trims-the-most-recent-first",
        ENGINES,
        "            for c in others:\n                wanted -= self.take(c, min(self.surplus(c), wanted))",
        "            for c in others[::-1]:\n                wanted -= self.take(c, min(self.surplus(c), wanted))",
        "whole surpluses go in the wrong order",
        tests=("tests/claims/test_engines.py",),
    ),
    Fault(
        "server-trims-a-block-a-call",
        ENGINES,
        "wanted -= self.take(c, min(self.surplus(c), wanted))",
        "wanted -= self.take(c, min(1, self.surplus(c), wanted))",
        "a call trims at most a block of each conversation",
        rows=("appendix-e.repeated.least-recent",),
    ),
    Fault(
        "budget-counts-the-prompt-twice",
        "teltheory/policies/policy.py",
        "return all_but(past, larger(xi - prompt, 0))",
        "return all_but(past, larger(xi - 2 * prompt, 0))",
        "T-LRU depends on more than Q - xi",
        rows=("remark.one-parameter",),
    ),
    Fault(
        "caps-are-one-too-low",
        HINDSIGHT,
        "return [max(total - case.xi, 0) for total in",
        "return [max(total - case.xi - 1, 0) for total in",
        "the capped problem leaves out what is worth keeping",
        rows=("theorem-b1.capped",),
    ),
    Fault(
        "one-block-above-the-caps",
        HINDSIGHT,
        "return sum(max(x - cap, 0) for x, cap in zip(reuses, caps(case), strict=True))",
        "return sum(max(x - cap - 1, 0) for x, cap in zip(reuses, caps(case), strict=True))",
        "a block above a cap passes for one within it",
        rows=("theorem-b1.capped.forced",),
    ),
    Fault(
        "one-turn-alone-is-counted",
        HINDSIGHT,
        "lambda r: sum(map(min, r, limits))",
        "lambda r: max(map(min, r, limits))",
        "of the reuse within the caps the largest alone is made large",
        rows=("theorem-b1.capped.forced.counted",),
    ),
    Fault(
        "strictly-is-at-most",
        "proofs_checks/tail_optimized/theorem_31.py",
        'lambda values: values["T-LRU"] < values["LRU"]',
        'lambda values: values["T-LRU"] <= values["LRU"]',
        "the strict reading is not read strictly",
        rows=("theorem-31.strict",),
    ),
    Fault(
        "version-1-trims-in-rounds",
        FIGURES,
        "max(case.uncached(of_version_1(case)))",
        "max(case.uncached(TLRU(case.xi, case.q_hat)))",
        "version 1's figure is replayed with another algorithm than its own",
        rows=("figure-2.v1",),
    ),
    Fault(
        "version-1-with-the-other-threshold",
        FIGURES,
        "replace(FIGURE_2, xi=150)",
        "replace(FIGURE_2, xi=155)",
        "version 1's figure is replayed with a threshold that it does not have",
        rows=("figure-2.v1.rounds",),
    ),
)
