"""Checks of the paper's claims, one file a section, one short function a claim."""
