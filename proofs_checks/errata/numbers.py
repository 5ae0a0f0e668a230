"""Errata of numbers and figures."""

from __future__ import annotations

from teltheory.claims.erratum import Erratum
from teltheory.claims.state_tables import facts

NUMBERS = (
    Erratum(
        title="Tables 1 and 3: two headings belong to other columns",
        place="Tables 1 and 3, the headings ξ = 200 ms and ξ = 300 ms",
        printed="Tables 1 and 3 have columns for ξ = 50, 100, 200, 300 and 500 ms. Section 4.2 says that at "
        "C = 1,000 ξ = 200 ms improves P90 most and ξ = 300 ms P95.",
        v1="prints the same numbers under 50, 100, 150, 200 and 500 ms; its sentence on P90 agrees with them, and "
        "for the one on P95 it has no column",
        fact="Under the printed headings the largest P90 improvement at C = 1,000 stands at ξ = 300 ms, against "
        "the sentence. The column headed 300 ms is that of 200 ms, the one headed 200 ms that of 150 ms.",
        repair="Head the columns 150 and 200 ms; the sentence on P90 then is right, for P95 there is no column.",
        shows={"sensitivity.text": facts},
        repaired_by=("sensitivity.text.headings", "table-1.headings", "table-3.headings"),
        scripts={"sensitivity.text": "proofs_checks/counterexamples/sensitivity_text.py"},
    ),
    Erratum(
        title="The conclusion's 20-30 % in P95 are not in Table 1",
        place="Section 6 of version 1 on arXiv, “(e.g., 20-30% improvement in P95 TTFT)”",
        printed="T-LRU improves P95 of TTFT by 20 to 30 %.",
        fact="No P95 improvement in the paper's tables reaches 25 %, and 20 % are reached at the largest capacity "
        "alone; at the smallest the best threshold gives a tenth of that.",
        repair="Up to 23.9 %, as the abstract has it.",
        shows={"headline.p95-range": facts},
        repaired_by=("headline.p95",),
    ),
)
