import pytest

from teltheory.report import explorer


@pytest.fixture(scope="module", autouse=True)
def few_steps():
    """Charts of few steps: each is a replay of three policies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer, "STEPS", (4, 8))
        yield
