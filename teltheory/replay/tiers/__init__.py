"""Replays in tiers of memory: a tree of nodes over a GPU and its host, step by step and as a replay."""
