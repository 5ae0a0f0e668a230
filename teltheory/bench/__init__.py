"""Benchmarks: speed as ratios against peers in the same run, what a turn costs in memory, and start-up.

`teltheory bench` runs them all. Each module is one part: the trace (`workload`), the clock (`timing`), a turn as
block requests (`blocks`), other simulators (`peers`), our replays (`ours`, `expected`), the hindsight optimum
(`optimum`), memory use (`footprint`) and start-up (`door`); `run` puts them together.
"""
