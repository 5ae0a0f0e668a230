"""The hindsight optimum of module sets: divisible items exactly, whole items and tiers between two sides."""
