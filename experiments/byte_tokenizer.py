"""A tokenizer in which each byte is a token, in the folder of a model that vLLM serves.

    python experiments/byte_tokenizer.py FOLDER

Needs transformers and tokenizers, which come with vLLM.
"""

import sys


def main() -> None:
    """Write the tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: k for k, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(sys.argv[1])


if __name__ == "__main__":
    main()
