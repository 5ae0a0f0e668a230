"""Policies by their names on the command line: ET-LRU from a model file, and the return-aware one."""

import inspect
import json
from fractions import Fraction
from importlib import import_module

import pytest
from refusals import refused

import teltheory as tt
from teltheory.policies.spec import NAMED, named_in, parse_policy
from teltheory.workloads.laws import Finite, LogNormal

RATES = {"death_rate": 0.01, "turn_rate": 0.1}


def model(tmp_path, **fields):
    file = tmp_path / "model.json"
    file.write_text(json.dumps({**RATES, **fields}))
    return file


def test_each_policy_says_its_own_name():
    assert {name: kind.name for name, kind in NAMED.items()} == {name: name for name in NAMED}
    assert all(hasattr(tt, kind.__name__) or hasattr(tt.policies, kind.__name__) for kind in NAMED.values())


def test_a_policy_is_named_by_its_file_alone(tmp_path, monkeypatch):
    package = tmp_path / "policies_of_a_test"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "frequency.py").write_text(
        "from dataclasses import dataclass\nfrom teltheory.policies import TLRU\n"
        "@dataclass(frozen=True)\nclass LFU(TLRU):\n    name = 'lfu'\n"
        "@dataclass(frozen=True)\nclass Helper(TLRU):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = named_in(import_module("policies_of_a_test"))
    assert {name: kind.__name__ for name, kind in found.items()} == {"lfu": "LFU"}


@pytest.mark.parametrize(
    ("written", "law"),
    [
        ({}, "learnt"),
        ({"prompts": "learnt"}, "learnt"),
        ({"prompts": {"mean_length": 200}}, LogNormal(200)),
        ({"prompts": {"mean_length": 200, "spread": 0.5}}, LogNormal(200, 0.5)),
        (
            {"prompts": {"lengths": [1, 4], "probabilities": ["1/3", "2/3"]}},
            Finite((1, 4), (Fraction(1, 3), Fraction(2, 3))),
        ),
    ],
)
def test_a_model_file_makes_et_lru(tmp_path, written, law):
    policy = parse_policy(f"et-lru:model={model(tmp_path, **written)},belief=bayes").build(30, 5)
    assert policy == tt.ETLRU(30, law, 0.01, 0.1, belief="bayes")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"turn_rate": -1}, "turn_rate: found -1, expected a finite number above 0"),
        ({"prompts": 3}, "prompts: found 3, expected"),
        ({"prompts": {"mean_length": 3, "other": 1}}, "prompts: found"),
        ({"rate": 3}, "found the field 'rate', expected death_rate, turn_rate, birth_rate, prompts"),
    ],
)
def test_what_is_wrong_with_a_model_file_is_one_line_with_its_name(tmp_path, written, message):
    file = model(tmp_path, **written)
    error = refused(tt.FileError, message, parse_policy, f"et-lru:model={file}")
    assert str(file) in str(error)


def test_a_model_and_its_rates_have_to_be_there(tmp_path):
    refused(tt.ArgumentError, "model=... with it", parse_policy, "et-lru")
    file = tmp_path / "model.json"
    for text, message in (('{"death_rate": 1}', "found no turn_rate"), ("[]", "found \\[\\], expected a model")):
        file.write_text(text)
        refused(tt.FileError, message, parse_policy, f"et-lru:model={file}")


@pytest.mark.parametrize(
    "kind", [kind for kind in (getattr(tt, name) for name in tt.__all__) if hasattr(kind, "eviction_key")]
)
def test_a_signature_shows_values_and_no_addresses(kind):
    assert "<" not in str(inspect.signature(kind))
