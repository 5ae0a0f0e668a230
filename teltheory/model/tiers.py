"""Tiers of memory under a cache, and what a replay in them comes to.

1. Tier i holds C_i units. A token that is loaded from it costs rho_i = load seconds / prefill seconds,
   0 = rho_0 <= rho_1 <= ... < 1: what a turn reuses from tier i is worth 1 - rho_i of a token that it does not
   compute.
2. So a turn that reuses x_i of tier i computes as much as total - sum over i of (1 - rho_i) x_i uncached units do.
   Ratios are whole thousandths, so that this is a fraction with a denominator of 1,000 at most, and exact. If
   loading is *overlapped* with computing the longer of both counts: max(total - sum x_i, sum rho_i x_i).
3. What tier 0 has no room for sinks to tier 1, and so on; out of the last tier it is gone. *Exclusive*: what is
   loaded leaves the tier that it was in. *Inclusive* (write-through): a tier also holds all that the tiers before
   it hold, as a copy that is written at once. *Swap out only once* (RAGCache): tier 1 keeps what it was sent until
   that leaves the cache altogether, so that nothing is copied out twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import ceil, lcm
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.display import Summary, counted, percent, quantiles, tail_of
from teltheory.model.numbers import INT64_MAX, IntArray, Ratio, exact, exact_sum, readonly, whole_number
from teltheory.model.tables import Tabular
from teltheory.model.units import bytes_in, read_share, read_tokens

Mode: TypeAlias = Literal["exclusive", "inclusive", "swap-out-once"]
MODES: tuple[Mode, ...] = get_args(Mode)
Loading: TypeAlias = Literal["additive", "overlapped"]
LOADINGS: tuple[Loading, ...] = get_args(Loading)
THOUSANDTHS = 1000


@dataclass(frozen=True)
class Tiers:
    """Capacities of tiers of memory, fastest first, and what loading from them costs.

    Parameters
    ----------
    capacities : sequence of int or str
        Units that each tier holds, 0 or more, or text such as ``"300k"`` tokens or ``"40GiB"``, which becomes
        units where they are used; of inclusive tiers copies of what the tiers before hold are among them, so that
        capacities never fall.
    loads : sequence of int, float or Fraction
        Seconds to load a token from each tier, in seconds that its prefill takes: rho, rounded up to thousandths,
        never decreasing, below 1, and 0 for the first tier.
    mode : {"exclusive", "inclusive", "swap-out-once"}
        Whether what is loaded leaves its tier; is in all slower tiers as well; or, of two tiers, leaves a copy in
        the second until it leaves the cache altogether.
    loading : {"additive", "overlapped"}
        Whether a turn loads and then computes, or does both at a time, layer by layer.

    Raises
    ------
    ArgumentError
        For no tier, a capacity, a ratio, a mode or a way of loading.
    """

    capacities: Sequence[Any]
    loads: Sequence[float | Fraction] = (0,)
    mode: Mode = "exclusive"
    loading: Loading = "additive"

    def __post_init__(self) -> None:
        if isinstance(self.capacities, str) or not isinstance(self.capacities, Sequence):
            raise ArgumentError("capacities", self.capacities, "a capacity for each tier")
        sizes = tuple(_checked(one) for one in self.capacities)
        if not sizes:
            raise ArgumentError("capacities", self.capacities, "one tier or more")
        object.__setattr__(self, "capacities", sizes)
        object.__setattr__(self, "loads", _ratios(self.loads, len(sizes)))
        if self.mode not in MODES:
            raise ArgumentError("mode", self.mode, "one of " + ", ".join(MODES))
        if self.loading not in LOADINGS:
            raise ArgumentError("loading", self.loading, "one of " + ", ".join(LOADINGS))
        if self.mode == "swap-out-once" and len(sizes) > 2:
            raise ArgumentError("mode", self.mode, f"two tiers with it, not {len(sizes)}")
        counted = all(isinstance(size, int) for size in sizes)
        if self.mode == "inclusive" and counted and list(sizes) != sorted(sizes):
            raise ArgumentError("capacities", self.capacities, "sizes that never fall, of inclusive tiers")

    def __len__(self) -> int:
        return len(self.capacities)

    def in_blocks(self, block_size: int) -> Tiers:
        """Return tiers of so many tokens as tiers of blocks, rounded down."""
        return replace(self, capacities=tuple(size // block_size for size in self.capacities))

    def as_dict(self) -> dict[str, Any]:
        """Return them as plain data; ratios are numbers."""
        loads = [float(load) for load in self.loads]
        return {"capacities": [*self.capacities], "loads": loads, "mode": self.mode, "loading": self.loading}

    @property
    def denominator(self) -> int:
        """Least common denominator of the ratios, 1,000 at most."""
        return lcm(*(Fraction(load).denominator for load in self.loads))

    @property
    def pooled(self) -> tuple[int, ...]:
        """Units that each tier and all before it hold together, S_i."""
        return tuple(self.capacities) if self.mode == "inclusive" else tuple(accumulate(self.capacities))

    @property
    def keeps_copies(self) -> bool:
        """Whether the second tier keeps what is loaded from it."""
        return self.mode == "swap-out-once"


def _checked(capacity: object) -> int | str:
    """Return a capacity; text stays text, as tokens and bytes become units only with a trace and a model."""
    if not isinstance(capacity, str):
        return whole_number("capacities", capacity)
    if bytes_in(capacity) is None and read_share("capacities", capacity) is None:
        read_tokens("capacities", capacity, or_bytes=True)
    return capacity


def several(capacity: object) -> Tiers | None:
    """Return a memory's tiers; None for a capacity, which is no tier."""
    return capacity if isinstance(capacity, Tiers) else None


def resized(memory: Any, size_of: Callable[[Any, str], Any]) -> Any:
    """Return a capacity, or tiers, with other sizes: of each by what it is called in errors, too."""
    tiers = several(memory)
    if tiers is None:
        return size_of(memory, "capacity")
    return replace(tiers, capacities=tuple(size_of(one, "capacities") for one in tiers.capacities))


def number_of(replicas: int) -> int:
    """Return a number of replicas, checked."""
    found = whole_number("replicas", replicas)
    if not found:
        raise ArgumentError("replicas", found, "1 replica or more")
    return found


def tiers_of(capacity: int | Tiers) -> Tiers:
    """Return a capacity as one tier."""
    return capacity if isinstance(capacity, Tiers) else Tiers((whole_number("capacity", capacity),))


def _ratios(loads: Sequence[float | Fraction], tiers: int) -> tuple[Fraction, ...]:
    if not isinstance(loads, Sequence) or len(loads) != tiers:
        raise ArgumentError("loads", loads, f"a ratio for each of the tiers, {tiers}")
    rounded = tuple(Fraction(ceil(exact("loads", load) * THOUSANDTHS), THOUSANDTHS) for load in loads)
    if rounded[0] != 0 or rounded[-1] >= 1 or list(rounded) != sorted(rounded):
        found = ", ".join(map(str, loads))
        raise ArgumentError("loads", found, "0 for the first tier, never less for the next, below 1")
    return rounded


class Moved(NamedTuple):
    """What moved in all turns together, exact; of `copied` and `loaded` one number for each slower tier."""

    written: int
    copied: tuple[int, ...]
    loaded: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TieredOutcome(Tabular):
    """What each turn reused of each tier, in the trace's unit; what moved is in the same unit.

    `to_arrow`, `to_pandas` and `to_polars` return a table of a row a turn: cached_1 of the first tier, cached_2
    and so on, total, uncached as floats, and written.

    Attributes
    ----------
    cached : ndarray of int64, shape (tiers, n)
        What each turn reuses of each tier, x_i.
    total : ndarray of int64, shape (n,)
        What a prefill with an empty cache computes.
    tiers : Tiers
        The tiers.
    written : ndarray of int64, shape (n,)
        What each turn added to the cache: of its path what was in no tier.
    copied : ndarray of int64, shape (tiers - 1, n)
        What was written to each slower tier since the turn before and is still there: exclusive, what sank to it;
        inclusive, what it did not hold; swapping out once, what sank and had no copy. A replay may give a function
        in its place, which is called once it is read.
    loaded : ndarray of int64, shape (tiers - 1, n)
        What the turn moved to the first tier from each slower one.
    inputs : ndarray of int64, shape (n,), or None
        On a forest: tokens of each request's input, a last block that is not full included.
    block_size : int
        Tokens per unit of a forest.
    """

    cached: IntArray
    total: IntArray
    tiers: Tiers
    written: IntArray
    copied: IntArray
    loaded: IntArray
    inputs: IntArray | None = None
    block_size: int = 1

    def __post_init__(self) -> None:
        most = INT64_MAX // self.denominator
        if len(self.total) and int(self.total.max()) > most:
            found, expected = int(self.total.max()), f"at most {most} units a turn, in parts of {self.denominator}"
            raise ArgumentError("total", found, expected)
        if callable(self.copied):
            vars(self)["_copying"] = vars(self).pop("copied")
        for name in {"copied", "loaded"} & vars(self).keys():
            shape = (len(self.tiers) - 1, len(self.total))
            if getattr(self, name).shape != shape:
                raise ArgumentError(name, getattr(self, name).shape, f"a row for each slower tier, {shape}")

    def __getattr__(self, name: str) -> Any:
        if name != "copied" or "_copying" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = vars(self)["copied"] = vars(self).pop("_copying")()
        return found

    def __len__(self) -> int:
        return len(self.total)

    def _table(self) -> dict[str, Any]:
        cached = {f"cached_{i}": column for i, column in enumerate(self.cached, start=1)}
        uncached = self.uncached_units / self.denominator
        return cached | {"total": self.total, "uncached": uncached, "written": self.written}

    def __repr__(self) -> str:
        rates = " + ".join(map(percent, self.hit_rates))
        return f"TieredOutcome({counted(len(self), 'turn')}, hit rate {rates}, {self.prefilled:,} prefilled)"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def summary(self, xi: int | None = None) -> Summary:
        """Return hit rates, what was prefilled, percentiles of the uncached lengths and, with `xi`, the tail.

        Parameters
        ----------
        xi : int, optional
            Threshold, in the trace's unit.
        """
        facts = {"turns": len(self), "hit rate": self.hit_rate}
        rates = {f"hit rate of tier {i}": rate for i, rate in enumerate(self.hit_rates, start=1)}
        tail: dict[str, Any] = {}
        if xi is not None:
            above = self.excess_units(xi)
            tail = tail_of(above, exact_sum(above) / self.denominator, xi)
        uncached = quantiles(self.uncached_units / self.denominator, "uncached")
        return Summary("TieredOutcome", facts | rates | {"prefilled": self.prefilled} | uncached | tail)

    @property
    def by_tier(self) -> IntArray:
        """What each turn reuses of each tier, `cached`; shape (tiers, n)."""
        return self.cached

    @property
    def loads(self) -> Sequence[float | Fraction]:
        """What loading a token from each tier costs, in tokens that are computed."""
        return self.tiers.loads

    @property
    def overlapped(self) -> bool:
        """Whether a turn loads and computes at a time."""
        return self.tiers.loading == "overlapped"

    def in_tokens(self) -> TieredOutcome:
        """Return the outcome of a forest in tokens; a last block that is not full is computed."""
        if self.inputs is None:
            return self
        columns = (self.cached, self.written, self.loaded)
        cached, written, loaded = (readonly(column * self.block_size) for column in columns)
        copied: Any = partial(_copied_tokens, self)
        return TieredOutcome(cached, self.inputs, self.tiers, written, copied, loaded, self.inputs)

    @property
    def denominator(self) -> int:
        """What `uncached_units` are parts of: so many are one unit of the trace."""
        return self.tiers.denominator

    @property
    def uncached_units(self) -> IntArray:
        """Effective uncached length of each turn times the denominator; int64, shape (n,)."""
        computed = (self.total - self.cached.sum(axis=0)) * self.denominator
        parts = [int(load * self.denominator) for load in self.tiers.loads]
        loading = sum(part * x for part, x in zip(parts, self.cached, strict=True))
        return readonly(np.maximum(computed, loading) if self.overlapped else computed + loading)

    @property
    def uncached(self) -> list[Fraction]:
        """Effective uncached length of each turn, exact: computed and loaded, or the longer if overlapped."""
        return [Ratio(units, self.denominator) for units in self.uncached_units.tolist()]

    @property
    def reused(self) -> int:
        """What all turns together reused, of any tier; exact."""
        return exact_sum(self.cached.ravel())

    @property
    def prefilled(self) -> int:
        """What all turns together computed, whatever loading cost; exact."""
        return exact_sum(self.total) - self.reused

    @property
    def hit_rate(self) -> Fraction:
        """Share of all totals that was reused, of any tier, 0 if there is no input; exact."""
        return Ratio(self.reused, max(exact_sum(self.total), 1))

    @property
    def hit_rates(self) -> tuple[Fraction, ...]:
        """Share of all totals that was reused of each tier; they add up to `hit_rate`."""
        whole = max(exact_sum(self.total), 1)
        return tuple(Ratio(exact_sum(one), whole) for one in self.cached)

    @property
    def moved(self) -> Moved:
        """What was written, copied and loaded in all turns together."""
        copied, loaded = (tuple(map(exact_sum, column)) for column in (self.copied, self.loaded))
        return Moved(exact_sum(self.written), copied, loaded)

    def tel(self, xi: int) -> Fraction:
        """Return the sum of max(uncached - xi, 0) over all turns; exact."""
        return Ratio(exact_sum(self.excess_units(xi)), self.denominator)

    def excess_units(self, xi: int) -> IntArray:
        """Return max(uncached - xi, 0) of each turn times the denominator; shape (n,)."""
        most = whole_number("xi", xi)
        if most > INT64_MAX // self.denominator:
            return readonly(np.zeros(len(self), np.int64))
        return readonly(np.maximum(self.uncached_units - most * self.denominator, 0))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TieredOutcome):
            return NotImplemented
        columns = ("cached", "total", "written", "copied", "loaded")
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in columns)
        return self.tiers == other.tiers and all(same)

    __hash__ = None  # type: ignore[assignment]


def _copied_tokens(outcome: TieredOutcome) -> IntArray:
    """Return what an outcome in blocks copied, in tokens."""
    return readonly(outcome.copied * outcome.block_size)
