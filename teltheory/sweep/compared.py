"""A comparison: policies at every capacity and threshold of a cache, each beside LRU and the optimum's two sides.

It is a sweep (`teltheory.sweep.sweep`) whose cells are rows of a board. Where the sides of the optimum differ,
regret and the share closed are intervals. Any policy's replay is a plan, so the least TEL of all rows of a place
lowers the upper side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from teltheory.cost.latency import Latency
from teltheory.cost.metrics import share_closed
from teltheory.cost.standing import Standing, too_few
from teltheory.model.numbers import Ratio
from teltheory.policies.future import looks_ahead
from teltheory.policies.online import LRU
from teltheory.policies.spec import Spec
from teltheory.sweep.compared_jobs import Beside, Compared, ComparedJob, Hindsight, HindsightJob
from teltheory.sweep.grid import Grid, Replayed
from teltheory.sweep.sources import AnySource

CONVERSATIONS = "conversations"
CACHES = (CONVERSATIONS, "strict", "holes")
GROUPS = ("online", "clairvoyant")
Interval = tuple[float, float] | None
_MEASURED = ("p50", "p95", "p99", "hit_rate", "prefilled", "violations", "tel")


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    """One policy in one cache at one capacity and threshold; without numbers where `blank` says why.

    Attributes
    ----------
    trace, cache, capacity, xi, policy : str, str, int, int, str
        Its place; capacity and threshold in tokens.
    group : {"online", "clairvoyant"}
        Whether the policy looks at later turns.
    p50, p95, p99 : float or None
        Percentiles of TTFT, seconds.
    hit_rate, prefilled, violations, tel : float, int, int, int, or None
        As in `Measurement`; TEL is in units of `unit` tokens.
    lru, lower, upper : int or None
        TEL of LRU, and between what the least TEL of any policy lies.
    price : float or None
        Change of the tokens computed, against LRU.
    gain : float or None
        By which share of LRU's TEL the policy is below it; `gain_interval` has its 95 % interval.
    rank : int or None
        How many policies of its group are proved worse; `tied` has the names of those whose difference may be 0.
    cluster, clusters : str, int
        What is drawn for intervals, and how many there are. `unsure` says why there is no interval.
    """

    trace: str
    cache: str
    capacity: int
    xi: int
    policy: str
    group: str
    unit: int = 1
    blank: str | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    hit_rate: float | None = None
    prefilled: int | None = None
    violations: int | None = None
    tel: int | None = None
    lru: int | None = None
    lower: int | None = None
    upper: int | None = None
    price: float | None = None
    gain: float | None = None
    gain_interval: Interval = None
    rank: int | None = None
    tied: tuple[str, ...] = ()
    cluster: str = ""
    clusters: int = 0
    unsure: str | None = None

    @property
    def regret(self) -> tuple[int, int] | None:
        """Least and most TEL above the optimum."""
        if self.tel is None or self.lower is None or self.upper is None:
            return None
        return self.tel - self.upper, self.tel - self.lower

    @property
    def share_closed(self) -> Interval:
        """Least and greatest share of LRU's distance to the optimum that is closed; None if there may be none."""
        if self.tel is None or self.lru is None or self.lower is None or self.upper is None:
            return None
        one, other = (share_closed(self.lru, self.tel, side) for side in (self.lower, self.upper))
        return None if one is None or other is None else (float(min(one, other)), float(max(one, other)))

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        pairs = {"regret": self.regret, "share_closed": self.share_closed}
        plain = {**vars(self), **pairs, "tied": list(self.tied)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


@dataclass(frozen=True)
class ComparedGrid:
    """A grid whose cells are rows of a board; `of` is what its table calls the cache, `cluster` what is drawn."""

    grid: Grid
    of: str
    cluster: str

    @property
    def latency(self) -> Latency | None:
        """The grid's."""
        return self.grid.latency

    def counted(self, units: Iterable[int]) -> ComparedGrid:
        """Return the comparison with its grid in tokens."""
        return replace(self, grid=self.grid.counted(units))

    def plan(self, sources: Sequence[AnySource], latency: Latency) -> list[ComparedJob | HindsightJob]:
        """Return the replays, each once, and the searches for the optimum, one a capacity."""
        grid, slos = self.grid, tuple(sorted(self.grid.slos.items()))
        found: list[ComparedJob | HindsightJob] = []
        by_trace = {source.key: source for source in sources}
        for source, capacity in product(by_trace.values(), dict.fromkeys(grid.capacities)):
            where = {"trace": source.key, "turns": source.turns, "capacity": capacity, "forced": grid.forced}
            how: Any = where | {"latency": latency, "slos": slos, "running": grid.running}
            replayed = self._replayed(source).items()
            found += [
                ComparedJob(policy=one, rules=rules, thresholds=xis, **how) for (one, rules), xis in replayed
            ]
            best, rules = self._best
            found.append(HindsightJob(policy=best, rules=rules, thresholds=self._thresholds, **how))
        return found

    @property
    def _thresholds(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.grid.thresholds))

    @property
    def _best(self) -> Replayed:
        marker: Any = Hindsight()
        return marker, self.grid.rules

    @property
    def _lru(self) -> Replayed:
        return LRU(), self.grid.rules

    def _asked(self, spec: Spec, xi: int, source: AnySource) -> Replayed:
        policy = self.grid.build(spec, xi, lambda: source.estimate, source.unit)
        return policy, self.grid.rules

    def _replayed(self, source: AnySource) -> dict[Replayed, tuple[int, ...]]:
        """Return every policy, LRU first, with the thresholds that it is measured at."""
        found: dict[Replayed, tuple[int, ...]] = {self._lru: self._thresholds}
        for spec, xi in product(self.grid.policies, self._thresholds):
            one = self._asked(spec, xi, source)
            found[one] = tuple(dict.fromkeys((*found.get(one, ()), xi)))
        return found

    def cells(self, sources: Sequence[AnySource], results: Mapping[Any, Any]) -> list[BoardRow]:
        """Return the rows: by trace, capacity, threshold, then policy in the order given."""
        places = product(sources, self.grid.capacities, self.grid.thresholds)
        return [row for source, capacity, xi in places for row in self._rows(source, capacity, xi, results)]

    def _rows(self, source: AnySource, capacity: int, xi: int, results: Mapping[Any, Any]) -> list[BoardRow]:
        def at(replayed: Replayed) -> Any:
            return results[(source.key, *replayed, capacity), xi]

        place: dict[str, Any] = {
            "trace": source.label,
            "cache": self.of,
            "capacity": capacity,
            "xi": xi,
            "unit": source.unit,
        }
        asked = [self._asked(spec, xi, source) for spec in self.grid.policies]
        rows = [
            BoardRow(policy=spec.text, group=GROUPS[looks_ahead(policy)], cluster=self.cluster, **place)
            for spec, (policy, _) in zip(self.grid.policies, asked, strict=True)
        ]
        return beside(rows, [at(one) for one in asked], at(self._lru), at(self._best))


def beside(rows: Sequence[BoardRow], found: Sequence[Compared], lru: Compared, sides: Beside) -> list[BoardRow]:
    """Return rows of one place with what was found, beside LRU, the optimum and each other."""
    upper = min([sides.upper, *(one.worth.tel for one in (*found, lru) if one.worth is not None)])
    told = replace(sides, upper=upper)
    known = [_measured(row, one, lru, told) for row, one in zip(rows, found, strict=True)]
    few = too_few(sides.clusters, rows[0].cluster)
    if few is not None:
        return [row if row.blank else replace(row, unsure=few) for row in known]
    return _standing(known, found, lru)


def _measured(row: BoardRow, one: Compared, lru: Compared, sides: Beside) -> BoardRow:
    base = lru.worth
    if one.worth is None or base is None:
        return replace(row, blank=one.reason or lru.reason, clusters=sides.clusters)
    measured = {name: getattr(one.worth, name) for name in _MEASURED}
    price, gain = _change(one.worth.prefilled, base.prefilled), _change(one.worth.tel, base.tel)
    gained = None if gain is None else 0.0 - gain
    return replace(row, **measured, lru=base.tel, price=price, gain=gained, **vars(sides))


def _change(value: int, base: int) -> float | None:
    return float(Fraction(Ratio(value - base, base))) if base else None


def _standing(rows: Sequence[BoardRow], found: Sequence[Compared], lru: Compared) -> list[BoardRow]:
    """Return rows with the interval of their gain and their rank among those of their group."""
    places = [place for place, one in enumerate(found) if one.worth is not None]
    if not places:
        return [*rows]
    standing = Standing([*(found[place].tels for place in places), lru.tels])
    made = list(rows)
    for at, place in enumerate(places):
        row = rows[place]
        others = [i for i, one in enumerate(places) if rows[one].group == row.group]
        tied = tuple(rows[places[other]].policy for other in standing.tied(at, others))
        below = standing.above(len(places), at)
        gained = (below.low / row.lru, below.high / row.lru) if row.lru else None
        made[place] = replace(row, gain_interval=gained, rank=standing.rank(at, others), tied=tied)
    return made


def blanks(label: str, of: str, grid: Grid, reason: str) -> list[BoardRow]:
    """Return rows of a cache that the requests have no meaning for."""
    return [
        BoardRow(trace=label, cache=of, capacity=capacity, xi=xi, policy=spec.text, group=group, blank=reason)
        for capacity, xi, spec in product(grid.capacities, grid.thresholds, grid.policies)
        for group in [GROUPS[looks_ahead(grid.build(spec, xi, int))]]
    ]


def requests_in(requests: Any, cache: str) -> Any:
    """Return what of a trace or a forest is replayed in a cache, None where it has no meaning."""
    if cache == CONVERSATIONS:
        return None if requests.shared else requests
    return requests if requests.shared else requests.forest
