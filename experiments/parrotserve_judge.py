"""The rules of ParrotServe beside the program itself, on random queues.

    python -m experiments.parrotserve_judge PATH [--queues 1000] [--write FILE]

1. PATH is a checkout of microsoft/ParrotServe (branch main, 2e1825e was judged). Its own graph, task and scheduler
   run, with all four switches on. Packages that it imports and that scheduling does not need are empty here, and a
   tokenizer gives a token for each character.
2. A queue has engines with what they run and keep, requests of applications, gets, and those requests that are
   ready. Single requests have texts and, often, models of their own; groups come from random graphs; prefixes from
   texts that requests share; "both" has all of that, and "models" groups and texts of two models.
3. The program says where requests go, and so do `rules="parrotserve"` and Algorithm 1 (`PACKED`) from the same
   requests, gets and engines. Printed is in how many queues an answer differs, and the smallest of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from teltheory.systems.apps import EngineView, Graph, Job, Placing, Port, Request, Sampling
from teltheory.systems.apps.queues import Algorithm1, ParrotServe, PlacingRules

UNUSED = ("aiohttp", "psutil", "pydantic", "regex", "requests", "torch", "transformers")
SORTS = ("singles", "groups", "prefixes", "both", "models")
GROUPED, SHARED, MODELLED = ("groups", "both", "models"), ("prefixes", "both", "models"), ("singles", "models")
EVEN, STORED = 100, 75
MODELS = ("a", "b")
LABELS = ("throughput", "latency")
PACKED = Placing(ties="pack", sharing=False)
"""Algorithm 1, as near to the program as its arguments come."""
Case = dict[str, Any]
Answer = list[int]
IDLE: list[Any] = [10**6, 10**6, "a", []]
SMALLEST: tuple[Case, ...] = (
    {
        "engines": [[*IDLE, []], [*IDLE, []]],
        "requests": [[0, "A1", 99, [], 0], [0, "B1", 98, [0], 0], [0, "C1", 99, [], 0]],
        "gets": [[1, 1], [2, 1]],
        "ready": [0, 2],
    },
    {
        "engines": [[*IDLE, ["x1"]], [*IDLE, ["y1"]]],
        "requests": [[0, "y1", 99, [], 0], [1, "x1", 99, [], 0]],
        "gets": [[0, 1], [1, 1]],
        "ready": [0, 1],
    },
)
"""Where Algorithm 1 and the program differ, by groups and by prefixes."""


def drawn(sort: str, rng: Random, even: bool = False) -> Case:
    """Return a queue: engines, requests of applications, gets, and who is ready, in order of arrival.

    A label is its number in `LABELS`, and a text a character and its length.
    If it is even, each request has `EVEN` tokens, all gets one criterion, applications come one
    after another, and engines are equal and run nothing.
    """
    grouped, shared = sort in GROUPED, sort in SHARED
    texts = [f"{name}{rng.randint(1, 30)}" for name in "xyz"] if shared else []
    requests: list[list[Any]] = []
    for app in range(rng.randint(1, 3 if grouped else 24 if even else 8)):
        first = len(requests)
        for k in range(first, first + (rng.randint(2, 10) if grouped else 1)):
            before = rng.sample(range(first, k), min(k - first, rng.choice((0, 0, 1, 2, 3))))
            own = f"{chr(ord('A') + k)}{rng.randint(1, 30)}"
            text = rng.choice(texts) if shared and rng.random() < 0.7 else own
            model = rng.choice((0, *MODELS)) if sort == "singles" else rng.choice(MODELS)
            output = EVEN - int(text[1:]) - len(before) if even else rng.randint(1, 80)
            requests.append([app, text, output, before, model if sort in MODELLED and not even else 0])
    done = _closed(requests, rng)
    ready = [k for k, (*_, before, _) in enumerate(requests) if k not in done and done.issuperset(before)]
    if not even:
        rng.shuffle(ready)
    return {
        "engines": [_engine(rng, texts, even) for _ in range(rng.randint(1, 3))],
        "requests": requests,
        "gets": _gets(requests, rng, (0, 1) if not even else (rng.choice((0, 1)),)),
        "ready": ready,
    }


def _engine(rng: Random, texts: Sequence[str], even: bool) -> list[Any]:
    """Return an engine: capacity in tokens and requests, model, (label, tokens) that run, texts that it keeps."""
    if even:
        return [10**6, 10**6, "a", [], [text for text in texts if rng.random() < 0.3]]
    running = [[rng.choice((0, 1)), rng.randint(1, 40)] for _ in range(rng.choice((0, 0, 1, 2, 3, 4)))]
    kept = [text for text in texts if rng.random() < 0.3]
    capacity = sum(tokens for _, tokens in running) + rng.choice((100, 200, 400, 10_000))
    return [capacity, rng.choice((4, 8, 256)), rng.choice(MODELS), running, kept]


def _closed(requests: Sequence[Sequence[Any]], rng: Random) -> set[int]:
    """Return requests that are done, with all before them."""
    done: set[int] = set()
    for k, (*_, before, _) in enumerate(requests):
        if done.issuperset(before) and rng.random() < 0.5:
            done.add(k)
    return done


def _gets(requests: Sequence[Sequence[Any]], rng: Random, labels: Sequence[int]) -> list[list[Any]]:
    """Return gets, first of some requests and then of all that nothing follows, as ParrotServe runs no others."""
    followed = {earlier for *_, before, _ in requests for earlier in before}
    last = [k for k in range(len(requests)) if k not in followed]
    first = [k for k in range(len(requests)) if rng.random() < 0.15]
    rng.shuffle(last)
    return [[k, rng.choice(labels)] for k in dict.fromkeys(first + last)]


def placed(case: Case, rules: PlacingRules) -> Answer:
    """Return where a queue's ready requests go by some rules of ours; -1 for those that wait."""
    queue = Algorithm1(rules)
    for job in _jobs(case, rules):
        queue.add(job)
    views = [_view(k, one, rules) for k, one in enumerate(case["engines"])]
    found = dict(rules.placed(queue.waiting, views))
    return [found.get(k, -1) for k in case["ready"]]


def _jobs(case: Case, rules: PlacingRules) -> Iterator[Job]:
    asked = {f"v{k}": LABELS[label] for k, label in case["gets"]}
    requests = case["requests"]
    apps = {app: [k for k, one in enumerate(requests) if one[0] == app] for app, *_ in requests}
    known = {}
    for app, own in apps.items():
        graph = Graph.of([_request(k, requests[k]) for k in own])
        found = rules.deduced(graph, {v: c for v, c in asked.items() if v in graph.producers})
        groups = {k: (app, members) for members in found.groups for k in members}
        known.update({k: (found.labels[k], groups.get(k), found.order[k]) for k in own})
    for k in case["ready"]:
        app, text, output, before, model = requests[k]
        label, group, order = known[k]
        first = len(_text(text))
        tokens = first + output + len(before)
        yield Job(k, app, label, tokens, group, ((_name(text), first),), model or None, order)


def _request(k: int, asked: Sequence[Any]) -> Request:
    _, text, output, before, model = asked
    ports = [Port(f"in{j}", False, f"v{j}") for j in before] + [Port("out", True, f"v{k}")]
    holes = "".join("{{input:" + f"in{j}" + "}}" for j in before)
    return Request.of(k, _text(text) + holes + "{{output:out}}", ports, model or None, Sampling(output))


def _view(k: int, engine: Sequence[Any], rules: PlacingRules) -> EngineView:
    capacity, batch, model, running, kept = engine
    label = max((label for label, _ in running), default=None)
    return EngineView(
        str(k),
        capacity,
        min(capacity, 4 * EVEN),
        sum(tokens for _, tokens in running),
        None if label is None else LABELS[label],
        len(running),
        model,
        prefixes=frozenset(map(_name, kept)),
        counted=frozenset(),
        urgent=label == 1,
        batch=batch,
    )


def _text(said: str) -> str:
    """Return a text, said by its character and length."""
    return said[0] * int(said[1:])


def _name(text: str) -> int:
    return int.from_bytes(text.encode(), "big")


class Program:
    """ParrotServe's own code."""

    def __init__(self, path: Path) -> None:
        sys.meta_path.insert(0, _Unused())
        sys.path.insert(0, str(path))
        self.serve = {
            name: import_module(f"parrot.serve.{name}")
            for name in ("scheduler", "graph", "graph.call_request", "context_manager", "variable_manager")
        }
        self.serve["engine_manager"] = import_module("parrot.serve.engine_manager")
        self.engine_config = import_module("parrot.engine.config").EngineConfig
        self.sampling = import_module("parrot.sampling_config").SamplingConfig
        import_module("logging").disable()

    def placed(self, case: Case) -> tuple[Answer, bool]:
        """Return where a queue's ready requests go, and whether one of them was placed twice."""
        return _ProgramRun(self, case).placed()


class _ProgramRun:
    """One queue in ParrotServe."""

    def __init__(self, program: Program, case: Case) -> None:
        self.program, self.case, serve = program, case, program.serve
        self.contexts = serve["context_manager"].ServeCoreContextManager()
        self.engines = serve["engine_manager"].EngineManager(_Characters(), self.contexts, 10**6)
        switches = {"app_fifo": True, "graph_group": True, "ctx_group": True, "ctx_aware": True}
        config = serve["scheduler"].GlobalSchedulerConfig(**switches)
        self.scheduler = serve["scheduler"].GlobalScheduler(config, self.engines, self.contexts)
        self.variables = serve["variable_manager"].SemanticVariableManager(10**6)
        self.creator, self.graph = serve["scheduler"].TaskCreator(), serve["graph"].ComputeGraph()
        self.variables.register_local_var_space(0)
        self.chains: list[Any] = []

    def placed(self) -> tuple[Answer, bool]:
        """Build everything, let the scheduler run once, and read where its tasks are."""
        for engine in self.case["engines"]:
            self._add_engine(*engine)
        for request in self.case["requests"]:
            self._add_request(*request)
        for k, label in self.case["gets"]:
            self._get(self.chains[k], label)
        for chain in self.chains:
            chain.gen_node.sv.set("=")
        tasks = {k: self._task(self.chains[k]) for k in self.case["ready"]}
        for task in tasks.values():
            self.scheduler.submit_task(task)
        self.scheduler.schedule()
        found = [task.engine.engine_id if task.is_scheduled else -1 for task in tasks.values()]
        running = sum(len(engine[3]) for engine in self.case["engines"])
        counted = sum(engine.get_num_tasks() for engine in self.engines.get_live_engines())
        return found, counted > running + sum(at >= 0 for at in found)

    def _add_engine(
        self, capacity: int, batch: int, model: str, running: list[tuple[int, int]], kept: list[str]
    ) -> None:
        config = self.program.engine_config(
            model=model, tokenizer="characters", tasks_capacity=batch, tokens_capacity=capacity
        )
        at = self.engines.register_engine(config)
        for label, tokens in running:
            chain = self._chain("!" * (tokens - 1), 1, [], 0)
            self._get(chain, label)
            self._task(chain).schedule_to(self.engines.get_engine(at))
        for context, text in enumerate(kept):
            first = self._chain(_text(text), 1, [], 0).first_node.sv
            cache = self.contexts.prefix_caches[at]
            cache.cache_prefix_context(self.contexts._hash_var_id(first.id), context)

    def _add_request(self, app: int, text: str, output: int, before: list[int], model: str | int) -> None:
        self.chains.append(self._chain(_text(text), output, before, model))

    def _chain(self, text: str, output: int, before: list[int], model: str | int) -> Any:
        """Put a request into the graph: a text, what others generate, and what it generates."""
        graph, parameter = self.program.serve["graph"], self._parameter
        fills = [graph.PlaceholderFill(parameter(f"in{j}", j)) for j in before]
        nodes = [graph.ConstantFill(text), *fills, graph.PlaceholderGen(parameter("out", None, output))]
        metadata = self.program.serve["graph.call_request"].SemanticCallMetadata.get_default()
        metadata.models = [model] if model else []
        request = graph.RequestChain.from_nodes(nodes, metadata)
        self.variables.create_vars_for_semantic_request_chain(0, request)
        self.graph.insert_and_update_request_chain(request)
        return request.comp_chains[0]

    def _parameter(self, name: str, of: int | None, output: int = 0) -> Any:
        make = self.program.serve["graph.call_request"].SemanticFunctionParameter
        if of is not None:
            return make(name=name, is_output=False, var_id=self.chains[of].gen_node.sv.id)
        return make(name=name, is_output=True, sampling_config=self.program.sampling(max_gen_length=output))

    def _get(self, chain: Any, label: int) -> None:
        graph, variable = self.program.serve["graph"], chain.gen_node.sv
        if not variable.is_activated:
            graph.activate_sv(variable, graph.get_performance_criteria(LABELS[label]))

    def _task(self, chain: Any) -> Any:
        task = self.creator.create_task(chain)
        task.tokenize_chain(_Characters())
        return task


class _Characters:
    """A token for each character."""

    def register_tokenizer(self, name: str) -> None:
        """Take any name."""

    def tokenize_all(self, text: str) -> dict[str, list[int]]:
        """Return the tokens by the name of the one tokenizer."""
        return {"characters": [0] * len(text)}


class _Unused:
    """Finds packages that are empty here."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find a package of the list, and whatever is asked for in it."""
        return ModuleSpec(name, self, is_package=True) if name.split(".", maxsplit=1)[0] in UNUSED else None  # type: ignore

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make one."""
        return _Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


class _Nothing(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class _Empty(ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(
            name, (), {"__init__": lambda self, *_, **__: None, "__call__": lambda self, *_, **__: self}
        )


def size(case: Case) -> tuple[int, ...]:
    """Return how large a queue is: who is ready, requests, engines, what runs and is kept, numbers."""
    runs = sum(len(engine[3]) + len(engine[4]) for engine in case["engines"])
    return (len(case["ready"]), len(case["requests"]), len(case["engines"]), runs, len(json.dumps(case)))


def main() -> int:
    """Return 0 if `rules="parrotserve"` gives the program's answers in all sorts but "models"."""
    parser = argparse.ArgumentParser(description="ParrotServe's rules beside the program.")
    parser.add_argument("path", type=Path, help="a checkout of microsoft/ParrotServe")
    parser.add_argument("--queues", type=int, default=1000, help="of each sort")
    parser.add_argument("--write", type=Path, help="file of vectors to write")
    given = parser.parse_args()
    program, wrong = Program(given.path), 0
    stored: dict[str, list[Any]] = {"smallest": [[case, program.placed(case)[0]] for case in SMALLEST]}
    for sort in SORTS:
        judged = _judged(program, [drawn(sort, Random(f"{sort} {k}")) for k in range(given.queues)])
        wrong += _told(sort, ParrotServe(), judged) * (sort != "models")
        if sort != "models":
            even = _judged(program, [drawn(sort, Random(f"even {sort} {k}"), True) for k in range(given.queues)])
            wrong += _told(f"{sort}, even", ParrotServe(), even)
            _told(f"{sort}, even", PACKED, even)
            stored[sort] = [[case, answer] for case, answer, _ in judged[:STORED]]
    if given.write:
        rows = ",\n".join(
            f"{json.dumps(sort)}:{json.dumps(rows, separators=(',', ':'))}" for sort, rows in stored.items()
        )
        given.write.write_text(f"{{{rows}}}\n")
    return 1 if wrong else 0


def _judged(program: Program, cases: Sequence[Case]) -> list[tuple[Case, Answer, bool]]:
    return [(case, *program.placed(case)) for case in cases]


def _told(sort: str, rules: PlacingRules, judged: Sequence[tuple[Case, Answer, bool]]) -> int:
    """Say and return in how many queues the answers differ."""
    differing = [(case, answer) for case, answer, _ in judged if placed(case, rules) != answer]
    twice = sum(again for *_, again in judged)
    name = "ParrotServe()" if isinstance(rules, ParrotServe) else "Algorithm 1"
    sys.stdout.write(
        f"{sort}: {len(judged)} queues, {name} differs in {len(differing)}; placed twice in {twice}\n"
    )
    if differing:
        case, answer = min(differing, key=lambda one: size(one[0]))
        sys.stdout.write(f"  {json.dumps(case)}: {answer}, and not {placed(case, rules)}\n")
    return len(differing)


if __name__ == "__main__":
    sys.exit(main())
