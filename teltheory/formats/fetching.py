"""A listed file is brought over HTTPS: at most so many bytes, there whole and with its digest, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teltheory.base.extras import needed
from teltheory.base.progress import Progress, Report, reporting
from teltheory.base.whole_files import check_place, write_whole
from teltheory.errors import FileError
from teltheory.formats.datasets import MOST, DataFile, digest_of

if TYPE_CHECKING:
    import httpx

TIMEOUT = 60.0
"""Seconds without a byte."""


def fetch(file: DataFile, progress: Progress = None, network: httpx.BaseTransport | None = None) -> bool:
    """Bring a file to its place in the data folder; return False if it was there.

    What is there already is only compared. A file that breaks off is fetched anew the next time.

    Parameters
    ----------
    file : DataFile
        One with an address.
    progress : callable or bool, optional
        Told the bytes that came, and all there are; True shows a bar.
    network : httpx.BaseTransport, optional
        What carries the request; the network by default.

    Raises
    ------
    FileError
        If the network, the answer or the digest is not as expected, or another file is in its place.
    """
    check_place(file.path.parent if "/" in file.file else file.path, "for data (TELTHEORY_DATA names the folder)")
    if file.path.exists():
        _check(file, digest_of(file.path), str(file.path))
        return False
    file.path.parent.mkdir(exist_ok=True)
    digest = hashlib.sha256()
    with reporting(progress, f"fetching {file.file}") as report:
        write_whole(file.path, lambda beside: _download(file, beside, digest, report, network))
    if file.digest is None:
        line = f"{digest.hexdigest()}  {file.path.name}\n"
        write_whole(file.kept, lambda beside: beside.write_text(line, "utf-8"))
    return True


def _download(file: DataFile, beside: Path, digest: Any, report: Report, network: Any) -> None:
    httpx, came = needed("httpx", "datasets"), 0
    from teltheory.base.peers import bounded

    client = httpx.Client(
        transport=bounded(network, file.bytes or MOST),
        trust_env=False,
        timeout=TIMEOUT,
        follow_redirects=True,
        event_hooks={"request": [_only_https]},
    )
    try:
        with client, client.stream("GET", file.address) as answer, beside.open("wb") as out:
            if answer.status_code != 200:
                raise FileError(
                    f"{file.address}: found status {answer.status_code}, expected a file; see {file.page}"
                )
            size = file.bytes or int(answer.headers.get("content-length") or 0) or None
            for part in answer.iter_raw():
                out.write(part)
                digest.update(part)
                came += len(part)
                report(came, size)
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        by_hand = f"without a network, put what {file.address} has at {file.path} yourself"
        raise FileError(f"{file.name}: found {why}, expected the file over HTTPS; {by_hand}") from None
    _check(file, digest.hexdigest(), file.address)


def _only_https(request: httpx.Request) -> None:
    if request.url.scheme != "https":
        raise FileError(f"{request.url}: found {request.url.scheme}, expected https alone, redirects too")


def _check(file: DataFile, found: str, place: str) -> None:
    """Refuse a file that has not the digest in the list, or that of the first fetch."""
    if file.digest not in (None, found):
        since = "as listed" if file.sha256 else f"as at the first fetch ({file.kept})"
        raise FileError(f"{place}: found SHA-256 {found}, expected {file.digest} {since}; nothing was changed")
