"""Token counts against the tokenizers' own, on toy vocabularies; nothing is downloaded."""

import inspect
import sys

import pytest
import tiktoken
import tiktoken_ext.openai_public
from formats.vocabularies import rank_file, ranks, word_level
from refusals import refused
from tokenizers import Tokenizer

import teltheory as tt
from teltheory.base.extras import MissingPackageError
from teltheory.formats.counting import PATTERNS, counter

TEXTS = ["hello world", "", "a b. unheard", "hell\ud800ll", "日本語", "hello " * 50]


def test_a_tokenizer_file_counts_as_the_tokenizer_does(tmp_path):
    file = word_level(tmp_path / "tokenizer.json")
    own = Tokenizer.from_file(str(file))
    made = counter(str(file))
    assert made.count(TEXTS)[:3] == [2, 0, 4]
    assert made.count(TEXTS)[4:] == [len(own.encode(text).ids) for text in TEXTS[4:]]
    assert made.name.startswith("tokenizer.json, SHA-256 ")
    own.enable_truncation(1)
    assert counter(own).count(TEXTS) == made.count(TEXTS)
    assert len(own.encode("hello world").ids) == 1


def test_special_tokens_around_a_message_do_not_count(tmp_path):
    from tokenizers.processors import TemplateProcessing

    own = Tokenizer.from_file(str(word_level(tmp_path / "tokenizer.json")))
    own.post_processor = TemplateProcessing(single="a $0 b", special_tokens=[("a", 0), ("b", 1)])
    assert len(own.encode("hello").ids) == 3
    assert counter(own).count(["hello"]) == [1]


def test_a_rank_file_counts_as_the_encoding_does(tmp_path):
    encoding = tiktoken.Encoding(
        "toy", pat_str=PATTERNS["cl100k_base"], mergeable_ranks=ranks(), special_tokens={"<|end|>": 300}
    )
    by_file = counter(rank_file(tmp_path / "cl100k_base.tiktoken"))
    texts = [*TEXTS, "<|end|>"]
    assert by_file.count(texts)[:2] == [8, 0]
    assert (
        by_file.count(texts) == counter(encoding).count(texts) == [len(encoding.encode_ordinary(t)) for t in texts]
    )


def test_the_patterns_are_those_of_tiktoken(monkeypatch):
    public = tiktoken_ext.openai_public
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: {})
    for name, pattern in PATTERNS.items():
        assert getattr(public, name)()["pat_str"] == pattern
    assert "load_tiktoken_bpe" in inspect.getsource(public.o200k_base)


def test_the_estimate_is_a_quarter_of_the_characters_rounded_up():
    made = counter("characters/4")
    assert made.count(["", "a", "abcd", "abcde", "日本語文字"]) == [0, 1, 1, 2, 2]
    assert "estimate" in made.name


@pytest.mark.parametrize("wrong", [None, 7, "gpt2", "tokenizer.txt", "characters/3", object()])
def test_what_is_no_tokenizer_is_told_what_to_pass(wrong):
    refused(tt.ArgumentError, r"tokenizer: .*expected a tokenizer\.json .*'characters/4'", counter, wrong)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("none.json", None, "expected a tokenizer's file"),
        ("t.json", "{", "expected a tokenizer.json of Hugging Face"),
        ("t.json", '{"version": "1.0"}', "expected a tokenizer.json of Hugging Face"),
        ("mine.tiktoken", "YQ== 0", "found the name 'mine', expected one of r50k_base, p50k_base, cl100k_base"),
        ("cl100k_base.tiktoken", "YQ== 0\nYQ==", "line 2: found b'YQ==', expected a token and its rank"),
        ("cl100k_base.tiktoken", "YQ== 0\n*** 1", "line 2: found b'*** 1', expected a token and its rank"),
        ("cl100k_base.tiktoken", "YQ== 0\n", "found no rank of byte 0, expected ranks of all 256 bytes"),
    ],
)
def test_a_wrong_tokenizer_file_is_an_error_that_names_it(name, content, expected, tmp_path):
    if content is not None:
        (tmp_path / name).write_text(content)
    caught = refused(tt.FileError, str(tmp_path / name), lambda: counter(tmp_path / name))
    assert expected in str(caught)
    assert len(str(caught).splitlines()) == 1


@pytest.mark.parametrize("name", ["tokenizer.json", "cl100k_base.tiktoken"])
def test_a_missing_extra_is_named(name, tmp_path, monkeypatch):
    file = word_level(tmp_path / name) if name.endswith("json") else rank_file(tmp_path / name)

    for package in ("tokenizers", "tiktoken"):
        monkeypatch.setitem(sys.modules, package, None)
    refused(MissingPackageError, r"^(tokenizers|tiktoken) is needed for `datasets`: pip install ", counter, file)
