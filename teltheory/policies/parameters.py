"""How a policy's short form reads its parameters: by the types of the fields that they fill."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from teltheory.errors import ArgumentError
from teltheory.model.numbers import read_fraction, read_number
from teltheory.model.units import Time, is_time, read_time, read_tokens
from teltheory.policies.policy import Length

Value: TypeAlias = int | float | str | Fraction | Time


def kind_of(annotation: object) -> str:
    """Return how a field is read: the name of a type in `READERS`, that of text for anything else."""
    annotation = int if annotation in (Length, "Length") else annotation
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation).removesuffix(" | None")
    name = text.rpartition(".")[2]
    return name if name in READERS else "str"


def read_threshold(argument: str, text: str) -> int | Time:
    """Read a threshold: tokens, or a time."""
    if is_time(text):
        return Time(text.strip(), read_time(argument, text))
    try:
        return read_tokens(argument, text)
    except ArgumentError as error:
        raise ArgumentError(argument, text, f"{error.expected}, or a time such as 200ms") from None


READERS: dict[str, Callable[[str, str], Value]] = {
    "int": read_tokens,
    "float": partial(read_number, expected="a number such as 2.5"),
    "Fraction": partial(read_fraction, expected="a share such as 0.95 or 19/20"),
    "str": lambda argument, text: text,
}
