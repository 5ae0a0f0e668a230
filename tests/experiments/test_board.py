"""The board's command writes what `tt.compare` finds, and prints digests and the online rows of one place."""

import csv
from hashlib import sha256

from shared_prompts import SIZE, write_prompts

import teltheory as tt
from experiments import board


def test_the_board_is_what_compare_finds(tmp_path, monkeypatch, capsys):
    write_prompts(tmp_path / "one.jsonl", 400, seed=4)
    place, slo = 10 * SIZE, "100ms"
    xi = tt.A100_LLAMA2_7B.threshold("100ms")
    monkeypatch.setattr(board, "TRACES", (board.OnBoard("one", "one.jsonl", (f"{place}",), (slo,), (place, xi)),))
    board.main([str(tmp_path / "out"), "--data", str(tmp_path), "--policy", "lru,tlru,belady"])
    forest = tt.read_trace(tmp_path / "one.jsonl").forest
    found = tt.compare({"one": forest}, ["lru", "tlru", "belady"], [f"{place}"], [slo]).rows
    with (tmp_path / "out" / "board.csv").open(newline="") as opened:
        assert [row["tel"] for row in csv.DictReader(opened)] == [str(row.tel) for row in found]
    assert "belady" in (tmp_path / "out" / "board.html").read_text()
    told = capsys.readouterr().out
    assert sha256((tmp_path / "one.jsonl").read_bytes()).hexdigest() in told
    rows = [line.split(" | ") for line in told.splitlines() if line.startswith(("| lru", "| tlru", "| belady"))]
    assert [(row[0], row[3]) for row in rows] == [(f"| {row.policy}", f"{row.tel:,}") for row in found[:2]]


def test_a_folder_is_as_its_files_and_their_order(tmp_path):
    for name, text in (("b", "2"), ("a", "1")):
        (tmp_path / name).write_text(text)
    each = "".join(sha256(text.encode()).hexdigest() for text in "12")
    assert board.digest(tmp_path) == sha256(each.encode()).hexdigest()
