"""Options of `teltheory rag serve`: the requests, where documents and questions come from, and the server."""

from typing import get_args

import click

from teltheory.cli.asked.options import REQUESTS, SEED, Option, together, whole
from teltheory.cli.parts import option
from teltheory.systems.rag.entries import DIMENSIONS
from teltheory.systems.rag.server import Copying
from teltheory.systems.rag.speculation import Interruption

rag_requests: Option = together(
    option(
        "--rate",
        "rates",
        default="1",
        show_default=True,
        metavar="RATE,...",
        help="Number of requests per second. A comma lists.",
    ),
    whole("--requests", 1000, REQUESTS),
    option("--zipf", type=float, default=1.0, show_default=True, help="Skew of popularity; 0 is uniform."),
    option(
        "--popular",
        type=click.Choice(["queries", "documents"]),
        default="queries",
        show_default=True,
        help="Whether questions or documents are popular.",
    ),
    whole("--top-k", 2, "Number of documents for an answer."),
    option(
        "--index",
        metavar="INDEX",
        help="Index that finds documents: flat, ivf:lists=64,probe=32,stages=8 or hnsw. If left out, ivf, or flat "
        "for fewer documents than lists.",
    ),
    option(
        "--stage-times",
        metavar="FILE",
        help="File with the times of a search: read if it is there, else measured and written.",
    ),
    option("--slower", type=float, default=1.0, metavar="N", help="Make each search take N times as long."),
    whole("--seed", 0, SEED, least=0),
)
rag_sources: Option = together(
    option(
        "--queries",
        metavar="FILE",
        help="File with questions, if CORPUS has none. Records, or a .txt with a question a line.",
    ),
    option("--question", multiple=True, metavar="QUESTION", help="A question as text; repeatable."),
    option(
        "--vectors",
        metavar="FILE",
        help="File with vectors of documents: .npy, .fvecs or .parquet; if left out, TF-IDF and SVD make them.",
    ),
    option("--query-vectors", metavar="FILE", help="File with vectors of questions."),
    option(
        "--document-tokens",
        metavar="LAW",
        help="Law of the tokens in a document: words:4/3, 1k, lognormal:1000:0.5, or a tokenizer.",
    ),
    option("--question-tokens", metavar="LAW", help="Law of the tokens in a question, as for documents."),
    whole("--dimensions", DIMENSIONS, "Number of dimensions of vectors that are made here."),
    whole("--system-tokens", 0, "Tokens in the system prompt.", least=0, dest="system"),
)
rag_machine: Option = together(
    option(
        "--tier",
        "tiers",
        multiple=True,
        metavar="SIZE[:LINK]",
        help="Tier of memory, fastest first. The GPU, 20k or 10GiB; then the host, 200k:pcie4, :25GB/s or :20us.",
    ),
    whole("--block-size", 16, "Tokens in a block of the cache. 1 is exact.", dest="block"),
    whole("--window", 32, "How often a request may be overtaken; 0 is never.", least=0),
    option("--patience", metavar="TIME", help="Time after which nobody overtakes a request that waits."),
    whole("--batch-size", 1, "Most prefills in an iteration.", dest="batch"),
    option(
        "--speculation",
        default="idle",
        metavar="WHEN",
        show_default=True,
        help="When a prefill may start before its search ends: always, idle, spare, queue:2 or none.",
    ),
    option(
        "--interruption",
        type=click.Choice(get_args(Interruption)),
        default="at once",
        show_default=True,
        help="When a cancelled prefill stops.",
    ),
    option(
        "--copying",
        type=click.Choice(get_args(Copying)),
        default="beside",
        show_default=True,
        help="Whether copies to the host are made beside a prefill or before it.",
    ),
    whole(
        "--host-copies",
        0,
        "Number of upper levels of documents that have a copy in the host.",
        least=0,
        dest="replicas",
    ),
    option(
        "--lose-gpu",
        "losses",
        multiple=True,
        metavar="TIME,...",
        help="Time at which the GPU loses its memory. A comma lists.",
    ),
    option(
        "--searchers",
        type=click.IntRange(1),
        metavar="N",
        help="Number of searches at a time; no limit if left out.",
    ),
)
