"""A comparison: policies in every memory and at every threshold, each beside LRU and the optimum's two sides.

It is a sweep (`teltheory.sweep.sweep`) whose cells are rows of a board. Where the sides of the optimum differ,
regret and the share closed are intervals. Any policy's replay is a plan, so the least TEL of all rows of a place
lowers the upper side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from teltheory.cost.latency import A100_LLAMA2_7B, Latency
from teltheory.cost.metrics import share_closed
from teltheory.cost.standing import Standing, too_few
from teltheory.model.numbers import Ratio
from teltheory.model.tiers import Tiers, several, tiers_of
from teltheory.policies.future import looks_ahead
from teltheory.policies.online import LRU
from teltheory.serving.serve import Serving
from teltheory.sweep.advised import learns
from teltheory.sweep.compared_jobs import Beside, Compared, ComparedInTiers, ComparedJob, Hindsight, HindsightJob
from teltheory.sweep.grid import Grid
from teltheory.sweep.hinting import knows_returns
from teltheory.sweep.sources import AnySource

CONVERSATIONS = "conversations"
CACHES = (CONVERSATIONS, "strict", "holes")
GROUPS = ("online", "clairvoyant")
LEARNED = "learned"
Interval = tuple[float, float] | None
Memory = int | Tiers
Job = ComparedJob | ComparedInTiers | HindsightJob


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    """One policy in one memory at one threshold; without numbers where `blank` says why.

    Attributes
    ----------
    trace, cache, capacity, xi, policy : str, str, int, int, str
        Its place; capacity, of all `tiers` together if there are any, and threshold in tokens.
    tiers : tuple of int or None
        Tokens of each tier of memory, and `loads`, what loading from it costs.
    group : {"online", "clairvoyant"}
        Whether the policy looks at later turns; `learned` is whether it learns from them.
    setting : str or None
        What an advice chose, of T-LRU as advised.
    p50, p95, p99 : float or None
        Percentiles of TTFT, seconds.
    hit_rate, prefilled, violations, tel : float, int, int, int or float, or None
        As in `Measurement`; TEL is in units of `unit` tokens, in a queue in seconds.
    lru, lower, upper : int or float, or None
        TEL of LRU, and between what the least TEL of any policy lies; in a queue none is known.
    price : float or None
        Change of the tokens computed, against LRU.
    gain : float or None
        By which share of LRU's TEL the policy is below it; `gain_interval` has its 95 % interval, and `proved` is
        whether the difference is: else the policy is tied with LRU.
    rank, beaten_by : int or None
        How many policies of its group are proved worse and better; `tied` names those whose difference may be 0.
    cluster, clusters : str, int
        What is drawn for intervals, and how many there are. `unsure` says why there is no interval.
    draws, gains : int, tuple of float or None
        Draws of what was assumed of the trace, such as starts of sessions; least and greatest gain in them.
    """

    trace: str
    cache: str
    capacity: int
    xi: int
    policy: str
    group: str
    tiers: tuple[int, ...] | None = None
    loads: tuple[float, ...] | None = None
    queued: bool = False
    learned: bool = False
    setting: str | None = None
    unit: int = 1
    blank: str | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    hit_rate: float | None = None
    prefilled: int | None = None
    violations: int | None = None
    tel: int | float | None = None
    lru: int | float | None = None
    lower: int | float | None = None
    upper: int | float | None = None
    price: float | None = None
    gain: float | None = None
    gain_interval: Interval = None
    proved: bool | None = None
    rank: int | None = None
    beaten_by: int | None = None
    tied: tuple[str, ...] = ()
    cluster: str = ""
    clusters: int = 0
    unsure: str | None = None
    draws: int = 1
    gains: Interval = None

    @property
    def regret(self) -> tuple[int | float, int | float] | None:
        """Least and most TEL above the optimum."""
        if self.tel is None or self.lower is None or self.upper is None:
            return None
        return self.tel - self.upper, self.tel - self.lower

    @property
    def share_closed(self) -> Interval:
        """Least and greatest share of LRU's distance to the optimum that is closed; None if there may be none."""
        if self.tel is None or self.lru is None or self.lower is None or self.upper is None:
            return None
        tel, lru, *sides = map(Fraction, (self.tel, self.lru, self.lower, self.upper))
        one, other = (share_closed(lru, tel, side) for side in sides)
        return None if one is None or other is None else (float(min(one, other)), float(max(one, other)))

    @property
    def changes_sign(self) -> bool:
        """Whether the gain is above 0 in one draw and below 0 in another."""
        return self.gains is not None and self.gains[0] < 0 < self.gains[1]

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        pairs = {"regret": self.regret, "share_closed": self.share_closed, "changes_sign": self.changes_sign}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in {**vars(self), **pairs}.items()}


@dataclass(frozen=True)
class ComparedGrid:
    """A grid whose cells are rows of a board.

    `of` is what its table calls the cache, `called` a cluster; `tiers` are tried beside the grid's capacities, and
    `serving` is how requests are served if they wait for each other.
    """

    grid: Grid
    of: str
    called: str
    tiers: tuple[Tiers, ...] = ()
    serving: Serving | None = None

    @property
    def latency(self) -> Latency:
        """The grid's."""
        return self.grid.latency or A100_LLAMA2_7B

    def counted(self, units: Iterable[int]) -> ComparedGrid:
        """Return the comparison with its grid in tokens."""
        return replace(self, grid=replace(self.grid.counted(units), latency=self.latency))

    @property
    def _memories(self) -> tuple[Memory, ...]:
        return tuple(dict.fromkeys((*self.grid.capacities, *self.tiers)))

    @property
    def _thresholds(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.grid.thresholds))

    def plan(self, sources: Sequence[AnySource], _: Latency) -> list[Job]:
        """Return the runs, each once, and the searches for the optimum, one for each memory."""
        by_trace = {source.key: source for source in sources}
        places = product(by_trace.values(), self._memories)
        return [job for source, memory in places for job in self._jobs(source, memory)]

    def _jobs(self, source: AnySource, memory: Memory) -> Iterator[Job]:
        for policy, xis in self._asked(source).items():
            yield self._job(source, policy, memory, xis)
        marker: Any = Hindsight()
        where = source.key, source.turns, marker, tiers_of(memory).capacities[0], self.grid.forced, self.latency
        how = self._thresholds, (), self.grid.rules, self.grid.running
        yield HindsightJob(*where, *how, several(memory), self.serving is not None)

    def _job(self, source: AnySource, policy: Any, memory: Memory, xis: tuple[int, ...] = ()) -> Job:
        where, forced = (source.key, source.turns), self.grid.forced
        tiers = several(memory) or (None if self.serving is None else tiers_of(memory))
        if tiers is None:
            slos, of = tuple(sorted(self.grid.slos.items())), (self.grid.rules, self.grid.running)
            return ComparedJob(
                *where, policy, tiers_of(memory).capacities[0], forced, self.latency, xis, slos, *of
            )
        each = policy if isinstance(policy, tuple) else (policy,) * len(tiers)
        seconds = tuple((xi, self._slo(xi)) for xi in self._thresholds)
        return ComparedInTiers(*where, each, tiers, self.serving, forced, self.latency, xis, seconds)

    def _slo(self, xi: int) -> Fraction:
        found = self.grid.slos.get(xi)
        return Fraction(float(self.latency.ttft(xi))) if found is None else found

    def _policy(self, spec: Any, xi: int, source: AnySource) -> Any:
        return self.grid.build(spec, xi, lambda: source.estimate, source.unit)

    def _asked(self, source: AnySource) -> dict[Any, tuple[int, ...]]:
        """Return every policy, LRU first, with the thresholds that it is measured at."""
        found: dict[Any, tuple[int, ...]] = {LRU(): self._thresholds}
        for spec, xi in product(self.grid.policies, self._thresholds):
            one = self._policy(spec, xi, source)
            found[one] = tuple(dict.fromkeys((*found.get(one, ()), xi)))
        return found

    def cells(self, sources: Sequence[AnySource], results: Mapping[Any, Any]) -> list[BoardRow]:
        """Return the rows: by trace, memory, threshold, then policy in the order given."""
        places = product(sources, self._memories, self._thresholds)
        return [row for place in places for row in self._rows(*place, results)]

    def _rows(self, source: AnySource, memory: Memory, xi: int, results: Mapping[Any, Any]) -> list[BoardRow]:
        def at(policy: Any) -> Any:
            return results[self._job(source, policy, memory).place, xi]

        *_, hindsight = self._jobs(source, memory)
        policies = [self._policy(spec, xi, source) for spec in self.grid.policies]
        place: dict[str, Any] = {"trace": source.label, "cache": self.of, "xi": xi, "unit": source.unit}
        rows = [
            BoardRow(
                policy=spec.text, cluster=self.called, **kind_of(policy), **place, **size_of(memory, self.serving)
            )
            for spec, policy in zip(self.grid.policies, policies, strict=True)
        ]
        return beside(rows, list(map(at, policies)), at(LRU()), results[hindsight.place, xi])


def kind_of(policy: Any) -> dict[str, Any]:
    """Return the group of a policy, and whether it learns."""
    return {"group": GROUPS[looks_ahead(policy) or knows_returns(policy)], "learned": learns(policy)}


def size_of(memory: Memory, serving: Serving | None = None) -> dict[str, Any]:
    """Return memory as a row has it."""
    tiers, whole = several(memory), tiers_of(memory).pooled[-1]
    sizes = {} if tiers is None else {"tiers": tuple(tiers.capacities), "loads": tuple(map(float, tiers.loads))}
    return {"capacity": whole, "queued": serving is not None, **sizes}


def beside(rows: Sequence[BoardRow], found: Sequence[Compared], lru: Compared, sides: Beside) -> list[BoardRow]:
    """Return rows of one place with what was found, beside LRU, the optimum and each other."""
    told = sides
    if sides.upper is not None:
        plans = [one.worth.tel for one in (*found, lru) if one.worth is not None]
        told = replace(sides, upper=min([sides.upper, *plans]))
    known = [_measured(row, one, lru, told) for row, one in zip(rows, found, strict=True)]
    few = too_few(sides.clusters, rows[0].cluster)
    if few is not None:
        return [row if row.blank else replace(row, unsure=few) for row in known]
    return _standing(known, found, lru)


def _measured(row: BoardRow, one: Compared, lru: Compared, sides: Beside) -> BoardRow:
    base = lru.worth
    if one.worth is None or base is None:
        return replace(row, blank=one.reason or lru.reason, clusters=sides.clusters)
    price, gain = _change(one.worth.prefilled, base.prefilled), _change(one.worth.tel, base.tel)
    gained = None if gain is None else 0.0 - gain
    return replace(row, **vars(one.worth), lru=base.tel, price=price, gain=gained, **vars(sides))


def _change(value: int | float, base: int | float) -> float | None:
    return float(Fraction(Ratio(Fraction(value) - Fraction(base), Fraction(base)))) if base else None


def _standing(rows: Sequence[BoardRow], found: Sequence[Compared], lru: Compared) -> list[BoardRow]:
    """Return rows with the interval of their gain and where they stand among those of their group."""
    places = [place for place, one in enumerate(found) if one.worth is not None]
    if not places:
        return [*rows]
    standing = Standing([*(found[place].tels for place in places), lru.tels])
    made = list(rows)
    for at, place in enumerate(places):
        row = rows[place]
        others = [i for i, one in enumerate(places) if rows[one].group == row.group and i != at]
        worse, better, tied = standing.among(at, others)
        gain = standing.gain(at, len(places))
        made[place] = replace(
            row,
            gain_interval=(gain.low, gain.high) if row.lru else None,
            proved=not standing.above(len(places), at).holds(0),
            rank=len(worse),
            beaten_by=len(better),
            tied=tuple(rows[places[other]].policy for other in tied),
        )
    return made


def over_draws(drawn: Sequence[Sequence[BoardRow]]) -> list[BoardRow]:
    """Return the rows of the first draw with the gains that the same policy has in all of them."""
    found = []
    for same in zip(*drawn, strict=True):
        gains = [row.gain for row in same if row.gain is not None]
        ends = (min(gains), max(gains)) if len(gains) == len(same) else None
        found.append(replace(same[0], draws=len(same), gains=ends))
    return found


def blanks(label: str, of: str, grid: Grid, tiers: Sequence[Tiers], reason: str) -> list[BoardRow]:
    """Return rows of a cache that the requests have no meaning for."""
    grid, memories = replace(grid, latency=grid.latency or A100_LLAMA2_7B), (*grid.capacities, *tiers)
    return [
        BoardRow(trace=label, cache=of, xi=xi, policy=spec.text, blank=reason, **size_of(memory), **kind)
        for memory, xi, spec in product(memories, grid.thresholds, grid.policies)
        for kind in [kind_of(grid.build(spec, xi, int))]
    ]


def requests_in(requests: Any, cache: str) -> Any:
    """Return what of a trace or a forest is replayed in a cache, None where it has no meaning."""
    if cache == CONVERSATIONS:
        return None if requests.shared else requests
    return requests if requests.shared else requests.forest
