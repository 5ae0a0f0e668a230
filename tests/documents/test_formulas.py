"""KaTeX sets every formula of the pages without a complaint."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"^```.*?^```|`[^`\n]*`|<!--.*?-->", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"^\$\$\n(.+?)\n\$\$$|(?<!\$)\$(?![\s$])([^$\n]+?)(?<!\s)\$(?!\$)", re.DOTALL | re.MULTILINE)
SET = """all => all.map(tex => {
    try { katex.renderToString(tex); return '' } catch (error) { return String(error) }
})"""


def formulas():
    pages = {page.relative_to(DOCS).as_posix(): CODE.sub("", page.read_text()) for page in DOCS.rglob("*.md")}
    return [(page, found[1] or found[2]) for page, text in pages.items() for found in FORMULA.finditer(text)]


def complaints(browser, written):
    page = browser.new_page()
    page.add_script_tag(path=DOCS / "assets" / "katex" / "katex.min.js")
    said = page.evaluate(SET, [tex for _, tex in written])
    page.close()
    return [(name, tex, words) for (name, tex), words in zip(written, said, strict=True) if words]


@pytest.mark.repository
def test_every_formula_can_be_set(chromium):
    written = formulas()
    assert {"model.md", "words.md", "limits.md"} <= {page for page, _ in written}
    assert complaints(chromium, written) == []
    assert "Undefined control sequence" in complaints(chromium, [("x.md", r"\fraq{1}{2}")])[0][2]


@pytest.mark.repository
def test_no_dollar_is_left_over():
    for page in DOCS.rglob("*.md"):
        left = FORMULA.sub("", CODE.sub("", page.read_text()))
        indented = re.sub(r"^ {4}.*$", "", left, flags=re.MULTILINE)
        assert "$" not in indented, page.name
