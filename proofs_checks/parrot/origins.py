"""Whose statements the rows on Parrot decide."""

from teltheory.claims.origin import another

PAPER = another("Parrot (Lin et al. 2024), as a translation reports")
