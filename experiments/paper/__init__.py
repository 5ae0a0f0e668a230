"""The experiments of Zhang et al. 2025 (Section 4, Appendices F and G), on their kind of workload or any trace."""
