"""Policies in tiers of memory, on an idle server or on replicas with queues: what is swept, and the cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from teltheory.cost.given import Model, Units
from teltheory.cost.latency import Latency
from teltheory.cost.metrics import share_closed
from teltheory.model.tiers import Tiers
from teltheory.optimal import hindsight_optimum
from teltheory.policies.online import LRU
from teltheory.policies.policy import Policy
from teltheory.policies.spec import AnySpec, as_spec, in_blocks, parse_policies
from teltheory.serving.idle import pooled_tiers
from teltheory.serving.serve import Serving
from teltheory.sweep.grid import fillers, is_own, listed_in, one_unit, thresholds_in_tokens
from teltheory.sweep.served_jobs import ServedJob, ServedMeasurement
from teltheory.sweep.sources import AnySource


@dataclass(frozen=True)
class ServedGrid:
    """What is swept; a bare number is in the unit of what is swept, text in tokens, as in `Grid`.

    Attributes
    ----------
    policies : sequence of str, policy, class of a policy, Spec or SpecOfEach
        Policies in their short form, for all tiers or one for each; the threshold of a cell fills in if
        one is left out.
    tiers : sequence of Tiers
        Tiers of memory.
    servings : sequence of Serving or None
        Replicas, routers and arrivals; None is an idle server, on which nobody waits.
    thresholds : sequence of int or str
        Thresholds of TEL, such as 2800 or ``"200ms"``.
    slos : mapping of int to Fraction
        The TTFT that a threshold stands for, in seconds; if it has none, that of so many uncached tokens.
    q_hat : int, str or None
        Prompt estimate where a policy has none of its own; None for each trace's own.
    cutoff : int, str or None
        Cutoff of Threshold-LRU where it has none of its own; None for 1,024 tokens.
    forced : bool
        Forced caching.
    latency : Latency or None
        For policies that take an SLO in seconds, or a threshold as a time.
    bounded : bool
        Whether cells have the least TEL that no policy is below, of all replicas' memory in one pool; those of a
        shared store have none.
    model : str, path, Architecture, KVSize or None
        Whose bytes and times they are, where text has them.
    in_tokens : bool
        Whether bare numbers are tokens, as on the command line.
    """

    policies: Sequence[Any]
    tiers: Sequence[Tiers]
    servings: Sequence[Serving | None]
    thresholds: Sequence[Any]
    slos: Mapping[int, Fraction] = field(default_factory=dict)
    q_hat: Any = None
    cutoff: Any = None
    forced: bool = False
    latency: Latency | None = None
    bounded: bool = True
    model: Model | None = None
    in_tokens: bool = False

    def __post_init__(self) -> None:
        listed_in(self, "policies", "tiers", "servings", "thresholds")
        read = tuple(as_spec(one, parse_policies) for one in self.policies)
        object.__setattr__(self, "policies", read)
        found = self._tokens(1)
        for name, value in found.items() if self.in_tokens else ():
            object.__setattr__(self, name, value)

    def counted(self, units: Iterable[int]) -> ServedGrid:
        """Return the grid in tokens, for requests in these units of tokens."""
        return self if self.in_tokens else replace(self, **self._tokens(one_unit(self, units)), in_tokens=True)

    def _tokens(self, unit: int) -> dict[str, Any]:
        units = Units.in_tokens(unit, self.model, self.latency)
        return {
            "tiers": tuple(units.memory(place) for place in self.tiers),
            **thresholds_in_tokens(self, units),
            **fillers(self, units),
        }

    def build(self, spec: AnySpec, xi: int, source: AnySource, tiers: Tiers) -> tuple[Policy, ...]:
        """Make a policy for each tier."""
        q_hat = source.estimate if self.q_hat is None else self.q_hat
        made = spec.build(xi, q_hat, self.cutoff, self.latency, self.slos.get(xi))
        built = made if is_own(spec) else in_blocks(made, source.unit)
        return built if isinstance(built, tuple) else (built,) * len(tiers)

    def slo(self, xi: int, latency: Latency) -> Fraction:
        """Return a threshold in seconds."""
        return self.slos[xi] if xi in self.slos else Fraction(float(latency.ttft(xi)))

    def plan(self, sources: Sequence[AnySource], latency: Latency) -> list[ServedJob]:
        """Return the jobs that the grid takes, each once: trace, tiers, server, LRU first."""
        by_trace = {source.key: source for source in sources}
        slos = {xi: self.slo(xi, latency) for xi in self.thresholds}
        return [
            ServedJob(key, source.turns, policy, tiers, serving, self.forced, latency, xis, tuple(slos.items()))
            for key, source in by_trace.items()
            for tiers, serving in self._places()
            for policy, xis in self._asked(source, tiers).items()
        ]

    def _places(self) -> Iterator[tuple[Tiers, Serving | None]]:
        return product(dict.fromkeys(self.tiers), dict.fromkeys(self.servings))

    def _asked(self, source: AnySource, tiers: Tiers) -> dict[tuple[Policy, ...], tuple[int, ...]]:
        """Return every policy that a trace is served under, with the thresholds it is measured at."""
        thresholds = tuple(dict.fromkeys(self.thresholds))
        found: dict[tuple[Policy, ...], tuple[int, ...]] = {(LRU(),) * len(tiers): thresholds}
        for spec, xi in product(self.policies, thresholds):
            policy = self.build(spec, xi, source, tiers)
            found[policy] = tuple(dict.fromkeys((*found.get(policy, ()), xi)))
        return found

    def cells(self, sources: Sequence[AnySource], results: Mapping[Any, ServedMeasurement]) -> list[ServedCell]:
        """Return the cells, given what the jobs found."""
        known: dict[tuple[str, Tiers, int], Fraction] = {}
        return [
            self._cell(
                source, tiers, serving, xi, spec, results, optimum, source.label if len(sources) > 1 else None
            )
            for source in sources
            for tiers, serving in self._places()
            for xi, optimum in self._optima(source, tiers, serving, known)
            for spec in self.policies
        ]

    def _optima(
        self,
        source: AnySource,
        tiers: Tiers,
        serving: Serving | None,
        known: dict[tuple[str, Tiers, int], Fraction],
    ) -> Iterator[tuple[int, Fraction | None]]:
        """Yield each threshold with the lower side there; `known` has what routers and loads share."""
        requests, all_memory = source.load(), pooled_tiers(tiers, serving.replicas if serving else 1)
        for xi in self.thresholds:
            if self.bounded and not (serving and serving.shared):
                size, place = requests.block_size, (source.key, all_memory, xi)
                if place not in known:
                    known[place] = hindsight_optimum(requests, all_memory.in_blocks(size), xi // size).lower
                yield xi, known[place]
            else:
                yield xi, None

    def _cell(
        self,
        source: AnySource,
        tiers: Tiers,
        serving: Serving | None,
        xi: int,
        spec: AnySpec,
        results: Mapping[Any, ServedMeasurement],
        optimum: Fraction | None,
        label: str | None,
    ) -> ServedCell:
        def at(policy: tuple[Policy, ...]) -> ServedMeasurement:
            return results[(source.key, policy, tiers, serving), xi]

        lru, found = at((LRU(),) * len(tiers)), at(self.build(spec, xi, source, tiers))
        return ServedCell(
            **vars(found),
            tiers=tiers,
            serving=serving,
            xi=xi,
            policy=spec.text,
            lru=lru.tel,
            lru_seconds=lru.tail_seconds,
            optimum=optimum,
            trace=label,
            lru_p50=lru.p50,
            lru_prefilled=lru.prefilled,
        )


@dataclass(frozen=True, kw_only=True)
class ServedCell(ServedMeasurement):
    """One policy in tiers, on an idle server or on replicas, at one threshold, beside LRU's TEL there.

    `optimum` is a certified lower side of TEL: no policy in these tiers is below it, and with replicas no router
    either, as it is that of all their memory in one pool. None of a shared store: a request finds what is
    finished when it starts, so that of those that arrive together more may find their past than fit at once.
    """

    tiers: Tiers
    serving: Serving | None
    xi: int
    policy: str
    lru: Fraction
    lru_seconds: float
    optimum: Fraction | None
    trace: str | None = None
    lru_p50: float | None = None
    lru_prefilled: int = 0

    @property
    def change(self) -> Fraction | None:
        """Relative change of TEL against LRU; None if LRU has none."""
        return (self.tel - self.lru) / self.lru if self.lru else None

    @property
    def change_in_seconds(self) -> float | None:
        """The same of TEL in seconds."""
        return (self.tail_seconds - self.lru_seconds) / self.lru_seconds if self.lru_seconds else None

    @property
    def closed(self) -> Fraction | None:
        """Share of LRU's distance to the lower side that is closed; None if there is no distance."""
        return None if self.optimum is None else share_closed(self.lru, self.tel, self.optimum)

    def as_dict(self) -> dict[str, Any]:
        """Return the cell as plain data; TEL and its bounds are numbers."""
        plain = super().as_dict()
        for name in ("trace", "tiers", "serving", "xi", "policy", "lru", "optimum", "lru_p50", "lru_prefilled"):
            plain.pop(name)
        trace = {} if self.trace is None else {"trace": self.trace}
        served = self.serving and _served(self.serving)
        place = {**trace, "tiers": self.tiers.as_dict(), "serving": served, "xi": self.xi, "policy": self.policy}
        sums = {name: _number(getattr(self, name)) for name in ("tel", "lru", "optimum")}
        derived = {"tail_seconds": self.tail_seconds, "change": _number(self.change)}
        return {**place, **plain, **sums, **derived, "share_closed": _number(self.closed)}


def router_text(serving: Serving) -> str:
    """Return a router's name, or the value that routes."""
    return serving.router if isinstance(serving.router, str) else repr(serving.router)


def _served(serving: Serving) -> dict[str, Any]:
    """Return servers as plain data; what is no number and no name is text."""
    plain = {name: value if isinstance(value, int | str) else repr(value) for name, value in vars(serving).items()}
    return plain | {"stretch": float(serving.stretch), "batching": serving.batching and repr(serving.batching)}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
