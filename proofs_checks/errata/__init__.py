"""The errata: one for every statement of the paper that the ledger refutes; `docs/errata.md` is made of them."""

from __future__ import annotations

from proofs_checks.errata.appendix_c import APPENDIX_C
from proofs_checks.errata.beliefs import BELIEFS
from proofs_checks.errata.hindsight import HINDSIGHT
from proofs_checks.errata.numbers import NUMBERS
from proofs_checks.errata.tlru import TLRU_ERRATA

ERRATA = (*HINDSIGHT, *TLRU_ERRATA, *APPENDIX_C, *BELIEFS, *NUMBERS)
