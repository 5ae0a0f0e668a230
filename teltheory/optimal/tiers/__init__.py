"""The hindsight optimum in tiers of memory: two sides, with a certificate of the lower and a plan of the upper."""
