"""Drawing: one style, and what is drawn of rows of plain data. matplotlib is loaded when something is drawn."""

from teltheory.plots.style import looks, paper

__all__ = ["looks", "paper"]
