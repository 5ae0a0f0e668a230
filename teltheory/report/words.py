"""Counterexamples and scopes in words, the same for the terminal and the documents."""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, groupby
from typing import Any

from teltheory.claims.state_tables import letter
from teltheory.errors import FileError
from teltheory.model.display import counted
from teltheory.report.ledger import Row, origin_text

WHICH_TEXT = """\
The paper is Tail-Optimized Caching for LLM Inference (Zhang, Li, Moallemi, Peng, NeurIPS 2025). Two editions of it
are decided: a text whose footer names ICML and PMLR 267, after whose numbers the rows are named, and version 1 of
arXiv:2510.15152, the public one. Version 1 leaves out Theorem 3.1, its proof and the sentence on Threshold-LRU,
trims with “if” and evicts with X ≥ 1 in Algorithm 1, and has 50, 100, 150, 200 and 500 ms over Tables 1 and 3.
A row is the paper's if an edition states it; what another paper states names that paper, and counts neither for
this one nor against it. All others are ours: readings of what a paper leaves open, sharpness (what happens where a
condition of the row that it names is left out), repairs and additions. Arithmetic on printed numbers is counted
apart: it says nothing about a policy."""
LEDGER_TITLE = "The ledger of two editions of the paper: PMLR 267, and arXiv:2510.15152v1"


def counterexample_text(example: dict[str, Any] | None) -> str:
    """Return a counterexample on a line: turns as conversation(prompt+response), or its other facts by name."""
    if example is None:
        return ""
    if "history" in example:
        return _decision_text(example)
    values = _facts(example["values"])
    if "ask" in example:
        return f"{_forest_text(example)}: {values}"
    if "turns" not in example:
        return f"{_facts({name: value for name, value in example.items() if name != 'values'})}: {values}"
    turns = " ".join(f"{letter(c)}({q}+{a})" for c, q, a in example["turns"])
    start = "".join(f" start {letter(c)}({past}, cached {held})" for c, past, held in example["initial"])
    return f"{turns}{start}; {_parameters(example)}: {values}"


def _forest_text(example: dict[str, Any]) -> str:
    """Return the requests of a forest on a line: blocks, root first, and how much is asked if not just all."""
    columns = (example[name] for name in ("paths", "ask", "total"))
    requests = (_request_text(*request) for request in zip(*columns, strict=True))
    running = example.get("running", 1)
    mode = " forced" * example["forced"] + f", {running} running" * (running > 1)
    return f"{' '.join(requests)}; {_parameters(example)}{mode}"


def _request_text(path: list[int], ask: int, total: int) -> str:
    more = [f"ask {ask}"] * (ask != len(path)) + [f"total {total}"] * (total != ask)
    return f"({'; '.join([' '.join(map(str, path)), *more])})"


def _parameters(example: dict[str, Any]) -> str:
    return f"C={example['capacity']} xi={example['xi']} Q={example['q_hat']}"


def _facts(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_nested(value)}" for name, value in facts.items())


def _nested(value: Any) -> str:
    """Return plain data on a line, without the quotes in which JSON has fractions."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_nested(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_nested, value)) + "]"
    return str(value)


NATURAL = "every prompt, response and C at least 1, and xi and Q where the row has them"


def counterexamples(row: Row) -> Iterator[str]:
    """Yield the counterexamples of a row, a sentence each: the smallest, and the smallest natural one."""
    if row["counterexample"] is not None:
        yield f"Smallest counterexample: {counterexample_text(row['counterexample'])}"
    natural = row.get("natural")
    if natural is not None and natural["counterexample"] is not None:
        yield f"Natural counterexample: {counterexample_text(natural['counterexample'])}"
    elif natural is not None:
        tried = _tried_text({**natural, "kind": "exhaustive"}, dict(natural["bounds"]), None)
        yield f"No natural counterexample ({NATURAL}): {tried}"


def evidence_text(row: Row) -> str:
    """Return on a line what decides a row that is no statement without exception: counterexample, or counts."""
    counts = row.get("numbers", {}).get("counts")
    if counts is None:
        return counterexample_text(row["counterexample"])
    return ", ".join(f"{name} {_value(value)}" for name, value in counts.items())


def null_models_text(row: Row) -> str:
    """Return on a line how the null models of a row's rule compare with our cells; "" if there are none."""
    numbers = row.get("numbers", {})
    error, nulls = numbers.get("error"), numbers.get("nulls")
    if not nulls:
        return ""
    told = (
        f"{null['null']} {_value(null['counts'][error])} "
        f"({'accepted without this comparison, ' if null['accepted'] else ''}"
        f"{'beaten' if null['beaten'] else 'not beaten'})"
        for null in nulls
    )
    return f"{error} {_value(numbers['counts'][error])} against {'; '.join(told)}"


def side_by_side(row: Row) -> tuple[list[str], list[list[str]]]:
    """Return the cells of a row as a header and lines; a column is one of the cells', none if it has none."""
    cells = row.get("numbers", {}).get("cells", ())
    at = {(one["row"], one["column"]): str(one["shown"]) for one in cells}
    rows, columns = (dict.fromkeys(one[name] for one in cells) for name in ("row", "column"))
    return ["", *columns], [[name, *(at.get((name, column), "") for column in columns)] for name in rows]


def check_words(rows: Sequence[Row], name: str) -> None:
    """Check that every row of a ledger can be put into words."""
    for i, row in enumerate(rows, start=1):
        try:
            header, lines = side_by_side(row)
            told = [*header, *chain(*lines), *strength(row), evidence_text(row), verdict_text(row)]
            told += [*counterexamples(row), row.get("rule", ""), null_models_text(row), origin_text(row)]
            " ".join(told)
        except _OF_ANOTHER_SHAPE as error:
            found = f"a scope, counterexample or numbers of another shape ({type(error).__name__}: {error})"[:200]
            expected = "a row as `teltheory verify` writes it"
            raise FileError(f"{name}, claim {i}: found {found}, expected {expected}") from None


_OF_ANOTHER_SHAPE = (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError)


def _decision_text(example: dict[str, Any]) -> str:
    """Return a decision of the belief MDP on a line; `as_counterexample` of its case has the model in full."""
    turns = " ".join(f"{letter(c)}({q}+{a})" for _, c, _, q, a in example["history"])
    model, kept = example["model"], zip(("kept", "best"), example["values"].items(), strict=True)
    outcomes = ", ".join(f"{name} keeps {example[which]}: {_decimal(cost)}" for which, (name, cost) in kept)
    parameters = f"C={model['capacity']} xi={model['xi']}, {example['following']} to come"
    return f"{turns}; {parameters}; of {example['cached']} {outcomes}"


def _decimal(fraction: str) -> str:
    return fraction if len(fraction) < 10 else f"{float(Fraction(fraction)):.6f}"


def verdict_text(row: Row) -> str:
    """Return a verdict with what kind of evidence it has; evidence short of a proof is named as what it is."""
    kind = row["scope"]["kind"]
    evidence = "sampled, no proof" if kind == "sampled" else kind
    return f"holds ({evidence})" if row["verdict"] == "holds" else str(row["verdict"])


def strength(row: Row) -> list[str]:
    """Return what a verdict rests on, a sentence each: proof, cases with their bounds, random cases."""
    scope, bounds = row["scope"], dict(row["scope"]["bounds"])
    if row["verdict"] in ("not decidable here", "error", "undecided"):
        return [str(row.get("problem") or "No case satisfied the hypotheses.")]
    if "samples" in bounds:
        return [_measured_text(scope, bounds)]
    proof, drawn, stopped = (bounds.pop(name, None) for name in ("proof", "sampled", "stopped_at"))
    campaign, theorem = bounds.pop("campaign", None), bounds.pop("machine-checked", {})
    kind = theorem.get("beside", scope["kind"])
    told = [_theorem_text(theorem)] if theorem else []
    told += [] if proof is None else [_proof_text(proof, kind)]
    if scope["kind"] == "sampled":
        drawn = drawn or (None if campaign else {"instances": scope["instances"]})
    else:
        told.append(_tried_text({**scope, "kind": kind}, bounds, stopped))
    told += [] if drawn is None else [_sampled_text("Sampled", drawn)]
    return told if campaign is None else [*told, _sampled_text("A campaign of samples", campaign)]


def _measured_text(scope: dict[str, Any], bounds: dict[str, Any]) -> str:
    number = counted(scope["instances"], "case")
    samples = "; ".join(f"{name}: {_value(facts)}" for name, facts in bounds["samples"].items())
    return f"{number} measured on random samples, which proves nothing: {bounds['cases']}. {samples}."


def _theorem_text(theorem: dict[str, str]) -> str:
    if "missing" in theorem:
        return f"Not machine-checked: {theorem['missing']}."
    return (
        f"Machine-checked: {theorem['theorem']} in {theorem['file']}, which Coq and coqchk accepted without an "
        f"axiom (sources {theorem['sha256']})."
    )


def _proof_text(proof: dict[str, Any], kind: str) -> str:
    if "missing" in proof:
        return f"Not proved here: {proof['missing'].rstrip('.')}."
    obligations = counted(proof["obligations"], "obligation")
    if kind == "proved":
        return f"Proved by {proof['by']} ({obligations}): {proof['covers'].rstrip('.')}."
    left = ", ".join(map(str, proof.get("unproved", ()))) or "not said which"
    return f"No proof: {proof['by']} proved {obligations}, and these are open: {left}."


def _tried_text(scope: dict[str, Any], bounds: dict[str, Any], stopped: dict[str, int] | None) -> str:
    number = counted(scope["instances"], "instance")
    how = "each with its certificate" if scope["kind"] == "certified" else "every one within the bounds"
    if stopped is not None:
        at = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in stopped.items())
        cases = f": {_value(bounds['cases'])}" if "cases" in bounds else ""
        return f"{number} tried, smallest first, up to the size of the counterexample ({at}){cases}."
    return f"{number}, {how}: {'; '.join(_bounds(bounds))}."


def _sampled_text(how: str, drawn: dict[str, Any]) -> str:
    facts = (f"{name.replace('_', ' ')} {_value(value)}" for name, value in drawn.items() if name != "instances")
    told = ", ".join([f"{drawn['instances']:,} random instances", *facts])
    return f"{how}, which proves nothing: {told}."


KNOWN_BOUNDS = {
    "what": "{}",
    "cases": "{}",
    "models": "{} models",
    "turns": "turns so far + to come {}",
    "conversations": "up to {} conversations",
    "initial_conversations": "up to {} of them in the initial cache",
    "tokens_with_an_initial_cache": "then up to {} tokens",
    "gaps": "exp(-gap) {}",
}


MOST_BY = {"tokens_by_turns": ("tokens", "turn"), "blocks_by_requests": ("blocks", "request")}


def _bounds(bounds: dict[str, Any]) -> Iterator[str]:
    """Yield what was enumerated, a phrase a bound; a bound that is new here stands under its name."""
    for name, value in bounds.items():
        if name in MOST_BY:
            yield _most_by(value, *MOST_BY[name])
        elif value not in (0, [], {}):
            phrase = KNOWN_BOUNDS.get(name, name.replace("_", " ") + " {}")
            yield phrase.format(_value(value))


def _most_by(limits: dict[str, int], what: str, where: str) -> str:
    """Return "up to 5 tokens in 1 or 2 turns, up to 4 in 3"."""
    groups = [
        (most, [number for number, _ in group]) for most, group in groupby(limits.items(), lambda pair: pair[1])
    ]
    told = [f"up to {most} in {' or '.join(numbers)}" for most, numbers in groups]
    first = told[0].replace(" in ", f" {what} in ", 1) + f" {where}{'s' * (groups[0][1] != ['1'])}"
    return ", ".join([first, *told[1:]])


def _value(value: Any) -> str:
    """Return plain data on a line."""
    if isinstance(value, dict):
        return "(" + ", ".join(f"{name.replace('_', ' ')} {_value(item)}" for name, item in value.items()) + ")"
    if isinstance(value, list):
        told = ["+".join(map(str, item)) if isinstance(item, list) else _value(item) for item in value]
        return (" / " if any("," in text for text in told) else ", ").join(told)
    if isinstance(value, str):
        return value
    return json.dumps(value)
