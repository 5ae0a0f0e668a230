import pytest


@pytest.fixture(scope="session")
def smollm2():
    """SmolLM2-135M-Instruct, loaded once, one thread."""
    import torch

    from teltheory.modules.runtime import load_model

    torch.set_num_threads(1)
    return load_model("smollm2")
