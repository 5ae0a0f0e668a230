import re
import subprocess
from pathlib import Path

import pytest

from documents.site import as_seen_from_docs

MAKEFILE = Path(__file__).parents[2] / "Makefile"


@pytest.mark.parametrize(
    ("tag", "fetches"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//fonts.example/f.css">', True),
        ('<img src="http://example.org/a.png">', True),
        ('<script src="assets/x.js"></script><img src="data:image/png;base64,AA==">', False),
        ('<a href="https://example.org">a link is not fetched</a>', False),
        ('<link rel="canonical" href="https://example.org/page">', False),
    ],
)
@pytest.mark.repository
def test_what_a_page_fetches_from_elsewhere_is_found(tmp_path, tag, fetches):
    (tmp_path / "page.html").write_text(f"<html><head>{tag}</head></html>")
    pattern = re.search("^FETCHED := (.*)", MAKEFILE.read_text(), re.MULTILINE)[1]
    found = subprocess.run(["grep", "-rnoP", pattern, tmp_path], capture_output=True, check=False)
    assert found.returncode == (0 if fetches else 1)


def test_links_of_the_readme_are_those_of_the_site():
    text = "[docs/a.md](docs/a.md#b), [log](CHANGELOG.md), [how to cite](docs/x.md), [CITATION.cff](CITATION.cff)"
    assert as_seen_from_docs(text) == "[a](a.md#b), [log](changelog.md), [how to cite](x.md), `CITATION.cff`"
