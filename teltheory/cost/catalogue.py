"""The catalogue: what the KV cache of known models takes, and what known GPUs can do.

``models.csv`` and ``gpus.csv``, beside this file, have a row for each, with its source and the day on which its
numbers were read. A model is found by its name, by its name on Hugging Face and by those of its variants:
an organisation in front and endings such as ``-Instruct`` and ``-hf`` don't count. ``-FP8`` means weights of one
byte, ``-FP8-KV`` a cache in fp8 too, ``-AWQ`` and ``-GPTQ-Int4`` weights of half a byte.

Where some layers keep less than all tokens, a row has a mark: such a model has no bytes per token, and is refused
by name. Where a number is missing in a row, nothing that needs it is known of the model.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from teltheory.cost.kv_cache import Architecture, TokenWork
from teltheory.errors import ArgumentError

__all__ = ["ARCHITECTURES", "architecture", "gpu"]

MARKS = {
    "window": "{near} see a sliding window{of}",
    "chunks": "{near} see a chunk{of}",
    "linear": "{near} keep a state of linear attention",
    "mamba": "{near} keep a state of Mamba",
    "conv": "{near} keep a convolution's state",
    "sparse": "its layers keep an index for sparse attention beside keys and values",
    "varied": "its layers differ in what they keep",
}
"""Why a model has no bytes per token, by mark."""
ENDINGS = re.compile(r"-(instruct|chat|hf|it|pt|base|preview|bf16|fp16|nvfp4|dynamic)$")
STORED = re.compile(r"-(fp8|fp8-kv|awq|gptq-int4)$")
NEAREST = 3
ALIKE = 0.5


@dataclass(frozen=True)
class KnownModel:
    """A row of the catalogue of models.

    Attributes
    ----------
    name, hub : str
        As on the command line; on Hugging Face.
    aliases : tuple of str
        Other names of the same shape, in small letters.
    shape : Architecture or None
        None if the row has no numbers.
    why : str
        Why there are no bytes per token; empty if there are.
    source, date : str
        Where the numbers were read, and when.
    """

    name: str
    hub: str
    aliases: tuple[str, ...]
    shape: Architecture | None
    why: str
    source: str
    date: str

    @property
    def names(self) -> Iterator[str]:
        """All names in small letters, endings gone."""
        return (_stem(one) for one in (self.name, self.hub, *self.aliases))


@dataclass(frozen=True)
class Gpu:
    """A row of the catalogue of GPUs: dense peaks, without sparsity.

    Attributes
    ----------
    name, title : str
        As on the command line; in full.
    aliases : tuple of str
        Other names.
    flops, flops_fp8 : float
        A second, in bfloat16 (float16 where there is none), and in fp8; the former twice where there is no fp8.
    bandwidth, memory : float
        Bytes a second, and bytes.
    source, date : str
        Where the numbers were read, and when.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    flops: float
    flops_fp8: float
    bandwidth: float
    memory: float
    source: str
    date: str


def _rows(file: str) -> list[dict[str, str]]:
    return list(csv.DictReader((files("teltheory.cost") / file).read_text("utf-8").splitlines()))


@cache
def known_models() -> dict[str, KnownModel]:
    """Return the models by their names on the command line, in the order of the file."""
    return {row["name"]: _model(row) for row in _rows("models.csv")}


@cache
def known_gpus() -> dict[str, Gpu]:
    """Return the GPUs by their names on the command line, in the order of the file."""
    return {row["name"]: _gpu(row) for row in _rows("gpus.csv")}


def _model(row: dict[str, str]) -> KnownModel:
    shape = _shape(row) if row["layers"] else None
    names = row["name"], row["hub"], tuple(row["aliases"].split())
    return KnownModel(*names, shape, _why(row), row["source"], row["date"])


def _shape(row: dict[str, str]) -> Architecture:
    layers, heads, width, near = (_int(row[name]) for name in ("layers", "kv_heads", "head_dim", "near_layers"))
    latent = bool(row["kv_rank"])
    kept = _int(row["kv_rank"]) + _int(row["rope_dim"]) if latent else width
    products, work = _int(row["heads"]) * (width + (_int(row["value_dim"]) or width)), None
    if row["active"]:
        within = products * near * _int(row["window"])
        numbers = _int(row["active"]), _int(row["weights"]), products * (layers - near), within
        work = TokenWork(*numbers, float(row["bits"] or 16))
    return Architecture(row["name"], layers, heads, kept, latent=latent, work=work)


def _why(row: dict[str, str]) -> str:
    near = f"{row['near_layers']} of its {row['layers']} layers" if row["near_layers"] else "some of its layers"
    of = f" of {int(row['window']):,} tokens" if row["window"] else ""
    return MARKS[row["mark"]].format(near=near, of=of) if row["mark"] else ""


def _gpu(row: dict[str, str]) -> Gpu:
    flops, fast = float(row["bf16_tflops"]) * 1e12, float(row["fp8_tflops"] or row["bf16_tflops"]) * 1e12
    bandwidth, memory = float(row["bandwidth_gb_s"]) * 1e9, float(row["memory_gb"]) * 1e9
    names = row["name"], row["title"], tuple(row["aliases"].split())
    return Gpu(*names, flops, fast, bandwidth, memory, row["source"], row["date"])


def _int(text: str) -> int:
    return int(text or 0)


ARCHITECTURES: dict[str, Architecture]
"""By name, those of which each token takes the same bytes; read from the file when it is asked for."""


def __getattr__(name: str) -> dict[str, Architecture]:
    if name != "ARCHITECTURES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return uniform()


@cache
def uniform() -> dict[str, Architecture]:
    """Return `ARCHITECTURES`."""
    return {one.name: one.shape for one in known_models().values() if one.shape is not None and not one.why}


def known_model(name: str) -> KnownModel | None:
    """Return the row that a name means, in capitals or not, None if there is none."""
    return _by_stem().get(_stem(STORED.sub("", name.strip().lower())))


@cache
def _by_stem() -> dict[str, KnownModel]:
    return {stem: one for one in known_models().values() for stem in one.names}


def _stem(name: str) -> str:
    """Return a name without an organisation and endings, in small letters."""
    stem = name.strip().lower().rsplit("/", 1)[-1].removeprefix("meta-")
    while ENDINGS.search(stem):
        stem = ENDINGS.sub("", stem)
    return stem


def architecture(name: str, argument: str = "model") -> Architecture:
    """Return an architecture by its name, in capitals or not.

    Raises
    ------
    ArgumentError
        For a name that is not known, with the nearest ones, and for a model that has no bytes per token.
    """
    row = known_model(name)
    if row is None:
        raise ArgumentError(argument, name, f"{nearest(name)}; or --config FILE.json, or --kv-bytes N")
    if row.why or row.shape is None:
        refused = (
            f"a model whose layers all keep all tokens: {row.why}; --kv-bytes N with it counts N bytes a token"
        )
        raise ArgumentError(argument, name, refused)
    return variant(row.shape, name)


def variant(shape: Architecture, name: str) -> Architecture:
    """Return the shape that a name means: weights of one byte, and a cache in fp8, where its ending says so."""
    ending = STORED.search(name.strip().lower())
    if ending is None:
        return shape
    work = None if shape.work is None else replace(shape.work, bits=8.0 if "fp8" in ending[1] else 4.0)
    number = 1 if ending[1] == "fp8-kv" else shape.bytes_per_number
    return replace(shape, name=shape.name + ending[0], bytes_per_number=number, work=work)


def nearest(name: str) -> str:
    """Return what to offer in the place of a name: those next to it."""
    stems = _by_stem()
    close = dict.fromkeys(stems[one].name for one in get_close_matches(_stem(name), stems, 3 * NEAREST, ALIKE))
    offered = [*close][:NEAREST] or [*uniform()][:NEAREST]
    return f"one of {len(known_models())} known models such as {', '.join(offered)}"


def gpu(name: str, argument: str = "gpu") -> Gpu:
    """Return a GPU by its name.

    Raises
    ------
    ArgumentError
        For a name that is not known.
    """
    names = {each: one for one in known_gpus().values() for each in (one.name, *one.aliases)}
    found = names.get(name.strip().lower())
    if found is None:
        raise ArgumentError(argument, name, "one of " + ", ".join(known_gpus()))
    return found
