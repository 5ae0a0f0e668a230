"""The tables and figures of Zhang et al. 2025 (Section 4, Appendices F and G), on any trace.

`tidy` reads and writes tables whose columns `rows` declares; `drawing` finds what draws them.
"""
