"""Pictures of how things work: turns, cuts, forests, tiers and applications, as replays and graphs have them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import teltheory as tt
from documents.drawing import BOLD, CACHED, DIM, HALO, INK, LIGHT, MIDDLE, OTHER, RED, box, key, line, svg, text
from teltheory.model.instance import Instance
from teltheory.policies.policy import AnyPolicy
from teltheory.replay.chains.states import ServedTurn, served_turns
from teltheory.systems.apps import Graph, Port, Request, groups, labels

COLOURS = {"A": CACHED, "B": OTHER}


def states(trace: tt.Trace, policy: AnyPolicy, capacity: int) -> list[ServedTurn]:
    """Return the turns of a replay, and what is held after each."""
    return list(served_turns(Instance.of(trace, capacity), policy))


def figure_2() -> str:
    """Draw Figure 2 of the paper: three turns under LRU and under T-LRU."""
    trace = tt.Trace.from_turns([0, 1, 0], [100] * 3, [0] * 3)
    return two_policies("Figure 2", trace, 100, 160, 100)


def two_policies(what: str, trace: tt.Trace, capacity: int, xi: int, q_hat: int, unit: int = 1) -> str:
    """Draw three turns under LRU and under T-LRU."""
    policies = {"LRU": tt.LRU(), "T-LRU": tt.TLRU(xi, q_hat)}
    runs = {name: states(trace, policy, capacity) for name, policy in policies.items()}
    said = "; ".join(
        f"{name} computes {', '.join(str(turn.uncached) for turn in run)}" for name, run in runs.items()
    )
    panels = (turns(name, run, xi, 26 + 168 * i, unit) for i, (name, run) in enumerate(runs.items()))
    return svg(340, f"{what}, C = {capacity}, ξ = {xi}: {said}", [part for panel in panels for part in panel])


def turns(name: str, run: Sequence[ServedTurn], xi: int, top: int, unit: int = 1) -> Iterator[str]:
    """Yield each turn of a replay as a bar, `unit` pixels a token, and what is kept after it."""
    yield text(16, top, f"{name}: TEL {sum(max(turn.uncached - xi, 0) for turn in run)}", BOLD)
    for i, turn in enumerate(run):
        y, reused, within = top + 20 + 48 * i, 16 + turn.reused * unit, min(turn.uncached, xi) * unit
        computed = f"{turn.reused} cached + {turn.uncached} computed"
        yield text(16, y, f"turn {i + 1}, conversation {'AB'[turn.code]}: {computed}")
        yield box(16, y + 8, turn.reused * unit, 20, LIGHT, f'stroke="{INK}"') if turn.reused else ""
        yield box(reused, y + 8, within, 20, CACHED)
        yield box(reused + within, y + 8, turn.uncached * unit - within, 20, RED)
        yield line(reused + xi * unit, y + 6, reused + xi * unit, y + 32, 'stroke-dasharray="3"')
        kept = ", ".join(f"{'AB'[held.code]} {held.cached}" for held in turn.held)
        yield text(292, y + 23, f"keeps {kept}", f'{DIM} font-size="12" text-anchor="middle"')


def tlru_cut() -> str:
    """Draw a cut of LRU and of T-LRU: what is there, the budgets, and what goes."""
    xi, q_hat, capacity = 60, 20, 120
    trace = tt.Trace.from_turns([0, 1, 2], [20, 60, 40], [20, 20, 60])
    policies = {"LRU": tt.LRU(), "T-LRU": tt.TLRU(xi, q_hat, trim="least-recent")}
    cuts = {name: states(trace, policy, capacity)[1:] for name, policy in policies.items()}
    parts = [text(16, 24, f"C = {capacity}, ξ = {xi}, Q̂ = {q_hat}: the cut after C's turn", BOLD)]
    for i, (name, (before, after)) in enumerate(cuts.items()):
        parts += _cut(name, before, after, xi - q_hat, 46 + 184 * i)
    said = "; ".join(f"{name} keeps {[held.cached for held in cuts[name][1].held]}" for name in cuts)
    parts.append(text(16, 410, "Outline: the past. Blue: kept. Red: evicted.", DIM))
    parts.append(text(16, 428, "Tick: the budget, L + Q̂ − ξ or 0.", DIM))
    return svg(440, f"A cut to {capacity} tokens: {said}", parts)


def _cut(name: str, before: ServedTurn, after: ServedTurn, unsafe: int, top: int) -> Iterator[str]:
    """Yield a row for each conversation; what was served last was cached as a whole."""
    cached = {held.code: held.cached for held in before.held}
    yield text(16, top, name, BOLD)
    for i, held in enumerate(after.held):
        y, there, budget = top + 12 + 52 * i, cached.get(held.code, held.past), max(0, held.past - unsafe)
        there = held.past if held.code == after.code else there
        yield text(16, y + 15, "ABC"[held.code])
        yield box(40, y, held.cached * 2, 20, CACHED)
        yield box(40 + held.cached * 2, y, (there - held.cached) * 2, 20, RED, 'opacity="0.75"')
        yield box(40, y, held.past * 2, 20, "none", f'stroke="{INK}"')
        yield line(40 + budget * 2, y - 5, 40 + budget * 2, y + 25, 'stroke-width="2.5"')
        yield text(40, y + 37, f"{there} cached, budget {budget}, kept {held.cached}", 'font-size="12"')


PATHS = [[1, 2], [3, 4], [1, 2, 5], [1, 6]]


def forest() -> str:
    """Draw the forest of the page on shared prefixes, and what LRU has cached of it after each request."""
    parts: list[str] = []
    said, capacity = [], 4
    for k, path in enumerate(PATHS, start=1):
        kept = sorted(cached_units(PATHS[:k], capacity))
        said.append(f"request {k} {path}: cached {kept}")
        across, down = (k - 1) % 2, (k - 1) // 2
        drawn = "".join(_tree(PATHS[:k], kept, path))
        parts.append(f'<g transform="translate({12 + 170 * across} {204 * down})">{drawn}</g>')
    parts.append(text(16, 420, "Filled: cached, always closed towards the root.", DIM))
    parts.append(text(16, 438, "Ring: the request's path.", DIM))
    return svg(450, f"A cache of {capacity} blocks. {'; '.join(said)}", parts)


def cached_units(paths: Sequence[Sequence[int]], capacity: int) -> set[int]:
    """Return the blocks that LRU holds after some requests: what one more along each path would hit."""
    found: set[int] = set()
    for probe in paths:
        hits = tt.replay(tt.Forest.from_paths([*paths, probe]), tt.LRU(), capacity).cached[-1]
        found.update(probe[: int(hits)])
    return found


PLACES = {1: (50, 70), 3: (110, 70), 2: (26, 122), 6: (72, 122), 4: (118, 122), 5: (26, 174)}
"""Where blocks stand; a root's parent is the dot at the top."""


def _tree(paths: Sequence[Sequence[int]], kept: Sequence[int], path: Sequence[int]) -> Iterator[str]:
    yield text(0, 20, f"request {len(paths)}: {' '.join(map(str, path))}", BOLD)
    above = {block: up for one in paths for up, block in zip([None, *one], one, strict=False)}
    for block, up in above.items():
        yield line(*PLACES[block], *(PLACES[up] if up else (80, 36)))
    yield '<circle cx="80" cy="36" r="4"/>'
    for block in above:
        a, b = PLACES[block]
        fill, ink = (CACHED, "#fff") if block in kept else ("#fff", INK)
        ring = f'stroke="{RED}" stroke-width="3"' if block in path else f'stroke="{INK}"'
        yield box(a - 14, b - 14, 28, 28, fill, f'rx="5" {ring}')
        yield text(a, b + 5, block, f'{MIDDLE} fill="{ink}"')


SIZES, LOADS = (2, 2, 3), (0, Fraction(1, 4), Fraction(1, 2))


def tiers() -> str:
    """Draw two conversations in three tiers: what is where after each turn, and what each turn loads."""
    turns, tiers = [(0, 3), (1, 3), (0, 1), (1, 1), (0, 1)], tt.Tiers(SIZES, LOADS)
    outcome = replayed(turns, tiers)
    starts = [12 + 36 * sum(SIZES[:i]) + 24 * i for i in range(len(SIZES))]
    parts = [text(x, 22, f"tier {i}", BOLD) for i, x in enumerate(starts)]
    for k, (c, _) in enumerate(turns):
        y, loads = 32 + 62 * k, sum(column[k] for column in outcome.loaded.tolist())
        computes = outcome.total[k] - outcome.cached[:, k].sum()
        for tier, blocks in enumerate(where(turns[: k + 1], tiers)):
            parts += _tier(blocks, SIZES[tier], starts[tier], y + 22)
        asks = f"turn {k + 1}, {'AB'[c]}, {outcome.total[k]} blocks"
        parts.append(text(12, y + 15, f"{asks}: loads {loads}, computes {computes}"))
    parts.append(text(12, 362, "What has no room sinks, least recent and", DIM))
    parts.append(text(12, 380, "furthest first; what is loaded rises.", DIM))
    return svg(394, "Blocks of two conversations in three tiers after each of five turns", parts)


def _tier(blocks: Sequence[str], room: int, x: int, y: int) -> Iterator[str]:
    for i in range(room):
        yield box(x + 36 * i, y, 32, 28, LIGHT, 'rx="4"')
    for i, block in enumerate(blocks):
        yield box(x + 36 * i, y, 32, 28, COLOURS[block[0]], 'rx="4"')
        yield text(x + 36 * i + 16, y + 19, block, f'{MIDDLE} fill="#fff"')


def replayed(turns: Sequence[tuple[int, int]], tiers: tt.Tiers) -> tt.TieredOutcome:
    """Return what LRU makes of turns, conversation and prompt, in tiers."""
    conversations, prompts = zip(*turns, strict=True)
    outcome = tt.replay(tt.Trace.from_turns(conversations, prompts, [0] * len(turns)), tt.LRU(), tiers)
    assert isinstance(outcome, tt.TieredOutcome)
    return outcome


def where(turns: Sequence[tuple[int, int]], tiers: tt.Tiers) -> list[list[str]]:
    """Return the blocks of each tier after some turns: those that one more turn of a conversation would reuse."""
    found: list[list[str]] = [[] for _ in SIZES]
    for c in sorted({c for c, _ in turns}):
        first = 1
        for tier, units in enumerate(replayed([*turns, (c, 1)], tiers).cached[:, -1].tolist()):
            found[tier] += [f"{'AB'[c]}{block}" for block in range(first, first + units)]
            first += units
    return found


def application() -> str:
    """Draw the application of the page on scheduling: three maps and a reduction, their labels, the task group."""
    maps = [call(k, [f"chunk{k}"], f"note{k}") for k in range(3)]
    graph = Graph.of([*maps, call(3, [f"note{k}" for k in range(3)], "summary")])
    told = labels(graph, {"summary": "ttft", "note0": "throughput"})
    places = {3: (123, 160), **{k: (11 + 112 * k, 40) for k in graph.before[3]}}
    parts = [part for k in graph.order for part in request(graph, k, told[k], places)]
    for members in groups(graph, told):
        left, top = places[members[0]][0] - 6, places[members[0]][1] - 8
        wide = 112 * len(members) + 4
        parts.append(box(left, top, wide, 56, "none", f'rx="8" stroke="{RED}" stroke-dasharray="5 3"'))
        parts.append(text(left, top + 104, f"task group of {len(members)}", DIM))
    return svg(260, "Three requests whose notes a fourth sums up", parts)


def call(k: int, inputs: Sequence[str], output: str) -> Request:
    """Return a request that reads some variables and writes one."""
    ports = [Port(name, False, name) for name in inputs] + [Port(output, True, output)]
    holes = "".join(f"{{{{{'output' if port.output else 'input'}:{port.name}}}}}" for port in ports)
    return Request.of(k, holes, ports)


def request(graph: Graph, k: int, label: str, places: dict[int, tuple[int, int]]) -> Iterator[str]:
    """Yield a request, what comes into it, and its result if nothing takes that."""
    (x, y), request = places[k], graph.requests[k]
    yield box(x, y, 104, 40, LIGHT, f'rx="6" stroke="{INK}"')
    yield text(x + 52, y + 17, f"request {k}", f"{MIDDLE} {BOLD}")
    yield text(x + 52, y + 33, f"for {label}", f'{MIDDLE} font-size="12"')
    for name in request.inputs:
        maker = graph.producers.get(name)
        u, v = (x + 52, y - 30) if maker is None else (places[maker][0] + 52, places[maker][1] + 40)
        yield line(u, v, x + 52, y)
        yield text((u + x + 52) / 2 + 6, (v + y) / 2 + 4, name, f'font-size="12" {HALO}')
    for name in request.outputs:
        if not graph.consumers.get(name):
            yield line(x + 52, y + 40, x + 52, y + 70) + text(x + 60, y + 62, name, 'font-size="12"')


def kept_tokens() -> str:
    """Draw whose token the optimum of the belief MDP keeps with the posterior, and where ET-LRU differs."""
    from teltheory.paper.beliefs import decisions

    rows = [row for row in decisions() if row.belief == "bayes"]
    keeps = {(row.ratio, row.silent, row.policy): row.keeps for row in rows}
    ratios, silences = sorted({row.ratio for row in rows}), sorted({row.silent for row in rows})
    parts = [text(16, 24, "Times as fast", BOLD)]
    for i, ratio in enumerate(reversed(ratios)):
        parts.append(text(40, 64 + 44 * i, ratio, 'text-anchor="end"'))
        for j, silent in enumerate(silences):
            best, x, y = keeps[ratio, silent, "optimum"], 50 + 47 * j, 38 + 44 * i
            parts.append(box(x, y, 44, 41, CACHED if best == "silent" else LIGHT, 'opacity="0.6"'))
            wrong = "".join(
                letter
                for letter, index in (("P", "printed"), ("B", "belief"), ("N", "next"))
                if keeps[ratio, silent, f"et-lru:index={index}"] != best
            )
            parts.append(text(x + 22, y + 25, wrong, f'{MIDDLE} fill="{RED}" font-weight="bold"'))
    below = 38 + 44 * len(ratios)
    parts += [text(72 + 47 * j, below + 16, silent, MIDDLE) for j, silent in enumerate(silences)]
    parts += [text(191, below + 36, "turns of others since its last one", MIDDLE)]
    names = {
        "the optimum keeps the fast one's token": CACHED,
        "the optimum keeps that of the one just served": LIGHT,
    }
    parts += key(names, below + 48, 16)
    parts.append(text(16, below + 102, "Letters: ET-LRU keeps the other one", 'font-size="12"'))
    parts.append(text(16, below + 118, "P: printed index, B: λπ, N: chance to be next", 'font-size="12"'))
    return svg(below + 130, "Whose token is kept, by rates and silent turns", parts)
