"""Experiments: each declares a grid and writes a tidy table."""
