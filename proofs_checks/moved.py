"""Files of earlier versions: they run and import for one version, with a warning that names their new module."""

import runpy
import warnings
from importlib import import_module
from typing import Any


def forward(old: dict[str, Any], module: str) -> None:
    """Run a module in place of the file whose globals are `old`, or give these its names if it is imported."""
    script = old["__name__"] == "__main__"
    warnings.warn(f"{old['__file__']} is {module} now", DeprecationWarning, stacklevel=2 if script else 3)
    today = import_module(module)
    if script:
        runpy.run_path(str(today.__file__), run_name="__main__")
    else:
        old.update((name, value) for name, value in vars(today).items() if name[:2] != "__")
