"""Vectors in files: NumPy's `.npy`, Faiss's `.fvecs`, and Parquet with a column `vector`.

1. `.npy`: one array of numbers of shape (vectors, dimension). What NumPy pickles is refused unread.
2. `.fvecs`: each vector is a 32-bit whole number, its dimension, then so many 32-bit floats, little-endian.
3. Parquet: `vector` is a list of numbers in each row; with a column `id` the vectors are put in the order of the
   documents' names, without one they have it.
"""

from __future__ import annotations

import tokenize
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from teltheory.base.input_files import check_file, read_bytes, reported
from teltheory.errors import ArgumentError, FileError, shown
from teltheory.formats.opened import opened_parquet
from teltheory.systems.rag.vectors import VectorArray, checked_vectors

EXPECTED = "vectors: .npy, .fvecs or .parquet"
NPY = b"\x93NUMPY"


def read_vectors(file: str | Path, names: Sequence[str] | None = None) -> VectorArray:
    """Read vectors, as float32.

    Parameters
    ----------
    file : str or Path
        Ends in .npy, .fvecs or .parquet.
    names : sequence of str, optional
        Names of what the vectors belong to: there must be as many, and those of a Parquet file with ids are put in
        this order.

    Raises
    ------
    FileError
        If the file can't be read as such; the error says where and why.
    """
    path = Path(file)
    check_file(path, EXPECTED)
    read = {".npy": _npy, ".fvecs": _fvecs, ".parquet": _parquet}.get(path.suffix.lower())
    if read is None:
        _fail(path, f"a name that ends in {path.suffix!r}", EXPECTED)
    vectors = read(path, names)
    try:
        return checked_vectors("vectors", vectors, None if names is None else len(names))
    except ArgumentError as error:
        raise FileError(f"{path}, {error}") from None


def _npy(path: Path, _: Sequence[str] | None) -> NDArray[Any]:
    with reported(path, EXPECTED), path.open("rb") as file:
        begins = file.read(len(NPY))
    if begins != NPY:
        _fail(path, "another beginning", "an array that NumPy saved")
    try:
        with reported(path, EXPECTED), warnings.catch_warnings(action="ignore"):
            array = np.load(path, mmap_mode="r", allow_pickle=False)  # noqa: TID251 - refuses what is pickled
    except (ValueError, TypeError, SyntaxError, OverflowError, tokenize.TokenError) as error:
        _fail(path, str(error).partition("\n")[0][:100], "an array of numbers that NumPy saved")
    if array.dtype.kind not in "fiu":
        _fail(path, f"values of type {array.dtype}", "numbers")
    return np.asarray(array)


def _fvecs(path: Path, _: Sequence[str] | None) -> NDArray[Any]:
    content = read_bytes(path, EXPECTED)
    if len(content) < 8 or len(content) % 4:
        _fail(path, f"{len(content)} bytes", "a 32-bit dimension before each vector")
    dimension = int(np.frombuffer(content, "<i4", 1)[0])
    if dimension < 1 or len(content) % (4 * dimension + 4):
        _fail(
            path, f"dimension {dimension} in {len(content):,} bytes", "vectors of one dimension that fill the file"
        )
    rows = np.frombuffer(content, "<i4").reshape(-1, dimension + 1)
    for row in np.flatnonzero(rows[:, 0] != dimension)[:1].tolist():
        _fail(path, f"dimension {rows[row, 0]} of vector {row}", f"{dimension}, as the first has")
    return rows[:, 1:].copy().view("<f4")


def _parquet(path: Path, names: Sequence[str] | None) -> NDArray[Any]:
    with reported(path, EXPECTED), opened_parquet(path) as file:
        columns = file.schema_arrow.names
        if "vector" not in columns:
            _fail(path, f"columns {shown(columns, 60)}", "a column vector")
        wanted = ["vector", "id"] if "id" in columns and names is not None else ["vector"]
        table = file.read(columns=wanted, use_threads=False)
        table.validate(full=True)
        vectors = _flat(path, table.column("vector"))
        ids = list(map(str, table.column("id").to_pylist())) if "id" in wanted else None
    return vectors if ids is None or names is None else vectors[_places(path, ids, names)]


def _flat(path: Path, column: Any) -> NDArray[Any]:
    """Return a column of lists of numbers, all of one length, as an array."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(kind(column.type) for kind in kinds):
        _fail(path, f"vector of type {column.type}", "a list of numbers")
    sizes = pc.list_value_length(column).to_numpy()
    flat = pc.list_flatten(column)
    number = pa.types.is_floating(flat.type) or pa.types.is_integer(flat.type)
    if column.null_count or flat.null_count or not number:
        _fail(path, f"vector of type {column.type} with gaps or texts", "numbers in every row")
    for row in np.flatnonzero(sizes != sizes[:1])[:1].tolist():
        _fail(path, f"dimension {sizes[row]} in row {row + 1}", f"{sizes[0]}, as in row 1")
    return np.asarray(flat.to_numpy()).reshape(len(sizes), -1 if len(flat) else 0)


def _places(path: Path, ids: list[str], names: Sequence[str]) -> list[int]:
    """Return the row of each name."""
    known = {name: row for row, name in enumerate(ids)}
    if len(known) < len(ids):
        _fail(path, "an id twice", "each id once")
    for name in ids if len(ids) > len(names) else ():
        if name not in set(names):
            _fail(path, f"the id {shown(name, 60)}", "ids of the documents")
    for name in names:
        if name not in known:
            _fail(path, f"no vector of {shown(name, 60)}", "one of every document")
    return [known[name] for name in names]


def _fail(path: Path, found: str, expected: str) -> NoReturn:
    raise FileError(f"{path}: found {found}, expected {expected}")
