"""Measured TTFTs, read from the result file of a benchmark.

Units are the file's own: each format gives its times in one unit or names it, and times that no server can have
mean that the unit is wrong. Where a file does not say how many tokens of a prompt were cached, nothing is guessed:
the caller says that the cache was cold, or the request does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from teltheory.base.input_files import reported
from teltheory.calibration.formats import FORMATS, MeasuredSample, Parsed, fail, is_number, parsed
from teltheory.errors import ArgumentError, FileError, listed
from teltheory.model.display import in_short
from teltheory.model.numbers import FloatArray, IntArray

LONGEST_SECONDS = 3600.0
SHORTEST_SECONDS = 1e-5
MOST_TOKENS = 10**9
UNKNOWN_CACHE = "the file does not say how many tokens were cached"


@in_short
@dataclass(frozen=True)
class TTFTRuns:
    """Requests with their tokens and their times to the first token.

    Attributes
    ----------
    prompt_tokens : ndarray of int64, shape (m,)
        n, cached tokens included.
    cached_tokens : ndarray of int64, shape (m,)
        c, from 0 to n.
    ttft : ndarray of float64, shape (m,)
        Seconds.
    source : str
        Name of the file, and its format.
    sent, done : ndarray of float64, shape (m,), or None
        Seconds on one clock, if the file has them.
    facts : mapping of str to str
        What the file says about the server and the run; `data_sha256` is the file's digest.
    notes : tuple of str
        What was left out and why, with counts, and what was taken on trust.

    Raises
    ------
    ArgumentError
        Columns of different lengths, no request, more cached tokens than the prompt has, a time of 0 or less.
    """

    prompt_tokens: IntArray
    cached_tokens: IntArray
    ttft: FloatArray
    source: str = ""
    sent: FloatArray | None = None
    done: FloatArray | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, kind in (("prompt_tokens", np.int64), ("cached_tokens", np.int64), ("ttft", np.float64)):
            values = np.array(getattr(self, name), kind)
            if values.ndim != 1 or values.shape != np.shape(self.prompt_tokens) or not len(values):
                raise ArgumentError(name, f"shape {values.shape}", "one entry a request, one request or more")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        if ((self.cached_tokens < 0) | (self.cached_tokens > self.prompt_tokens)).any():
            raise ArgumentError("cached_tokens", self.cached_tokens.tolist()[:4], "0 to prompt_tokens, everywhere")
        if not ((self.ttft > 0) & np.isfinite(self.ttft)).all():
            raise ArgumentError("ttft", self.ttft.tolist()[:4], "seconds above 0, everywhere")

    def __len__(self) -> int:
        return len(self.ttft)

    @property
    def uncached_tokens(self) -> IntArray:
        """Tokens that were computed, u = n - c."""
        return self.prompt_tokens - self.cached_tokens

    def where(self, chosen: NDArray[np.bool_], note: str) -> TTFTRuns:
        """Return the chosen requests, with a note that says which they are."""
        sent, done = (None if clock is None else clock[chosen] for clock in (self.sent, self.done))
        n, c, ttft = self.prompt_tokens[chosen], self.cached_tokens[chosen], self.ttft[chosen]
        return TTFTRuns(n, c, ttft, self.source, sent, done, self.facts, (*self.notes, f"only {note}"))


def read_ttft_runs(
    path: str | Path, format: str = "auto", *, cold: bool = False, model: str | None = None
) -> TTFTRuns:
    """Read measured TTFTs from the result file of a benchmark.

    Parameters
    ----------
    path : str or Path
        The file.
    format : {"auto", "csv", "vllm", "sglang", "aiperf", "probe"}
        "csv" has the columns `prompt_tokens`, `cached_tokens` and `ttft_s` or `ttft_ms`; "vllm" is what `vllm
        bench serve --save-detailed` writes, "sglang" what `bench_serving --output-details` does, "aiperf" its
        `profile_export.jsonl`, "probe" the toolkit's own JSON lines. "auto" tells them by name and fields.
    cold : bool
        Says of a file without cached tokens that its requests met an empty prefix cache and share no prefix.
    model : str or None
        Which served model's requests to take, if the file has those of several.

    Returns
    -------
    TTFTRuns

    Raises
    ------
    FileError
        Names file, line or entry, and field, what was found and what was expected.
    ArgumentError
        An unknown format or model, or none if the file has several.
    """
    file = Path(path)
    if format not in ("auto", *FORMATS):
        raise ArgumentError("format", format, "'auto', " + ", ".join(map(repr, FORMATS)))
    with reported(file, "the result of a benchmark"):
        told = _of_model(parsed(file, format), model)
    told = _with_cache(file, told, cold)
    if not told.samples:
        left = "; ".join(_counted(told.left_out)) or "nothing"
        raise FileError(f"{file}, requests: found none that counts ({left}), expected one or more")
    columns = [_checked(file, told, sample) for sample in told.samples]
    _check_times(file, told, [ttft for _, _, ttft in columns])
    facts = {**told.facts, "data_sha256": sha256(file.read_bytes()).hexdigest()}
    notes = (*_counted(told.left_out), *told.notes)
    n, c, ttft = (np.array(column) for column in zip(*columns, strict=True))
    sent, done = _clock(told)
    return TTFTRuns(n, c, ttft, f"{file.name} ({told.format})", sent, done, facts, notes)


def _of_model(told: Parsed, model: str | None) -> Parsed:
    names = sorted({str(sample.model) for sample in told.samples if sample.model is not None})
    if model is None and len(names) < 2:
        return replace(told, facts={**told.facts, **({"model": names[0]} if names else {})})
    if model not in names:
        known = f"one of {listed(names)}" if names else "none: the file names no model"
        raise ArgumentError("model", model, known)
    samples = [sample for sample in told.samples if str(sample.model) == model]
    return replace(told, samples=samples, facts={**told.facts, "model": str(model)})


def _with_cache(file: Path, told: Parsed, cold: bool) -> Parsed:
    """Return the samples whose cached tokens are known, from the file or because the cache was cold."""
    unknown = sum(sample.cached_tokens is None for sample in told.samples)
    name = told.fields[1]
    if cold:
        return _taken_as_cold(file, told, unknown)
    if unknown and unknown == len(told.samples):
        expected = "them, or your word that the run was against an empty prefix cache (cold=True, --cold)"
        fail(file, "", name, "nothing", expected)
    samples = [sample for sample in told.samples if sample.cached_tokens is not None]
    return replace(told, samples=samples, left_out=told.left_out + Counter({UNKNOWN_CACHE: unknown}))


def _taken_as_cold(file: Path, told: Parsed, unknown: int) -> Parsed:
    for sample in told.samples:
        if sample.cached_tokens not in (None, 0):
            fail(file, sample.place, told.fields[1], sample.cached_tokens, "0, since the run is said to be cold")
    samples = [sample._replace(cached_tokens=0) for sample in told.samples]
    note = f"{unknown} requests are said to be cold; the file does not say how many of their tokens were cached"
    return replace(told, samples=samples, notes=(*told.notes, note) if unknown else told.notes)


def _checked(file: Path, told: Parsed, sample: MeasuredSample) -> tuple[int, int, float]:
    name, cached_name, ttft_name = told.fields
    n = _whole(file, sample, name, sample.prompt_tokens, 1, MOST_TOKENS)
    c = _whole(file, sample, cached_name, sample.cached_tokens, 0, n)
    ttft = sample.ttft
    if not is_number(ttft) or ttft <= 0:
        fail(file, sample.place, ttft_name, ttft, "a time above 0")
    seconds = float(ttft) * sample.unit
    if seconds > LONGEST_SECONDS:
        expected = f"at most {LONGEST_SECONDS:g}: is the unit right?"
        fail(file, sample.place, ttft_name, f"{seconds:g} seconds", expected)
    return n, c, seconds


def _whole(file: Path, sample: MeasuredSample, name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        fail(file, sample.place, name, value, f"a whole number from {least} to {most:,}")
    return value


def _check_times(file: Path, told: Parsed, seconds: list[float]) -> None:
    if max(seconds) < SHORTEST_SECONDS:
        expected = f"some of {SHORTEST_SECONDS:g} or more: is the unit right?"
        fail(file, "", told.fields[2], f"at most {max(seconds):g} seconds", expected)


def _clock(told: Parsed) -> tuple[FloatArray, FloatArray] | tuple[None, None]:
    spans = [sample.span for sample in told.samples if sample.span is not None]
    if len(spans) < len(told.samples):
        return None, None
    sent, done = np.array(spans).T
    return sent, done


def _counted(left: Mapping[str, int]) -> list[str]:
    return [f"{count} left out: {reason}" for reason, count in left.items() if count]
