"""What the commands of the belief MDP are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from teltheory.belief.compared import METHODS, read_rule
from teltheory.belief.optimality import ScoreRule
from teltheory.belief.rules import POLICIES
from teltheory.belief.slots import MOST_STATES
from teltheory.cli.asked.options import bundled, whole
from teltheory.cli.parts import option
from teltheory.errors import ArgumentError
from teltheory.model.display import counted
from teltheory.model.numbers import read_fraction
from teltheory.model.units import listed_values


@dataclass(frozen=True)
class Lookahead:
    """Which turns count, and which policies are compared."""

    turns: str | None = None
    discount: str | None = None
    average: bool = False
    silent: int | None = None
    policies: tuple[str, ...] = ()
    method: str = "value-iteration"
    most_states: int = MOST_STATES

    def horizons(self) -> dict[str, dict[str, Any]]:
        """Return by name what a solver is asked: for each number of turns, or for the one that is asked."""
        numbers = {"--turns": self.turns is not None, "--discount": self.discount is not None}
        given = [name for name, one in {**numbers, "--average": self.average}.items() if one]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ArgumentError("turns ahead", found, "one of --turns, --discount and --average")
        rest = {"silent": self.silent, "most": self.most_states, "average": self.average}
        if self.turns is not None:
            several = map(_turns, listed_values("--turns", [self.turns]))
            return {counted(turns, "turn"): {"turns": turns, **rest} for turns in several}
        if self.silent is None:
            expected = "K: who was silent for so many turns of others is forgotten, such as --silent 5"
            raise ArgumentError("--silent", "nothing", expected)
        if self.discount is None:
            return {"average": rest}
        gamma = read_fraction("--discount", self.discount, "a number from 0 to below 1, such as 0.9")
        if not 0 <= gamma < 1:
            raise ArgumentError("--discount", self.discount, "a number from 0 to below 1, such as 0.9")
        return {f"discount {gamma}": {"discount": gamma, **rest}}

    def rules(self) -> list[ScoreRule]:
        """Return the policies; all if none is named."""
        return [read_rule(text) for text in self.policies] or list(POLICIES.values())


def _turns(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise ArgumentError("--turns", text, "a whole number of turns, or several with commas between them")


def numbers_of(row: Mapping[str, Any]) -> list[str]:
    """Return a row's regret as tables show it: in the finite model, at most, and of the optimum."""
    return [f"{row['regret']:.6f}", f"{row['regret_upper']:.4f}", f"{row['percent']:.2f}"]


policies_option = option(
    "--policy", "policies", multiple=True, metavar="POLICY", help=f"Policy of the cache. {', '.join(POLICIES)}."
)
lookahead_options = bundled(
    "ahead",
    Lookahead,
    option("--turns", metavar="M,...", help="Number of turns. That are ahead, 4 or 1,2,4,8."),
    option(
        "--discount", metavar="GAMMA", help="Weight of a turn against the one before it. 0.9 or 9/10, exactly."
    ),
    option("--average", is_flag=True, help="Take the mean of all turns ahead."),
    option(
        "--silent",
        type=click.IntRange(1),
        metavar="K",
        help="Number of turns of others after which a silent conversation is forgotten.",
    ),
    policies_option,
    option(
        "--method",
        type=click.Choice(list(METHODS)),
        default="value-iteration",
        show_default=True,
        help="How the optimum is found.",
    ),
    whole("--most-states", MOST_STATES, "Number of states that are too many."),
)
