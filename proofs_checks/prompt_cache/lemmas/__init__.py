"""The inductive proofs on sets of modules; docs/prompt-cache-claims.md has the words around them."""
