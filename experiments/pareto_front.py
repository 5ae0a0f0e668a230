"""The median against the tail of T-LRU over (xi, Q-hat) and the orders of trimming: one tidy table.

    python -m experiments.pareto_front TABLE.csv [--workload NAME ...] [--seeds 20] [--trace mooncake.jsonl]
        [--workers 2]

`teltheory.paper.front` says what is compared, `teltheory.paper.scenarios` on what.
"""

from collections.abc import Sequence

from teltheory.paper.front import points
from teltheory.paper.rows import MarginRow
from teltheory.paper.scenarios import write_table


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay and write."""
    write_table(arguments, points, MarginRow, ("wildchat", "sharegpt"), seeds=20)


if __name__ == "__main__":
    main()
