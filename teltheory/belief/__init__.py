"""What is known of conversations that may be over, and what that knowledge is worth."""

from teltheory.policies.learned.next_event import next_event
from teltheory.policies.learned.posterior import bayes_posterior, paper_belief

__all__ = ["bayes_posterior", "next_event", "paper_belief"]
