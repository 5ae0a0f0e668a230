"""Moved: `python -m teltheory.paper.all`; this name works for one version."""

import sys
import warnings

from teltheory.paper.all import main

__all__ = ["main"]
warnings.warn("use python -m teltheory.paper.all", DeprecationWarning, stacklevel=1)
if __name__ == "__main__":
    main(sys.argv[1:])
