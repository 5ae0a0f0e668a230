"""ET-LRU (Zhang et al. 2025, Appendix D, Algorithm 2) as a policy.

After each turn, while the cache overflows, the conversation with the smallest score

    v_i = r_i P(L_i + Q_i - xi >= X_i)

loses a token; r_i is the belief turn rate, Q_i the next prompt. Equal scores, zero among them: the least recent
conversation first. So with homogeneous rates, one fixed prompt Q and the paper's belief it is T-LRU(xi, Q) with
least-recent trim, turn by turn, and with homogeneous rates and xi = 0 it is LRU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from teltheory.errors import ArgumentError, FileError
from teltheory.model.instance import Instance
from teltheory.model.numbers import LARGEST, FloatArray, IntArray, real_number
from teltheory.policies.learned.eviction import evict_lowest
from teltheory.policies.learned.model_file import read_model
from teltheory.policies.learned.next_event import next_event
from teltheory.policies.learned.posterior import bayes_posterior
from teltheory.policies.learned.scores import Steps, learnt_steps, log_bayes_rate, log_order, steps_of
from teltheory.policies.node import Node
from teltheory.policies.policy import CuttingPolicy, Length, checked_length
from teltheory.workloads.laws import Law

Belief: TypeAlias = Literal["paper", "bayes", "next-event"]
Prompts: TypeAlias = "Law | Sequence[Law] | Literal['learnt']"
LEARNT = "learnt"
NEGLIGIBLE = 1e-16
"""A conversation without cached tokens that is alive with at most this probability is nobody's rival."""


class LawTable(NamedTuple):
    """The steps of the different laws, and which of them each conversation has, by its code."""

    steps: list[Steps]
    of_code: IntArray


@dataclass(frozen=True)
class ETLRU:
    """Expected-Tail-Optimized LRU.

    Parameters
    ----------
    xi : int or str
        Threshold, in the trace's unit.
    prompts : Law, sequence of Law, or "learnt"
        Law of the next prompt: of every conversation; of each in order of first arrival (`Trace.code`; those of
        the initial cache that never arrive follow, as they are listed); or the empirical law of the prompts that
        have continued a conversation so far, before the first of which the next prompt counts as 0.
    death_rate : float
        mu a second, above 0.
    turn_rate : float or sequence of float
        lambda a second, above 0: of every conversation, or of each in the same order.
    birth_rate : float, optional
        lambda_conv a second; only the belief "next-event" needs it.
    belief : {"paper", "bayes", "next-event"}
        r_i is lambda_i exp(-mu tau_i), tau_i the silence since i's last turn; lambda_i times the probability that
        i is alive given that silence; the probability that the next turn is i's, given all silences.

    Raises
    ------
    ArgumentError
        For a wrong value; from a replay, if the trace has no arrival times, or if there are fewer laws or
        rates than conversations.
    """

    name = "et-lru"
    loop = "scored"
    made_by = "of_model"
    example = 'et-lru:model=rates.json, a file such as {"death_rate": 0.002, "turn_rate": 0.02}, both a second'
    xi: Length
    prompts: Prompts
    death_rate: float
    turn_rate: float | Sequence[float]
    birth_rate: float | None = None
    belief: Belief = "paper"

    def __post_init__(self) -> None:
        object.__setattr__(self, "xi", checked_length("xi", self.xi))
        object.__setattr__(self, "prompts", _prompts(self.prompts))
        object.__setattr__(self, "death_rate", real_number("death_rate", self.death_rate, 0))
        object.__setattr__(self, "turn_rate", _rates(self.turn_rate))
        if self.belief not in get_args(Belief):
            raise ArgumentError("belief", self.belief, "one of " + ", ".join(get_args(Belief)))
        if self.birth_rate is not None or self.belief == "next-event":
            object.__setattr__(self, "birth_rate", real_number("birth_rate", self.birth_rate, 0))

    @classmethod
    def of_model(cls, xi: int, model: str, belief: Belief = "paper") -> ETLRU:
        """Make the policy of a model file; see `teltheory.policies.learned.model_file`.

        Raises
        ------
        FileError
            If the file holds no model.
        """
        found = read_model(model)
        try:
            return cls(xi, belief=belief, **found)
        except ArgumentError as error:
            raise FileError(f"{model}, {error}") from None

    @property
    def has_kernel(self) -> bool:
        """Whether the kernel runs it: with every belief but "next-event"."""
        return self.belief != "next-event"

    @cached_property
    def _rate_values(self) -> FloatArray:
        return np.atleast_1d(np.asarray(self.turn_rate, np.float64))

    def rates(self, instance: Instance) -> FloatArray:
        """Return the turn rate of each conversation of an instance, by its code."""
        values, needed = self._rate_values, conversations_of(instance)
        if not isinstance(self.turn_rate, tuple):
            return np.full(needed, values[0])
        if len(values) < needed:
            raise ArgumentError("turn_rate", values.tolist(), f"{needed} rates, one a conversation")
        return values

    def laws(self, instance: Instance) -> tuple[Law, ...]:
        """Return the prompt law of every conversation of an instance, or of each by its code; () if learnt."""
        if self.prompts == LEARNT:
            return ()
        if not isinstance(self.prompts, tuple):
            return (self.prompts,)  # type: ignore[return-value]
        needed = conversations_of(instance)
        if len(self.prompts) < needed:
            raise ArgumentError("prompts", self.prompts, f"{needed} laws, one a conversation")
        return self.prompts

    def law_table(self, instance: Instance) -> LawTable:
        """Return the steps of the different prompt laws, and which of them each conversation has."""
        numbers: dict[Law, int] = {}
        of_code = [numbers.setdefault(law, len(numbers)) for law in self.laws(instance)]
        longest = max([int(instance.past.max(initial=0)), *(start.past for start in instance.initial)])
        return LawTable([steps_of(law, self.xi, longest) for law in numbers], np.array(of_code, np.int64))

    def bound_to(self, instance: Instance) -> Callable[[int], CuttingPolicy]:
        """Return the cuts of a replay of the instance."""
        return _Bound(self, instance, seconds(instance)).at


def conversations_of(instance: Instance) -> int:
    """Return the number of conversations of an instance, those that never arrive included."""
    return max([instance.requests.conversations, *(start.code + 1 for start in instance.initial)])


def seconds(instance: Instance) -> FloatArray:
    """Return the time of each turn since the first one, in seconds.

    Raises
    ------
    ArgumentError
        If the trace has no arrival times.
    """
    arrival = instance.requests.arrival
    if arrival is None:
        raise ArgumentError("trace", "no arrival times", "arrival times, from which ET-LRU takes its beliefs")
    return np.asarray(arrival - arrival[:1], np.float64)


def continuing_turns(instance: Instance) -> IntArray:
    """Return the turns that continue a conversation, one of the initial cache included."""
    trace = instance.requests
    started = np.zeros(conversations_of(instance), np.bool_)
    started[[start.code for start in instance.initial]] = True
    return np.flatnonzero(trace.continuing | started[trace.code])


@dataclass(frozen=True)
class _Bound:
    """ET-LRU on an instance."""

    policy: ETLRU
    instance: Instance
    times: FloatArray

    def at(self, turn: int) -> CuttingPolicy:
        """Return the cut after a turn."""
        return _Cut(self, turn)

    @cached_property
    def rates(self) -> FloatArray:
        return self.policy.rates(self.instance)

    @cached_property
    def order(self) -> FloatArray:
        """The order of the paper's beliefs: after each turn of its conversation."""
        return log_order(np.log(self.rates)[self.instance.requests.code], self.times, self.policy.death_rate)

    @cached_property
    def table(self) -> LawTable:
        return self.policy.law_table(self.instance)

    @cached_property
    def continuing(self) -> IntArray:
        return continuing_turns(self.instance)

    @cached_property
    def prompts(self) -> IntArray:
        return self.instance.requests.prompt[self.continuing]

    def steps_after(self, turn: int) -> Callable[[Node], Steps]:
        if self.policy.prompts == LEARNT:
            learnt = learnt_steps(self.prompts[: np.searchsorted(self.continuing, turn, side="right")])
            return lambda _: learnt
        steps, of_code = self.table
        return (lambda c: steps[of_code[c.code]]) if len(steps) > 1 else (lambda _: steps[0])

    def worth(self, turn: int, holding: Sequence[Node], known: Sequence[Node]) -> list[float]:
        """Return the logarithm of the belief turn rates of `holding`, except for a common summand.

        `known` is who has arrived so far, except for the conversation that is exempt.
        """
        if self.policy.belief == "paper":
            return [self._order(c) for c in holding]
        if self.policy.belief == "bayes":
            mu, rates = self.policy.death_rate, self.rates
            return [log_bayes_rate(float(rates[c.code]), mu, self._silence(turn, c)) for c in holding]
        likely = self._next_event(turn, known)
        return [likely[c.code] for c in holding]

    def _silence(self, turn: int, conversation: Node) -> float:
        return float(self.times[turn] - self.times[max(conversation.last, 0)])

    def _order(self, conversation: Node) -> float:
        if conversation.last >= 0:
            return float(self.order[conversation.last])
        return float(np.log(self.rates[conversation.code]))

    def _next_event(self, turn: int, known: Sequence[Node]) -> dict[int, float]:
        """Return the logarithm of the probability that a conversation is the next to arrive, by its code."""
        silence = {c.code: self._silence(turn, c) for c in known}
        silence[int(self.instance.requests.code[turn])] = 0.0
        codes = np.array(list(silence))
        mu, births = self.policy.death_rate, self.policy.birth_rate or 0.0
        rates = self.rates[codes]
        alive = bayes_posterior(np.array(list(silence.values())), mu, rates)
        holding = {c.code for c in known if c.cached > 0}
        rivals = (alive > NEGLIGIBLE) | np.array([code in holding for code in silence])
        with np.errstate(divide="ignore"):
            likely = np.log(next_event(alive[rivals], rates[rivals], mu, births)[0])
        _, same, of = np.unique((alive[rivals], rates[rivals]), axis=1, return_index=True, return_inverse=True)
        likely = likely[same][of]  # a quadrature may round differently for conversations that are alike
        return dict(zip(codes[rivals].tolist(), likely.tolist(), strict=True))


@dataclass(frozen=True)
class _Cut:
    """ET-LRU's cut after a turn."""

    bound: _Bound
    turn: int

    def cut(self, conversations: Sequence[Node], overflow: int) -> None:
        """Run Algorithm 2 on the overflow."""
        if overflow <= 0:
            return
        holding = [c for c in conversations if c.cached > 0]
        worth = self.bound.worth(self.turn, holding, conversations)
        steps, xi = self.bound.steps_after(self.turn), self.bound.policy.xi

        def score(i: int, cached: int) -> float:
            conversation = holding[i]
            return worth[i] + steps(conversation).at(cached - conversation.past + xi)

        left = evict_lowest([c.cached for c in holding], score, overflow).cached
        for conversation, cached in zip(holding, left, strict=True):
            conversation.cached = cached


def _prompts(value: Any) -> Prompts:
    if isinstance(value, str) and value == LEARNT:
        return "learnt"
    laws = value if isinstance(value, (list, tuple)) else [value]
    for law in laws:
        if not hasattr(law, "at_least"):
            raise ArgumentError("prompts", value, "a law, one for each conversation, or 'learnt'")
    return tuple(laws) if laws is value else value


def _rates(value: Any) -> float | tuple[float, ...]:
    if np.ndim(value) == 0:
        return real_number("turn_rate", value, 0)
    rates = np.asarray(value)
    if rates.ndim != 1 or rates.dtype.kind not in "iuf":
        raise ArgumentError("turn_rate", value, "a rate, or one for each conversation")
    for place in np.flatnonzero(~((rates > 0) & (rates <= LARGEST)))[:1]:
        real_number(f"turn_rate[{place}]", float(rates[place]), 0)
    return tuple(rates.astype(np.float64).tolist())
