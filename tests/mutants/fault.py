"""A planted fault: one change of one file, and where to look for what catches it.

The faults stand in `faults/*.txt`, one file a room of the project, with an empty line after each:

    name: what is wrong then
    in FILE, from the root of the project
    - what stands there exactly once, line by line, where the first and the last line may be parts of lines
    + what is planted in its place
    rows of the ledger to decide again; those that end early where the fault shows
    test FILE or FILE::TEST, which are run in their order until one fails; then the folder of the first
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "faults"
ROOMS = ["policies", "replay", "optimal", "judges", "belief", "claims", "engines"]
ROOMS += ["proofs", "experiments", "limits", "forest", "forest_policies"]
ROOMS += ["ragcache", "retrieval", "rag", "tiers", "advice", "serving", "report"]
ROOMS += ["sets", "sets_optimum", "pml", "modules_runtime"]
ROOMS += ["prompt_cache_claims", "modules_store", "modules_measured"]
ROOMS += ["apps_sessions"]
ROOMS += ["schedules", "parrot_claims"]
ROOMS += ["apps_files"]
ROOMS += ["app_engines", "apps_scheduling"]
ROOMS += ["apps_simulation"]
ROOMS += ["app_server"]
ROOMS += ["application_tails"]
ROOMS += ["coq"]
ROOMS += ["hints_claims"]


@dataclass(frozen=True)
class Fault:
    """A fault as data; its name is a few words joined by hyphens, and unique."""

    name: str
    file: str
    old: str
    new: str
    wrong: str
    rows: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Fault:
        """Return the fault that a paragraph describes."""
        head, *lines = text.splitlines()
        said: dict[str, list[str]] = {word: [] for word in ("in", "-", "+", "rows", "test")}
        for line in lines:
            word, _, rest = line.partition(" ")
            said[word].append(rest)
        old, new = ("\n".join(said[mark]) for mark in "-+")
        name, _, wrong = head.partition(": ")
        return cls(
            name, said["in"][0], old, new, wrong, tuple(" ".join(said["rows"]).split()), tuple(said["test"])
        )

    def planted_in(self, text: str) -> str:
        """Return the file's text with the fault; `LookupError` unless the old text stands there exactly once."""
        found = text.count(self.old)
        if found != 1:
            raise LookupError(f"{self.file}: found the old text {found} times, expected it once")
        return text.replace(self.old, self.new)


def _faults(room: str) -> list[Fault]:
    paragraphs = (FOLDER / f"{room}.txt").read_text().rstrip("\n").split("\n\n")
    return [Fault.of(paragraph) for paragraph in paragraphs if not paragraph.startswith("#")]


FAULTS = tuple(fault for room in ROOMS for fault in _faults(room))
