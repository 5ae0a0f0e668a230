"""A planted fault: one change of one file, and where to look for what catches it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault as data.

    Attributes
    ----------
    name : str
        A few words joined by hyphens, unique.
    file : str
        The file, from the root of the project.
    old, new : str
        What stands there exactly once, and what is planted in its place.
    wrong : str
        What is wrong then, in one line.
    rows : tuple of str
        Rows of the ledger to decide again; those that end early where the fault shows.
    tests : tuple of str
        Test files (or `file::test`) to run until one fails; then the folder of the first.
    """

    name: str
    file: str
    old: str
    new: str
    wrong: str
    rows: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    def planted_in(self, text: str) -> str:
        """Return the file's text with the fault.

        Raises
        ------
        LookupError
            Where the old text does not stand there exactly once.
        """
        found = text.count(self.old)
        if found != 1:
            raise LookupError(f"{self.file}: found the old text {found} times, expected it once")
        return text.replace(self.old, self.new)
