"""Where faults are planted at random, and what is remembered of them."""

import ctypes
import json
from dataclasses import asdict, replace

import pytest
from mutants import c_sites, lines
from mutants.copies import ROOT, Runner, copied
from mutants.judges import Judges
from mutants.lines import Found, drawn, known, narrow_tests, summed_up
from mutants.plant import plant
from mutants.sites import sites_of

from teltheory.base.c_sources import LIBRARY, digest_of

pytestmark = pytest.mark.repository

CODE = '''"""Not 1 < 2."""
from math import inf
def counted(values: list[int | None], *, most: int = 7) -> int:
    """Return 3 + 4."""
    found = 0
    if most > len(values):
        raise ValueError(f"{1 + 1}", 2 + 2)
    for value in values:
        found += max(value, -1)
        print(*values, *zip(values, values, strict=True))
    return found
@overload
def less(value: int = 1) -> int: ...
'''


def test_code_has_sites_and_what_is_said_beside_it_has_none():
    found = {line: {site.planted for site in sites} for line, sites in sites_of(CODE).items()}
    assert found == {
        3: {"8"},
        5: {"1"},
        6: {"if not", ">="},
        9: {"-=", "min", "2", "pass"},
        10: {"pass"},
    }


def test_each_site_gives_other_code_that_compiles():
    for sites in sites_of(CODE).values():
        for site in sites:
            planted = site.planted_in(CODE)
            assert compile(planted, "planted", "exec") != compile(CODE, "planted", "exec")
            assert len(planted.splitlines()) == len(CODE.splitlines())


C = """/* Not 1 < 2. */
#define TWICE(x) (2 * (x))
typedef struct { int64_t depth; } Node;
static int64_t counted(int64_t n, const int64_t a[2 * n], Node *node /* [3] */) {
    int64_t found = 0, *held = &node->depth; // 4
    if (n > a[0] * 2) return smaller(-n, 7u);
    for (int64_t k = n; k; k--) found |= (int64_t)*held & a[k - 1];
    if (found &&
        n) node[n] = (Node){found};
    spread(a,
           n);
    return found;
}
"""


def test_code_in_c_has_sites_within_functions_alone():
    found = {line: {site.planted for site in sites} for line, sites in c_sites.sites_of(C).items()}
    assert found == {
        5: {"1"},
        6: {"(!(n > a[0] * 2))", ">=", "1", "+", "3", "larger", "8u"},
        7: {"++", "&=", "|", "+", "2", ";"},
        8: {"||"},
        9: {";"},
    }


def test_each_site_in_c_gives_other_code_that_compiles():
    clean = "#include <stdint.h>\nint64_t smaller(), larger();\nvoid spread();\n" + C
    assert c_sites.compiles(clean)
    assert not c_sites.compiles(clean.replace("return", "retrun"))
    for site in (site for sites in c_sites.sites_of(clean).values() for site in sites):
        planted = site.planted_in(clean)
        assert c_sites.words_of(planted) != c_sites.words_of(clean)
        assert c_sites.compiles(planted), site


def test_more_lines_of_a_seed_begin_with_the_same_ones(monkeypatch):
    monkeypatch.setattr(lines, "PLACES", ("serving", "cost/metrics.py"))
    some = drawn(20, 3)
    assert drawn(40, 3)[:20] == some
    assert drawn(20, 4) != some
    assert len({fault.key for fault in some}) == 20
    for fault in some:
        text = (lines.ROOT / fault.file).read_text()
        assert fault.planted_in(text) != text
    with pytest.raises(LookupError, match="found another line than the one drawn"):
        replace(some[0], text="another").planted_in((lines.ROOT / some[0].file).read_text())


def test_what_a_seed_drew_is_planted_where_its_line_is_now(monkeypatch, tmp_path):
    monkeypatch.setattr(lines, "PLACES", ("serving", "cost/metrics.py"))
    some = drawn(20, 3)
    keys = [fault.key for fault in some]
    (tmp_path / "3.txt").write_text("\n".join([*keys[5:], "teltheory/gone.py: 1    1 -> 2", f"{keys[0]}0"]))
    monkeypatch.setattr(lines, "DRAWN", tmp_path)
    assert [fault.key for fault in drawn(10, 3)] == keys[5:15]
    assert [fault.key for fault in drawn(40, 3)] == keys[5:]
    assert drawn(4, 4) not in ([], some[:4])


def test_narrow_tests_begin_with_those_that_import_the_file():
    found = narrow_tests("teltheory/replay/tiers/budgets.py")
    assert found[0].startswith("tests/")
    assert "tests/replay/tiers/test_tiered_kernel.py" in found
    assert not any(test.startswith("tests/optimal/trees") for test in found)
    assert "tests/replay/test_kernel.py" in narrow_tests("teltheory/policies/online.py")


def test_lines_in_c_are_drawn_and_judged_by_the_tests_of_what_calls_them(monkeypatch):
    monkeypatch.setattr(lines, "PLACES", ("replay/chains/tlru.c", "replay/rounds.h"))
    some = drawn(30, 5)
    assert {fault.file for fault in some} == {f"teltheory/{place}" for place in lines.PLACES}
    for fault in some:
        text = (ROOT / fault.file).read_text()
        assert c_sites.words_of(fault.planted_in(text)) != c_sites.words_of(text)
        assert "tests/replay/test_kernel.py" in fault.tests[0]
    assert "teltheory/replay/chains/dispatch.py" in lines._callers("teltheory/replay/rounds.h")


class Built(Judges):
    """Judges that only compile, and say what they were given to judge."""

    def by_tests(self, copy, tests):
        library = ctypes.CDLL(copy / "teltheory" / LIBRARY)
        library.teltheory_sources.restype = ctypes.c_char_p
        clean, planted = (digest_of(one / "teltheory") for one in (self.clean, copy))
        assert library.teltheory_sources().decode() == planted != clean


def with_one_loop(folder):
    """A copy of what is needed to compile, and of one C file."""
    for name in ("release", "proofs_checks", "teltheory"):
        copied(ROOT / name, folder / name)
    for file in (folder / "teltheory").rglob("*.c"):
        if file.name != "tlru.c":
            file.unlink()
    return folder


def test_a_fault_in_c_is_compiled_into_its_copy_before_tests_run(monkeypatch, tmp_path):
    monkeypatch.setattr(lines, "PLACES", ("replay/chains/tlru.c",))
    good = next(fault for fault in drawn(100, 5) if fault.site.planted == "larger")
    bad = replace(good, site=replace(good.site, planted="@"))
    judges = Built(with_one_loop(tmp_path / "clean"), Runner(), 100.0)
    with pytest.raises(RuntimeError, match="not compiled"):
        Built(tmp_path, Runner(), 100.0).check_copy()
    judges.check_copy()
    assert plant(good, tmp_path, judges, narrow=True).caught is None
    assert plant(bad, tmp_path, judges, narrow=True).caught.by.startswith("does not compile: ")


def test_a_line_that_was_cut_off_is_looked_for_again_and_a_survivor_counts(tmp_path, capsys):
    caught, survived = Found("a", 1, "caught", "tests/a", 1.0), Found("b", 2, "survived", "", 2.0)
    place = tmp_path / "found.jsonl"
    place.write_text("".join(json.dumps(asdict(one)) + "\n" for one in (caught, survived))[:-20])
    assert known(place) == {"a": caught}
    assert known(tmp_path / "nothing") == {}
    assert summed_up([caught] * 19 + [survived]) == 0
    assert summed_up([caught] * 18 + [survived] * 2) == 1
    assert summed_up([caught] * 17 + [replace(caught, verdict="exempt")] * 3) == 1
    printed = capsys.readouterr().out
    assert (
        "survived: b\n20 lines: caught 19 (95.0%), survived 1 (5.0%), exempt 0 (0.0%), problem 0 (0.0%)" in printed
    )
