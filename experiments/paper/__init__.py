"""Moved to `teltheory.paper`; the commands of this folder work for one version."""
