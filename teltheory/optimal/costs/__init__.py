"""Costs of turns that are piecewise linear in the reuse, and prices that prove bounds on them."""
