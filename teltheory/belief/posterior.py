"""Moved to `teltheory.policies.learned.posterior`; this name goes with the next version."""

from warnings import warn

from teltheory.policies.learned.posterior import *  # noqa: F403

warn("teltheory.belief.posterior is now teltheory.policies.learned.posterior", DeprecationWarning, stacklevel=2)
