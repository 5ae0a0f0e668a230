"""vLLM's server log with its requests: ``--enable-log-requests --enable-log-outputs``, plain lines.

    INFO 02-13 11:33:33 [logger.py:41] Received request cmpl-1-0: prompt: 'Hi', params: ..., prompt_token_ids: [1,
    INFO 02-13 11:33:34 [logger.py:64] Generated response cmpl-1: output: ' yes', output_token_ids: [7], finish_rea

1. A request is a line that says ``Received request``, or from vLLM 0.11 on the debug line ``Request ... details``
   (``VLLM_LOGGING_LEVEL=DEBUG``) of which the other no longer has the prompt. Other lines are passed over.
2. Its tokens are `prompt_token_ids`, or those of the prompt's text if the user names a tokenizer. A log that was
   cut by ``--max-log-len`` can't be told from a whole one.
3. Its output are the `output_token_ids` of its ``Generated response`` (of all its deltas, if it was streamed), or
   the tokens of the text. Without one it counts as 0 tokens, and the report counts such requests.
4. Conversations are told by the tokens (`teltheory.formats.token_logs`).
5. A request arrives when the log says so, to the second. The log names no year: a date that goes back by more than
   half a year is in the next.
"""

import math
import re
from ast import literal_eval
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from teltheory.errors import FileError
from teltheory.formats.format import Format, Source
from teltheory.formats.records import Record, records_of
from teltheory.formats.requests import dated_inputs
from teltheory.formats.token_logs import TokenLog
from teltheory.model.trace import Trace

TIMES = "a turn is at the time when the log has its request, in seconds from the first"
ASK = "prompts: --enable-log-requests, and from vLLM 0.11 on VLLM_LOGGING_LEVEL=DEBUG"
LEAP, HALF_A_YEAR = 2000, 183 * 86400
_TIME = re.compile(r"\b(?:(\d{4})-)?(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_TEXT = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|None)"
_ASKED = re.compile(
    rf"(?:Received request (?P<name>\S+)|Request (?P<same>\S+) details): prompt: (?P<text>{_TEXT}), "
    r".*prompt_token_ids: (?:\[(?P<ids>[0-9, ]*)\]|None)[,.]"
)
_NO_PROMPT = re.compile(r"Received request (?P<name>\S+): params: ")
_ANSWERED = re.compile(
    r"Generated response (?P<name>\S+?)(?P<part> \(streaming (?:delta|complete)\))?(?P<details> details)?: "
    rf"(?:output: (?P<text>{_TEXT}), )?(?:output_token_ids: (?:\[(?P<ids>[0-9, ]*)\]|None))?"
)


@dataclass
class _Unanswered:
    """A request that waits for its answer."""

    record: Record
    seconds: float
    tokens: Sequence[int]
    answer: list[int] = field(default_factory=list)


@dataclass
class _Reader:
    """What was read; requests whose answer has not come are in the order of the log."""

    log: TokenLog
    waiting: dict[str, _Unanswered] = field(default_factory=dict)
    bare: dict[str, Record] = field(default_factory=dict)
    year: int = LEAP
    last: float = -math.inf

    def read(self, record: Record) -> None:
        """Take in a line."""
        line = record.fields["line"]
        if asked := _ASKED.search(line):
            name = asked["name"] or asked["same"]
            tokens = self.log.tokens(_ids(asked["ids"]), _text(asked["text"]))
            if tokens is None:
                record.fail(
                    "prompt_token_ids", "nothing", "ids of tokens, or a prompt and a tokenizer (--tokenizer)"
                )
            self.waiting[name] = _Unanswered(record, self._seconds(record, line[: asked.start()]), tokens)
        elif bare := _NO_PROMPT.search(line):
            self.bare[bare["name"]] = record
        elif answered := _ANSWERED.search(line):
            self._answer(answered)

    def _answer(self, answered: re.Match[str]) -> None:
        name = answered["name"] if answered["name"] in self.waiting else f"{answered['name']}-0"
        if name not in self.waiting or f"{answered['name']}-1" in self.waiting:
            return
        asked, part = self.waiting[name], answered["part"] or ""
        ids: Sequence[int] | None = _ids(answered["ids"])
        if ids is None and not answered["details"] and not asked.answer:
            ids = None if "delta" in part else self.log.tokens(None, _text(answered["text"]))
        asked.answer += ids or ()
        if "delta" not in part and not answered["details"]:
            self.add(name)

    def add(self, name: str) -> None:
        """Add a request whose answer is complete, or does not come."""
        one = self.waiting.pop(name)
        self.log.requests.odd["requests whose output is not in the log, taken for 0 tokens"] += not one.answer
        self.log.add(one.record, one.tokens, one.answer, len(one.answer), one.seconds)

    def _seconds(self, record: Record, before: str) -> float:
        """Return the time of a line, in seconds."""
        found = _TIME.search(before)
        if found is None:
            record.fail("line", before, "a time such as 02-13 11:33:33 before the request")
        year, *parts, fraction = found.groups()
        seconds = self._since(record, self.year if year is None else int(year), parts)
        if year is None and seconds < self.last - HALF_A_YEAR:
            self.year += 1
            seconds = self._since(record, self.year, parts)
        self.last = seconds
        return seconds + float(f"0.{fraction or 0}")

    def _since(self, record: Record, year: int, parts: list[str]) -> float:
        try:
            month, day, hour, minute, second = map(int, parts)
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
        except ValueError:
            record.fail("line", "-".join(parts[:2]) + " " + ":".join(parts[2:]), "a date and a time")


def read(source: Source) -> Trace:
    """Make a trace of the requests of a log."""
    reader = _Reader(TokenLog.of(source))
    for file, _ in source.files():
        for record in records_of(file, "log"):
            reader.read(record)
    for name in list(reader.waiting):
        reader.add(name)
    log = reader.log
    if not log.requests:
        found = "requests without their prompts" if reader.bare else "no line with 'Received request'"
        raise FileError(f"{source.path}: found {found}, expected {ASK}")
    arrival = np.array(log.requests.seconds, np.float64)
    return dated_inputs(log.requests, "vllm-log", arrival - arrival.min(), TIMES, log.tokenizer)


def _ids(text: str | None) -> list[int] | None:
    """Return the ids; of one that no token has, as many digits as show it to be out of bounds."""
    return None if text is None else [int(one.strip()[:20]) for one in text.split(",") if one.strip()]


def _text(text: str | None) -> str | None:
    """Return the text that a literal of Python stands for."""
    try:
        return literal_eval(text or "None")  # type: ignore[no-any-return]
    except (ValueError, SyntaxError):
        return None


VLLM_LOG = Format(
    name="vllm-log",
    fields=("Received request",),
    tells=lambda fields, kind: kind == "log",
    read=read,
    text=True,
    dated=True,
    blocks=True,
)
