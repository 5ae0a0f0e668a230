"""A theorist: decides a row of the paper, then a statement of their own, and checks an optimum's certificate."""

import re

MEAN = "q_hat * turns = prompts"


def test_a_row_of_the_paper_is_decided_and_found_by_its_theorem(walk):
    listed = walk("teltheory verify --list")
    assert "Theorem 3.1" in listed
    told = " ".join(walk("teltheory verify --claim theorem-31.mean-estimate").split())
    assert "refuted theorem-31.mean-estimate" in told
    assert "A(0+2) B(1+0) B(2+0); C=1 xi=2 Q=1: T-LRU 1, LRU 0" in told


def test_an_own_statement_has_the_same_counterexample(walk):
    told = walk("teltheory check", "TEL(tlru) <= TEL(lru)", "--where", MEAN, code=1)
    assert "A(0+2) B(1+0) B(2+0)" in " ".join(told.split())


def test_a_slip_in_a_statement_is_shown_where_it_is(walk):
    told = walk("teltheory check", "TEL(tlru) <= TLE(lru)", code=2)
    assert "TLE" in told
    assert told.count("\n") == 1


MODEL = """{"capacity": 1, "xi": 0, "belief": "bayes", "death_rate": 1, "birth_rate": 1, "gaps": {"1/2": 1},
 "kinds": [{"turn_rate": 1, "share": "1/2", "prompts": [{"1": 1}, {"0": 1}]},
           {"turn_rate": 3, "share": "1/2", "prompts": [{"1": 1}, {"0": 1}]}]}"""


def test_policies_stand_beside_the_optimum_on_an_own_model(walk, tmp_path):
    (tmp_path / "model.json").write_text(MODEL)
    told = walk("teltheory belief solve model.json --discount 1/2 --silent 2 --exact")
    exact = {"optimum": 29489747218088, "lru": 29489747218088, "tlru": 29489747218088, "printed": 27746187012821}
    for policy, saving in exact.items():
        assert re.search(rf"{policy} +{saving}/44425432410523", told)


def test_an_optimum_comes_with_a_proof_that_is_checked_apart(walk):
    walk("teltheory trace sample wildchat-like t.csv --turns 500")
    walk("teltheory optimum t.csv --capacity 20k --xi 500 --certificate proof.json")
    assert "(proved by " in walk("teltheory check-certificate proof.json t.csv")
