"""The values that carry everything: the forest of prefixes."""
