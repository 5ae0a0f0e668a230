"""Statements in a line: what is parsed, what is refused, and the ledger's verdicts of the paper's statements."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import product
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies.test_own_files import MINE
from refusals import refused

import teltheory as tt
from teltheory.claims import registry
from teltheory.claims.case import Case
from teltheory.claims.search import decide
from teltheory.claims.statements import check as module
from teltheory.claims.statements import grammar, tiers
from teltheory.claims.statements.grammar import Relations, parse_condition, parse_statement
from teltheory.cli import main
from teltheory.errors import ArgumentError

NAMES = tuple(module.OF_TRACES)
TINY = ({1: 2, 2: 2, 3: 2}, {1: 2, 2: 2, 3: 2})
policies = st.sampled_from(
    ["lru", "tlru:xi=5,q_hat=3", "threshold-lru:cutoff=9", "mine.py:A:x=(1+(2))", "lru+tlru"]
)
numbers = st.integers(0, 10**20).map(grammar.WholeNumber)
parameters = st.sampled_from(NAMES).map(grammar.OfTheCase)
measures = st.builds(grammar.Measure, st.sampled_from(sorted(grammar.MEASURES)), policies)


def terms(leaves):
    return st.recursive(
        leaves, lambda of: st.builds(grammar.Operation, st.sampled_from("+-*"), of, of), max_leaves=8
    )


@st.composite
def comparisons(draw, leaves):
    relations = draw(st.lists(st.sampled_from(sorted(grammar.RELATIONS)), min_size=1, max_size=3))
    return Relations(tuple(draw(terms(leaves)) for _ in range(len(relations) + 1)), tuple(relations))


@given(comparisons(numbers | parameters | measures), measures, st.booleans())
def test_a_statement_is_parsed_from_its_own_text(comparison, measure, per_turn):
    statement = grammar.Statement(Relations((measure, *comparison.terms), ("<", *comparison.relations)), per_turn)
    assert parse_statement(str(statement), NAMES) == statement
    assert parse_statement(str(statement).replace(" ", "\n  "), NAMES) == statement


@given(st.lists(comparisons(numbers | parameters), min_size=1, max_size=3))
def test_a_condition_is_parsed_from_its_own_text(found):
    assert parse_condition(" and ".join(map(str, found)), NAMES) == tuple(found)


@given(st.text(st.sampled_from("TEL(lru)<=+-*xi 03,:and.per turn\n'__"), max_size=30))
def test_any_other_text_is_an_error_that_names_the_place(text):
    with suppress(ArgumentError):
        assert parse_statement(text, NAMES)
        return
    error = refused(ArgumentError, "", parse_statement, text, NAMES)
    assert re.fullmatch("statement(, character [0-9]+(, policy.*)?)?", error.argument)
    assert "\n" not in str(error)


@given(comparisons(numbers | parameters), st.dictionaries(st.sampled_from(NAMES), st.integers(-9, 99)))
def test_terms_have_the_values_that_python_gives_them(comparison, given_values):
    values = dict.fromkeys(NAMES, 3) | given_values
    text = str(comparison).replace(" = ", " == ")
    assert comparison.read(lambda leaf: itemgetter(leaf.name))(values) == eval(text, {}, values)  # noqa: S307


def test_products_bind_closer_and_differences_go_from_the_left():
    statement = parse_statement("TEL(lru) <= 10 - 2 * 3 - -1 · xi  PER TURN", NAMES)
    assert str(statement) == "TEL(lru) <= ((10 - (2 * 3)) - ((0 - 1) * xi)) per turn"
    assert str(parse_statement("tel(lru) ≤ ξ in sum", NAMES)) == "TEL(lru) <= xi"
    assert parse_statement("TEL(lru) >= 0 at every turn", NAMES).per_turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TEL(tlru) <=", "statement, character 13: found 'its end', expected a number, one of TEL(POLICY), "),
        ("TEL(tlru <= TEL(lru)", "character 5: found 'tlru', expected a policy and ): TEL(lru)"),
        ("TEL() < 3", "character 5: found ')', expected a policy and )"),
        ("TEL < 3", "character 5: found '<', expected ( and a policy: TEL(lru)"),
        ("TEL(lru) 3", "character 10: found '3', expected a relation: <=, <, =, >=, >"),
        ("TEL(lru) < 3 foo", "character 14: found 'foo', expected +, -, *, a relation, per turn, or its end"),
        ("(TEL(lru) < 3", "character 11: found '<', expected +, -, * or )"),
        ("TEL(lru) / 2 < 3", "character 10: found '/', expected a relation"),
        ("TEL(lrux) < 3", "statement, character 5, policy: found 'lrux', expected lru, or one of"),
        ("TEL(et-lru) < 3", "statement, character 5, policy: found 'et-lru', expected model=... with it"),
        ("xi < 3", "expected a measure of a policy in it, such as TEL(lru)"),
        ("TEL(lru) <= blocks", "found 'blocks', expected a number, one of TEL(POLICY)"),
        ("__import__('os').system('x') < TEL(lru)", "character 1: found '__import__', expected a number"),
        ("(" * 99 + "TEL(lru)" + ")" * 99 + " < 3", "expected at most 50 parentheses and signs"),
        ("", "expected a text such as"),
        ("TEL(lru)" * 999, "up to 2,000 characters"),
    ],
)
def test_errors_point_at_the_place(text, said):
    error = refused(ArgumentError, "statement", tt.check, text)
    assert said in str(error)


def test_a_condition_has_no_measures_and_forests_no_tokens():
    said = "where, character 1: found 'TEL', expected a number, one of xi,"
    refused(ArgumentError, said, tt.check, "TEL(lru) > 0", "TEL(lru) < 3")
    said = "where, character 1: found 'tokens'"
    refused(ArgumentError, said, tt.check, "TEL(lru) > 0", "tokens > 2", forests=True)
    refused(ArgumentError, "tiers: found True", tt.check, "TEL(lru) > 0", forests=True, tiers=True)


@pytest.fixture
def small(monkeypatch):
    """Small bounds, for statements that hold."""
    monkeypatch.setattr(module, "PRIVATE", tiny(module.PRIVATE, module.SmallWorlds, TINY))


def tiny(kind, worlds, sizes):
    return replace(kind, space=module._worlds(worlds, sizes, ({}, {})))


@lru_cache
def ledger(name):
    return decide(registry.claim_named(name))


@pytest.mark.parametrize(
    ("row", "statement", "where"),
    [
        ("theorem-31.mean-estimate", "TEL(tlru) <= TEL(lru)", "q_hat * turns = prompts"),
        pytest.param("theorem-31.strict", "TEL(tlru) < TEL(lru)", "q_hat >= max_prompt", marks=pytest.mark.long),
    ],
)
def test_a_refuted_row_has_the_ledger_s_smallest_counterexample(row, statement, where):
    ours, theirs = tt.check(statement, where=where).as_dict(), ledger(row).as_dict()
    assert ours["verdict"] == theirs["verdict"] == "refuted"
    example = ours["counterexample"]
    assert {**example, "values": 0} == {**theirs["counterexample"], "values": 0}
    assert [*example["values"].values()] == [*theirs["counterexample"]["values"].values()]
    assert ours.keys() - {"note", "of"} == theirs.keys() - {"note", "of", "editions"}
    case = Case.of(ours["natural"]["counterexample"])
    assert min(min(turn[1:]) for turn in case.world.turns) >= 1


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("TEL(tlru) <= TEL(lru)", "q_hat >= max_prompt"),
        ("TEL(tlru) <= TEL(lru) per turn", "q_hat >= max_prompt"),
        ("TEL(tlru) <= TEL(threshold-lru) <= TEL(lru)", "q_hat >= max_prompt and xi >= q_hat"),
        ("uncached(tlru) = prefill(lru) per turn", "q_hat >= xi"),
        ("hits(belady) >= hits(lru)", None),
        ("TEL(tail-optimized-belady) <= TEL(lru)", None),
        ("uncached(lru) + hits(lru) >= prompts", None),
        ("violations(lru) <= turns", None),
    ],
)
def test_statements_of_the_paper_hold_as_in_the_ledger(small, statement, where):
    verdict = tt.check(statement, where=where, samples=20)
    assert (verdict.verdict, verdict.expected) == ("holds", True)
    assert verdict.scope.bounds["tokens_by_turns"] == {"1": 2, "2": 2, "3": 2}
    assert verdict.scope.bounds["sampled"]["instances"] > 0
    assert verdict.scope.instances > 100


@pytest.mark.parametrize("words", [("TEL", "TEL"), ("violations", "TEL"), ("hits", "uncached")])
def test_a_false_statement_is_refuted(words, small):
    first, second = words
    assert tt.check(f"{first}(tlru) < {second}(lru)", samples=0).verdict == "refuted"


def test_a_condition_that_no_case_meets_leaves_it_undecided(small):
    verdict = tt.check("TEL(lru) = 0", where="turns > 900", samples=5)
    assert (verdict.verdict, verdict.expected) == ("undecided", False)


def test_values_are_those_of_a_replay(small):
    verdict = tt.check("TEL(tlru) + 2 * hits(lru) <= violations(lru) per turn")
    case, values = Case.of(verdict.counterexample), verdict.counterexample["values"]
    outcome = tt.replay(case.world.trace, tt.LRU(), case.capacity)
    assert values["hits(lru)"] == outcome.cached.tolist()
    assert values["violations(lru)"] == [int(one > case.xi) for one in outcome.uncached.tolist()]
    tlru = tt.replay(case.world.trace, tt.TLRU(case.xi, case.q_hat), case.capacity)
    assert values["TEL(tlru)"] == [max(one - case.xi, 0) for one in tlru.uncached.tolist()]


def test_forced_caching_forests_and_tiers(monkeypatch):
    monkeypatch.setattr(module, "FORESTS", ({1: 2, 2: 2, 3: 2}, {}))
    monkeypatch.setattr(module, "TIERED", tiny(module.TIERED, module.SmallTiers, ({2: 1, 3: 1}, {})))
    monkeypatch.setattr(tiers, "LOADS", tiers.LOADS[::3])
    theorem = ("TEL(tlru) <= TEL(lru)", "q_hat >= max_prompt")
    for kind, mode in product(({"forests": True}, {"tiers": True}), ({}, {"forced": True})):
        more = kind | mode
        verdict = tt.check(*theorem, samples=10, **more)
        assert verdict.verdict == "holds", more
        assert ("forced" in verdict.claim.statement) == ("forced" in more)
    worse = tt.check("hits(lru) + uncached(lru) <= 0", tiers=True, samples=0).as_dict()
    assert json.loads(json.dumps(worse))["counterexample"]["loads"] == ["0", "0"]
    assert tt.check("hits(lru) <= 0", forests=True, samples=0).counterexample["paths"] == [[1], [1]]


def test_the_command_says_it_and_its_exit_code(tmp_path, monkeypatch, capsys):
    """A theorist's walk: a false statement, the theorem's condition put right, and the row as data."""
    monkeypatch.chdir(tmp_path)

    def ran(*words):
        with pytest.raises(SystemExit) as stop:
            main(["check", *words])
        return stop.value.code, *capsys.readouterr()

    code, said, _ = ran("TEL(tlru) < TEL(lru)", "--where", "q_hat >= max_prompt", "--json", "row.json")
    assert code == 1
    smallest = "A(0+0); C=0 xi=0 Q=0: TEL(tlru) 0, TEL(lru) 0"
    assert f"Smallest counterexample: {smallest}" in " ".join(said.split())
    assert "Natural counterexample: " in said
    assert json.loads((tmp_path / "row.json").read_text())["verdict"] == "refuted"
    (tmp_path / "mine.py").write_text(MINE)
    code, said, _ = ran("hits(mine.py:HalfAbove:xi=2) <= hits(belady)", "--where", "turns <= 2")
    assert (code, said.splitlines()[0][:5]) == (0, "holds")
    assert "every one within the bounds: up to 3 tokens in 1 turn, up to 4 in 2" in " ".join(said.split())
    code, said, complaint = ran("TEL(mine.py:Yours) < 3")
    assert (code, said, complaint.count("\n")) == (2, "", 1)
    assert "mine.py: found no Yours, expected one of its policies: HalfAbove" in complaint
