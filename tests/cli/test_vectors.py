"""The file of `teltheory vectors`, judged from its JSON alone: both engines, a block simulator, exact sums."""

import json
import os
from contextlib import suppress
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator
from replay.block_by_block import block_by_block
from replay.instances import Case

import teltheory as tt
from teltheory.cli import main
from teltheory.policies.policy import NotCompiledError

KINDS = {kind.name: kind for kind in vars(tt.policies).values() if hasattr(kind, "name")}
NEVER, OTHERS = float("inf"), ("fifo", "lfu", "slru", "gdsf", "2q", "s3-fifo", "work-aware")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    file = tmp_path_factory.mktemp("vectors") / "vectors.json"
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["vectors", str(file)])
    return file


@pytest.fixture(scope="module")
def runs(written):
    """Each case with its rows in the order served, and each of its runs."""
    cases = json.loads(written.read_text())["cases"]
    for case in cases:
        case["rows"] = sorted(case.get("turns") or case["requests"], key=lambda row: row.get("arrival", 0))
    return [(case, run) for case in cases for run in case["runs"]]


def policy_of(text):
    name, _, rest = text.partition(":")
    given = dict(one.split("=") for one in rest.split(",") if one)
    read = {key: int(one) if one.isdigit() else one for key, one in given.items()}
    return KINDS[name](**{key: Fraction(one) if "/" in str(one) else one for key, one in read.items()})


def paths_of(case, run):
    """Return what each row reads as units, and what was read before the first; a cut unit is never read again."""
    begun = run.get("initial", [])
    if "requests" in case:
        return [row["path"] for row in case["rows"]], [(start["path"], start["cached"]) for start in begun]
    pasts = {start["conversation"]: [(start["conversation"], i) for i in range(start["past"])] for start in begun}
    before, paths = [(pasts[start["conversation"]], start["cached"]) for start in begun], []
    for k, row in enumerate(case["rows"]):
        new = [(k, i) for i in range(row["prompt"] + row.get("response", 0))]
        paths.append(pasts.get(row["conversation"], [])[: row["history"]] + new)
        pasts[row["conversation"]] = paths[-1]
    return paths, before


def asked(row):
    return row["ask"] if "ask" in row else row["history"] + row["prompt"]


def simulated(case, run, furthest):
    """Return what rows hit if the unit read longest ago goes, or else the one that is read furthest from now."""
    paths, before = paths_of(case, run)
    order = {u: at - len(before) for at, (path, _) in enumerate(before) for u in path}
    walked = [*(path for path, _ in before), *paths]
    depth = {u: at for path in walked for at, u in enumerate(path)}
    above = {u: path[at - 1] for path in walked for at, u in enumerate(path) if at}
    hits, latest, held = [], {}, {u for path, cached in before for u in path[:cached]}
    for k, (path, row) in enumerate(zip(paths, case["rows"], strict=True)):
        held -= set(latest.get(row.get("conversation"), path)) - set(path)
        hits.append(next((i for i, u in enumerate(path[: asked(row)]) if u not in held), asked(row)))
        held |= set(path)
        latest |= {row["conversation"]: path} if "conversation" in row else {}
        order |= dict.fromkeys(path, k)
        while len(held) > run["capacity"] and k + 1 < len(paths):
            inner = set() if run["cache"] == "holes" else {above.get(u) for u in held}
            free = held - inner - (set(path) if run["forced"] else set())
            following = {u: next((j for j in range(k + 1, len(paths)) if u in paths[j]), NEVER) for u in free}
            held.remove(min(free, key=lambda u: (furthest and -following[u], order[u], -depth[u])))
    return hits


def requests_of(case, run):
    """Return the rows as our engines take them, and the initial cache."""
    columns = {name: [row.get(name) for row in case["rows"]] for name in ("arrival",) if name in case["rows"][0]}
    begun = run.get("initial", [])
    if "turns" in case:
        names = ("conversation", "history", "prompt", "response")
        columns |= {name: [row.get(name, 0) for row in case["rows"]] for name in names}
        return tt.Trace.from_turns(**columns), [(s["conversation"], s["past"], s["cached"]) for s in begun]
    columns |= {name: [row[name] for row in case["rows"]] for name in ("ask", "total")}
    forest = tt.Forest.from_paths([row["path"] for row in case["rows"]], **columns)
    ids = [*dict.fromkeys(block for row in case["rows"] for block in row["path"])]
    return forest, [(at, ids.index(s["path"][-1]), s["cached"]) for at, s in enumerate(begun)]


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_the_engines_hit_what_the_file_says(runs, engine):
    replayed, every = 0, 4 if engine == "reference" and not os.environ.get("TELTHEORY_TESTS") else 1
    for case, run in runs[::every]:
        requests, initial = requests_of(case, run)
        cache = run["cache"] if requests.shared else "strict"
        given = (run["capacity"], run["forced"], initial, engine)
        for text, hits in run["hits"].items():
            with suppress(NotCompiledError):
                outcome = tt.replay(requests, policy_of(text), *given, cache=cache)
                assert outcome.cached.tolist() == hits, (case["name"], run["cache"], text)
                replayed += 1
    assert replayed > 2000 // every


def test_a_block_simulator_hits_the_same(runs):
    for case, run in runs:
        found = {"lru": simulated(case, run, False), "belady": simulated(case, run, True)}
        assert run["hits"] | found == run["hits"], (case["name"], run)


def test_the_judge_of_private_conversations_hits_the_same(runs):
    for case, run in (one for one in runs if "turns" in one[0]):
        names = ("conversation", "prompt", "response", "history")
        columns = [[row.get(name, 0) for row in case["rows"]] for name in names]
        begun = [(ord(s["conversation"]), s["past"], s["cached"]) for s in run.get("initial", [])]
        given = Case(
            (*map(ord, columns[0]),), *map(tuple, columns[1:]), run["capacity"], 0, 0, run["forced"], tuple(begun)
        )
        for text in (one for one in run["hits"] if one.partition(":")[0] not in OTHERS):
            assert block_by_block(given, policy_of(text)) == run["hits"][text], (case["name"], text)


def test_plans_fit_and_steps_prove_that_nothing_is_better(runs):
    for case, run in runs:
        paths, before = paths_of(case, run)
        exempt = [set(), *map(set, paths)] if run["forced"] else [set()] * (len(paths) + 1)
        for best in run["optima"]:
            last = {u: -1 for path, cached in before for u in path[:cached]}
            held, gained, tel = [set() for _ in paths], 0, 0
            looked = [step - 1 for step in best["steps"]]
            for k, (path, row, kept) in enumerate(zip(paths, case["rows"], best["plan"], strict=True)):
                useful = max(0, min(asked(row), row.get("total", asked(row)) - best["xi"]))
                for at, unit in enumerate(path):
                    since = last.get(unit, NEVER) + 1
                    for step in range(since, k + 1) if at < kept else ():
                        held[step] |= {unit} if run["cache"] == "holes" else {*path[: at + 1]}
                    steps = [t for t in looked if since <= t <= k and unit not in exempt[t]]
                    gained += at < useful and since <= k and not steps
                    assert at >= kept or since <= k
                tel += max(0, row.get("total", asked(row)) - kept - best["xi"])
                last |= dict.fromkeys(path, k)
            assert all(len(one | stay) <= run["capacity"] for one, stay in zip(held, exempt, strict=False))
            gained += sum(run["capacity"] - len(exempt[t]) for t in looked)
            empty = sum(max(0, row.get("total", asked(row)) - best["xi"]) for row in case["rows"])
            assert (best["lower"], best["upper"]) == (empty - gained, tel)
            assert run["cache"] == "strict" or tel == best["lower"], case["name"]


def test_textbooks_have_these_faults(runs):
    """Silberschatz, Galvin, Gagne, *Operating System Concepts*, page replacement; Belady's anomaly."""
    found = {
        (case["name"], run["capacity"], name): len(case["rows"]) - sum(run["hits"][name])
        for case, run in runs
        for name in ("fifo", "lru", "belady")
        if run["forced"] and name in run["hits"]
    }
    assert [found["one page after another", 3, name] for name in ("fifo", "lru", "belady")] == [15, 12, 9]
    assert [found["FIFO's anomaly", frames, "fifo"] for frames in (3, 4)] == [9, 10]


def test_the_schema_fits_the_file_and_no_other(written):
    schema = json.loads(written.with_suffix(".schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    suite, valid = json.loads(written.read_text()), Draft202012Validator(schema).is_valid
    assert valid(suite)
    suite["cases"][0]["runs"][0]["hits"]["lru"][0] = -1
    assert not valid(suite)


def test_a_simulator_sees_where_it_first_differs(written, tmp_path, run, in_words, capsys, refused):
    suite, mine = json.loads(written.read_text()), tmp_path / "mine.json"
    suite["cases"] = [case for case in suite["cases"] if case["name"][:5] != "drawn" or case["name"][-1] == "0"]
    mine.write_text(json.dumps(suite))
    assert in_words("vectors", mine, "--check") == "1,374 of 1,374 answers are those of our engines"
    suite["cases"] = [case for case in suite["cases"] if case["name"] in ("Figure 2", "furthest is dear")]
    suite["cases"][0]["runs"][0]["hits"]["lru"][2] = 7
    suite["cases"][1]["runs"][0]["optima"][1]["upper"] += 1
    mine.write_text(json.dumps(suite))
    assert run("vectors", mine, "--check") == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "first Figure 2, capacity 100, lru: found [0, 0, 7], expected [0, 0, 0]" in printed
    assert "optimum:xi=2: found [1, 2], expected [1, 1]" in printed
    suite["cases"][0]["runs"][0]["capacity"] = "100"
    mine.write_text(json.dumps(suite))
    assert refused("vectors", mine, "--check").endswith("found '100', expected a whole number")
