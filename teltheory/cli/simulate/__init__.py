"""`teltheory simulate`."""
