"""A Llama of a few million random weights, in a folder that vLLM serves.

    python experiments/tiny_llama.py FOLDER [VOCABULARY]

Needs PyTorch and transformers, which come with vLLM.
"""

import sys

VOCABULARY, LONGEST = 32_000, 4096


def main() -> None:
    """Write the model."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=int(sys.argv[2]) if len(sys.argv) > 2 else VOCABULARY,
        hidden_size=256,
        intermediate_size=688,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=LONGEST,
    )
    LlamaForCausalLM(config).to(torch.float32).save_pretrained(sys.argv[1])


if __name__ == "__main__":
    main()
