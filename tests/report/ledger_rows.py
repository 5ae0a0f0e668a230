"""Ledgers for tests of the documents, and the parts of a document."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = {
    "turns": [[0, 1, 0]], "initial": [], "capacity": 1, "xi": 0, "q_hat": 0, "forced": False, "values": {"LRU": 1},
}  # fmt: skip


def row(name="theorem-31", verdict="holds", origin="paper", kind="exhaustive", row_kind="statement", **bounds):
    """A row of a ledger."""
    return {
        "id": name,
        "origin": origin,
        **({"editions": ["pmlr"]} if origin == "paper" else {}),
        **({"of": "theorem-31"} if origin == "sharpness" else {}),
        "kind": row_kind,
        "source": "Theorem 3.1",
        "statement": "T-LRU is no worse.",
        "verdict": verdict,
        "scope": {"kind": kind, "instances": 1234, "bounds": bounds or {"cases": "one"}},
        "counterexample": EXAMPLE if verdict == "refuted" else None,
        "seconds": 0.5,
    }


def parts(document):
    """What a document says of each row, by the row's anchor; the rest under an empty name."""
    pieces = re.split(r'<a id="([^"]+)"></a>', document)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}
