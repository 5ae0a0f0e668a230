"""Small conversations in tiers with a seed, for a judge that tries every content."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.model.tiers import LOADINGS, Mode
from teltheory.optimal import TieredCertificate


class TieredCase(NamedTuple):
    """A trace with the arguments of an optimum in tiers."""

    trace: tt.Trace
    tiers: tt.Tiers
    xi: int
    forced: bool = False

    @property
    def instance(self) -> Instance:
        return Instance.of(self.trace, self.tiers.capacities[0], forced=self.forced)

    @property
    def replayed(self) -> bool:
        """Whether a replay takes it, which asks for room for the last past too."""
        return not self.forced or int(self.trace.past.max(initial=0)) <= self.tiers.capacities[0]

    def optimum(self, method: str = "auto") -> tt.Optimum:
        asked: Any = method
        return tt.hindsight_optimum(self.trace, self.tiers, self.xi, self.forced, method=asked)

    def check(self, certificate: TieredCertificate) -> None:
        tt.check_certificate(self.trace, self.tiers, self.xi, certificate, self.forced)


def tiers_by(rng: np.random.Generator, tiers: int, room: int = 4) -> tt.Tiers:
    """Return tiers of any mode and loading; tenths, so that loads are often equal and sums often whole."""
    mode = "exclusive" if rng.random() < 0.6 else "inclusive"
    sizes = rng.integers(0, room, tiers).tolist()
    loads = [Fraction(0), *sorted(Fraction(int(ten), 10) for ten in rng.integers(0, 10, tiers - 1))]
    return tt.Tiers(sorted(sizes) if mode == "inclusive" else sizes, loads, mode, LOADINGS[rng.random() < 0.3])


def small_trace(rng: np.random.Generator) -> tt.Trace:
    """Return up to six turns of up to three conversations, half of which go back, by any amount."""
    n = int(rng.integers(0, 7))
    rows: list[tuple[int, int, int, int]] = []
    past: dict[int, int] = {}
    for _ in range(n):
        theta, prompt, response = (int(rng.integers(0, most)) for most in (3, 3, 2))
        history = past.get(theta, 0)
        history = int(rng.integers(0, history + 1)) if rng.random() < 0.5 else history
        past[theta] = min(history + prompt + response, 5)
        rows.append((theta, prompt, past[theta] - history - prompt if past[theta] == 5 else response, history))
    rows = [(theta, prompt, max(response, 0), history) for theta, prompt, response, history in rows]
    theta, prompt, response, history = (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 4
    return tt.Trace.from_turns(theta, prompt, response, history=history)


def branching_trace(rng: np.random.Generator) -> tt.Trace:
    """Return up to nineteen turns of five conversations, half of which go back, by any amount."""
    past: dict[int, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for theta, prompt, response in rng.integers(0, (5, 6, 4), (int(rng.integers(2, 20)), 3)).tolist():
        known = past.get(theta, 0)
        rows.append((theta, prompt, response, int(rng.integers(0, known + 1)) if rng.random() < 0.5 else known))
        past[theta] = rows[-1][3] + prompt + response
    theta, prompt, response, history = zip(*rows, strict=True)
    return tt.Trace.from_turns(theta, prompt, response, history=history)


def branching_tiers(rng: np.random.Generator, mode: Mode) -> tt.Tiers:
    """Return tiers of a mode for such a trace: two to four, which it fills; loads in eighths."""
    number = 2 if mode == "swap-out-once" else int(rng.integers(2, 5))
    sizes = rng.integers(0, 16, number)
    loads = [Fraction(0), *sorted(Fraction(int(load), 8) for load in rng.integers(0, 8, number - 1))]
    return tt.Tiers((np.cumsum(sizes) if mode == "inclusive" else sizes).tolist(), loads, mode)


def small_cases(cases: int, seed: int) -> Iterator[TieredCase]:
    """Yield cases of one tier to three, those that forced caching allows."""
    rng = np.random.default_rng(seed)
    while cases:
        trace = small_trace(rng)
        tiers = tiers_by(rng, int(rng.choice([1, 2, 2, 3] if len(trace) < 6 else [1, 2])))
        case = TieredCase(trace, tiers, int(rng.choice([0, 0, 1, 2, 3])), bool(rng.random() < 0.2))
        try:
            _ = case.instance
        except tt.ForcedCachingError:
            continue
        cases -= 1
        yield case
