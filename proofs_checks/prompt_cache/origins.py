"""Whose statements the rows on Prompt Cache decide."""

from teltheory.claims.origin import another

PAPER = another("Prompt Cache (Gim et al. 2024), as a digest reports")
