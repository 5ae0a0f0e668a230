"""Moved to `teltheory.policies.learned.return_aware`; this name goes with the next version."""

from warnings import warn

from teltheory.policies.learned.return_aware import *  # noqa: F403

warn("teltheory.belief.returns is now teltheory.policies.learned.return_aware", DeprecationWarning, stacklevel=2)
