"""What is decided about shared prefixes: one file per section, each a list of claims."""

MODULES: tuple[str, ...] = ()
