"""TTFT of a model on a GPU that nobody measured: a roofline, and a band around it.

A prefill of u uncached tokens after c cached ones, n = u + c, takes on g GPUs at least

1. 2 FLOPs for each weight that a token is multiplied with, and for each product with a window's tokens: alpha u;
2. for each pair of tokens, of which there are (n^2 - c^2) / 2, the larger of 2 FLOPs a product and the reading of
   keys and values, once for every `TILE` queries, as flash attention does: gamma (n^2 - c^2);
3. the reading of all stored weights: the floor.

A real kernel reaches a part of the peaks, its efficiency e, so that

    TTFT_e(u, c) = max(floor, alpha u + gamma (n^2 - c^2)) / e,

and two efficiencies differ by a factor that is the same for all prompts. Launches, the scheduler, the network and
what GPUs exchange are no terms of their own, and lower the efficiency. Without a measurement of the GPU it is 25
to 70 %: `BAND` has both ends, and their geometric mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from teltheory.cost.catalogue import Gpu, known_model
from teltheory.cost.kv_cache import Architecture, TokenWork
from teltheory.cost.latency import Latency, LatencyModel, Provenance
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number

__all__ = ["Roofline", "estimated"]

TILE = 128
BAND = (Fraction(1, 4), Fraction(42, 100), Fraction(7, 10))
"""The least, the middle and the largest efficiency without a measurement of the GPU."""
LENGTHS = (512, 1024, 2048, 4096)
"""Uncached prompts on which a measured latency is compared with its roofline."""


@dataclass(frozen=True)
class Roofline(LatencyModel):
    """An estimated TTFT at an efficiency, with the band of the others; see `LatencyModel` for the other fields.

    Attributes
    ----------
    efficiency : Fraction
        Share of the GPUs' peaks that this TTFT is at.
    least, most : Fraction
        The band: TTFT at `least` is the longest.
    of : str
        The model and the GPUs.
    grounds : str
        What the band rests on.
    """

    efficiency: Fraction = BAND[1]
    least: Fraction = BAND[0]
    most: Fraction = BAND[2]
    of: str = ""
    grounds: str = "no measurement of this GPU"

    def at(self, efficiency: Fraction) -> Roofline:
        """Return the estimate at another efficiency."""
        times, names = self.efficiency / efficiency, ("per_token", "per_pair", "constant", "floor")
        return replace(self, efficiency=efficiency, **{name: getattr(self, name) * times for name in names})

    @property
    def ends(self) -> tuple[Roofline, Roofline]:
        """The estimates at both ends of the band: the slow one, the fast one."""
        slow, fast = (replace(self.at(end), least=end, most=end) for end in (self.least, self.most))
        return slow, fast

    @property
    def factors(self) -> tuple[float, float]:
        """The band of every TTFT, in multiples of this one."""
        return float(self.efficiency / self.most), float(self.efficiency / self.least)

    @property
    def sentence(self) -> str:
        """What is said wherever a TTFT of the estimate is shown."""
        at, least, most = (f"{float(100 * share):.0f} %" for share in (self.efficiency, self.least, self.most))
        low, high = self.factors
        return (
            f"TTFT is estimated, not measured: a roofline of {self.of} at {at} of its peak; {self.grounds}, so "
            f"the band is {least} to {most}, and each TTFT and percentile may be {low:.2f} to {high:.2f} times "
            f"what is shown"
        )

    def reach(self, slo: Fraction) -> str:
        """Return the threshold of an SLO in the band, as text: from the slow end to the fast one."""
        found = (f"{end.threshold(slo):,}" if end.floor <= slo else "none" for end in self.ends)
        return " to ".join(found)


def estimated(
    shape: Architecture, gpu: Gpu, gpus: int = 1, band: tuple[Fraction, Fraction, Fraction] = BAND
) -> Roofline:
    """Return the roofline of a model on GPUs that share it.

    Parameters
    ----------
    shape : Architecture
        The model; its `work` must be known.
    gpu : Gpu
        A row of the catalogue.
    gpus : int
        Tensor parallel: how many share each layer, 1 or more.
    band : tuple of Fraction
        The least, the middle and the largest efficiency, above 0.

    Raises
    ------
    ArgumentError
        If nobody knows what a token of the model costs to compute.
    """
    if whole_number("tensor_parallel", gpus) < 1:
        raise ArgumentError("tensor_parallel", gpus, "1 or more")
    if shape.work is None:
        raise ArgumentError(
            "gpu", gpu.name, f"--latency FILE.json: what {shape.name} computes a token is not known"
        )
    least, middle, most = band
    of = f"{shape.name} on {f'{gpus} x ' if gpus > 1 else ''}{gpu.title}"
    alpha, gamma, floor = (seconds / (gpus * middle) for seconds in _of_peak(shape, shape.work, gpu))
    note = f"estimated, not measured; peaks of {gpu.source}"
    origin = Provenance(hardware=gpu.title, model=shape.name, note=note)
    return Roofline(alpha, gamma, Fraction(0), floor, f"estimated: {of}", origin, middle, least, most, of)


def _of_peak(shape: Architecture, work: TokenWork, gpu: Gpu) -> tuple[Fraction, Fraction, Fraction]:
    """Return alpha, gamma and the floor of one GPU at its peaks."""
    flops = Fraction(gpu.flops_fp8 if work.bits == 8 else gpu.flops)
    bandwidth = Fraction(gpu.bandwidth)
    read = Fraction(shape.bytes_per_token) / (TILE * bandwidth)
    pair = max(2 * work.pair / Fraction(gpu.flops), read)
    near = 2 * work.near / Fraction(gpu.flops)
    return 2 * work.active / flops + near, pair / 2, work.weights * Fraction(work.bits) / 8 / bandwidth


def fitted_to(estimate: Roofline, shape: Architecture, gpu: Gpu, measured: Latency) -> Latency:
    """Return the best that is known of a model on a GPU of which there is a measurement.

    That of the model itself is used as it is, and is no estimate; so is one that doesn't say of which model it is.
    One of another known model, which is taken as measured on one GPU, says how near the GPU comes to its peak.

    Parameters
    ----------
    estimate : Roofline
        Of the model that is served.
    shape, gpu : Architecture, Gpu
        The model, and the GPU.
    measured : Latency
        As `calibrate` saves it.

    Raises
    ------
    ArgumentError
        If it was measured on other hardware, or is faster than the peak of the GPU.
    """
    origin = measured.provenance or Provenance()
    words = re.findall("[a-z0-9]+", origin.hardware.lower())
    if words and not all(word in words for word in gpu.name.split("-")):
        raise ArgumentError("latency", measured.name, f"one measured on {gpu.title}, not on {origin.hardware}")
    known = known_model(origin.model)
    if known is None or known.shape is None or _same(known.shape, shape):
        return measured
    return narrowed(estimate, measured, estimated(known.shape, gpu))


def _same(one: Architecture, other: Architecture) -> bool:
    """Whether two models differ in name alone."""
    return replace(one, name="") == replace(other, name="")


def narrowed(estimate: Roofline, measured: Latency, its: Roofline) -> Roofline:
    """Return an estimate with the band that a measurement of another model on the same GPU leaves it.

    `its` is the estimate of the model that was measured. The efficiencies of four lengths of prompts are the band.
    """
    found = [Fraction(float(its.ttft(n) / measured.ttft(n))) * its.efficiency for n in LENGTHS]
    least, most = (end.limit_denominator(1000) for end in (min(found), max(found)))
    if not 0 < least <= most <= 1:
        raise ArgumentError("latency", measured.name, f"a TTFT that {its.of} can reach, not above its peak")
    grounds = f"{its.of.split(' on ')[0]} was measured on this GPU"
    middle = ((least + most) / 2).limit_denominator(1000)
    return replace(estimate.at(middle), least=least, most=most, grounds=grounds)
