"""What the claims are tried on: sizes of worlds, grids of beliefs, runs of the paper's experiments."""
