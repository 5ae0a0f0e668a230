"""What is decided about Prompt Cache (Gim et al. 2024): one file per section, each a list of claims."""

MODULES = (
    "set_plans",
    "set_budgets",
    "whole_modules",
    "nested_modules",
    "schema_positions",
    "shared_batches",
    "module_costs",
)
