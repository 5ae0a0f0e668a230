"""What is known of conversations that may be over, and what that knowledge is worth: the belief MDP.

A state is what is known right after a turn, and what is cached of it, X. What is kept is Y <= X with sum Y <= C.
With s_i(y) the saving of a turn of i of which y is kept, against keeping nothing, Bellman's equation is

    V(v, X) = max over Y of sum_i P(next is i) (E s_i(Y_i) + gamma E V(v+, X+)).

`backward_induction` solves it for a few turns, as costs, in fractions; `value_iteration`, `policy_iteration` and
`modified_policy_iteration` for all turns to come, for their average, or for a number, in a finite model that
forgets who was silent for K turns. They stop by the bounds of MacQueen and Porteus, or of Odoni for the average
(Puterman, Markov Decision Processes, 1994, sections 6.6, 8.5). `lower` and `upper` are fractions that hold for the
model without forgetting (`teltheory.belief.bounds` proves it), and `check_bounds` computes them anew.
"""

from teltheory.belief.check import check_bounds
from teltheory.belief.discrete import discrete
from teltheory.belief.iteration import (
    Solution,
    evaluate,
    modified_policy_iteration,
    policy_iteration,
    regret,
    value_iteration,
)
from teltheory.belief.model import BeliefKind as Kind
from teltheory.belief.model import BeliefMDP, Heard, Known, Recent, State
from teltheory.belief.model_file import read_model
from teltheory.belief.optimality import et_lru
from teltheory.belief.rules import lru, tlru
from teltheory.belief.tables import backward_induction
from teltheory.policies.learned.next_event import next_event
from teltheory.policies.learned.posterior import bayes_posterior, paper_belief

__all__ = [
    "BeliefMDP", "Heard", "Kind", "Known", "Recent", "Solution", "State", "backward_induction", "bayes_posterior",
    "check_bounds", "discrete", "et_lru", "evaluate", "lru", "modified_policy_iteration", "next_event",
    "paper_belief", "policy_iteration", "read_model", "regret", "tlru", "value_iteration",
]  # fmt: skip
