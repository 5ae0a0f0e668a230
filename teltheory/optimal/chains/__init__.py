"""The interval problem of private conversations: programs, the greedy, the search over all cache states."""
