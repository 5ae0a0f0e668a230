"""Reading Q̂ in a claim whose space has no estimates is an error, not 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

from teltheory.claims import forests, worlds
from teltheory.claims.claim import Claim
from teltheory.errors import ArgumentError


class NoEstimate:
    """What `case.q_hat` is without estimates: it may be copied and shown, but not computed with."""

    def __repr__(self) -> str:
        return "no estimate"

    def _refuse(self, *_: object) -> NoReturn:
        raise ArgumentError("case.q_hat", self, "a space with estimates, such as estimates=upper_bounds")

    __index__ = __bool__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse


def refusing_estimates(claim: Claim[Any]) -> Claim[Any]:
    """Return a claim that cannot use Q̂ if its space tries no estimates; where it does, the claim itself."""
    unused = worlds.no_estimate, forests.no_estimate
    if getattr(claim.space, "estimates", None) not in unused:
        return claim
    return replace(claim, values=lambda case: claim.values(replace(case, q_hat=NoEstimate())))
