"""What ET-LRU may lose against value iteration, over all turns to come: proved intervals, by what is forgotten.

    python -m experiments.belief_intervals

Prints a table. An interval is of the regret, with a discount of 9/10 or of a turn in the mean, and holds without
forgetting; K is the number of silent turns after which a conversation is forgotten. Where ET-LRU is optimal the
interval contains 0 and shrinks; one that does not contain 0 refutes it.
"""

from collections.abc import Iterator

from teltheory.belief.compared import rows_of, solutions
from teltheory.belief.model import BeliefMDP
from teltheory.belief.rules import POLICIES
from teltheory.paper.beliefs import GAMMA, GAP, HALF, ONE_OR_TWO, ONE_TOKEN, two_rates
from teltheory.paper.script import markdown, run

CASES = (
    ("one rate, one length", two_rates(ONE_TOKEN, 1, HALF, "bayes"), (4, 6, 8), (False, True)),
    ("rates 1 and 8, two lengths", two_rates(ONE_OR_TWO, 8, GAP, "bayes"), (4, 5, 6), (False,)),
)
RULES = [POLICIES[f"et-lru:index={index}"] for index in ("printed", "belief")]


def main() -> Iterator[str]:
    """Yield the table."""
    rows = (
        _cells(name, model, silent, average)
        for name, model, forgotten, counted in CASES
        for average in counted
        for silent in forgotten
    )
    yield from markdown(("posterior", "discount", "K", "states", "printed index", "belief"), rows)


def _cells(name: str, model: BeliefMDP, silent: int, average: bool) -> tuple[object, ...]:
    ahead = {"average": True} if average else {"discount": GAMMA}
    found = rows_of(solutions(model, RULES, silent=silent, **ahead))[1:]
    between = (f"{row['regret_lower']:.5f} to {row['regret_upper']:.5f}" for row in found)
    return name, "average" if average else GAMMA, silent, f"{found[0]['states']:,}", *between


if __name__ == "__main__":
    run(main, __doc__)
