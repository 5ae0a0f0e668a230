import pytest
from formats.vocabularies import word_level


@pytest.fixture(scope="session")
def words(tmp_path_factory):
    """A tokenizer of which a word and a mark are a token."""
    return str(word_level(tmp_path_factory.mktemp("vocabulary") / "tokenizer.json"))
