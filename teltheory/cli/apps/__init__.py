"""`teltheory apps`."""
