"""T-LRU whose threshold follows the observed tail, beside every fixed threshold: one tidy table.

    python -m experiments.adaptive_threshold TABLE.csv [--workload NAME ...] [--seeds 40] [--trace mooncake.jsonl]
        [--workers 2]

`teltheory.paper.adaptive` says what is compared, `teltheory.paper.scenarios` on what.
"""

from collections.abc import Sequence

from teltheory.paper.adaptive import lines
from teltheory.paper.rows import Adapted
from teltheory.paper.scenarios import write_table


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay and write."""
    write_table(arguments, lines, Adapted)


if __name__ == "__main__":
    main()
