"""The price list of information: what each hint is worth on a trace, in a memory, at a threshold.

A hint's worth is the TEL that it saves, and its share of LRU's distance to the optimum. By five kinds:

1. *achieved*: every subset of the hints and of the policy itself is replayed. Of each there is what it saves
   alone, beside all others (last), the least and the most beside any of the others, and the mean over all orders
   in which they may come (Shapley): exact, as fractions.
2. *family*: a constant in the place of what is announced, the best one in hindsight.
3. *misprediction*: hints that are late, missing, wrong or noisy.
4. *learnt*: what can be told of the past alone, by why responses end: when agents come back, and are over.
5. *perfect*: what the future would say: the optimum, blocks that are never read again, returns within a horizon.

Several draws of what is assumed of a trace are pooled: TEL and distances are summed before they are divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from teltheory.cost.given import LatencyGiven, Model, latency_of
from teltheory.errors import ArgumentError
from teltheory.model.announced import LEARNT as SO_FAR
from teltheory.model.announcement import Announcement
from teltheory.model.display import percent
from teltheory.model.hints import CLOSE, RESUME, RETAIN
from teltheory.model.tables import Tabular
from teltheory.model.tiers import several
from teltheory.policies.hinted import Hint
from teltheory.policies.spec import as_spec, parse_policy
from teltheory.sweep.board import by_draw, check_lists, refuse_hints
from teltheory.sweep.cells import columns_of
from teltheory.sweep.compared import BoardRow
from teltheory.sweep.constants import IDLE
from teltheory.sweep.grid import Grid
from teltheory.sweep.hinting import ALL, HINTS, HintedSpec, Use, called, read_use
from teltheory.sweep.marginals import Distance, Marginal, Pair, ends, floats, marginals, mean, share, subsets

KINDS = ACHIEVED, FAMILY, MISTAKEN, LEARNT, PERFECT = ("achieved", "family", "misprediction", "learnt", "perfect")
OPTIMUM = "the optimum"
LATE = (60, 300, 1800)
SHARES = (0.1, 0.5)
ERRORS = (0.5, 1.0)
HORIZONS = (60, 300, 1800)
LEARNT_ORDER = "return-aware"
"""The policy that learns who returns without any hint."""
FINISHED = "end_turn"
"""Why a response ends that an agent's last one usually is, where stop reasons are recorded."""
MARGINALS = ("alone", "last", "least", "most", "mean")
NO_THRESHOLD = 10**15
SEEDS, MOST = 5, 64


@dataclass(frozen=True)
class Wanted:
    """What stands in the list: its kind, its name, and what is replayed, once for each seed."""

    kind: str
    name: str
    specs: tuple[Any, ...]


@dataclass(frozen=True)
class Pricing:
    """What a price list is of: LRU and a policy, the hints, and what is announced of them.

    `seeds` are those of what is drawn in a misprediction, `most` the constants of a family that are tried.
    """

    policy: Any
    hints: Use
    announced: Announcement
    seeds: int = SEEDS
    most: int = MOST

    @property
    def lru(self) -> Any:
        """LRU, which every list has beside the policy."""
        return parse_policy("lru")

    @property
    def players(self) -> tuple[str, ...]:
        """The hints, then the policy, by name."""
        return (*map(called, self.hints), self.policy.text)

    def wanted(self) -> list[Wanted]:
        """Return all that is replayed for the list."""
        every = [*self._achieved(), *self._families(), *self._mistaken(), *self._learnt(), *self._perfect()]
        listed = {*map(called, self.hints)}
        return [one for one in every if {*map(called, getattr(one.specs[0], "use", ()))} <= listed]

    @property
    def specs(self) -> list[Any]:
        """All specs of the list, each once."""
        return list(dict.fromkeys(spec for one in self.wanted() for spec in one.specs))

    def _spec(self, policy: Any, use: Use, **changed: Any) -> HintedSpec:
        return HintedSpec(policy, use, replace(self.announced, **changed))

    def of_set(self, players: Iterable[str]) -> HintedSpec:
        """Return what is replayed for a set of hints and the policy."""
        there = {*players}
        use = tuple(hint for hint in self.hints if called(hint) in there)
        return self._spec(self.policy if self.policy.text in there else self.lru, use)

    def _achieved(self) -> Iterator[Wanted]:
        for last in ((), (self.policy.text,)):
            for some in subsets(self.players[:-1]):
                spec = self.of_set((*some, *last))
                yield Wanted(ACHIEVED, spec.text, (spec,))

    def _families(self) -> Iterator[Wanted]:
        for policy in (self.lru, self.policy):
            for name, use, family in (
                (f"{RETAIN}, one time for all", (RETAIN,), RETAIN),
                (f"{CLOSE}, once idle", (CLOSE,), IDLE),
                (f"{CLOSE} + {RESUME}, one wait for all", (CLOSE, RESUME), RESUME),
            ):
                spec = replace(self._spec(policy, use), family=family, most=self.most)
                yield Wanted(FAMILY, f"{policy.text} + {name}", (spec,))

    def _mistaken(self) -> Iterator[Wanted]:
        def one(words: str, use: Use, drawn: bool = False, **changed: Any) -> Wanted:
            seeds = range(self.seeds if drawn else 1)
            specs = tuple(self._spec(self.policy, use, **changed, seed=self.announced.seed + s) for s in seeds)
            return Wanted(MISTAKEN, f"{specs[0].text}, {words}", specs)

        yield from (one(f"{delay} s late", (CLOSE,), delay=delay) for delay in LATE)
        yield one(f"after {FINISHED} alone", (CLOSE,), stop=FINISHED)
        for part in SHARES:
            yield one(f"{percent(part)} missing", (CLOSE,), True, missing=part)
            yield one(f"{percent(part)} too early too", (CLOSE,), True, wrong=part)
        yield from (one(f"error {e:g}", (CLOSE, RESUME), True, error=e) for e in ERRORS)

    def _learnt(self) -> Iterator[Wanted]:
        for use in ((CLOSE,), (RESUME,), (CLOSE, RESUME)):
            spec = self._spec(self.policy, use, delay=SO_FAR, resume=SO_FAR)
            yield Wanted(LEARNT, f"{spec.text}, {LEARNT}", (spec,))
        yield Wanted(LEARNT, LEARNT_ORDER, (self._spec(parse_policy(LEARNT_ORDER), ()),))

    def _perfect(self) -> Iterator[Wanted]:
        for horizon in HORIZONS:
            spec = self._spec(self.policy, (CLOSE, RESUME), horizon=horizon)
            yield Wanted(PERFECT, f"{spec.text}, {horizon} s ahead", (spec,))
        for name, text in (("lru", f"end-aware:xi={NO_THRESHOLD},q_hat=0"), ("tlru", "end-aware")):
            yield Wanted(PERFECT, f"{name}, never read again", (self._spec(parse_policy(text), ()),))


def asked_of(policy: Any, hints: Any, announced: Announcement, seeds: int = SEEDS, most: int = MOST) -> Pricing:
    """Return what a price list is of, as it is given."""
    for name, number in (("seeds", seeds), ("most", most)):
        if number < 1:
            raise ArgumentError(name, number, "1 or more")
    words = hints.split(",") if isinstance(hints, str) else [hints] if isinstance(hints, Hint) else [*hints]
    use = read_use([hint for word in words for hint in (HINTS if word == ALL else [word])])
    if not use:
        raise ArgumentError("hints", hints, "at least one hint")
    return Pricing(as_spec(policy, parse_policy), use, announced, seeds, most)


@dataclass(frozen=True)
class PricedRow:
    """One of the list: its rows by draw of what is assumed of the trace, and by seed."""

    kind: str
    name: str
    rows: tuple[tuple[BoardRow, ...], ...]

    @property
    def blank(self) -> str | None:
        """Why it has no numbers."""
        return next((row.blank for drawn in self.rows for row in drawn if row.blank is not None), None)

    @property
    def settings(self) -> tuple[str, ...]:
        """The constant of each draw, of a family."""
        return tuple(row.setting for drawn in self.rows for row in drawn if row.setting is not None)

    @property
    def tels(self) -> tuple[Fraction, ...]:
        """TEL in each draw, the mean over seeds."""
        return tuple(mean(Fraction(row.tel or 0) for row in drawn) for drawn in self.rows)

    @property
    def closed(self) -> Pair | None:
        """Share of LRU's distance to the optimum that is closed, of all draws together."""
        return share([base.saved_by(tel) for base, tel in self._bases], [base for base, _ in self._bases])

    @property
    def over(self) -> tuple[float, float] | None:
        """Least and greatest share that is closed in one draw."""
        each = [share([base.saved_by(tel)], [base]) for base, tel in self._bases]
        return ends(each)

    @property
    def prefill(self) -> float | None:
        """Tokens computed, as a multiple of LRU's, of all draws together."""
        rows = [row for drawn in self.rows for row in drawn]
        computed = [
            (row.prefilled, row.prefilled / (1 + row.price))
            for row in rows
            if row.prefilled and row.price is not None
        ]
        return sum(a for a, _ in computed) / sum(b for _, b in computed) if computed else None

    def percentile(self, name: str) -> float | None:
        """Return the mean of a percentile of TTFT over draws and seeds."""
        values = [getattr(row, name) for drawn in self.rows for row in drawn]
        return None if None in values or not values else sum(values) / len(values)

    @property
    def _bases(self) -> list[tuple[Distance, Fraction]]:
        return [(Distance.of(drawn[0]), tel) for drawn, tel in zip(self.rows, self.tels, strict=True)]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        row = self.rows[0][0]
        plain = {"kind": self.kind, "name": self.name, "blank": self.blank, "settings": list(self.settings)}
        place = {name: getattr(row, name) for name in ("trace", "cache", "capacity", "xi")}
        if self.blank is not None:
            return {**place, **plain}
        numbers = {"tels": [float(tel) for tel in self.tels], "closed": floats(self.closed), "over": self.over}
        times = {name: self.percentile(name) for name in ("p50", "p95")}
        return {**place, **plain, **numbers, "prefill": self.prefill, **times, "gain_interval": row.gain_interval}


@dataclass(frozen=True)
class HintWorth:
    """A player's marginals as shares of LRU's distance; `over` are the least and the greatest mean of a draw."""

    player: str
    alone: Pair | None
    last: Pair | None
    least: Pair | None
    most: Pair | None
    mean: Pair | None
    over: tuple[float, float] | None

    @property
    def changes_sign(self) -> bool:
        """Whether the mean is above 0 in one draw and below 0 in another."""
        return self.over is not None and self.over[0] < 0 < self.over[1]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        pairs = {name: floats(getattr(self, name)) for name in MARGINALS}
        return {"player": self.player, **pairs, "over": self.over, "changes_sign": self.changes_sign}


@dataclass(frozen=True)
class PricesAt:
    """The list at one place: a trace, a cache, a capacity and a threshold."""

    asked: Pricing
    priced: tuple[PricedRow, ...]

    @property
    def row(self) -> BoardRow:
        """LRU's row of the first draw, which has the place."""
        return self.priced[0].rows[0][0]

    @property
    def draws(self) -> int:
        """Draws of what is assumed of the trace."""
        return len(self.priced[0].rows)

    @property
    def distances(self) -> list[Distance]:
        """LRU's TEL and the optimum's sides in each draw."""
        return [Distance.of(drawn[0]) for drawn in self.priced[0].rows]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        names = "trace", "cache", "capacity", "xi", "unit"
        sides = [{name: float(value) for name, value in vars(one).items()} for one in self.distances]
        place = {name: getattr(self.row, name) for name in names} | {"sides": sides}
        return place | {
            "worths": [w.as_dict() for w in self.worths],
            "rows": [one.as_dict() for one in self.priced],
        }

    @property
    def worths(self) -> list[HintWorth]:
        """What each hint and the policy are worth; none where a set has no numbers."""
        players, of = self.asked.players, self.distances
        named = {one.name: one for one in self.priced}
        sets = {frozenset(some): named[self.asked.of_set(some).text] for some in subsets(players)}
        if any(one.blank is not None for one in sets.values()):
            return []
        each = [marginals({some: one.tels[i] for some, one in sets.items()}, players) for i in range(self.draws)]
        whole = marginals({some: sum(one.tels, Fraction(0)) for some, one in sets.items()}, players)
        return [_worth(one, [drawn[i] for drawn in each], of) for i, one in enumerate(whole)]


def _worth(whole: Marginal, each: Sequence[Marginal], of: Sequence[Distance]) -> HintWorth:
    shares = {name: share([getattr(whole, name)], of) for name in MARGINALS}
    over = ends(share([one.mean], [base]) for one, base in zip(each, of, strict=True))
    return HintWorth(whole.player, **shares, over=over)


@dataclass(frozen=True)
class PriceList(Tabular):
    """The price list of each trace, cache, capacity and threshold; a table too, a row a policy and its hints."""

    places: tuple[PricesAt, ...]

    def _table(self) -> dict[str, Any]:
        return columns_of([one.as_dict() for place in self.places for one in place.priced])

    def as_dict(self) -> dict[str, Any]:
        """Return the lists as plain data."""
        return {"places": [place.as_dict() for place in self.places]}


def price_of_hints(
    traces: Mapping[str, Any] | Any,
    policy: Any = "tlru",
    capacities: Sequence[int | str] = (),
    slo: Sequence[str] = (),
    *,
    xi: Sequence[int | str] = (),
    hints: Any = ALL,
    announced: Announcement | None = None,
    seeds: int = SEEDS,
    most: int = MOST,
    q_hat: int | str | None = None,
    forced: bool = False,
    latency: LatencyGiven | None = None,
    model: Model | None = None,
    **how: Any,
) -> PriceList:
    """Return what each hint is worth: alone, last, in the mean; mistaken, as a constant, and as the future has it.

    Parameters
    ----------
    traces : as in `compare`
        With arrival times. A sequence in the place of one has draws of what is assumed of it.
    policy : str, policy or class
        What stands beside LRU, with hints and without.
    capacities, slo, xi : as in `compare`
    hints : str, or a sequence of names and of `Hint`
        What is priced: "all" are close, superseded, resume and retain. k of them take 2^(k+1) replays.
    announced : Announcement, optional
        What is announced beside what the traces record.
    seeds, most : int
        Seeds of what is drawn in a misprediction, and values of a family's constant that are tried.
    q_hat, forced, latency, model : as in `compare`
    **how : caches, rules, workers, store, scheduler and progress, as in `compare`
    """
    asked, own = asked_of(policy, hints, announced or Announcement(), seeds, most), latency_of(latency, model)
    check_lists({"policies": [policy], "capacities": capacities, "slo": slo, "xi": xi})
    refuse_hints(hints, how.get("serving"), [one for one in capacities if several(one) is not None])
    grid = Grid(asked.specs, capacities, (*xi, *slo), q_hat, forced=forced, latency=own, model=model)
    return PriceList(tuple(place for drawn in by_draw(traces, grid, (), how) for place in prices_of(asked, drawn)))


def prices_of(asked: Pricing, drawn: Sequence[Sequence[BoardRow]]) -> Iterator[PricesAt]:
    """Yield the list of each place, of the rows of all that is asked, by draw."""
    specs, wanted = asked.specs, asked.wanted()
    for start in range(0, len(drawn[0]), len(specs)):
        at = [dict(zip(specs, rows[start : start + len(specs)], strict=True)) for rows in drawn]
        found = (
            PricedRow(one.kind, one.name, tuple(tuple(rows[spec] for spec in one.specs) for rows in at))
            for one in wanted
        )
        yield PricesAt(asked, tuple(found))
