"""What is decided about shared prefixes: one file per section, each a list of claims."""

MODULES = (
    "optimum",
    "weights",
    "strict",
    "strict_capacity",
    "hard_caches",
    "tlru_on_forests",
    "stack_on_forests",
    "whole_nodes",
)
