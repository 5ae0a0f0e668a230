"""The rows on Prompt Cache: their judges beside the package, and their cases."""

import numpy as np
import pytest
from scipy.optimize import linprog

import teltheory as tt
from proofs_checks.prompt_cache import plain_sets, plans
from proofs_checks.prompt_cache.asked_sets import Sets, first_of_its_kind, renumbered, sequences
from proofs_checks.prompt_cache.exact_programs import greatest, proved
from proofs_checks.prompt_cache.lemmas import budgets
from proofs_checks.prompt_cache.plain_sets import TRIMS, Cache
from proofs_checks.prompt_cache.small_schemas import Schema, schemas
from teltheory.claims.smt import z3_answer


def drawn(rng, items=4, requests=7):
    """Draw requests for sets of items of up to 4 tokens."""
    asked = tuple(
        tuple(sorted(rng.choice(items, size=rng.integers(1, items + 1), replace=False).tolist()))
        for _ in range(requests)
    )
    sizes = tuple(rng.integers(1, 5, items).tolist())
    fresh = tuple(rng.integers(0, 3, requests).tolist())
    xi, q_hat, capacity = (int(rng.integers(0, most)) for most in (8, 6, sum(sizes) + 1))
    return Sets(sizes, asked, fresh, capacity, xi, q_hat)


def trace_of(case):
    return tt.ModuleTrace.from_requests(case.asked, case.sizes, case.fresh)


POLICIES = {"own": (tt.TLRU, plain_sets.own), "shared": (tt.policies.SharedTLRU, plain_sets.shared)}


@pytest.mark.parametrize("cache", ["strict", "whole"])
@pytest.mark.parametrize("trim", TRIMS)
@pytest.mark.parametrize("budget", POLICIES)
def test_the_judge_and_the_package_agree_request_by_request(budget, trim, cache):
    rng, (policy, judged) = np.random.default_rng(26), POLICIES[budget]
    for _ in range(30):
        case = drawn(rng)
        theirs = tt.replay(trace_of(case), policy(case.xi, case.q_hat, trim), case.capacity, cache=cache)
        plain = Cache(case, budgets=judged, trim=trim, whole=cache == "whole")
        assert [sum(row) for row in plain.found()] == theirs.cached.tolist(), case


@pytest.mark.parametrize("cache", ["strict", "whole"])
def test_the_judge_and_the_package_agree_on_lru(cache):
    rng = np.random.default_rng(27)
    for _ in range(30):
        case = drawn(rng)
        theirs = tt.replay(trace_of(case), tt.LRU(), case.capacity, cache=cache).cached.tolist()
        assert [sum(row) for row in Cache(case, whole=cache == "whole").found()] == theirs, case


@pytest.mark.parametrize("whole", [False, True])
def test_the_least_of_all_contents_is_the_packages_optimum(whole):
    rng = np.random.default_rng(5)
    for _ in range(10):
        case = drawn(rng, items=3, requests=5)
        found = tt.hindsight_optimum(trace_of(case), case.capacity, case.xi, cache="whole" if whole else "strict")
        assert found.lower <= plans.least(case, whole) <= found.upper
        assert whole or found.lower == found.upper


def test_the_steps_fail_if_the_estimate_does_not_cover_the_rest(monkeypatch):
    monkeypatch.setattr(budgets, "COVERED", budgets.COVERED[:-1])
    answers = [z3_answer(one.text) for one in (budgets.own_budget(), *budgets.shared_budget())]
    assert answers == ["sat", "unsat", "sat"]


def test_programs_in_fractions_have_the_optimum_of_another_solver():
    rng = np.random.default_rng(1)
    for _ in range(30):
        gains, bounds = rng.integers(-2, 6, 4), rng.integers(0, 7, 5)
        rows = rng.integers(-1, 4, (5, 4))
        rows[0] = 1
        told = linprog(-gains, A_ub=rows, b_ub=bounds)
        assert float(greatest(gains.tolist(), rows.tolist(), bounds.tolist())) == pytest.approx(-told.fun)


def test_a_plan_that_its_prices_do_not_prove_is_no_optimum():
    with pytest.raises(ArithmeticError, match="without a proof"):
        proved([1], [[1]], [2], [1], [1], 1)


def test_every_case_is_tried_once():
    asked = [(sizes, one) for one in sequences(3, 2) for sizes in ((1, 1), (1, 2), (2, 1))]
    kept = [case for case in asked if first_of_its_kind(*case)]
    both = {renumbered(*case, (1, 0)) for case in kept} | set(kept)
    assert both == set(asked)
    assert all(case == renumbered(*case, (1, 0)) or renumbered(*case, (1, 0)) not in kept for case in kept)


def test_every_schema_is_enumerated_once_and_read_back():
    every = [schema for some in schemas(5) for schema in some]
    assert len(every) == len(set(every)) > 300
    assert Schema((("module", (("text", 2),)), ("text", 1))) in every
    spans = every[-1].layout().spans
    assert list(spans) == list(every[-1].modules)
