"""The C files of the package, their loops' prototypes, and the digest that ties them to the library made of them.

This file imports nothing but the standard library, as the build reads it before anything is installed.
"""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
LIBRARY = "base/compiled_loops.so"
"""Where the library stands below the package, on every system."""
KINDS = ("int64_t", "int32_t", "int8_t", "uint8_t", "uint32_t", "uint64_t", "double", "float", "bool")
"""Of what arrays may be."""
READ, WRITTEN = 0x101, 0x501
"""What numpy says in the flags of an array in a row, aligned, and of one that may be written too."""
ENTRY = "of_python_"
_FUNCTION = re.compile(r"^(void|int64_t) (\w+)\(([^{;]*?)\)\s*\{", re.MULTILINE)
_PARAMETER = re.compile(
    r"(?P<const>const )?(?P<kind>\w+) (?P<pointer>\*?)(?P<name>\w+)"
    r"(?: /\* (?=\[))?(?:\[(?:restrict )?(?P<length>[^\]]*)\])?(?: \*/)?"
)


def sources(package: Path = PACKAGE) -> list[Path]:
    """Return the files that are compiled, in the order of their paths below the package."""
    return sorted(package.rglob("*.c"), key=lambda file: file.relative_to(package).as_posix())


def digest_of(package: Path = PACKAGE) -> str:
    """Return a digest of all C files and headers, with their places, and of this file."""
    files = [*sources(package), *sorted(package.rglob("*.h"))]
    named = (file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() for file in files)
    return sha256(b"\0".join([Path(__file__).read_bytes(), *named])).hexdigest()


@cache
def prototypes(package: Path = PACKAGE) -> dict[str, tuple[str, list[str]]]:
    """Return what the sources say of each loop: its result, and its parameters as they stand there."""
    found = (function for file in sources(package) for function in _FUNCTION.findall(file.read_text("utf-8")))
    return {name: (result, asked.split(",")) for result, name, asked in found}


def words_of(parameter: str) -> dict[str, str]:
    """Return a parameter's kind and name, an array's length, `const`, a pointer's star; "" for what it lacks."""
    found = _PARAMETER.fullmatch(" ".join(parameter.split()))
    is_number = found is not None and found["length"] is None
    if found is None or (is_number and (found["pointer"] or found["kind"] not in ("int64_t", "double"))):
        raise SyntaxError(f"{parameter}: expected int64_t, double, or an array with its length")
    return {name: word or "" for name, word in found.groupdict().items()}


def entries(package: Path = PACKAGE) -> str:
    """Return C: of each loop an entry that looks at Python's arrays and, if all are as asked, calls the loop."""
    made = [_entry(*one) for one in prototypes(package).items()]
    return "\n".join(['#include "base/arrays.h"', *made]) + "\n"


def _entry(name: str, prototype: tuple[str, list[str]]) -> str:
    result, asked = prototype
    words = [words_of(parameter) for parameter in asked]
    arrays = [one["name"] for one in words if one["length"]]
    numbers = "".join(f", {one['kind']} {one['name']}" for one in words if not one["length"])
    members = " ".join(f"const Array *{array} = members_[{place}];" for place, array in enumerate(arrays))
    fits = " && ".join(_fits(one) for one in words if one["length"]) or "true"
    given = ", ".join(f"numbers_of(objects_, {one['name']})" if one["length"] else one["name"] for one in words)
    return (
        f"{result} {name}({','.join(asked)});\n"
        f"int64_t {ENTRY}{name}(const void *const *objects_, const void *tuple_{numbers}) {{\n"
        f"    const Array *const *members_ = members_of(objects_, tuple_);\n    {members}\n"
        f"    if (!({fits})) return INT64_MIN;\n"
        f"    {'return ' if result == 'int64_t' else ''}{name}({given});\n"
        f"    {'return 0;' if result == 'void' else ''}\n}}"
    )


def _fits(words: dict[str, str]) -> str:
    name, flags = words["name"], READ if words["const"] else WRITTEN
    length = re.sub(r"[A-Za-z_]\w*", r"(Length)\g<0>", words["length"])
    asked = f"array_fits(objects_, {name}, {KINDS.index(words['kind']) + 3}, {length}, {flags})"
    return f"({name} == objects_[1] || {asked})" if words["pointer"] else asked
