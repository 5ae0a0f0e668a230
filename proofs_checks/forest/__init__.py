"""What is decided about shared prefixes: one file per section, each a list of claims."""

MODULES = ("hard_caches", "strict_capacity")
