"""Links between tiers of memory: how long it takes to load the KV cache of a token.

A link is a bandwidth, so that its seconds per token depend on the model too: bytes per token / bytes a second. The
ratio rho of a tier is what a token takes to load, in units of what it takes to compute: the marginal seconds of an
uncached token. The bandwidths are public figures; what is specified is 20 to 40 % less in practice.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency, LatencyModel
from teltheory.errors import ArgumentError
from teltheory.model.units import bytes_in, is_time, read_time

PER_SECOND = "/s"
PER_TOKEN = re.compile(r"\s*(per|a) token$")
FAR = 4096
"""Tokens of the prompt over whose second half the marginal seconds of a token of any latency are taken."""


@dataclass(frozen=True)
class Link:
    """A link by its name.

    Attributes
    ----------
    name : str
        As on the command line.
    bytes_per_second : Fraction
        Its bandwidth.
    origin : str
        What it is, and whether the bandwidth was measured or is specified.
    """

    name: str
    bytes_per_second: Fraction
    origin: str


LINKS = {
    link.name: link
    for link in (
        Link("pcie4", Fraction(264, 10) * 2**30, "PCIe 4 x16, measured"),
        Link("pcie5", Fraction(63 * 10**9), "PCIe 5 x16, specified"),
        Link("nvme4", Fraction(66, 10) * 2**30, "one Gen4 NVMe"),
        Link("nvme5", Fraction(145, 10) * 10**9, "one Gen5 NVMe"),
        Link("4xnvme5", Fraction(243, 10) * 2**30, "four Gen5 NVMe"),
        Link("rdma4x200", Fraction(87 * 10**9), "RDMA, 4 x 200 Gb/s"),
        Link("rdma8x400", Fraction(190 * 10**9), "RDMA, 8 x 400 Gb/s"),
    )
}
"""By name."""


def marginal_seconds(latency: Latency) -> Fraction:
    """Return what one more uncached token costs: the slope of a formula, else that of long cold prompts."""
    if isinstance(latency, LatencyModel):
        return latency.per_token
    far, near = latency.ttft([FAR, FAR // 2]).tolist()
    return (Fraction(far) - Fraction(near)) / (FAR - FAR // 2)


def load_seconds(argument: str, text: str, size: KVSize | None, latency: Latency) -> Fraction:
    """Read how long a token takes to load, in seconds.

    Parameters
    ----------
    argument : str
        What an error names.
    text : str
        A name of `LINKS`, a bandwidth such as ``25GB/s``, a time such as ``18.5us`` or ``18.5us per token``, or a
        ratio to what a token takes to compute, such as ``0.26``.
    size : KVSize or None
        Size of a token, which a link and a bandwidth need.
    latency : Latency
        TTFT, which a ratio needs.

    Raises
    ------
    ArgumentError
        If it is none of these, or takes as long as computing the token.
    """
    seconds = _seconds(argument, text.strip(), size, latency)
    if not 0 <= seconds < marginal_seconds(latency):
        most = float(marginal_seconds(latency))
        expected = f"less than {most:.3g} s: computing is as fast"
        raise ArgumentError(argument, f"{text} ({float(seconds):.3g} s per token)", expected)
    return seconds


def _seconds(argument: str, text: str, size: KVSize | None, latency: Latency) -> Fraction:
    link = LINKS.get(text.lower())
    bandwidth = link.bytes_per_second if link else _bandwidth(text)
    if bandwidth:
        if size is None:
            raise ArgumentError(argument, text, "a model with it, --model, whose tokens have a size")
        return size.bytes_per_token / bandwidth
    time = PER_TOKEN.sub("", text)
    if is_time(time):
        return read_time(argument, time)
    try:
        return Fraction(text) * marginal_seconds(latency)
    except (ValueError, ZeroDivisionError):
        expected = f"{', '.join(LINKS)}, 25GB/s, 18.5us per token, or a ratio such as 0.26"
        raise ArgumentError(argument, text, expected) from None


def _bandwidth(text: str) -> Fraction | None:
    return bytes_in(text.removesuffix(PER_SECOND)) if text.endswith(PER_SECOND) else None
