"""Benchmarks: speed as ratios against peers in the same run, what a turn costs in memory, and the ceiling.

`teltheory bench` runs them all. Each module is one part: the trace (`workload`), the clock (`timing`), a turn as
block requests (`blocks`), other simulators (`peers`), our replays (`ours`), the hindsight optimum (`optimum`),
memory traffic (`bandwidth`) and memory use (`memory`); `run` puts them together.
"""
