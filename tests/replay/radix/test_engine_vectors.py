"""What the real engines hit is what our replays hit: vectors that `experiments.check_engines --vectors` wrote."""

import json
from collections import Counter
from pathlib import Path

import pytest

from experiments.engine_cases import hits_of, named_cases

FOUND = json.loads((Path(__file__).parents[1] / "vectors" / "engines.json").read_text())
CASES = FOUND["cases"]
NAMED = {case["name"]: case for case in CASES if "name" in case}


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_our_replays_hit_what_the_engines_hit(engine):
    differ = [case for case in CASES if hits_of(case, engine) != case["hits"]]
    assert not differ, f"{len(differ)} of {len(CASES)} differ, first {differ[:1]}"


def test_the_vectors_are_of_both_engines_and_of_every_policy_of_both_cores():
    assert FOUND["versions"] == {"vllm": "0.32.0", "sglang": "0.5.23"}
    told = Counter((case["engine"], case["policy"], *case["cores"]) for case in CASES)
    policies = ("lru", "lfu", "slru", "fifo", "filo", "mru", "tlru")
    assert set(told) == {("vllm", "lru"), *(("sglang", policy, "python", "rust") for policy in policies)}
    assert min(told.values()) >= 20


def test_the_named_cases_are_those_that_the_engines_served():
    assert {name: case["paths"] for name, case in NAMED.items()} == {
        name: case["paths"] for name, case in named_cases().items()
    }


def test_an_unread_suffix_becomes_recent_and_a_tail_takes_a_block():
    assert NAMED["a split makes the unread suffix recent"]["hits"] == [0, 0, 1, 0, 0]
    assert NAMED["chunks that end where requests part split nothing"]["hits"] == [0, 0, 1, 0, 1]
    assert NAMED["a tail takes a block"]["hits"] == [0, 0, 0]
    assert NAMED["the last block of a prompt of full blocks is computed anew"]["hits"] == [0, 1]
