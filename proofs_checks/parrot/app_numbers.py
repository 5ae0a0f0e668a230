"""Numbers that are printed about Parrot: what fits into memory, what agrees, and what can't be looked up here.

A token's keys and values take 2 x layers x width x 2 bytes, a weight 2 (float16). docs/apps-measured.md has what a
simulator gives beside the numbers that were measured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_checks.parrot.origins import PAPER
from proofs_checks.ragcache.skew import nothing
from teltheory.claims.claim import Values, rows
from teltheory.claims.data_files import Missing
from teltheory.claims.listed import ToldCase
from teltheory.claims.origin import OURS, Origin, reading
from teltheory.claims.worlds import Given

A100, A6000 = 80 * 10**9, 48 * 10**9


@dataclass(frozen=True)
class Model(ToldCase):
    """A model's layers, width and parameters, on a GPU with so many bytes."""

    name: str
    layers: int
    width: int
    parameters: int
    memory: int

    @property
    def of_a_token(self) -> int:
        """Bytes of a token's keys and values."""
        return 2 * self.layers * self.width * 2

    def with_tokens(self, tokens: int) -> int:
        """Return bytes of the weights and so many tokens."""
        return 2 * self.parameters + tokens * self.of_a_token


SEVEN = Model("LLaMA 7B", 32, 4096, 6_738_415_616, A100)
THIRTEEN = Model("LLaMA 13B", 40, 5120, 13_015_864_320, A100)
SMALL_GPU = Model("LLaMA 7B", 32, 4096, 6_738_415_616, A6000)
SYSTEM, SHORTEST, LONGEST = 6000, 180, 800
memory = rows(source="Memory of an engine (Parrot, Sections 5.4 and 8.3)", kind="arithmetic")


@memory(
    "parrot.memory.bing",
    "Without sharing 16 requests of Bing Copilot fit on an A100 with LLaMA 7B, and 32 do not.",
    relation=lambda of: of["16 requests"] <= of["memory"] < of["32 requests"],
    space=Given((SEVEN,), "prompts of 6,000 tokens and outputs of 180 to 800, float16, 80 GB of 10^9 bytes"),
    origin=PAPER,
)
def bing(case: Model) -> Values:
    """Count the longest outputs for 16, and the shortest for 32."""
    most, least = 16 * (SYSTEM + LONGEST), 32 * (SYSTEM + SHORTEST)
    return {"16 requests": case.with_tokens(most), "32 requests": case.with_tokens(least), "memory": case.memory}


@memory(
    "parrot.memory.bing.shared",
    "If the system prompt is kept once, 64 of them fit with the longest outputs.",
    relation=lambda of: of["64 requests"] <= of["memory"],
    space=Given((SEVEN,), "a prompt of 6,000 tokens and outputs of 800, float16, 80 GB of 10^9 bytes"),
    origin=PAPER,
)
def bing_shared(case: Model) -> Values:
    """Count the prompt once."""
    return {"64 requests": case.with_tokens(SYSTEM + 64 * LONGEST), "memory": case.memory}


@memory(
    "parrot.memory.64000",
    "64,000 tokens fit beside the weights on the GPUs of the evaluation.",
    relation=lambda of: of["64,000 tokens"] <= of["memory"],
    space=Given((SEVEN, THIRTEEN, SMALL_GPU), "LLaMA 7B and 13B on 80 GB, 7B on 48 GB, of 10^9 bytes; float16"),
    origin=reading("a throughput engine holds 64,000 tokens, as in the example of FindEngine"),
)
def sixty_four_thousand(case: Model) -> Values:
    """Count the bytes."""
    return {"64,000 tokens": case.with_tokens(64_000), "memory": case.memory}


@dataclass(frozen=True)
class Printed(ToldCase):
    """Numbers that are printed, by what they are."""

    numbers: tuple[tuple[str, Fraction], ...]


printed = rows(source="Numbers of the text (Parrot, abstract and Sections 3, 7 and 8)", kind="arithmetic")


def compared(
    id: str,
    statement: str,
    numbers: dict[str, str],
    made: Callable[..., Values],
    relation: Callable[[Values], bool],
    origin: Origin,
) -> Any:
    """Return a row on numbers that are printed."""
    case = Printed(tuple((name, Fraction(number)) for name, number in numbers.items()))
    space = Given((case,), "the numbers that are printed")
    return printed(id, statement, relation=relation, space=space, origin=origin)(
        lambda given: made(*(number for _, number in given.numbers))
    )


lines = compared(
    "parrot.printed.lines",
    "The parts of the implementation that are listed make its 14,000 lines.",
    {"front end": "1600", "manager": "3200", "engine": "5400", "CUDA": "1600", "in all": "14000"},
    lambda *parts: {"parts": int(sum(parts[:-1])), "in all": int(parts[-1])},
    lambda of: of["parts"] == of["in all"],
    reading("what is listed is all there is"),
)
paged = compared(
    "parrot.printed.paged",
    "All speed-ups over paged attention on Bing Copilot are within the 1.1 to 1.7 of the text.",
    {"least": "1.1", "most": "1.7", "one of Figure 16": "1.58", "another": "1.84"},
    lambda least, most, one, other: {"range": [least, most], "Figure 16": [one, other]},
    lambda of: of["range"][0] <= min(of["Figure 16"]) and max(of["Figure 16"]) <= of["range"][1],
    reading("of latencies per token as of latencies"),
)
multiply = compared(
    "parrot.printed.gains",
    "On the multi-agent application the gains over the throughput baseline multiply: sharing 2.35, the kernel "
    "1.2.",
    {"both": "2.45", "sharing": "2.35", "kernel": "1.2"},
    lambda both, sharing, kernel: {"both": both, "product": sharing * kernel},
    lambda of: of["product"] <= of["both"],
    reading("each gain is measured without the other one"),
)
batch = compared(
    "parrot.printed.batch",
    "8.2 times the throughput at 95 % more latency is a batch 16 times as large, to a tenth.",
    {"throughput": "8.2", "latency": "1.95"},
    lambda throughput, latency: {"batch": throughput * latency},
    lambda of: abs(of["batch"] - 16) <= Fraction(1, 10),
    OURS,
)
magnitude = compared(
    "parrot.printed.order-of-magnitude",
    "The largest speed-ups that are printed, 11.7 and 12, are an order of magnitude.",
    {"multi-agent": "11.7", "GPTs": "12"},
    lambda agents, gpts: {"least of both": min(agents, gpts)},
    lambda of: of["least of both"] >= 10,
    PAPER,
)

TIMINGS = Missing(
    "timings on an A100 and four A6000 are not here; docs/apps-measured.md has what a model of an A100 gives"
)
LOGS = Missing("logs of the applications are not here")
missing = rows(relation=bool, origin=PAPER)
MEASURED = {
    "chain": "Chains of summaries: 1.38 times faster than vLLM at most, 1.2 with any chunks (Figure 11).",
    "chain.transformers": "Chains of summaries: 1.88 times faster than Transformers at most, 1.66 with any chunks "
    "(Figure 11).",
    "background": "Chains of summaries beside other requests: 2.38 times faster (Figure 12a).",
    "many": "25 chains of summaries at once: 1.68 times faster, and none is slower (Figures 12b and 13).",
    "map-reduce": "Map-reduce summaries: 2.37 times faster (Figure 14).",
    "bing": "Bing Copilot: 1.8 to 2.4 times faster than without sharing, 1.1 to 1.7 than paged (Figure 15).",
    "bing.per-token": "Bing Copilot in batches of 32: 1.58 and 1.84 times faster per output token than paged, at "
    "40 ms a token (Figure 16).",
    "gpts": "GPTs: 12 times the rate of requests, 3 times without affinity (Figure 17).",
    "multi-agent": "Multi-agent programming: 11.7 times faster, 2.45 than the throughput baseline (Figure 18).",
    "mixed": "Chat and map-reduce together: 5.5 and 3.7 times faster than the latency baseline (Figure 19).",
    "mixed.throughput": "Chat and map-reduce together, against the throughput baseline: chats 1.23 times faster, "
    "1.72 in decoding, map-reduce 1.05 times (Figure 19).",
}


def measured(name: str) -> Any:
    """Return a row on what was measured."""
    return missing(
        f"parrot.latency.{name}", MEASURED[name], source="Evaluation (Parrot, Section 8)", space=TIMINGS
    )(nothing)


chain, transformers, background = map(measured, ("chain", "chain.transformers", "background"))
many, map_reduce, copilot, per_token = map(measured, ("many", "map-reduce", "bing", "bing.per-token"))
gpts, agents, mixed, beside_throughput = map(measured, ("gpts", "multi-agent", "mixed", "mixed.throughput"))
knee = missing(
    "parrot.latency.knee",
    "vLLM's time per output token rises markedly when a batch has more than 6,144 tokens (Figure 10).",
    source="Evaluation (Parrot, Section 8)",
    space=Missing(
        "timings of vLLM by tokens in a batch are not here; the model of a decode step that is here is linear in "
        "tokens, so it has no knee anywhere"
    ),
)(nothing)
batching = missing(
    "parrot.latency.batching",
    "A larger batch has up to 8.2 times the throughput for 95 % more latency, and 2.4 times less latency end to "
    "end.",
    source="Scheduling goals (Parrot, Section 3)",
    space=TIMINGS,
)(nothing)
repeated = missing(
    "parrot.repeated",
    "Of prompt tokens more than 94 % are repeated in a production search engine, 72 % in MetaGPT, 99 % in "
    "AutoGen.",
    source="Redundant computation (Parrot, Section 3, Table 1)",
    space=LOGS,
)(nothing)
outside = missing(
    "parrot.outside-engine",
    "30 to 50 % of a call's latency is outside the engine, more than 70 % at worst (Figure 3).",
    source="Consecutive requests (Parrot, Section 3)",
    space=LOGS,
)(nothing)
