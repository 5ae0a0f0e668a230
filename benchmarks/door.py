"""Moved: `python -m teltheory.bench.door`; this name is kept for one version."""

import warnings

from teltheory.bench.door import main

if __name__ == "__main__":
    warnings.warn("benchmarks.door has moved to teltheory.bench.door", DeprecationWarning, stacklevel=1)
    main()
