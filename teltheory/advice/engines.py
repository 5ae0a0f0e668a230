"""A setting as the engines take it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from teltheory.errors import ArgumentError


@dataclass(frozen=True)
class EngineSetting:
    """Arguments of an engine's server."""

    engine: str
    release: str
    arguments: str


def engine_settings(xi: int, q_hat: int) -> tuple[EngineSetting, ...]:
    """Return T-LRU with a threshold and a prompt estimate, in tokens, for SGLang and for vLLM."""
    if xi <= q_hat:
        raise ArgumentError("xi", xi, f"more than q_hat, {q_hat}")
    parameters = json.dumps({"threshold": xi, "next_prompt_estimate": q_hat})
    return (
        EngineSetting(
            "SGLang", "0.5.23", f"--radix-eviction-policy tlru --radix-eviction-policy-config '{parameters}'"
        ),
        EngineSetting(
            "vLLM",
            "pull request 37825, open: a proposal, in no release",
            f"--tlru-xi-tokens {xi} --tlru-qhat-tokens {q_hat}",
        ),
    )
