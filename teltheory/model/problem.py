"""What a problem is before anybody answers it: requests, a memory and a threshold, as they were given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace


@dataclass(frozen=True)
class PlainProblem:
    """The value of `teltheory.Problem`, whose docstring says what each field is, without its verbs."""

    requests: Trace | Forest | ModuleTrace
    capacity: int | str | Tiers | None = None
    xi: int | str | None = None
    model: Any = None
    forced: bool = False
    initial: Initial = ()
    running: int = 1
    cache: Any = "strict"
    rules: Any = None
    latency: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "initial", tuple(self.initial))
        whole_number("running", self.running)

    def with_(self, **changes: Any) -> Self:
        """Return the same problem but for some fields; text is read anew, with the model and the unit of now."""
        return replace(self, **changes)
