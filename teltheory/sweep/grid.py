"""What is swept, the replays that this takes, and the cells that come of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from teltheory.cost.given import Model, Units
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import share_closed
from teltheory.errors import ArgumentError, listed
from teltheory.model.forest import Forest
from teltheory.model.numbers import Ratio
from teltheory.model.units import is_time, read_time
from teltheory.optimal.curve import hindsight_curve
from teltheory.policies.clairvoyant import TailOptimizedBelady
from teltheory.policies.online import LRU
from teltheory.policies.policy import Policy
from teltheory.policies.spec import DEFAULT_CUTOFF, AtHand, Spec, as_spec, in_blocks, parse_policy
from teltheory.replay.engine_rules import Rules
from teltheory.sweep.jobs import Measurement, ReplayJob
from teltheory.sweep.sources import AnySource, ForestAtHand


def is_own(spec: Any) -> bool:
    """Whether a policy stands there itself, in the unit of the requests: neither its short form nor its class."""
    inner = getattr(spec, "spec", spec)
    return isinstance(inner, AtHand) and not isinstance(inner.policy, type)


def listed_in(grid: Any, *names: str) -> None:
    """Raise `ArgumentError` for a field of a grid that has one value in the place of a sequence."""
    for name in names:
        if isinstance(getattr(grid, name), str) or not hasattr(getattr(grid, name), "__len__"):
            raise ArgumentError(name, getattr(grid, name), "a list of them")


def thresholds_in_tokens(grid: Any, units: Units) -> dict[str, Any]:
    """Return the thresholds of a grid, in tokens, and the TTFT that those stand for that are times."""
    times = [one for one in grid.thresholds if isinstance(one, str) and is_time(one)]
    given = {units.xi(xi, "slos"): seconds for xi, seconds in dict(grid.slos).items()}
    return {
        "thresholds": tuple(units.xi(one, "thresholds") for one in grid.thresholds),
        "slos": {units.xi(one, "thresholds"): read_time("thresholds", one) for one in times} | given,
    }


def fillers(grid: Any, units: Units) -> dict[str, int | None]:
    """Return what fills in where a policy has none of its own, in tokens: the prompt estimate and the cutoff."""
    q_hat = None if grid.q_hat is None else units.estimate(grid.q_hat)
    return {"q_hat": q_hat, "cutoff": DEFAULT_CUTOFF if grid.cutoff is None else units.xi(grid.cutoff, "cutoff")}


def one_unit(grid: Any, units: Iterable[int]) -> int:
    """Return the unit of tokens that all bare numbers of a grid count; any if it has none."""
    found = set(units) or {1}
    sizes = [one for place in getattr(grid, "tiers", ()) for one in place.capacities]
    bare = (*sizes, *getattr(grid, "capacities", ()), *grid.thresholds, grid.q_hat, grid.cutoff)
    numbers = [one for one in bare if one is not None and not isinstance(one, str)]
    if len(found) > 1 and numbers:
        several = listed([f"{unit:,}" for unit in sorted(found)])
        raise ArgumentError("grid", numbers[0], f"text, in tokens, of requests in blocks of {several} tokens")
    return min(found)


Results: TypeAlias = Mapping[Any, Measurement]
"""Measurements by the place of their job, and threshold."""


@dataclass(frozen=True)
class Grid:
    """What is swept.

    A bare number is in the unit of what is swept: blocks of a forest. Text is in tokens, and becomes blocks as
    `Trace.to_blocks` says: capacities, thresholds and cutoffs are rounded down, prompt estimates up. So do numbers
    in the text of a policy; a policy object is in the unit of what is swept. Forests in blocks of several sizes
    have no unit together: they take text alone.

    Attributes
    ----------
    policies : sequence of str, policy, class of a policy, or Spec
        Policies in their short form; the threshold of a cell fills in if one is left out. One may name rules of
        its own. A custom policy is a frozen dataclass; of a class xi, q_hat and cutoff are filled in.
    capacities, thresholds : sequence of int or str
        Capacities and thresholds; as text such as ``"300k"`` tokens, ``"40GiB"``, or a threshold ``"200ms"``.
    q_hat : int, str or None
        Prompt estimate where a policy has none of its own; None for each trace's own, the mean prompt of the turns
        that continue a conversation, rounded up.
    cutoff : int, str or None
        Cutoff of Threshold-LRU where it has none of its own; None for 1,024 tokens.
    forced : bool
        Forced caching.
    slos : mapping of int to Fraction
        Thresholds that stand for a TTFT, with its seconds: a turn violates such a one if its TTFT is above it.
    latency : Latency or None
        For policies that take an SLO in seconds, and thresholds in seconds; the model's if left out.
    rules : Rules or str
        Of forests, what their cache does.
    running : int
        Of forests under forced caching: requests that run at the same time.
    model : str, path, Architecture, KVSize or None
        Whose bytes and times they are, where text has them.
    in_tokens : bool
        Whether bare numbers are tokens, as on the command line.
    """

    policies: Sequence[Any]
    capacities: Sequence[Any]
    thresholds: Sequence[Any]
    q_hat: Any = None
    cutoff: Any = None
    forced: bool = False
    slos: Mapping[int, Fraction] = field(default_factory=dict)
    latency: Latency | None = None
    rules: Any = "strict"
    running: int = 1
    model: Model | None = None
    in_tokens: bool = False

    def __post_init__(self) -> None:
        listed_in(self, "policies", "capacities", "thresholds")
        latency = Units(1, self.model, self.latency).own_latency
        specs = tuple(as_spec(one, parse_policy) for one in self.policies)
        read: dict[str, Any] = {"policies": specs, "latency": latency, "rules": Rules.of(self.rules)}
        found = self._tokens(1)
        for name, value in (read | found if self.in_tokens else read).items():
            object.__setattr__(self, name, value)

    def counted(self, units: Iterable[int]) -> Grid:
        """Return the grid in tokens, for requests in these units of tokens."""
        return self if self.in_tokens else replace(self, **self._tokens(one_unit(self, units)), in_tokens=True)

    def _tokens(self, unit: int) -> dict[str, Any]:
        units = Units.in_tokens(unit, self.model, self.latency)
        sizes = tuple(units.capacity(one, "capacities") for one in self.capacities)
        return {"capacities": sizes, **thresholds_in_tokens(self, units), **fillers(self, units)}

    def build(self, spec: Spec, xi: int, estimate: Callable[[], int], unit: int = 1) -> Policy:
        """Make a policy for a threshold; `estimate` is asked if the grid has no prompt estimate.

        `unit` is the number of tokens per block that the policy counts.
        """
        q_hat = estimate() if self.q_hat is None else self.q_hat
        made = spec.build(xi, q_hat, self.cutoff, self.latency, self.slos.get(xi))
        policy: Policy = made if is_own(spec) else in_blocks(made, unit)
        return policy

    def rules_of(self, spec: Spec) -> Rules:
        """Return the rules of the cache that a policy has: its own if it names some."""
        return Rules.of(getattr(spec, "rules", None) or self.rules)

    def plan(self, sources: Sequence[AnySource], latency: Latency) -> list[ReplayJob]:
        """Return the replays that the grid takes; see `plan`."""
        return plan(sources, self, latency)

    def cells(self, sources: Sequence[AnySource], results: Results) -> list[Cell]:
        """Return the cells, given what the replays found."""
        return cells(sources, self, results)

    @property
    def pins(self) -> bool:
        """Whether every replay has forced caching, be it by its cache; the optimum of a forest has it then too."""
        return self.forced or all(one.references for one in (self.rules, *map(self.rules_of, self.policies)))


@dataclass(frozen=True, kw_only=True)
class Cell(Measurement):
    """One policy at one capacity and threshold, with the TEL of LRU and of the optimum there.

    `trace` is the label of the trace if several are swept. The optimum of a forest is that of a cache whose blocks
    may outlive their parents (``cache="holes"``): no cache has less. What LRU cost, `lru_p50` and `lru_prefilled`,
    is no column of its own: LRU's own cell has it.
    """

    capacity: int
    xi: int
    policy: str
    lru: int
    optimum: int
    trace: str | None = None
    lru_p50: float | None = None
    lru_prefilled: int = 0

    @property
    def regret(self) -> int:
        """TEL above the hindsight optimum."""
        return self.tel - self.optimum

    @property
    def change(self) -> Fraction | None:
        """Relative change of TEL against LRU; None if LRU has none."""
        return Ratio(self.tel - self.lru, self.lru) if self.lru else None

    @property
    def closed(self) -> Fraction | None:
        """Share of LRU's distance to the optimum that is closed; None if there is no distance."""
        return share_closed(self.lru, self.tel, self.optimum)

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as plain data, the trace's label first if there is one."""
        plain = super().as_dict()
        place = {name: plain.pop(name) for name in ("trace", "capacity", "xi", "policy")}
        del plain["lru_p50"], plain["lru_prefilled"]
        if self.trace is None:
            del place["trace"]
        derived = {"regret": self.regret, "change": _number(self.change), "share_closed": _number(self.closed)}
        return {**place, **plain, **derived}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def plan(sources: Sequence[AnySource], grid: Grid, latency: Latency) -> list[ReplayJob]:
    """Return the replays that a grid takes, each once: trace outermost, then capacity, LRU first, optima last.

    A policy that does not depend on the threshold is replayed once a capacity, a trace with two labels once.
    """
    slos = tuple(sorted(grid.slos.items()))
    by_trace = {source.key: source for source in sources}
    return [
        ReplayJob(key, source.turns, policy, capacity, grid.forced, latency, thresholds, slos, rules, grid.running)
        for key, source in by_trace.items()
        for replayed in [_replayed(grid, source)]
        for capacity in dict.fromkeys(grid.capacities)
        for (policy, rules), thresholds in replayed.items()
    ]


Replayed: TypeAlias = tuple[Policy, Rules]
"""A policy and the rules of its cache."""


def _replayed(grid: Grid, source: AnySource) -> dict[Replayed, tuple[int, ...]]:
    """Return every policy that a trace is replayed under, with the thresholds it is measured at."""
    thresholds = tuple(dict.fromkeys(grid.thresholds))
    found: dict[Replayed, tuple[int, ...]] = {_lru(grid, source): thresholds}
    asked = [(_asked(grid, spec, xi, source), xi) for spec in grid.policies for xi in thresholds]
    for one, xi in (*asked, *((_optimum(xi), xi) for xi in thresholds if not source.shared)):
        found[one] = tuple(dict.fromkeys((*found.get(one, ()), xi)))
    return found


def _lru(grid: Grid, source: AnySource) -> Replayed:
    return LRU(), grid.rules


def _asked(grid: Grid, spec: Spec, xi: int, source: AnySource) -> Replayed:
    policy = grid.build(spec, xi, lambda: source.estimate, source.unit)
    return policy, grid.rules_of(spec)


def _optimum(xi: int) -> Replayed:
    """Return what reaches the hindsight optimum of private conversations."""
    return TailOptimizedBelady(xi), Rules()


def cells(sources: Sequence[AnySource], grid: Grid, results: Results) -> list[Cell]:
    """Return the cells: by trace, then capacity, then threshold, then policy, in the order given."""
    return [
        _cell(source, spec, asked, at, grid, results, optimum, source.label if len(sources) > 1 else None)
        for source in sources
        for every in [{xi: [_asked(grid, spec, xi, source) for spec in grid.policies] for xi in grid.thresholds}]
        for at, optimum in _optima(source, grid, results)
        for spec, asked in zip(grid.policies, every[at[1]], strict=True)
    ]


def _optima(source: AnySource, grid: Grid, results: Results) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield each capacity and threshold with the optimum there; that of a forest takes no replay."""
    requests = source.load() if isinstance(source, ForestAtHand) else None
    for capacity, xi in product(grid.capacities, grid.thresholds):
        if requests is None:
            yield (capacity, xi), results[(source.key, *_optimum(xi), capacity), xi].tel
        else:
            yield (capacity, xi), _least_tel(requests, capacity, xi, grid)


def _least_tel(forest: Forest, capacity: int, xi: int, grid: Grid) -> int:
    """Return the optimum of a forest where blocks may outlive their parents, as no cache has less."""
    room, size = capacity // forest.block_size, forest.block_size
    (found,) = hindsight_curve(forest, xi // size, room, room, forced=grid.pins, running=grid.running).tangents
    return found.objective


def _cell(
    source: AnySource,
    spec: Spec,
    asked: Replayed,
    place: tuple[int, int],
    grid: Grid,
    results: Results,
    optimum: int,
    label: str | None,
) -> Cell:
    capacity, xi = place

    def at(replayed: Replayed) -> Measurement:
        return results[(source.key, *replayed, capacity), xi]

    worth, lru = at(asked), at(_lru(grid, source))
    return Cell(
        **vars(worth),
        capacity=capacity,
        xi=xi,
        policy=spec.text,
        lru=lru.tel,
        optimum=optimum,
        trace=label,
        lru_p50=lru.p50,
        lru_prefilled=lru.prefilled,
    )
