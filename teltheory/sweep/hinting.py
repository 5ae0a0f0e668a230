"""Policies that hear hints, where a grid has policies: by a policy and a set of hints, and by the best constant.

1. `HintedSpec` stands in the place of a policy's short form: it makes the policy, and puts hints around it.
2. What is announced beside what a trace records is part of the policy that it makes (`Listening`): one trace is
   replayed under many announcements.
3. A *family* has a constant, such as the seconds after which an agent that is idle is closed. Only finitely many
   values differ on a trace (`teltheory.sweep.constants`): the best one of them is the best of all, in hindsight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.announced import ORACLE
from teltheory.model.announcement import Announcement
from teltheory.model.hints import CLOSE, RESUME, WHAT
from teltheory.policies.hinted import NAMED, Hint, Hinted
from teltheory.policies.own_files import HINT, class_in_file, is_in_file
from teltheory.sweep.constants import Constants, values_that_differ

ALL, NONE = "all", "none"
HINTS = ("close", "superseded", "resume", "retain")
"""The hints of the price list."""
Use = tuple[Any, ...]
HEARD = {NONE: (), "superseded": (), RESUME: (CLOSE, RESUME)}
"""The kinds of events that hints hear of if it is not their own; who is closed does not come back."""


@dataclass(frozen=True)
class Listening:
    """A policy that listens, and what is announced to it; `code` says what of it stands in files."""

    policy: Hinted
    announced: Announcement
    code: tuple[str, ...] = ()


@dataclass(frozen=True)
class BestConstant:
    """A policy that listens, with the constant of a family that is best at a threshold, in tokens.

    At most `most` values are tried: all that differ, or if there are more, as many of them at equal ranks.
    """

    policy: Hinted
    announced: Announcement
    family: str
    tokens: int
    most: int
    code: tuple[str, ...] = ()

    def among(self, requests: Any) -> tuple[Constants, list[Listening]]:
        """Return the values that differ on requests, and the policy with each that is tried."""
        found = values_that_differ(self.family, requests, self.most)
        announced = (self.announced.with_(**{self.family: value}) for value in found.values)
        return found, [Listening(self.policy, one, self.code) for one in announced]


@dataclass(frozen=True)
class HintedSpec:
    """What makes a policy that listens: its short form or what else a grid takes, and what it hears."""

    spec: Any
    use: Use
    announced: Announcement
    family: str | None = None
    most: int = 0

    @property
    def text(self) -> str:
        """The policy and its hints, with a plus between them."""
        return " + ".join((self.spec.text, *map(called, self.use)))

    @property
    def rules(self) -> Any:
        """The rules that the policy has for itself."""
        return self.spec.rules

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the policy."""
        return tuple(getattr(self.spec, "names", ()))

    @property
    def given(self) -> Any:
        """The parameters that were given; without hints none, as the same policy stands beside it with some."""
        return self.spec.given if self.use else ()

    def needs(self, parameter: str) -> bool:
        """Whether the policy has this parameter and it was left out."""
        return hasattr(self.spec, "needs") and bool(self.spec.needs(parameter))

    def build(self, xi: int, *given: Any) -> Any:
        """Make the policy; see `Spec.build`."""
        policy = self.spec.build(xi, *given)
        if not self.use:
            return policy
        if isinstance(policy, tuple):
            return tuple(self._around(one, xi) for one in policy)
        return self._around(policy, xi)

    def _around(self, policy: Any, xi: int) -> Any:
        hinted, code = Hinted(policy, self.use), tuple(_code([policy, *self.use]))
        if self.family is None:
            return Listening(hinted, self.announced, code)
        return BestConstant(hinted, self.announced, self.family, xi, self.most, code)


def called(hint: Any) -> str:
    """Return what a table calls a hint."""
    return hint if isinstance(hint, str) else type(hint).__name__


def _code(values: Iterable[Any]) -> Iterator[str]:
    """Yield the modules of what is not the toolkit's own: those of files are named after their content."""
    modules = (type(one).__module__ for one in values)
    yield from (one for one in modules if one.partition(".")[0] not in ("builtins", "teltheory"))


def knows_returns(policy: Any) -> bool:
    """Whether a policy is told exact times of return that nobody recorded: the future."""
    listens = isinstance(policy, Listening) and RESUME in policy.policy.use
    return listens and policy.announced.resume in (None, ORACLE)


def kinds_heard(sets: Iterable[str]) -> frozenset[str]:
    """Return the kinds of events that sets of hints hear of, as they are written; of those of files all."""
    words = (word.strip() for one in sets for word in one.split(","))
    return frozenset(kind for word in words for kind in HEARD.get(word, (word,) if word in WHAT else WHAT))


def read_hints(given: Any) -> list[Use]:
    """Return sets of hints: each a text such as ``close,superseded``, "none", or a sequence of names and hints."""
    several = [given] if isinstance(given, str | Hint) else list(given)
    return list(dict.fromkeys(map(read_use, several)))


def read_use(one: Any) -> Use:
    """Return one set of hints."""
    words = one.split(",") if isinstance(one, str) else [one] if isinstance(one, Hint) else [*one]
    named = [word.strip() if isinstance(word, str) else word for word in words]
    if NONE in named and len(named) > 1:
        raise ArgumentError("hints", one, f"{NONE} by itself")
    use = tuple(_hint(word) for word in named if word != NONE)
    if len({*map(called, use)}) < len(use):
        raise ArgumentError("hints", one, "each hint at most once")
    return use


def _hint(word: Any) -> Any:
    if isinstance(word, str) and is_in_file(word):
        return class_in_file(word, HINT)()
    if word not in NAMED and not isinstance(word, Hint):
        raise ArgumentError("hints", word, ", ".join((*NAMED, NONE)) + ", or mine.py:Class")
    return word


def heard(specs: Sequence[Any], sets: Sequence[Use], announced: Announcement, all_of_them: bool) -> list[Any]:
    """Return a policy and a set of hints after the other; of `all_of_them` those that can't listen stand once."""
    found = []
    for spec, use in product(specs, sets):
        one = HintedSpec(spec, use, announced) if use else spec
        if use and all_of_them and not _listens(one):
            one = spec
        found.append(one)
    return list(dict.fromkeys(found))


def _listens(spec: HintedSpec) -> bool:
    try:
        spec.build(0, 0)
    except (ArgumentError, TypeError):
        return False
    return True
