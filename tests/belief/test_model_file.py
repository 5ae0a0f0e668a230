"""Models in files: what is read, and what is wrong with a file, in one line."""

import json
from copy import deepcopy
from fractions import Fraction

import pytest
from refusals import refused

import teltheory as tt
from teltheory.belief.model import Heard, Recent
from teltheory.belief.search import CLASSES, class_of, drawn, tried
from teltheory.errors import FileError
from teltheory.workloads.laws import Finite, fixed

HALF = Fraction(1, 2)
SLOW = {"name": "slow", "turn_rate": 1, "share": "1/2", "prompts": [{"1": "1/2", "2": "1/2"}]}
QUICK = {**SLOW, "name": "quick", "turn_rate": 8, "response": {"0": 1}}
HERE = [{"kind": "quick", "past": 3, "silent": 1, "cached": 2}, {"kind": "slow", "past": 2}]
MODEL = {
    "capacity": 2,
    "xi": 1,
    "caching": "optional",
    "belief": "bayes",
    "death_rate": 1,
    "birth_rate": "3/2",
    "gaps": {"2/3": 1},
    "kinds": [SLOW, QUICK],
    "start": {"conversations": HERE},
}


@pytest.fixture
def written(tmp_path):
    def file(data):
        path = tmp_path / "model.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    return file


def test_a_model_is_read(written):
    model = tt.belief.read_model(written(MODEL))
    coin = Finite((1, 2), (HALF, HALF))
    kinds = tuple(
        tt.belief.Kind(rate, (coin,), fixed(0), HALF, name) for rate, name in ((1, "slow"), (8, "quick"))
    )
    start = Recent((Heard(0, 0, 2), Heard(1, 0, 3, 1))), (2, 2)
    gaps = ((Fraction(2, 3), Fraction(1)),)
    assert model == tt.belief.BeliefMDP(2, 1, kinds, Fraction(3, 2), 1, gaps, "bayes", start=start)
    assert [kind.name for kind in model.kinds] == ["slow", "quick"]


def test_what_is_left_out_is_usual(written):
    few = {name: MODEL[name] for name in ("capacity", "xi", "gaps")} | {"kinds": [{**SLOW, "share": 1}]}
    model = tt.belief.read_model(written(few))
    assert (model.belief, model.forced, model.birth_rate, model.death_rate) == ("paper", False, 1, 1)
    assert model.start is None
    assert tt.belief.read_model(written(few | {"caching": "forced"})).forced


def changed(path, value):
    data = deepcopy(MODEL)
    *steps, last = path
    at = data
    for step in steps:
        at = at[step]
    at[last] = value
    return data


WRONG = [
    (("birth_rate",), 0.5, ', birth_rate: found 0.5, expected no decimals: write "1/2"$'),
    (
        ("kinds", 0, "share"),
        0.3333333,
        r', kinds\[0\], share: found 0.3333333, expected no decimals: write "1/3"$',
    ),
    (
        ("kinds", 0, "share"),
        "0.5",
        r", kinds\[0\], share: found '0.5', expected a whole number or a fraction such as",
    ),
    (("kinds", 0, "share"), "1/3", ", kinds, share: found a sum of 5/6, expected 1$"),
    (("kinds", 1, "prompts", 0, "1"), "1/3", r"prompts\[0\]: found .*, expected probabilities .* sum 1, not 5/6$"),
    (("kinds", 1, "prompts", 0), {"1/2": 1}, r"prompts\[0\]: found .*, expected whole lengths$"),
    (("kinds", 1, "prompts", 0), {}, r"prompts\[0\]: found {}, expected an object of numbers with"),
    (("kinds", 1, "turn_rate"), 0, ", turn_rate: found 0, expected a whole number above 0$"),
    (("kinds", 1, "turn_rate"), 1.5, r", kinds\[1\], turn_rate: found 1.5, expected a whole number, 0 or more$"),
    (("gaps",), {"3/2": 1}, ", gaps: found .*, expected x = exp"),
    (("belief",), "true", ", belief: found 'true', expected paper or bayes|expected bayes or paper"),
    (("colour",), 1, ": found field 'colour', expected|found .*colour"),
    (
        ("start", "conversations", 0, "kind"),
        "fast",
        r"conversations\[0\], kind: found 'fast', expected one of slow, quick$",
    ),
    (
        ("start", "conversations", 0, "cached"),
        4,
        r"conversations\[0\], cached: found 4, expected at most the past 3$",
    ),
    (("start", "conversations", 1, "cached"), 1, "cached: found 1, expected the past 2, as all of it is at hand$"),
    (
        ("start", "conversations", 0, "silent"),
        0,
        r", start, silent: found \[0, 0\]|cached: found 2, expected the past 3",
    ),
    (("start", "gaps"), ["1/2"], ", start, gaps: found 1/2, expected the last 1, each one of the model's$"),
]


@pytest.mark.parametrize(("path", "value", "said"), WRONG, ids=[str(path[-1]) for path, _, _ in WRONG])
def test_what_is_wrong_is_said_with_file_and_field(written, path, value, said):
    file = written(changed(path, value))
    refused(FileError, f"model.json.*{said}", lambda: tt.belief.read_model(file))


@pytest.mark.parametrize(
    ("text", "said"), [("{", "line 1: found no JSON"), ("[]", "found \\[\\], expected an object")]
)
def test_a_file_that_is_no_model_is_refused(written, text, said):
    file = written(text)
    refused(FileError, f"model.json.*{said}", lambda: tt.belief.read_model(file))


def test_random_documents_are_of_their_class(written):
    import numpy as np

    for kind in CLASSES:
        for seed in range(4):
            document = drawn(np.random.default_rng(seed), kind)
            assert class_of(document) == kind
            assert tt.belief.read_model(written(document)).forced == (kind[3] == "forced")
    assert [class_of(one) for _, one in tried(16, 3)] == list(CLASSES)
