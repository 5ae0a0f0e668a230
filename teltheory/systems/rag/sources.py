"""Where a corpus comes from, as the command line names it.

1. ``synthetic:100000``: so many drawn documents (`teltheory.systems.rag.synthetic`), with their own questions.
2. A .json file in SQuAD's form, such as XQuAD's: paragraphs, with their own questions.
3. The folder of public texts (`teltheory.systems.rag.texts.read_stand_ins`), which stand in for a larger index.
4. Anything else: your own documents (`teltheory.systems.rag.own`); questions are in a file of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from teltheory.base.input_files import read_json
from teltheory.errors import ArgumentError
from teltheory.model.units import read_tokens
from teltheory.systems.rag.arrays import read_vectors
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.counts import Lengths, Words
from teltheory.systems.rag.entries import DIMENSIONS, Entries, corpus_of
from teltheory.systems.rag.own import read_documents, read_questions, text_questions
from teltheory.systems.rag.synthetic import LENGTHS, QUESTIONS, synthetic_corpus
from teltheory.systems.rag.texts import MMLU, NQ_OPEN, XQUAD, read_stand_ins, read_xquad
from teltheory.workloads.laws import Law, LogNormal

SYNTHETIC, WORDS, LOGNORMAL = "synthetic:", "words", "lognormal:"
SYNTHETIC_QUESTIONS = 10_000


@dataclass(frozen=True)
class Sources:
    """What a corpus and its questions are read from.

    Parameters
    ----------
    corpus : str
        See the module.
    queries : str, optional
        File of questions, in the place of the corpus's own.
    question : tuple of str
        Questions as text, in the place of a file.
    vectors, query_vectors : str, optional
        Files of vectors, both or none; texts have TF-IDF and SVD vectors.
    document_tokens, question_tokens : str, optional
        How long documents and questions are; see `read_lengths`.
    dimensions : int
        Of vectors that are made here.
    system : int
        Tokens of the system prompt.
    """

    corpus: str
    queries: str | None = None
    question: tuple[str, ...] = ()
    vectors: str | None = None
    query_vectors: str | None = None
    document_tokens: str | None = None
    question_tokens: str | None = None
    dimensions: int = DIMENSIONS
    system: int = 0

    def read(self, rng: np.random.Generator) -> tuple[Corpus, Queries]:
        """Return documents and questions.

        Raises
        ------
        FileError, ArgumentError
            For what can't be read, and options that do not go together.
        """
        lengths = read_lengths("document_tokens", self.document_tokens)
        asked = read_lengths("question_tokens", self.question_tokens)
        if self.corpus.startswith(SYNTHETIC):
            return self._synthetic(lengths, asked, rng)
        documents, own = self._documents()
        questions = self._questions() or own
        if questions is None:
            ways = "--queries, or text, --question, as these documents have none"
            raise ArgumentError("queries", None, f"a file of questions, {ways}")
        vectors = self._vectors(documents, questions)
        dimensions = min(self.dimensions, len(documents) - 1)
        return corpus_of(
            documents,
            questions,
            rng,
            lengths=lengths,
            asked=asked,
            vectors=vectors,
            dimensions=dimensions,
            system=self.system,
        )

    def _documents(self) -> tuple[Entries, Entries | None]:
        path = Path(self.corpus)
        if all((path / name).is_file() for name in (XQUAD, NQ_OPEN, MMLU)):
            return read_stand_ins(path)
        if path.suffix == ".json":
            found = read_json(path, "documents")
            if isinstance(found, dict) and "data" in found:
                return read_xquad(path)
        return read_documents(path), None

    def _questions(self) -> Entries | None:
        if not self.question:
            return None if self.queries is None else read_questions(self.queries)
        if self.queries is not None:
            raise ArgumentError("queries", self.queries, "none with --question")
        return text_questions(self.question, "the command line")

    def _vectors(self, documents: Entries, questions: Entries) -> tuple[np.ndarray, np.ndarray] | None:
        given = self.vectors, self.query_vectors
        if None in given and given != (None, None):
            raise ArgumentError("vectors", "one file", "two, --vectors and --query-vectors")
        if self.vectors is None or self.query_vectors is None:
            return None
        return read_vectors(self.vectors, documents.names), read_vectors(self.query_vectors, questions.names)

    def _synthetic(
        self, lengths: Lengths | None, asked: Lengths | None, rng: np.random.Generator
    ) -> tuple[Corpus, Queries]:
        count = read_tokens("corpus", self.corpus.removeprefix(SYNTHETIC))
        for name in ("queries", "question", "vectors", "query_vectors"):
            if getattr(self, name):
                raise ArgumentError(name, getattr(self, name), "none with synthetic documents, which are drawn")
        size, tokens = (LENGTHS if lengths is None else lengths), (QUESTIONS if asked is None else asked)
        for name, one in (("document_tokens", size), ("question_tokens", tokens)):
            if not isinstance(one, (int, Law)):
                raise ArgumentError(name, getattr(self, name), "a number or a law, as there are no texts")
        return synthetic_corpus(
            count,
            SYNTHETIC_QUESTIONS,
            rng,
            dimensions=self.dimensions,
            lengths=size,  # type: ignore[arg-type]
            asked=tokens,  # type: ignore[arg-type]
            system=self.system,
        )


def read_lengths(argument: str, text: str | None) -> Lengths | None:
    """Read how long texts are.

    ``words`` or ``words:4/3`` (tokens a word), a number of tokens such as ``1k``, ``lognormal:1000:0.5`` (its
    mean and spread), or a tokenizer: a file or ``characters/4``.
    """
    if text is None:
        return None
    if text[:1].isdigit():
        return read_tokens(argument, text)
    try:
        if text.startswith(LOGNORMAL):
            return LogNormal(*map(float, text.removeprefix(LOGNORMAL).split(":")))
        if text.partition(":")[0] == WORDS:
            return Words(Fraction(text.partition(":")[2] or Words().factor))
    except (ValueError, TypeError, ZeroDivisionError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(argument, text, "words:4/3, or lognormal:1000:0.5") from None
    return text
