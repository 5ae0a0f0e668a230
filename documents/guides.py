"""Pictures of the guides: what a command draws, what a page's own block draws, and what the page prints, drawn."""

import doctest
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import teltheory as tt
from documents.drawing import (
    BOLD,
    CACHED,
    DIM,
    DOCS,
    INK,
    LIGHT,
    MIDDLE,
    OTHER,
    RED,
    Axes,
    bars,
    box,
    key,
    line,
    svg,
    text,
)  # fmt: skip
from documents.mechanisms import call, request, two_policies
from teltheory.cost.latency import Latency
from teltheory.workloads import data_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL = 'font-size="12"'
SAMPLE = ("trace", "sample", "wildchat-like", "chat.csv", "--turns", "6000", "--seed", "1")


def page(name: str) -> str:
    """Return the text of a page."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def printed(name: str, row: str) -> list[tuple[str, ...]]:
    """Return what the lines of a page that match hold, group by group."""
    found = re.findall(row, page(name), re.MULTILINE)
    assert found, f"{name}.md has no line like {row}"
    return found


def names_of(name: str) -> dict[str, Any]:
    """Return what the Python blocks of a page define, if they print what the page shows."""
    blocks = re.findall(r"^```python\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, None, None)
    ran = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
    assert not ran.failed, f"{name}.md shows what is not printed"
    return test.globs


def column(height: float = 2.4) -> tuple["Figure", Any]:
    """Return a figure as wide as a column, in the toolkit's style, and its axes."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(3.25, height))


def drawn(figure: "Figure") -> str:
    """Return a figure as SVG, in letters that Matplotlib brings and that a phone shows."""
    from matplotlib.text import Text

    from teltheory.plots.files import figure_bytes

    for words in figure.findobj(Text):
        words.set_fontfamily("DejaVu Sans")
        words.set_fontsize(max(7, words.get_fontsize()))
    return figure_bytes(figure, "svg").decode()


def curves() -> str:
    """Return what `teltheory curve --figure` draws of the sample of the engineer's half hour."""
    from teltheory.cli import main

    draw = ("curve", "chat.csv", "--slo", "200ms", "--figure", "curves.svg")
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
        for words in (SAMPLE, draw):
            with suppress(SystemExit):
                main(words)
        return Path("curves.svg").read_text(encoding="utf-8")


def share_closed() -> str:
    """Return the figure that the author's half hour draws."""
    return drawn(names_of("start-author")["figure"])


def above_xi() -> str:
    """Draw what `Outcome.plot` draws of a sample under LRU and under T-LRU."""
    from teltheory.plots import paper

    trace, xi = tt.wildchat_like().sample(2000, np.random.default_rng(0)), 2789
    with paper():
        figure, ax = column()
        for label, policy in (("LRU", tt.LRU()), ("T-LRU", tt.TLRU(xi, tt.default_estimate(trace)))):
            tt.replay(trace, policy, 4000).plot(xi if label == "T-LRU" else None, ax, label)
        return drawn(figure)


def lengths() -> str:
    """Draw what `Trace.plot` draws of the sample of the page on data sets."""
    from teltheory.plots import paper

    with paper():
        figure, ax = column()
        names_of("datasets")["trace"].plot(ax=ax)
        return drawn(figure)


def union() -> str:
    """Draw the layout that the half hour on modules prints: which positions each module has."""
    laid = printed("start-modules", r"^ (the schema|plan\S*) +(\d+) +(\d+)  ")
    parts = [text(16, 24, "Positions in the prompt", BOLD)]
    for i, (name, start, length) in enumerate(laid):
        x, y, colour = 16 + 5.5 * int(start), 40 + 44 * i, [LIGHT, LIGHT, CACHED, OTHER][i]
        said = f"{name}: {start} to {int(start) + int(length) - 1}"
        parts += [text(16, y + 11, said, SMALL), box(x, y + 16, 5.5 * int(length), 16, colour, f'stroke="{INK}"')]
    parts.append(text(16, 232, "A prompt takes one member of the union.", DIM))
    return svg(246, "The positions of a schema and of its modules", parts)


def refuted() -> str:
    """Draw the smallest trace on which the statement of the page fails, under both policies."""
    found = tt.check("TEL(tlru) <= TEL(lru)", where="q_hat * turns = prompts").counterexample
    assert found, "the statement is refuted"
    trace = tt.Trace.from_turns(*zip(*found["turns"], strict=True))
    return two_policies("A counterexample", trace, found["capacity"], found["xi"], found["q_hat"], 60)


def rows_of_a_log() -> str:
    """Draw the rows of the log of the page as turns: history, prompt and response, at their times."""
    turns = printed("logs", r"^(ann|bob),(\d+),(\d+),([\d.]+),(\d+)$")
    parts = list(key({"history": LIGHT, "prompt": CACHED, "response": OTHER}, 14, 250))
    for i, (who, prompt, response, seconds, history) in enumerate(turns):
        x, y = 16.0, 30 + 48 * i
        parts.append(text(x, y, f"{float(seconds):g} s, {who}: {history} + {prompt}, answer {response}"))
        for tokens, colour in ((history, LIGHT), (prompt, CACHED), (response, OTHER)):
            parts.append(box(x, y + 8, int(tokens), 18, colour, f'stroke="{INK}"') if int(tokens) else "")
            x += int(tokens)
    return svg(166, "Three rows of a log as turns of two conversations", parts)


def estimates() -> str:
    """Draw the estimated TTFT of a model on three GPUs, with its band."""
    from teltheory.cost.catalogue import architecture, gpu
    from teltheory.cost.roofline import estimated

    shape, lengths = architecture("llama-3.1-8b"), range(0, 32769, 2048)
    axes = Axes("uncached tokens", "TTFT, s", 32768, 10, ((0, 8192, 16384, 24576, 32768), range(0, 11, 2)))
    parts = [*axes.drawn()]
    colours = {"a100": OTHER, "h100": CACHED, "b200": RED}
    for name, colour in colours.items():
        at = estimated(shape, gpu(name))
        slow, fast = (cold(end, lengths) for end in at.ends)
        parts.append(axes.curve([*slow, *reversed(fast)], "none", f'style="fill:{colour}" opacity="0.25"'))
        parts.append(axes.curve(cold(at, lengths), colour))
    return svg(276, f"TTFT of {shape.name}, estimated", [*parts, *key(colours, 40)])


def cold(model: Latency, lengths: Sequence[int]) -> list[tuple[float, float]]:
    """Return the TTFT of prompts of which nothing is cached."""
    return [(float(n), float(model.ttft(n, 0))) for n in lengths]


def fit() -> str:
    """Draw the measured medians of the page on calibration, the form that is chosen, and the straight line."""
    runs = tt.read_ttft_runs(data_folder() / "vllm_cpu_ttft.csv", model="llama-28M-8L")
    fitted, straight = tt.fit_latency(runs), tt.fit_latency(runs, form="linear")
    cells = [(n, c, seconds) for n, c, seconds in medians(runs)]
    right, top = max(n for n, _, _ in cells), max(seconds for _, _, seconds in cells)
    axes = Axes("tokens of the prompt", "TTFT, s", right, top, (range(0, right + 1, 1024), range(int(top) + 1)))
    colours = {"nothing cached": INK, "a part cached": OTHER, "chosen form": CACHED, "straight line": RED}
    parts = [*axes.drawn()]
    for name, model in (("chosen form", fitted.model), ("straight line", straight.model)):
        parts.append(axes.curve(cold(model, range(0, right + 1, 128)), colours[name]))
    parts += [axes.dot(n, seconds, OTHER if c else INK) for n, c, seconds in cells]
    return svg(276, "Measured TTFT of a vLLM on a CPU, and two fits", [*parts, *key(colours, 34)])


def medians(runs: Any) -> Iterator[tuple[int, int, float]]:
    """Yield the tokens, the cached ones and the median TTFT of equal requests."""
    prompts, cached = np.asarray(runs.prompt_tokens), np.asarray(runs.cached_tokens)
    for n, c in sorted({*zip(prompts.tolist(), cached.tolist(), strict=True)}):
        yield n, c, float(np.median(np.asarray(runs.ttft)[(prompts == n) & (cached == c)]))


def plan() -> str:
    """Draw the plan that the page prints: a percentile by the number of replicas, with its interval."""
    row = r"^ (LRU|T-LRU) +(\d+) ([\d.]+) \[([\d.]+), ([\d.]+)\]"
    axes = Axes("replicas", "P90 of TTFT, s", 9.5, 2.6, ((6, 7, 8, 9), (0, 0.5, 1, 1.5, 2, 2.5)), 5.5)
    parts = [*axes.drawn(), line(*axes.at(5.5, 2), *axes.at(9.5, 2), 'stroke-dasharray="4"')]
    for policy, replicas, *seconds in printed("advise-loaded", row):
        value, low, high = map(float, seconds)
        x, colour = int(replicas) + (0.12 if policy == "T-LRU" else -0.12), CACHED if policy == "T-LRU" else INK
        parts += [axes.curve([(x, low), (x, high)], colour), axes.dot(x, value, colour)]
    parts += [*key({"LRU": INK, "T-LRU": CACHED}, 110), text(60, axes.at(6, 2)[1] + 16, "SLO", SMALL)]
    return svg(276, "P90 of TTFT by the number of replicas, with 95 % intervals", parts)


def gain_left() -> str:
    """Draw the gain of T-LRU that the page's table leaves in each case."""
    found = printed("what-if", r"^\| ([^|]+) \| [\d.]+ M \| [\d.]+ M \| [\d.]+ \| (\d+) % \|$")
    values = {name: (int(left), RED if int(left) < 50 else CACHED, f"{left} %") for name, left in found}
    parts = [text(16, 24, "T-LRU's gain over LRU that is left", BOLD), *bars(38, values, 140, 214)]
    return svg(48 + 21 * len(values), "T-LRU's gain if the cache were otherwise", parts)


def price_of_hints() -> str:
    """Draw what T-LRU and hints close in each cell of the page's first table; what harms has no bar."""
    cell = r" (-?\d+) \([\d.]+\)(?: ±)? \|"
    found = {name: shares for name, *shares in reversed(printed("hints", rf"^\| (t?lru[^|]*) \|{cell * 4}$"))}
    cells = printed("hints", r"^\| policy and hints \|(?: )([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$")[0]
    names = "lru + close", "tlru", "tlru + close, 300 s late", "tlru + close", "tlru + close + resume"
    colours = LIGHT, CACHED, OTHER, RED
    parts = [text(16, 24, "Share of LRU's distance closed, per cent", BOLD)]
    for i, (name, colour) in enumerate(zip(cells, colours, strict=True)):
        x, y = 16 + 160 * (i % 2), 44 + 20 * (i // 2)
        parts += [box(x, y - 10, 12, 12, colour), text(x + 18, y, name, SMALL)]
    for i, name in enumerate(names):
        parts.append(text(16, 94 + 82 * i, name, SMALL))
        for k, (share, colour) in enumerate(zip(map(int, found[name]), colours, strict=True)):
            y, long = 100 + 82 * i + 15 * k, max(1.0, 2.6 * share)
            parts += [box(16, y, round(long, 1), 12, colour), text(22 + long, y + 11, share, SMALL)]
    return svg(106 + 82 * len(names), "What hints close at four capacities and pressures", parts)


def two_replicas() -> str:
    """Draw the four turns of the page on two replicas: when each waits and when it is computed."""
    names = names_of("serving")
    served = tt.serve(names["trace"], tt.LRU(), capacity=10, replicas=2, latency=names["second"])
    table, labels = served.to_pandas(), ["A 1", "B 1", "A 2", "B 2"]
    parts = [text(16, 24, "Seconds", BOLD)]
    for replica in (0, 1):
        parts.append(text(16, 74 + 78 * replica, f"replica {replica}", SMALL))
    for label, turn in zip(labels, table.itertuples(), strict=True):
        x, y = 80 + 48 * turn.start, 56 + 78 * turn.replica
        parts.append(box(x, y, 48 * turn.compute, 26, CACHED if label[0] == "A" else OTHER, 'stroke="#fff"'))
        parts.append(text(x + 24 * turn.compute, y + 18, label, f'{MIDDLE} fill="#fff"'))
        if turn.wait:
            parts.append(line(80 + 48 * turn.arrival, y + 38, x, y + 38, 'stroke-width="3"'))
            parts.append(text(80 + 48 * turn.arrival, y + 54, f"{label} waits", SMALL))
    parts += [text(80 + 48 * t, 44, t, f'{MIDDLE} font-size="11"') for t in range(6)]
    parts += [line(80 + 48 * t, 48, 80 + 48 * t, 170, 'opacity="0.15"') for t in range(6)]
    return svg(186, "Four turns on two replicas", parts)


def whole_nodes() -> str:
    """Draw what three trees hold after the second request of the page's block: what one more would hit."""
    first, second = [1, 2, 3], [4, 5]
    names = names_of("engines")
    trees = {
        "prompts as nodes": tt.RadixNodes(),
        "chunks of 2 as nodes": tt.RadixNodes(chunk=2),
        "nodes cut at the budget": tt.RadixNodes(split=True),
    }
    parts = [text(16, 24, "After requests 1 2 3 and 4 5, room for 4", BOLD)]
    for i, (name, tree) in enumerate(trees.items()):
        parts.append(text(16, 62 + 46 * i, name))
        for path, left in ((first, 182), (second, 282)):
            forest = tt.Forest.from_paths([first, second, path])
            hits = int(tt.replay(forest, names["tlru"], capacity=4, cache=tree).cached[-1])
            for k, unit in enumerate(path):
                fill, ink = (CACHED, "#fff") if k < hits else ("#fff", INK)
                parts.append(box(left + 30 * k, 44 + 46 * i, 26, 26, fill, f'rx="4" stroke="{INK}"'))
                parts.append(text(left + 13 + 30 * k, 62 + 46 * i, unit, f'{MIDDLE} fill="{ink}"'))
    parts.append(text(16, 190, "Filled: held, so a third request 1 2 3 hits it.", DIM))
    return svg(204, "What T-LRU leaves of two requests, by what a node is", parts)


def speculation() -> str:
    """Draw the table of the page: seconds to the first token without speculation and with it."""
    found = printed("rag-server", r"^\| ([AB, ]+(?:short|long)[^|]*) \| ([\d.]+) \| ([\d.]+) \|")
    parts = [*key({"without speculation": LIGHT, "with": CACHED}, 14, 16)]
    for i, (name, *seconds) in enumerate(found):
        y = 72 + 62 * i
        parts.append(text(16, y, name, SMALL))
        for k, (value, colour) in enumerate(zip(map(float, seconds), (LIGHT, CACHED), strict=True)):
            parts.append(box(16, y + 6 + 17 * k, 38 * value, 15, colour))
            parts.append(text(20 + 38 * value, y + 18 + 17 * k, f"{value:g} s", SMALL))
    return svg(62 + 62 * len(found), "TTFT with and without speculation in five cases", parts)


def item_store() -> str:
    """Draw what the two tiers hold after each prompt of the page's block, in bytes."""
    steps = printed("modules", r"^\{('.*')\} (\d+)$")
    parts = [text(16, 24, "fast: 10 bytes", BOLD), text(216, 24, "slow: 6 bytes", BOLD)]
    for i, (items, copied) in enumerate(steps):
        tiers = dict(re.findall(r"'(\w)': '(\w+)'", items))
        y = 44 + 62 * i
        parts.append(text(16, y + 8, f"prompt {i + 1}: {['a, b', 'c', 'a'][i]}; copied so far: {copied}", SMALL))
        for tier, left, room in (("fast", 16, 180), ("slow", 216, 108)):
            parts.append(box(left, y + 16, room, 26, "#fff", f'stroke="{INK}"'))
            held = [name for name, where in tiers.items() if where == tier]
            for k, name in enumerate(held):
                parts.append(box(left + 72 * k, y + 16, 70, 26, CACHED if tier == "fast" else OTHER))
                parts.append(text(left + 35 + 72 * k, y + 34, name, f'{MIDDLE} fill="#fff"'))
    return svg(236, "Items of 4 bytes in two tiers after each of three prompts", parts)


def two_requests() -> str:
    """Draw the paper's Figure 7: the second request reads what the first one writes."""
    from teltheory.systems.apps import Graph, labels

    graph = Graph.of([call(0, ["task"], "code"), call(1, ["task", "code"], "test")])
    told = labels(graph, {"code": "latency", "test": "latency"})
    places: Mapping[int, tuple[int, int]] = {0: (40, 44), 1: (180, 150)}
    parts = [part for k in graph.order for part in request(graph, k, told[k], dict(places))]
    return svg(236, "Two requests; the second reads what the first writes", parts)


def contexts() -> str:
    """Draw the contexts of the page: a shared beginning counts once."""
    held = names_of("apps-engines")["contexts"].__class__(capacity=100)
    held.fill([1, 2, 3], id=0)
    for id, tokens in ((1, [4]), (2, [5, 6])):
        held.fill(tokens, id=id, parent=0)
    parts = [line(120, 52, 178, 40), line(120, 52, 178, 106)]
    for id, (x, y) in {0: (16, 30), 1: (178, 18), 2: (178, 84)}.items():
        parts.append(text(x, y + 60, f"context {id}: {' '.join(map(str, held[id].tokens))}", SMALL))
        for k, token in enumerate(held[id].own):
            parts.append(box(x + 34 * k, y + 6, 32, 32, CACHED if id == 0 else OTHER, 'rx="4"'))
            parts.append(text(x + 16 + 34 * k, y + 27, token, f'{MIDDLE} fill="#fff"'))
    parts.append(
        text(16, 178, f"Held: {held.held} tokens, for {sum(held[i].length for i in range(3))} in the contexts.")
    )
    return svg(192, "Two forks of one context", parts)


def routing() -> str:
    """Draw chats of a house with one system message: from where on a prefix says which engine."""
    from teltheory.systems.apps.server.routing import ChatPrompt, CommonPrefix

    common, system = CommonPrefix(), {"role": "system", "content": "The rules of this house. " * 80}
    chats = [(name, 120 * turn) for turn in range(1, 5) for name in ("Ann", "Bob", "Eve")]
    parts = []
    for k, (name, words) in enumerate(chats):
        prompt = ChatPrompt.of({"messages": [system, {"role": "user", "content": f"{name}. " * words}]}, True)
        binding = common.binding(prompt.borders())
        if k >= len(chats) - 3:
            y, scale = 44 + 62 * (k - len(chats) + 3), 310 / prompt.tokens
            begin = (binding[0][1] if binding else prompt.tokens) * scale
            parts += [box(16, y, begin, 20, LIGHT), box(16 + begin, y, 310 - begin, 20, CACHED)]
            said = f"{name}: {prompt.tokens:,} tokens; from token {binding[0][1]:,} on they bind"
            parts.append(text(16, y + 36, said, SMALL))
    return svg(
        232, "What binds a chat to an engine", [text(16, 26, "The last three of twelve chats", BOLD), *parts]
    )
