"""Faults in the page of a report: its numbers, its names, and what of the machine goes in."""

from mutants.fault import Fault

EXPLORER = "teltheory/report/explorer.py"
SLIDERS = "tests/report/test_explorer.py"
PAGE = "tests/report/test_page.py"

FAULTS = (
    Fault(
        "page-shows-names-as-mark-up",
        "teltheory/report/page.py",
        "autoescape=True",
        "autoescape=False",
        "a file may be called <script>",
        tests=(PAGE,),
    ),
    Fault(
        "sliders-of-another-estimate",
        EXPLORER,
        "estimate = default_estimate(trace) if q_hat is None else q_hat",
        "estimate = default_estimate(trace)",
        "the sliders show T-LRU with another estimate than was asked for",
        tests=(SLIDERS,),
    ),
    Fault(
        "p95-under-p90-on-the-page",
        EXPLORER,
        "LEVELS = (0.5, 0.9, 0.95, 0.99)",
        "LEVELS = (0.5, 0.95, 0.9, 0.99)",
        "P90 and P95 are swapped beside the sliders",
        tests=(SLIDERS,),
    ),
    Fault(
        "slow-turns-by-the-threshold-alone",
        EXPLORER,
        "free = latency.cached_is_free",
        "free = True",
        "turns above the SLO are counted as if cached tokens cost nothing",
        tests=(SLIDERS,),
    ),
    Fault(
        "optimum-of-the-first-threshold",
        EXPLORER,
        "hindsight_optimum(trace, capacity, xi).objective",
        "hindsight_optimum(trace, capacity, thresholds[0][1]).objective",
        "the sliders show the optimum of another threshold",
        tests=(SLIDERS,),
    ),
    Fault(
        "page-tells-the-seconds",
        "teltheory/report/entries.py",
        'f"{place}."',
        "f\"{place}, {row['seconds']} s.\"",
        "a page made twice has other bytes",
        tests=(PAGE,),
    ),
    Fault(
        "page-tells-the-folder",
        "teltheory/report/provenance.py",
        '(file.name, f"SHA-256',
        '(str(file), f"SHA-256',
        "the page says where the files lay",
        tests=(PAGE,),
    ),
    Fault(
        "page-leaves-out-the-counterexample",
        "teltheory/report/words.py",
        """    if row["counterexample"] is not None:
        yield""",
        """    if row is None:
        yield""",
        "a refuted statement stands without its counterexample",
        tests=(PAGE,),
    ),
)
