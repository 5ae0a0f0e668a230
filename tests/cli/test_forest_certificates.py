"""The least TEL of what requests share, and its certificates: they say how the trace was read."""

import json

import pytest

import teltheory as tt
from teltheory.cli.optimum.certificate import certificates_as_data, digest_of, read_certificates

SIZE = 512
MODES = {
    "": {},
    "--cache holes": {"cache": "holes"},
    "--forced": {"forced": True},
    "--forced --running 2 --cache holes": {"forced": True, "running": 2, "cache": "holes"},
}


@pytest.mark.parametrize("flags", MODES)
@pytest.mark.parametrize("method", ["auto", "lp", "milp"])
def test_the_optimum_is_that_of_the_forest(run_json, shared_file, flags, method):
    forest, mode = tt.read_trace(shared_file).forest, {**MODES[flags], "method": method}
    data = run_json(
        "optimum", shared_file, "--capacity", "5200,6000", "--xi", 600, "--method", method, *flags.split()
    )
    for row in data["rows"]:
        blocks = row["capacity"] // SIZE
        best = tt.hindsight_optimum(forest, blocks, 1, **mode)
        assert (row["lower"], row["upper"], row["optimum"]) == (best.lower, best.upper, best.objective)
        lru, belady = (
            tt.replay(forest, policy, blocks, **{**MODES[flags]})
            for policy in (tt.LRU(), tt.TailOptimizedBelady(1))
        )
        assert row["lru"] == tt.tail_excess_latency(lru, 1)
        assert row["belady"] == tt.tail_excess_latency(belady, 1)
        assert row["reused"] == SIZE * best.outcome.cached.sum()
        assert row["prefilled"] == best.outcome.in_tokens().prefilled
    assert data["reading"] == "shared prefixes"


def test_where_the_two_sides_differ_both_are_printed(in_words, run_json, tmp_path):
    """Requests of a forest in which a strict cache has no room for what a cache with holes keeps."""
    paths, file = [[0, 1], [2], [2, 3], [0], [0, 1, 4]], tmp_path / "shared.jsonl"
    rows = [
        {"timestamp": k, "input_length": 512 * len(ids), "hash_ids": ids, "output_length": 0}
        for k, ids in enumerate(paths)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = ("optimum", file, "--capacity", 1024, "--xi", 512)
    (row,) = run_json(*asked)["rows"]
    assert (row["optimum"], row["lower"], row["upper"], row["gap"], row["status"]) == (None, 1, 2, 0.5, "feasible")
    printed = in_words(*asked)
    assert "found 2 " in printed
    assert "50.00 % greedy lower 1 Tail-Optimized Belady 2 " in printed
    (row,) = run_json(*asked, "--method", "milp")["rows"]
    assert (row["optimum"], row["by_solver"], row["status"]) == (2, True, "optimal by solver")
    (row,) = run_json(*asked, "--cache", "holes")["rows"]
    assert (row["optimum"], row["upper"], row["by_solver"], row["gap"]) == (1, 1, False, 0)


@pytest.fixture
def written(run, shared_file, tmp_path, capsys):
    """A function that writes certificates with some flags, and returns the file."""

    def certificates(*flags, capacity="2000,4100"):
        file, asked = tmp_path / "certificates.json", ("--capacity", capacity, "--xi", 600)
        assert run("optimum", shared_file, *asked, *flags, "--certificate", file) == 0
        capsys.readouterr()
        return file

    return certificates


READINGS = {
    "": {"block_size": 512, "cache": "strict", "running": 1, "without": None},
    "--cache holes": {"block_size": 512, "cache": "holes", "running": 1, "without": None},
    "--block-size 1024": {"block_size": 1024, "cache": "strict", "running": 1, "without": None},
    "--without system-prompt": {"block_size": 512, "cache": "strict", "running": 1, "without": "system-prompt"},
    "--forced --running 2": {"block_size": 512, "cache": "strict", "running": 2, "without": None},
}


@pytest.mark.parametrize("flags", READINGS)
def test_a_certificate_says_how_the_trace_was_read_and_is_checked_so(output, shared_file, written, flags, capsys):
    file = written(*flags.split(), capacity="4100,5200")
    entries = json.loads(file.read_text())["certificates"]
    assert all(entry["prefixes"] == READINGS[flags] for entry in entries)
    assert json.loads(json.dumps(certificates_as_data(read_certificates(str(file))))) == json.loads(
        file.read_text()
    )
    capsys.readouterr()
    printed = output("check-certificate", file, shared_file)
    assert printed.startswith("Shared prefixes: 8 requests")
    told = " ".join(printed.split())
    for entry in entries:
        size, cache, *_ = READINGS[flags].values()
        place = f"Capacity {entry['capacity']:,}, threshold {entry['xi']:,}"
        assert f"{place}, in blocks of {size:,} tokens, cache {cache}" in told
        assert f"no policy has less TEL than {entry['objective']:,} (proved by" in told


def numbers(data, path=()):
    """Yield the path to each whole number or truth value."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from numbers(value, (*path, key))
    elif isinstance(data, int):
        yield path


def is_true(forest, entry):
    read = entry["prefixes"]
    forest = forest.to_blocks(read["block_size"])
    mode = {"forced": entry["forced"], "running": read["running"], "cache": "holes", "method": "lp"}
    return entry["objective"] == tt.hindsight_optimum(forest, entry["capacity"], entry["xi"], **mode).objective


@pytest.mark.parametrize("flags", ["", "--forced --running 2 --cache holes"])
def test_a_change_of_any_number_is_caught_or_leaves_it_true(run, shared_file, tmp_path, flags, capsys):
    file, forest = tmp_path / "certificates.json", tt.read_trace(shared_file).forest
    asked = ("--capacity", 5200, "--xi", 600, *flags.split())
    assert run("optimum", shared_file, *asked, "--certificate", file) == 0
    (entry,) = json.loads(file.read_text())["certificates"]
    refused, places = set(), list(numbers(entry))
    assert {("capacity",), ("xi",), ("forced",), ("prefixes", "block_size"), ("prefixes", "running")} <= set(
        places
    )
    for path in places:
        for step in (1, -1):
            other = json.loads(json.dumps(entry))
            place = other
            for key in path[:-1]:
                place = place[key]
            value = place[path[-1]]
            place[path[-1]] = not value if isinstance(value, bool) else value + step
            data = {"teltheory_certificates": 2, "certificates": [other], "sha256": digest_of([other])}
            file.write_text(json.dumps(data))
            code = run("check-certificate", file, shared_file)
            assert code == 2 or (code == 0 and is_true(forest, other)), path
            if code == 2:
                refused.add((path[0], step))
                assert capsys.readouterr().err.count("\n") == 1
    assert {("objective", 1), ("objective", -1), ("kept", 1), ("prefixes", 1)} <= refused


CHANGES = [
    ({"block_size": 300}, "block_size: found 300, expected a multiple or a whole part of 512 tokens"),
    ({"block_size": 0}, "prefixes, block_size: found 0, expected 1 or more"),
    ({"cache": "radix"}, "prefixes, cache: found 'radix', expected strict or holes"),
    ({"without": 7}, "prefixes, without: found 7, expected a text or null"),
    ({"without": "head"}, "--without: found 'head', expected system-prompt, tools or tokens such as"),
    ({"without": "system-prompt"}, "certificates[0], "),
    ({"more": 1}, "prefixes: expected an object with block_size, cache, running, without"),
]


@pytest.mark.parametrize(("change", "told"), CHANGES, ids=lambda value: str(value)[:30])
def test_another_reading_is_refused_in_one_line(refused, shared_file, written, change, told):
    file = written()
    entries = json.loads(file.read_text())["certificates"]
    entries[0]["prefixes"] |= change
    data = {"teltheory_certificates": 2, "certificates": entries, "sha256": digest_of(entries)}
    file.write_text(json.dumps(data))
    assert told in refused("check-certificate", file, shared_file)


def test_a_certificate_of_one_reading_does_not_prove_the_other(refused, shared_file, trace_file, written):
    file = written()
    told = refused("check-certificate", file, trace_file)
    assert "certificates[0], prefixes: found a trace without block hashes, expected one in blocks of 512" in told
    entries = json.loads(file.read_text())["certificates"]
    for entry in entries:
        del entry["prefixes"]
    data = {"teltheory_certificates": 2, "certificates": entries, "sha256": digest_of(entries)}
    file.write_text(json.dumps(data))
    assert "certificates[0]" in refused("check-certificate", file, shared_file)


def test_chains_have_the_certificate_of_before(run, shared_file, written, capsys):
    file = written("--chains")
    entries = json.loads(file.read_text())["certificates"]
    assert all("prefixes" not in entry for entry in entries)
    assert [entry["capacity"] for entry in entries] == [2000, 4100]
    assert run("check-certificate", file, shared_file) == 0
    assert "what requests share by their block hashes is left aside" in " ".join(capsys.readouterr().out.split())


WRONG = [
    ("--cache radix", "'--cache': 'radix' is not one of 'strict', 'holes'"),
    ("--goal slo --cache holes", "--cache: found 'holes', expected none with --goal slo"),
    ("--chains --cache holes", "--cache: found 'holes', expected none with --chains"),
    ("--running 2", "--running: found 2, expected --forced with it"),
]


@pytest.mark.parametrize(("flags", "told"), WRONG)
def test_what_does_not_go_together_is_one_line(refused, shared_file, flags, told):
    assert told in refused("optimum", shared_file, "--capacity", 2000, "--xi", 600, *flags.split())


def test_the_mooncake_trace_has_its_known_optimum_and_proof(in_words, run_json, mooncake, tmp_path):
    file = tmp_path / "proof.json"
    (row,) = run_json("optimum", mooncake, "--capacity", 586 * SIZE, "--slo", "2s", "--certificate", file)["rows"]
    assert (row["lower"], row["lru"]) == (36_692, 48_261)
    assert row["upper"] <= 1.005 * row["lower"]
    assert "no policy has less TEL than 36,692 (proved by" in in_words("check-certificate", file, mooncake)
