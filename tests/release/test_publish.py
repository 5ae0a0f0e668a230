"""What is uploaded: its page on an index, its version, and that a dry run uploads nothing."""

import re

import pytest
from markdown_it import MarkdownIt

from release import publish
from release.readme import without_files
from release.wheel import ROOT

pytestmark = pytest.mark.repository
READY = {"CHANGELOG.md": "# Changelog\n\n## 1.2.3 (2027-01-02)\n", "CITATION.cff": "a: b\nversion: 1.2.3\nc: d\n"}


def test_the_page_of_an_index_has_no_link_that_leads_nowhere():
    page = MarkdownIt().render(without_files((ROOT / "README.md").read_text(encoding="utf-8")))
    assert page
    targets = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert [target for target in targets if not target.startswith(("https://", "http://", "#"))] == []
    assert "arxiv.org/abs/2510.15152" in page


def test_links_to_files_are_their_text_and_code_stays():
    text = '[a](docs/a.md) ![b](b.svg)<img src="b.svg" alt="b"> [c](https://c.org)\n```\n[d](e)\n```\n'
    assert without_files(text) == "a b [c](https://c.org)\n```\n[d](e)\n```\n"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    for name, text in READY.items():
        (tmp_path / name).write_text(text)
    done = type("Done", (), {"returncode": 0, "stdout": ""})
    monkeypatch.setattr(publish.subprocess, "run", lambda *_, **__: done)
    return tmp_path


def test_a_checkout_of_another_version_is_said(checkout):
    assert list(publish.unready(checkout, "1.2.3")) == []
    assert len(list(publish.unready(checkout, "1.2.4"))) == 2
    (checkout / "CHANGELOG.md").write_text("## 1.2.3 (unreleased)\n")
    assert "found '1.2.3 (unreleased)'" in next(publish.unready(checkout, "1.2.3"))


CASES = [(["--dry-run"], True, 0), ([], True, 0), ([], False, 1)]


@pytest.mark.parametrize(("words", "unready", "uploads"), CASES)
def test_only_what_is_ready_is_uploaded_and_never_by_a_dry_run(monkeypatch, tmp_path, words, unready, uploads):
    commands = []
    monkeypatch.setattr(publish, "DIST", tmp_path / "dist")
    monkeypatch.setattr(publish, "unready", lambda *_: ["not ready"] * unready)
    monkeypatch.setattr(publish.wheel, "main", lambda _: 0)
    monkeypatch.setattr(publish.wheel, "run", lambda command: commands.append(command) or 0)
    assert publish.main(words) == int(unready and not words)
    assert len(commands) == uploads
    assert all("upload" in command for command in commands)
