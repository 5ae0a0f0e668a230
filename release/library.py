"""What the library of a wheel is made for, read from its bytes, and what of it is not as the target asks.

1. ELF, of Linux (System V ABI, chapter 4): 64 bits, little-endian, type 3 (shared), and the machine's number. The
   newest version of glibc that a symbol asks for is at most that of the wheel's tag, and other libraries than libc
   and libm are not asked for.
2. Mach-O, of macOS (mach-o/loader.h): 64 bits, type 6 (dynamic), the machine's number, a least version of macOS
   that is at most that of the tag, and a signature, without which arm64 ends the process.
3. Both have the digest of the wheel's own sources, and every loop of them by name.
"""

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from release.loops import TARGETS
from teltheory.base.c_sources import LIBRARY, digest_of, prototypes

ELF = {"x86_64": 62, "aarch64": 183}
MACH_O = {"aarch64": 0x0100000C}
BUILD_VERSION, CODE_SIGNATURE = 0x32, 0x1D
SYSTEM_LIBRARIES = {b"libc.so.6", b"libm.so.6"}


def problems(wheel: Path, target: str) -> Iterator[str]:
    """Yield what of a wheel is not as its target asks, a line each."""
    tag = f"py3-none-{TARGETS[target]}"
    with TemporaryDirectory() as name, ZipFile(wheel) as archive:
        archive.extractall(name)
        [about] = Path(name).glob("*.dist-info/WHEEL")
        words, package = about.read_text(encoding="utf-8").splitlines(), Path(name, "teltheory")
        if f"Tag: {tag}" not in words or "Root-Is-Purelib: false" not in words or not wheel.stem.endswith(tag):
            yield f"found {wheel.name} with {', '.join(words)}, expected the tag {tag}"
        library, digest = package / LIBRARY, digest_of(package)
        content = library.read_bytes() if library.is_file() else b""
    machine, system = target.split("-")[:2]
    yield from (_elf if system == "linux" else _mach_o)(content, machine, TARGETS[target])
    if digest.encode() not in content:
        yield "found another digest than that of the wheel's sources"
    lacking = [loop for loop in prototypes() if not re.search(rb"\0_?%b\0" % loop.encode(), content)]
    if lacking:
        yield f"found no loops {', '.join(lacking)}"


def _elf(content: bytes, machine: str, tag: str) -> Iterator[str]:
    head, kind, number = struct.unpack_from("<6s10xHH", content.ljust(20))
    if (head, kind, number) != (b"\x7fELF\2\1", 3, ELF[machine]):
        yield f"found {head!r}, type {kind}, machine {number}, expected a shared ELF library of {machine}"
    newest = max((tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", content)), default=(0, 0))
    if newest > _version(tag):
        yield f"found symbols of glibc {newest}, expected at most {_version(tag)}"
    others = {*re.findall(rb"\0(lib[\w.+-]+\.so[\w.]*)(?=\0)", content)} - SYSTEM_LIBRARIES
    if others:
        yield f"found that it needs {others}, expected libc and libm"


def _mach_o(content: bytes, machine: str, tag: str) -> Iterator[str]:
    magic, number, kind, count = struct.unpack_from("<II4xII", content.ljust(20))
    if (magic, number, kind) != (0xFEEDFACF, MACH_O[machine], 6):
        yield f"found {magic:#x}, machine {number:#x}, type {kind}, expected a dynamic Mach-O library of {machine}"
        return
    commands, place = {}, 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", content, place)
        commands[command], place = place, place + size
    if CODE_SIGNATURE not in commands:
        yield "found no signature"
    built = commands.get(BUILD_VERSION)
    system, least = (0, 0) if built is None else struct.unpack_from("<8xII", content, built)
    if system != 1 or (least >> 16, least >> 8 & 255) > _version(tag):
        yield f"found another system than macOS {_version(tag)} and newer"


def _version(tag: str) -> tuple[int, ...]:
    """Return the version of glibc or macOS in a tag."""
    return tuple(map(int, tag.split("_")[1:3]))
