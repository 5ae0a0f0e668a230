"""Labels of requests, deduced from what a client gets: the join over all gets, and the first get to come.

A request has to be as strict as the criterion of its own output, and at least "latency" if one that needs its
output is for latency or stricter. docs/proofs-parrot.md has the proofs.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from operator import le

from proofs_checks.parrot.origins import PAPER
from proofs_checks.parrot.small_graphs import Gets, Session, small_sessions
from teltheory.claims.claim import Values, rows
from teltheory.claims.origin import OURS, reading, sharpness
from teltheory.systems.apps.deduction import LABELS, labels

row = rows(source="Performance deduction (Parrot, Section 5.2)")
TWO = ("throughput", "latency")
ALL, SIMPLE = small_sessions(LABELS, 3, 4), small_sessions(TWO, 3, 4)
JOIN = reading("a request that several gets reach has the strictest of their criteria")
FIRST = reading("the first get to reach a request labels it, as in ParrotServe")


def labelled(
    case: Session, gets: Gets | None = None, order: Sequence[int] | None = None, rule: str = "join"
) -> list[str]:
    """Return the label of each request of a session."""
    asked = {str(k): criterion for k, criterion in (case.gets if gets is None else gets)}
    graph = case.graph(order)
    found = labels(graph, asked, rule=rule)
    return [found[graph.producers[str(k)]] for k in range(len(case.before))]


def ranks(names: Sequence[str]) -> list[int]:
    """Return labels by their place, the least strict first."""
    return [LABELS.index(name) for name in names]


def allowed(case: Session) -> Iterator[tuple[int, ...]]:
    """Yield all labels, by their places, that are strict enough for the gets and for what needs a request."""
    needs = [(i, k) for k, earlier in enumerate(case.before) for i in earlier]
    for chosen in product(range(len(LABELS)), repeat=len(case.before)):
        got = all(chosen[k] >= LABELS.index(criterion) for k, criterion in case.gets)
        if got and all(chosen[i] >= min(chosen[k], 1) for i, k in needs):
            yield chosen


def equal(of: Values) -> bool:
    """Whether all values are the same."""
    first, *others = of.values()
    return all(first == other for other in others)


@row(
    "parrot.labels.throughput",
    "If an output is got for throughput, and nothing else, all requests that produce it directly or indirectly "
    "are labelled for throughput.",
    relation=lambda of: set(of["labels"]) <= {"throughput"},
    space=small_sessions(("throughput",), 3, 4),
    origin=PAPER,
)
def throughput(case: Session) -> Values:
    """Label the requests."""
    return {"labels": labelled(case)}


@row(
    "parrot.labels.latency",
    "The request that produces an output that is got for latency is labelled for latency, and so are those before "
    "it, directly or indirectly.",
    relation=lambda of: of["labels"] == of["on a way to it"],
    space=small_sessions(("latency",), 3, 4),
    origin=PAPER,
)
def latency(case: Session) -> Values:
    """Compare with the requests from which a way leads to one that is got."""
    got = [k for k, _ in case.gets]
    reached = [k in got or any(case.reaches(k, last) for last in got) for k in range(len(case.before))]
    return {"labels": labelled(case), "on a way to it": ["latency" if one else "throughput" for one in reached]}


@row(
    "parrot.labels.least",
    "The join over all gets is the least strict of all labels that are strict enough for each get and for each "
    "request that needs another one's output.",
    relation=equal,
    space=ALL,
    origin=JOIN,
)
def least(case: Session) -> Values:
    """Compare with the least of each request over all labels that are strict enough."""
    every = list(allowed(case))
    pointwise = [min(chosen[k] for chosen in every) for k in range(len(case.before))]
    return {"labels": ranks(labelled(case)), "least of each": pointwise, "such labels": list(min(every, key=sum))}


@row(
    "parrot.labels.order",
    "The join over all gets does not depend on the order in which requests are submitted and outputs are got.",
    relation=lambda of: len(of["labels"]) == 1,
    space=small_sessions(TWO, 3, 3),
    origin=JOIN,
)
def order(case: Session) -> Values:
    """Label them in all orders."""
    orders = permutations(range(len(case.before)))
    found = {tuple(labelled(case, gets, one)) for one in orders for gets in permutations(case.gets)}
    return {"labels": sorted(found)}


@row(
    "parrot.labels.monotone",
    "One get more, or a stricter one, never makes a label less strict.",
    relation=lambda of: all(le(*pair) for pair in zip(of["before"], of["after"], strict=True)),
    space=ALL,
    origin=JOIN,
)
def monotone(case: Session) -> Values:
    """Compare each request's label with the least of its labels after one get more, or a stricter one."""
    got = dict(case.gets)
    after = [
        ranks(labelled(case, tuple({**got, k: LABELS[rank]}.items())))
        for k in range(len(case.before))
        for rank in range(LABELS.index(got[k]) + 1 if k in got else 0, len(LABELS))
    ]
    before = ranks(labelled(case))
    return {"before": before, "after": [min(one) for one in zip(before, *after, strict=True)]}


@row(
    "parrot.labels.first.order",
    "Labelled by the first get to reach a request, labels do not depend on the order of the gets.",
    relation=lambda of: len(of["labels"]) == 1,
    space=SIMPLE,
    origin=FIRST,
)
def first_order(case: Session) -> Values:
    """Label them in all orders of the gets."""
    return {"labels": sorted({tuple(labelled(case, gets, rule="first")) for gets in permutations(case.gets)})}


@row(
    "parrot.labels.first.latency-first",
    "If there are no criteria but throughput and latency, and gets for latency come first, the first get to reach "
    "a request gives it the label of the join.",
    relation=equal,
    space=SIMPLE,
    origin=OURS,
)
def latency_first(case: Session) -> Values:
    """Compare both rules."""
    return strictest_first(case)


def strictest_first(case: Session) -> Values:
    """Label by both rules with the strictest gets first."""
    sorted_gets = tuple(sorted(case.gets, key=lambda get: -LABELS.index(get[1])))
    return {"first": labelled(case, sorted_gets, rule="first"), "join": labelled(case)}


strictest = row(
    "parrot.labels.first.strictest-first",
    "The same with times per token and to the first token, the strictest gets first.",
    relation=equal,
    space=ALL,
    origin=sharpness("parrot.labels.first.latency-first", "there are no criteria but throughput and latency"),
)(strictest_first)
