"""Import paths of earlier versions: they work for one version, with a warning that names the path of today."""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "teltheory.attention": "teltheory.cost.latency",
    "teltheory.belief.etlru": "teltheory.policies.learned.etlru",
    "teltheory.belief.next_event": "teltheory.policies.learned.next_event",
    "teltheory.belief.posterior": "teltheory.policies.learned.posterior",
    "teltheory.belief.returns": "teltheory.policies.learned.return_aware",
    "teltheory.belief.solve": "teltheory.belief.tables",
    "teltheory.cost.attention": "teltheory.cost.latency",
    "teltheory.instance": "teltheory.model.instance",
    "teltheory.kv_cache": "teltheory.cost.kv_cache",
    "teltheory.latency": "teltheory.cost.latency",
    "teltheory.metrics": "teltheory.cost.metrics",
    "teltheory.outcome": "teltheory.model.outcome",
    "teltheory.optimal.cost_bound": "teltheory.optimal.prices",
    "teltheory.report.provenance": "teltheory.report.page",
    "teltheory.trace": "teltheory.model.trace",
    "teltheory.workloads.gaps": "teltheory.workloads.times",
    "teltheory.workloads.likelihood": "teltheory.workloads.fitting",
    "teltheory.workloads.readers": "teltheory.formats",
    "teltheory.workloads.writing": "teltheory.formats",
}


class Moved:
    """Finds a module by the name that it had; the base classes of `importlib.abc` are slow to load."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module that moved, None for any other."""
        return ModuleSpec(fullname, self) if fullname in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the place of the old name."""
        name = module.__name__
        warnings.warn(f"{name} is {MOVED[name]} now", DeprecationWarning, stacklevel=2)
        sys.modules[name] = import_module(MOVED[name])


sys.meta_path.append(Moved())
