import pytest
from hypothesis import settings

from teltheory.workloads import data_folder

settings.register_profile("teltheory", deadline=None)
settings.load_profile("teltheory")


@pytest.fixture
def mooncake():
    """The Mooncake trace's file; without it the test is skipped."""
    file = data_folder() / "mooncake_conversation.jsonl"
    if not file.is_file():
        pytest.skip("the Mooncake trace is not in the data folder")
    return file
