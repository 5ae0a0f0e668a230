"""Moved to `teltheory.policies.learned.etlru`; this name goes with the next version."""

from warnings import warn

from teltheory.policies.learned.etlru import *  # noqa: F403

warn("teltheory.belief.etlru is now teltheory.policies.learned.etlru", DeprecationWarning, stacklevel=2)
