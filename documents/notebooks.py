"""Notebooks: run and compared as the blocks of the documents are, and made into pages of the site.

    python -m pytest -p documents.notebooks docs

Each runs in an empty folder. What its cells print and show as text is compared with what the file holds; pictures
are not. If TELTHEORY_DOCUMENTS holds "reprint", a notebook that differs is written anew.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from documents.blocks import agrees, asked


class Notebook(pytest.File):
    """A file whose cells are run."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the only test of a notebook: all of its cells, in their order."""
        yield Cells.from_parent(self, name="cells")


class Cells(pytest.Item):
    """All cells of a notebook."""

    def runtest(self) -> None:
        """Run the cells and compare what they show."""
        shown = nbformat.read(self.path, as_version=4)
        try:
            today = executed(self.path)
        except CellExecutionError as error:
            pytest.fail(str(error), pytrace=False)
        differ = [
            at for at, (old, new) in enumerate(zip(shown.cells, today.cells, strict=True)) if not same(old, new)
        ]
        if differ and asked("reprint"):
            nbformat.write(today, self.path)
        elif differ:
            cell = today.cells[differ[0]]
            pytest.fail(
                f"cell {differ[0]} shows something else today:\n{cell.source}\n{text_of(cell)}", pytrace=False
            )


def executed(path: Path) -> Any:
    """Return a notebook with what its cells show today, and without what depends on the machine."""
    book = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        NotebookClient(book, timeout=300, resources={"metadata": {"path": folder}}).execute()
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    for cell in book.cells:
        cell.metadata = {}
    return book


def same(old: Any, new: Any) -> bool:
    """Whether a cell shows the same text as before."""
    return agrees(text_of(old), text_of(new))


def text_of(cell: Any) -> str:
    """Return what a cell prints and shows as text; a picture is only named."""
    parts = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        picture = "a picture" if "image/png" in data else None
        parts.append(picture or output.get("text") or data.get("text/plain", ""))
    return "\n".join(parts)


def page_of(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as a page of Markdown, and its pictures by the names that the page has for them."""
    from nbconvert import MarkdownExporter

    text, resources = MarkdownExporter().from_filename(str(path))
    pictures = {f"{path.stem}-{name}": data for name, data in resources["outputs"].items()}
    for name in resources["outputs"]:
        text = text.replace(f"({name})", f"({path.stem}-{name})")
    return text, pictures


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Notebook | None:
    """Collect notebooks."""
    return Notebook.from_parent(parent, path=file_path) if file_path.suffix == ".ipynb" else None
