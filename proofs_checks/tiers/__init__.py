"""What is decided about tiers of memory: one file per section, each a list of claims."""

MODULES = ("cascades", "differences", "nested_rows", "scaled_budgets", "where_budgets_end")
