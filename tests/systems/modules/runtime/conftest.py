from importlib.util import find_spec

import pytest


def pytest_ignore_collect(collection_path, config):
    """Leave out files whose tests all run a model, as they import PyTorch, where they or PyTorch are left out."""
    if collection_path.suffix != ".py" or ("not model" not in config.option.markexpr and find_spec("torch")):
        return None
    return "\npytestmark = pytest.mark.model\n" in collection_path.read_text() or None


@pytest.fixture(scope="session")
def smollm2():
    """SmolLM2-135M-Instruct, loaded once, one thread."""
    import torch

    from teltheory.systems.modules.runtime import load_model

    torch.set_num_threads(1)
    return load_model("smollm2")
