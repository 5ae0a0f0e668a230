"""Campaigns: batches of random cases for many claims, as long as there is time, each kept as it is finished.

1. Batches have an order: round by round, in a round by claim, in a claim by generator (`batches.in_order`).
2. Those that the store has are not tried again. The others are handed out in this order to processes of this
   machine or to a Dask cluster, until the time is over or a number of batches is reached; what was handed out is
   finished.
3. What a batch found is a line of the store, on disk before the next is waited for. A worker that is killed loses
   the batch that it tried, which another one tries again; whoever hands out and is killed loses those that were
   being tried.
4. What a claim's scope says is made of a set of batches alone, whatever the order in which they were finished: the
   counterexample is the smallest of all (`Case.size`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Generator as Answers
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from teltheory import cluster
from teltheory.claims.batches import Batch, Found, Trial, in_order, made_by
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim
from teltheory.claims.generators import Generator
from teltheory.claims.worlds import SmallWorlds
from teltheory.errors import ArgumentError, FileError, WorkerError, shown
from teltheory.processes import cores, on_processes
from teltheory.records import Records

FORMAT = 1
VERSION_FIELD = "teltheory_campaign"
Key = tuple[str, str, int]


@dataclass(frozen=True)
class Campaign:
    """What is tried.

    Attributes
    ----------
    claims : tuple of Claim
        Claims whose cases are traces, in the ledger's order.
    trial : Trial
        What tries a batch.
    batches : int or None
        How many of the first batches, None for no bound.
    seconds : float or None
        After which no batch is handed out any more, None for no bound.
    """

    claims: tuple[Claim[Case], ...]
    trial: Trial
    batches: int | None = None
    seconds: float | None = None

    @property
    def generators(self) -> tuple[Generator, ...]:
        """The generators that have what they draw from."""
        return tuple(g for g in self.trial.generators if g.name != "mooncake" or self.trial.real is not None)

    def in_order(self) -> Iterator[Batch]:
        """Yield its batches in their order."""
        return islice(in_order(self.claims, self.generators, self.trial.real), self.batches)

    def counts(self, key: Key) -> bool:
        """Whether a batch is among the first, where their number is bounded."""
        return self.batches is None or key in self._first

    @cached_property
    def _first(self) -> set[Key]:
        return {batch.key for batch in self.in_order()}


class CampaignStore:
    """What batches found, in a file or in memory alone.

    Parameters
    ----------
    path : str, Path or None
        The file; it is made by the first batch that is added.
    texts : dict of (str, str) to str
        The text that the batches of a claim (its name) and a generator have, see `batches.text_of`.

    Raises
    ------
    FileError
        Where the file is no store, a line is damaged, or it is of another version of the toolkit or of a claim.
    """

    def __init__(self, path: str | Path | None, texts: dict[tuple[str, str], str]) -> None:
        self._found: dict[Key, Found] = {}
        self._records = None if path is None else Records(Path(path), VERSION_FIELD, "a record of a campaign")
        if self._records is None:
            return
        self._records.check_place()
        for number, record in self._records.read():
            batch, found = _checked(self._records, number, record, texts)
            self._found.setdefault(batch.key, found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, batch: Batch) -> bool:
        return batch.key in self._found

    def add(self, batch: Batch, found: Found) -> None:
        """Keep what a batch found; it is on disk afterwards."""
        if self._records is not None:
            made = {
                VERSION_FIELD: FORMAT,
                "made_by": made_by(),
                **asdict(batch),
                "seed": batch.seed,
                **asdict(found),
            }
            self._records.append([made])
        self._found[batch.key] = found

    def of(self, claim: str) -> dict[Key, Found]:
        """Return what the batches of a claim found, by generator and number."""
        return {key: self._found[key] for key in sorted(self._found) if key[0] == claim}


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("claim", "generator", "text"), (str,)),
    **dict.fromkeys(("number", "seed", "tried", "refuting"), (int,)),
    "counterexample": (dict, type(None)),
    "problem": (str, type(None)),
}
_FIELDS = {VERSION_FIELD, "made_by", "seed", *(f.name for kind in (Batch, Found) for f in fields(kind))}


def _checked(
    records: Records, number: int, record: dict[str, Any], texts: dict[tuple[str, str], str]
) -> tuple[Batch, Found]:
    if record[VERSION_FIELD] != FORMAT or record.get("made_by") != made_by():
        raise _another(records, number, f"made by {str(record.get('made_by'))[:200]}", f"made by {made_by()}")
    for field in sorted(_FIELDS ^ set(record)):
        raise records.damaged(number, f"{'no' if field in _FIELDS else 'a'} field {field!r}")
    for name, kinds in _KINDS.items():
        if type(record[name]) not in kinds:
            raise records.damaged(number, f"{name} {shown(record[name])}")
    _check_example(records, number, record["counterexample"])
    batch = Batch(*(record[field.name] for field in fields(Batch)))
    if batch.text != texts.get((batch.claim, batch.generator)):
        found = f"on another {batch.claim} or other {batch.generator} cases"
        raise _another(records, number, found, "on the claims as they are")
    if batch.seed != record["seed"]:
        raise records.damaged(number, f"seed {record['seed']} of {batch}")
    return batch, Found(*(record[field.name] for field in fields(Found)))


def _check_example(records: Records, number: int, example: dict[str, Any] | None) -> None:
    try:
        if example is not None:
            Case.of(example)
    except ArgumentError as error:
        raise records.damaged(number, f"a counterexample that is none ({error})") from None


def _another(records: Records, number: int, found: str, expected: str) -> FileError:
    return FileError(
        f"{records.path}, line {number}: found a batch {found}, expected one {expected}; use a new file"
    )


def run(
    campaign: Campaign,
    store: CampaignStore,
    progress: Callable[[int, float], object] | None = None,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
) -> None:
    """Try the batches that the store does not have, and keep what they find there.

    Parameters
    ----------
    campaign : Campaign
        What is tried, and for how long.
    store : CampaignStore
        Where what is found is kept.
    progress : callable, optional
        Called with the number of batches finished and the seconds since the beginning.
    workers : int or None
        Processes of this machine, None for one a core.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers try the batches instead.

    Raises
    ------
    ArgumentError, WorkerError, FileError
        As `processes.on_processes`, `cluster.on_cluster` and `CampaignStore.add` do.
    """
    begin = time.monotonic()
    handed: list[Batch] = []
    coming = _handed_out(campaign, store, begin, handed)
    if scheduler is None:
        answers: Answers[tuple[int, Any], None, None] = on_processes(campaign.trial, coming, workers or cores())
    else:
        answers = _on_cluster(campaign.trial, coming, scheduler)
    with closing(answers):
        for done, (i, (maker, found)) in enumerate(answers, start=1):
            if maker != made_by():
                raise WorkerError(str(handed[i]), f"a worker that has {maker} instead of {made_by()}")
            store.add(handed[i], found)
            if progress is not None:
                progress(done, time.monotonic() - begin)


def _handed_out(campaign: Campaign, store: CampaignStore, begin: float, handed: list[Batch]) -> Iterator[Batch]:
    """Yield the missing batches while there is time, and note them."""
    for batch in campaign.in_order():
        if batch in store:
            continue
        if campaign.seconds is not None and time.monotonic() - begin >= campaign.seconds:
            return
        handed.append(batch)
        yield batch


def _on_cluster(trial: Trial, batches: Iterator[Batch], address: str) -> Answers[tuple[int, Any], None, None]:
    """Try batches on a Dask cluster, two ahead for each thread so that none waits."""

    def submitting(client: Any) -> Callable[[int, Batch], Any]:
        name = uuid4().hex
        sent = client.submit(_itself, trial, key=f"trial-{name}", pure=False)
        return lambda i, batch: client.submit(_tried, sent, batch, key=f"batch-{i}-{name}", pure=False)

    return cluster.on_cluster(submitting, batches, address, _two_a_thread)


def _two_a_thread(client: Any) -> int:
    threads: int = sum(client.nthreads().values())
    return 2 * max(1, threads)


def _itself(trial: Trial) -> Trial:
    return trial


def _tried(trial: Trial, batch: Batch) -> tuple[str, Found]:
    return trial(batch)


def with_traces(claims: Sequence[Claim[Any]]) -> tuple[Claim[Case], ...]:
    """Return the claims whose cases are traces that can be drawn."""
    return tuple(claim for claim in claims if isinstance(claim.space, SmallWorlds))


@dataclass(frozen=True)
class Summary:
    """What a campaign found on a claim.

    Attributes
    ----------
    facts : dict
        For the scope: instances, batches and seeds, in all and by generator.
    refuting : int
        Instances that refute the claim.
    counterexample : dict or None
        The smallest, and `origin`, the batch that it comes from.
    problem : str or None
        How the check broke in the first batch where it did.
    """

    facts: dict[str, Any]
    refuting: int
    counterexample: dict[str, Any] | None
    origin: Batch | None
    problem: str | None


def summary(campaign: Campaign, store: CampaignStore, claim: str) -> Summary:
    """Return what a campaign found on a claim, in its first batches where their number is bounded, else in all."""
    found = {key: value for key, value in store.of(claim).items() if campaign.counts(key)}
    refuting = [
        (Case.of(f.counterexample).size(), key) for key, f in found.items() if f.counterexample is not None
    ]
    smallest = min(refuting)[1] if refuting else None
    return Summary(
        _facts(campaign, found),
        sum(one.refuting for one in found.values()),
        None if smallest is None else found[smallest].counterexample,
        None if smallest is None else Batch(*smallest),
        next((one.problem for one in found.values() if one.problem is not None), None),
    )


def _facts(campaign: Campaign, found: dict[Key, Found]) -> dict[str, Any]:
    """Return instances, batches and seeds, in all and by generator."""
    by_generator: dict[str, Any] = {}
    for name in (generator.name for generator in campaign.trial.generators):
        keys = [key for key in found if key[1] == name]
        if keys:
            by_generator[name] = {
                "instances": sum(found[key].tried for key in keys),
                "batches": len(keys),
                "first_seed": Batch(*keys[0]).seed,
                "last_seed": Batch(*keys[-1]).seed,
            }
    facts: dict[str, Any] = {
        "instances": sum(one.tried for one in found.values()),
        "batches": len(found),
        "refuting": sum(one.refuting for one in found.values()),
        "generators": by_generator,
    }
    if campaign.trial.real is None:
        facts["left_out"] = "mooncake: the trace is not in the data folder"
    return facts
