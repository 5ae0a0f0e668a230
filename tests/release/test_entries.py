"""What a loop's entry takes: arrays as its prototype says, and no others."""

import ctypes
import shutil
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from release import loops as building
from teltheory.base import loops
from teltheory.base.c_sources import PACKAGE, prototypes
from teltheory.base.loops import call

pytestmark = pytest.mark.repository
KINDS = {"int64_t": np.int64, "double": np.float64, "uint8_t": np.uint8}
CASES = [*product(KINDS, (False, True), (False, True))]


def named(kind, written, optional):
    return f"probe_{kind}_{written:d}_{optional:d}"


def probe(kind, written, optional):
    """Return a loop that says where its array is, how many it should have if there is none."""
    values = f"{kind} *values /* [n + 2 * n] */" if optional else f"{kind} values[n + 2 * n]"
    asked = f"int64_t n, {'' if written else 'const '}{values}"
    return f"int64_t {named(kind, written, optional)}({asked}) {{ return values ? (int64_t)values : n; }}\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Compile these loops alone, and let `call` find them."""
    folder, listed = tmp_path_factory.mktemp("probes"), vars(building._sources())
    (folder / "base").mkdir()
    for name in ("arrays.h", "numbers.h"):
        shutil.copy(PACKAGE / "base" / name, folder / "base")
    (folder / "probes.c").write_text("#include <stdint.h>\n" + "".join(probe(*case) for case in CASES))
    with pytest.MonkeyPatch.context() as patched:
        asked = {name: partial(listed[name], folder) for name in ("sources", "digest_of", "entries")}
        few = SimpleNamespace(PACKAGE=folder, LIBRARY=listed["LIBRARY"], **asked)
        patched.setattr(building, "_sources", lambda: few)
        building.compile_to(folder / "probes.so")
        patched.setattr(loops, "_library", lambda: ctypes.CDLL(str(folder / "probes.so")))
        patched.setattr(loops, "prototypes", lambda: prototypes(folder))
        loops.loop.cache_clear()
        yield
    loops.loop.cache_clear()


@given(
    case=st.sampled_from(CASES), found=st.sampled_from([*KINDS.values(), np.int32]), size=st.integers(0, 9),
    n=st.integers(0, 3), closed=st.booleans(), step=st.sampled_from([1, 2]), flat=st.booleans(),
)  # fmt: skip
@settings(max_examples=300)
def test_an_array_is_passed_if_it_is_what_the_prototype_says_and_only_then(
    library, case, found, size, n, closed, step, flat
):
    kind, written, _ = case
    values = np.zeros(size * step, found)[::step]
    if not flat and step == 1:
        values = values.reshape(1, size, 1)
    values.flags.writeable = not closed
    name = named(*case)
    if KINDS[kind] == found and size >= 3 * n and not (written and closed) and (step == 1 or size <= 1):
        entry = loops.loop(name).entry
        assert entry(ctypes.addressof(loops._OBJECTS), (values,), n) == call(name, n, values) == values.ctypes.data
        assert loops.loop(name).bound(n, values)() == values.ctypes.data
    else:
        for way in (partial(call, name), loops.loop(name).bound):
            with pytest.raises(TypeError, match=r"^values: found .* in a row$"):
                way(n, values)


def test_none_is_passed_where_a_prototype_has_a_pointer_alone(library):
    assert call(named("double", True, True), 7, None) == 7
    for written in (True, False):
        with pytest.raises(TypeError, match="found NoneType, expected 21 of float64"):
            call(named("double", written, False), 7, None)


@pytest.mark.parametrize("n", [2**62, 3 * 2**61])
def test_a_length_beyond_64_bits_is_none_of_few_numbers(library, n):
    with pytest.raises(TypeError, match=rf"expected {3 * n} of int64 in a row$"):
        call(named("int64_t", True, False), n, np.zeros(4, np.int64))
