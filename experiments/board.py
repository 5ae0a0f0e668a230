"""The board: every policy that needs no file and no fit, on the public traces at hand.

    python -m experiments.board FOLDER [--data ../shared/data] [--policy mine.py:Mine,lru] [--workers 2]

FOLDER gets a page (board.html), all rows (board.csv) and what has been computed (board.store), which a second call
does not compute again. Printed are the SHA-256 of each trace and the online policies at one place of each. Nothing
says when the recorded sessions start: they are drawn 20 times, a start in 100 seconds.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import teltheory as tt
from teltheory.cli.printed.written import as_csv
from teltheory.model.display import percent
from teltheory.paper.script import errors_in_one_line, markdown, say
from teltheory.policies.spec import policy_texts
from teltheory.sweep.board import Board
from teltheory.sweep.board_text import notes_of, row_cells
from teltheory.sweep.compared import BoardRow
from teltheory.workloads import Times

COLUMNS = ("policy", "P95 s", "price", "TEL", "gain", "95 %", "rank", "closed")


@dataclass(frozen=True)
class OnBoard:
    """A trace with its file, the places on the board, and how often its starts are drawn; one place is printed."""

    name: str
    file: str
    capacities: tuple[str, ...]
    slos: tuple[str, ...]
    shown: tuple[int, int]
    draws: int = 1

    def read(self, data: Path) -> list[tt.Trace]:
        """Return the trace, or its draws."""
        if self.draws == 1:
            return [tt.read_trace(data / self.file)]
        return [tt.read_trace(data / self.file, times=Times(None, 0.01, seed)) for seed in range(self.draws)]


SIZES, SLOS = ("250k", "500k", "1M", "2M", "4M"), ("1s", "2s", "4s")
TRACES = (
    OnBoard("Mooncake, conversation", "mooncake_conversation.jsonl", SIZES, SLOS, (10**6, 27_894)),
    OnBoard("Mooncake, synthetic", "mooncake_synthetic.jsonl", SIZES, SLOS, (10**6, 27_894)),
    OnBoard("RAGPulse", "ragpulse", ("50k", "200k", "800k"), ("100ms", "200ms", "400ms"), (200_000, 2_789)),
    OnBoard("Claude Code sessions", "claude_code_sessions", ("500k", "2M"), ("2s",), (500_000, 27_894), 20),
)


def digest(place: Path) -> str:
    """Return the SHA-256 of a file, or of the digests of a folder's files in the order of their names."""
    if place.is_file():
        return sha256(place.read_bytes()).hexdigest()
    return sha256("".join(digest(one) for one in sorted(place.iterdir())).encode()).hexdigest()


def board_of(one: OnBoard, data: Path, policies: Sequence[str] | None, store: Path, workers: int | None) -> Board:
    """Return the board of a trace, with the prefixes that its requests share."""
    how: dict[str, Any] = {"caches": ["strict"], "store": store, "workers": workers, "latency": tt.A100_LLAMA2_7B}
    drawn = [trace.forest for trace in one.read(data)]
    return tt.compare({one.name: drawn}, policies, one.capacities, one.slos, **how)


def printed(one: OnBoard, rows: Sequence[BoardRow]) -> Iterator[str]:
    """Yield the online policies at one place of a trace as a table in Markdown."""
    here = [row for row in rows if (row.capacity, row.xi) == one.shown and row.group == "online"]
    yield f"### {one.name}: {one.shown[0]:,} tokens, threshold {one.shown[1]:,} tokens"
    yield ""
    yield from (f"{note}." if note[-1] != "." else note for note in notes_of(here) if "blocks of" not in note)
    yield ""
    yield from markdown(COLUMNS, (cells(row, here) for row in here), "lrrrrrrr")
    yield ""


def cells(row: BoardRow, rows: Sequence[BoardRow]) -> tuple[str, ...]:
    """Return a row as in `COLUMNS`; over draws the gains stand in the place of an interval."""
    _, _, p95, _, _, _, price, _, tel, gain, sure, *_, rank, _, closed = row_cells(row, rows, "s")
    if row.gains is not None and row.draws > 1:
        sure = f"draws: {percent(row.gains[0])} to {percent(row.gains[1])}{' ±' * row.changes_sign}"
    return row.policy, p95, price, tel, gain, sure, rank, closed


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare everything, write page and rows, and print digests and tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--policy", help="policies, listed by commas; all if left out")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args(arguments)
    policies = None if given.policy is None else policy_texts([given.policy])
    with errors_in_one_line():
        given.folder.mkdir(parents=True, exist_ok=True)
        kept = given.folder / "board.store"
        boards = [board_of(one, given.data, policies, kept, given.workers) for one in TRACES]
        every = Board(tuple(row for board in boards for row in board.rows))
        every.to_html(given.folder / "board.html")
        (given.folder / "board.csv").write_text(as_csv(every.as_dict()["rows"]), encoding="utf-8")
        files = [(one.name, f"`{one.file}`", f"`{digest(given.data / one.file)}`") for one in TRACES]
    say(markdown(("trace", "file", "SHA-256"), files))
    for one, board in zip(TRACES, boards, strict=True):
        say(("", *printed(one, board.rows)))


if __name__ == "__main__":
    main()
