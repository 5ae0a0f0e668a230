"""What is decided about hints, what applications tell a cache: one file per section, each a list of claims."""

MODULES = ("release_hints", "keep_hints", "engine_hints")
