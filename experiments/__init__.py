"""Experiments: scripts that each declare a grid and write a tidy table; none plots."""
