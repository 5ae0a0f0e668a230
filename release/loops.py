"""Compile the C files of `teltheory` into one library: in place, or as a part of a wheel.

    python release/loops.py [--flags "-fsanitize=..."] [--without-wrapping] [--to FILE]

1. The compiler is what the variable CC names, else `cc`, else the package `ziglang`, which a build without the two
   asks for. A target such as `aarch64-linux-gnu.2.17` or `aarch64-macos` (TELTHEORY_TARGET) needs `ziglang`.
   The variable CFLAGS has the last word, such as -O0 in tests, which compile often.
2. Nothing depends on the machine that compiles: x86-64-v2, and no contraction of products and sums into one.
3. Hatchling calls `MachineCodeHook`. A wheel has the library and its platform's tag, and fits every Python. An
   editable install has the library in place, where git does not see it. TELTHEORY_PURE=1 makes a wheel without.
"""

import argparse
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]
TARGETS = {
    "x86_64-linux-gnu.2.17": "manylinux_2_17_x86_64",
    "aarch64-linux-gnu.2.17": "manylinux_2_17_aarch64",
    "aarch64-macos.11.0": "macosx_11_0_arm64",
}
"""What a release is compiled for, as zig and as wheels name it."""
FLAGS = ("-std=c11", "-O3", "-g0", "-fPIC", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
WRAPPING = "-fwrapv"
SYSTEM = sysconfig.get_platform().replace("macosx", "macos")


def _sources() -> ModuleType:
    """Return the package's own words on its C files, without importing the package."""
    spec = importlib.util.spec_from_file_location("c_sources", ROOT / "teltheory" / "base" / "c_sources.py")
    if spec is None or spec.loader is None:
        sys.exit("teltheory/base/c_sources.py: found none, expected the list of C files")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiler(target: str | None) -> list[str] | None:
    """Return the words that call a C compiler for a target, None if there is none."""
    if target is None:
        named = shlex.split(os.environ.get("CC", ""))
        found = named or [name for name in ("cc", "gcc", "clang") if shutil.which(name)][:1]
        if found:
            return found
    if importlib.util.find_spec("ziglang") is None:
        return None
    zig = [sys.executable, "-m", "ziglang", "cc"]
    return zig if target is None else [*zig, "-target", target]


def compile_to(library: Path, target: str | None = None, flags: Sequence[str] = (WRAPPING,)) -> None:
    """Compile all C files and put the library in place, whole or not at all."""
    words = compiler(target)
    if words is None:
        sys.exit("C compiler: found none, expected cc, or ziglang (pip install ziglang)")
    listed = _sources()
    words += [*FLAGS, *flags, *_processor(words, target), f"-I{listed.PACKAGE}"]
    words += shlex.split(os.environ.get("CFLAGS", ""))
    with TemporaryDirectory() as folder:
        sys.stderr.write(f"compiling {len(listed.sources())} files of C, which takes more than a second\n")
        digest, made = Path(folder, "digest.c"), Path(folder, Path(listed.LIBRARY).name)
        says = f'const char *teltheory_sources(void) {{ return "{listed.digest_of()}"; }}\n'
        digest.write_text(says + listed.entries())
        files = [digest, *listed.sources()]
        objects = [Path(folder, f"{number}.o") for number in range(len(files))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda file, made: _run([*words, "-c", file, "-o", made]), files, objects))
        named = [f"-Wl,-install_name,{made.name}"] if "macos" in (target or SYSTEM) else []
        _run([*words, "-shared", *objects, "-o", made, "-lm", *named])
        beside = library.with_suffix(f".{os.getpid()}.so")
        shutil.copy(made, beside)
        beside.replace(library)


def _processor(words: Sequence[str], target: str | None) -> list[str]:
    """Return the flag of the processors that there may be; zig takes the one that it runs on if left alone."""
    is_x86, is_zig = (target or platform.machine()).startswith("x86_64"), "ziglang" in words
    if is_zig:
        return ["-mcpu=x86_64_v2" if is_x86 else "-mcpu=baseline"]
    return ["-march=x86-64-v2"] if is_x86 else []


def _run(command: Sequence[str | Path]) -> None:
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"C compiler: found {command[0]!r}, which does not run ({error.strerror})")
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stderr}")


def tag_of(target: str | None) -> str:
    """Return a wheel's platform tag."""
    return TARGETS[target] if target else sysconfig.get_platform().replace("-", "_").replace(".", "_")


class MachineCodeHook(BuildHookInterface[Any]):
    """Compiles for a wheel, or in place for an editable install."""

    def dependencies(self) -> list[str]:
        """Ask for a compiler where the machine has none."""
        target = os.environ.get("TELTHEORY_TARGET")
        return [] if self._is_pure or (target is None and compiler(None)) else ["ziglang>=0.13"]

    @property
    def _is_pure(self) -> bool:
        return os.environ.get("TELTHEORY_PURE") == "1"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what the wheel has and fits."""
        library, target = ROOT / "teltheory" / _sources().LIBRARY, os.environ.get("TELTHEORY_TARGET")
        if self._is_pure:
            return
        if version == "editable":
            return compile_to(library, target)
        self.made = TemporaryDirectory()
        made = Path(self.made.name, library.name)
        compile_to(made, target)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag_of(target)}"
        build_data["force_include"][str(made)] = f"teltheory/{_sources().LIBRARY}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel has a copy of."""
        if hasattr(self, "made"):
            self.made.cleanup()


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile in place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flags", default="", help="more words for the compiler")
    parser.add_argument("--without-wrapping", action="store_true", help="leave out -fwrapv")
    parser.add_argument("--to", type=Path, default=ROOT / "teltheory" / _sources().LIBRARY)
    asked = parser.parse_args(arguments)
    wrapping = () if asked.without_wrapping else (WRAPPING,)
    compile_to(asked.to, os.environ.get("TELTHEORY_TARGET"), (*wrapping, *shlex.split(asked.flags)))


if __name__ == "__main__":
    main()
