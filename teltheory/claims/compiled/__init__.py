"""Claims checked on all small cases by loops in C: the second encoding of each of them.

The first encoding is the claim itself, in plain Python; `teltheory.claims.comparison` compares the two. Each
second one is a C file with headers of its own, which shares nothing with what it judges: ``worlds.c`` (claims on
traces), ``forests.c`` (on the optimum of forests), ``replays/replays.c`` (on replays of forests) and ``tiers.c``
(on tiers). What is in Python here is what a claim is given: `space`, `forests` and `replays.space`.
"""
