import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from statistics import median

import pytest

from teltheory.bench import door, forests, peers, run, servers, timing
from teltheory.bench.growth import base_of
from teltheory.bench.replays import GROWING, policies
from teltheory.bench.workload import BenchPlan
from teltheory.cli import main
from teltheory.cli.bench import lines_above, tables
from teltheory.cli.printed.output import WIDTH

SECTIONS = ("against_libcachesim", "against_python", "replays", "expected", "optima")
WAYS = forests.AS_CHAINS, forests.AS_FOREST
FORESTS = ("forest", "long_forest", "conversations", "rag_server")


def bench(*arguments):
    with pytest.raises(SystemExit) as stop:
        main(["bench", *map(str, arguments)])
    return stop.value.code


@pytest.fixture(scope="module", autouse=True)
def without_repetition():
    """Each timing is that of few calls: what is tested is what is made of the seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "SHORTEST", 0.001)
        patch.setattr(run, "MOST_TURNS_OF_OTHERS", 200)
        patch.setattr(peers, "DEFAULT_HASH_POWER", 18)
        patch.setattr(servers, "FEW_REQUESTS", 60)
        patch.setattr(forests, "FEW_REQUESTS", 300)
        patch.setattr(door, "DOORS", {door.NOTHING: ("-c", "pass"), "import sys": ("-c", "import sys")})
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    assert bench("--quick", "--turns", 4000, "--repeats", 2, "--json", file) == 0
    return json.loads(file.read_text())


@pytest.fixture
def measured_before(data, monkeypatch):
    """What neither the trace nor a peer changes is not measured again."""
    monkeypatch.setattr(run, "footprint", lambda *_: data["memory"])
    monkeypatch.setattr(run, "forest_footprint", lambda *_: data["forest_memory"])
    monkeypatch.setattr(run, "door", lambda *_: data["door"])
    monkeypatch.setattr(run, "growth", lambda *_: data["growth"])


@pytest.fixture
def sections_before(data, monkeypatch):
    """Nor are sections that no peer takes part in."""
    for name in ("whole_trace", "expected_tails", "hindsight", "long_forest", "conversations", "in_two_tiers"):
        monkeypatch.setattr(run, name, lambda *_: data["sections"]["replays"])
    monkeypatch.setattr(run, "rag_server", lambda *_: {})


def timings(section):
    return {row["name"]: row for row in section["rows"]}


def test_every_row_is_there(data):
    of = {name: set(timings(section)) for name, section in data["sections"].items()}
    assert of["replays"] == {*policies(), run.FIRST_CALL, run.CURVE, run.THOUSAND}
    ours = {"LRU", "T-LRU, least-recent", "T-LRU, round-robin", "Belady", "Tail-Optimized Belady"}
    theirs = {f"libcachesim {name}, hash power {power}" for name in ("LRU", "Belady") for power in (14, 15, 16)}
    assert of["against_libcachesim"] == ours | theirs | {"libcachesim LRU, hash power 18"}
    assert {"reference LRU", "reference T-LRU, least-recent"} <= of["against_python"]
    forest = {*forests.NAMES, forests.FIRST_CALL, forests.CURVE, forests.HEARS, forests.OPTIMUM, forests.CHECK}
    assert of["long_forest"] == forest
    assert of["forest"] == forest | {f"libcachesim LRU, hash power {power}" for power in (14, 15, 16)}
    assert of["conversations"] == {way.format(name) for name in forests.NAMES for way in WAYS}


@pytest.mark.parametrize("name", SECTIONS + FORESTS)
def test_medians_speeds_and_ratios_follow_from_the_seconds(data, name):
    section = data["sections"][name]
    rows = timings(section)
    assert section["ratios"]
    for row in rows.values():
        assert 0 < row["low"] <= row["median"] <= row["high"]
        assert row["median"] == median(row["seconds"])
        assert row["turns_a_second"] == pytest.approx(section["turns"] / row["median"])
        assert row["ns_a_turn"] == pytest.approx(1e9 / row["turns_a_second"])
        assert row["block_requests_a_second"] == pytest.approx(section["block_requests"] / row["median"])
    for ratio in section["ratios"]:
        slower, quicker = rows[ratio["slower"]], rows[ratio["quicker"]]
        assert ratio["ratio"] == pytest.approx(slower["median"] / quicker["median"])
        assert ratio["low"] <= ratio["ratio"] <= ratio["high"]


def test_libcachesim_is_compared_at_its_best_hash_power(data):
    section = data["sections"]["against_libcachesim"]
    rows = timings(section)
    for ratio in section["ratios"][:-1]:
        eviction = ratio["slower"].split()[1].rstrip(",")
        tried = [rows[f"libcachesim {eviction}, hash power {power}"]["median"] for power in (14, 15, 16)]
        assert rows[ratio["slower"]]["median"] == min(tried)
        assert ("Belady" in ratio["quicker"]) == (eviction == "Belady")


@pytest.mark.usefixtures("measured_before")
def test_growth_alone_compares_the_last_size_with_an_earlier_one_in_each_loop(capsys):
    assert bench("--growth", "--quick", "--turns", 4000, "--repeats", 1, "--json", "-") == 0
    growing = json.loads(capsys.readouterr().out)
    assert "sections" not in growing
    [table] = tables(growing)
    rows = growing["growth"]["rows"]
    assert table.row_count == len(rows) == len(GROWING) + 5
    kinds = ["every capacity", "as a forest", "two tiers", "sets of 5 modules", "8 replicas"]
    assert [row["name"] for row in rows] == [*GROWING, *(f"T-LRU, least-recent, {kind}" for kind in kinds)]
    for row in rows:
        costs = row["ns_a_turn"]
        assert list(costs) == ["1000", "4000"]
        assert row["factor"] == pytest.approx(costs["4000"] / costs["1000"])


def test_the_full_plan_grows_from_a_hundred_thousand_to_ten_million():
    plan = BenchPlan.of(10**7, 300_000)
    assert plan.sizes == (10**4, 10**5, 10**6, 10**7)
    assert base_of(plan.sizes) == 10**5


def test_a_replay_returns_sixteen_bytes_a_turn_and_its_index_stays(data):
    rows = {row["name"]: row for row in data["memory"]}
    kept = {name: row["kept"] / row["turns"] for name, row in rows.items()}
    assert kept["replay under LRU"] == pytest.approx(16, abs=3)
    assert 17 <= kept["index, and replay under LRU"] - kept["replay under LRU"] <= 100


def test_a_forest_and_its_runs_take_few_bytes_a_block(data):
    kept = {row["name"]: row["kept"] / row["turns"] for row in data["forest_memory"]}
    assert 16 <= kept["the forest itself"] <= 64  # its parents and lengths; at these sizes pages count
    assert sum(data["forest_memory"][i]["kept"] for i in (0, 1)) / data["forest_memory"][0]["turns"] <= 64


def test_every_table_fits_shows_every_row_and_names_no_host(data):
    assert any("a sample of the conversation model" in line for line in lines_above(data))
    assert max(map(len, lines_above(data))) <= WIDTH
    assert [table.row_count for table in tables(data)][:4] == [9, 12, 4, 12]
    assert os.uname().nodename not in json.dumps(data)
    assert "/" not in json.dumps(data["machine"])


@pytest.mark.usefixtures("measured_before", "sections_before")
def test_a_missing_peer_is_said_in_one_line_and_left_out(monkeypatch, capsys):
    def version(_):
        raise PackageNotFoundError

    monkeypatch.setattr(peers, "version", version)
    monkeypatch.setitem(sys.modules, "libcachesim", None)
    assert bench("--quick", "--turns", 1000, "--repeats", 1) == 0
    printed = capsys.readouterr().out
    lines = [line for line in printed.splitlines() if "libcachesim" in line]
    assert [line.partition(" pip")[0] for line in lines] == ["Left out: libcachesim is needed for `bench`:"]
    assert "reference LRU" in printed
    assert max(map(len, printed.splitlines())) <= WIDTH


@pytest.mark.long
@pytest.mark.usefixtures("measured_before")
def test_a_custom_trace_with_shortened_histories(tmp_path, capsys):
    turns = [f"{k % 7},{20 + k},{k % 30},{(k // 7) * 15}" for k in range(160)]
    file = tmp_path / "trace.csv"
    file.write_text("\n".join(["conversation,prompt,response,history", *turns]))
    assert bench("--quick", "--trace", file, "--turns", 150, "--repeats", 1, "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["plan"]["turns"] == found["sections"]["replays"]["turns"] == 150
    assert found["sections"]["against_libcachesim"]["ratios"]


def test_a_trace_that_is_too_short_is_an_error_on_one_line(tmp_path, capsys):
    file = tmp_path / "trace.csv"
    file.write_text("conversation,prompt,response\n1,20,30\n")
    assert bench("--trace", file) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "found 1 turns, expected 100 or more" in complaint


@pytest.mark.long
def test_an_interrupted_bench_ends_at_once_and_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "teltheory", "bench", "--turns", "200000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    )
    for _ in range(600):
        if list(tmp_path.iterdir()):
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    printed, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaint.strip() == "teltheory: interrupted"
    assert printed == ""
    assert list(tmp_path.iterdir()) == []
