"""Replay of a forest in a radix tree whose nodes are evicted whole: the cache of SGLang."""
