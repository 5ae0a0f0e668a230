from dataclasses import replace
from functools import cache, partial

import pytest
from claims.proving import can_be_met

from proofs_checks.tail_optimized.lemmas import (
    algorithm_1_loops,
    induction_lru,
    induction_rounds,
    induction_stack,
    induction_threshold,
    induction_trim,
    positions,
)
from proofs_checks.tail_optimized.lemmas.positions import C, Caches, Step, caches, in_room, total
from teltheory.base.extras import MissingPackageError
from teltheory.claims.smt import Obligation, prove, z3_answer
from teltheory.claims.terms import TRUE, every, integer, least, positive, some

LRU, ROUNDS, TRIM = induction_lru.T_LRU_AND_LRU, induction_rounds.STATEMENT, induction_trim.STATEMENT
THRESHOLD, T_LRU = induction_threshold.AGAINST_LRU, induction_threshold.AGAINST_THRESHOLD


def step_fails(step: Step) -> bool:
    return z3_answer(Obligation("step", step.assumed, step.after).text) == "sat"


def some_step_fails(turn, n):
    return any(step_fails(turn(n, k)) for k in range(n))


EVERYTHING = {
    "T-LRU <= LRU, optional": lambda: induction_lru.obligations(forced=False),
    "T-LRU <= LRU, forced": lambda: induction_lru.obligations(forced=True),
    "Q_hat >= xi": induction_lru.large_obligations,
    "Threshold-LRU <= LRU, forced": lambda: induction_threshold.against_lru(forced=True),
    "T-LRU <= Threshold-LRU, forced": lambda: induction_threshold.against_threshold(forced=True),
    "order of trimming": lambda: induction_trim.obligations(forced=False),
    "formula of T-LRU": induction_stack.obligations,
    "formula of LRU": lambda: [induction_stack.without_a_cut()],
    "inclusion, round-robin": induction_rounds.obligations,
    "loops of Algorithm 1": algorithm_1_loops.obligations,
}


@cache
def made(statement):
    return list(EVERYTHING[statement]())


@pytest.mark.long
@pytest.mark.parametrize("statement", EVERYTHING)
def test_both_provers_prove_the_small_obligations(statement):
    obligations = [o for o in made(statement) if o.size <= 2]
    assert any(o.size == 0 for o in obligations)
    proof = prove(obligations, "small")
    assert proof.unproved == ()
    assert "z3" in proof.by
    assert "cvc5" in proof.by


@pytest.mark.parametrize("statement", EVERYTHING)
def test_the_hypotheses_of_every_obligation_can_be_met(statement):
    for obligation in made(statement):
        if obligation.size <= 2:
            assert can_be_met(obligation.hypotheses), obligation.name


def test_the_obligations_have_names_of_their_own():
    for statement in EVERYTHING:
        names = [obligation.name for obligation in made(statement)]
        assert len(set(names)) == len(names)


def test_an_obligation_that_is_false_is_named_with_both_provers():
    x = integer("x")
    proof = prove([Obligation("x is positive", (x >= 0,), x > 0)], "nothing")
    assert proof.unproved == ("x is positive (z3)", "x is positive (cvc5)")


def test_without_a_prover_there_is_no_proof(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    x = integer("unheard_of")
    with pytest.raises(MissingPackageError, match="z3-solver is needed for `proofs`: pip install "):
        prove([Obligation("x", (x >= 0,), x > 0)], "nothing")


def test_t_lru_evicts_after_trimming_and_the_caches_differ():
    """Vacuity: such a turn is reachable from a state of the invariant, which is reachable itself."""
    state, step = caches(3), LRU.turn(3, 2)
    arrived = positions.after_arrival(state, 2)
    left = positions.minus(arrived.X, positions.integers("t", 3))
    kept = in_room(left, C)
    evicted = some(y < x for x, y in zip(left, kept, strict=True))
    trimmed = some(t > 0 for t in positions.integers("t", 3))
    differ = some((x < y) for x, y in zip(kept, in_room(arrived.Y, C), strict=True))
    more = some((x > y) for x, y in zip(kept, in_room(arrived.Y, C), strict=True))
    assert can_be_met([*step.assumed, trimmed, evicted, differ, more])


# Weakened hypotheses: the induction fails at three conversations, and a trace confirms it.


def printed_turn(n, k):
    """The step of Algorithm 1 with the printed test: one block below the budget may go."""
    state, trimmed = caches(n), positions.integers("t", n)
    arrived = positions.after_arrival(state, k)
    below = tuple(least(x, s + 1) for x, s in zip(arrived.X, surplus_of(arrived), strict=True))
    honest = LRU.turn(n, k)
    assumed = (*honest.assumed[:-1], positions.any_amount(trimmed, below))
    return replace(honest, assumed=assumed)


def surplus_of(arrived: Caches):
    return positions.surpluses(arrived.X, arrived.b)


def unbounded_turn(n, k):
    """The step of Theorem 3.1 where a prompt may be above its estimate."""
    honest = LRU.turn(n, k)
    bounded = positions.prompt_is_bounded(caches(n), k)
    kept = [h for h in honest.assumed if str(h) != str(bounded)]
    assert len(kept) == len(honest.assumed) - 1
    return replace(honest, assumed=tuple(kept))


def any_order_turn(n, k):
    """The step of inclusion where each capacity trims just enough in an order of its own."""
    state = caches(n)
    arrived = positions.after_arrival(state, k)
    assumed, kept = [*positions.PARAMETERS, positions.admissible(state), induction_rounds.invariant(state)], []
    for name, cached, capacity in (("s", arrived.X, C), ("t", arrived.Y, C + 1)):
        surplus, trimmed = positions.surpluses(cached, arrived.b), positions.integers(name, n)
        assumed += [positions.any_amount(trimmed, surplus)]
        assumed += [induction_rounds.just_enough(trimmed, surplus, cached, capacity)]
        kept.append(in_room(positions.minus(cached, trimmed), capacity))
    return Step(tuple(assumed), TRUE, induction_rounds.invariant(replace(arrived, X=kept[0], Y=kept[1])))


def single_pass_turn(n, k):
    """The step of T-LRU <= Threshold-LRU where any amount may be trimmed."""
    honest = T_LRU.turn(n, k)
    arrived = positions.after_arrival(caches(n), k)
    amounts = positions.any_amount(positions.integers("t", n), surplus_of(arrived))
    return replace(honest, assumed=(*honest.assumed[:-1], amounts))


@pytest.mark.parametrize("turn", [printed_turn, any_order_turn, single_pass_turn])
def test_the_induction_fails_without_its_hypothesis(turn):
    assert some_step_fails(turn, 3)


def test_below_a_prompt_the_implication_fails():
    step = unbounded_turn(3, 1)
    assert z3_answer(Obligation("step", step.assumed, step.before).text) == "sat"


# Planted faults: wrong transitions and wrong invariants.


def most_recent_first(amounts, room):
    return tuple(reversed(in_room(tuple(reversed(amounts)), room)))


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        (induction_lru, LRU),
        (induction_threshold, THRESHOLD),
        (induction_threshold, T_LRU),
        (induction_trim, TRIM),
    ],
    ids=["T-LRU", "Threshold-LRU", "T-LRU against Threshold-LRU", "trim"],
)
def test_evicting_the_most_recent_first_is_noticed(module, statement, monkeypatch):
    honest = module.in_room
    calls = []

    def wrong_once(amounts, room):
        calls.append(room)
        return most_recent_first(amounts, room) if len(calls) == 1 else honest(amounts, room)

    def noticed(k):
        calls.clear()
        return step_fails(statement.turn(3, k))

    monkeypatch.setattr(module, "in_room", wrong_once)
    assert any(noticed(k) for k in range(3))


def trim_below_the_budget(honest, cached, limits, exempt=0):
    return honest(cached, tuple(positive(b - 1) for b in limits), exempt)


def keep_a_block_of_surplus(trimmed, surplus, cached):
    return positions.any_amount(trimmed, surplus) & (total(trimmed) >= total(surplus) - 1)


@pytest.mark.parametrize(
    ("name", "fault", "statement"),
    [
        ("surpluses", trim_below_the_budget, LRU),
        ("surpluses", trim_below_the_budget, T_LRU),
        ("enough", keep_a_block_of_surplus, T_LRU),
        ("enough", keep_a_block_of_surplus, TRIM),
        ("in_room", lambda amounts, room, honest=in_room: honest(amounts, C), ROUNDS),
        ("nothing_below_a_loss", lambda *_: TRUE, LRU),
        ("has_budget_or_as_much", lambda s: every(x >= y for x, y in zip(s.X, s.Y, strict=True)), LRU),
        ("same", lambda *_: TRUE, TRIM),
        ("has_budget_or_as_much", lambda *_: TRUE, T_LRU),
    ],
)
def test_a_wrong_transition_or_invariant_is_noticed(name, fault, statement, monkeypatch):
    if name == "surpluses":
        fault = partial(fault, positions.surpluses)
    monkeypatch.setattr(positions, name, fault)
    steps = [statement.turn(3, k) for k in range(3)]
    assert any(step_fails(s) or z3_answer(Obligation("s", s.assumed, s.before).text) == "sat" for s in steps)


def test_surplus_that_takes_the_first_room_is_noticed(monkeypatch):
    honest = induction_stack.in_two_rooms

    def surplus_first(cached, limits, capacity=C):
        swapped = positions.minus(cached, tuple(map(least, cached, limits)))
        return honest(cached, swapped, capacity)

    monkeypatch.setattr(induction_stack, "in_two_rooms", surplus_first)
    answers = {z3_answer(induction_stack.consecution(3, k).text) for k in range(3)}
    assert "sat" in answers


def test_a_wrong_scan_is_noticed(monkeypatch):
    """The scan without "LRU lost nothing, or T-LRU has no less room"."""
    monkeypatch.setattr(
        positions.Element, "carried", lambda self, evicts=TRUE: (self.room_x >= 0) & (self.room_y >= 0)
    )
    assert any(z3_answer(o.text) == "sat" for o in induction_lru.scan())
