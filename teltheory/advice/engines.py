"""A setting as the engines take it, and what it promises and gains under the rules of each.

An engine's cache is not that of single blocks, so that a setting gains another share in it. LRU and the setting
are run again under the rules of each engine that has T-LRU: on the first part, which promises, and on the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from teltheory.advice.choice import Choice, choose
from teltheory.advice.held_out import HeldOut, Judge
from teltheory.advice.server import Replaying, Server
from teltheory.base.progress import Count
from teltheory.cost.bootstrap import Estimate
from teltheory.errors import ForcedCachingError
from teltheory.replay.engine_rules import STRICT, Rules

if TYPE_CHECKING:
    from teltheory.advice.advice import Advice


class Release(NamedTuple):
    """An engine that has T-LRU, and where."""

    engine: str
    version: str


RELEASES: Mapping[str, Release] = {
    "sglang": Release("SGLang", "0.5.23"),
    "vllm": Release("vLLM", "pull request 37825, open: a proposal, in no release"),
}
"""By the names of their rules; TensorRT-LLM has no T-LRU."""


@dataclass(frozen=True)
class EngineSetting:
    """Arguments of an engine's server, and what they do under its rules.

    Attributes
    ----------
    engine, release, rules : str
        The engine, where it has T-LRU, and its rules in their short form.
    arguments : str
        What its server is started with.
    promise : Estimate or None
        Of the gain on the rest, from the first part; None if nothing is promised.
    gain : Estimate or None
        Share by which the goal is below LRU's on the rest; None if there is none, as `unserved` says.
    work : float or None
        Tokens computed on the rest, in multiples of LRU's.
    recommended : bool
        Whether each part shows a gain that chance does not explain, within the limits.
    unserved : str or None
        Which request the engine has no room for.
    """

    engine: str
    release: str
    rules: str
    arguments: str
    promise: Estimate | None = None
    gain: Estimate | None = None
    work: float | None = None
    recommended: bool = False
    unserved: str | None = None


def engines_of(advice: Advice, server: Server, called: str, seed: int) -> Iterator[EngineSetting]:
    """Yield the setting for each engine, or for that whose rules were asked for; none in a queue."""
    if not (advice.recommended and advice.kind == "T-LRU" and isinstance(server, Replaying)):
        return
    if advice.rules != STRICT:
        for name in RELEASES:
            if is_of(name, advice.rules):
                yield _setting(name, advice.rules, advice, advice.choice, advice.held_out)
        return
    sharing = with_blocks(server)
    for name in RELEASES:
        own, rng = replace(sharing, rules=Rules.of(name)), np.random.default_rng(seed)
        try:
            choice = choose(own, advice.goal, advice.limits, called, rng, [0, advice.tried.margin])
            held = Judge.of(own, advice.goal, advice.limits, advice.tried, called, rng).held("")
        except ForcedCachingError as error:
            yield replace(_told(name, own.rules, advice), unserved=str(error))
        else:
            yield _setting(name, own.rules, advice, choice, held)


def is_of(name: str, rules: Rules) -> bool:
    """Whether rules are those of an engine, whatever the chunk."""
    known = Rules.of(name)
    if known.nodes is not None and rules.nodes is not None:
        known = replace(known, nodes=replace(known.nodes, chunk=rules.nodes.chunk))
    return known == rules


def with_blocks(server: Replaying) -> Replaying:
    """Return the same server of what requests share; private conversations are chains of tokens there."""
    requests: Any = server.requests
    seen = requests if requests.shared else requests.with_blocks(None).forest
    return replace(server, requests=seen, count=Count())


def arguments_of(rules: Rules, xi: int, q_hat: int) -> str:
    """Return T-LRU with a threshold and a prompt estimate, in tokens, as SGLang or vLLM takes it."""
    if rules.nodes is None:
        return f"--tlru-xi-tokens {xi} --tlru-qhat-tokens {q_hat}"
    told = json.dumps({"threshold": xi, "next_prompt_estimate": q_hat})
    chunk = -1 if rules.nodes.chunk is None else rules.nodes.chunk
    policy = f"--radix-eviction-policy tlru --radix-eviction-policy-config '{told}'"
    return f"--chunked-prefill-size {chunk} {policy}"


def _told(name: str, rules: Rules, advice: Advice) -> EngineSetting:
    return EngineSetting(*RELEASES[name], str(rules), arguments_of(rules, advice.xi, advice.q_hat))


def _setting(name: str, rules: Rules, advice: Advice, choice: Choice, held: HeldOut) -> EngineSetting:
    lru, tried = (row.prefilled for row in held.rows[:2])
    return replace(
        _told(name, rules, advice),
        promise=choice.promise,
        gain=held.gain,
        work=tried / lru if lru else 1.0,
        recommended=choice.helps and held.gain.above_zero and not held.broken,
    )
