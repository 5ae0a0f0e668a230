"""Claims on replays of forests, checked by compiled loops on all small ones: the second encoding of each.

The first encoding is the claim itself, in plain Python; `teltheory.claims.comparison` compares the two. Nothing
here is shared with the replays: `caches` (block by block), `nodes` (SGLang's nodes), `checks` (what is compared,
on every case of a shape), `space` (what a claim is given).
"""
