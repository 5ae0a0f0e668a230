"""The benchmarks have moved to `teltheory.bench`; these names are kept for one version."""
