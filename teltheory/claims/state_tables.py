"""Counterexamples as tables of states, every state computed anew from the counterexample's plain data."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from teltheory.claims.beliefs import ALLOCATIONS, BeliefCase
from teltheory.claims.case import Case, Policies
from teltheory.claims.erratum import Counterexample, Show, StateTable
from teltheory.errors import ArgumentError
from teltheory.policies.policy import AnyPolicy
from teltheory.replay.chains.states import Held, ServedTurn, served_turns

TURNS = ("turn", "conversation", "history", "prompt", "total", "reused", "uncached", "excess", "cache afterwards")


def letter(conversation: int) -> str:
    """Return the name of a conversation: A, B, ..., Z, then its number."""
    return chr(ord("A") + conversation) if conversation < 26 else f"#{conversation}"


def names_of(case: Case) -> dict[int, str]:
    """Return the names of a case's conversations by their codes."""
    trace, world = case.world.trace, case.world
    names = {code: letter(c) for code, (c, _, _) in zip(trace.code.tolist(), world.turns, strict=True)}
    starts = zip(case.instance.initial, world.initial, strict=True)
    return names | {start.code: letter(c) for start, (c, _, _) in starts}


def turn_row(turn: ServedTurn, xi: int, names: Mapping[int, str]) -> tuple[str, ...]:
    """Return a turn as a row under `TURNS`."""
    lengths = (turn.history, turn.prompt, turn.total, turn.reused, turn.uncached, max(turn.uncached - xi, 0))
    return (str(turn.turn + 1), names[turn.code], *map(str, lengths), cache_text(turn.held, names))


def cache_text(held: Iterable[Held], names: Mapping[int, str]) -> str:
    """Return what is held as conversation:cached/past, least recent first."""
    return " ".join(f"{names[c.code]}:{c.cached}/{c.past}" for c in held)


def traced(policies: Policies) -> Show:
    """Show a trace turn by turn under each of some policies, and hold the outcome against the row's values."""

    def show(example: Counterexample) -> tuple[StateTable, ...]:
        case = Case.of(example)
        return tuple(_trace_table(case, name, make(case), example) for name, make in policies.items())

    return show


def _trace_table(case: Case, name: str, policy: AnyPolicy, example: Counterexample) -> StateTable:
    turns = list(served_turns(case.instance, policy))
    excesses = [max(turn.uncached - case.xi, 0) for turn in turns]
    _agrees(name, excesses, example["values"].get(name))
    return turns_table(case, name, turns)


def turns_table(case: Case, name: str, turns: Sequence[ServedTurn]) -> StateTable:
    """Return turns of a case as a table, with their TEL below."""
    names, tel = names_of(case), sum(max(turn.uncached - case.xi, 0) for turn in turns)
    rows = tuple(turn_row(turn, case.xi, names) for turn in turns)
    return StateTable(name, TURNS, rows, f"TEL {tel} with C = {case.capacity}, ξ = {case.xi}.")


def _agrees(name: str, excesses: list[int], told: int | list[int] | None) -> None:
    found = sum(excesses) if isinstance(told, int) else excesses
    if told is not None and found != told:
        raise ArgumentError(name, found, f"the ledger's {told}")


def decision(example: Counterexample) -> tuple[StateTable, ...]:
    """Show a decision of the belief MDP: the turns so far, then what each conversation is known by and keeps."""
    case = BeliefCase.of(example)
    return _history_table(case), _decision_table(case, example)


def _history_table(case: BeliefCase) -> StateTable:
    rows = tuple(
        (str(k), str(step.x) if k > 1 else "", letter(step.place), str(step.prompt), str(step.response))
        for k, step in enumerate(case.steps, start=1)
    )
    return StateTable("The turns so far", ("turn", "exp(−gap)", "conversation", "prompt", "response"), rows)


def _decision_table(case: BeliefCase, example: Counterexample) -> StateTable:
    rule, best = example["values"].items()
    rows = tuple(
        (
            letter(place),
            str(case.model.kinds[known.kind].turn_rate),
            str(known.alive),
            str(known.past),
            _law(case.model.kinds[known.kind].prompt(known.turns).outcomes),
            *(str(example[name][place]) for name in ALLOCATIONS),
        )
        for place, known in enumerate(case.state.conversations)
    )
    name = "the rule" if rule[0] == "rule" else rule[0]
    header = ("conversation", "turn rate", "alive", "past", "next prompt", "cached", f"{name} keeps", "best kept")
    costs = f"Expected excess of the turns that follow: {name} {_cost(rule[1])}, the best {_cost(best[1])}."
    return StateTable(_model_text(case, example), header, rows, costs)


def _model_text(case: BeliefCase, example: Counterexample) -> str:
    model = case.model
    gaps = ", ".join(str(x) if weight == 1 else f"{x} with {weight}" for x, weight in model.gaps)
    belief = "exp(−μτ)" if model.belief == "paper" else "the posterior"
    caching = "forced" if model.forced else "optional"
    return (
        f"The decision: C = {model.capacity}, ξ = {model.xi}, {caching} caching; exp(−gap) {gaps}, μ = "
        f"{model.death_rate}, births {model.birth_rate}, belief {belief}; turns to come: {example['following']}; "
        f"new conversations: {'; '.join(_kind_text(kind) for kind in example['model']['kinds'])}"
    )


def _kind_text(kind: Mapping[str, Any]) -> str:
    laws = ", then ".join(_law([(length, Fraction(p)) for length, p in law]) for law in kind["prompts"])
    share = "" if kind["share"] == "1" else f" (share {kind['share']})"
    return f"turn rate {kind['turn_rate']}, prompts {laws}{share}"


def _law(outcomes: Iterable[tuple[int, Fraction]]) -> str:
    return " or ".join(f"{length}" if p == 1 else f"{length} ({p})" for length, p in outcomes)


def _cost(cost: str) -> str:
    """Return a fraction, and its decimals where that is easier to read."""
    return cost if len(cost) < 10 else f"{float(Fraction(cost)):.6f} ({cost})"


def facts(example: Counterexample) -> tuple[StateTable, ...]:
    """Show a counterexample that is no trace by its facts and values."""
    named = [(name, plain(value)) for name, value in example.items() if name != "values"]
    compared = [(name, plain(value)) for name, value in example["values"].items()]
    return (
        StateTable("The instance", ("fact", "value"), tuple(named)),
        StateTable("What is compared", ("number", "value"), tuple(compared)),
    )


def plain(value: Any) -> str:
    """Return plain data as text on a line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {plain(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value))
    return str(value)
