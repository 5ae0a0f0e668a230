"""Servers and policies for the tests of sweeps, which spawned processes import from here."""

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import mkstemp

import teltheory as tt
from teltheory.policies import LeastRecentlyUsed
from teltheory.policies.spec import Spec
from teltheory.serving.serve import Serving
from teltheory.sweep import ServedGrid

TRACE = tt.Trace.from_turns(
    list("abcabcabdd"), [30, 20, 40, 5, 6, 7, 8, 9, 10, 11], [1] * 10, arrival=[k / 1000 for k in range(10)]
)
TIERS = tt.Tiers((40, 60), (0, Fraction(3, 10)))
SERVINGS = None, Serving(2, "hash"), Serving(2, "min-ttft", Fraction(1, 2), "spread")


@dataclass(frozen=True)
class NotingServed(LeastRecentlyUsed):
    """LRU that notes in a folder that it ran; one that is held waits there for a file `go`."""

    number: int
    folder: str
    held: bool = False

    def drops(self, node):
        if node.hits == 1 and node.code == 0:
            os.close(mkstemp(prefix=f"run-{self.number}-{os.getpid()}-", dir=self.folder)[0])
            while self.held and not (Path(self.folder) / "go").exists():
                pass
        return False


@dataclass(frozen=True)
class MadeServed:
    """Stands for a `Spec`."""

    text: str
    policy: object

    def build(self, *given):
        return self.policy


def serving_grid(folder, held=None):
    noting = [MadeServed(f"noting-{n}", NotingServed(n, str(folder), n == held)) for n in range(4)]
    return ServedGrid([*noting, Spec("lru"), Spec("tlru")], [TIERS], SERVINGS, (10, 20), q_hat=8)
