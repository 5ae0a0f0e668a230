"""What requests share, as a command is asked to read it, and what is said of that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, exact_sum
from teltheory.model.preambles import first_units, system_prompt, tools, without
from teltheory.model.requests import Requests
from teltheory.model.trace import Trace
from teltheory.model.units import read_tokens
from teltheory.replay.engine_rules import Rules


@dataclass(frozen=True)
class Prefixes:
    """How the prefixes that requests share are read, and the cache that holds them.

    Attributes
    ----------
    chains : bool
        Whether they are left aside, and private conversations replayed.
    cache : str
        The cache of an optimum, such as ``strict``.
    rules : str or None
        The rules of the cache in its place, such as ``sglang``.
    running : int
        Requests that run at the same time, under forced caching.
    block_size : int or None
        Tokens per block; None for the trace's own.
    without : str or None
        What inputs are replayed without: ``system-prompt``, ``tools``, or as many tokens; None for nothing.
    """

    chains: bool = False
    cache: str = "strict"
    running: int = 1
    block_size: int | None = None
    without: str | None = None
    rules: str | None = None

    @property
    def ruled(self) -> Rules:
        """The rules of the cache."""
        return Rules.of(self.rules or self.cache)

    def check(self, forced: bool) -> None:
        """Refuse, before the trace is read, options that do not go together."""
        if self.without is not None and self.without not in NAMED:
            _tokens(self.without)
        forced = self.ruled.references or forced
        if self.running > 1 and not forced:
            raise ArgumentError("--running", self.running, "--forced with it")
        if self.chains:
            self.refuse("none with --chains")

    def of(self, trace: Trace) -> Trace | Forest:
        """Return what is replayed: the forest of a trace with block hashes, else its conversations."""
        if trace.blocks is not None and not self.chains:
            forest = trace.blocks if self.without is None else without(trace.blocks, self._dropped(trace))
            return forest if self.block_size is None else forest.to_blocks(self.block_size)
        if not self.chains:
            self.refuse("a trace with block hashes, as private conversations share nothing")
        return trace

    def _dropped(self, trace: Trace) -> IntArray:
        """Return the units that each node of a trace's forest loses."""
        forest = trace.forest
        if self.without == "system-prompt":
            return system_prompt(forest)
        if self.without == "tools":
            return tools(forest, trace.code)
        return first_units(forest, _tokens(str(self.without)) // forest.block_size)

    def refuse(self, expected: str) -> None:
        """Refuse what was asked of shared prefixes, if anything was."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "chains" and value != field.default:
                raise ArgumentError(f"--{field.name.replace('_', '-')}", value, expected)


NAMED = {
    "system-prompt": "the system prompt, blocks that at least 90 % of the requests begin with",
    "tools": "tools, blocks that requests of more than ten conversations begin with",
}
"""What inputs may be replayed without."""


def _tokens(text: str) -> int:
    try:
        return read_tokens("--without", text)
    except ArgumentError as error:
        raise ArgumentError("--without", text, f"{', '.join(NAMED)} or {error.expected}") from None


OF_FORESTS = ("block_size", "blocks", "rules", "running", "without")
PRIVATE = Prefixes(chains=True)
"""For commands that do not know shared prefixes."""


def reading_line(trace: Trace, requests: Requests) -> str:
    """Return how a trace is read, the first line of what a command prints."""
    if requests.shared:
        counts = f"{len(requests):,} requests, {requests.peak:,} different blocks"
        return f"Shared prefixes: {counts} of {in_tokens(requests.block_size)}."
    aside = "" if trace.blocks is None else "; what requests share by their block hashes is left aside"
    return f"Private conversations: {len(trace):,} turns, {trace.conversations:,} conversations{aside}."


def block_lines(trace: Trace, requests: Requests, prefixes: Prefixes, tel: str = "blocks") -> Iterator[str]:
    """Yield what blocks mean for the numbers, and what was left out; nothing for conversations."""
    yield from without_lines(trace, requests, prefixes)
    if requests.shared:
        yield (
            f"Capacities, ξ and cutoffs are rounded down to whole blocks, Q̂ is rounded up, and TEL is in {tel}. "
            "All else is exact in tokens; a last block that is not full is computed."
        )


def without_lines(trace: Trace, requests: Requests, prefixes: Prefixes) -> Iterator[str]:
    """Yield what was left out of the inputs, if anything was."""
    if requests.shared and prefixes.without is not None:
        lost = exact_sum(trace.forest.inputs) - exact_sum(requests.inputs)
        yield f"Without {left_out(prefixes.without)}: inputs are {in_tokens(lost)} shorter in all."


def left_out(text: str) -> str:
    """Return what ``--without`` leaves out as a few words."""
    return NAMED[text] if text in NAMED else f"the first {_tokens(text):,} tokens, in whole blocks"


def in_tokens(tokens: int, block_size: int | None = None) -> str:
    """Return a length as text, in tokens and in blocks if there are any."""
    unit = "token" if tokens == 1 else "tokens"
    return f"{tokens:,} {unit}" + ("" if block_size is None else f" = {tokens // block_size:,} blocks")


def reading_as_data(requests: Requests, prefixes: Prefixes) -> dict[str, Any]:
    """Return how a trace is read as plain data; what conversations do not have is None."""
    if not requests.shared:
        return {"reading": "private conversations", **dict.fromkeys(OF_FORESTS)}
    size = {"block_size": requests.block_size, "blocks": requests.peak}
    asked = {"rules": str(prefixes.ruled), "running": prefixes.running, "without": prefixes.without}
    return {"reading": "shared prefixes", **size, **asked}
