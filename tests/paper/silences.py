"""How long conversations are silent: a figure of another package, with the table that it is drawn from."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import teltheory as tt
from teltheory.paper.drawing import TableFigure, saved
from teltheory.paper.tidy import Finite, TableRow, read_rows


@dataclass(frozen=True)
class Silence(TableRow):
    """The share of silences between two turns of a conversation that are at least so long."""

    ONCE = ("seconds",)

    seconds: Finite
    share: Finite


def rows() -> Iterator[Silence]:
    """Yield the silences of a sample of the conversation model."""
    trace = tt.sample_conversations(tt.ConversationModel(), 500, np.random.default_rng(1))
    later = trace.next_turn < len(trace)
    silences = np.sort(trace.arrival[trace.next_turn[later]] - trace.arrival[later])
    for i, seconds in enumerate(silences.tolist()):
        yield Silence(seconds, 1 - i / len(silences))


def draw(table: Path) -> Figure:
    """Draw the share over the length."""
    found = read_rows(table, Silence)
    figure = Figure(figsize=(3.25, 2.4), layout="constrained")
    panel = figure.subplots()
    panel.plot([row.seconds for row in found], [row.share for row in found])
    panel.set(xscale="log", xlabel="silence (s)", ylabel="share at or above")
    return figure


FIGURES = (TableFigure("silences", saved(draw), Silence, rows),)
