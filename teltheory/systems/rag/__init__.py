"""RAGCache (Jin et al. 2024): documents whose KV cache requests share, its tiers, its queue and its pipeline.

Faiss, scikit-learn and SimPy are the extra `rag`.
"""

from teltheory.systems.rag.arrays import read_vectors
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.entries import corpus_of
from teltheory.systems.rag.faults import GPULoss, RequestFault
from teltheory.systems.rag.hnsw import HNSW
from teltheory.systems.rag.indexes import IVF, Built, FlatL2, build
from teltheory.systems.rag.own import read_documents, read_questions
from teltheory.systems.rag.policies import policy_rows, policy_sides
from teltheory.systems.rag.popularity import top_share
from teltheory.systems.rag.requests import draw_workload
from teltheory.systems.rag.served import RagServed
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.stage_times import StageTimes, measured, read_stage_times, write_stage_times
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.systems import ablation, at_rate, highest_rate, worth
from teltheory.systems.rag.workload import Workload

__all__ = [
    "HNSW",
    "IVF",
    "Built",
    "Corpus",
    "FlatL2",
    "GPULoss",
    "Queries",
    "RagServed",
    "RequestFault",
    "Server",
    "StageTimes",
    "Workload",
    "ablation",
    "at_rate",
    "build",
    "corpus_of",
    "draw_workload",
    "highest_rate",
    "measured",
    "policy_rows",
    "policy_sides",
    "read_documents",
    "read_questions",
    "read_stage_times",
    "read_vectors",
    "serve",
    "synthetic_corpus",
    "top_share",
    "worth",
    "write_stage_times",
]
