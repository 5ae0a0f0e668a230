"""`teltheory reproduce` and `teltheory figures`."""
