"""What modules cost and save: memory, computing against copying, and the numbers that are printed.

Memory is exact, from models' configurations. Times are those of models of an A100 that are fitted to operators'
timings (docs/latency.md), in fractions. docs/proofs-prompt-cache.md has the numbers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from proofs_checks.prompt_cache.origins import PAPER
from proofs_checks.ragcache.skew import nothing
from teltheory.claims.claim import Values, rows
from teltheory.claims.data_files import Missing
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import OURS, Origin, reading
from teltheory.claims.worlds import Given
from teltheory.cost.latency import A100_LLAMA2_7B_ATTENTION, A100_LLAMA2_7B_PREFILL, LatencyModel
from teltheory.cost.links import LINKS

MEBIBYTE, MEGABYTE = 2**20, 10**6


@dataclass(frozen=True)
class Kept(ToldCase):
    """A model's layers, key-value heads, numbers of a head and bytes of one, and the tokens of a module."""

    model: str
    layers: int
    heads: int
    width: int
    number: int = 2
    tokens: int = 1000

    @property
    def bytes(self) -> int:
        """Keys and values of all tokens."""
        return 2 * self.layers * self.heads * self.width * self.number * self.tokens


FALCON = Kept("falcon-rw-1b", 24, 32, 64)
LLAMA_70B = Kept("llama-2-70b", 80, 8, 128)
ALL_HEADS = Kept("llama-2-70b, 64 heads", 80, 64, 128)
memory = rows(source="Memory overhead (Prompt Cache, 7.5 in the digest)", kind="arithmetic")


def megabytes(unit: int) -> Callable[[Kept], Values]:
    """Return the check of a module's size in units of so many bytes."""
    return lambda case: {"MB": Fraction(case.bytes, unit)}


falcon = memory(
    "prompt-cache.memory.falcon-1b",
    "A module takes about 180 MB with Falcon-1B.",
    relation=lambda of: 180 <= of["MB"] < 190,
    space=Given((FALCON,), "Falcon-RW-1B's published configuration"),
    origin=reading("a module of 1,000 tokens, in MB of 2^20 bytes, the last digit cut off"),
)(megabytes(MEBIBYTE))

falcon_decimal = memory(
    "prompt-cache.memory.falcon-1b.decimal",
    "A module takes 175 to 185 MB with Falcon-1B.",
    relation=lambda of: 175 <= of["MB"] <= 185,
    space=Given((FALCON,), "Falcon-RW-1B's published configuration"),
    origin=reading("a module of 1,000 tokens, in MB of 10^6 bytes, rounded"),
)(megabytes(MEGABYTE))

llama = memory(
    "prompt-cache.memory.llama-70b",
    "A module takes about 2.5 GB with Llama-70B.",
    relation=lambda of: 2450 <= of["MB"] <= 2550,
    space=Given((LLAMA_70B,), "the published configuration"),
    origin=reading("a module of 1,000 tokens with the 8 key-value heads of the published model"),
)(megabytes(MEBIBYTE))

llama_all_heads = memory(
    "prompt-cache.memory.llama-70b.all-heads",
    "It takes 2,500 MB with a key and a value for each of the 64 attention heads, 8 times what the published "
    "model keeps.",
    relation=lambda of: of["MB"] == 2500 == 8 * of["published"],
    space=Given((ALL_HEADS,), "the published configuration with 64 key-value heads"),
    origin=reading("a module of 1,000 tokens, no heads shared, in MB of 2^20 bytes"),
)(lambda case: {**megabytes(MEBIBYTE)(case), "published": Fraction(LLAMA_70B.bytes, MEBIBYTE)})


MODELS = {"prefill": A100_LLAMA2_7B_PREFILL, "attention": A100_LLAMA2_7B_ATTENTION}
FRESH, LONGBENCH, BYTES = 32, 5000, 524_288
"""Tokens computed anew, LongBench's mean length, and bytes of a token of Llama-2-7B in float16."""
COPY = BYTES / LINKS["pcie4"].bytes_per_second


def seconds(model: LatencyModel, fresh: int, kept: int) -> Fraction:
    """Return TTFT, exact."""
    pairs = (fresh + kept) ** 2 - kept**2
    return max(model.floor, model.per_token * fresh + model.per_pair * pairs + model.constant)


@dataclass(frozen=True)
class Length(ToldCase):
    """Kept tokens, in a prompt with 32 fresh ones, and the model of prefill times."""

    kept: int
    model: str

    @property
    def times(self) -> LatencyModel:
        """The model."""
        return MODELS[self.model]

    def saved(self, kept: int) -> Fraction:
        """Return what so many kept tokens save of computing."""
        return seconds(self.times, FRESH + kept, 0) - seconds(self.times, FRESH, kept)

    def ratio(self, kept: int) -> Fraction:
        """Return how many times longer a full prefill takes, with nothing to copy."""
        return seconds(self.times, FRESH + kept, 0) / seconds(self.times, FRESH, kept)


def lengths(first: int, models: tuple[str, ...]) -> Callable[[int], Iterator[Iterator[Length]]]:
    """Return lengths from the first up to 16,384, so many tokens apart."""

    def up_to(step: int) -> Iterator[Iterator[Length]]:
        return (iter([Length(kept, model) for model in models]) for kept in range(first, 16_385, step))

    return up_to


def listed(first: int, *models: str) -> Listed[Length]:
    """Return such lengths as a space."""
    return Listed(
        lengths(first, models), 64, 16, f"kept tokens from {first} to 16,384, {{}} apart; {', '.join(models)}"
    )


def second(of: Callable[[int], Fraction | int], at: int) -> Fraction | int:
    """Return the second difference of a function of a length."""
    return of(at + 1) - 2 * of(at) + of(at - 1)


saving = rows(source="Understanding latency improvements (Prompt Cache, 7.4 in the digest)")


@saving(
    "prompt-cache.saving.shape",
    "What kept tokens save of computing is a quadratic in their number, and copying them is linear.",
    relation=lambda of: of["saved"] == of["twice a pair"] > of["copied"] == 0,
    space=listed(128, "prefill", "attention"),
    origin=reading("on models of another machine, an A100"),
)
def shape(case: Length) -> Values:
    """Compute second differences."""
    return {
        "saved": second(case.saved, case.kept),
        "twice a pair": 2 * case.times.per_pair,
        "copied": second(lambda kept: COPY * kept, case.kept),
    }


@saving(
    "prompt-cache.saving.linear-compute",
    "What is left to compute, with 32 fresh tokens, is linear in the number of kept tokens.",
    relation=lambda of: of["pairs"] == 0,
    space=listed(128, "attention"),
    origin=PAPER,
)
def linear_compute(case: Length) -> Values:
    """Compute the second difference of the pairs of tokens that attend to each other."""
    return {"pairs": second(lambda kept: (FRESH + kept) ** 2 - kept**2, case.kept)}


def parts(case: Length) -> Values:
    """Return the linear and the quadratic part of what is saved, in nanoseconds."""
    model = case.times
    whole = {"linear": model.per_token * case.kept, "quadratic": model.per_pair * case.kept**2}
    return {name: floor(value * 10**9) for name, value in whole.items()}


quadratic_part = saving(
    "prompt-cache.saving.quadratic-part",
    "At LongBench's 5,000 tokens most of what is saved is the quadratic part, attention.",
    relation=lambda of: of["quadratic"] > of["linear"],
    space=Given(tuple(Length(LONGBENCH, name) for name in MODELS), "5,000 kept tokens, both models"),
    origin=reading("the saving is quadratic, as self-attention is; on models of another machine, an A100"),
)(parts)


@dataclass(frozen=True)
class Crossing(ToldCase):
    """A model, and the first length at which the quadratic part is the larger one."""

    model: str
    kept: int


@saving(
    "prompt-cache.saving.crossing",
    "The quadratic part of what is saved is the larger one from 36,201 tokens on (prefill), or from 49,409 "
    "(attention, as operations are counted).",
    relation=lambda of: of["before"] <= 1 < of["there"],
    space=Given((Crossing("prefill", 36_201), Crossing("attention", 49_409)), "both models"),
    origin=OURS,
)
def crossing(case: Crossing) -> Values:
    """Return the ratio of the parts there and just before."""
    model = MODELS[case.model]
    there, before = (model.per_pair * kept / model.per_token for kept in (case.kept, case.kept - 1))
    return {"before": before, "there": there}


def against_copying(case: Length) -> Values:
    """Return computing saved and copying, in nanoseconds."""
    return {"saved": floor(case.saved(case.kept) * 10**9), "copied": floor(COPY * case.kept * 10**9)}


def pays(of: Values) -> bool:
    """Whether copying takes less than it saves."""
    return bool(of["saved"] > of["copied"])


copying = saving(
    "prompt-cache.saving.copying",
    "Copying a module from the host, over PCIe 4 x16, takes less than what it saves of computing.",
    relation=pays,
    space=listed(1, "prefill"),
    origin=reading("a module of any length, on a model of another machine, an A100"),
)(against_copying)

copying_from = saving(
    "prompt-cache.saving.copying.from-86",
    "It does from 86 tokens on.",
    relation=lambda of: of["saved"] > of["copied"] and of["one less than 86"] <= 0,
    space=listed(86, "prefill"),
    origin=OURS,
)(lambda case: {**against_copying(case), "one less than 86": floor((case.saved(85) - 85 * COPY) * 10**9)})

speedup = saving(
    "prompt-cache.saving.speed-up",
    "TTFT itself improves quadratically: twice the kept tokens, four times the ratio of full to cached TTFT, or "
    "at least three times.",
    relation=lambda of: of["twice the tokens"] >= 3 * of["ratio"],
    space=listed(128, "prefill", "attention"),
    origin=reading("the improvement is the ratio; on models of another machine, an A100"),
)(
    lambda case: {
        "ratio": thousandths(case.ratio(case.kept)),
        "twice the tokens": thousandths(case.ratio(2 * case.kept)),
    }
)


def thousandths(value: Fraction) -> Fraction:
    """Return a number rounded down to thousandths."""
    return Fraction(floor(value * 1000), 1000)


@dataclass(frozen=True)
class Printed(ToldCase):
    """Two numbers that are printed."""

    first: Fraction
    second: Fraction


printed = rows(
    source="Latency improvements (Prompt Cache, abstract, 7.2 in the digest, README of the public code)",
    kind="arithmetic",
)


def compared(id: str, statement: str, case: Printed, relation: Callable[[Values], bool], origin: Origin) -> object:
    """Return a row on the ratio of two printed numbers."""
    space = Given((case,), "the numbers that are printed")
    return printed(id, statement, relation=relation, space=space, origin=origin)(
        lambda given: {"ratio": thousandths(given.first / given.second)}
    )


cpu_twice = compared(
    "prompt-cache.printed.cpu",
    "The largest improvement on CPUs is the same in both places, up to 60 times in the abstract and up to 70 "
    "times in the evaluation.",
    Printed(Fraction(70), Fraction(60)),
    lambda of: of["ratio"] == 1,
    reading("both speak of the same measurements"),
)
readme_gpu = compared(
    "prompt-cache.printed.readme-gpu",
    "The README's 286.9 ms to 78.2 ms on a GPU are within the abstract's improvement of up to 8 times.",
    Printed(Fraction("286.9"), Fraction("78.2")),
    lambda of: 1 < of["ratio"] <= 8,
    PAPER,
)
readme_cpu = compared(
    "prompt-cache.printed.readme-cpu",
    "The README's 17,917.14 ms to 511.31 ms on a CPU are within the abstract's improvement of up to 60 times.",
    Printed(Fraction("17917.14"), Fraction("511.31")),
    lambda of: 1 < of["ratio"] <= 60,
    PAPER,
)
readme_range = compared(
    "prompt-cache.printed.readme-range",
    "The README's improvement on a GPU is between 1.5 and 3 times, as on LongBench.",
    Printed(Fraction("286.9"), Fraction("78.2")),
    lambda of: Fraction(3, 2) <= of["ratio"] <= 3,
    reading("the range of LongBench is that of every prompt on a GPU"),
)

GPUS = Missing("timings on the three GPUs, and LongBench's data, are not here")
CPUS = Missing("timings on the two CPUs, and LongBench's data, are not here")
SCORES = Missing(
    "LongBench's data and the models are not here; the public code's harness puts each document into one module, "
    "so that it compares plain prefix caching"
)
MEANING = Missing(
    "whether a gap changes a text's meaning to a model is measured, on SmolLM2 in docs/modules-measured.md; the "
    "models of the paper are not here"
)
missing = rows(relation=bool, origin=PAPER)
gpu_latency = missing(
    "prompt-cache.latency.gpu",
    "TTFT falls 1.5 to 3 times on LongBench on three GPUs, up to 8 times in all.",
    source="GPU inference latency (Prompt Cache, 7.2.1 in the digest)",
    space=GPUS,
)(nothing)
cpu_latency = missing(
    "prompt-cache.latency.cpu",
    "TTFT falls up to 70 times on two CPUs.",
    source="CPU inference latency (Prompt Cache, 7.2.2 in the digest)",
    space=CPUS,
)(nothing)
accuracy = missing(
    "prompt-cache.outputs.longbench",
    "Outputs on LongBench are as good as the baseline's.",
    source="Accuracy (Prompt Cache, 7.3 in the digest)",
    space=SCORES,
)(nothing)
white_space = missing(
    "prompt-cache.outputs.gaps",
    "Positions may have gaps, since white space does not change a text's meaning.",
    source="Encoding schemas (Prompt Cache, 5.3 in the digest)",
    space=MEANING,
)(nothing)
