"""After RAGCache, Prompt Cache or Parrot: three documents, a sample of modules, a log of an application."""

import json

import pytest

SERVE = ("rag serve mine --tier 1k --tier 10k:pcie4 --question", "Who wrote Emma?")


@pytest.fixture
def documents(tmp_path):
    (tmp_path / "mine").mkdir()
    for name, text in (("a", "Jane Austen wrote Emma."), ("b", "A cache keeps keys."), ("c", "Rome has ruins.")):
        (tmp_path / "mine" / f"{name}.txt").write_text(text)


@pytest.fixture
def log(tmp_path):
    said = [{"role": "user", "content": "Say a word."}, {"role": "assistant", "content": "Word."}]
    (tmp_path / "log.jsonl").write_text(json.dumps({"messages": said, "response": "Again."}) + "\n")


def test_a_server_of_documents_says_what_it_needs_and_then_serves_three(walk, with_extras, documents):
    told = walk(f"teltheory {SERVE[0]}", SERVE[1], code=2)
    assert "is needed for `rag`: pip install 'teltheory[rag]'" in told
    told = with_extras(f"teltheory {SERVE[0]}", SERVE[1])
    assert "3 files of mine" in told
    assert "1 question of the command line" in told


def test_module_sets_are_replayed_without_an_extra(walk):
    walk("teltheory modules sample m.jsonl --requests 300")
    assert "tlru" in walk("teltheory modules replay m.jsonl --capacity 5k --xi 500 --policy lru,tlru")


def test_a_log_of_messages_is_an_application(walk, with_extras, log):
    told = walk("teltheory apps explain log.jsonl", code=2)
    assert told == "teltheory: networkx is needed for `apps`: pip install 'teltheory[apps]'\n"
    told = with_extras("teltheory apps explain log.jsonl")
    assert "1 request, 0 task groups" in told
    assert "Gets: out0 (latency)." in told
