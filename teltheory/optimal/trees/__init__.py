"""The hindsight optimum of a forest of shared prefixes, in caches with holes and in strict caches."""
