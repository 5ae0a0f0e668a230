"""Errata of numbers and figures."""

from __future__ import annotations

from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import facts

NUMBERS = (
    Erratum(
        title="Section 4.2's best threshold for P90 is not Table 1's",
        place="Section 4.2, “setting ξ = 200 ms yields the largest improvement in P90 tail latency”",
        printed="At C = 1,000 the improvement of P90 is largest at ξ = 200 ms, that of P95 at ξ = 300 ms.",
        v1="has 150 and 200 ms over the columns headed 200 and 300 ms here; the sentence on P90 is right there",
        fact="In Table 1 as printed another threshold improves P90 more. The sentence is right on P95.",
        repair="Name Table 1's own threshold; the best one is the grid value nearest to the percentile under "
        "LRU, or a neighbour of it.",
        shows={"sensitivity.text": facts},
        repaired_by=("sensitivity.text.p95", "sensitivity.peak.printed"),
        scripts={"sensitivity.text": "proofs_checks/counterexamples/sensitivity_text.py"},
    ),
)
