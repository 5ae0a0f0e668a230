"""Small traces with the exact answer of every policy and cache kind, for other simulators to check themselves."""
