"""`teltheory verify`."""
