"""The inductive proofs on sets of modules; docs/proofs-prompt-cache.md has the words around them."""
