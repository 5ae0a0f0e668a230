"""`teltheory belief`."""
