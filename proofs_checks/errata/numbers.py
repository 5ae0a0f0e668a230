"""Errata of numbers and figures."""

from __future__ import annotations

from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import facts

NUMBERS = (
    Erratum(
        title="Section 4.2's best threshold for P90 is not Table 1's",
        place="Section 4.2, “setting ξ = 200 ms yields the largest improvement in P90 tail latency”",
        printed="At C = 1,000 the improvement of P90 is largest at ξ = 200 ms, that of P95 at ξ = 300 ms.",
        fact="In Table 1 as printed another threshold improves P90 more. The sentence is right on P95.",
        repair="Name Table 1's own threshold; the best one is the grid value nearest to the percentile under "
        "LRU, or a neighbour of it.",
        shows={"sensitivity.text": facts},
        repaired_by=("sensitivity.text.p95", "sensitivity.peak.printed"),
        scripts={"sensitivity.text": "proofs_checks/counterexamples/sensitivity_text.py"},
    ),
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
        title="Poisson arrivals: foresight gains more than next to nothing",
        place="Appendix G.2, “End-Aware T-LRU and Length-Aware T-LRU show only marginal gains over T-LRU”",
        printed="Under Poisson arrivals extra foresight offers diminishing returns: the variants gain only "
        "marginally over T-LRU, and all three perform very closely to Tail-Optimized Belady.",
        fact="Read as less than a tenth of the distance in TEL from T-LRU to Tail-Optimized Belady, a reading "
        "that the paper does not state, this fails on the ShareGPT-like workload that is declared here (the "
        "paper's own traces are not published): at the place below the share lies above a tenth, with an "
        "interval that holds at all places of the grid at once. Elsewhere it lies around a tenth, on either side.",
        repair="Say that foresight closes a smaller share of the distance than on WildChat.",
        shows={"prediction.poisson": facts},
        repaired_by=("prediction.poisson.contrast",),
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
