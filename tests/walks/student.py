"""A student: installs, sees the demonstration, and runs the ten lines of Python that the package's page shows."""

import time

PAGE = """
import doctest, re
from importlib.metadata import metadata

page = metadata("teltheory").get_payload()
[lines] = re.findall(r"^```python\\n(>>> import teltheory.*?)^```", page, re.DOTALL | re.MULTILINE)
test = doctest.DocTestParser().get_doctest(lines, {}, "page", None, 0)
print(len(test.examples), doctest.DocTestRunner().run(test).failed)
"""
WITHIN = 15
"""Seconds that the demonstration may take."""


def test_the_installation_has_a_version(walk):
    assert walk("teltheory --version").startswith("teltheory, version ")


def test_the_demonstration_comes_within_its_time(walk, tmp_path):
    begun = time.monotonic()
    printed = walk("teltheory demo")
    assert time.monotonic() - begun <= WITHIN
    assert "the optimum, proved, has " in printed
    assert "The price: " in printed
    page = (tmp_path / "teltheory-demo.html").read_text()
    assert page.count("<polyline") == 7
    assert "http" not in page


def test_the_lines_of_the_page_print_what_it_says(walk):
    examples, failed = map(int, walk("python -c", PAGE).split())
    assert examples >= 5
    assert failed == 0


def test_what_needs_an_extra_says_how_it_is_installed(walk):
    walk("teltheory trace sample wildchat-like t.csv --turns 200")
    probe = "server probe --url http://localhost:1 --served-model m"
    for line, needed in (
        ("curve t.csv --figure c.svg", "matplotlib is needed for `report`: pip install 'teltheory[report]'"),
        (probe, "httpx is needed for `calibrate`: pip install 'teltheory[calibrate]'"),
    ):
        assert walk(f"teltheory {line}", code=2) == f"teltheory: {needed}\n"
