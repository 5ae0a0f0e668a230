"""Errata of numbers and figures."""

from __future__ import annotations

from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import facts

NUMBERS = (
    Erratum(
        title="Figure 3: a line through the uncached tokens, where most of the prompt is cached",
        place="Section 2, “TTFT grows roughly linearly with the number of uncached token blocks”, and Figure 3",
        printed="Empirically, TTFT grows roughly linearly with the number of uncached token blocks; so TTFT is "
        "taken to be their number. The figure shows Vicuna-7B on an A100, with cached prefixes.",
        fact="On a vLLM server that was measured with up to nearly all of the prompt cached (small models, two "
        "CPU cores) the best line misses the rule of this ledger, which the paper does not state: R² ≥ 0.99 on "
        "the medians of equal requests. This says nothing about the paper's own server.",
        repair="Where nothing is cached a line fits. With cached prefixes attention to the cached tokens has a "
        "share; [latency.md](latency.md) has models with that term.",
        shows={"figure-3.vllm-cpu": facts},
        repaired_by=("figure-3.a100-cold",),
    ),
    Erratum(
        title="KV cache size: GiB, not GB",
        place="KV cache size, an appendix of the longer summary",
        printed="The KV cache of 10,000 tokens of Vicuna-7B in float16 is about 4.88 GB.",
        fact="The bytes are right; divided by 10⁹, as GB means, they give another number.",
        repair="4.88 GiB, of 2³⁰ bytes.",
        shows={"kv-size.gb": facts},
        repaired_by=("kv-size",),
    ),
)
