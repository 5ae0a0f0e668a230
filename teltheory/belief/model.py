"""The belief MDP of Zhang et al. 2025, Appendix D: states, beliefs, next turns, and what may be kept.

A state is what the decision maker knows right after a turn was served: each conversation's kind, number of turns,
probability pi of being alive and past L, and which of them has just arrived (theta, with pi = 1). X is what is
cached of each before the cut, all of L for theta.

1. The decision maker keeps Y with sum Y <= C and Y_i <= X_i; under forced caching Y_theta = L_theta.
2. A gap of t passes, x = exp(-t) from a finite law, and every pi becomes
   paper:  pi x^mu;    bayes:  pi x^(mu + lambda_i) / (1 - pi + pi g_i),
   g_i = (lambda_i x^(mu + lambda_i) + mu) / (mu + lambda_i), the probability of no turn while it passes.
3. The next turn is i's with probability lambda_i pi_i / (lambda_conv + sum_j lambda_j pi_j), or a new
   conversation's first. With ``race`` the weight of a gap is multiplied by the density of a next turn then,
   (lambda_conv + sum lambda_j pi_j) x^lambda_conv prod_j (1 - pi_j + pi_j g_j): with the weights of a quadrature
   rule in t, the gap's law is the model's own.
4. Its prompt Q and response A are drawn; it costs max(L_i + Q - Y_i - xi, 0), and L_i grows by Q + A.

All numbers are whole or fractions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import gcd, lcm, prod
from typing import Literal, NamedTuple, TypeAlias, get_args

from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.numbers import whole_number
from teltheory.workloads.laws import Finite, fixed

__all__ = ["BeliefKind", "BeliefMDP", "Heard", "Known", "Recent", "State"]

Belief: TypeAlias = Literal["paper", "bayes"]
NOTHING = fixed(0)
Allocation: TypeAlias = tuple[int, ...]
"""What is cached, or kept, of each conversation."""
Ratio: TypeAlias = tuple[int, int]
Aging: TypeAlias = tuple[Fraction, Fraction]
Hinges: TypeAlias = tuple[tuple[int, int], ...]
"""A cost of u uncached tokens as the sum of w max(u - t, 0) over pairs of w and t."""


@dataclass(frozen=True)
class BeliefKind:
    """What the conversations of one kind have in common.

    Attributes
    ----------
    turn_rate : int
        lambda-bar, in turns a unit of time.
    prompts : tuple of Finite
        Laws of the first prompt, the second, ...; the last holds for all that follow.
    response : Finite
        Law of a response.
    share : Fraction
        Probability that a new conversation is of this kind.
    name : str
        What a file and tables call it.
    """

    turn_rate: int
    prompts: tuple[Finite, ...]
    response: Finite = NOTHING
    share: Fraction = Fraction(1)
    name: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if whole_number("turn_rate", self.turn_rate) == 0:
            raise ArgumentError("turn_rate", 0, "a whole number above 0")
        if not self.prompts:
            raise ArgumentError("prompts", self.prompts, "one law or more")

    def prompt(self, turns: int) -> Finite:
        """Return the law of the prompt after `turns` turns."""
        return self.prompts[min(turns, len(self.prompts) - 1)]


class Heard(NamedTuple):
    """A conversation by the turns of others since its last one, `silent`; `turns` and `past` as in `Known`."""

    kind: int
    turns: int
    past: int
    silent: int = 0


class Recent(NamedTuple):
    """What is known right after a turn, by silent turns in place of beliefs.

    Attributes
    ----------
    conversations : tuple of Heard
        Least silent first: the first has just arrived.
    gaps : tuple of Fraction
        x of the last gaps, latest first; may be left out where the model has one.
    """

    conversations: tuple[Heard, ...]
    gaps: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class BeliefMDP:
    """The model of the module's first lines.

    Attributes
    ----------
    capacity, xi : int
        C and the threshold, in tokens.
    kinds : tuple of Kind
        Kinds of conversations; their shares have sum 1.
    birth_rate : Fraction
        lambda_conv, 0 or more.
    death_rate : int
        mu, 0 or more.
    gaps : tuple of (Fraction, Fraction)
        x = exp(-t) in (0, 1], and its probability (or the quadrature weight of t, with `race`).
    belief : {"paper", "bayes"}
        How pi ages.
    race : bool
        Whether the gaps' weights are multiplied by the density of a next turn.
    forced : bool
        Forced caching.
    start : (Recent, tuple of int), optional
        Where values are asked, and what is cached there; if left out, right after a first turn, nobody else known.
    """

    capacity: int
    xi: int
    kinds: tuple[BeliefKind, ...]
    birth_rate: Fraction = Fraction(1)
    death_rate: int = 1
    gaps: tuple[tuple[Fraction, Fraction], ...] = ((Fraction(1, 2), Fraction(1)),)
    belief: Belief = "paper"
    race: bool = False
    forced: bool = False
    start: "tuple[Recent, Allocation] | None" = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("capacity", "xi", "death_rate"):
            whole_number(name, getattr(self, name))
        if self.belief not in get_args(Belief):
            raise ArgumentError("belief", self.belief, "'paper' or 'bayes'")
        if self.race and self.belief == "paper":
            raise ArgumentError("race", True, "False with the paper's belief, which has no density of the gap")
        if sum(kind.share for kind in self.kinds) != 1:
            raise ArgumentError("kinds", self.kinds, "kinds whose shares have sum 1")
        if self.birth_rate < 0:
            raise ArgumentError("birth_rate", self.birth_rate, "0 or more")
        decays, weights = [x for x, _ in self.gaps], [w for _, w in self.gaps]
        if not self.gaps or not all(0 < x <= 1 for x in decays) or min(weights) <= 0:
            raise ArgumentError("gaps", self.gaps, "pairs of x in (0, 1] and a weight above 0")
        if not self.race and sum(weights) != 1:
            raise ArgumentError("gaps", self.gaps, "probabilities with sum 1")

    @cached_property
    def first_excess(self) -> Fraction:
        """The expected excess of the first turn of a new conversation."""
        return sum(
            (
                kind.share * p * charged(self.hinges(i), q)
                for i, kind in enumerate(self.kinds)
                for q, p in kind.prompt(0).outcomes
            ),
            Fraction(0),
        )

    def hinges(self, kind: int) -> Hinges:
        """Return what uncached tokens cost a kind: the excess above xi, unless a model says otherwise."""
        return ((1, self.xi),)


class Known(NamedTuple):
    """What is known of a conversation.

    Attributes
    ----------
    kind : int
        Its kind's place among the model's kinds.
    turns : int
        Turns so far; counted no further than the kind's laws of prompts tell apart.
    alive : Fraction
        pi.
    past : int
        L.
    """

    kind: int
    turns: int
    alive: Fraction
    past: int


class State(NamedTuple):
    """What is known right after a turn was served.

    Attributes
    ----------
    conversations : tuple of Known
        In the order of their first turns.
    recency : tuple of int
        Their places, least recent first; the last one has just arrived.
    """

    conversations: tuple[Known, ...]
    recency: tuple[int, ...]

    @property
    def arrived(self) -> int:
        """Place of theta."""
        return self.recency[-1]


def as_state(model: BeliefMDP, recent: Recent) -> State:
    """Return a state in beliefs, its conversations in the order given: the last to turn first."""
    gaps = recent.gaps or (model.gaps[0][0],) * max(one.silent for one in recent.conversations)
    known = []
    for one in recent.conversations:
        alive = Known(one.kind, one.turns, Fraction(1), one.past)
        for x in reversed(gaps[: one.silent]):
            alive = alive._replace(alive=aged(model, alive, x))
        known.append(alive)
    return State(tuple(known), tuple(reversed(range(len(known)))))


def starts(model: BeliefMDP) -> list[tuple[Fraction, Recent, Allocation]]:
    """Return where values are asked, with probabilities: the model's start, or the states after a first turn."""
    if model.start is not None:
        return [(Fraction(1), *model.start)]
    found: list[tuple[Fraction, Recent, Allocation]] = []
    for k, kind in enumerate(model.kinds):
        turns = min(1, len(kind.prompts) - 1)
        for (q, p_q), (a, p_a) in product(kind.prompt(0).outcomes, kind.response.outcomes):
            if kind.share:
                found.append((kind.share * p_q * p_a, Recent((Heard(k, turns, q + a),)), (q + a,)))
    return found


class Arrival(NamedTuple):
    """A possible next turn: of a place in the state, or of the number of conversations for a new one.

    `alive` is every pi right before it, of the conversations that were known.
    """

    probability: Fraction
    place: int
    prompt: int
    response: int
    alive: tuple[Fraction, ...]
    kind: int


Policy: TypeAlias = Callable[[BeliefMDP, State, Allocation], Allocation]
"""From the model, the state and what is cached to what is kept."""


@lru_cache(maxsize=2**14)
def _without_turn(belief: Belief, rate: int, mu: int, pi: Ratio, gap: Ratio) -> Aging:
    alive, x = Fraction(*pi), Fraction(*gap)
    if belief == "paper":
        return alive * x**mu, Fraction(1)
    silent = 1 - alive + alive * (rate * x ** (mu + rate) + mu) / (mu + rate)
    return alive * x ** (mu + rate) / silent, silent


def after_silence(model: BeliefMDP, known: Known, x: Fraction) -> Aging:
    """Return pi after a gap without a turn, and the probability of such a gap (1 by the paper)."""
    rate, pi, gap = model.kinds[known.kind].turn_rate, known.alive.as_integer_ratio(), x.as_integer_ratio()
    return _without_turn(model.belief, rate, model.death_rate, pi, gap)


def aged(model: BeliefMDP, known: Known, x: Fraction) -> Fraction:
    """Return pi after a gap without a turn."""
    return after_silence(model, known, x)[0]


def chances(model: BeliefMDP, state: State) -> list[tuple[tuple[Fraction, ...], list[int]]]:
    """Return for each gap every pi after it, and how likely it is that then each, or last a new one, is next.

    These are whole numbers; over all gaps, their sum is their denominator.
    """
    found = [[after_silence(model, known, x) for known in state.conversations] for x, _ in model.gaps]
    rates = [model.kinds[known.kind].turn_rate for known in state.conversations]
    alive = (tuple(pi for pi, _ in aging) for aging in found)
    return [*zip(alive, chances_by(model, rates, found), strict=True)]


def chances_by(model: BeliefMDP, rates: list[int], found: list[list[Aging]]) -> list[list[int]]:
    """Return what `chances` does, of turn rates and of what `after_silence` finds for each gap."""
    gaps = [_chances(model, rates, aging, *gap) for aging, gap in zip(found, model.gaps, strict=True)]
    common = lcm(*[below for _, below, _ in gaps])
    whole = [[above * (common // below) * turn for turn in turns] for above, below, turns in gaps]
    shared = gcd(*[gcd(*turns) for turns in whole])
    return [[turn // shared for turn in turns] for turns in whole]


def _chances(
    model: BeliefMDP, rates: list[int], found: list[Aging], x: Fraction, weight: Fraction
) -> tuple[int, int, list[int]]:
    """Return a factor, above and below, and turns: the factor times a turn is a chance."""
    aging, (births, births_below) = [pi.as_integer_ratio() for pi, _ in found], model.birth_rate.as_integer_ratio()
    common = lcm(births_below, *[below for _, below in aging])
    turns = [rate * pi * (common // below) for rate, (pi, below) in zip(rates, aging, strict=True)]
    turns.append(births * (common // births_below))
    factor, below = weight, sum(turns)
    if model.race:
        if births_below != 1:
            raise ArgumentError("birth_rate", model.birth_rate, "a whole number, where gaps race")
        factor, below = weight * x**births * prod(silent for _, silent in found), common
    return factor.numerator, factor.denominator * below, turns


def next_chances(model: BeliefMDP, state: State) -> list[int]:
    """Return how likely each conversation, and last a new one, has the next turn: whole numbers over their sum."""
    return [sum(each) for each in zip(*(turn for _, turn in chances(model, state)), strict=True)]


def next_turn(model: BeliefMDP, state: State) -> list[Fraction]:
    """Return the probability that each conversation has the next turn, and last that a new one has."""
    found = next_chances(model, state)
    return [Fraction(chance, sum(found)) for chance in found]


def arrivals(model: BeliefMDP, state: State) -> Iterator[Arrival]:
    """Yield every possible next turn."""
    places = len(state.conversations)
    found = chances(model, state)
    every = sum(sum(turn) for _, turn in found)
    for alive, turn in found:
        for place, chance in enumerate(turn):
            new = place == places
            kinds = range(len(model.kinds)) if new else (state.conversations[place].kind,)
            turns = 0 if new else state.conversations[place].turns
            for k in kinds:
                kind = model.kinds[k]
                among = Fraction(chance, every) * (kind.share if new else 1)
                for (q, p_q), (a, p_a) in product(kind.prompt(turns).outcomes, kind.response.outcomes):
                    if among:
                        yield Arrival(among * p_q * p_a, place, q, a, alive, k)


def after(model: BeliefMDP, state: State, arrival: Arrival) -> State:
    """Return the state after a next turn."""
    known = [k._replace(alive=alive) for k, alive in zip(state.conversations, arrival.alive, strict=True)]
    if arrival.place == len(known):
        known.append(Known(arrival.kind, 0, Fraction(1), 0))
    theta = known[arrival.place]
    turns = min(theta.turns + 1, len(model.kinds[theta.kind].prompts) - 1)
    past = theta.past + arrival.prompt + arrival.response
    known[arrival.place] = Known(theta.kind, turns, Fraction(1), past)
    recency = (*(i for i in state.recency if i != arrival.place), arrival.place)
    return State(tuple(known), recency)


def at_hand(state: State, kept: Allocation) -> Allocation:
    """Return what is cached after a turn: what was kept, and all of theta."""
    cached = [*kept, *(0 for _ in range(len(state.conversations) - len(kept)))]
    cached[state.arrived] = state.conversations[state.arrived].past
    return tuple(cached)


def allocations(model: BeliefMDP, state: State, cached: Allocation) -> list[Allocation]:
    """Return everything that may be kept."""
    check_feasible(model, state)
    theta = state.arrived
    least = [state.conversations[i].past if model.forced and i == theta else 0 for i in range(len(cached))]
    ranges = [range(low, x + 1) for low, x in zip(least, cached, strict=True)]
    return [kept for kept in product(*ranges) if sum(kept) <= model.capacity]


def check_feasible(model: BeliefMDP, state: State) -> None:
    """Raise `ForcedCachingError` if theta must be kept and does not fit."""
    past = state.conversations[state.arrived].past
    if model.forced and past > model.capacity:
        raise ForcedCachingError(None, past, model.capacity)


def charged(hinges: Hinges, uncached: int) -> int:
    """Return what uncached tokens cost."""
    return sum(weight * max(uncached - threshold, 0) for weight, threshold in hinges)


def excess(model: BeliefMDP, state: State, kept: Allocation, arrival: Arrival) -> int:
    """Return the excess of a next turn."""
    new = arrival.place == len(kept)
    there = 0 if new else state.conversations[arrival.place].past - kept[arrival.place]
    return charged(model.hinges(arrival.kind), there + arrival.prompt)


def first_turn(model: BeliefMDP, kind: int, prompt: int, response: int) -> State:
    """Return the state after the very first turn."""
    return after(model, State((), ()), Arrival(Fraction(1), 0, prompt, response, (), kind))
