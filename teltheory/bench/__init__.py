"""Benchmarks: speed as ratios against peers in the same run, what a turn costs in memory, and start-up.

`teltheory bench` runs them all. Each module is one part: the trace (`workload`), the clock (`timing`), ours
(`replays`), other simulators and a turn as their requests (`peers`), more turns (`growth`), memory (`footprint`)
and start-up (`door`); `run` puts them together.
"""
