"""The LaTeX of figures and tables is set by pdfLaTeX, all of it in one document."""

import re
import shutil
import subprocess

import pytest
import tidy_tables as small
from matplotlib.figure import Figure
from test_figures_of_tables import FIGURES as DRAWN

from paper_figs.all import FIGURES
from teltheory.errors import FileError
from teltheory.paper import drawing
from teltheory.plots.files import write_figure, write_snippet

TABLES = {name: table for name, (_, table) in DRAWN.items()}
TABLES |= {"cells_wildchat": small.cells, "improvements_mooncake": small.improvements}


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdfLaTeX")
def test_all_snippets_are_set_in_one_document(tmp_path, monkeypatch):
    tables, out = tmp_path / "tables", tmp_path / "out"
    tables.mkdir()
    for name, write in TABLES.items():
        write(tables / f"{name}.csv")
    tiny = tmp_path / "tiny.pdf"
    write_figure(str(tiny), Figure(figsize=(2, 1)))
    monkeypatch.setattr(drawing, "save", lambda _, target: shutil.copy(tiny, f"{target}.pdf"))
    list(drawing.draw_all(tables, out, FIGURES, "acm"))
    shutil.copy(tiny, out / "mine.pdf")
    write_snippet(str(out / "mine.pdf"), Figure(figsize=(2, 1)), r"\x{_}^~#&% of $5 {")
    snippets = sorted(out.glob("*.tex"))
    assert len(snippets) > len(TABLES)
    labels = [re.search(r"\\label\{(.*)\}", snippet.read_text())[1] for snippet in snippets]
    assert len(set(labels)) == len(labels)
    body = "\n".join(rf"\input{{{snippet.stem}}}\clearpage" for snippet in snippets)
    head = r"\documentclass[twocolumn]{article}\usepackage{graphicx,booktabs}\begin{document}"
    (out / "all.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (out / "all.pdf").read_bytes().startswith(b"%PDF")


def test_a_caption_says_what_the_table_has(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "save", lambda *_: None)
    (figure,) = [one for one in FIGURES if one.table == "curves_*"]
    list(figure.write(small.curves(tmp_path / "curves_mine.csv"), tmp_path))
    snippet = (tmp_path / "capacity_curves_mine.tex").read_text()
    for said in ("mine, means of 4 samples", "500 to 50,000 tokens", "200 ms", r"95 \% intervals"):
        assert said in snippet


def test_a_file_of_another_is_not_overwritten(tmp_path):
    (tmp_path / "paper.tex").write_text(r"\documentclass{article}")
    with pytest.raises(FileError, match="found a file that is not ours"):
        write_snippet(str(tmp_path / "paper.pdf"), Figure(), "A figure.")
    assert (tmp_path / "paper.tex").read_text() == r"\documentclass{article}"
