"""Claims, their verdicts, and the search for the smallest counterexample."""
