"""Faults in the policies and in the reference replay."""

from mutants.fault import Fault

POLICY = "teltheory/policies/policy.py"
NODE = "teltheory/policies/node.py"
ONLINE = "teltheory/policies/online.py"
CLAIRVOYANT = "teltheory/policies/clairvoyant.py"
REFERENCE = "teltheory/replay/reference.py"
JUDGE = "tests/replay/test_reference.py"

FAULTS = (
    Fault(
        "budget-one-short",
        POLICY,
        "return all_but(past, larger(xi - prompt, 0))",
        "return all_but(past, larger(xi - prompt + 1, 0))",
        "one token of the TEL-safe budget counts as surplus",
        rows=("figure-2", "theorem-31.mean-estimate"),
        tests=(JUDGE,),
    ),
    Fault(
        "threshold-strict",
        ONLINE,
        "return node.past <= self.cutoff",
        "return node.past < self.cutoff",
        "Threshold-LRU keeps a past of just the cutoff",
        rows=("theorem-31.threshold-lru.first",),
        tests=(JUDGE,),
    ),
    Fault(
        "slo-budget-without-the-prompt",
        ONLINE,
        "total = np.asarray(node.past + self.q_hat)",
        "total = np.asarray(node.past)",
        "the budget of a latency model forgets the next prompt",
        tests=("tests/replay/test_slo_tlru.py",),
    ),
    Fault(
        "end-aware-keeps-what-ended",
        CLAIRVOYANT,
        '"""Drop what never returns."""\n        return node.ended\n\n\n@dataclass',
        '"""Drop what never returns."""\n        return False\n\n\n@dataclass',
        "End-Aware T-LRU drops nothing",
        tests=(JUDGE,),
    ),
    Fault(
        "length-aware-reads-the-history",
        CLAIRVOYANT,
        "node.coming.prompt, self.xi)",
        "node.coming.history, self.xi)",
        "Length-Aware T-LRU takes the next history for the next prompt",
        rows=("trim.order-is-free.named",),
        tests=(JUDGE,),
    ),
    Fault(
        "cap-forgets-the-next-history",
        NODE,
        "return smaller(self.history, larger(self.history + self.prompt - xi, 0))",
        "return larger(self.history + self.prompt - xi, 0)",
        "caps above the next history; differs only where given histories shorten a past",
        tests=(JUDGE,),
    ),
    Fault(
        "belady-evicts-the-nearest",
        NODE,
        "else -turn",
        "else turn",
        "Belady evicts what returns first",
        rows=("theorem-b1",),
        tests=(JUDGE,),
    ),
    Fault(
        "reuse-beyond-the-history",
        REFERENCE,
        "reused = min(arriving.cached, history)",
        "reused = arriving.cached",
        "a turn reuses more than its history; differs only on given histories",
        tests=(JUDGE,),
    ),
    Fault(
        "exemption-forgotten",
        REFERENCE,
        "candidates = [c for c in cache.values() if c is not exempt]",
        "candidates = list(cache.values())",
        "under forced caching the arriving conversation is cut like the others",
        rows=("theorem-b1.forced",),
        tests=(JUDGE,),
    ),
    Fault(
        "first-in-first-out",
        REFERENCE,
        "        cache.pop(theta, None)\n",
        "",
        "a conversation that comes back stays where it stood in the order of recency",
        rows=("stack.lru",),
        tests=(JUDGE,),
    ),
    Fault(
        "rounds-by-recency",
        REFERENCE,
        "key=lambda c: c.first)",
        "key=lambda c: c.last)",
        "rounds go by last turns, not by first arrivals",
        tests=(JUDGE,),
    ),
    Fault(
        "negative-surplus",
        REFERENCE,
        "surplus = max(0, conversation.cached - policy.budget(conversation))",
        "surplus = conversation.cached - policy.budget(conversation)",
        "what holds less than its budget is given tokens by the trimming",
        rows=("stack.tlru",),
        tests=(JUDGE,),
    ),
    Fault(
        "evicts-whole-conversations",
        REFERENCE,
        "evicted = min(conversation.cached, overflow)",
        "evicted = conversation.cached",
        "eviction takes all of a conversation, and goes on below the capacity",
        rows=("stack.lru", "theorem-b1"),
        tests=(JUDGE,),
    ),
    Fault(
        "initial-cache-holds-all",
        REFERENCE,
        "rank, start.past, start.cached, first_turns",
        "rank, start.past, start.past, first_turns",
        "the initial cache holds whole pasts; differs only where it holds a part",
        tests=(JUDGE,),
    ),
    Fault(
        "share-of-a-package-read-as-text",
        "teltheory/policies/spec.py",
        'text.rpartition(".")[2]',
        "text",
        "a parameter that a package's policy writes as fractions.Fraction is text",
        tests=("tests/cli/test_own_policies_of_packages.py::test_fields_are_read_by_their_types",),
    ),
)
