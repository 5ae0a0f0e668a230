"""The front door: a problem is requests, a memory and a threshold, and all else is a verb of it.

>>> import teltheory as tt
>>> trace = tt.Trace.from_turns(conversation=[0, 1, 0], prompt=[100, 100, 100], response=[0, 0, 0])
>>> problem = tt.Problem(trace, capacity=100, xi=160)
>>> problem.tel(problem.replay("lru")), problem.optimum().objective
(40, 0)
>>> problem.regret("tlru")
(0, 0)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from teltheory.base.progress import Progress
from teltheory.cost.given import Units
from teltheory.cost.goals import read_level
from teltheory.cost.metrics import slo_violations, tail_excess_latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.model.problem import PlainProblem
from teltheory.model.units import Seconds, is_time
from teltheory.optimal import Method, check_certificate, hindsight_optimum
from teltheory.policies.named import policy_of
from teltheory.replay import Engine, replay
from teltheory.replay.curve import CapacityCurve, capacity_curve
from teltheory.replay.engine_rules import Rules

if TYPE_CHECKING:
    from teltheory.advice import Advice
    from teltheory.model.outcome import Outcome
    from teltheory.model.tiers import TieredOutcome
    from teltheory.optimal.adversary import Attack
    from teltheory.optimal.certificate import Weights
    from teltheory.optimal.sides import Optimum
    from teltheory.serving.served import Served

EXPECTED = {
    "capacity": "a size such as '300k', '40GiB' or '10%', or tt.Tiers(...)",
    "xi": "a threshold such as 2800 or '200ms'",
}


@dataclass(frozen=True)
class Problem(PlainProblem):
    """Requests, a memory and a threshold: what is asked. Each verb answers it, as the function of its name does.

    Functions take the same arguments, with the same meanings, one by one.

    Parameters
    ----------
    requests : Trace, Forest or ModuleTrace
        The turns, as private conversations; the requests that share prefixes, such as `Trace.forest`; or requests
        for sets of modules. Functions call them `trace`.
    capacity : int, str or Tiers, optional
        Capacity of the cache, in the requests' unit (tokens of a Trace, blocks of a Forest), or as text such as
        ``"300k"`` tokens, ``"40GiB"`` or ``"10%"`` of what an endless cache holds at its peak; or of each tier of
        memory, see `Tiers`.
    xi : int or str, optional
        Threshold, in the requests' unit, or as text such as ``"2800"`` tokens or ``"200ms"``, the most uncached
        tokens whose TTFT keeps it.
    model : str, path, Architecture or KVSize, optional
        Whose bytes and times they are, where text has them: a name such as ``"llama-2-7b"``, or the path of its
        ``config.json``.
    forced : bool
        Forced caching (Zhang et al. 2025, Appendix E): the arriving conversation is exempt from the cut of its own
        turn; of module sets, all items of the arriving request are. Of the optimum (9) in place of (4).
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first; of a forest (conversation, leaf, cached), as in `ForestInstance.of`; of
        module sets and of tiers it is empty.
    running : int
        On a forest under forced caching: requests that run at the same time; the paths of so many of the latest
        requests are exempt from the cut.
    cache : {"strict", "holes", "whole"}, RadixNodes or WholeNodes
        What a cache of shared prefixes may hold. "strict": what is cached is closed towards the root, and leaves
        go first (radix trees). "holes": a block may outlive its parent, and is hit again once the parent is
        computed anew (block pools). `RadixNodes`: strict, and nodes are evicted whole (SGLang); always forced.
        `WholeNodes`: strict, and the forest's nodes are cached whole or not at all (RAGCache); always forced. A
        private conversation is strict; in tiers a cache is strict or of whole nodes. Of module sets any prefix of
        an item is kept ("strict"), or an item whole or not at all ("whole").
    rules : Rules or str, optional
        What an engine's cache does, in the place of `cache`: "vllm", "sglang", "trtllm", such a name with
        parameters (``"sglang:chunk=2048"``), or `Rules`. Of a forest in one cache. None: blocks, leaves first.
    latency : Latency, str or path, optional
        Turns tokens into seconds, in the place of the model's own: a latency model, a name of `EMBEDDED`, or the
        path of a file of ``calibrate --save``.

    Attributes
    ----------
    memory : int, Tiers or None
        The capacity in the requests' unit.
    threshold : int or None
        The threshold in the requests' unit.

    Raises
    ------
    ArgumentError
        Text that is no size or time, bytes or a time without a model; rules that there are not.
    """

    memory: Any = field(init=False, repr=False)
    threshold: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        units = self.units
        memory = None if self.capacity is None else units.memory(self.capacity)
        object.__setattr__(self, "memory", memory)
        object.__setattr__(self, "rules", None if self.rules is None else Rules.of(self.rules))
        object.__setattr__(self, "threshold", None if self.xi is None else units.xi(self.xi))

    @property
    def units(self) -> Units:
        """What sizes and times in text are counted in."""
        return Units.of(self.requests, self.model, self.latency)

    def policy(self, policy: Any) -> Any:
        """Return the policy of a short form, with this threshold where it has none; another policy as it is."""
        return policy_of(policy, self.requests, self.units, self.threshold)

    def replay(self, policy: Any, engine: Engine = "auto", progress: Progress = None) -> Any:
        """Return what a policy reuses and computes, in tiers of each of them; see `teltheory.replay`."""
        asked: Any = self._rest | {"engine": engine, "progress": progress, "rules": self.rules}
        return replay(self.requests, self.policy(policy), self._room, **asked)

    def tel(self, outcome: Outcome | TieredOutcome) -> Any:
        """Return TEL of an outcome above the threshold, in the requests' unit: an int, of tiers a Fraction."""
        given: Any = outcome
        return tail_excess_latency(given, self._xi)

    def violations(self, outcome: Outcome | TieredOutcome) -> int:
        """Return how many turns of an outcome compute more than the threshold."""
        return slo_violations(outcome, self._xi)

    def optimum(self, method: Method = "auto", time_limit: float | None = None) -> Optimum:
        """Return the least TEL that any policy reaches; see `hindsight_optimum`."""
        own = self._ruled
        search: Any = {"method": method, "time_limit": time_limit}
        return hindsight_optimum(own.requests, own._room, own._xi, **search, **own._rest)

    def check_certificate(self, certificate: Any, weights: Weights | None = None) -> None:
        """Raise `CertificateError` where a certificate proves nothing; see `teltheory.check_certificate`."""
        own = self._ruled
        start: Any = {"forced": own.forced, "initial": own.initial, "running": own.running}
        check_certificate(own.requests, own._room, own._xi, certificate, weights=weights, **start)

    def fewest_violations(self, **search: Any) -> Optimum:
        """Return the fewest turns above the threshold that any policy reaches; see `fewest_violations`.

        Parameters
        ----------
        **search
            method, time_limit and seed.
        """
        from teltheory.optimal.slo.violations import fewest_violations

        own = self._ruled
        requests: Any = own.requests
        return fewest_violations(requests, own._room, own._xi, **search, **own._rest)

    def best_percentile(self, q: float | str, **search: Any) -> Optimum:
        """Return the least percentile of uncached lengths that any policy reaches; see `best_percentile`.

        Parameters
        ----------
        q : float or str
            Its level, such as 0.95 or ``"p95"``.
        **search
            time_limit and seed.
        """
        from teltheory.optimal.slo.percentile import best_percentile

        own = self._ruled
        requests: Any = own.requests
        level = share_of(q, len(requests)) if isinstance(q, str) else q
        return best_percentile(requests, own._room, level, **search, **own._rest)

    def regret(self, policy: Any) -> tuple[Any, Any]:
        """Return the least and the most that a policy's TEL is above the optimum; equal where that is proved."""
        tel, best = self.tel(self.replay(policy)), self.optimum()
        return tel - best.upper, tel - best.lower

    def curve(self, policy: Any) -> CapacityCurve:
        """Return what a policy reuses at every capacity, optional caching; see `capacity_curve`."""
        self._refuse("a curve", "forced", "initial", "running", "rules")
        requests: Any = self.requests
        return capacity_curve(requests, self.policy(policy), cache=self.cache, model=self.model)

    def serve(self, policy: Any, **serving: Any) -> Served:
        """Return what replicas with queues do, each with this capacity; see `teltheory.serve`.

        Parameters
        ----------
        policy : Policy or str, or a sequence of them
            Of every replica.
        **serving
            replicas, router, stretch, ticks, batching, shared, engine and progress.
        """
        from teltheory.serving.serve import serve

        self._refuse("serving", "initial", "running", "rules")
        requests: Any = self.requests
        given: Any = {name: getattr(self, name) for name in ("forced", "cache", "latency", "model")}
        return serve(requests, self.policy(policy), self._room, **given, **serving)

    def advise(self, slo: Seconds | None = None, **options: Any) -> Advice:
        """Choose a policy's threshold on the first part of the requests, and judge it on the rest; see `advise`.

        Parameters
        ----------
        slo : int, float, Fraction or str, optional
            Seconds to the first token, or text such as ``"200ms"``. Left out, it is the threshold, if a time is.
        **options
            goal, work_cost, median_cost, policy, q_hat, first, seed, progress, serving and load.
        """
        from teltheory.advice import advise

        self._refuse("advice", "forced", "initial", "running", "cache")
        if slo is None:
            slo = self.xi if isinstance(self.xi, str) and is_time(self.xi) else None
        if slo is None:
            raise ArgumentError("slo", slo, "a time such as '200ms', here or as the xi of the problem")
        asked: Any = (self.requests, self._given("capacity"), slo, self.latency)
        found: Advice = advise(*asked, model=self.model, rules=self.rules, **options)
        return found

    def adversary(self, policy: Any, conversations: int = 2, augmentation: int = 1, **game: Any) -> Attack:
        """Return a trace on which an online policy pays at this capacity and the optimum pays nothing.

        Parameters
        ----------
        policy : str, Policy or callable
            As in `teltheory.adversary`, or its short form.
        conversations, augmentation : int
            As in `teltheory.adversary`, whose budget is the capacity's share.
        **game
            phases and seeds.
        """
        from teltheory.optimal.adversary import adversary

        self._refuse("the adversary", "rules")
        budget = whole_number("capacity", self._room) // (augmentation + self.forced)
        lengths = (budget, conversations, augmentation, self._xi, self.forced)
        return adversary(self.policy(policy), *lengths, **game)

    @property
    def _rest(self) -> dict[str, Any]:
        names = ("forced", "initial", "running", "cache")
        return {name: getattr(self, name) for name in names}

    @property
    def _ruled(self) -> Problem:
        """The same problem with its rules spelled out; an error where whole nodes go."""
        if self.rules is None:
            return self
        if self.rules.nodes is not None:
            raise ArgumentError(
                "rules", str(self.rules), "blocks that go one by one: of nodes no optimum is known"
            )
        on = self.rules.on(self.requests, self._room, self.cache, self.forced, self.running)
        return self.with_(**on._asdict(), xi=self._xi, rules=None)

    @property
    def _room(self) -> Any:
        self._given("capacity")
        return self.memory

    @property
    def _xi(self) -> Any:
        self._given("xi")
        return self.threshold

    def _given(self, name: str) -> Any:
        value = getattr(self, name)
        if value is None:
            raise ArgumentError(name, value, f"{EXPECTED[name]}, as a problem without it can't be asked this")
        return value

    def _refuse(self, what: str, *names: str) -> None:
        """Refuse fields that a verb does not know, unless they are as they are when left out."""
        for name in names:
            value, left_out = getattr(self, name), type(self).__dataclass_fields__[name].default
            if value != left_out:
                raise ArgumentError(name, value, f"{left_out!r}, as {what} knows nothing else")


def share_of(level: str, turns: int) -> float:
    """Return what has the exact rank of a level such as ``p95`` in so many turns."""
    found = read_level(level)
    if found is None:
        raise ArgumentError("q", level, "a level above 0, at most 1, or a percentile such as 'p95' or 'p99.9'")
    return found.share(turns)
