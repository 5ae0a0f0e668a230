"""Checks of the paper's claims, one file per section; registered as entry point `teltheory.claims`."""

from teltheory.claims.registry import all_claims

__all__ = ["MODULES", "all_claims"]

MODULES = (
    "hindsight",
    "certificates",
    "beyond_tel",
    "theorem_31",
    "appendix_c",
    "appendix_c_step",
    "algorithm_1",
    "algorithm_2",
    "scores",
    "trimming",
    "partial_trimming",
    "figures_1_2",
    "engines",
    "stack",
    "figure_3",
    "posterior",
    "theorem_d2",
    "theorem_d2_exchange",
    "theorem_d2_bayes",
    "corollaries_d2",
    "printed_index",
    "printed_numbers",
    "printed_tables",
    "headlines",
    "figure_4",
    "figures_5_6",
    "tables_1_to_6",
    "predictions",
    "headlines_measured",
    "tail_measures",
    "not_competitive",
    "hardness",
)
