"""`teltheory modules`."""
