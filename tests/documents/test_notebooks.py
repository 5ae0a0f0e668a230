"""A notebook that shows what it does not print today is told, and becomes a page of the site."""

import json
from base64 import b64encode

import nbformat
import pytest

from documents.notebooks import executed, page_of, same

pytestmark = pytest.mark.repository


def notebook(folder, shown):
    """Write a notebook whose only cell of code prints 1, with what it is said to have shown."""
    output = {"output_type": "stream", "name": "stdout", "text": shown}
    code = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1, "outputs": [output]}
    text = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "# A title\n\n[a page](../claims.md)"}
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [text, {**code, "source": "print(1)"}]}
    file = folder / "a.ipynb"
    file.write_text(json.dumps(book))
    return file


def test_a_notebook_is_run_and_compared(tmp_path):
    today = executed(notebook(tmp_path, "1\n"))
    true, false = (nbformat.read(notebook(tmp_path, shown), as_version=4) for shown in ("1\n", "2\n"))
    assert same(true.cells[1], today.cells[1])
    assert not same(false.cells[1], today.cells[1])


def test_a_notebook_is_a_page(tmp_path):
    text, pictures = page_of(notebook(tmp_path, "1\n"))
    assert text.startswith("# A title")
    assert "[a page](../claims.md)" in text
    assert "    1\n" in text
    assert not pictures


def test_the_pictures_of_a_notebook_are_on_its_page_by_names_of_its_own(tmp_path):
    file = notebook(tmp_path, "1\n")
    book = json.loads(file.read_text())
    drawn = {"output_type": "display_data", "metadata": {}, "data": {"image/png": b64encode(b"drawn").decode()}}
    book["cells"][1]["outputs"].append(drawn)
    file.write_text(json.dumps(book))
    text, pictures = page_of(file)
    ((name, data),) = pictures.items()
    assert (name[:2], data) == ("a-", b"drawn")
    assert f"]({name})" in text
