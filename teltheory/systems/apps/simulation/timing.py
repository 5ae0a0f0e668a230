"""What an iteration of an engine takes: the calibrated model of an A100 (Parrot, Section 8, LLaMA 7B and 13B).

1. An iteration either fills in all prompts that wait, up to a limit of tokens, or gives each request that is being
   generated one token. (vLLM of that time batched them apart, too.)
2. A decode step takes what `A100_DECODE` says for its batch and the tokens that are read; a fill takes what
   `A100_LLAMA2_7B_PREFILL` says, each part given what is before it. Both are fitted to timings of operators.
3. All of that times `scale`: 1 for 7B, `SCALE_13B` for 13B, and `A6000` more on another machine.
4. `step` and `request` are what an iteration, and a request in it, take beside the GPU's work, on any machine.
5. Tokens that several requests of a batch share are read as `Reads` says.

`SCALE_13B`, `STEP`, `REQUEST` and `REPEATED` were fitted to results that the authors released with their code, not
to timings of operators (`experiments/fit_parrot_engine.py`): ratios of those experiments are marked as fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from teltheory.cost.decoding import A100_DECODE, Decode
from teltheory.cost.latency import A100_LLAMA2_7B_PREFILL, Latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import real_number

__all__ = ["LLAMA_13B"]

SCALE_13B, STEP, REQUEST, REPEATED = 1.94, 5e-3, 3e-4, 0.35
A6000 = 1935 / 768
"""Memory bandwidth of an A100-80GB (PCIe) over that of an RTX A6000, GB/s in NVIDIA's data sheets: decoding is
bound by it. It stands for the whole machine, of which we have no timings."""
READS = ("all", "paged", "kernel")
"""What is read in a step: every context whole; shared parts whole once and then at the weight `repeated`, as the
cache between the memory and the cores holds some; shared parts once."""


@dataclass(frozen=True)
class IterationTiming:
    """Seconds of iterations; see the top of the file.

    Attributes
    ----------
    scale : float
        How many times as long as Llama-2-7B on an A100 the GPU works, for this model and on this machine.
    reads : str
        One of `READS`.
    repeated : float
        Weight of a shared token that is read once more, for "paged".
    decode : Decode
        A decode step of the 7B model.
    prefill : Latency
        Prefill of the 7B model.
    step, request : float
        Seconds of an iteration, and of each request in a decode step, beside the GPU's work.
    """

    scale: float = 1.0
    reads: str = "kernel"
    repeated: float = REPEATED
    decode: Decode = A100_DECODE
    prefill: Latency = A100_LLAMA2_7B_PREFILL
    step: float = STEP
    request: float = REQUEST

    def __post_init__(self) -> None:
        if self.reads not in READS:
            raise ArgumentError("reads", self.reads, f"one of {', '.join(READS)}")
        object.__setattr__(self, "scale", real_number("scale", self.scale, 0))
        for name in ("repeated", "step", "request"):
            object.__setattr__(self, name, real_number(name, getattr(self, name), 0, closed=True))

    @property
    def speed(self) -> float:
        """How fast it is beside Llama-2-7B on an A100."""
        return 1 / self.scale

    def fill(self, parts: Sequence[tuple[int, int]]) -> float:
        """Return the seconds of filling in parts, each so many tokens after so many others."""
        ttft = self.prefill.ttft
        together = float(ttft(sum(tokens for tokens, _ in parts)))
        more = sum(float(ttft(tokens, before)) - float(ttft(tokens)) for tokens, before in parts if before)
        return self.scale * (together + more) + self.step

    def steps(self, count: int, batch: int, read: float) -> float:
        """Return the seconds of decode steps: the first reads `read` tokens, each later one `batch` more."""
        first, growth = self._line(batch, read)
        return count * first + growth * count * (count - 1) / 2

    def steps_until(self, seconds: float, batch: int, read: float) -> int:
        """Return the fewest steps, 1 or more, that take at least so long."""
        first, growth = self._line(batch, read)
        half = first - growth / 2
        count = max(1, int(2 * seconds / (half + sqrt(half * half + 2 * growth * seconds))) - 1)
        while self.steps(count, batch, read) < seconds:
            count += 1
        return count

    def read(self, once: int, again: int) -> float:
        """Return the tokens that a step reads, given the different ones and the repetitions of shared ones."""
        weight = {"all": 1.0, "paged": self.repeated, "kernel": 0.0}[self.reads]
        return once + weight * again

    def alone(self, prompt: int, answer: int) -> float:
        """Return the seconds of a request on an engine that has nothing else to do and nothing to share."""
        return self.fill([(prompt, 0)]) + self.steps(answer, 1, prompt)

    def _line(self, batch: int, read: float) -> tuple[float, float]:
        """Return the seconds of the first step, and how much longer each other is than the one before."""
        token = self.scale * self.decode.per_token
        fixed = self.scale * self.decode.step + self.step
        each = self.scale * self.decode.per_request + self.request
        return fixed + each * batch + token * read, token * batch


LLAMA_7B = IterationTiming()
"""LLaMA 7B on an A100."""
LLAMA_13B = IterationTiming(scale=SCALE_13B)
"""LLaMA 13B on an A100."""
LLAMA_7B_A6000 = IterationTiming(scale=A6000)
"""LLaMA 7B on an RTX A6000, by the ratio of the bandwidths alone."""
