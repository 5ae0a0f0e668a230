"""The inductive proofs on tiers, one conversation at a time; docs/proofs-tiers.md has the words around them."""
