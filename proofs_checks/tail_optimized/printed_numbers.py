"""Numbers that the paper prints: the size of a KV cache (the appendix "KV cache size" of its longer version).

A printed number stands for every number that rounds to it, so 4.88 GiB are the sizes from 4.875 to 4.885 GiB. All
is exact: bytes are whole, GiB and GB are fractions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import ToldCase
from teltheory.claims.origin import V1, reading
from teltheory.claims.worlds import Given
from teltheory.cost.catalogue import ARCHITECTURES
from teltheory.model import units

PRINTED_BYTES, PRINTED_SIZE, TOKENS = 524_288, Fraction(488, 100), 10_000
ROUNDING = Fraction(5, 1000)
BYTES, PRINTED, COUNTED = "bytes per token", "printed", "counted"


@dataclass(frozen=True)
class Cache(ToldCase):
    """A number of tokens in the KV cache of an architecture."""

    model: str
    tokens: int

    def bytes(self) -> int:
        """Return the size, layer by layer and head by head: a key and a value of two bytes per number."""
        shape = ARCHITECTURES[self.model]
        heads = (shape.head_dim for _layer in range(shape.layers) for _head in range(shape.kv_heads))
        return self.tokens * sum(2 * 2 * width for width in heads)

    def as_counterexample(self, values: Values) -> dict[str, Any]:
        found = {
            name: str(Decimal(size.numerator) / size.denominator) for name, size in values.items() if name != BYTES
        }
        return {"model": self.model, "tokens": self.tokens, BYTES: values[BYTES], "values": found}


PRINTED_CACHE = Given((Cache("vicuna-7b", TOKENS),), f"one case: Vicuna-7B in float16, {TOKENS:,} tokens")


def as_printed(values: Values) -> bool:
    """Whether bytes per token are the printed ones, and the size rounds to the printed one."""
    size = values[COUNTED] - values[PRINTED]
    return bool(values[BYTES] == PRINTED_BYTES and -ROUNDING <= size < ROUNDING)


row = rows(source="Appendix, KV cache size", relation=as_printed, space=PRINTED_CACHE, kind="arithmetic")


def sizes_in(unit: str) -> Callable[[Cache], Values]:
    """Return the check that counts in a unit: GiB of 2^30 bytes, GB of 10^9."""

    def values(case: Cache) -> Values:
        size = case.bytes()
        return {BYTES: size // case.tokens, PRINTED: PRINTED_SIZE, COUNTED: Fraction(size, units.BYTES[unit])}

    return values


kv_size = row(
    "kv-size",
    "Vicuna-7B in float16 needs 524,288 bytes of KV cache a token; 10,000 tokens need 4.88 GiB.",
    origin=V1,
)(sizes_in("GiB"))

kv_size_in_gb = row(
    "kv-size.gb",
    "Vicuna-7B in float16 needs 524,288 bytes of KV cache a token; 10,000 tokens need 4.88 GB, as printed.",
    origin=reading("GB of 10^9 bytes, where the text means 2^30"),
)(sizes_in("GB"))
