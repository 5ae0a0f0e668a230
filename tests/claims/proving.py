"""What tests ask of terms and obligations."""

import operator

from teltheory.claims.smt import Obligation, z3_answer
from teltheory.claims.terms import FALSE

MEANINGS = {
    "+": operator.add,
    "-": operator.sub,
    "<=": operator.le,
    "<": operator.lt,
    "=": operator.eq,
    "=>": lambda condition, consequence: consequence or not condition,
    "ite": lambda condition, first, second: first if condition else second,
    "not": operator.not_,
    "and": lambda *conditions: all(conditions),
    "or": lambda *conditions: any(conditions),
}


def can_be_met(hypotheses):
    """Whether there are values under which all hypotheses hold."""
    return z3_answer(Obligation("a model", tuple(hypotheses), FALSE).text) == "sat"


def value_of(term, environment):
    """The value of a term whose variables have the values of an environment."""
    known = {"true": True, "false": False, **environment}

    def value(part):
        name = part.operator
        if part.arguments and id(part) not in known:
            known[id(part)] = MEANINGS[name](*map(value, part.arguments))
        return known[id(part)] if part.arguments else known[name] if name in known else int(name)

    return value(term)
