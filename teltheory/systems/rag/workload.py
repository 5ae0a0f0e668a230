"""What a RAG server is asked: questions in order of arrival, and the documents that retrieval finds for each.

1. A request is a question. Retrieval runs in stages; after each it has a list of documents, the best first, and
   the list after the last stage is the answer.
2. The prompt is the system prompt, the documents of the answer in that order, then the question. A document's KV
   cache depends on all that stands before it, so what requests share is a prefix tree of documents: the forest
   whose root is the system prompt. Two lists of the same documents in another order are two paths.
3. The question is nobody else's, so no cache holds it: it is the tail of the request, `total` - `ask`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.branching import NO_NODE
from teltheory.model.columns import arrivals, lengths
from teltheory.model.forest import Forest
from teltheory.model.nodes import sums_down
from teltheory.model.numbers import FloatArray, IntArray, readonly, whole_number


@dataclass(frozen=True, eq=False)
class Workload:
    """Requests to a RAG server in order of arrival. Make one with `Workload.of`.

    Attributes
    ----------
    length : ndarray of int64, shape (D,)
        Tokens of each document, 1 or more.
    found : ndarray of int64, shape (n, stages, k)
        Documents that retrieval has after each stage, the best first; the last stage is the answer. -1 stands for
        no document, after all others.
    seconds : ndarray of float64, shape (n, stages)
        How long each stage takes.
    question : ndarray of int64, shape (n,)
        Tokens of each question.
    arrival : ndarray of float64, shape (n,)
        Seconds, never decreasing.
    system : int
        Tokens of the system prompt, 0 if there is none.
    """

    length: IntArray
    found: IntArray
    seconds: FloatArray
    question: IntArray
    arrival: FloatArray
    system: int = 0

    @classmethod
    def of(
        cls,
        length: IntArray | list[int],
        found: IntArray,
        seconds: FloatArray,
        question: IntArray | list[int],
        arrival: FloatArray | list[float],
        system: int = 0,
    ) -> Workload:
        """Check the columns against each other; see the class for what they are.

        `found` of shape (n, k) is one stage, `seconds` of shape (stages,) those of every request.

        Raises
        ------
        ArgumentError, TraceError
            A document that does not exist, a list with a document twice, lengths that do not fit.
        """
        answers = np.asarray(found, np.int64)
        answers = answers[:, np.newaxis] if answers.ndim == 2 else answers
        if answers.ndim != 3 or not answers.shape[1]:
            raise ArgumentError("found", f"shape {np.shape(found)}", "(requests, stages, documents)")
        n, stages, _ = answers.shape
        size = lengths("length", length, len(length))
        _check_found(answers, size)
        took = np.broadcast_to(np.asarray(seconds, np.float64), (n, stages))
        if not (np.isfinite(took).all() and (took >= 0).all()):
            raise ArgumentError("seconds", "a stage of a negative or no time", "0 or more seconds for every stage")
        asked, times = lengths("question", question, n), arrivals(arrival, n)
        took = took.copy()
        took.flags.writeable = False
        return cls(size, readonly(answers), took, asked, times, whole_number("system", system))

    def __len__(self) -> int:
        return len(self.question)

    def arriving(self, arrival: FloatArray) -> Workload:
        """Return the same requests at other times; their tree is numbered once for both."""
        moved = replace(self, arrival=arrival)
        moved.__dict__["_numbered"] = self._numbered
        return moved

    @property
    def stages(self) -> int:
        """Stages of each retrieval."""
        return int(self.found.shape[1])

    @cached_property
    def leaves(self) -> IntArray:
        """Node of `forest` at the end of each list of documents; shape (n, stages). -1: nothing that is shared."""
        return self._numbered[2]

    @property
    def longest(self) -> int:
        """Tokens of the longest prompt, those with provisional lists included."""
        ends = np.append(self.forest.depth, 0)[self.leaves]
        return int((ends + self.question[:, np.newaxis]).max(initial=0))

    @cached_property
    def document(self) -> IntArray:
        """Document of each node of `forest`, -1 of the system prompt; shape (V,)."""
        return self._numbered[1]

    @cached_property
    def forest(self) -> Forest:
        """The knowledge tree: nodes are documents after what stands before them; units are tokens.

        Requests ask for the path of their answer; provisional lists are nodes that nobody asks for.
        """
        parent, document, leaves = self._numbered
        sizes = readonly(np.where(document < 0, self.system, np.append(self.length, 0)[document]))
        leaf = readonly(np.ascontiguousarray(leaves[:, -1]))
        ask = readonly(np.append(sums_down(parent, sizes), 0)[leaf])
        return Forest(parent, sizes, leaf, ask, readonly(ask + self.question), self.arrival)

    @cached_property
    def _numbered(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return parent and document of each node, and the leaf of each list."""
        root = NO_NODE if self.system == 0 else 0
        nodes: dict[tuple[int, int], int] = {}
        parent, document = ([], []) if root < 0 else ([NO_NODE], [-1])
        leaves = np.full(self.found.shape[:2], root, np.int64)
        for place in np.ndindex(*leaves.shape):
            for found in self.found[place].tolist():
                if found < 0:
                    break
                here = nodes.setdefault((int(leaves[place]), found), len(parent))
                if here == len(parent):
                    parent.append(int(leaves[place]))
                    document.append(found)
                leaves[place] = here
        columns = np.array(parent, np.int64), np.array(document, np.int64), leaves
        return tuple(map(readonly, columns))  # type: ignore[return-value]


def _check_found(found: IntArray, length: IntArray) -> None:
    """Raise an error for a document that does not exist, stands twice in a list, or after the end of one."""
    most = found.shape[2]
    for wrong in np.argwhere((found < -1) | (found >= len(length)))[:1].tolist():
        value = int(found[tuple(wrong)])
        raise ArgumentError(f"found[{wrong[0]}]", value, f"a document from 0 to {len(length) - 1}, or -1")
    ordered = np.sort(found, axis=2)
    twice = ((ordered[:, :, 1:] == ordered[:, :, :-1]) & (ordered[:, :, 1:] >= 0)).any(axis=2)
    gap = ((found[:, :, 1:] >= 0) & (found[:, :, :-1] < 0)).any(axis=2)
    for request, stage in np.argwhere(twice | gap)[:1].tolist():
        expected = f"at most {most} different documents, -1 after the last"
        raise ArgumentError(f"found[{request}]", found[request, stage].tolist(), expected)
    if length.size and length.min() < 1:
        raise ArgumentError("length", int(length.min()), "1 token or more for every document")
