"""What the compiled loops share that store what each slot holds: a turn's service, and trimming to limits."""

from teltheory.model.numbers import IntArray
from teltheory.replay.chains.slots import Layout
from teltheory.replay.compiled import inlined


@inlined
def serve(layout: Layout, holds: IntArray, k: int) -> int:
    """Serve turn k from its conversation's old slot, fill its new one, and return by how much the cache grows.

    `full` of the layout is what slots hold before their first cut.
    """
    before = layout.previous[k]
    content = 0
    if before >= 0:
        content = holds[before]
        holds[before] = 0
    reused = min(content, layout.history[k])
    layout.cached[k] = reused
    layout.uncached[k] = layout.history[k] + layout.prompt[k] - reused
    slot = len(layout.full) - len(layout.history) + k
    holds[slot] = layout.full[slot]
    return int(layout.full[slot] - content)


@inlined
def trim_to(limit: IntArray, holds: IntArray, trim: int, end: int, overflow: int) -> tuple[int, int]:
    """Trim what is above the limits, oldest slot first; return where that may go on, and the overflow left."""
    while overflow > 0 and trim < end:
        above = max(holds[trim] - limit[trim], 0)
        taken = min(above, overflow)
        holds[trim] -= taken
        overflow -= taken
        if taken == above:
            trim += 1
    return trim, overflow


@inlined
def holding(waiting: IntArray, alive: int, holds: IntArray) -> int:
    """Keep the slots that hold anything, in their order; return how many do."""
    kept = 0
    for i in range(alive):
        waiting[kept] = waiting[i]
        kept += holds[waiting[i]] > 0
    return kept
