"""Every reader on changed files and on raw bytes: it reads, or it says in one line where and what is wrong."""

from random import Random

import pytest
from fuzz.formats import formats, path_for
from fuzz.mutations import mutated
from fuzz.oracle import judged
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

GROUPS = {
    "csv": 80,
    "json": 120,
    "jsonl": 150,
    "parquet": 70,
    "csv.gz": 30,
    "jsonl.gz": 20,
    "jsonl.zst": 20,
    "tiktoken": 15,
}
QUICK = settings(derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def of_kind(kind):
    return [one for one in formats().values() if one.kind == kind]


def test_every_kind_is_tried():
    assert {one.kind for one in formats().values()} == set(GROUPS)


def test_what_is_valid_is_read(tmp_path):
    for one in formats().values():
        path = path_for(one, tmp_path)
        path.write_bytes(one.valid)
        assert judged(one.read, path) == "read", one
        path.unlink()


@pytest.mark.parametrize("kind", GROUPS)
def test_a_changed_file_is_read_or_refused(kind, tmp_path):
    @settings(QUICK, max_examples=GROUPS[kind])
    @given(st.sampled_from(of_kind(kind)), st.integers(0, 2**32))
    def tried(one, seed):
        path = path_for(one, tmp_path)
        path.write_bytes(mutated(Random(seed), one.kind, one.valid))
        judged(one.read, path)
        path.unlink()

    tried()


def test_raw_bytes_are_read_or_refused(tmp_path):
    @settings(QUICK, max_examples=120)
    @given(st.sampled_from(list(formats().values())), st.binary(max_size=60) | st.text(max_size=40).map(as_bytes))
    def tried(one, content):
        path = path_for(one, tmp_path)
        path.write_bytes(content)
        judged(one.read, path)
        path.unlink()

    tried()


def as_bytes(text):
    return text.encode("utf-8", "surrogatepass")
