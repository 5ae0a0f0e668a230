"""How the counterexamples of single rows are shown: formulations, loops that never end, cuts, beliefs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from proofs_checks.tail_optimized.algorithm_1 import EndlessLoopError, Reading
from proofs_checks.tail_optimized.algorithm_2 import Cut, Known
from teltheory.claims.case import Case
from teltheory.claims.erratum import Counterexample, Show, StateTable
from teltheory.claims.state_tables import letter, names_of, turns_table
from teltheory.optimal.chains.formulation import hindsight_model
from teltheory.optimal.exact import LinearProgram, proved_optimum
from teltheory.policies import Conversation
from teltheory.replay.chains.states import ServedTurn, served_turns
from teltheory.workloads.laws import Finite

MakeReading = Callable[[Case], Reading]


def solutions(example: Counterexample) -> tuple[StateTable, ...]:
    """Show an optimal x and u of (1)-(5) as printed, and with the initial state given."""
    case = Case.of(example)
    printed = _solution(case, "An optimal solution of (1)-(5) as printed", initial_state=False)
    return printed, _solution(case, "An optimal solution with x at t = 1 bounded by the initial cache")


def _solution(case: Case, title: str, *, initial_state: bool = True) -> StateTable:
    model = hindsight_model(case.instance, case.xi, initial_state=initial_state)
    proved = proved_optimum(LinearProgram.of_model(model))
    names = names_of(case)
    rows = tuple(
        (
            str(t),
            names[i],
            str(model.total[t]) if model.theta[t] == i else "",
            str(proved.values[model.x[i, t].name]),
            str(proved.values[model.u[i, t].name]) if model.theta[t] == i else "",
        )
        for t, i in product(model.steps, model.conversations)
    )
    return StateTable(title, ("t", "i", "total at t", "x[i, t]", "u[i, t]"), rows, f"Optimum {proved.objective}.")


@dataclass(frozen=True)
class Watched:
    """A policy that cuts as `reading`; `state` is filled, least recent first, if one of its loops never ends."""

    reading: Reading
    state: list[Conversation] = field(default_factory=list, compare=False)

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        """Run the reading."""
        try:
            self.reading.cut(conversations, overflow)
        except EndlessLoopError:
            self.state.extend(conversations)
            raise


def until_it_loops(name: str, make: MakeReading) -> Show:
    """Show a reading of Algorithm 1 turn by turn, and the state in which a loop of it never ends."""

    def show(example: Counterexample) -> tuple[StateTable, ...]:
        case = Case.of(example)
        watched, turns = Watched(make(case)), list[ServedTurn]()
        try:
            turns.extend(served_turns(case.instance, watched))
        except EndlessLoopError as loop:
            before = (turns_table(case, f"{name}, up to the loop", turns),) if turns else ()
            return (*before, _loop(case, str(loop), watched))
        return (turns_table(case, name, turns),)

    return show


def _loop(case: Case, loop: str, watched: Watched) -> StateTable:
    names, state = names_of(case), watched.state
    rows = tuple(
        (names[c.code], str(c.past), str(c.cached), str(c.past + case.q_hat - case.xi), _tests(case, c))
        for c in state
    )
    held, turn = sum(c.cached for c in state), 1 + max(c.last for c in state)
    return StateTable(
        f"The state in which the {loop} goes round after turn {turn} and changes nothing",
        ("conversation", "L", "X", "L + Q − ξ", "tests that X passes"),
        rows,
        f"Σ X = {held} > C = {case.capacity}, and no conversation passes the {loop}'s test.",
    )


def _tests(case: Case, c: Conversation) -> str:
    budget = c.past + case.q_hat - case.xi
    passed = {"X ≥ L + Q − ξ": c.cached >= budget, "X > 1": c.cached > 1, "X ≥ 1": c.cached >= 1}
    return ", ".join(test for test, passes in passed.items() if passes) or "none"


def cut(example: Counterexample) -> tuple[StateTable, ...]:
    """Show a cut of Algorithm 2: what is known of each conversation, and every allocation with its objective."""
    laws = (Finite(tuple(map(int, law)), tuple(Fraction(p) for p in law.values())) for law in example["prompts"])
    rates = map(Fraction, example["rates"])
    known = tuple(map(Known, example["pasts"], example["cached"], rates, laws))
    given = Cut(known, Fraction(example["xi"]), example["capacity"], example["n"])
    return _known_table(given), _allocations(given)


def _known_table(given: Cut) -> StateTable:
    rows = tuple(
        (
            letter(i),
            str(k.past),
            str(k.cached),
            str(k.rate),
            " or ".join(f"{q} ({p})" if p != 1 else f"{q}" for q, p in k.law.outcomes),
            str(k.score(given.xi, k.cached)) if k.cached else "",
            str(k.marginal(given.xi, k.cached)) if k.cached else "",
        )
        for i, k in enumerate(given.known)
    )
    header = ("conversation", "past", "cached", "rate", "next prompt", "printed score", "growth of the excess")
    below = f"C = {given.capacity}, ξ = {given.xi}, n = {given.n}: {given.n} to go, lowest score first."
    return StateTable("What is known, and what the first token to go counts for", header, rows, below)


def _allocations(given: Cut) -> StateTable:
    greedy, best = given.greedy().cached, given.optimum(given.capacity)
    every = [y for y in product(*(range(x + 1) for x in given.cached)) if sum(y) <= given.capacity]
    rows = tuple(
        (
            " ".join(f"{letter(i)}:{kept}" for i, kept in enumerate(y)),
            str(given.objective(y)),
            ", ".join(["Algorithm 2"] * (y == greedy) + ["optimal"] * (given.objective(y) == best)),
        )
        for y in every
    )
    return StateTable("Every allocation that fits, and the objective of (6)", ("kept", "objective", ""), rows)


def silence(example: Counterexample) -> tuple[StateTable, ...]:
    """Show what a silence says: the chances to be alive and silent, and dead and silent, and the posterior."""
    mu, rate = example["death_rate"], example["turn_rate"]
    x = Fraction(example["exp(-1)"]) ** example["seconds"]
    alive = x ** (mu + rate)
    dead = Fraction(mu, mu + rate) * (1 - alive)
    rows = (
        ("exp(−μτ), the printed belief", str(x**mu)),
        ("alive and silent for τ: exp(−(μ + λ)τ)", str(alive)),
        ("dead and silent for τ: (1 − exp(−(μ + λ)τ)) μ/(μ + λ)", str(dead)),
        (
            "alive given the silence: the second over the sum of the second and the third",
            str(alive / (alive + dead)),
        ),
    )
    title = f"μ = {mu}, λ = {rate}, τ = {example['seconds']}, exp(−1) taken as {example['exp(-1)']}"
    return (StateTable(title, ("probability", "value"), rows),)
