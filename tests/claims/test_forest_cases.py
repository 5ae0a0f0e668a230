"""Small forests as cases of claims."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from claims.replaying import case_of

import teltheory as tt
from teltheory.claims.claim import claim
from teltheory.claims.forests import (
    ForestCase,
    Shape,
    SmallForests,
    any_ask,
    any_depth,
    no_tail,
    shapes,
    upper_bounds,
    whole_path,
)
from teltheory.claims.search import decide, refutes
from teltheory.errors import ArgumentError, TraceError
from teltheory.report.words import counterexamples, strength

AT_MOST_5 = {1: 5, 2: 45, 3: 353, 4: 2449}
PLAIN = SmallForests({2: 2, 3: 3}, {}, asks=whole_path, totals=no_tail, thresholds=any_depth, samples=0)


def by_hand(requests: int, blocks: int) -> set[Shape]:
    """Return the shapes of all forests, made canonical: any parents, any ends of paths, all blocks read."""
    found = set()
    for parent in product(*(range(-1, block) for block in range(blocks))):
        for leaf in product(range(blocks), repeat=requests):
            shape = Shape(parent, leaf)
            if {block for path in shape.paths for block in path} == set(range(blocks)):
                found.add(shape.canonical())
    return found


@pytest.mark.parametrize(("requests", "blocks"), [(1, 3), (2, 2), (2, 4), (3, 3), (4, 2)])
def test_every_shape_of_a_size_once(requests: int, blocks: int) -> None:
    listed = list(shapes(requests, blocks))
    assert len(listed) == len(set(listed))
    assert set(listed) == by_hand(requests, blocks)


def test_the_number_of_shapes_of_at_most_five_blocks() -> None:
    counts = {n: sum(1 for blocks in range(1, 6) for _ in shapes(n, blocks)) for n in AT_MOST_5}
    assert counts == AT_MOST_5


def every(space: SmallForests) -> Iterator[ForestCase]:
    for size_class in space.classes("quick"):
        yield from size_class


def test_a_shape_says_of_paths_what_its_forest_says() -> None:
    for case in every(replace(PLAIN, thresholds=lambda shape: range(1))):
        shape, forest = case.shape, case.forest
        assert shape.depth == tuple(forest.depth.tolist())
        assert shape.ends == tuple(forest.past.tolist())
        assert case.known == tuple(forest.known.tolist())
        assert [list(path) for path in shape.paths] == [forest.path(k) for k in range(len(forest))]


def test_every_vector_of_needs_up_to_what_is_known_comes_up_once_at_each_capacity() -> None:
    found: dict[Shape, list[tuple[tuple[int, ...], int]]] = {}
    for case in every(SmallForests({2: 3}, {}, samples=0)):
        found.setdefault(case.shape, []).append((case.need, case.capacity))
    assert set(found) == {shape for blocks in (1, 2, 3) for shape in shapes(2, blocks)}
    for shape, listed in found.items():
        needs = product(*(range(known + 1) for known in shape.known))
        assert sorted(listed) == sorted(product(needs, range(len(shape.parent) + 1)))


def test_only_the_needs_matter_to_what_a_policy_can_change() -> None:
    """Of any ask, total and threshold: the excess is the one without a cache less what is found up to the need."""
    space = SmallForests({2: 3}, {}, any_ask, lambda ask, known, xi: range(ask, ask + 3), any_depth, samples=0)
    for case in list(every(replace(space, capacities=lambda shape: range(2, 3))))[::13]:
        found = case.replay(tt.LRU())
        lowered = [min(hits, need) for hits, need in zip(found, case.need, strict=True)]
        without = case.excesses_of([0] * len(found))
        assert case.excesses(tt.LRU()) == [w - less for w, less in zip(without, lowered, strict=True)]


@pytest.mark.parametrize("space", [PLAIN, replace(PLAIN, forced=True), replace(PLAIN, forced=True, running=2)])
def test_a_case_is_read_back_and_replayed_from_its_plain_data(space: SmallForests) -> None:
    policy = tt.TLRU(1, 0)
    for case in list(every(space))[::5]:
        example = case.as_counterexample({"T-LRU": case.tel(policy)})
        assert case_of(example) == case
        forest = tt.Forest.from_paths(example["paths"], example["ask"], example["total"])
        caching = {"forced": example["forced"], "running": example.get("running", 1)}
        outcome = tt.replay(forest, policy, example["capacity"], **caching)
        told = tt.tail_excess_latency(outcome, example["xi"])
        assert example["values"] == {"T-LRU": told}


def test_classes_grow_and_are_of_the_sizes_that_they_say() -> None:
    for size, size_class in zip(PLAIN.sizes("quick"), PLAIN.classes("quick"), strict=True):
        assert {case.size()[:2] for case in size_class} == {size}


def test_natural_forests_grow_at_each_request_and_have_nothing_that_is_0() -> None:
    space = SmallForests({}, {}, estimates=upper_bounds, natural_sizes=({2: 3, 3: 3}, {})).natural()
    cases = list(every(space))
    assert {case.measures()["blocks"] for case in cases} == {2, 3}
    for case in cases:
        assert min(case.capacity, case.xi, case.q_hat) >= 1
        assert case.shape.is_growing
        assert case.ask == case.total == case.shape.ends


def test_samples_repeat_and_satisfy_the_space() -> None:
    space = SmallForests({}, {}, estimates=upper_bounds, forced=True, running=2)

    def drawn() -> list[ForestCase | None]:
        rng = np.random.default_rng(5)
        return [space.sample(rng) for _ in range(200)]

    cases = drawn()
    assert cases == drawn()
    assert len(set(cases)) > 150
    for case in filter(None, cases):
        assert case.shape == case.shape.canonical()
        assert case.admissible
        assert case.q_hat >= max(t - known for t, known in zip(case.total, case.known, strict=True))
        assert len(case.shape.parent) <= space.most_blocks


def test_steps_make_a_case_smaller_and_lead_to_nothing() -> None:
    rng = np.random.default_rng(6)
    for _ in range(10):
        case = SmallForests({}, {}, any_ask).sample(rng)
        while case is not None:
            steps = list(case.smaller())
            assert all(step.size() < case.size() for step in steps)
            assert all(step.admissible and step.shape == step.shape.canonical() for step in steps)
            case = steps[int(rng.integers(len(steps)))] if steps else None


SMALLEST = {"paths": [[1], [2], [1]], "ask": [1] * 3, "total": [1] * 3, "capacity": 1, "xi": 0, "q_hat": 0}


@pytest.mark.parametrize("space", [PLAIN, SmallForests({}, {}, whole_path, no_tail, any_depth)])
def test_the_smallest_case_that_refutes_is_found_and_told(space: SmallForests) -> None:
    """LRU is not Belady's rule: found by enumeration, and by shrinking a random case."""

    @claim("forest.made-up", "made up", "LRU is optimal.", lambda values: values["LRU"] == values["Belady"], space)
    def lru(case: ForestCase) -> dict[str, int]:
        return {"LRU": case.tel(tt.LRU()), "Belady": case.tel(tt.Belady())}

    verdict = decide(lru)
    assert verdict.counterexample == {**SMALLEST, "forced": False, "values": {"LRU": 3, "Belady": 2}}
    case = case_of(verdict.counterexample)
    assert refutes(lru, case)
    assert not any(refutes(lru, step) for step in case.smaller())
    assert verdict.natural is not None
    told = list(counterexamples(verdict.as_dict()))
    assert told[0] == "Smallest counterexample: (1) (2) (1); C=1 xi=0 Q=0: LRU 3, Belady 2"
    assert told[1].startswith("Natural counterexample: (1) (2) (1 3)")


def test_bounds_are_told() -> None:
    @claim("forest.made-up", "made up", "Nothing is cached.", lambda values: values["hits"] == 0, PLAIN)
    def nothing(case: ForestCase) -> dict[str, int] | None:
        return None if case.capacity else {"hits": sum(case.replay(tt.LRU()))}

    (told,) = strength(decide(nothing).as_dict())
    assert told.endswith("every one within the bounds: up to 2 blocks in 2 requests, up to 3 in 3.")


@pytest.mark.parametrize(
    ("change", "error"),
    [({"paths": [[1], [2, 1], [1]]}, TraceError), ({"ask": [2, 1, 1]}, TraceError), ({"xi": -1}, ArgumentError)],
)
def test_what_is_no_case_is_refused(change: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        ForestCase.of({**SMALLEST, "forced": False, **change})
    with pytest.raises(ArgumentError):
        ForestCase.of({"turns": []})
