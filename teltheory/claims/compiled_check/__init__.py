"""Claims on traces, checked by compiled loops on all tiny worlds: the second encoding of each of them.

The first encoding is the claim itself, in plain Python (`proofs_checks`, `teltheory.replay.reference`,
`teltheory.optimal.brute_force`); `teltheory.claims.search` compares the two. Nothing here is shared with those,
nor with the kernel: `layout` (the arrays of a world), `simulator` and `readings` (policies), `outcomes` (what
each turn reuses), `optimum` (every cache state), `orders` (every order of trimming), `proofs` (every set of
steps), the checks by section (`dominance`, `printed`, `trims`, `inclusion`, `hindsight`, `figures`), `judge`
(which check), `enumeration` (every world of a class) and `space` (what a claim is given).
"""
