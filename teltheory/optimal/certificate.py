"""A proof that a hindsight optimum is one, and its check in exact whole numbers.

A certificate has two halves. `kept`, what each turn reuses of its conversation's past, is feasible and has the
claimed TEL: no better than possible. `steps`, a set P of steps at which the cache is looked at, bounds what any
policy can keep: each unit kept over a reuse interval that covers a step of P takes one of the units of room there,
and what is kept over an interval that covers none is at most its cap, so

    sum of kept  <=  sum of the room at the steps of P  +  sum of the caps of the intervals that cover none.

(It is the dual of the interval problem, Zhang et al. 2025, (1)-(5), with 0-1 prices.) Where both sides are equal
nothing is better, and TEL = sum of max(0, total - xi) - sum of kept is the optimum.

Steps: step t is the cache at the start of turn t, turns and steps counted from 1; the interval between turns s and
e of a conversation covers s + 1 ... e. What the initial cache holds has s = 0. Under forced caching the
conversation of turn t - 1 is exempt at step t: its interval begins a step later, and its past lessens the room.

This module uses nothing of what makes certificates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError, CertificateError
from teltheory.instance import Initial, Instance
from teltheory.numbers import IntArray, exact_sum, whole_number
from teltheory.trace import Trace


@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof of optimality.

    Attributes
    ----------
    objective : int
        The optimal TEL, in the trace's unit.
    kept : ndarray of int64, shape (n,)
        What each turn reuses, as far as it lowers the turn's excess.
    steps : ndarray of int64
        The set P, ascending, of steps from 1 to n.
    """

    objective: int
    kept: IntArray
    steps: IntArray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Certificate):
            return NotImplemented
        same = np.array_equal(self.kept, other.kept) and np.array_equal(self.steps, other.steps)
        return same and self.objective == other.objective

    __hash__ = None  # type: ignore[assignment]


def check_certificate(
    trace: Trace,
    capacity: int,
    xi: int,
    certificate: Certificate,
    forced: bool = False,
    initial: Initial = (),
) -> None:
    """Check a certificate in exact whole numbers; O(n), no solver.

    Parameters
    ----------
    trace : Trace
        The turns.
    capacity, xi : int
        Capacity and threshold, in the trace's unit.
    certificate : Certificate
        What claims to prove an optimum.
    forced : bool
        Forced caching.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.

    Raises
    ------
    CertificateError
        Where it proves nothing; the error says what fails, and where.
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments.
    """
    if not isinstance(certificate, Certificate):
        raise ArgumentError("certificate", type(certificate).__name__, "a Certificate")
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    check_against(instance, whole_number("xi", xi), certificate)


def check_against(instance: Instance, xi: int, certificate: Certificate) -> None:
    """Check a certificate of an instance that was checked already."""
    cap, first, room = _caps(instance, xi), first_steps(instance), rooms(instance)
    check_one_a_turn(certificate.kept, len(instance.trace))
    _check_steps(certificate.steps, len(instance.trace))
    check_kept(certificate.kept, cap, first, room)
    kept = exact_sum(certificate.kept)
    tel = exact_sum(np.maximum(instance.total - xi, 0)) - kept
    if certificate.objective != tel:
        raise CertificateError(
            f"objective: found {certificate.objective}, expected {tel}, the TEL of what is kept"
        )
    bound = _kept_upper_bound(certificate.steps, cap, first, room)
    if kept != bound:
        raise CertificateError(f"steps: they bound what is kept by {bound}, expected {kept}, what is kept")


def _caps(instance: Instance, xi: int) -> IntArray:
    """Return the most that helps each turn and can be there: min(h, total - xi), or what was held at the start."""
    return np.minimum(max_reuse(instance), np.maximum(instance.total - xi, 0))


def max_reuse(instance: Instance) -> IntArray:
    """Return the most that each turn can reuse: its history, or what was held of it at the start."""
    cap, trace = instance.history.copy(), instance.trace
    held = {start.code: start.cached for start in instance.initial}
    starting = np.flatnonzero(~trace.continuing)
    at_start = [held.get(code, 0) for code in trace.code[starting].tolist()] if held else 0
    cap[starting] = np.minimum(cap[starting], at_start)
    return cap


def first_steps(instance: Instance) -> IntArray:
    """Return the first step of each turn's reuse interval; the last is the turn's own, k + 1."""
    trace = instance.trace
    return np.asarray(trace.previous_turn + 2 + (trace.continuing if instance.forced else 0))


def rooms(instance: Instance) -> IntArray:
    """Return the room at each step 1 ... n, at index 0 ... n - 1."""
    room = np.full(len(instance.trace), instance.capacity, np.int64)
    if instance.forced:
        room[1:] -= instance.past[:-1]
    return room


def check_one_a_turn(kept: object, n: int) -> None:
    """Raise `CertificateError` unless there is an array of n amounts."""
    _check_column("kept", kept)
    if isinstance(kept, np.ndarray) and len(kept) != n:
        raise CertificateError(f"kept: found {len(kept)} values, expected {n}, one a turn")


def _check_column(name: str, values: object) -> None:
    if not isinstance(values, np.ndarray) or values.dtype != np.int64 or values.ndim != 1:
        raise CertificateError(f"{name}: found {type(values).__name__}, expected an array of int64")


def _check_steps(steps: IntArray, n: int) -> None:
    _check_column("steps", steps)
    for i in np.flatnonzero((steps < 1) | (steps > n) | (np.diff(steps, prepend=0) <= 0))[:1]:
        raise CertificateError(f"steps[{i}]: found {steps[i]}, expected ascending steps from 1 to {n}")


def check_kept(kept: IntArray, cap: IntArray, first: IntArray, room: IntArray) -> None:
    """Raise `CertificateError` unless amounts of each turn are within their caps and fit at every step."""
    for turn in np.flatnonzero((kept < 0) | (kept > cap))[:1]:
        raise CertificateError(f"kept[{turn}]: found {kept[turn]}, expected 0 to {cap[turn]}")
    for step in np.flatnonzero(_occupied(kept, first) > room)[:1]:
        raise CertificateError(f"kept: more than the room of {room[step]} at step {step + 1}")


def _occupied(kept: IntArray, first: IntArray) -> IntArray:
    """Return what is kept over each step 1 ... n.

    Only what was held at the start begins at step 1, so all other beginnings differ. An interval without steps
    ends where it begins.
    """
    change = np.zeros(len(kept) + 2, np.int64)
    change[first] = kept
    change[1] = np.sum(kept, where=first == 1)
    change[2:] -= kept
    return np.cumsum(change[1:-1])


def _kept_upper_bound(steps: IntArray, cap: IntArray, first: IntArray, room: IntArray) -> int:
    looked_at: NDArray[np.int64] = np.zeros(len(cap) + 1, np.int64)
    looked_at[steps] = 1
    so_far = np.cumsum(looked_at)
    covers_none = so_far[1:] == so_far[first - 1]
    return exact_sum(room[steps - 1]) + exact_sum(np.where(covers_none, cap, 0))
