"""The file of a probe: it resumes at any byte, and takes nothing for its own that is not."""

import json
import os

import pytest
from calibration.loopback import Engine, Law
from calibration.probing import ADDRESS, run_probe, small_plan, virtual
from refusals import refused

from teltheory.errors import FileError
from teltheory.server.grid import ProbePlan
from teltheory.server.record import ProbeRecord


@pytest.fixture
def measured_file(tmp_path):
    file = tmp_path / "probe.jsonl"
    run_probe(virtual(Engine(Law(1e-6, 1e-3, 0.0))), small_plan(), file)
    return file


def test_cut_at_any_byte_whole_lines_stay_and_the_rest_is_missing(measured_file):
    content = measured_file.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
    for size in [*range(0, ends[1] + 30, 7), *range(ends[-2] - 2, len(content) + 1, 3)]:
        measured_file.write_bytes(content[:size])
        with ProbeRecord(measured_file, small_plan()) as record:
            whole = sum(end <= size for end in ends)
            assert len(record.measured) == max(whole - 1, 0)
            assert len(record.missing()) == 12 - len(record.measured)
            assert record.kind == ("tokens" if whole else None)
        assert measured_file.read_bytes() == content[: ([0, *ends])[whole]]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"lengths": (64, 256)}, "lengths"),
        ({"shares": (0,)}, "shares"),
        ({"repeats": 4}, "repeats"),
        ({"seed": 1}, "seed"),
        ({"block_size": 32}, "block_size"),
        ({"url": "http://other"}, "url"),
    ],
)
def test_a_file_of_another_plan_is_refused_and_kept(measured_file, changes, field):
    before = measured_file.read_bytes() + b'{"half'
    measured_file.write_bytes(before)
    with pytest.raises(FileError, match=f"found measurements with {field} .*use another file"):
        ProbeRecord(measured_file, small_plan(**changes))
    assert measured_file.read_bytes() == before


def edited(line, **changes):
    return json.dumps({**json.loads(line), **changes}).encode()


@pytest.mark.parametrize(
    ("edit", "found"),
    [
        (lambda lines: [b"{}", *lines[1:]], "line 1: found no 'teltheory_probe'"),
        (lambda lines: [edited(lines[0], prompts="chat"), *lines[1:]], "line 1: found a first line without"),
        (lambda lines: [*lines[:2], b"garbage", *lines[3:]], "line 3: found a line that is no JSON"),
        (lambda lines: [*lines[:2], lines[1], *lines[3:]], "line 3: found cell"),
        (lambda lines: [*lines[:-1], edited(lines[-1], cell=9)], "line 13: found cell 9"),
        (lambda lines: [*lines[:-1], edited(lines[-1], ttft_s=float("nan"))], "line 13: found ttft_s nan"),
        (lambda lines: [*lines[:-1], edited(lines[-1], cached_tokens=-1)], "line 13: found cached_tokens -1"),
        (lambda lines: [*lines[:-1], edited(lines[-1], started=1)], "line 13: found started 1"),
        (lambda lines: [*lines[:-1], b'{"cell": 1}'], "line 13: found no field"),
    ],
)
def test_a_damaged_file_is_refused_and_kept(measured_file, edit, found):
    measured_file.write_bytes(b"\n".join(edit(measured_file.read_bytes().splitlines())) + b"\n")
    before = measured_file.read_bytes()
    refused(FileError, found, lambda: ProbeRecord(measured_file, small_plan()))
    assert measured_file.read_bytes() == before


def test_one_probe_at_a_time(measured_file):
    with ProbeRecord(measured_file, small_plan()), pytest.raises(FileError, match="another probe"):
        ProbeRecord(measured_file, small_plan())
    ProbeRecord(measured_file, small_plan()).close()


def test_a_full_disk_keeps_whole_lines(tmp_path, monkeypatch):
    file, write = tmp_path / "probe.jsonl", os.write
    served = virtual(Engine(Law(1e-6, 1e-3, 0.0)))

    def full(descriptor, data):
        return write(descriptor, data if file.read_bytes().count(b"\n") < 4 else data[:10])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        refused(FileError, "No space for a whole line", lambda: run_probe(served, small_plan(), file))
    assert file.read_bytes().endswith(b"\n")
    with ProbeRecord(file, small_plan()) as record:
        assert len(record.measured) == 3
    assert file.read_bytes().count(b"\n") == 4


def test_every_line_is_synced_before_it_counts(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    run_probe(virtual(Engine(Law(1e-6, 1e-3, 0.0))), small_plan(), tmp_path / "probe.jsonl")
    assert len(synced) == 1 + 12


def test_the_order_is_shuffled_by_pass_and_fixed_by_the_seed():
    plan = small_plan(lengths=(64, 128, 256), repeats=4)
    steps = plan.steps()
    assert steps == small_plan(lengths=(256, 64, 128, 64), repeats=4).steps()
    assert steps != small_plan(lengths=(64, 128, 256), repeats=4, seed=1).steps()
    passes = [steps[i : i + 6] for i in range(0, 24, 6)]
    assert all(sorted(step.cell for step in one) == list(range(6)) for one in passes)
    assert [{step.repeat for step in one} for one in passes] == [{0}, {1}, {2}, {3}]
    assert len({tuple(step.cell for step in one) for one in passes}) > 1


def test_prefixes_are_whole_blocks_and_shorter_than_the_prompt():
    plan = ProbePlan(ADDRESS, "m", (16, 100, 1000), (0, 0.29, 0.5, 0.999), block_size=16)
    assert plan.cells == (
        (16, 0),
        (100, 0),
        (100, 16),
        (100, 48),
        (100, 96),
        *((1000, c) for c in (0, 288, 496, 992)),
    )
    assert ProbePlan(ADDRESS, "m", (100,), (0.29,), block_size=1).cells == ((100, 29),)
