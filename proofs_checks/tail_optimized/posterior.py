"""Whether a silent conversation is alive (Appendix D, the belief update).

Rates are whole numbers a second and exp(-1 second) is a fraction, so exp(-mu tau) and exp(-(mu + lambda) tau) are
fractions too and every value below is exact. The judge is Bayes' rule on a chain of two hidden states, of which
is only seen, second by second, whether any turn came. `belief.posterior.symbolic` derives the formulas for real
numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import product, starmap
from typing import Any

from proofs_checks.tail_optimized.lemmas import hidden_chain
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase, plain
from teltheory.claims.origin import BOTH, repairs
from teltheory.claims.worlds import Given
from teltheory.policies.learned.posterior import exact_after_silence, exact_posterior

PAPER = "exp(-mu tau)"
SILENT = "alive, given the silence"


@dataclass(frozen=True)
class Silence(ToldCase):
    """A conversation that had a turn `seconds` (tau) ago; rates mu and lambda per second, decay exp(-1 second)."""

    seconds: int
    death_rate: int
    turn_rate: int
    decay: Fraction

    @property
    def undying(self) -> Fraction:
        """exp(-mu tau)."""
        return self.decay ** (self.death_rate * self.seconds)

    @property
    def undisturbed(self) -> Fraction:
        """exp(-(mu + lambda) tau)."""
        return self.decay ** ((self.death_rate + self.turn_rate) * self.seconds)

    def size(self) -> tuple[int, ...]:
        return (self.seconds, self.death_rate, self.turn_rate, self.decay.denominator, self.decay.numerator)

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        return {**self.measures(), "exp(-1)": str(self.decay), "values": plain(values)}


def silences(least: int) -> Listed[Silence]:
    """Return every silence of at least so many seconds and so large a turn rate, by seconds."""

    def up_to(limits: tuple[int, int, int]) -> Iterator[Iterator[Silence]]:
        most, rate, denominator = limits
        decays = sorted({Fraction(a, b) for b in range(2, denominator + 1) for a in range(1, b)})
        for seconds in range(least, most + 1):
            rates = product([seconds], range(1, rate + 1), range(least, rate + 1), decays)
            yield starmap(Silence, rates)

    return Listed(
        up_to,
        (3, 3, 5),
        (5, 5, 7),
        "every silence of up to {0[0]} seconds, rates up to {0[1]} a second, exp(-1 second) a fraction of "
        "denominator up to {0[2]}",
    )


SILENCES, WITH_NONE = silences(1), silences(0)
History = tuple[bool, ...]


@cache
def filtered(case: Silence) -> dict[History, tuple[Fraction, Fraction]]:
    """Return, for each record of the seconds with a turn, its probability with the conversation alive and dead."""
    quiet = case.decay ** (case.death_rate + case.turn_rate)
    dying = (1 - quiet) * Fraction(case.death_rate, case.death_rate + case.turn_rate)
    surviving = case.decay**case.death_rate
    from_alive = {False: (quiet, dying), True: (surviving - quiet, 1 - surviving - dying)}
    found: dict[History, tuple[Fraction, Fraction]] = {(): (Fraction(1), Fraction(0))}
    for _ in range(case.seconds):
        found = {
            (*seen, turned): (alive * stays, alive * dies + (0 if turned else dead))
            for seen, (alive, dead) in found.items()
            for turned, (stays, dies) in from_alive.items()
        }
    return found


def given_silence(case: Silence) -> Fraction:
    """Return the probability of being alive where no second had a turn, by Bayes' rule."""
    alive, dead = filtered(case)[(False,) * case.seconds]
    return alive / (alive + dead)


row = rows(source="Appendix D, the belief update", relation=all_equal, space=WITH_NONE)


@row(
    "belief.posterior",
    "exp(-mu tau), tau the time since the last turn, is the probability that a conversation is alive given all "
    "that was observed.",
    space=SILENCES,
    origin=BOTH,
)
def posterior(case: Silence) -> Values:
    """Hold the paper's belief against Bayes' rule."""
    return {PAPER: case.undying, SILENT: given_silence(case)}


@row(
    "belief.posterior.silence",
    "(mu + lambda) / (lambda + mu exp((mu + lambda) tau)) is that probability, and its update second by second "
    "gives the same.",
    origin=repairs("belief.posterior"),
    proof=partial(hidden_chain.proof, hidden_chain.FORMULA),
)
def silence(case: Silence) -> Values:
    """Hold the formula and its repeated update against Bayes' rule."""
    pi, second = Fraction(1), case.decay ** (case.death_rate + case.turn_rate)
    for _ in range(case.seconds):
        pi = exact_after_silence(pi, second, case.death_rate, case.turn_rate)
    formula = exact_posterior(case.undisturbed, case.death_rate, case.turn_rate)
    return {"formula": formula, "second by second": pi, SILENT: given_silence(case)}


@row(
    "belief.posterior.alive-at-last-turn",
    "exp(-mu tau) is the probability that a conversation is alive tau after a turn where nothing since is known: "
    "the mean of the posterior over all that may be observed.",
    origin=repairs("belief.posterior"),
    proof=partial(hidden_chain.proof, hidden_chain.MEAN),
)
def alive_at_last_turn(case: Silence) -> Values:
    """Average over all records."""
    records = filtered(case).values()
    mean = sum(((alive + dead) * (alive / (alive + dead)) for alive, dead in records if alive + dead), Fraction(0))
    return {PAPER: case.undying, "mean posterior": mean}


def larger_unless_trivial(values: Values) -> bool:
    """Whether the paper's belief is larger, or the same if no turn or no time could tell."""
    difference = values[PAPER] - values[SILENT]
    return bool(difference > 0 if values["lambda tau"] else difference == 0)


@row(
    "belief.posterior.sign",
    "exp(-mu tau) is larger than the posterior for every lambda > 0 and tau > 0, and the same only where one of "
    "them is 0.",
    relation=larger_unless_trivial,
    proof=partial(hidden_chain.proof, hidden_chain.LARGER, f"{hidden_chain.HAND}, and that exp(x) > 1 for x > 0"),
)
def sign(case: Silence) -> Values:
    """Compare the two."""
    return {PAPER: case.undying, SILENT: given_silence(case), "lambda tau": case.turn_rate * case.seconds}


@dataclass(frozen=True)
class Identity(ToldCase):
    """One of the identities below."""

    identity: str


ALL_IDENTITIES = Given(
    tuple(map(Identity, hidden_chain.IDENTITIES)),
    f"{len(hidden_chain.IDENTITIES)} symbolic identities: " + ", ".join(hidden_chain.IDENTITIES),
)


@row(
    "belief.posterior.symbolic",
    "The formulas of these rows follow from the hidden chain a' = -(mu + lambda) a, d' = mu a of the living and "
    "the dead among the silent, for all real rates and times.",
    relation=lambda values: values["difference"] == "0",
    space=ALL_IDENTITIES,
    proof=hidden_chain.proof,
)
def symbolic(case: Identity) -> Values:
    """Simplify what the two sides differ by."""
    return {"difference": hidden_chain.difference(case.identity)}
