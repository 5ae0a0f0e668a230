"""What `rows.csv` keeps of each row, so that a change of a verdict or of what was tried is seen in a commit.

PYTHONPATH=tests python -m claims.rows out/ledger.json
"""

import hashlib
import json
import sys
from pathlib import Path

KEPT = Path(__file__).with_suffix(".csv")


def lines_of(rows):
    """Return a line for each row: name, verdict, instances tried, and a digest of its counterexamples."""
    return ["row,verdict,instances,counterexample", *map(line_of, rows)]


def line_of(row):
    found = [row.get("counterexample"), row.get("natural")]
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:12]
    instances = row["scope"].get("instances", "") if row["scope"] else ""
    return f"{row['id']},{row['verdict']},{instances},{digest if any(found) else ''}"


if __name__ == "__main__":
    decided = json.loads(Path(sys.argv[1]).read_text())["claims"]
    KEPT.write_text("\n".join(lines_of(decided)) + "\n")
