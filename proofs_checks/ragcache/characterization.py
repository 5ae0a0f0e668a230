"""RAGCache's measurements: prefill times with and without a cache, and what a cache saves on average.

The machines and data sets are not here, so that their numbers cannot be decided; their shape can, on a model of
an A100 that is fitted to operators' timings (docs/latency.md). docs/proofs-ragcache.md has the proofs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import floor

from proofs_checks.ragcache.knowledge_tree import PAPER
from proofs_checks.ragcache.plain_tiers import Seconds, attention, linear
from proofs_checks.ragcache.skew import nothing
from teltheory.claims.claim import Values, rows
from teltheory.claims.data_files import Missing
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import reading
from teltheory.claims.worlds import Given
from teltheory.cost.latency import A100_LLAMA2_7B_PREFILL, LatencyModel
from teltheory.cost.links import LINKS

A10G = Missing("timings of LLaMA2-7B on an A10G are not here")


timed = rows(source="Full prefill computation and cache hit (RAGCache, figures 3 and 4)")

one_second = timed(
    "ragcache.prefill.one-second",
    "A prefill of more than 4,000 tokens takes a second (LLaMA2-7B on an A10G).",
    relation=bool,
    space=A10G,
    origin=PAPER,
)(nothing)

full_prefill = timed(
    "ragcache.full-prefill",
    "With a request of 32 tokens behind a prefix of 128 to 4,096, a full prefill takes up to 11.5 times as long "
    "as one with the prefix cached.",
    relation=bool,
    space=A10G,
    origin=PAPER,
)(nothing)

with_transfer = timed(
    "ragcache.with-transfer",
    "With the time to load the prefix from the host it takes up to 3.9 times as long.",
    relation=bool,
    space=A10G,
    origin=PAPER,
)(nothing)

QUESTION = 32
MODEL = A100_LLAMA2_7B_PREFILL
BYTES = 524_288
"""Of the keys and values of a token, Llama-2-7B in float16."""
PCIE = LINKS["pcie4"].bytes_per_second


def seconds(uncached: int, cached: int, model: LatencyModel = MODEL) -> Fraction:
    """Return TTFT, exact."""
    pairs = (uncached + cached) ** 2 - cached**2
    return max(model.floor, model.per_token * uncached + model.per_pair * pairs + model.constant)


def rounded(value: Fraction) -> Fraction:
    """Return a number rounded down to thousandths."""
    return Fraction(floor(value * 1000), 1000)


@dataclass(frozen=True)
class Prefixes(ToldCase):
    """A prefix, and the one before it."""

    shorter: int
    prefix: int

    def ratio(self, prefix: int, load: Fraction = Fraction(0)) -> Fraction:
        """Return how many times longer a full prefill takes; `load` is seconds per token from the host."""
        return seconds(prefix + QUESTION, 0) / (seconds(QUESTION, prefix) + prefix * load)


def prefixes(step: int) -> Iterator[list[Prefixes]]:
    """Yield the prefixes from 128 to 4,096, so many tokens apart."""
    return ([Prefixes(prefix - step, prefix)] for prefix in range(128 + step, 4097, step))


shape = rows(
    source="Full prefill computation and cache hit (RAGCache, figures 3 and 4)",
    space=Listed(
        prefixes, 32, 1, "prefixes from 128 to 4,096, {} apart; a100-llama2-7b-prefill, requests of 32 tokens"
    ),
)


def ratios(load: Fraction) -> Callable[[Prefixes], Values]:
    """Return the check of the ratio for both prefixes."""
    return lambda case: {
        "before": rounded(case.ratio(case.shorter, load)),
        "ratio": rounded(case.ratio(case.prefix, load)),
        "grows": case.ratio(case.shorter, load) < case.ratio(case.prefix, load),
    }


grows = shape(
    "ragcache.full-prefill.shape",
    "On an A100 the ratio of a full prefill to a cached one grows with the prefix, and is above 1.",
    relation=lambda of: of["grows"] and of["before"] > 1,
    origin=reading("the shape of the figure, on a model of another machine"),
)(ratios(Fraction(0)))

within = shape(
    "ragcache.full-prefill.a100",
    "On an A100 too it is at most 11.5.",
    relation=lambda of: of["ratio"] <= Fraction(23, 2),
    origin=reading("the number of the figure, on a model of another machine"),
)(ratios(Fraction(0)))

transfer_shape = shape(
    "ragcache.with-transfer.shape",
    "On an A100 the ratio with loading over PCIe 4 x16, 26.4 GiB/s, grows with the prefix too, and is above 1.",
    relation=lambda of: of["grows"] and of["before"] > 1,
    origin=reading("the shape of the figure, on a model of another machine"),
)(ratios(BYTES / PCIE))

transfer_within = shape(
    "ragcache.with-transfer.a100",
    "On an A100 with PCIe 4 x16 it is at most 3.9.",
    relation=lambda of: of["ratio"] <= Fraction(39, 10),
    origin=reading("the number of the figure, on a model of another machine"),
)(ratios(BYTES / PCIE))


@dataclass(frozen=True)
class Link(ToldCase):
    """Bandwidths in GB/s around the one at which the ratio is 3.9 for the longest prefix."""

    below: int
    above: int


@timed(
    "ragcache.with-transfer.bandwidth",
    "On an A100 the ratio for a prefix of 4,096 is 3.9 at a link of 32 to 33 GB/s: more than PCIe 4 x16 gives.",
    relation=lambda of: (
        of["ratio below"] < Fraction(39, 10) < of["ratio above"] and of["PCIe 4, GB/s"] < of["below"]
    ),
    space=Given((Link(32, 33),), "two bandwidths"),
)
def bandwidth(case: Link) -> Values:
    """Compute the ratio at both."""
    longest = Prefixes(4096, 4096)
    below, above = (longest.ratio(4096, Fraction(BYTES, 10**9 * speed)) for speed in (case.below, case.above))
    pcie = rounded(PCIE / 10**9)
    return {
        "ratio below": rounded(below),
        "ratio above": rounded(above),
        "PCIe 4, GB/s": pcie,
        "below": case.below,
    }


@dataclass(frozen=True)
class Printed(ToldCase):
    """The two ratios that are printed, and the seconds of a full prefill of the longest prefix."""

    cached: Fraction
    loaded: Fraction
    seconds: int


@timed(
    "ragcache.with-transfer.printed",
    "The three printed numbers fit together: of one prefix of 4,096 tokens whose full prefill takes a second they "
    "mean that loading takes 17 % of it, over a link of 12 to 13 GB/s, which PCIe 4 x16 has.",
    relation=lambda of: 12 < of["GB/s"] < 13 and of["GB/s"] < of["PCIe 4, GB/s"],
    space=Given((Printed(Fraction(23, 2), Fraction(39, 10), 1),), "the numbers that are printed"),
    origin=reading(
        "both ratios are of the longest prefix, 4,096, and its prefill takes the second of 4,000 tokens"
    ),
    kind="arithmetic",
)
def fit_together(case: Printed) -> Values:
    """Compute the share of loading and the bandwidth."""
    share = 1 / case.loaded - 1 / case.cached
    speed = 4096 * BYTES / (share * case.seconds) / 10**9
    return {"share": rounded(share), "GB/s": rounded(speed), "PCIe 4, GB/s": rounded(PCIE / 10**9)}


@dataclass(frozen=True)
class Averaged(ToldCase):
    """Requests as (length, cached part), and whether prefill times have attention in them."""

    requests: tuple[tuple[int, int], ...]
    quadratic: bool = False

    def measures(self) -> dict[str, int]:
        """Return requests and tokens."""
        return {"requests": len(self.requests), "tokens": sum(length for length, _ in self.requests)}

    @property
    def time(self) -> Seconds:
        """T(cached, uncached)."""
        return attention if self.quadratic else linear

    def mean(self, times: Iterable[int]) -> Fraction:
        """Return a mean, 0 of nothing."""
        listed = list(times)
        return Fraction(sum(listed), max(len(listed), 1))

    @property
    def real(self) -> Fraction:
        """The mean prefill time."""
        return self.mean(self.time(cached, length - cached) for length, cached in self.requests)

    def mixed(self, miss: Fraction, full: Fraction, hit: Fraction) -> Values:
        """Return the mean, and what the formula makes of a miss rate and two latencies."""
        return {"mean": self.real, "formula": miss * full + (1 - miss) * hit}


def averaged(quadratic: tuple[bool, ...], part: Callable[[int], Iterable[int]]) -> Listed[Averaged]:
    """Return requests of up to 3 tokens with cached parts, as a space."""

    def up_to(most: int) -> Iterator[Iterator[Averaged]]:
        kinds = [(length, cached) for length in range(1, 4) for cached in part(length)]
        for count in range(1, most + 1):
            chosen = product(combinations_with_replacement(kinds, count), quadratic)
            yield (Averaged(requests, square) for requests, square in chosen)

    return Listed(up_to, 4, 6, "1 to {} requests of 1 to 3 tokens")


def whole(length: int) -> tuple[int, int]:
    """Return nothing and everything."""
    return 0, length


def any_part(length: int) -> range:
    """Return every part."""
    return range(length + 1)


mean = rows(source="Caching knowledge (RAGCache): prefill latency = miss rate x full + (1 - miss rate) x hit")


def of_those(case: Averaged) -> Values:
    """Take the share of requests that miss, and means over those that miss and those that hit."""
    missing = [length for length, cached in case.requests if cached < length]
    hit = [length for length, cached in case.requests if cached == length]
    full, found = case.mean(case.time(0, n) for n in missing), case.mean(case.time(n, 0) for n in hit)
    return case.mixed(Fraction(len(missing), len(case.requests)), full, found)


def of_all(case: Averaged) -> Values:
    """Take the share of requests that miss, and means over all requests."""
    share = Fraction(sum(cached < length for length, cached in case.requests), len(case.requests))
    return case.mixed(share, *_of_all(case))


def by_tokens(case: Averaged) -> Values:
    """Take the share of tokens that miss, and means over all requests."""
    tokens = sum(length for length, _ in case.requests)
    return case.mixed(Fraction(sum(length - cached for length, cached in case.requests), tokens), *_of_all(case))


def _of_all(case: Averaged) -> tuple[Fraction, Fraction]:
    full = case.mean(case.time(0, length) for length, _ in case.requests)
    return full, case.mean(case.time(length, 0) for length, _ in case.requests)


def same(of: Values) -> bool:
    """Whether the formula gives the mean."""
    return bool(of["mean"] == of["formula"])


identity = mean(
    "ragcache.latency-identity",
    "It is the mean prefill latency, if each request hits whole or not at all, and the two latencies are means "
    "over the requests that miss and those that hit.",
    relation=same,
    space=averaged((False, True), whole),
    origin=reading("requests hit whole or not at all; conditional means"),
)(of_those)

identity_all = mean(
    "ragcache.latency-identity.all-requests",
    "The same with means over all requests, as the two latencies are measured.",
    relation=same,
    space=averaged((False, True), whole),
    origin=reading(
        "requests hit whole or not at all; the latencies are those of all requests, missing and hitting"
    ),
)(of_all)

identity_partial = mean(
    "ragcache.latency-identity.partial",
    "The same with conditional means where requests can hit in part, which is a miss.",
    relation=same,
    space=averaged((False, True), any_part),
    origin=reading("a request that hits in part is a miss, and full prefill is what it says"),
)(of_those)

identity_tokens = mean(
    "ragcache.latency-identity.tokens",
    "It is the mean for any hits, with the miss rate of tokens and means over all requests, where a prefill takes "
    "as long for each uncached token.",
    relation=same,
    space=averaged((False,), any_part),
    origin=reading("the miss rate is that of tokens"),
)(by_tokens)

identity_attention = mean(
    "ragcache.latency-identity.tokens.attention",
    "The same with attention.",
    relation=same,
    space=averaged((True,), any_part),
    origin=reading("the miss rate is that of tokens, and a prefill looks at all tokens before each"),
)(by_tokens)
