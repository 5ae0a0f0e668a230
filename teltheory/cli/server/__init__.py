"""`teltheory server`."""
