"""From measured times to first token to a latency model."""
