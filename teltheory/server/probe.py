"""The probe: times to the first token over prompt length and cached share, one request at a time.

Prompts are random, with prefixes that no server can have cached.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError, ProbeError
from teltheory.model.numbers import whole_number
from teltheory.server.client import Completions, Prompt, ServerReply
from teltheory.server.grid import ProbePlan, ProbeStep
from teltheory.server.record import Measured, ProbeRecord, now

REFUSED_PROMPT = (400, 415, 422)


FIRST_ORDINARY = 300
_WORDS = (
    "time year people way day man thing woman life child world school state family student group country problem "
    "hand part place case week company system program question work government number night point home water room "
    "mother area money story fact month lot right study book eye job word business issue side kind head house "
    "service friend father power hour game line end member law car city"
)
WORDS = tuple(_WORDS.split())


@dataclass(frozen=True)
class Prompts:
    """Where prompts come from: a generator that must be seeded anew for each run, or the server has them cached.

    No token id is `vocabulary` or above, nor among the first few, where tokenizers keep special ones.
    """

    rng: np.random.Generator
    vocabulary: int = 30_000

    def __post_init__(self) -> None:
        if whole_number("vocabulary", self.vocabulary) < 2:
            raise ArgumentError("vocabulary", self.vocabulary, "a whole number of at least 2")

    def draw(self, kind: str, length: int) -> list[int] | list[str]:
        """Draw ``"tokens"`` or words (``"text"``), which are about a token each."""
        if kind == "text":
            return [WORDS[i] for i in self.rng.integers(len(WORDS), size=length)]
        least = min(FIRST_ORDINARY, self.vocabulary // 2)
        return [int(token) for token in self.rng.integers(least, self.vocabulary, size=length)]


def prefix(parts: list[int] | list[str], length: int) -> Prompt:
    """Return a prompt of the first parts: a list of token ids, or text."""
    tokens = [part for part in parts[:length] if isinstance(part, int)]
    return tokens or " ".join(str(part) for part in parts[:length])


async def probe(
    server: Completions, record: ProbeRecord, prompts: Prompts, report: Callable[[Measured], None]
) -> None:
    """Measure what the file of a probe lacks; `report` is called with each measurement once it is on disk.

    Before the first measurement one is made and thrown away, of the cell with the longest prefix. It warms the
    server, and shows whether it reports cached tokens.
    """
    steps = record.missing()
    if not steps:
        return
    kind = record.kind or await _accepted_kind(server, record.plan, prompts)
    await _rehearse(server, record.plan, kind, prompts)
    if record.kind is None:
        record.begin(kind)
    for step in steps:
        line = await _measured(server, step, kind, prompts, record.plan.block_size)
        record.add(line)
        report(line)


async def _accepted_kind(server: Completions, plan: ProbePlan, prompts: Prompts) -> str:
    """Return ``"tokens"`` where the server takes token ids and counts them as such, else ``"text"``."""
    length = plan.lengths[0]
    try:
        answer = await server.ask(prefix(prompts.draw("tokens", length), length))
    except ProbeError as error:
        if error.status not in REFUSED_PROMPT:
            raise
        return "text"
    return "tokens" if answer.prompt_tokens == length else "text"


async def _rehearse(server: Completions, plan: ProbePlan, kind: str, prompts: Prompts) -> None:
    """Make one measurement that is not kept, of the cell with the longest prefix."""
    prompt_tokens, cached = max(plan.cells, key=lambda cell: (cell[1], cell[0]))
    line = await _measured(server, ProbeStep(0, 0, prompt_tokens, cached), kind, prompts, plan.block_size)
    if cached and not line.reported_cached_tokens:
        raise ProbeError(
            f"{server.url}: the server had a prefix of {cached:,} tokens and reported none of it cached; start "
            "vLLM with --enable-prefix-caching --enable-prompt-tokens-details (SGLang: --enable-cache-report) "
            "and room for the longest prompt, or measure without a cache: --shares 0"
        )


async def _measured(
    server: Completions, step: ProbeStep, kind: str, prompts: Prompts, block_size: int
) -> Measured:
    parts, started, requested = prompts.draw(kind, step.prompt_tokens), now(), 0
    if step.cached_tokens:
        warmed = await server.ask(prefix(parts, step.cached_tokens))
        requested = _as_sent(server, kind, step.cached_tokens, warmed)
    answer = await server.ask(prefix(parts, step.prompt_tokens))
    length = _as_sent(server, kind, step.prompt_tokens, answer)
    reported = answer.cached_tokens
    return Measured(
        prompt_tokens=length,
        cached_tokens=0 if reported is None and requested == 0 else reported,
        ttft_s=answer.first_token,
        requested_cached_tokens=requested,
        reported_cached_tokens=reported,
        mismatch=abs((reported or 0) - requested) > block_size,
        cell=step.cell,
        repeat=step.repeat,
        started=started,
    )


def _as_sent(server: Completions, kind: str, sent: int, answer: ServerReply) -> int:
    """Return the length that the server counted, which for token ids is the length that was sent."""
    if kind == "tokens" and answer.prompt_tokens != sent:
        raise ProbeError(
            f"{server.url}: the server counted {answer.prompt_tokens:,} tokens in a prompt of {sent:,} token ids; "
            "does it cut prompts off, or is another server at this address?"
        )
    return answer.prompt_tokens
