import json
import os
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest
from refusals import refused
from stored import rows, sealed
from sweep.noting import some_trace
from waiting import wait_for

from teltheory.base import store as store_module
from teltheory.base.store import Results
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.errors import FileError
from teltheory.policies.online import LRU
from teltheory.policies.spec import Spec
from teltheory.sweep import Grid, Store, sweep
from teltheory.sweep.jobs import Measurement, ReplayJob

EMPTY = Measurement(None, None, None, None, 0.0, 0, 0, 0, 0, 0)
SOME = Measurement(0.1, 1 / 3, 2.0, 1e-300, 0.3, 2**70, 3, 2**63, 5, 2**65)
GRID = Grid([Spec("lru"), Spec("tlru"), Spec("belady")], (9, 30), (5, 9), q_hat=4)
MEASUREMENTS = 2 * (2 + 2 + 2 + 2)
"""Two capacities; LRU, T-LRU, Belady and the optimum at two thresholds."""


def job(capacity, thresholds=(1, 2)):
    return ReplayJob("f" * 64, 5, LRU(), capacity, False, A100_LLAMA2_7B, thresholds)


@pytest.fixture
def store(tmp_path):
    """A store with the measurements of two jobs, four rows."""
    made = Store(tmp_path / "out.store")
    made.add(job(1), [EMPTY, SOME])
    made.add(job(2), [SOME, EMPTY])
    return made.path


def test_what_goes_in_comes_out(store):
    again = Store(store)
    assert len(again) == 4
    assert [again.find(job(1), xi) for xi in (1, 2, 3)] == [EMPTY, SOME, None]
    assert [again.find(job(2), xi) for xi in (1, 2)] == [SOME, EMPTY]
    assert again.find(job(3), 1) is None
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_opening_makes_no_file_and_adding_makes_one(tmp_path):
    made = Store(tmp_path / "one")
    assert len(made) == 0
    assert list(tmp_path.iterdir()) == []
    made.add(job(1), [EMPTY, SOME])
    assert [file.name for file in tmp_path.iterdir()] == ["one"]


DAMAGES = [
    ({"tel": None}, "no field 'tel'"),
    ({"more": 1}, "a field 'more'"),
    ({"tel": -1}, "tel -1"),
    ({"p50": "x"}, "p50 'x'"),
    ({"prefilled": 1.5}, "prefilled 1.5"),
    ({"hit_rate": 1.5}, "hit_rate 1.5"),
    ("[1]", "no JSON object"),
    (b"\xff", "no JSON object"),
]


@pytest.mark.parametrize(("change", "told"), DAMAGES)
def test_a_damaged_row_is_named(store, change, told):
    found = rows(store)[2][1]
    if isinstance(change, dict):
        changed = {**found, **change}
        change = json.dumps({name: value for name, value in changed.items() if (name, value) != ("tel", None)})
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("UPDATE results SET found = ? WHERE rowid = 3", (change,))
        sealed(database)
    refused(FileError, f"sweep result 3: found {told}", Store, store)


ALTERED = [
    "found = replace(found, '0.3333', '0.3433')",
    "found = replace(found, '2.0', '2.1')",
    "about = replace(about, '\"capacity\":2', '\"capacity\":3')",
    "digest = NULL",
    "kind = 'served sweep'",
]


@pytest.mark.parametrize("altered", ALTERED)
def test_an_altered_digit_and_a_lost_digest_are_refused(store, altered):
    with closing(sqlite3.connect(store)) as database, database:
        database.execute(f"UPDATE results SET {altered} WHERE rowid = 3")
    refused(FileError, r"sweep result \d: found a row that its digest does not fit, expected", Store, store)


def without_digests(path):
    Store(path).add(job(1), [EMPTY, SOME])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("ALTER TABLE results DROP COLUMN digest")
        database.execute("PRAGMA user_version = 0")


def foreign_database(path):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE results (mine TEXT)")


def broken_store(path):
    Store(path).add(job(1), [EMPTY, SOME])
    path.write_bytes(path.read_bytes()[:3000] + b"x" * 3000)


FOREIGN = [
    (lambda path: path.write_text("conversation,prompt,response\n"), "found no store"),
    (lambda path: path.write_bytes(b"\x00\xff"), "found no store"),
    (Path.touch, "found no store"),
    (foreign_database, "found no store"),
    (broken_store, "malformed"),
    (without_digests, "found a store whose rows have no digests"),
    (lambda path: path.write_text('{"teltheory_sweep": 2, "key"'), "found a store of an earlier version"),
]


@pytest.mark.parametrize(("make", "told"), FOREIGN)
def test_a_file_that_is_no_store_is_an_error_and_stays_as_it_is(tmp_path, make, told):
    file = tmp_path / "foreign"
    make(file)
    content = file.read_bytes()
    refused(FileError, told, lambda: sweep(some_trace(), GRID, A100_LLAMA2_7B, store=file))
    assert file.read_bytes() == content


def test_a_place_that_cannot_be_written_is_an_error_at_once(tmp_path):
    refused(FileError, "found no folder", lambda: Store(tmp_path / "no" / "out.store"))
    refused(FileError, "found a folder", Store, tmp_path)


def test_a_transaction_that_fails_leaves_nothing_of_it(store, monkeypatch):
    monkeypatch.setattr(store_module, "text_of", lambda plain: None if "p50" in plain else json.dumps(plain))
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON results BEGIN SELECT RAISE(FAIL, 'full'); END")
    before = rows(store)
    refused(FileError, "full", lambda: Store(store).add(job(3), [SOME, SOME]))
    assert rows(store) == before


def add_many(path, capacities):
    (path.parent / f"ready.{os.getpid()}").touch()
    wait_for(lambda: len([*path.parent.glob("ready.*")]) == 2)
    for capacity in capacities:
        Store(path).add(job(capacity, tuple(range(20))), [SOME] * 20)


def test_two_writers_do_not_harm_each_other(tmp_path):
    path = tmp_path / "out.store"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        end = pool.submit(add_many, path, range(10))
        add_many(path, range(5, 15))
        end.result()
    assert len(Store(path)) == len(rows(path)) == 15 * 20


def test_a_full_store_computes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "out.store"
    first = sweep(some_trace(), GRID, A100_LLAMA2_7B, store=path)
    assert len(rows(path)) == MEASUREMENTS
    monkeypatch.setattr(ReplayJob, "run", None)
    monkeypatch.setattr(Results, "add", None)
    told = []
    again = sweep(
        some_trace(), GRID, A100_LLAMA2_7B, lambda *done: told.append(done), store=Store(path), workers=3
    )
    assert again == first == sweep(some_trace(), GRID, A100_LLAMA2_7B, store=str(path))
    assert set(told) == {(12 * 60, 12 * 60)}


def test_another_threshold_computes_only_what_is_missing(tmp_path):
    path = tmp_path / "out.store"
    sweep(some_trace(), Grid(GRID.policies, (9,), (5,), 4), A100_LLAMA2_7B, store=path)
    before = len(rows(path))
    cells = sweep(some_trace(), Grid(GRID.policies, (9,), (5, 9), 4), A100_LLAMA2_7B, store=path)
    assert cells == sweep(some_trace(), Grid(GRID.policies, (9,), (5, 9), 4), A100_LLAMA2_7B)
    assert [about["xi"] for about, _ in rows(path)[before:]] == [9, 9, 9, 9]
