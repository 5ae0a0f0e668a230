"""Moved: `python -m teltheory.bench.footprint`; this name is kept for one version."""

import warnings

from teltheory.bench.footprint import main

if __name__ == "__main__":
    warnings.warn("benchmarks.footprint has moved to teltheory.bench.footprint", DeprecationWarning, stacklevel=1)
    main()
