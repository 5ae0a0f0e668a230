"""`teltheory replay` and `teltheory curve`."""
