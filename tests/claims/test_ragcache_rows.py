"""The rows on RAGCache: their judge beside the package's replays, planted faults, and the tables of contents."""

import re
from fractions import Fraction
from itertools import groupby, product

import numpy as np
import pytest
from claims.expected_verdicts import EXPECTED, RAG_ROWS
from claims.rag_tables import SHOWN, documents, lines
from report.ledger_rows import DOCS

import teltheory as tt
from proofs_checks import all_claims
from proofs_checks.ragcache import documents_and_tails, knowledge_tree, order_priority, reordering
from proofs_checks.ragcache.plain_tiers import (
    LRU,
    PGDSF,
    TLRU,
    TwoTiers,
    attention,
    fewest_missed,
    kept_after,
    missed,
)
from proofs_checks.ragcache.worlds import Asked, Tree, shapes
from teltheory.claims.search import decide, refutes
from teltheory.model.forest import Forest
from teltheory.policies import RetrievalPGDSF
from teltheory.replay.tiers.reference import PlainTree
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.workload import Workload

ROWS = {claim.id: claim for claim in all_claims() if claim.id in RAG_ROWS}
QUICK = [
    name
    for name in RAG_ROWS
    if name.startswith(
        ("ragcache.figure", "ragcache.reordering", "ragcache.formula", "ragcache.latency", "ragcache.retry")
    )
]


def drawn(rng, most_requests=8, most_documents=5):
    """Draw a world with documents of 1 to 3 tokens, and tiers of any size."""
    parent, asked = [], []
    for _ in range(rng.integers(2, most_requests + 1)):
        above = int(rng.integers(-1, len(parent)))
        if above < 0 or (len(parent) < most_documents and rng.random() < 0.5):
            parent.append(above)
            above = len(parent) - 1
        asked.append(above)
    size = tuple(int(one) for one in rng.integers(1, 4, len(parent)))
    tree = Tree(tuple(parent), size)
    longest = max(tree.tokens(tree.paths[node]) for node in asked)
    gpu, host = (int(rng.integers(low, sum(size) + 1)) for low in (longest, 0))
    return Asked(tuple(parent), size, tuple(asked), gpu, host)


def forest_of(world, question=0):
    """Return the world as a forest of the package."""
    ends = [world.tree.tokens(world.tree.paths[node]) for node in world.asked]
    parent, length, leaf = (np.array(column, np.int64) for column in (world.parent, world.size_of, world.asked))
    return Forest(parent, length, leaf, np.array(ends, np.int64), np.array(ends, np.int64) + question)


def found_by_the_package(world, policy, mode="exclusive", question=0):
    """Return what each request finds in the package's plain tree, and the tree."""
    tree = PlainTree(forest_of(world, question), tt.Tiers((world.gpu, world.host), (0, 0), mode), policy)
    found = []
    for k, node in enumerate(world.asked):
        cached, *_ = tree.start(node, k, question)
        tree.finish(node, k)
        found.append(sum(cached))
    return found, tree


class Pairs:
    """T(alpha, beta) = (alpha + beta)^2 - alpha^2."""

    def prefill(self, cached, uncached):
        return float(attention(cached, uncached))


def retrieval_pgdsf(**readings):
    return RetrievalPGDSF(Pairs(), **readings)


PLAIN_AND_PACKAGE = {
    "lru": (lambda world: LRU(world.tree), tt.LRU()),
    "t-lru": (lambda world: TLRU(world.tree, 3, 1), tt.TLRU(3, 1, trim="least-recent")),
    "pgdsf": (lambda world: PGDSF(world.tree, attention, 1), retrieval_pgdsf()),
    "without the question": (
        lambda world: PGDSF(world.tree, attention, 1, question_counts=False),
        retrieval_pgdsf(question=False),
    ),
    "document": (
        lambda world: PGDSF(world.tree, attention, 1, new_size="document"),
        retrieval_pgdsf(new_size="document"),
    ),
    "window": (
        lambda world: PGDSF(world.tree, attention, 1, window=2),
        retrieval_pgdsf(window=2, window_in="requests"),
    ),
    "as printed": (lambda world: PGDSF(world.tree, attention, 1, falls=True), retrieval_pgdsf(clock="as-printed")),
    "late": (lambda world: PGDSF(world.tree, attention, 1, late=True), retrieval_pgdsf(clock_at="end")),
    "forgets": (lambda world: PGDSF(world.tree, attention, 1, remembers=False), retrieval_pgdsf(remembers=False)),
}


@pytest.mark.parametrize("mode", ["exclusive", "swap-out-once"])
@pytest.mark.parametrize("name", PLAIN_AND_PACKAGE)
def test_the_judge_and_the_packages_reference_agree_request_by_request(name, mode):
    make, policy = PLAIN_AND_PACKAGE[name]
    rng = np.random.default_rng(24)
    for _ in range(40):
        world = drawn(rng)
        tiers = TwoTiers(world, make(world), once=mode == "swap-out-once")
        found = [tiers.serve(node) for node in world.asked]
        theirs, tree = found_by_the_package(world, policy, mode, question=1)
        assert (found, tiers.copied, tiers.loaded) == (theirs, tree.copied, tree.loaded), world
        held = {tier: {node for node, there in tree.tier.items() if there == tier} for tier in (0, 1)}
        assert (tiers.gpu, tiers.host) == (held[0], held[1] | tree.copies)


@pytest.mark.parametrize("name", QUICK)
def test_quick_rows_have_their_verdicts(name):
    assert decide(ROWS[name]).verdict == EXPECTED.get(name, "holds")


def case_of(name):
    """Return the counterexample that a table shows, as a case of its row."""
    if name == "ragcache.tlru.mean":
        return documents_and_tails.BY_MEAN
    world, _ = SHOWN[name]
    return documents_and_tails.Tailed(world, 0, 1, 0) if name == "ragcache.tlru.ends-behind" else world


@pytest.mark.parametrize("name", SHOWN)
def test_a_world_with_a_table_refutes_its_row(name):
    assert refutes(ROWS[name], case_of(name))


@pytest.mark.repository
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_has_the_contents_that_the_judge_finds(name):
    page = (DOCS / "counterexamples-ragcache.md").read_text()
    assert "\n\n" + "\n".join(lines(name)) + "\n" in page
    assert documents(SHOWN[name][0]) in page


@pytest.mark.ledger
@pytest.mark.parametrize("name", SHOWN)
def test_the_tables_show_the_counterexamples_of_the_ledger(name):
    example = dict(decide(ROWS[name]).counterexample)
    del example["values"]
    shown = case_of(name).as_counterexample({})
    del shown["values"]
    assert shown == example


def canonical(parent, asked):
    """Return a shape with its nodes numbered in the order in which requests bring them up."""
    number = {}
    tree = Tree(parent, (1,) * len(parent))
    for node in asked:
        for one in tree.paths[node]:
            number.setdefault(one, len(number))
    above = {number[one]: number.get(parent[one], -1) for one in number}
    return tuple(above[one] for one in sorted(above)), tuple(number[one] for one in asked)


@pytest.mark.parametrize(("requests", "nodes"), [(2, 3), (3, 3), (4, 2)])
def test_every_tree_is_enumerated_once(requests, nodes):
    listed = list(shapes(requests, nodes))
    every = {
        canonical(parent, asked)
        for parent in product(*(range(-1, node) for node in range(nodes)))
        for asked in product(range(nodes), repeat=requests)
    }
    assert len(listed) == len(set(listed))
    assert set(listed) == {one for one in every if len(one[0]) == nodes}


def test_the_fewest_misses_of_documents_of_one_size_are_beladys():
    rng = np.random.default_rng(5)
    for _ in range(30):
        asked = [int(one) for one in rng.integers(0, 4, 8)]
        world = Asked((-1,) * 4, (1,) * 4, tuple(asked), int(rng.integers(1, 4)))
        theirs, _ = found_by_the_package(world, tt.Belady())
        assert fewest_missed(world) == sum(missed(world, theirs))


def smallest_first(queue, cached, left):
    """Plant: the smallest OrderPriority goes first."""
    found = {node: queue.lengths(cached, node) for node in left}
    return [min(sorted(found), key=lambda node: (Fraction(*found[node]), node))]


@pytest.mark.parametrize("row", [order_priority.larger_cached, order_priority.shorter], ids=lambda row: row.id)
def test_the_wrong_order_is_not_best(row, monkeypatch):
    assert decide(row).verdict == "holds"
    monkeypatch.setattr(order_priority, "by_priority", smallest_first)
    assert decide(row).verdict == "refuted"


def test_whole_documents_and_single_tokens_go_as_far_as_needed():
    chain = Tree((-1, 0, -1), (1, 1, 2))
    held = frozenset({0, 1, 2})
    assert kept_after(chain, held, set(), 3) == {frozenset({0, 2}), frozenset({0, 1})}
    assert kept_after(chain, held, {2}, 2) == {frozenset({2})}
    assert kept_after(chain, held, set(), 4) == {held}


def test_what_a_request_can_wait_for_grows_with_the_window():
    found = [reordering.at_worst(reordering.Service(5, window)) for window in range(5)]
    assert [one["overtaken"] for one in found] == [0, 1, 2, 3, 4]
    assert [one["others served meanwhile"] for one in found] == [4, 4, 4, 4, 4]


def server_on(documents, room=1, **how):
    """Return what the package's server does with requests that wait, each for one document of a token.

    They come while the GPU is busy with a request without documents, the first.
    """
    found = np.array([-1, *documents]).reshape(-1, 1, 1)
    asked, arrival = [1] * len(found), [0.0, *[0.5] * len(documents)]
    workload = Workload.of([1, 1], found, np.zeros(1), asked, arrival)
    return serve(workload, Server(tt.Tiers((room,)), tt.LRU(), **how), tt.LatencyModel(Fraction(1)))


@pytest.mark.parametrize("window", range(4))
def test_the_server_reorders_the_example_as_the_row_says(window):
    case = reordering.Window(window, 4)
    expected = reordering.window_of_the_example.values(case)["w + 1, then 2 w + 1"]
    documents = [one % 2 for one in range(2 * (2 * window + 1) * (case.runs + 1))]
    order = np.argsort(server_on(documents, window=window).first_token, kind="stable")[1:]
    runs = [len(list(run)) for _, run in groupby(documents[k - 1] for k in order)]
    assert runs[: case.runs] == expected


@pytest.mark.parametrize(("requests", "batch"), [(2, 1), (2, 2), (5, 2), (5, 5)])
def test_the_server_finds_what_the_row_on_requests_at_one_time_says(requests, batch):
    served = server_on([0] * requests, room=batch, batch=batch)
    found = knowledge_tree.found_in_batches(knowledge_tree.Together(requests, batch))["find it"]
    assert served.cached.sum() == found


@pytest.mark.repository
def test_the_page_says_what_both_orders_of_two_requests_compute():
    told = r"^\| .* \| (\d) \| ([\d ]+) \+ (\d).*? \| ([\d ]+) \+ (\d).*? \| .*in all (\d) \| .*in all (\d) \|$"
    rows = re.findall(told, (DOCS / "proofs-ragcache.md").read_text(), re.MULTILINE)
    assert len(rows) == 8
    for room, first, computed, second, also, *costs in rows:
        cached = [tuple(map(int, sizes.split())) for sizes in (first, second)]
        queue = order_priority.two((cached[0], (int(computed),)), (cached[1], (int(also),)), int(room))
        assert list(order_priority.either_order(queue).values()) == list(map(int, costs))
