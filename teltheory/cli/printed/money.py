"""Seconds of prefill in money: GPUs times hours times the price of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teltheory.cost.latency import Latency
from teltheory.cost.roofline import Roofline
from teltheory.model.display import duration


@dataclass(frozen=True)
class GpuPrice:
    """What a GPU costs for an hour, how many share a replica, and whose seconds are counted."""

    hour: float
    gpus: int
    latency: Latency

    def of(self, seconds: float) -> float:
        """Return what a replica costs for so many seconds."""
        return seconds * self.gpus * self.hour / 3600

    def line(self, where: str, spent: Sequence[tuple[str, float]], all_computed: bool = True) -> str:
        """Return what each of several names spent, in seconds and in money; the band if all was computed."""
        each = [f"{name} {duration(seconds)} = {self._money(seconds, all_computed)}" for name, seconds in spent]
        gpus = f", {self.gpus} GPUs a replica" if self.gpus > 1 else ""
        return f"Money: {where} takes {', '.join(each)}, at {self.hour:,.2f} a GPU-hour{gpus}."

    def _money(self, seconds: float, all_computed: bool) -> str:
        if not (all_computed and isinstance(self.latency, Roofline)):
            return _rounded(self.of(seconds))
        low, high = (_rounded(self.of(seconds * factor)) for factor in self.latency.factors)
        return f"{_rounded(self.of(seconds))} ({low} to {high} within the band)"


def _rounded(money: float) -> str:
    """Return money to cents, or with three digits where it is less than one."""
    return f"{money:,.2f}" if money >= 1 else f"{money:.3g}"
