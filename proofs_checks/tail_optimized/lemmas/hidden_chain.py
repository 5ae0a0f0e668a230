"""The belief update for all real rates and times, with sympy: identities whose two sides differ by 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from teltheory.claims.claim import Proof

if TYPE_CHECKING:
    from sympy import Expr


class Model:
    """The symbols, what is said to solve the hidden chain, and the formulas to be proved."""

    def __init__(self) -> None:
        import sympy

        self.exp, self.oo = sympy.exp, sympy.oo
        self.mu, self.rate, self.tau = mu, rate, tau = sympy.symbols("mu lambda tau", positive=True)
        self.prior, self.later = sympy.symbols("pi sigma", positive=True)
        decay = sympy.exp(-(mu + rate) * tau)
        self.alive = self.prior * decay
        self.dead = 1 - self.prior + self.prior * mu / (mu + rate) * (1 - decay)
        self.formula = (mu + rate) / (rate + mu * sympy.exp((mu + rate) * tau))
        self.update = self.prior * decay / (1 - self.prior + self.prior * (mu + rate * decay) / (mu + rate))

    def updated(self, prior: Expr, tau: Expr) -> Expr:
        """Return the update of a prior over a time."""
        return self.update.subs({self.prior: prior, self.tau: tau}, simultaneous=True)


def _excess(m: Model) -> Expr:
    """Return 1 / posterior - exp(mu tau), which has the sign of exp(-mu tau) - posterior."""
    return 1 / m.formula - m.exp(m.mu * m.tau)


def mean_over_histories(m: Model) -> Expr:
    """Hold silent so far, or a first turn at some time and not dead since, against exp(-mu tau)."""
    after_a_turn = m.rate * m.exp(-(m.mu + m.rate) * m.later - m.mu * (m.tau - m.later))
    silent = m.exp(-(m.mu + m.rate) * m.tau)
    return silent + after_a_turn.integrate((m.later, 0, m.tau)) - m.exp(-m.mu * m.tau)


IDENTITIES: dict[str, Callable[[Model], Expr]] = {
    # The solution in a' = -(mu + lambda) a: among the silent the living die or have a turn.
    "living": lambda m: m.alive.diff(m.tau) + (m.mu + m.rate) * m.alive,
    # The solution in d' = mu a: the dead stay silent.
    "dead": lambda m: m.dead.diff(m.tau) - m.mu * m.alive,
    # At a silence of 0, pi alive and 1 - pi dead, in one polynomial of s.
    "start": lambda m: (m.alive - m.prior + m.later * (m.dead - 1 + m.prior)).subs(m.tau, 0),
    # The share of the living among the silent, a / (a + d), against the update of the prior.
    "from a prior": lambda m: m.alive / (m.alive + m.dead) - m.update,
    # The update of the prior 1 against the formula of `belief.posterior.silence`.
    "from certainty": lambda m: m.update.subs(m.prior, 1) - m.formula,
    # The update in pi' = -pi (mu + lambda (1 - pi)).
    "filter equation": lambda m: m.update.diff(m.tau) + m.update * (m.mu + m.rate * (1 - m.update)),
    # Two silences against one long one.
    "semigroup": lambda m: m.updated(m.updated(m.prior, m.tau), m.later) - m.updated(m.prior, m.tau + m.later),
    # The chance of another turn against pi lambda / (lambda + mu).
    "another turn": lambda m: (
        (m.prior * m.rate * m.exp(-(m.mu + m.rate) * m.tau)).integrate((m.tau, 0, m.oo))
        - m.prior * m.rate / (m.rate + m.mu)
    ),
    # 1 / posterior - exp(mu tau) at a silence of 0.
    "excess at 0": lambda m: _excess(m).subs(m.tau, 0),
    # Its growth against mu exp(mu tau) (exp(lambda tau) - 1), above 0: the paper's belief is larger.
    "growth of the excess": lambda m: (
        _excess(m).diff(m.tau) - m.mu * m.exp(m.mu * m.tau) * (m.exp(m.rate * m.tau) - 1)
    ),
    # The formula without turns against exp(-mu tau): silence then tells nothing.
    "no turns": lambda m: m.formula.subs(m.rate, 0) - m.exp(-m.mu * m.tau),
    "mean over histories": mean_over_histories,
}
"""By name, what the two sides of an identity differ by."""

HAND = "all real mu, lambda and tau above 0; by hand: that the chain is the conversation model's"
FORMULA = ("living", "dead", "start", "from a prior", "from certainty", "semigroup")
MEAN = ("mean over histories",)
LARGER = (*FORMULA, "excess at 0", "growth of the excess", "no turns")


def proof(names: Sequence[str] = (), covers: str = HAND) -> Proof:
    """Return the proof that some identities hold, all of them when left out."""
    import sympy

    chosen = names or tuple(IDENTITIES)
    unproved = tuple(name for name in chosen if difference(name) != "0")
    return Proof(f"sympy {sympy.__version__}", covers, len(chosen) - len(unproved), unproved)


def difference(name: str) -> str:
    """Return what the two sides of an identity differ by, simplified."""
    from sympy import simplify

    return str(simplify(IDENTITIES[name](_model())))


@cache
def _model() -> Model:
    return Model()
