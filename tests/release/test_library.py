"""What a wheel's library is made for, and what of it is refused; a wheel without one."""

import re
import shutil
import struct
import zipfile
from functools import cache
from pathlib import Path

import pytest

from release import loops
from release.library import problems
from release.loops import TARGETS, MachineCodeHook
from release.wheel import ROOT
from teltheory.base.c_sources import LIBRARY, digest_of, prototypes

pytestmark = pytest.mark.repository
LINUX, ARM, MACOS = TARGETS
NAMES = b"\0" + b"\0".join(name.encode() for name in prototypes()) + b"\0"
TEXTS = NAMES + digest_of().encode() + b"\0"


def elf(kind=3, machine=62, texts=TEXTS, head=b"\x7fELF\2\1"):
    return struct.pack("<6s10xHH", head, kind, machine) + texts


def mach_o(machine=0x0100000C, kind=6, commands=((0x32, 1, 0xB0000), (0x1D, 0, 0)), texts=TEXTS):
    head = struct.pack("<II4xII12x", 0xFEEDFACF, machine, kind, len(commands))
    return head + b"".join(struct.pack("<IIII", command, 16, *two) for command, *two in commands) + texts


@cache
def sources():
    """The C files of the package, by their names in a wheel."""
    return {str(file.relative_to(ROOT)): file.read_bytes() for file in (ROOT / "teltheory").rglob("*.[ch]")}


@pytest.fixture
def found(tmp_path):
    """Return what is found wrong with a wheel that has a library, of the sources of the package."""

    def of(target, content, tag=None, pure="false"):
        tag = tag or TARGETS[target]
        wheel = tmp_path / f"teltheory-1-py3-none-{tag}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("teltheory-1.dist-info/WHEEL", f"Root-Is-Purelib: {pure}\nTag: py3-none-{tag}\n")
            for name, text in sources().items():
                archive.writestr(name, text)
            if content is not None:
                archive.writestr(f"teltheory/{LIBRARY}", content)
        return list(problems(wheel, target))

    return of


def test_a_library_as_asked_is_found_good(found):
    assert found(LINUX, elf(texts=TEXTS + b"GLIBC_2.17\0GLIBC_2.2.5\0libm.so.6\0")) == []
    assert found(ARM, elf(machine=183)) == []
    assert found(MACOS, mach_o(texts=TEXTS.replace(b"\0", b"\0_"))) == []


WRONG = {
    "another machine": (LINUX, elf(machine=183), "machine 183"),
    "another type": (LINUX, elf(kind=2), "type 2"),
    "32 bits": (ARM, elf(machine=183, head=b"\x7fELF\1\1"), "expected a shared ELF library of aarch64"),
    "a newer glibc": (LINUX, elf(texts=TEXTS + b"GLIBC_2.34\0"), r"glibc \(2, 34\), expected at most \(2, 17\)"),
    "another library": (LINUX, elf(texts=TEXTS + b"libgomp.so.1\0"), "libgomp"),
    "other sources": (LINUX, elf(texts=NAMES), "another digest"),
    "a loop that is not there": (
        LINUX,
        elf(texts=TEXTS.replace(b"replay_lru", b"replay_lru_too")),
        "no loops replay_lru",
    ),
    "nothing": (LINUX, None, "expected a shared ELF library"),
    "Linux's on macOS": (MACOS, elf(machine=183), "expected a dynamic Mach-O library"),
    "another processor of Apple's": (MACOS, mach_o(machine=0x01000007), "machine 0x1000007"),
    "another type of Apple's": (MACOS, mach_o(kind=2), "type 2"),
    "no signature": (MACOS, mach_o(commands=[(0x32, 1, 0xB0000)]), "no signature"),
    "a newer macOS": (MACOS, mach_o(commands=[(0x32, 1, 0xC0300), (0x1D, 0, 0)]), r"macOS \(11, 0\)"),
    "a telephone": (MACOS, mach_o(commands=[(0x32, 2, 0xB0000), (0x1D, 0, 0)]), "another system"),
    "no least version": (MACOS, mach_o(commands=[(0x1D, 0, 0)]), "another system"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_not_as_asked_is_said(found, wrong):
    target, content, said = WRONG[wrong]
    assert re.search(said, "\n".join(found(target, content)))


@pytest.mark.parametrize(("tag", "pure"), [("any", "true"), ("linux_x86_64", "false"), (None, "true")])
def test_another_tag_is_said(found, tag, pure):
    [line] = found(LINUX, elf(), tag, pure)
    assert "expected the tag py3-none-manylinux_2_17_x86_64" in line


def hook(tmp_path):
    return MachineCodeHook(str(ROOT), {}, None, None, str(tmp_path), "wheel")


def test_a_machine_without_a_compiler_asks_for_one_and_a_target_does_always(monkeypatch, tmp_path):
    monkeypatch.delenv("TELTHEORY_TARGET", raising=False)
    monkeypatch.setenv("CC", "some-compiler")
    assert hook(tmp_path).dependencies() == []
    monkeypatch.setenv("TELTHEORY_TARGET", ARM)
    [asked] = hook(tmp_path).dependencies()
    assert asked.startswith("ziglang")
    monkeypatch.setenv("TELTHEORY_PURE", "1")
    assert hook(tmp_path).dependencies() == []
    monkeypatch.delenv("TELTHEORY_PURE")
    monkeypatch.delenv("TELTHEORY_TARGET")
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(loops.importlib.util, "find_spec", lambda _: None)
    assert hook(tmp_path).dependencies() == [asked]
    with pytest.raises(SystemExit, match="C compiler: found none"):
        loops.compile_to(tmp_path / "library.so")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(SystemExit, match="found 'no-such-compiler', which does not run"):
        loops.compile_to(tmp_path / "library.so")


@pytest.fixture
def copy(monkeypatch, tmp_path):
    """Let the hook's project be a copy that has a few C files alone."""
    package = ROOT / "teltheory"
    for file in [*package.rglob("*.h"), *package.glob("belief/*.c"), package / "base" / "c_sources.py"]:
        place = tmp_path / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    monkeypatch.setattr(loops, "ROOT", tmp_path)
    for name in ("TELTHEORY_TARGET", "TELTHEORY_PURE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_an_editable_install_has_the_library_in_place_and_a_wheel_has_it_within(copy):
    made, data, digest = hook(copy), {"force_include": {}}, digest_of(copy / "teltheory").encode()
    made.initialize("standard", data)
    [(library, within)] = data["force_include"].items()
    assert (within, data["pure_python"]) == (f"teltheory/{LIBRARY}", False)
    assert data["tag"] == f"py3-none-{loops.tag_of(None)}"
    assert digest in Path(library).read_bytes()
    assert not (copy / within).exists()
    made.finalize("standard", data, "")
    assert not Path(library).exists()
    hook(copy).initialize("editable", {})
    assert digest in (copy / within).read_bytes()


def test_a_wheel_that_is_to_have_no_machine_code_has_none_and_is_for_any_machine(copy, monkeypatch):
    monkeypatch.setenv("TELTHEORY_PURE", "1")
    made, data = hook(copy), {}
    made.initialize("standard", data)
    made.finalize("standard", data, "")
    assert data == {}  # hatchling's own tag, py3-none-any
