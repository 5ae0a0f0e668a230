import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from sweep.noting import some_trace

from teltheory.errors import FileError
from teltheory.latency import A100_LLAMA2_7B
from teltheory.policies.online import LRU
from teltheory.policies.spec import Spec
from teltheory.records import cut_away_unfinished, locked
from teltheory.sweep import Grid, Store, sweep
from teltheory.sweep.jobs import Job, Measurement

EMPTY = Measurement(None, None, None, None, 0.0, 0, 0, 0)
SOME = Measurement(0.1, 1 / 3, 2.0, 1e-300, 0.3, 2**70, 3, 2**70)
GRID = Grid([Spec("lru"), Spec("tlru"), Spec("belady")], (9, 30), (5, 9), q_hat=4)
MEASUREMENTS = 2 * (2 + 2 + 2 + 2)
"""Two capacities; LRU, T-LRU, Belady and the optimum at two thresholds."""


def job(capacity, thresholds=(1, 2)):
    return Job("f" * 64, 5, LRU(), capacity, False, A100_LLAMA2_7B, thresholds)


@pytest.fixture
def store(tmp_path):
    """A store with the measurements of two jobs, four lines."""
    made = Store(tmp_path / "store.jsonl")
    made.add(job(1), [EMPTY, SOME])
    made.add(job(2), [SOME, EMPTY])
    return made.path


def test_what_goes_in_comes_out(store):
    again = Store(store)
    assert len(again) == 4
    assert [again.find(job(1), xi) for xi in (1, 2, 3)] == [EMPTY, SOME, None]
    assert [again.find(job(2), xi) for xi in (1, 2)] == [SOME, EMPTY]
    assert again.find(job(3), 1) is None


def test_opening_makes_no_file(tmp_path):
    assert len(Store(tmp_path / "none.jsonl")) == 0
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_a_store(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    assert len(Store(tmp_path / "empty.jsonl")) == 0


def test_a_line_cut_off_anywhere_is_missing_and_harms_no_later_one(store):
    whole = store.read_bytes()
    *kept, last = whole.splitlines(keepends=True)
    for cut in range(1, len(last)):
        store.write_bytes(b"".join(kept) + last[:cut])
        torn = Store(store)
        assert len(torn) == 3, cut
        assert torn.find(job(2), 2) is None
        if cut % 37 == 1 or cut == len(last) - 1:
            torn.add(job(3, (7,)), [SOME])
            again = Store(store)
            assert len(again) == 4
            assert again.find(job(3), 7) == SOME
            assert store.read_bytes().startswith(b"".join(kept) + b'{"teltheory_sweep"')


def test_a_store_that_is_all_one_cut_off_line(store):
    store.write_bytes(store.read_bytes()[:20])
    Store(store).add(job(1), [EMPTY, SOME])
    assert len(Store(store)) == 2


def damaged(lines, number, change):
    record = json.loads(lines[number - 1])
    change(record)
    return [*lines[: number - 1], json.dumps(record), *lines[number:]]


DAMAGES = [
    (lambda lines: [lines[0], lines[1][:50], *lines[2:]], "line 2: found a line that is no JSON"),
    (lambda lines: [lines[0], "", *lines[1:]], "line 2: found a line that is no JSON"),
    (lambda lines: [*lines, "[1, 2]"], "line 5: found a line without 'teltheory_sweep'"),
    (lambda lines: damaged(lines, 3, lambda r: r.pop("tel")), "line 3: found no field 'tel'"),
    (lambda lines: damaged(lines, 3, lambda r: r.update(more=1)), "line 3: found a field 'more'"),
    (lambda lines: damaged(lines, 3, lambda r: r.update(tel=-1)), "line 3: found tel -1"),
    (lambda lines: damaged(lines, 3, lambda r: r.update(p50="x")), "line 3: found p50 'x'"),
    (lambda lines: damaged(lines, 3, lambda r: r.update(prefilled=1.5)), "line 3: found prefilled 1.5"),
    (lambda lines: damaged(lines, 3, lambda r: r.update(hit_rate=1.5)), "line 3: found hit_rate 1.5"),
    (lambda lines: damaged(lines, 3, lambda r: r.update(hit_rate=None)), "line 3: found hit_rate None"),
    (lambda lines: damaged(lines, 4, lambda r: r.update(capacity=9)), "line 4: found a key that does not belong"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGES)
def test_a_damaged_line_is_named(store, damage, told):
    text = "\n".join(damage(store.read_text().splitlines())) + "\n"
    store.write_text(text)
    with pytest.raises(FileError, match=told) as error:
        Store(store)
    assert str(error.value).startswith(f"{store}, line ")
    assert store.read_text() == text


@pytest.mark.parametrize(
    "content", ["conversation,prompt,response\n", "hello", '{"a": 1}', '{"a": 1}\n', "\x00\xff"]
)
def test_a_foreign_file_is_an_error_and_stays_as_it_is(tmp_path, content):
    file = tmp_path / "foreign"
    file.write_text(content)
    with pytest.raises(FileError, match=r"line 1: found .*, expected a record of a sweep"):
        sweep(some_trace(), GRID, A100_LLAMA2_7B, store=file)
    assert file.read_text() == content


def test_records_of_another_format_are_passed_over_and_kept(store):
    other = '{"teltheory_sweep": 3, "whatever": [1]}\n'
    store.write_text(other + store.read_text() + other)
    again = Store(store)
    assert len(again) == 4
    again.add(job(3), [EMPTY, EMPTY])
    assert store.read_text().count(other) == 2
    assert len(Store(store)) == 6


def test_a_place_that_cannot_be_written_is_an_error_at_once(tmp_path):
    with pytest.raises(FileError, match="found no folder"):
        Store(tmp_path / "no" / "store.jsonl")
    with pytest.raises(FileError, match="found a folder"):
        Store(tmp_path)


def test_a_full_disk_leaves_whole_records(store, monkeypatch):
    whole, write = store.read_bytes(), os.write
    monkeypatch.setattr("teltheory.records.os.write", lambda file, data: write(file, data[:70]))
    with pytest.raises(FileError, match="No space"):
        Store(store).add(job(3), [SOME, SOME])
    assert store.read_bytes() == whole


def add_many(path, capacities):
    """Add measurements, and after each what a writer leaves that is killed while it writes."""
    for capacity in capacities:
        with path.open("a+b") as file, locked(file.fileno()):
            cut_away_unfinished(file.fileno())
            file.write(b'{"teltheory_sweep": 2, "key"' * 200)
            file.flush()
        Store(path).add(job(capacity, tuple(range(20))), [SOME] * 20)


def test_two_writers_do_not_harm_each_other(tmp_path):
    path = tmp_path / "store.jsonl"
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        ends = [pool.submit(add_many, path, range(start, start + 40)) for start in (0, 40)]
        for end in ends:
            end.result()
    assert len(Store(path)) == 80 * 20
    assert path.read_bytes().count(b"\n") == 80 * 20


def test_a_full_store_computes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "store.jsonl"
    first = sweep(some_trace(), GRID, A100_LLAMA2_7B, store=path)
    content = path.read_bytes()
    assert content.count(b"\n") == MEASUREMENTS

    def compute(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(Job, "run", compute)
    told = []
    again = sweep(
        some_trace(), GRID, A100_LLAMA2_7B, lambda *done: told.append(done), store=Store(path), workers=3
    )
    assert again == first == sweep(some_trace(), GRID, A100_LLAMA2_7B, store=str(path))
    assert path.read_bytes() == content
    assert set(told) == {(12 * 60, 12 * 60)}


def test_another_threshold_computes_only_what_is_missing(tmp_path):
    path = tmp_path / "store.jsonl"
    sweep(some_trace(), Grid(GRID.policies, (9,), (5,), 4), A100_LLAMA2_7B, store=path)
    before = path.read_text().splitlines()
    cells = sweep(some_trace(), Grid(GRID.policies, (9,), (5, 9), 4), A100_LLAMA2_7B, store=path)
    assert cells == sweep(some_trace(), Grid(GRID.policies, (9,), (5, 9), 4), A100_LLAMA2_7B)
    added = [json.loads(line) for line in path.read_text().splitlines()[len(before) :]]
    assert [record["xi"] for record in added] == [9, 9, 9, 9]


def test_the_store_does_not_tell_how_it_was_made(tmp_path):
    made = []
    for workers in (1, 2, 3):
        path = tmp_path / f"{workers}.jsonl"
        sweep(some_trace(), GRID, A100_LLAMA2_7B, store=path, workers=workers)
        made.append(sorted(path.read_text().splitlines()))
    assert made[0] == made[1] == made[2]
