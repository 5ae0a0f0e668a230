"""Moved to `teltheory.policies.learned.next_event`; this name goes with the next version."""

from warnings import warn

from teltheory.policies.learned.next_event import *  # noqa: F403

warn("teltheory.belief.next_event is now teltheory.policies.learned.next_event", DeprecationWarning, stacklevel=2)
