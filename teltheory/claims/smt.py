"""Proof obligations over all whole or real numbers: z3 proves them, cvc5 gives a second opinion on the same text.

An obligation is proved where its hypotheses and the negation of its conclusion have no common model. Its text in
SMT-LIB 2 is all that a prover gets. Efforts are bounded by the provers' own counts of steps, never by time, and
every run has the same seed.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Literal

from teltheory.base.extras import needed
from teltheory.claims.claim import Proof
from teltheory.claims.terms import Bool, Int, Printer, equal, every, has_reals

Answer = Literal["unsat", "sat", "unknown"]
STEPS = 200_000_000
"""z3's `rlimit` and cvc5's."""

SECOND_OPINION = 3
"""Largest number of conversations for which cvc5 is asked at quick effort; beyond, it is slow."""
_asks_second = ContextVar("asks second", default=True)


@dataclass(frozen=True)
class Obligation:
    """What is to be proved for all values of its variables.

    `size` counts the conversations, or tokens, that are written out, 0 if it is any number.
    """

    name: str
    hypotheses: tuple[Bool, ...]
    conclusion: Bool
    size: int = 0

    @property
    def text(self) -> str:
        """The obligation in SMT-LIB 2: unsatisfiable where it is proved."""
        assertions = [*self.hypotheses, ~self.conclusion]
        real = has_reals(assertions)
        printer = Printer(real)
        asserted = [f"(assert {printer.text(assertion)})" for assertion in assertions]
        logic = f"(set-logic {'QF_LIRA' if real else 'QF_LIA'})"
        return "\n".join([f"; {self.name}", logic, *printer.lines, *asserted, "(check-sat)", ""])


def stated(
    name: str,
    given: Iterable[Int] = (),
    above: Iterable[Int] = (),
    shown: Iterable[Int] = (),
    zero: Iterable[Int] = (),
) -> Obligation:
    """Return that, where some numbers are 0 or more and others above 0, some are 0 or more and others are 0."""
    hypotheses = (*(e >= 0 for e in given), *(e > 0 for e in above))
    return Obligation(name, hypotheses, every((*(e >= 0 for e in shown), *(equal(e, 0) for e in zero))))


@cache
def z3_answer(text: str) -> Answer:
    """Return z3's answer to a text in SMT-LIB 2; `MissingPackageError` if z3 is not installed."""
    z3 = needed("z3", "proofs")
    logic = "QF_LIRA" if "(set-logic QF_LIRA)" in text else "QF_LIA"
    solver = z3.SolverFor(logic, ctx=z3.Context())
    solver.set("random_seed", 0)
    solver.set("rlimit", STEPS)
    solver.from_string(text)
    return str(solver.check())  # type: ignore[return-value]


@cache
def cvc5_answer(text: str) -> Answer:
    """Return cvc5's answer to a text in SMT-LIB 2; `MissingPackageError` if cvc5 is not installed."""
    cvc5 = needed("cvc5", "proofs")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit", str(STEPS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    symbols = parser.getSymbolManager()
    told = ""
    while not (command := parser.nextCommand()).isNull():
        told += command.invoke(solver, symbols)
    return told.strip()  # type: ignore[return-value]


@contextmanager
def second_opinions(asked: bool) -> Iterator[None]:
    """Ask cvc5 too, or only z3: of a row that is a theorem in Coq one prover is enough."""
    token = _asks_second.set(asked)
    try:
        yield
    finally:
        _asks_second.reset(token)


def prove(
    obligations: Sequence[Obligation],
    covers: str,
    second_up_to: int = SECOND_OPINION,
    things: str = "conversations",
    by_what: str = "a scan",
) -> Proof:
    """Prove obligations with z3, and those up to a size with cvc5 too if it is installed.

    `covers` says in a sentence what they prove together, `things` and `by_what` what sizes count and what covers
    every number of them. The proof names the obligations that a prover did not prove; `MissingPackageError`
    without z3.
    """
    asked = _asks_second.get() and find_spec("cvc5") is not None
    second = [o for o in obligations if asked and o.size <= second_up_to]
    unproved = [f"{o.name} (z3)" for o in obligations if z3_answer(o.text) != "unsat"]
    unproved += [f"{o.name} (cvc5)" for o in second if cvc5_answer(o.text) != "unsat"]
    sizes = [obligation.size for obligation in obligations]
    return Proof(
        _by(sizes, second_up_to if second else 0, things, by_what), covers, len(obligations), tuple(unproved)
    )


def _by(sizes: Sequence[int], second_up_to: int, things: str, by_what: str) -> str:
    written_out, most = [size for size in sizes if size], max(sizes, default=0)
    z3, cvc5 = f"z3 {version('z3-solver')}", f", cvc5 {version('cvc5')}" if second_up_to else ""
    if not written_out:
        return z3 + cvc5
    z3 += f" ({min(written_out)} to {most} {things}, and {by_what} for every number)"
    return z3 + (cvc5 and f"{cvc5} ({min(written_out)} to {min(second_up_to, most)}, and for every number)")
