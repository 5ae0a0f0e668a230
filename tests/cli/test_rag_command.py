"""`teltheory rag serve` on a user's own documents, and what it says of bad input."""

import json

import pytest

from teltheory.cli.rag.serve import usual_index
from teltheory.systems.rag.indexes import IVF, FlatL2
from teltheory.systems.rag.systems import GPU_LRU, NONE, RAGCACHE

DOCUMENTS = (
    ("caches", "a cache keeps what was computed so that it need not be computed again " * 9),
    ("tails", "the tail of a latency is what the slowest requests take and users remember " * 7),
    ("queues", "a queue forms if requests come faster than a server can answer them " * 8),
    ("trees", "a tree of prefixes shares what requests begin with from its root down " * 6),
)
QUESTIONS = (
    "what does a cache keep",
    "who remembers the tail",
    "when does a queue form",
    "what does a tree share",
)
TIERS = ("--tier", "500", "--tier", "2k:pcie4")
ASKED = ("--index", "flat", "--requests", "25", "--rate", "5,40", "--stage-times", "stages.json")


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder with documents and questions, which is the current one."""
    monkeypatch.chdir(tmp_path)
    documents = [{"id": name, "text": text} for name, text in DOCUMENTS]
    questions = [{"text": text, "about": name} for text, (name, _) in zip(QUESTIONS, DOCUMENTS, strict=True)]
    for name, records in (("documents", documents), ("questions", questions)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return "documents.jsonl", "--queries", "questions.jsonl"


def test_systems_serve_the_same_questions_and_runs_repeat(run_json, mine, monkeypatch):
    drawn = {}
    monkeypatch.setattr("teltheory.cli.asked.pictures.write_figure", drawn.__setitem__)
    asked = ("rag", "serve", *mine, *ASKED, *TIERS)
    limits, again = run_json(*asked, "--within", "5"), run_json(*asked, "--figure", "rates.svg")
    rows = {(row["system"], row["rate"]): row for row in limits["rows"]}
    assert [row | {"highest_rate": None} for row in limits["rows"]] == again["rows"]
    assert len(rows) == 2 * len(dict.fromkeys(system for system, _ in rows))
    for rate in (5, 40):
        assert rows[NONE, rate]["tokens"] == 0 == rows[GPU_LRU, rate]["copied"]
        assert rows[RAGCACHE, rate]["mean"] < rows[NONE, rate]["mean"]
    assert rows[RAGCACHE, 5]["highest_rate"] > rows[NONE, 5]["highest_rate"] > 5
    least, best = limits["hindsight"]["tel"]
    assert least <= best == min(row["tel"] for row in limits["policies"])
    assert {"lru", "lfu", "gdsf", "pgdsf", "t-lru"} <= {row["policy"] for row in limits["policies"]}
    lines = [line for panel in drawn["rates.svg"].axes for line in panel.get_lines()]
    means = {line.get_label(): line.get_ydata().tolist() for line in drawn["rates.svg"].axes[0].get_lines()}
    assert means == {name: [rows[name, rate]["mean"] for rate in (5, 40)] for name in (NONE, GPU_LRU, RAGCACHE)}
    assert {line.get_label() for line in lines} == {system for system, _ in rows}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--rate", "-1"), "--rate: found '-1', expected requests a second, a number above 0"),
        (("--rate", "often"), "--rate: found 'often', expected requests a second"),
        (("--tier", "100", "--tier", "2k"), "document caches: found '168 tokens', expected at most 100, the GPU"),
        (("--tier", "200", "--tier", "2k"), "expected at most 200 tokens of documents, the GPU tier"),
        (("--tier", "500"), "--tier: found '500', expected two of them, GPU and host"),
        (("--tier", "500", "--tier", "2k:sneakers"), "--tier: found 'sneakers', expected pcie4, pcie5"),
        (("--top-k", "9"), "k: found 9, expected from 1 to 4, the documents of the corpus"),
        (("--index", "ivf"), "lists: found 64, expected at most 4, the documents of the corpus"),
        (("--index", "ivf:lots=2"), "--index: found 'ivf:lots=2', expected lists, probe, stages, seed"),
        (("--index", "ivf:name=2"), "--index: found 'ivf:name=2', expected lists, probe, stages, seed"),
        (("--index", "tree"), "--index: found 'tree', expected one of flat, ivf, hnsw"),
        (("--zipf", "-1"), "zipf: found -1.0"),
        (("--speculation", "perhaps"), "speculation: found 'perhaps'"),
        (("--document-tokens", "words:none"), "document_tokens: found 'words:none', expected words:4/3"),
        (("--vectors", "mine.npy"), "expected two, --vectors and --query-vectors"),
        (("--within", "1"), "--within: found 1.0, expected a number above 1"),
        (("--lose-gpu", "5"), "--lose-gpu: found '5', expected a time with its unit"),
        (("--xi", "5", "--slo", "1s"), "--slo: found '1s', expected none with --xi"),
        (("--figure", "rates.txt"), "figure: found 'rates.txt', expected a file that ends in .png"),
        (("--question", "Who?"), "queries: found 'questions.jsonl', expected none with --question"),
    ],
)
def test_bad_input_is_one_line(refused, mine, given, told):
    tiers = () if "--tier" in given else TIERS
    asked = () if {"--rate", "--index"} & set(given) else ("--index", "flat")
    assert told in refused("rag", "serve", *mine, "--requests", "50", *asked, *given, *tiers)


def test_who_takes_longer_than_the_slo(output, run_json, mine):
    asked = ("rag", "serve", *mine, *ASKED, *TIERS, "--rate", "2", "--slo", "20ms")
    rows = {row["system"]: row for row in run_json(*asked)["rows"]}
    assert rows[NONE]["slow"] > rows[RAGCACHE]["slow"] > 0
    assert (rows[NONE]["p50"] > 0.02) == (rows[NONE]["slow"] > 0.5)
    assert " slow" in output(*asked)


def test_what_is_infinite_is_null(run_json, mine):
    asked = ("rag", "serve", *mine, *TIERS, "--index", "flat", "--requests", "2", "--within", "1000")
    assert {row["highest_rate"] for row in run_json(*asked)["rows"]} == {None}


def test_a_lost_gpu_costs_less_with_replicas(run_json, mine):
    asked = ("rag", "serve", *mine, *ASKED, "--tier", "3k", "--tier", "4k:pcie4", "--rate", "2")
    loss = ("--lose-gpu", "5s,10s")
    runs = (run_json(*asked, *more)["rows"] for more in ((), (*loss, "--host-copies", "2"), loss))
    kept, copied, lost = ({row["system"]: row["mean"] for row in rows} for rows in runs)
    assert kept[RAGCACHE] < copied[RAGCACHE] < lost[RAGCACHE]
    assert kept[GPU_LRU] < lost[GPU_LRU]


def test_tiers_in_bytes_are_tokens_of_the_model(run_json, mine):
    sized = run_json("rag", "serve", *mine, *ASKED, "--tier", "250MiB", "--tier", "1000MiB:pcie4")
    assert sized["rows"] == run_json("rag", "serve", *mine, *ASKED, *TIERS)["rows"]
    assert sized["said"][-2:] == [
        "Capacity 250MiB is 500 tokens of 524,288 bytes (llama-2-7b).",
        "Capacity 1000MiB is 2,000 tokens of 524,288 bytes (llama-2-7b).",
    ]


def test_questions_about_no_document_are_refused(refused, mine, tmp_path):
    expected = "document: found 'nothing', expected the name of one of the 4 documents"
    (tmp_path / "questions.jsonl").write_text('{"text": "what is it about", "about": "nothing"}\n')
    assert expected in refused("rag", "serve", *mine, *TIERS)


def test_a_file_that_is_no_list_of_documents_is_refused(refused, mine, tmp_path):
    (tmp_path / "number.json").write_text("5")
    assert "number.json" in refused("rag", "serve", "number.json", *mine[1:], *TIERS)


def test_stage_times_of_another_index_are_refused(run, refused, mine):
    asked = ("rag", "serve", *mine, *TIERS, "--requests", "50", "--stage-times", "stages.json")
    assert run(*asked, "--index", "flat") == 0
    told = refused(*asked, "--index", "ivf:lists=2,probe=2,stages=2")
    assert "seconds, index: found 'FlatL2', expected 'IVF'" in told


@pytest.mark.parametrize(
    "asked", [("--queries", "q.txt"), ("--question", "Who wrote Emma?", "--question", "When?")]
)
def test_three_documents_and_questions_as_text_are_served(run, capsys, tmp_path, monkeypatch, asked):
    monkeypatch.chdir(tmp_path)
    for name in ("emma", "moby", "odyssey"):
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / f"{name}.txt").write_text(f"{name} is a book about {name} and what {name} did")
    (tmp_path / "q.txt").write_text("Who wrote Emma?\n\nWhen?\n")
    tiers = ("--tier", "1k", "--tier", "10k:pcie4")
    assert run("rag", "serve", "mine", *asked, *tiers, "--requests", "20") == 0
    said = capsys.readouterr().out
    assert "Search: FlatL2" in said
    assert "Questions: 2 questions of" in said


def test_as_many_documents_as_lists_have_an_index_of_lists():
    assert (usual_index(63), usual_index(64)) == (FlatL2(), IVF())
