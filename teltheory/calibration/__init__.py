"""TTFT from real runs: reading benchmark results, and fitting latency models to them."""
