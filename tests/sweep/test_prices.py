"""The price list: marginals by their definition, rows by hand, the values of a constant that differ, own hints."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from refusals import refusals
from sweep.noting import as_sent
from sweep.test_forest_sweeps import some_forest

import teltheory as tt
from teltheory.errors import ArgumentError, FileError
from teltheory.model.announcement import Announcement, only
from teltheory.model.hints import WHAT
from teltheory.policies.own_files import HINT, class_in_file
from teltheory.policies.spec import parse_policy
from teltheory.sweep.constants import values_that_differ
from teltheory.sweep.hinting import HintedSpec, read_hints
from teltheory.sweep.marginals import Distance, marginals, share, subsets
from teltheory.sweep.price_text import notes_on, tables_of

XI, ROOM = 2, 6
ALIKE = 1e-8
"""Seconds: times that are nearer than so are one."""
MINE = """
from dataclasses import dataclass
import teltheory as tt

@dataclass(frozen=True)
class OnlyLatest(tt.Hint):
    def holds(self, request, now):
        return request.latest
"""
FAMILIES = {"idle": ("close",), "retain": ("retain",), "resume": ("close", "resume")}


def said(requests, seed, agents=6, end=60):
    """A forest with whole times, agents, ends of responses and stop reasons."""
    rng = np.random.default_rng(seed)
    forest = some_forest(requests, seed)
    arrival = np.sort(rng.integers(0, end, requests).astype(float))
    forest = replace(forest, arrival=arrival)
    facts = {"agent": rng.integers(0, agents, requests).tolist(), "done": arrival + rng.integers(0, 4, requests)}
    return forest.with_hints(tt.Hints.of(forest, stop=rng.choice(["end_turn", "tool_use"], requests), **facts))


FOREST = said(40, 3)


def tel(requests, policy, use, announced, xi=XI):
    """What a replay by hand has."""
    heard = tt.Hinted(policy, use) if use else policy
    return tt.tail_excess_latency(tt.replay(announced.on(requests), heard, ROOM), xi)


@cache
def listed(**changed):
    return tt.price_of_hints([FOREST, said(40, 4)], "tlru", [ROOM], xi=[XI], seeds=2, most=7, **changed).places[0]


@given(st.lists(st.integers(-9, 9), min_size=8, max_size=8))
@example([0, 0, 0, 0, 0, 0, 0, 1])
def test_a_marginal_is_what_its_definition_says_over_all_orders(values):
    players = ("a", "b", "c")
    tels = {frozenset(some): Fraction(value) for some, value in zip(subsets(players), values, strict=True)}
    for one in marginals(tels, players):
        saved = []
        for order in permutations(players):
            before = frozenset(order[: order.index(one.player)])
            saved.append(tels[before] - tels[before | {one.player}])
        assert one.mean == sum(saved, Fraction(0)) / len(saved)
        assert (one.least, one.most) == (min(saved), max(saved))
        whole = frozenset(players)
        assert one.alone == tels[frozenset()] - tels[frozenset({one.player})]
        assert one.last == tels[whole - {one.player}] - tels[whole]
    assert sum(one.mean for one in marginals(tels, players)) == tels[frozenset()] - tels[frozenset(players)]


def test_a_share_is_against_the_optimum_of_both_sides_and_pooled_before_it_is_divided():
    of = [Distance(Fraction(100), Fraction(20), Fraction(60)), Distance(Fraction(10), Fraction(0), Fraction(6))]
    assert share([Fraction(20), Fraction(2)], of) == (Fraction(22, 90), Fraction(22, 44))
    assert share([Fraction(-20), Fraction(2)], of) == (Fraction(-18, 44), Fraction(-18, 90))
    assert share([Fraction(1)], [Distance(Fraction(5), Fraction(5), Fraction(5))]) is None


def test_each_row_is_a_replay_by_hand_and_each_share_is_against_the_optimum():
    place, draws = listed(), [FOREST, said(40, 4)]
    named = {one.name: one for one in place.priced}
    assert len(named) == len(place.priced)
    estimate = [tt.default_estimate(one) for one in draws]
    tlru = [tt.TLRU(XI, -(-q // one.block_size)) for q, one in zip(estimate, draws, strict=True)]
    policies = {"lru": [tt.LRU()] * 2, "tlru": tlru}
    for name, policy in policies.items():
        for use in subsets(("close", "superseded", "resume", "retain")):
            row = named[" + ".join((name, *use))]
            assert row.tels == tuple(tel(f, p, use, Announcement()) for f, p in zip(draws, policy, strict=True))
        late = named["tlru + close, 60 s late"].tels
    assert late == tuple(
        tel(f, p, ("close",), Announcement(60)) for f, p in zip(draws, policies["tlru"], strict=True)
    )
    wrong = [
        [tel(f, p, ("close",), Announcement(wrong=0.5, seed=s)) for s in (0, 1)]
        for f, p in zip(draws, policies["tlru"], strict=True)
    ]
    assert named["tlru + close, 50.0 % too early too"].tels == tuple(Fraction(a + b, 2) for a, b in wrong)
    best = [tt.hindsight_optimum(one, ROOM, XI) for one in draws]
    assert [(one.lower, one.upper) for one in place.distances] == [(one.lower, one.upper) for one in best]
    row, lru = named["tlru + close"], named["lru"]
    assert row.closed[0] == Fraction(sum(lru.tels) - sum(row.tels), sum(lru.tels) - sum(b.objective for b in best))
    each = [Fraction(a - b, a - c.objective) for a, b, c in zip(lru.tels, row.tels, best, strict=True)]
    assert row.over == pytest.approx((float(min(each)), float(max(each))))
    computed = [
        sum(tt.replay(f, p, ROOM).in_tokens().prefilled for f, p in zip(draws, some, strict=True))
        for some in policies.values()
    ]
    assert named["tlru"].prefill == pytest.approx(computed[1] / computed[0])


def test_where_the_optimum_has_two_sides_a_share_has_two():
    forests = (said(60, seed, agents=9) for seed in range(99))
    forest, best = next(
        (one, best) for one in forests if (best := tt.hindsight_optimum(one, 4, 1)).lower < best.upper
    )
    place = tt.price_of_hints(forest, "tlru", [4], xi=[1], hints="close", seeds=1, most=1).places[0]
    tels = {one.name: one.tels[0] for one in place.priced}
    sides = best.lower, min(best.upper, *tels.values())
    row = next(one for one in place.priced if one.name == "tlru + close")
    shares = [Fraction(tels["lru"] - tels["tlru + close"], tels["lru"] - side) for side in sides]
    assert row.closed == (min(shares), max(shares))
    assert (place.distances[0].lower, place.distances[0].upper) == sides
    alone = [Fraction(tels["lru"] - tels["lru + close"], tels["lru"] - side) for side in sides]
    assert place.worths[0].alone == (min(alone), max(alone))


def test_the_worth_of_a_hint_is_counted_from_the_rows_of_the_list():
    place = listed()
    tels = {one.name: sum(one.tels) for one in place.priced}
    distance = sum(one.lru - one.lower for one in place.distances)
    close = next(one for one in place.worths if one.player == "close")
    policy = place.worths[-1]
    assert close.alone[0] == Fraction(tels["lru"] - tels["lru + close"], distance)
    last = tels["tlru + superseded + resume + retain"] - tels["tlru + close + superseded + resume + retain"]
    assert close.last[0] == Fraction(last, distance)
    assert (policy.player, policy.alone[0]) == ("tlru", Fraction(tels["lru"] - tels["tlru"], distance))
    whole = sum(one.mean[0] for one in place.worths)
    assert whole == Fraction(tels["lru"] - tels["tlru + close + superseded + resume + retain"], distance)


def scattered(seed):
    """A forest with times of which no two differences are equal, but by chance."""
    rng = np.random.default_rng(seed)
    return timed(7, seed, rng.integers(0, 2**12, 7) / 256, rng.integers(0, 2**10, 7) / 256)


def twice(seed):
    """A forest whose agents ask twice; in between is a silence that floats have fewer digits for than for ends."""
    arrival, lasting = np.random.default_rng(seed).random((2, 6))
    return timed(6, seed, arrival + np.repeat([4, 14], 3), lasting / 2, agent=[*range(3)] * 2)


def timed(requests, seed, arrival, lasting, **facts):
    """A forest with times of arrival and of responses."""
    forest = replace(said(requests, seed, agents=3), arrival=np.sort(arrival))
    return forest.with_hints(tt.Hints.of(forest, done=forest.arrival + lasting, **facts))


@pytest.mark.parametrize(("made", "beside"), [(scattered, ()), (twice, (0, np.inf))])
@pytest.mark.parametrize("family", FAMILIES)
@given(seed=st.integers(0, 10**6))
@example(seed=0)
@settings(deadline=None, max_examples=25)
def test_every_value_answers_all_that_a_replay_asks_as_one_of_those_that_differ_does(family, made, beside, seed):
    forest = made(seed)
    found, done = values_that_differ(family, forest, 10**6), forest.hints.done
    ends = (done[:, None] + done).ravel() / 2 if family == "resume" else done
    edges = np.unique(np.append((forest.arrival[:, None] - ends).ravel(), 0))
    edges = edges[edges >= 0]
    assume(np.diff(edges).min() > 10 * ALIKE)
    next_to = (np.nextafter(edges, way) for way in beside)
    every = np.concatenate([edges, *next_to, (edges[1:] + edges[:-1]) / 2, edges[-1:] + 9])
    known = {answers(family, forest, value) for value in found.values}
    assert found.whole
    assert {answers(family, forest, value) for value in every} <= known


def answers(family, forest, value):
    """All that a replay may ask of a constant: what is said of the requests so far, at each cut."""
    hints, now = Announcement(**{family: float(value)}).on(forest).hints, forest.arrival
    hints = only(hints, hints.what == WHAT.index("close" if family == "idle" else family))
    if family == "idle":
        cuts = np.where(hints.void(now), -1, hints.cuts(now))
        return tuple(sorted(zip(hints.request.tolist(), cuts.tolist(), strict=True)))
    said = dict(zip(hints.request.tolist(), hints.value.tolist(), strict=True))
    so_far = [range(k + 1) for k in range(len(now))]
    if family == "retain":
        return tuple(said[r] > at for at, some in zip(now.tolist(), so_far, strict=True) for r in some)
    latest = [{hints.agent[r]: r for r in some}.values() for some in so_far]
    near = ([abs(at - said[r]) for r in some] for at, some in zip(now.tolist(), latest, strict=True))
    return tuple((a > b + ALIKE) - (a < b - ALIKE) for some in near for a in some for b in some)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_best_constant_is_the_least_of_all_and_its_number_is_said(family):
    forest = said(8, 1, agents=3, end=20)
    use, found = FAMILIES[family], values_that_differ(family, forest, 10**6)
    spec = HintedSpec(parse_policy("lru"), use, Announcement(), family, 10**6)
    row = tt.compare(forest, [spec], [ROOM], xi=[XI]).rows[0]
    each = [tel(forest, tt.LRU(), use, Announcement(**{family: value})) for value in found.values]
    assert row.tel == min(each)
    best = found.values[each.index(min(each))]
    assert row.setting == f"{best:g} s, the best of all {len(found.values)} values that differ"
    few = values_that_differ(family, forest, 3)
    assert (len(few.values), few.number) == (3, found.number)
    assert f"3 of {found.number}" in few.said(1)
    assert {few.values[0], few.values[-1]} == {found.values[0], found.values[-1]}


def test_a_board_has_a_row_a_policy_and_set_and_policies_that_do_not_listen_stand_once():
    board = tt.compare(FOREST, ["lru", "tlru"], [ROOM], xi=[XI], hints=["none", "close,superseded"])
    assert [row.policy for row in board.rows] == [
        "lru", "lru + close + superseded", "tlru", "tlru + close + superseded"]  # fmt: skip
    assert board.rows[1].tel == tel(FOREST, tt.LRU(), ("close", "superseded"), Announcement())
    every = [row.policy for row in tt.compare(FOREST, None, [ROOM], xi=[XI], hints=["close"]).rows]
    assert {"tlru + close", "lfu + close", "belady", "length-aware"} <= {*every}
    assert len({*every}) == len(every)
    both = tt.compare(FOREST, ["lru"], [ROOM], xi=[XI], hints=["close", "resume"]).rows
    groups = {row.policy: row.group for row in both}
    assert groups == {"lru + close": "online", "lru + resume": "clairvoyant"}
    waits = tt.compare(FOREST, ["lru"], [ROOM], xi=[XI], hints=["resume"], announced=tt.Announcement(resume="15s"))
    assert waits.rows[0].group == "online"


def test_an_own_hint_of_a_file_stands_in_the_list_with_its_price(tmp_path, monkeypatch):
    monkeypatch.setitem(tt.sweep.__globals__, "on_processes", as_sent)
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    forest, kept = said(30, 29), tmp_path / "kept"
    how = {"hints": ["close", f"{file}:OnlyLatest"], "store": kept, "seeds": 1, "most": 2}
    place = tt.price_of_hints(forest, "tlru", [ROOM], xi=[XI], workers=2, **how).places[0]
    named = {one.name: one.tels for one in place.priced}
    twin = tt.price_of_hints(forest, "tlru", [ROOM], xi=[XI], **how | {"hints": "close,superseded"}).places[0]
    assert [named[one.name.replace("superseded", "OnlyLatest")] for one in twin.priced] == [
        one.tels for one in twin.priced
    ]
    assert [one.player for one in place.worths] == ["close", "OnlyLatest", "tlru"]
    file.write_text(MINE.replace("return request.latest", "return True"))
    again = tt.price_of_hints(forest, "tlru", [ROOM], xi=[XI], **how).places[0]
    changed = {one.name: one.tels for one in again.priced}
    assert changed["lru + OnlyLatest"] == changed["lru"] != named["lru + OnlyLatest"], "a store knows versions"
    assert issubclass(class_in_file(f"{file}:OnlyLatest", HINT), tt.Hint)


def test_the_text_of_a_list_has_every_row_the_optimum_and_what_holds_for_it():
    place = listed()
    tables = {title: (heads, rows) for title, heads, rows in tables_of(place, "s")}
    assert [*tables] == ["what each closes", "achieved", "family", "misprediction", "learnt", "perfect"]
    assert all(len(row) == len(heads) for heads, rows in tables.values() for row in rows)
    assert tables["perfect"][1][-1][0] == "the optimum"
    assert [row[0] for row in tables["achieved"][1]] == [one.name for one in place.priced[:32]]
    notes = " ".join(notes_on(place))
    assert "2 draws" in notes
    assert "fewer than 20" in notes
    assert "No intervals" in notes
    assert "7 of " in notes
    signs = [one.player for one in place.worths if one.over[0] < 0 < one.over[1]]
    assert ("changes its sign" in notes) == bool(signs)


def test_what_is_learnt_is_what_announcements_learn():
    forest = said(30, 29)
    asked = {"hints": "close,resume", "seeds": 1, "most": 2}
    place = tt.price_of_hints(forest, "tlru", [ROOM], xi=[XI], **asked).places[0]
    named = {one.name: one.tels[0] for one in place.priced if one.kind == "learnt"}
    told = forest.with_hints(tt.Hints.announce(forest, "learnt", resume="learnt"))
    for use in (("close",), ("resume",), ("close", "resume")):
        tel = tt.replay(told, tt.Hinted(tt.TLRU(xi=XI), use), ROOM).tel(XI)
        assert named.pop(f"tlru + {' + '.join(use)}, learnt") == tel
    assert named == {"return-aware": tt.replay(forest, tt.ReturnAwareTLRU(xi=XI), ROOM).tel(XI)}


def refuse(**changed):
    return tt.price_of_hints(FOREST, "tlru", [ROOM], xi=[XI], **changed)


test_what_is_asked_wrongly_is_refused = refusals(
    (ArgumentError, FileError),
    ("close, superseded, retain", lambda: read_hints("closed")),
    ("none by itself", lambda: read_hints(["none,close"])),
    ("at most once", lambda: read_hints(["close,close"])),
    ("at least one hint", lambda: refuse(hints=[])),
    ("seeds: found 0", lambda: refuse(seeds=0)),
    ("missing: found 2", lambda: Announcement(missing=2)),
    ("nobody.py", lambda: read_hints("nobody.py:Mine")),
    ("one that does not know the future", lambda: tt.compare(FOREST, ["belady"], [6], xi=[2], hints=["close"])),
    (
        "one cache that nobody waits for",
        lambda: tt.compare(FOREST, ["lru"], [tt.Tiers((3, 6), (0, 0.5))], xi=[2], hints=["close"]),
    ),
)
