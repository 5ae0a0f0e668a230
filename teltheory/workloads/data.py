"""Where the real data is."""

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the folder of the real data: ``TELTHEORY_DATA``, or ``../shared/data``."""
    return Path(os.environ.get("TELTHEORY_DATA") or "../shared/data")
