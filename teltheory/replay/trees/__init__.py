"""Replay of a forest of shared prefixes: strict caches (radix trees) and caches with holes (block pools)."""
