"""The published shapes of benchmark results, each as samples of tokens and TTFT with their place in the file.

One value per format. A format says which unit its times have; nothing here guesses one.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, NoReturn, TypeGuard

from teltheory.errors import FileError
from teltheory.formats.rows import Rows, csv_rows, json_lines, shortened

UNITS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Seconds in one, by the unit's name."""

NO_FIRST_TOKEN = "no first token came (TTFT 0)"
FAILED = "the request failed"
MEAN_AGREES = 2.0


class MeasuredSample(NamedTuple):
    """A request, as the file has it; nothing is checked yet.

    Attributes
    ----------
    place : str
        Line or entry in the file.
    prompt_tokens : object
        n.
    cached_tokens : object
        c; None if the file does not say.
    ttft : object
        Time to the first token, in `unit`.
    unit : float
        Seconds in one.
    span : tuple or None
        When it was sent and when its last token came, in seconds on one clock.
    model : object
        The served model, where rows of several may stand in one file.
    """

    place: str
    prompt_tokens: object
    cached_tokens: object
    ttft: object
    unit: float
    span: tuple[float, float] | None = None
    model: object = None


@dataclass(frozen=True)
class Parsed:
    """What a file holds; `fields` are its names of prompt tokens, cached tokens and TTFT."""

    format: str
    samples: list[MeasuredSample]
    fields: tuple[str, str, str]
    left_out: Counter[str] = field(default_factory=Counter)
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


Objects = Sequence[tuple[str, Mapping[str, Any]]]


def fail(path: Path, place: str, name: str, found: object, expected: str) -> NoReturn:
    """Raise a `FileError` at a place of a file."""
    where = f", {place}" if place else ""
    raise FileError(f"{path}{where}, {name}: found {shortened(found)}, expected {expected}")


def json_objects(path: Path) -> Objects:
    """Return the objects of a JSON file with one object, or with one a line, each with its place."""
    text = path.read_text(encoding="utf-8-sig")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict):
        return [("", whole)]
    lines = text.split("\n")
    if PROBE in lines[0]:
        lines[-1] = ""
    return [(f"line {number}", found) for number, found in json_lines(path, lines)]


def serving(path: Path, objects: Objects) -> Parsed:
    """Read what `vllm bench serve --save-detailed` or SGLang's `bench_serving --output-details` wrote.

    Both write `ttfts` in seconds and `input_lens`, one entry a request, and `errors`, empty text where all went
    well; neither says how many tokens were cached.
    """
    samples, left = list[MeasuredSample](), Counter[str]()
    for place, run in objects:
        good = _good_entries(path, place, run, left)
        _check_mean(path, place, run, [sample.ttft for sample in good])
        samples += good
    engine = "vllm" if any("model_id" in run or "tokenizer_id" in run for _, run in objects) else "sglang"
    run = objects[-1][1] if objects else {}
    facts = _texts(engine=engine, model=run.get("model_id") or run.get("model"), date=run.get("date"))
    return Parsed(engine, samples, ("input_lens", "cached_tokens", "ttfts"), left, facts)


def _good_entries(path: Path, place: str, run: Mapping[str, Any], left: Counter[str]) -> list[MeasuredSample]:
    advice = "a list (vLLM: --save-detailed, SGLang: --output-details)"
    ttfts, lengths = (_field(path, place, run, name, list, advice) for name in ("ttfts", "input_lens"))
    errors = _field(path, place, run, "errors", list, advice) if run.get("errors") else [""] * len(ttfts)
    for name, values in (("input_lens", lengths), ("errors", errors)):
        if len(values) != len(ttfts):
            fail(path, place, name, f"{len(values)} entries", f"{len(ttfts)}, as many as in ttfts")
    spans = _spans(run, len(ttfts))
    good = []
    for i, (n, ttft, error) in enumerate(zip(lengths, ttfts, errors, strict=True)):
        if error:
            left[FAILED] += 1
        elif is_number(ttft) and ttft == 0:
            left[NO_FIRST_TOKEN] += 1
        else:
            at = ", ".join(filter(None, (place, f"entry {i}")))
            good.append(MeasuredSample(at, n, None, ttft, 1.0, spans[i]))
    return good


def _field(path: Path, place: str, of: Mapping[str, Any], name: str, kind: type, expected: str) -> Any:
    """Return what an object has under a name; `FileError` unless it is of a kind."""
    value = of.get(name)
    if not isinstance(value, kind):
        fail(path, place, name, "nothing" if value is None else value, expected)
    return value


def _spans(run: Mapping[str, Any], count: int) -> list[tuple[float, float] | None]:
    """Return when requests began and ended, if the file has `start_times`, and `itls` between later tokens."""
    starts, gaps, ttfts = (run.get(name) for name in ("start_times", "itls", "ttfts"))
    if not isinstance(starts, list) or len(starts) != count or not isinstance(ttfts, list):
        return [None] * count
    later = gaps if isinstance(gaps, list) and len(gaps) == count else [[]] * count
    return [_span(*request) for request in zip(starts, ttfts, later, strict=True)]


def _span(start: object, ttft: object, later: object) -> tuple[float, float] | None:
    gaps = later if isinstance(later, list) else []
    numbers = [value for value in (start, ttft, *gaps) if is_number(value)]
    return (numbers[0], float(sum(numbers))) if len(numbers) == 2 + len(gaps) else None


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number, and one that a float can hold."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e18


def _check_mean(path: Path, place: str, run: Mapping[str, Any], ttfts: list[object]) -> None:
    """Hold the entries against the mean that the same file gives in milliseconds."""
    told, numbers = run.get("mean_ttft_ms"), [ttft for ttft in ttfts if is_number(ttft)]
    if not is_number(told) or not numbers or told <= 0:
        return
    mean, expected = fmean(numbers), told / 1000
    if not expected / MEAN_AGREES < mean < expected * MEAN_AGREES:
        fail(path, place, "ttfts", f"mean {mean:.6g}", f"about {expected:.6g} seconds, as mean_ttft_ms says")


def _texts(**facts: object) -> dict[str, str]:
    """Return the facts that a file tells as text."""
    return {name: value for name, value in facts.items() if isinstance(value, str) and value}


def aiperf(path: Path, objects: Objects) -> Parsed:
    """Read AIPerf's `profile_export.jsonl`: phase `profiling`, no errors, not cancelled.

    Each metric is a value with its unit. The server's own counts (`usage_prompt_tokens`,
    `usage_prompt_cache_read_tokens`) come before the client's `input_sequence_length`.
    """
    samples, left = list[MeasuredSample](), Counter[str]()
    for place, record in objects:
        reason = _not_counted(path, place, record)
        if reason:
            left[reason] += 1
        else:
            samples.append(_aiperf_sample(path, place, record))
    names = ("input_sequence_length", "usage_prompt_cache_read_tokens", "time_to_first_token")
    return Parsed("aiperf", samples, names, left)


def _not_counted(path: Path, place: str, record: Mapping[str, Any]) -> str | None:
    about = _field(path, place, record, "metadata", dict, "an object")
    phase = _field(path, place, about, "benchmark_phase", str, "text such as 'profiling'")
    if phase != "profiling":
        return f"phase {phase!r}, not 'profiling'"
    if about.get("was_cancelled"):
        return "the request was cancelled"
    return FAILED if record.get("error") else None


def _aiperf_sample(path: Path, place: str, record: Mapping[str, Any]) -> MeasuredSample:
    metrics = _field(path, place, record, "metrics", dict, "an object")
    ttft, unit = _metric(path, place, metrics, "time_to_first_token")
    if unit not in UNITS:
        fail(path, place, "time_to_first_token, unit", unit, "one of " + ", ".join(UNITS))
    counted = "usage_prompt_tokens" if "usage_prompt_tokens" in metrics else "input_sequence_length"
    cached = "usage_prompt_cache_read_tokens"
    told = _metric(path, place, metrics, cached)[0] if metrics.get(cached) is not None else None
    about = record["metadata"]
    clock = (about.get("request_start_ns"), about.get("request_end_ns"))
    span = (
        (clock[0] / 1e9, clock[1] / 1e9)
        if all(isinstance(ns, int) and abs(ns) < 1 << 63 for ns in clock)
        else None
    )
    return MeasuredSample(place, _metric(path, place, metrics, counted)[0], told, ttft, UNITS[unit], span)


def _metric(path: Path, place: str, metrics: Mapping[str, Any], name: str) -> tuple[Any, str]:
    metric = _field(path, place, metrics, name, dict, "a value with its unit")
    if "value" not in metric:
        fail(path, place, name, metric, "a value with its unit")
    return metric["value"], _field(path, f"{place}, {name}", metric, "unit", str, "the name of a unit")


PROBE = "teltheory_probe"
PROBED = ("prompt_tokens", "cached_tokens", "ttft_s")


def probe(path: Path, objects: Objects) -> Parsed:
    """Read what the toolkit's own probe wrote: its plan, then a request a line.

    A last line without its end was cut off when the probe was killed, and is not read.
    """
    samples, left, facts = list[MeasuredSample](), Counter[str](), dict[str, str]()
    for place, line in objects:
        if PROBE in line:
            plan = line.get("plan")
            model = plan.get("model") if isinstance(plan, dict) else None
            facts |= _texts(model=model, date=line.get("started"))
        elif line.get("cached_tokens") is None and "cached_tokens" in line:
            left["the server did not report cached tokens"] += 1
        elif line.get("mismatch"):
            left["the server reported other cached tokens than were warmed"] += 1
        else:
            n, c, ttft = (line.get(name) for name in PROBED)
            samples.append(MeasuredSample(place, n, c, ttft, 1.0))
    return Parsed("probe", samples, PROBED, left, facts)


TTFT_COLUMNS = {"ttft_s": 1.0, "ttft_ms": 1e-3, "prefill_ms": 1e-3}
KNOWN = ("prompt_tokens", "cached_tokens", "model", *TTFT_COLUMNS)


def csv_table(path: Path) -> Parsed:
    """Read a CSV table: `prompt_tokens`, `cached_tokens`, `ttft_s` or `ttft_ms`, and optionally `model`.

    A table with `prefill_ms` in place of a TTFT gives the prefill of whole prompts, so none of their tokens is
    cached. A time whose column names no unit is an error.
    """
    rows = csv_rows(path)
    column = _ttft_column(path, rows)
    lengths, ttfts = rows.column("prompt_tokens"), rows.column(column)
    nothing = [0 if column == "prefill_ms" else None] * len(rows)
    cached, models = rows.columns.get("cached_tokens", nothing), rows.columns.get("model", [None] * len(rows))
    places = (f"line {number}" for number in rows.numbers)
    table = zip(places, lengths, cached, ttfts, models, strict=True)
    unit = TTFT_COLUMNS[column]
    samples = [MeasuredSample(place, n, c, ttft, unit, None, model) for place, n, c, ttft, model in table]
    ignored = [name for name in rows.columns if name not in KNOWN]
    notes = [f"columns that were not used: {', '.join(ignored)}"] if ignored else []
    if column == "prefill_ms":
        notes.append("the table has the prefill of whole prompts: no token of them is cached")
    return Parsed("csv", samples, ("prompt_tokens", "cached_tokens", column), notes=tuple(notes))


def _ttft_column(path: Path, rows: Rows) -> str:
    named = [name for name in TTFT_COLUMNS if name in rows.columns]
    if len(named) == 1:
        return named[0]
    others = [name for name in rows.columns if "ttft" in name.lower()]
    found = " and ".join(named) if named else (others[0] if others else "nothing")
    fail(path, "line 1", "columns", found, "one column of times that names its unit: ttft_s or ttft_ms")


@dataclass(frozen=True)
class ResultFormat:
    """A format of result files; `tells` is asked about a first object's fields, `fields` says them to people."""

    name: str
    fields: str
    tells: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Path, Objects], Parsed]


VLLM = ResultFormat(
    "vllm",
    "ttfts and input_lens",
    lambda first: bool({"ttfts", "input_lens", "mean_ttft_ms"} & set(first)),
    serving,
)
SGLANG = ResultFormat("sglang", "ttfts and input_lens", lambda first: False, serving)
AIPERF = ResultFormat(
    "aiperf", "metadata and metrics", lambda first: {"metadata", "metrics"} <= set(first), aiperf
)
PROBED_FORMAT = ResultFormat("probe", "ttft_s", lambda first: PROBE in first or "ttft_s" in first, probe)
OF_OBJECTS = {format.name: format for format in (VLLM, SGLANG, AIPERF, PROBED_FORMAT)}
FORMATS = ("csv", "vllm", "sglang", "aiperf", "probe")


def parsed(path: Path, format: str) -> Parsed:
    """Read a file in a format; "auto" tells it by the file's name and its first object's fields."""
    if format == "csv" or (format == "auto" and path.suffix.lower() == ".csv"):
        return csv_table(path)
    objects = json_objects(path)
    if not objects:
        fail(path, "", "requests", "nothing", "one or more")
    found = _told(path, objects[0][1]) if format == "auto" else OF_OBJECTS[format]
    return found.read(path, objects)


def _told(path: Path, first: Mapping[str, Any]) -> ResultFormat:
    for format in OF_OBJECTS.values():
        if format.tells(first):
            return format
    shapes = ", ".join(f"{format.fields} ({format.name})" for format in OF_OBJECTS.values())
    fail(path, "", "fields", ", ".join(first) or "nothing", shapes)
