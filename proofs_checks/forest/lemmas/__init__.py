"""What the proofs on forests rest on, as obligations for a prover."""
