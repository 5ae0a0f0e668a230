"""What is said of a figure, by the name of its file; the figures themselves are made elsewhere."""

from collections.abc import Iterable
from pathlib import Path

from teltheory.base.input_files import read_bytes
from teltheory.cost.latency import COMPOSED
from teltheory.report.page import picture

BY_CAPACITY = (
    "P50, P90, P95 and P99 by capacity under six policies, at ξ = 100, 200 and 300 ms from top to bottom. "
    f"{COMPOSED}"
)
CAPTIONS = {
    "figure_3": (
        "Figure 3: time to first token against uncached tokens",
        "Measurements, the best line with its R², and what the line leaves; the colour is the cached tokens. "
        "The A100's are composed of operators' timings.",
    ),
    "figure_4": (
        "Figure 4: conversations and lengths",
        "Turns and tokens per conversation, tokens per prompt and per response: the share at or above a value. "
        "Dots are WildChat's published shares.",
    ),
    "figure_5": ("Figure 5: percentiles of TTFT, WildChat-like workload", BY_CAPACITY),
    "figure_6": ("Figure 6: percentiles of TTFT, ShareGPT-like workload", BY_CAPACITY),
    "adaptive_threshold": (
        "Adaptive ξ",
        "The improvement of T-LRU over LRU in P95 by the share that ξ is of P95: fixed, adaptive, and the best "
        "fixed one in hindsight.",
    ),
    "pareto_front": (
        "The median against the tail",
        "The median against P95 of TTFT under T-LRU over (ξ, Q̂), by order of trimming.",
    ),
    "belief_horizons": (
        "ET-LRU against value iteration, by turns ahead",
        "What each policy loses of the optimal saving in the belief MDP with two turn rates.",
    ),
    "belief_rates": (
        "ET-LRU against LRU, by rates and gaps",
        "Points of the optimal saving that ET-LRU loses more than LRU under the posterior; above 0 LRU is better.",
    ),
    "belief_decisions": (
        "Whose token is kept",
        "The optimum's choice between two tokens; hatched where ET-LRU keeps the other one.",
    ),
    "latencies_": ("Percentiles of TTFT, {}", f"By capacity, at three thresholds from top to bottom. {COMPOSED}"),
    "capacity_curves_": (
        "Far beyond the paper's capacities, {}",
        f"TEL, P95 of TTFT and the regret to the hindsight optimum by capacity. {COMPOSED}",
    ),
    "sensitivity_": (
        "Sensitivity to ξ, {}",
        "The improvement of T-LRU over LRU in P90, P95 and P99 by ξ. Vertical lines of the same look are LRU's "
        f"own percentiles, where Section 4.2 expects the peak. {COMPOSED}",
    ),
}
"""Title and caption by the beginning of a file's name, in the order shown; the rest of the name is a workload."""
WORKLOADS = {"wildchat": "WildChat-like workload", "sharegpt": "ShareGPT-like workload", "mooncake": "Mooncake"}


def caption(stem: str) -> tuple[str, str]:
    """Return a figure's title and caption; of an unknown one, its name in words and nothing."""
    for start, (title, text) in CAPTIONS.items():
        if stem == start or (start.endswith("_") and stem.startswith(start)):
            name = stem.removeprefix(start)
            return title.format(WORKLOADS.get(name, name)), text
    words = stem.replace("_", " ").strip()
    return words[:1].upper() + words[1:], ""


def pictures(files: Iterable[Path]) -> str:
    """Return SVG files as HTML: Figures 3 to 6 first, then by name."""
    place = {name: i for i, name in enumerate(CAPTIONS)}
    ordered = sorted(files, key=lambda file: (place.get(file.stem, len(place)), file.stem))
    return "\n\n".join(picture(*caption(file.stem), read_bytes(file, "an SVG file")) for file in ordered)
