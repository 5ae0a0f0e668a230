"""Toy tokenizers: every word a token, and every byte a token but for a few merges."""

import base64

WORDS = ("a", "b", "hello", "world", "{", "}", "[", "]", ":", ",", '"', ".")


def word_level(path):
    """Write a tokenizer.json in which a text counts as many tokens as it has words and marks."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate((*WORDS, "[UNK]"))}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(path))
    return path


def ranks():
    """Return all bytes, and the merges of "he", "ll" and "hell"."""
    merged = [b"he", b"ll", b"hell"]
    return {token: rank for rank, token in enumerate([*(bytes([value]) for value in range(256)), *merged])}


def rank_file(path):
    """Write a .tiktoken file of `ranks`."""
    lines = [f"{base64.b64encode(token).decode()} {rank}" for token, rank in ranks().items()]
    path.write_text("\n".join(lines) + "\n")
    return path
