"""What a request costs: seconds to its first token, and bytes of a KV cache."""
