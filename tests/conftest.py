import gc
import json
import logging
import os
import signal
import sqlite3
from pathlib import Path

# Workers fill all cores: threads of BLAS would wait for each other, and a wait of theirs is work of a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import Phase, settings
from no_skips import pytest_sessionfinish, pytest_terminal_summary
from report.chromium import chromium

import teltheory as tt
from teltheory.base import progress
from teltheory.base.processes import cores
from teltheory.cost.bootstrap import Blocks
from teltheory.model.numbers import readonly
from teltheory.workloads import data_folder

__all__ = ["chromium", "pytest_sessionfinish", "pytest_terminal_summary"]

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A run in the background of a shell ignores interrupts, and so would the commands that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# pytest-xdist tells its workers a width of 80; commands print for no terminal at all.
os.environ.pop("COLUMNS", None)
# Tests compile copies of the C files whose speed does not matter.
os.environ["CFLAGS"] = "-O0"
# A busy machine loads for long; only the test of that line asks for it.
progress.PATIENCE = 3600.0

# Collecting tests makes many objects and no garbage; to look for some took half of its time.
gc.disable()

ROOT = Path(__file__).parents[1]
UNSHRUNK = (Phase.explicit, Phase.generate)

EXAMPLES = 100 if os.environ.get("TELTHEORY_TESTS") else 12

settings.register_profile("teltheory", deadline=None, max_examples=EXAMPLES)
settings.register_profile("mutants", settings.get_profile("teltheory"), phases=UNSHRUNK, database=None)
settings.load_profile("mutants" if os.environ.get("TELTHEORY_TESTS") == "mutants" else "teltheory")


def pytest_xdist_auto_num_workers():
    """One worker more than there are cores, as tests also wait for processes, sockets and browsers."""
    return cores() + 1


def pytest_configure(config):
    """Every other worker reads the tests from the end, and finds compiled what another has read from the start."""
    if config.args == ["tests"] and os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579":
        folders = (path for path in (ROOT / "tests").glob("[a-z]*") if path.is_dir())
        config.args = sorted(map(str, [*folders, *(ROOT / "tests").glob("test_*.py")]), reverse=True)


def pytest_collection_modifyitems(items):
    """Bring the tests into one order, whichever they were read in; files that read the whole tree go first."""
    places = {item.path: (item.path.parent != ROOT / "tests", item.path) for item in items}
    items.sort(key=lambda item: places[item.path])


def pytest_collection_finish():
    """Look for garbage from now on, but not among the tests and what they import."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def remembered(draw):
    """A function that draws, but for a generator in a state that it was given before: then what it drew then."""
    found = {}

    def drawn(blocks, number, draws, rng):
        asked = len(blocks), number, draws, repr(rng.bit_generator.state)
        if asked not in found:
            if len(found) > 40:
                found.clear()
            found[asked] = readonly(draw(blocks, number, draws, rng)), rng.bit_generator.state
        value, rng.bit_generator.state = found[asked]
        return value

    return drawn


class Unsynced(sqlite3.Connection):
    """A store that waits for no disk: what it wrote survives a kill, if not a machine that stops."""

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.execute("PRAGMA synchronous = OFF")


@pytest.fixture(scope="session", autouse=True)
def stores_and_draws_cost_little():
    """Stores wait for no disk; half of an advice is to draw, and most tests advise on the same few traces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", Unsynced)
        for name in ("draw", "draw_elsewhere"):
            patch.setattr(Blocks, name, remembered(getattr(Blocks, name)))
        yield


@pytest.fixture(scope="session")
def shared():
    """Find real data by its name, or skip the test."""

    def find(name):
        if not (data_folder() / name).exists():
            pytest.skip(f"{name} is not in the data folder")
        return data_folder() / name

    return find


@pytest.fixture(scope="session")
def ledger():
    """All rows by their names, as the last `make ledger` has decided them; `make test-ledger` does so first."""
    return {row["id"]: row for row in json.loads((ROOT / "out" / "ledger.json").read_text())["claims"]}


@pytest.fixture(scope="session")
def ledger_and_errata():
    """The site's pages of these rows, as Markdown."""
    from documents.ledger import documents

    return documents()


@pytest.fixture(scope="session")
def mooncake(shared):
    return shared("mooncake_conversation.jsonl")


@pytest.fixture(scope="session")
def mooncake_trace(mooncake):
    return tt.read_trace(mooncake)


@pytest.fixture
def mooncake_blocks(mooncake_trace):
    """The forest of the Mooncake trace: full blocks, inputs alone."""
    return mooncake_trace.blocks


@pytest.fixture(autouse=True)
def loggers_as_before():
    """Take away handlers that a test left on the root logger: they would write to streams that are closed."""
    before = list(logging.root.handlers)
    yield
    for handler in list(logging.root.handlers):
        if handler not in before and not type(handler).__module__.startswith("_pytest"):
            logging.root.removeHandler(handler)
