"""Small valid logs, with what their readers are told: seeds of the fuzzing."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
from formats.test_usage_and_spans import FORMS, REQUESTS, exported, span
from formats.test_vllm_log import log

import teltheory as tt


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows):
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def logs():
    yield "vllm-log", "log", log("0.9").encode(), {"blocks": 2, "tokenizer": "characters/4"}
    logged = [FORMS["anthropic"](*request) for request in REQUESTS]
    names = {"conversation": "session_id", "total": "usage.input_tokens", "response": "usage.output_tokens"}
    yield "usage", "jsonl", jsonl(logged), {}
    yield "columns", "jsonl", jsonl(logged), {"columns": names | {"arrival": "timestamp"}}
    yield "columns", "parquet", parquet(logged), {"columns": names, "format": "teltheory"}
    yield "otel", "jsonl", jsonl([exported(*(span(*request) for request in REQUESTS))]), {}


def arrival_files():
    azure = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,374,44\n2023-11-16 18:15:50,396,9\n"
    yield "arrivals", "csv", azure, tt.read_arrivals
