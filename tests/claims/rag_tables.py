"""The tables in docs/counterexamples-ragcache.md, made from the counterexamples that they show."""

from proofs_checks.ragcache.documents_and_tails import BY_MEAN
from proofs_checks.ragcache.knowledge_tree import UpperFirst
from proofs_checks.ragcache.plain_tiers import LRU, PGDSF, TLRU, TwoTiers, attention, linear
from proofs_checks.ragcache.worlds import Asked


def pgdsf(title="PGDSF", **readings):
    return title, lambda world: PGDSF(world.tree, **{"seconds": attention, **readings}), {}


def lru(title="LRU", **how):
    return title, lambda world: LRU(world.tree), how


def t_lru(xi, q_hat, **how):
    return "T-LRU", lambda world: TLRU(world.tree, xi, q_hat, **how), {}


GDSF = pgdsf("GDSF", cost="tokens")
THREE = Asked((-1, -1, -1), (2, 1, 1), (0, 1, 2, 1), 3)
SHOWN = {
    "ragcache.placement.orphan": (
        Asked((-1, 0, -1), (1, 1, 2), (1, 2, 0, 1), 2, 1),
        [("upper documents first", lambda world: UpperFirst(world.tree), {"leaf_first": False})],
    ),
    "ragcache.swap-out-once.no-loss": (
        Asked((-1, -1), (1, 1), (0, 1, 0, 1), 1, 1),
        [lru("exclusive"), lru("swap-out-once", once=True)],
    ),
    "ragcache.swap-out-once.hits.pgdsf": (
        Asked((-1, -1, -1), (1, 3, 3), (0, 1, 0, 2, 0), 3, 3),
        [pgdsf("exclusive"), (*pgdsf("swap-out-once")[:2], {"once": True})],
    ),
    "ragcache.swap-out-once.bound.pgdsf": (
        Asked((-1, -1, -1), (2, 2, 1), (0, 1, 2, 1, 2), 2, 4),
        [(*pgdsf("exclusive, host 2")[:2], {"host": 2}), (*pgdsf("swap-out-once, host 4")[:2], {"once": True})],
    ),
    "ragcache.fault.replica": (
        Asked((-1, 0, 1, 0), (1, 1, 1, 1), (2, 3), 3, 1),
        [lru("swap-out-once", once=True)],
    ),
    "ragcache.pgdsf.linear.document": (
        Asked((-1, 0, -1, -1), (1, 1, 1, 1), (1, 2, 3, 0), 2),
        [pgdsf(seconds=linear, new_size="document"), GDSF],
    ),
    "ragcache.pgdsf.attention": (Asked((-1, -1, -1), (2, 1, 1), (0, 1, 2, 0), 3), [pgdsf(), GDSF]),
    "ragcache.pgdsf.never-worse": (THREE, [pgdsf(), GDSF]),
    "ragcache.pgdsf.least-misses": (Asked((-1, -1, -1), (1, 1, 1), (0, 1, 2, 0), 2), [pgdsf()]),
    "ragcache.pgdsf.least-misses.lru": (THREE, [pgdsf(), lru()]),
    "ragcache.pgdsf.question": (
        Asked((-1, -1, -1), (1, 2, 1), (0, 0, 1, 2, 0), 3),
        [pgdsf("with the question", question=1), pgdsf("without")],
    ),
    "ragcache.pgdsf.new-size": (
        Asked((-1, 0, 0, -1), (1, 1, 1, 1), (1, 2, 3, 1), 3),
        [pgdsf("the request's"), pgdsf("the document's", new_size="document")],
    ),
    "ragcache.pgdsf.remembered": (
        Asked((-1, -1, -1), (1, 1, 1), (0, 1, 2, 1, 0, 2, 0), 2),
        [pgdsf("remembered"), pgdsf("forgotten", remembers=False)],
    ),
    "ragcache.pgdsf.window": (
        Asked((-1, -1, -1), (1, 2, 1), (0, 1, 0, 2, 0), 3),
        [pgdsf("for ever"), pgdsf("the latest two", window=2)],
    ),
    "ragcache.clock": (Asked((-1, -1), (2, 1), (0, 1, 0), 2), [pgdsf("formula 2", falls=True)]),
    "ragcache.clock.late": (
        Asked((-1, 0, -1, -1), (1, 1, 1, 1), (0, 1, 2, 3), 2),
        [pgdsf("formula 2, at the end", falls=True, late=True)],
    ),
    "ragcache.tlru.ends-behind": (
        Asked((-1, 0, -1, -1), (1, 1, 2, 1), (1, 2, 3, 2), 3),
        [t_lru(1, 0, whole=True), lru()],
    ),
    "ragcache.tlru.mean": (BY_MEAN.world, [t_lru(2, 1), lru()]),
}
"""By row, the world that refutes it and the runs that are shown: a title, a rule and the tiers."""


def letters(nodes):
    return " ".join("ABCDEFG"[node] for node in nodes) or "–"


def documents(world):
    """Say what the documents are."""
    names = letters(range(len(world.parent))).split()
    behind = (f" behind {names[above]}" if above >= 0 else "" for above in world.parent)
    told = (f"{name} of {size}{where}" for name, size, where in zip(names, world.size_of, behind, strict=True))
    return ", ".join(told)


def lines(row):
    """Return the lines of a row's table."""
    world, runs = SHOWN[row]
    columns = [column for run in runs for column in _columns(world, *run)]
    requests = ["request", *(letters(world.tree.paths[node]) for node in world.asked)]
    rows = list(zip(requests, *columns, strict=True))
    return [_line(rows[0]), "|" + "---|" * len(rows[0]), *map(_line, rows[1:])]


def _line(cells):
    return "| " + " | ".join(cells) + " |"


def _columns(world, title, make, how):
    rule = make(world)
    room = Asked(world.parent, world.size_of, world.asked, world.gpu, how.get("host", world.host))
    tiers = TwoTiers(room, rule, **{name: value for name, value in how.items() if name != "host"})
    found, gpu, host, clock = [f"{title}: finds"], ["GPU"], ["host"], ["clock"]
    for node in world.asked:
        found.append(str(tiers.serve(node)))
        gpu.append(_held(rule, 0, tiers.gpu))
        copies = " ".join(f"({letters([one])})" for one in sorted(tiers.host & tiers.gpu))
        there = _held(rule, 1, tiers.host - tiers.gpu)
        host.append(" ".join(part for part in (there, copies) if part not in ("", "–")) or "–")
        clock.append(", ".join(map(str, getattr(rule, "clock", [])[: 1 + (room.host > 0)])))
    return [found, *([clock] if isinstance(rule, PGDSF) else []), gpu, *([host] if room.host else [])]


def _held(rule, tier, nodes):
    if not isinstance(rule, PGDSF):
        return letters(sorted(nodes))
    return " ".join(f"{letters([one])}:{rule.priority[tier, one]}" for one in sorted(nodes)) or "–"
