"""`teltheory policy`."""
