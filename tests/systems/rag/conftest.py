import numpy as np
import pytest

from teltheory.systems.rag.entries import corpus_of
from teltheory.systems.rag.texts import MMLU, XQUAD, read_stand_ins, read_xquad
from teltheory.workloads import data_folder


@pytest.fixture(scope="session")
def paragraphs():
    """XQuAD's paragraphs and questions with their vectors; without the file the test is skipped."""
    file = data_folder() / XQUAD
    if not file.is_file():
        pytest.skip("XQuAD is not in the data folder")
    return corpus_of(*read_xquad(file), np.random.default_rng(0))


@pytest.fixture(scope="session")
def stand_ins():
    """14,320 texts and 4,800 questions with vectors of few dimensions."""
    if not (data_folder() / MMLU).is_file():
        pytest.skip("the texts of MMLU are not in the data folder")
    return corpus_of(*read_stand_ins(data_folder()), np.random.default_rng(0), dimensions=32)
