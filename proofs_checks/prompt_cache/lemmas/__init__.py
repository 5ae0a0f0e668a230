"""The inductive proofs on sets of modules; docs/prompt-cache-proofs.md has the words around them."""
