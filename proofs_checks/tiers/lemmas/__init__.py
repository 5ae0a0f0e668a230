"""The inductive proofs on tiers, one conversation at a time; docs/tiers-claims.md has the words around them."""
