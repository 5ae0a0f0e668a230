"""Campaigns: batches of random cases for many claims, as long as there is time, each kept as it is finished.

1. Batches have an order: round by round, in a round by claim, in a claim by generator (`batches.in_order`).
2. Those that the store has are not tried again. The others are handed out in this order to processes of this
   machine or to a Dask cluster, until the time is over or a number of batches is reached; what was handed out is
   finished.
3. What a batch found is a row of the store (`teltheory.base.store`), on disk before the next is waited for. A
   worker that is killed loses the batch that it tried, which another one tries again; a process that hands out and
   is killed loses those that were being tried.
4. What a claim's scope says is made of a set of batches alone, whatever the order in which they were finished: the
   counterexample is the smallest of all (`Case.size`).
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from teltheory.base.processes import cores, on_cluster, on_processes
from teltheory.base.store import Results
from teltheory.claims.batches import Batch, BatchResult, Key, Trial, in_order, made_by
from teltheory.claims.case import Case
from teltheory.claims.claim import Claim
from teltheory.claims.worlds import SmallWorlds
from teltheory.errors import ArgumentError, WorkerError
from teltheory.model.numbers import whole_number


@dataclass(frozen=True)
class Campaign:
    """What is tried: claims on traces, in the ledger's order.

    `batches` is how many of the first batches, and after `seconds` no batch is handed out; None for no bound.
    """

    claims: tuple[Claim[Case], ...]
    trial: Trial
    batches: int | None = None
    seconds: float | None = None

    def in_order(self) -> Iterator[Batch]:
        """Yield its batches in their order."""
        return islice(in_order(self.claims, self.trial.generators), self.batches)

    def counts(self, key: Key) -> bool:
        """Whether a batch is among the first, where their number is bounded."""
        return self.batches is None or key in self._first

    @cached_property
    def _first(self) -> set[Key]:
        return {batch.key for batch in self.in_order()}


class CampaignStore:
    """What batches found, in a file, made by the first batch that is added, or in memory alone.

    What another version of the toolkit, of numpy or of a claim has found is passed over, and kept in the file:
    `texts` are those of each claim and generator (`batches.texts_of`). `FileError` if a file is no store or
    damaged.
    """

    def __init__(self, path: str | Path | None, texts: dict[tuple[str, str], str]) -> None:
        self._found: dict[Key, BatchResult] = {}
        self._results = None if path is None else Results(Path(path), "campaign")
        if self._results is None:
            return
        self._results.check_place()
        for number, (_, about, found) in enumerate(self._results.read(), start=1):
            try:
                maker, batch, kept = about.pop("made_by", None), Batch(**about), _checked(BatchResult(**found))
                whole_number("number", batch.number)
                if maker == made_by() and batch.text == texts.get((batch.claim, batch.generator)):
                    self._found[batch.key] = kept
            except (TypeError, ArgumentError) as error:
                raise self._results.damaged(number, f"a row with {error}") from None

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, batch: Batch) -> bool:
        return batch.key in self._found

    def add(self, batch: Batch, found: BatchResult) -> None:
        """Keep what a batch found; it is on disk afterwards."""
        if self._results is not None:
            self._results.add([({"made_by": made_by(), **asdict(batch)}, asdict(found))])
        self._found[batch.key] = found

    def of(self, claim: str) -> dict[Key, BatchResult]:
        """Return what the batches of a claim found, by generator and number."""
        return {key: self._found[key] for key in sorted(self._found) if key[0] == claim}


def _checked(found: BatchResult) -> BatchResult:
    for name in ("tried", "refuting"):
        whole_number(name, getattr(found, name))
    if found.counterexample is not None:
        Case.of(found.counterexample)
    return found


def run(
    campaign: Campaign,
    store: CampaignStore,
    progress: Callable[[int, float], object] | None = None,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
) -> None:
    """Try the batches that the store does not have, and keep what they find there.

    They are tried by processes, one per core if `workers` is None, or by the workers of the Dask scheduler at an
    address. `progress` is called with the number of batches finished and the seconds since the beginning.
    """
    begin = time.monotonic()
    handed: list[Batch] = []
    coming = _handed_out(campaign, store, begin, handed)
    if scheduler is None:
        answers = on_processes(campaign.trial, coming, workers or cores())
    else:
        answers = on_cluster(campaign.trial, coming, scheduler)
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


def with_traces(claims: Sequence[Claim[Any]]) -> tuple[Claim[Case], ...]:
    """Return the claims whose cases are traces that can be drawn."""
    return tuple(claim for claim in claims if isinstance(claim.space, SmallWorlds))


@dataclass(frozen=True)
class CampaignSummary:
    """What a campaign found on a claim: facts for the scope, and the smallest counterexample with its batch.

    `problem` says how the check broke in the first batch that it broke in.
    """

    facts: dict[str, Any]
    counterexample: dict[str, Any] | None
    origin: Batch | None
    problem: str | None


def summary(campaign: Campaign, store: CampaignStore, claim: str) -> CampaignSummary:
    """Return what a campaign found on a claim, in its first batches where their number is bounded, else in all."""
    found = {key: value for key, value in store.of(claim).items() if campaign.counts(key)}
    refuting = [
        (Case.of(f.counterexample).size(), key) for key, f in found.items() if f.counterexample is not None
    ]
    smallest = min(refuting)[1] if refuting else None
    return CampaignSummary(
        _facts(campaign, found),
        None if smallest is None else found[smallest].counterexample,
        None if smallest is None else Batch(*smallest),
        next((one.problem for one in found.values() if one.problem is not None), None),
    )


def _facts(campaign: Campaign, found: dict[Key, BatchResult]) -> dict[str, Any]:
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
    return {
        "instances": sum(one.tried for one in found.values()),
        "batches": len(found),
        "refuting": sum(one.refuting for one in found.values()),
        "generators": by_generator,
    }
