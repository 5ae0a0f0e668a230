"""Moved: `python -m teltheory.paper.fit_chat_lengths`; this name works for one version."""

import sys
import warnings

from teltheory.paper.fit_chat_lengths import main

__all__ = ["main"]
warnings.warn("use python -m teltheory.paper.fit_chat_lengths", DeprecationWarning, stacklevel=1)
if __name__ == "__main__":
    main(sys.argv[1:])
