"""Claims on traces, checked by compiled loops on all tiny worlds: the second encoding of each of them.

The first encoding is the claim itself, in plain Python (`proofs_checks`, `teltheory.replay.chains.reference`,
`teltheory.optimal.chains.brute_force`); `teltheory.claims.comparison` compares the two. Nothing here is shared
with those, nor with the kernel: `layout` (a world as a record), `simulator` and `readings` (policies), `optimum`
(every cache state, every set of steps), `orders` (every order of trimming), `checks` (what is compared),
`enumeration` (every world of a class) and `space` (what a claim is given).
"""
