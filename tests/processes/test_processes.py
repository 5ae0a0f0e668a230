import multiprocessing
import os
import pickle
import signal
import time
from contextlib import closing
from multiprocessing.pool import ThreadPool

import pytest
from processes.deeds import (
    die_on_odd,
    refuse,
    square,
    square_once_let,
    square_with_a_warning,
    square_without_interrupts,
)
from waiting import wait_for

from teltheory.base.processes import ATTEMPTS, on_processes
from teltheory.errors import ArgumentError, ForcedCachingError, SolverError, TraceError, WorkerError


def collect(answers, into):
    for answer in answers:
        into.append(answer)


def let_go(folder):
    wait_for(lambda: any(folder.iterdir()))
    (folder / "go").touch()


def test_every_item_is_done_once_in_a_process_that_no_interrupt_reaches():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    done = list(on_processes(square_without_interrupts, range(5), 2))
    assert sorted(done) == [(i, i * i) for i in range(5)]
    wait_for(lambda: not multiprocessing.active_children())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
    assert list(on_processes(square, [], 2)) == []


def test_a_warning_is_given_where_the_work_was_asked_for():
    with pytest.warns(UserWarning, match="squares may overflow"):
        assert sorted(on_processes(square_with_a_warning, range(2), 1)) == [(0, 0), (1, 1)]


def test_a_killed_process_is_replaced_and_its_item_alone_is_done_again(tmp_path):
    work = on_processes(square_once_let, [(str(tmp_path), number) for number in range(3)], 2)

    def kill_one_and_let_go():
        wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
        victim = sorted(tmp_path.iterdir())[0]
        os.kill(int(victim.suffix[1:]), signal.SIGKILL)
        (tmp_path / "go").touch()

    with ThreadPool(1) as thread:
        killing = thread.apply_async(kill_one_and_let_go)
        assert sorted(work) == [(0, 0), (1, 1), (2, 4)]
        killing.get()
    tries = [file.stem for file in tmp_path.iterdir()]
    assert sorted(tries) == ["0", "0", "1", "2", "go"]


def test_an_item_that_kills_three_processes_is_named_and_the_others_are_done():
    finished = []
    with pytest.raises(WorkerError, match=rf"item 3: found {ATTEMPTS} processes dead"):
        collect(on_processes(die_on_odd, [0, 3, 2, 4], 2, "item {}".format), finished)
    assert sorted(finished) == [(0, 0), (2, 4), (3, 16)]


def test_an_error_comes_over_as_it_was_raised():
    with pytest.raises(ForcedCachingError) as error:
        list(on_processes(refuse, [6], 1))
    assert (error.value.turn, error.value.length, error.value.capacity) == (6, 7, 5)
    assert str(error.value) == str(ForcedCachingError(6, 7, 5))
    assert "deeds.py" in str(error.value.__cause__)
    wait_for(lambda: not multiprocessing.active_children())


def test_closing_ends_processes_at_work_at_once(tmp_path, capfd):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with closing(on_processes(square_once_let, [(str(first), 1), (str(second), 2)], 2)) as work:
        with ThreadPool(1) as thread:
            let = thread.apply_async(let_go, [first])
            assert next(work) == (0, 1)
            let.get()
        wait_for(lambda: any(second.iterdir()))
        begin = time.monotonic()
    assert time.monotonic() - begin < 30
    wait_for(lambda: not multiprocessing.active_children())
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "error",
    [
        ArgumentError("capacity", -1, "0 or more"),
        TraceError("prompt", 3, -1, "0 or more"),
        ForcedCachingError(1, 2, 3),
        SolverError("Time limit reached", 1.0, None),
        WorkerError("job", "nothing"),
    ],
)
def test_errors_survive_the_way_between_processes(error):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
