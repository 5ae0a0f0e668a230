"""The inductive proofs on tiers, one conversation at a time; docs/tiers-proofs.md has the words around them."""
