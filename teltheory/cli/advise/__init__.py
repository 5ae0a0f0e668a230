"""`teltheory advise`."""
