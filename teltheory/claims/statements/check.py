"""A statement in a line is a claim: its terms are measured on small cases, smallest first, then on random ones.

Measures of a policy are TEL, uncached or prefill (the tokens that it computes), hits and violations. A policy
is in its short form; a xi or q_hat that it leaves out is the case's, and a cutoff is max(0, xi - q_hat). Of a
case a text may name xi, q_hat, capacity (in tiers that of the first), turns, conversations, tokens (all of the
trace), prompts (their sum) and max_prompt (the longest prompt that continues a conversation). On forests turns
are requests, blocks take the place of conversations, tokens and prompts, and max_prompt is the most that a
request adds to what it knows. `teltheory.claims.statements.grammar` has the grammar.

>>> from teltheory.claims.statements.check import check
>>> check("TEL(tlru) <= TEL(lru)", where="q_hat * turns = prompts", samples=0).counterexample["values"]
{'TEL(tlru)': 1, 'TEL(lru)': 0}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import Any, TypeAlias

from teltheory.base.progress import Count, Progress, reporting
from teltheory.claims.case import Case, World
from teltheory.claims.claim import Claim, Effort, Values
from teltheory.claims.forests import ForestCase, SmallForests, any_depth, no_tail, no_threshold, whole_path
from teltheory.claims.forests import no_estimate as no_estimate_on_forests
from teltheory.claims.search import decide
from teltheory.claims.statements.grammar import (
    Leaf,
    Measure,
    Relations,
    Statement,
    parse_condition,
    parse_statement,
)
from teltheory.claims.statements.tiers import SmallTiers, TieredCase
from teltheory.claims.verdict import Verdict
from teltheory.claims.worlds import Limits, SmallWorlds, no_estimate
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.policies.spec import parse_policies

Replayed: TypeAlias = tuple[list[Any], list[int]]
"""What each turn computes, and what it reuses."""
Sizes: TypeAlias = tuple[Limits, Limits]

MEASURED: Mapping[str, Callable[[Any, int, int], Any]] = {
    "TEL": lambda computed, reused, xi: max(computed - xi, 0),
    "uncached": lambda computed, reused, xi: computed,
    "prefill": lambda computed, reused, xi: computed,
    "hits": lambda computed, reused, xi: reused,
    "violations": lambda computed, reused, xi: int(computed > xi),
}
"""What a measure is at a turn."""


def check(
    statement: str,
    where: str | None = None,
    *,
    forced: bool = False,
    forests: bool = False,
    tiers: bool = False,
    effort: Effort = "quick",
    samples: int = 2000,
    progress: Progress = None,
) -> Verdict:
    """Decide a statement on small cases: it holds within the scope that is printed, or is refuted by the smallest.

    Parameters
    ----------
    statement : str
        Measures of policies, compared, in sum or ``per turn``: ``"uncached(tlru) <= uncached(lru) per turn"``.
    where : str, optional
        Conditions on the case, with ``and`` between them.
    forced : bool
        Forced caching.
    forests, tiers : bool
        Shared prefixes; two exclusive tiers of memory, with loads in quarters of computing.
    effort : {"quick", "full"}
        How many cases are tried.
    samples : int
        Random cases after that, in tiers a tenth of them, at full effort twenty times as many.
    progress : callable or bool, optional
        Called with the cases tried, and None; True shows a bar on standard error.

    Returns
    -------
    Verdict
        "holds", "refuted" or, if no case is as `where` says, "undecided". ``counterexample`` has the smallest case
        and its values, ``natural`` the smallest in which no length is 0; ``as_dict()`` is a row of the ledger.

    Raises
    ------
    ArgumentError
        For a text that is no statement: with the place, what stands there, and what may.
    """
    kind = _kind(forests, tiers)
    stated = Stated.of(statement, where, kind)
    space = kind.space(stated, forced, whole_number("samples", samples))
    told = stated.told(forced, kind.name)
    with reporting(progress, "Trying cases, smallest first") as report:
        values = partial(_counted, Count(report), stated)
        return decide(Claim("statement", "a statement of one's own", told, values, stated.holds, space), effort)


def _counted(count: Count, stated: Stated, case: Any) -> Values | None:
    count.step()
    return stated.values(case)


@dataclass(frozen=True)
class Stated:
    """A statement and its condition, with the policies that it names, by their texts."""

    statement: Statement
    where: tuple[Relations, ...]
    kind: Subject
    policies: Mapping[str, Any]

    @classmethod
    def of(cls, statement: str, where: str | None, kind: Subject) -> Stated:
        """Read both."""
        parsed = parse_statement(statement, kind.parameters)
        conditions = () if where is None else parse_condition(where, kind.parameters)
        named = (leaf for leaf in parsed.comparison.leaves() if isinstance(leaf, Measure))
        return cls(parsed, conditions, kind, {leaf.policy: _policy(leaf) for leaf in named})

    def told(self, forced: bool, kind: str) -> str:
        """Return the whole statement in words."""
        where = f" where {' and '.join(map(str, self.where))}" if self.where else ""
        return f"{self.statement}{where}; {'forced' if forced else 'optional'} caching, {kind}."

    def needs(self, parameter: str) -> bool:
        """Whether a policy takes a parameter from the case, or a text names it."""
        named = {
            str(leaf) for comparison in (self.statement.comparison, *self.where) for leaf in comparison.leaves()
        }
        return parameter in named or any(spec.needs(parameter) for spec in self.policies.values())

    @property
    def needs_xi(self) -> bool:
        """Whether the threshold makes a difference."""
        measured = (leaf.name for leaf in self.statement.comparison.leaves() if isinstance(leaf, Measure))
        return self.needs("xi") or self.needs("cutoff") or not {"TEL", "violations"}.isdisjoint(measured)

    def values(self, case: Any) -> Values | None:
        """Return the values of the statement's terms; None if the case is not as the condition says."""
        if not all(condition(case) for condition in self._conditions):
            return None
        return {str(leaf): self._value(leaf, case) for leaf in self.statement.comparison.leaves()}

    @cached_property
    def _conditions(self) -> list[Callable[[Any], bool]]:
        return [condition.read(lambda leaf: self.kind.parameters[str(leaf)]) for condition in self.where]

    def _value(self, leaf: Leaf, case: Any) -> Any:
        if not isinstance(leaf, Measure):
            return self.kind.parameters[leaf.name](case)
        policy = _built(self.policies[leaf.policy], case.xi, case.q_hat)
        computed, reused = self.kind.replayed(case, policy)
        if min(reused, default=0) < 0:
            raise ArgumentError("policy", leaf.policy, "one that keeps 0 or more of each conversation")
        each = [MEASURED[leaf.name](*turn, case.xi) for turn in zip(computed, reused, strict=True)]
        return each if self.statement.per_turn else sum(each)

    def holds(self, values: Values) -> bool:
        """Whether the statement is true of these values, of each turn's where it is for every turn."""
        if not self.statement.per_turn:
            return self._compared(values)
        turns = next(len(value) for value in values.values() if isinstance(value, list))
        return all(self._compared(_at(values, turn)) for turn in range(turns))

    @cached_property
    def _compared(self) -> Callable[[Any], bool]:
        return self.statement.comparison.read(lambda leaf: itemgetter(str(leaf)))


def _at(values: Values, turn: int) -> Values:
    return {name: value[turn] if isinstance(value, list) else value for name, value in values.items()}


def _policy(leaf: Measure) -> Any:
    """Read a policy; an error says where it stands."""
    try:
        spec = parse_policies(leaf.policy)
        _built(spec, 0, 0)
    except ArgumentError as error:
        place = f"statement, character {leaf.at + 1}, {error.argument}"
        raise ArgumentError(place, error.found, error.expected) from None
    return spec


@cache
def _built(spec: Any, xi: int, q_hat: int) -> Any:
    return spec.build(xi, q_hat, max(0, xi - q_hat))


def _estimates(world: World, xi: int) -> range:
    """Return 0 to one more than the longest continuing prompt and xi, from where on nothing changes."""
    return range(max(*world.continuing_prompts, 0, xi) + 2)


def _new(case: ForestCase) -> int:
    pairs = zip(case.total, case.known, strict=True)
    return max((total - known for total, known in pairs if known), default=0)


def _estimates_on_forests(case: ForestCase) -> range:
    return range(max(_new(case), case.xi) + 2)


def _zero(world: Any) -> range:
    return range(1)


@dataclass(frozen=True)
class Subject:
    """What statements are about: what its cases have by name, how policies run on them, and which are tried."""

    name: str
    parameters: Mapping[str, Callable[[Any], int]]
    replayed: Callable[[Any, Any], Replayed]
    space: Callable[[Stated, bool, int], Any]


def _on_chains(case: Case, policy: Any) -> Replayed:
    return case.uncached(policy), case.reuses(policy)


def _on_forests(case: ForestCase, policy: Any) -> Replayed:
    reused = case.replay(policy)
    return [total - found for total, found in zip(case.total, reused, strict=True)], reused


def _in_tiers(case: TieredCase, policy: Any) -> Replayed:
    return case.replayed(policy)


def _worlds(kind: type[SmallWorlds], sizes: Sizes, natural: Sizes) -> Callable[[Stated, bool, int], SmallWorlds]:
    def space(stated: Stated, forced: bool, samples: int) -> SmallWorlds:
        drawn = samples // 10 if kind is SmallTiers else samples
        found = kind(*sizes, forced=forced, conversations=3, samples=drawn, natural_sizes=natural)
        estimated = replace(found, estimates=_estimates if stated.needs("q_hat") else no_estimate)
        return estimated if stated.needs_xi else replace(estimated, thresholds=_zero)

    return space


def _forests(stated: Stated, forced: bool, samples: int) -> SmallForests:
    estimates = _estimates_on_forests if stated.needs("q_hat") else no_estimate_on_forests
    ranges: dict[str, Any] = {"asks": whole_path, "totals": no_tail, "estimates": estimates}
    thresholds = any_depth if stated.needs_xi else no_threshold
    return SmallForests(*FORESTS, **ranges, thresholds=thresholds, forced=forced, samples=samples)


CHAINS: Sizes = {1: 3, 2: 4, 3: 5, 4: 3}, {1: 6, 2: 6, 3: 6, 4: 5, 5: 3}
NATURAL: Sizes = {1: 2, 2: 2, 3: 3}, {1: 4, 2: 4, 3: 4, 4: 2}
TIERS: Sizes = {1: 1, 2: 2, 3: 2}, {1: 2, 2: 3, 3: 3, 4: 1}
NATURAL_TIERS: Sizes = {2: 1}, {2: 2, 3: 1}
FORESTS: Sizes = {1: 3, 2: 4, 3: 3}, {1: 4, 2: 5, 3: 4, 4: 4}
"""Most tokens, or blocks, by the number of turns, at either effort."""
OF_ANY: dict[str, Callable[[Any], int]] = {
    "xi": lambda case: case.xi,
    "q_hat": lambda case: case.q_hat,
    "capacity": lambda case: case.capacity,
}
OF_TRACES = OF_ANY | {
    "turns": lambda case: len(case.world.turns),
    "conversations": lambda case: case.measures()["conversations"],
    "tokens": lambda case: case.world.tokens,
    "prompts": lambda case: sum(prompt for _, prompt, _ in case.world.turns),
    "max_prompt": lambda case: max(case.world.continuing_prompts, default=0),
}
OF_FORESTS = OF_ANY | {
    "turns": lambda case: len(case.ask),
    "blocks": lambda case: len(case.shape.parent),
    "max_prompt": _new,
}
PRIVATE = Subject("private conversations", OF_TRACES, _on_chains, _worlds(SmallWorlds, CHAINS, NATURAL))
SHARED = Subject("shared prefixes", OF_FORESTS, _on_forests, _forests)
TIERED = Subject("two tiers of memory", OF_TRACES, _in_tiers, _worlds(SmallTiers, TIERS, NATURAL_TIERS))


def _kind(forests: bool, tiers: bool) -> Subject:
    if forests and tiers:
        raise ArgumentError("tiers", tiers, "either forests or tiers: there are no small forests in tiers")
    return SHARED if forests else TIERED if tiers else PRIVATE
