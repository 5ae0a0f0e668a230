import numpy as np
import pytest

from teltheory.systems.rag.entries import corpus_of
from teltheory.systems.rag.texts import MMLU, XQUAD, read_stand_ins, read_xquad
from teltheory.workloads import data_folder


@pytest.fixture(scope="session")
def paragraphs(shared):
    """XQuAD's paragraphs and questions with their vectors; without the file the test is skipped."""
    return corpus_of(*read_xquad(shared(XQUAD)), np.random.default_rng(0))


@pytest.fixture(scope="session")
def stand_ins(shared):
    """14,320 texts and 4,800 questions with vectors of few dimensions."""
    shared(MMLU)
    return corpus_of(*read_stand_ins(data_folder()), np.random.default_rng(0), dimensions=32)
