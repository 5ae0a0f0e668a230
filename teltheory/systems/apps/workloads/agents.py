"""Agents that write a program together, in the way of MetaGPT (Parrot, Section 8.4).

1. An architect designs files and interfaces.
2. For each file a coder reads the instructions and the design, and writes the file.
3. In each cycle a reviewer for each file reads all code and comments on the file; then each file is revised by
   somebody who reads all code and the comment. Prompts with all code begin alike, so that it can be shared.

In the log that the authors released there are 8 files; 16 are those 8 twice, so that no more than 8 are read.
Lengths are near those of their result files: prompt and output of a call have 1,114 tokens (design), 4,207 (code),
5,280 (review) and 5,992 (revision) on average; how much of that is output is drawn here, as the files don't say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from teltheory.systems.apps.requests import Request
from teltheory.systems.apps.workloads.application import ClientApp, Piece, call, text

READ = 8
DESIGN = 614
CODE, COMMENT = (250, 800), (200, 500)
TASK, CODING, REVIEWING, REVISING = 500, 3_050, 680, 540


def multi_agent(files: int, rng: np.random.Generator, cycles: int = 3, arrival: float = 0.0) -> ClientApp:
    """Return the work on so many files.

    Parameters
    ----------
    files : int
        Files, 1 or more.
    rng : numpy.random.Generator
        Draws the lengths of code (250 to 800 tokens) and comments (200 to 500), uniform.
    cycles : int
        Reviews and revisions; the seed says 3.
    arrival : float
        Seconds.
    """
    team = _Team(files, rng)
    team.add(text("architect", TASK), (), [()], ["design"], (DESIGN, DESIGN))
    code = [f"code {i}" for i in range(files)]
    team.add(text("coder", CODING), ["design"], [()] * files, code, CODE)
    for cycle in range(cycles):
        comments = [f"comment {cycle} {i}" for i in range(files)]
        revised = [f"code {cycle} {i}" for i in range(files)]
        team.add(text("reviewer", REVIEWING), code[:READ], [()] * files, comments, COMMENT)
        team.add(text("reviser", REVISING), code[:READ], [(comment,) for comment in comments], revised, CODE)
        code = revised
    return ClientApp(tuple(team.requests), dict.fromkeys(code, "latency"), {}, arrival, "multi-agent")


@dataclass
class _Team:
    """The requests so far."""

    files: int
    rng: np.random.Generator
    requests: list[Request] = field(default_factory=list)

    def add(
        self,
        instructions: str,
        shared: Sequence[str],
        own: Sequence[Sequence[str]],
        outputs: Sequence[str],
        tokens: tuple[int, int],
    ) -> None:
        """Add a request for each output: all read what is shared, then each is told its file and reads its own."""
        sizes = self.rng.integers(*tokens, len(outputs), endpoint=True).tolist()
        for i, (variables, output, size) in enumerate(zip(own, outputs, sizes, strict=True)):
            inputs: list[Piece] = [("input", variable) for variable in shared]
            parts: tuple[Piece, ...] = (
                instructions,
                *inputs,
                f" file {i}",
                *(("input", variable) for variable in variables),
            )
            self.requests.append(call(len(self.requests), parts, output, size))
