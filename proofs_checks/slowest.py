"""Write `seconds.json` anew: what slow claims took in a ledger; `teltheory verify` begins with the longest.

python -m proofs_checks.slowest out/ledger.json
"""

import json
import sys
from pathlib import Path

from teltheory.report.ledger import Row, read_ledger

SLOW = 1.0
"""Seconds from which on a claim is slow."""


def slowest(rows: list[Row]) -> dict[str, int]:
    """Return the whole seconds of the rows that took longer, the longest first."""
    slow = {row["id"]: round(row["seconds"]) for row in rows if row["seconds"] > SLOW}
    return dict(sorted(slow.items(), key=lambda pair: (-pair[1], pair[0])))


if __name__ == "__main__":
    (ledger,) = sys.argv[1:]
    found = slowest(read_ledger(Path(ledger).read_bytes(), ledger))
    Path(__file__).with_name("seconds.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
