"""The rows on hints: their two encodings on random worlds, their families, and planted faults."""

from dataclasses import replace

import numpy as np
import pytest

from proofs_checks.hints import campaign, engine_hints, keep_hints, release_hints
from proofs_checks.hints.compiled import MARKS, CompiledHints
from proofs_checks.hints.drawn import RandomHints
from proofs_checks.hints.runs import HintedPair, called_dead
from proofs_checks.hints.worlds import NEVER, RELEASE, HintedCase, Messages, SmallHints, ends_of, released
from teltheory.claims.claim import Claim
from teltheory.claims.comparison import DisagreementError, compare
from teltheory.claims.origin import OURS
from teltheory.claims.search import decide, refutes
from teltheory.policies.hinted import Telling

SAFE = HintedPair("safe", "with hints", "without")
ROWS = [row for row in vars(release_hints).values() if isinstance(row, Claim) and row.compiled is not None]


def told(values, late=0):
    """Return what draws a value with about half of the requests, told with them or up to `late` seconds later."""

    def tell(rng, columns):
        time = columns["time"]
        said = rng.random(time.shape) < 0.5
        columns["at"][:] = np.where(said, time + rng.integers(0, late + 1, time.shape), NEVER)
        columns["value"][:] = values(rng, time)

    return tell


KEEPS = {
    "retain": told(lambda rng, time: time + rng.integers(0, 8, time.shape)),
    "retain, late": told(lambda rng, time: time + rng.integers(0, 8, time.shape), 4),
    "priority": told(lambda rng, time: rng.integers(0, 4, time.shape)),
    "priority, late": told(lambda rng, time: rng.integers(0, 4, time.shape), 4),
    "resume": told(lambda rng, time: time + rng.integers(0, 8, time.shape)),
}


def worlds(drawn, pair=SAFE, cases=24, **others):
    """Yield random cases, and what each encoding says of them."""
    rng = np.random.default_rng(47)
    check = replace(pair.compiled(SmallHints({}, {}, lambda n: (), "", **others)), drawn=drawn)
    for _ in range(cases):
        n, blocks = rng.integers(2, 9), rng.integers(1, 8)
        case = check.random_case(rng, int(n), int(blocks))
        values = pair.values(case)
        row = [entry for value in values.values() for entry in (value if isinstance(value, list) else [value])]
        yield case, (not pair.holds(values), row), check.judged(case)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("cache", ["strict", "holes"])
@pytest.mark.parametrize("forced", [False, True])
def test_both_encodings_agree_on_release_hints(forced, cache, mark):
    for case, plain, compiled in worlds(RandomHints(), forced=forced, cache=cache, mark=mark):
        assert plain == compiled, case


@pytest.mark.parametrize("more", [(), ("after",)], ids=["first", "after"])
@pytest.mark.parametrize("name", KEEPS)
def test_both_encodings_agree_on_keep_hints(name, more):
    keep = (name.partition(",")[0], *more)
    for case, plain, compiled in worlds(RandomHints(tuple((use + keep, keep) for use in RELEASE), KEEPS[name])):
        assert plain == compiled, case


@pytest.mark.parametrize("row", [release_hints.covers, release_hints.safe_forced_covers, release_hints.monotone])
def test_both_encodings_agree_on_what_two_runs_are_told(row):
    rng = np.random.default_rng(48)
    for _ in range(40):
        case = row.compiled.random_case(rng, int(rng.integers(2, 9)), int(rng.integers(1, 8)))
        assert row.compiled.judged(case) == (False, [one for value in row.values(case).values() for one in value])


@pytest.mark.parametrize("use", [("hard",), ("hard", "unrenewed"), ("retain",)])
def test_both_encodings_agree_on_times_to_live(use):
    drawn = RandomHints(((use, ()),), keep_hints.drawn_lives)
    pair, others = HintedPair("each", "LRU", "with a time to live"), {"levels": False}
    for case, plain, compiled in worlds(drawn, pair, **others):
        assert plain == compiled, case


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_both_encodings_agree_on_all_small_cases(row):
    quick = {"quick": {1: 2, 2: 2}}
    compiled = replace(row.compiled, worlds=replace(row.compiled.worlds, **quick))
    assert compare(replace(row, space=replace(row.space, **quick), compiled=compiled), "quick").within > 10


def small(row, **sizes):
    """Return a row with other bounds for both encodings."""
    compiled = replace(row.compiled, worlds=replace(row.compiled.worlds, **sizes))
    return replace(row, space=replace(row.space, **sizes), compiled=compiled)


def test_a_close_that_counts_though_its_agent_came_again_is_a_disagreement(monkeypatch):
    """Planted in the reference: a close is about all requests of its agent."""

    def count(self, row, what, value):
        for one in self.of_agent[row.agent]:
            one.open = False

    monkeypatch.setattr(Telling, "count", count)
    with pytest.raises(DisagreementError, match=r"hints\.release\.safe: .*but compiled true with values"):
        compare(small(release_hints.safe, quick={3: 1}), "quick")


def test_a_reference_that_spares_the_dead_is_a_disagreement(monkeypatch):
    monkeypatch.setattr(Telling, "is_dead", lambda self, unit: False)
    with pytest.raises(DisagreementError, match=r"but compiled true with values"):
        compare(small(release_hints.safe, quick={2: 2, 3: 2}), "quick")


@pytest.mark.parametrize(
    "row",
    [release_hints.never_returns, release_hints.wrong_close, release_hints.kept_too, release_hints.covers_wrong],
    ids=lambda row: row.id,
)
def test_short_counterexamples_are_found_again(row):
    assert decide(row).verdict == "refuted"


def test_the_smallest_close_that_costs():
    """Agent A reads y, B reads x and is over, A reads x; C = 1."""
    found = decide(release_hints.never_returns).counterexample
    assert (found["paths"], found["agent"], found["close"]) == ([[1], [2], [2]], [0, 1, 0], [None, 1, None])
    assert [sum(found["values"][name]) for name in ("with closes", "without")] == [3, 2]


def test_no_row_that_holds_is_refuted_by_a_smaller_bound():
    """Where the dead on a path cost nothing, the same check refutes: the bound is no more than is needed."""
    strict = replace(release_hints.safe, relation=lambda values: values["with hints"] <= values["without"])
    case = release_hints.never_returns
    found = HintedCase.given([[1], [2], [2]], Messages.of((0, 1, 0), ("close",), close=(NEVER, 1, NEVER)), 1)
    assert refutes(strict, found)
    assert refutes(case, found)
    assert not refutes(release_hints.safe, found)


@pytest.mark.parametrize("use", ["retain", "resume"])
@pytest.mark.parametrize("reads", [2, 5, 11])
def test_what_is_waited_for_costs_as_many_misses_as_there_are_reads(use, reads):
    case = keep_hints.waited_for(use, reads)
    assert CompiledHints("each", SmallHints({}, {}, lambda n: (), "")).judged(case) == (
        True,
        [*[1] * (reads + 1), 0, 1, 1, *[0] * (reads - 1), 1],
    )


def test_ends_by_hand():
    assert list(ends_of((0, 0))) == [(0, NEVER), (NEVER, NEVER)]
    assert len(list(ends_of((0, 1, 0)))) == 3 * 2
    assert {one.use for one in released(2, 2)} == {*RELEASE}


def test_what_is_dead_in_tiers_is_what_the_reference_calls_dead():
    space = SmallHints({3: 3}, {}, lambda n: released(n, 2, (("close",),)), "", levels=False)
    for number, case in enumerate(one for size in space.classes("quick") for one in size):
        if number % 29 == 0:
            names = {block: (block,) for path in case.shape.paths for block in path}
            before = (frozenset(), *engine_hints.dead_units(case, names))
            on_paths = zip(case.shape.paths, before, strict=False)
            assert [sum((block,) in dead for block in path) for path, dead in on_paths] == called_dead(case)


def test_tiers_that_drop_what_is_alive_are_refuted(monkeypatch):
    row = replace(engine_hints.tiers, space=engine_hints.HintedTiers({2: 2}, {}))
    assert decide(row).verdict == "holds"
    monkeypatch.setattr(engine_hints.Dropping, "_prune", lambda self, ended: self.tier.clear())
    assert decide(row).verdict == "refuted"


def test_what_is_dead_leaves_all_tiers_at_once_but_for_what_runs():
    case = engine_hints.Paths(((0,), (0,)), (1, 1), (0, 1))
    for forced, found in ((False, 0), (True, 1)):
        dead = (frozenset({(0,)}),) * 2
        cascade = engine_hints.Dropping(replace(case, forced=forced), "LRU", dead=dead)
        assert cascade.found() == [[0, 0], [found, 0]]


def test_random_worlds_read_again_what_is_dead():
    check = CompiledHints("each", SmallHints({}, {}, lambda n: (), ""))
    found = check.tally_random(np.random.default_rng(3), 6, 5, 5000)
    assert found.refuting > 50
    assert sum(called_dead(found.smallest)) > 0


def test_the_campaign_tries_every_compiled_row_that_holds(capsys):
    assert campaign.main(["--forests", "500"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [row.id for row in campaign.drawn_rows()]
    assert all(int(line.split()[1].replace(",", "")) >= 500 and line.endswith(", 0 refute") for line in lines)


def test_the_campaign_says_what_refutes(monkeypatch, capsys):
    row = replace(release_hints.covers_wrong, origin=OURS)
    row = replace(row, compiled=replace(row.compiled, drawn=release_hints.SAME_USES))
    monkeypatch.setattr(campaign, "drawn_rows", lambda: [row])
    assert not campaign.main(["--forests", "4000000"])
    assert "refute: {'paths': " in capsys.readouterr().out
