"""The files of certificates that `teltheory optimum` writes and `teltheory check-certificate` checks.

A file is a JSON object: ``teltheory_certificates``, the version; ``certificates``, a list of entries; ``sha256``,
a digest of the entries. An entry says with ``objective_kind`` what it is about:

- ``tel``: ``capacity``, ``xi``, ``forced``, ``objective``, ``steps`` and ``kept``, as in
  `teltheory.optimal.certificate`.
  Of shared prefixes all are in blocks, and ``prefixes`` says how the trace is read: ``block_size``, ``cache``,
  ``running``, ``without``. What is kept is a plan for a cache whose blocks may outlive their parents; no other
  cache has less.
- ``slo``: ``objective`` violations with what is ``kept``, and the bound ``proved`` by ``prices`` with ``cuts``.
- ``p95`` or another percentile: the same, without ``xi``. ``prices`` is null where ``proved`` is 0.
- ``tiers``: ``capacities``, ``loads``, ``mode`` and ``loading`` of tiers, ``xi``, ``forced``, and what
  `teltheory.optimal.tiers.certificate` has, fractions as texts. ``prefixes`` may be there as for ``tel``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args

import numpy as np
from msgspec import UNSET, Meta, UnsetType, structs, to_builtins

from teltheory.base.input_files import read_json
from teltheory.base.plain_data import MisfitError, fitted, shape
from teltheory.cli.asked.prefixes import PRIVATE, Prefixes
from teltheory.cost.goals import SLO, TEL, Level, read_level
from teltheory.errors import ArgumentError, CertificateError, FileError, TelTheoryError, shown
from teltheory.model.display import counted
from teltheory.model.forest import Forest
from teltheory.model.numbers import INT64_MAX, IntArray, read_fraction
from teltheory.model.plan import check_plan
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.certificate import Certificate
from teltheory.optimal.costs.prices import Cut, Prices
from teltheory.optimal.methods import BlockCache
from teltheory.optimal.slo.exhaustion import check_violations
from teltheory.optimal.tiers.certificate import COLUMNS, TieredCertificate
from teltheory.problem import Problem

VERSION = 2
KIND = "objective_kind"
TIERS = "tiers"
"""The kind of entries about tiers of memory."""
Whole: TypeAlias = Annotated[int, Meta(ge=0, description="a whole number, 0 or more")]
Wholes: TypeAlias = tuple[Whole, ...]
Narrow: TypeAlias = Annotated[int, Meta(ge=0, le=INT64_MAX, description="a whole number from 0 to 2**63 - 1")]
Positive: TypeAlias = Annotated[int, Meta(ge=1, le=INT64_MAX, description="1 or more")]


@dataclass(frozen=True, eq=False)
class Searched:
    """Proves a plan's violations or percentile, `objective`, by what is `kept`, and by prices that none is below.

    Of a percentile they prove that at the threshold ``proved - 1`` more turns violate than it leaves above it.
    """

    objective: int
    kept: IntArray
    proved: int
    prices: Prices | None

    def check(self, trace: Any, entry: Certified) -> None:
        """Raise `CertificateError` if this proves nothing about a trace."""
        uncached = check_plan(trace, entry.memory, self.kept, entry.forced)
        objective = _worth(uncached, entry)
        if objective != self.objective:
            what = f"{objective}, that of what is kept"
            raise CertificateError(f"objective: found {self.objective}, expected {what}")
        if self.proved:
            self._check_bound(trace, entry)

    def _check_bound(self, trace: Trace, entry: Certified) -> None:
        if self.prices is None:
            raise CertificateError(f"prices: found none, expected what proves {self.proved}")
        xi, above = entry.xi, self.proved
        if isinstance(entry.goal, Level):
            xi, above = self.proved - 1, len(trace) - entry.goal.rank(len(trace)) + 1
        try:
            check_violations(trace, entry.memory, xi, self.prices, above, entry.forced)
        except CertificateError as error:
            expected = f"{above} turns or more above {xi}"
            raise CertificateError(f"proved: found {self.proved}, expected {expected}; {error}") from None


def _worth(uncached: IntArray, entry: Certified) -> int:
    if not isinstance(entry.goal, Level):
        return int(np.count_nonzero(uncached > entry.xi))
    if not len(uncached):
        raise CertificateError("kept: found no turn, expected at least one, as a percentile is claimed")
    return entry.goal.of(uncached)


@dataclass(frozen=True, eq=False)
class Certified:
    """What an entry claims: in this memory no policy is below what the proof proves. A percentile has no `xi`.

    `prefixes` says how the trace is read; lengths of shared prefixes are in their blocks.
    """

    goal: str | Level
    memory: Any
    forced: bool
    proof: Certificate | TieredCertificate | Searched
    xi: int = 0
    prefixes: Prefixes = PRIVATE

    def check(self, requests: Trace | Forest) -> None:
        """Raise `CertificateError` if this proves nothing about these requests."""
        if isinstance(self.proof, Searched):
            return self.proof.check(requests, self)
        asked = Problem(requests, self.memory, self.xi, forced=self.forced, running=self.prefixes.running)
        return asked.check_certificate(self.proof)

    @property
    def about(self) -> str:
        """What the entry says that it is about."""
        return self.goal.text if isinstance(self.goal, Level) else self.goal

    @property
    def _place(self) -> str:
        if self.goal == TIERS:
            tiers = zip(self.memory.capacities, self.memory.loads, strict=True)
            place = "Tiers of " + ", ".join(f"{size:,} at {float(load):g}" for size, load in tiers)
        else:
            place = f"Capacity {self.memory:,}"
        about, read = self.about if isinstance(self.goal, Level) else f"threshold {self.xi:,}", self.prefixes
        blocks = "" if read.chains else f", in blocks of {read.block_size:,} tokens"
        cache = "" if read.chains or self.goal == TIERS else f", cache {read.cache}"
        running = f", {read.running:,} requests at a time" if read.running > 1 else ""
        return f"{place}, {about}{blocks}{cache}{running}{', forced caching' if self.forced else ''}"

    def __str__(self) -> str:
        return f"{self._place}: no policy has {self._proved}."

    @property
    def _proved(self) -> str:
        proof = self.proof
        if isinstance(proof, TieredCertificate):
            return f"less TEL than {float(proof.lower):,.10g} (proved by {counted(len(proof.steps), 'price')})"
        if isinstance(proof, Certificate):
            return f"less TEL than {proof.objective:,} (proved by {counted(len(proof.steps), 'step')})"
        less = "a smaller one" if isinstance(self.goal, Level) else "fewer violations"
        count = 0 if proof.prices is None else len(proof.prices.steps) + len(proof.prices.cuts)
        return (
            f"{less} than {proof.proved:,} (proved by {counted(count, 'price')}), and one has {proof.objective:,}"
        )


def checked(file: str, entries: Sequence[Certified], trace: Trace) -> Iterator[tuple[Certified, Trace | Forest]]:
    """Yield the entries of a file and what of a trace they are about, each after its check against that."""
    known: dict[Prefixes, Trace | Forest] = {}
    for i, entry in enumerate(entries):
        try:
            read = replace(entry.prefixes, cache="", running=1)
            if read not in known:
                known[read] = _read(trace, read)
            entry.check(known[read])
        except TelTheoryError as error:
            raise CertificateError(f"{file}, certificates[{i}], {error}") from None
        yield entry, known[read]


def _read(trace: Trace, prefixes: Prefixes) -> Trace | Forest:
    if trace.blocks is None and not prefixes.chains:
        expected = f"one in blocks of {prefixes.block_size:,} tokens"
        raise CertificateError(f"prefixes: found a trace without block hashes, expected {expected}")
    return prefixes.of(trace)


def certificates_as_data(entries: Sequence[Certified]) -> dict[str, Any]:
    """Return certificates as plain data, with a digest that shows whether they were changed."""
    lines = [_as_data(entry) for entry in entries]
    return {"teltheory_certificates": VERSION, "sha256": digest_of(lines), "certificates": lines}


def digest_of(entries: object) -> str:
    """Return the digest of a file's entries."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _as_data(entry: Certified) -> dict[str, Any]:
    """Return an entry as plain data: what its kind has, of the entry, of its memory and of its proof."""
    memory = vars(entry.memory) if entry.goal == TIERS else {"capacity": entry.memory}
    prefixes = {name: getattr(entry.prefixes, name) for name in OF_PREFIXES.__struct_fields__}
    known = vars(entry) | memory | vars(entry.proof) | {KIND: entry.about, "prefixes": prefixes}
    names = [
        name for name in _kind_of(entry.goal).__struct_fields__ if name != "prefixes" or not entry.prefixes.chains
    ]
    return {name: to_builtins(known[name], enc_hook=_plain) for name in names}


def _plain(value: Any) -> Any:
    """Return a column as a list, and a fraction as a text."""
    return value.tolist() if isinstance(value, np.ndarray) else str(value)


def read_certificates(file: str) -> list[Certified]:
    """Read certificates from a file."""
    data = read_json(Path(file), "a file of certificates")
    version = data.get("teltheory_certificates") if isinstance(data, dict) else None
    if type(version) is not int or version != VERSION:
        raise FileError(f'{file}: expected a file of certificates, "teltheory_certificates": {VERSION}')
    entries = data.get("certificates")
    if not isinstance(entries, list):
        raise FileError(f"{file}, certificates: found {type(entries).__name__}, expected a list")
    found = [_entry(f"{file}, certificates[{i}]", entry) for i, entry in enumerate(entries)]
    if data.get("sha256") != digest_of(entries):
        raise FileError(f"{file}, sha256: found another digest than that of the certificates, expected the same")
    return found


def _entry(place: str, entry: object) -> Certified:
    given = entry if isinstance(entry, dict) else {}
    kind = given.get(KIND)
    expected = "tel, slo, tiers or a percentile such as p95"
    if not isinstance(kind, str):
        raise FileError(f"{place}: expected an object with {KIND}, {expected}")
    goal = kind if kind in (TEL, SLO, TIERS) else read_level(kind)
    if goal is None:
        raise FileError(f"{place}, {KIND}: found {shown(kind)}, expected {expected}")
    values = structs.asdict(_read_entry(place, given, _kind_of(goal)))
    values["prices"] = _prices(values.get("prices"))
    try:
        memory = _made(Tiers, values) if goal == TIERS else values["capacity"]
    except ArgumentError as error:
        raise FileError(f"{place}, {error}") from None
    proof: Any = _made({TEL: Certificate, TIERS: TieredCertificate}.get(kind, Searched), values)
    return Certified(
        goal, memory, values["forced"], proof, values.get("xi", 0), _prefixes(values.get("prefixes", UNSET))
    )


def _made(kind: type[Any], values: Mapping[str, Any]) -> Any:
    """Return a value of a dataclass of an entry's values; whether it proves anything is up to its check."""
    return kind(**{name: values[name] for name in kind.__dataclass_fields__ if name in values})


def _read_entry(place: str, given: object, kind: type[Any]) -> Any:
    try:
        return fitted(given, kind, {IntArray: _column, Fraction: _fraction})
    except MisfitError as error:
        found = "" if error.expected.startswith("an object") else f"found {error.found}, "
        raise FileError(f"{place}{error.place()}: {found}expected {error.expected}") from None


def _prefixes(given: Any) -> Prefixes:
    """Return how an entry says that shared prefixes are read, if it does."""
    return PRIVATE if given is UNSET else Prefixes(**structs.asdict(given))


def _prices(given: Any) -> Prices | None:
    """Return prices; whether they are prices of a trace is up to `check_violations`."""
    if given is None:
        return None
    return Prices(**structs.asdict(given) | {"cuts": tuple(Cut(**structs.asdict(cut)) for cut in given.cuts)})


def _column(found: object) -> IntArray:
    return np.array(fitted(found, list[Narrow]), np.int64)


def _fraction(found: object) -> Fraction:
    try:
        return read_fraction(KIND, str(found), "a fraction such as 3/10")
    except ArgumentError as error:
        raise ValueError(error.expected) from None


Cache: TypeAlias = Annotated[BlockCache, Meta(description=" or ".join(get_args(BlockCache)))]
PLAN: dict[str, Any] = {KIND: str, "capacity": Whole, "forced": bool, "objective": Whole, "kept": IntArray}
OF_A_CUT = shape("cut", step=Whole, turns=Wholes, weights=Wholes, numerator=Whole)
OF_PRICES = shape("prices", steps=Wholes, numerators=Wholes, denominator=Whole, cuts=tuple[OF_A_CUT, ...])  # type: ignore[valid-type]
OF_PREFIXES = shape("prefixes", block_size=Positive, cache=Cache, running=Positive, without=str | None)
SHARED = (OF_PREFIXES | UnsetType, UNSET)
OF_TEL = shape("entry", **PLAN, xi=Whole, steps=IntArray, prefixes=SHARED)
OF_SLO = shape("entry", **PLAN, xi=Whole, proved=Whole, prices=OF_PRICES | None)
OF_A_LEVEL = shape("entry", **PLAN, proved=Whole, prices=OF_PRICES | None)
OF_TIERS = shape(
    "entry",
    objective_kind=str,
    capacities=Wholes,
    loads=tuple[Fraction, ...],
    mode=str,
    loading=str,
    xi=Whole,
    forced=bool,
    lower=Fraction,
    **dict.fromkeys(COLUMNS[:4], IntArray),
    loading_shares=IntArray | None,
    denominator=Positive,
    prefixes=SHARED,
)


OF_KINDS = {TEL: OF_TEL, SLO: OF_SLO, TIERS: OF_TIERS}


def _kind_of(goal: str | Level) -> type[Any]:
    """Return what stands in an entry."""
    return OF_A_LEVEL if isinstance(goal, Level) else OF_KINDS[goal]
