"""A small valid file of each format that the toolkit reads, and what reads and uses it: seeds of the fuzzing."""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from calibration.probing import small_plan
from calibration.test_runs import record, serving
from claims.small_campaign import CLAIMS, FEW, texts
from formats.test_chat_readers import SHAREGPT, wildchat
from formats.test_claude_code import NESTED
from formats.test_engine_logs import EVENTS, REQUESTS
from formats.test_log_readers import DELTA, FIRST, HEADER, SECOND, WHOLE, bailian, call
from formats.test_ragpulse import ROWS as RAGPULSE
from formats.test_ragpulse import lengths_beside
from formats.test_text_blocks import LOG
from formats.vocabularies import rank_file, word_level
from fuzz.valid_logs import arrival_files, jsonl, logs, parquet
from report.pages import ROWS

import teltheory as tt
from teltheory.claims.batches import Batch, BatchResult
from teltheory.claims.campaign import CampaignStore
from teltheory.cli.optimum.certificate import (
    Certified,
    Searched,
    certificates_as_data,
    checked,
    digest_of,
    read_certificates,
)
from teltheory.cli.verify.command import ledger_rows
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.formats.applications import read_application_trace
from teltheory.formats.counting import counter
from teltheory.formats.request_logs import read_log
from teltheory.optimal.costs.prices import Cut
from teltheory.paper.all import notes_of
from teltheory.paper.drawing import check_whole
from teltheory.policies.online import LRU
from teltheory.policies.spec import default_estimate
from teltheory.report.ledger_pages import ledger_markdown
from teltheory.server.record import Measured, ProbeRecord
from teltheory.sweep import Store
from teltheory.sweep.jobs import Measurement, ReplayJob
from teltheory.systems.apps.engines.tokens import utf8
from teltheory.systems.apps.explain import explain, shared_prefixes
from teltheory.systems.apps.lift import as_applications, as_trace, lift
from teltheory.systems.apps.records import located, read_applications
from teltheory.systems.modules import BYTES, layout, plan, read_prompt, read_schema, resolve
from teltheory.systems.rag.arrays import read_vectors
from teltheory.systems.rag.entries import corpus_of
from teltheory.systems.rag.own import read_documents
from teltheory.systems.rag.stage_times import StageTimes, read_stage_times, write_stage_times
from teltheory.systems.rag.texts import read_xquad

ESTIMATE = "characters/4"
PLAN = small_plan("http://127.0.0.1:9")
"""Of a server that does not answer."""
TURNS = [("a", 3, 1, 0.0, 0), ("b", 4, 2, 1.5, 0), ("a", 1, 0, 2.0, 4), ("b", 2, 0, 2.0, 3)]
COLUMNS = ("conversation", "prompt", "response", "arrival", "history")
MOONCAKE = [
    {"timestamp": t, "input_length": i, "output_length": o, "hash_ids": ids}
    for t, i, o, ids in [(0, 1500, 9, [1, 2, 3]), (250, 2000, 1, [1, 2, 4, 5]), (300, 600, 2, [7, 8])]
]
PROBED = Measured(64, 0, 0.5, 0, 0, False, 0, 0, "2026-01-01T00:00:00.000+00:00")


@dataclass(frozen=True)
class Format:
    """A format: how files of it end, a valid one, and what reads one and uses what it holds."""

    name: str
    kind: str
    valid: bytes
    read: Callable[[Path], object]

    def __str__(self):
        return self.name


def from_file(write, name):
    """Return the bytes of a file that a function writes."""
    with TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


def read_trace(path, **options):
    """Read a trace and use it: what is derived is whole, and every engine's least demand on it is met."""
    if options.get("format") == "ragpulse":
        lengths_beside(path.parent)
    trace = tt.read_trace(path, **options)
    assert len(trace.total) == len(trace.past) == len(trace.next_turn) == len(trace)
    assert (trace.past >= trace.total).all()
    assert (trace.total >= trace.history).all()
    assert min(trace.history.min(initial=0), trace.prompt.min(initial=0), default_estimate(trace)) >= 0
    if len(trace) < 1000:
        assert tt.replay(trace, tt.LRU(), 7).uncached.sum() <= trace.total.sum()
        assert trace.blocks is None or tt.describe(trace).reads == trace.blocks.ask.sum()


def read_runs(path, **options):
    tt.fit_latency(tt.read_ttft_runs(path, **options), "linear")


def read_config(path):
    return tt.read_architecture(path).stored(2, "fp8").tokens(10**9)


def read_latency(path):
    model = tt.read_latency(path)
    model.ttft(np.array([0, 5, 2**40]), np.array([0, 3, 2**40]))
    model.safe_uncached(np.array([0, 9, 2**40]), Fraction(1, 5))


CERTIFIED = tt.Trace.from_turns([0, 1, 0, 1], [3, 4, 1, 2], [1, 2, 0, 0])


def certificates():
    """Two proofs of the optimum, one of violations: about the trace `CERTIFIED`."""
    optima = [(c, xi, tt.hindsight_optimum(CERTIFIED, c, xi).certificate) for c, xi in ((5, 0), (7, 2))]
    entries = [Certified("tel", c, False, one, xi) for c, xi, one in optima]
    found = tt.fewest_violations(CERTIFIED, 5, 2)
    kept, prices = found.outcome.cached, replace(found.certificate, cuts=(Cut(3, (2,), (1,), 1),))
    entries.append(Certified("slo", 5, False, Searched(found.upper, kept, found.proved, prices), 2))
    return json.dumps(certificates_as_data(entries)).encode()


def content_of(path):
    with suppress(OSError):
        return path.read_bytes() if path.is_file() else b""
    return b""


def check_certificates(path):
    """Check the proofs in a file; a file that was changed is signed anew, so that its proofs are looked at too."""
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        data = json.loads(content_of(path))
        path.write_text(json.dumps({**data, "sha256": digest_of(data["certificates"])}))
    list(checked(str(path), read_certificates(str(path)), CERTIFIED))


def fill_store(path):
    made = ReplayJob("f" * 64, 5, LRU(), 9, False, A100_LLAMA2_7B, (1, 2))
    Store(path).add(
        made,
        [Measurement(*[None] * 4, 0.0, *[0] * 5), Measurement(0.1, 1 / 3, 2.0, 1e-300, 0.5, 7, 3, 2**70, 7, 5)],
    )


EXAMPLE = {
    "turns": [[0, 2, 0], [1, 0, 2], [1, 4, 0]], "initial": [], "capacity": 2, "xi": 3, "q_hat": 2, "forced": False,
    "values": {"T-LRU": 2, "LRU": 1},
}  # fmt: skip


def batch(name=CLAIMS[1], generator=FEW[0].name):
    return Batch(name, generator, 0, texts()[name, generator])


def fill_campaign(path):
    CampaignStore(path, texts()).add(batch(), BatchResult(30, 1, EXAMPLE))


def read_store(path):
    Store(path)


def read_campaign(path):
    store = CampaignStore(path, texts())
    return store.of(CLAIMS[1])


def fill_probe(path):
    with ProbeRecord(path, PLAN) as record:
        record.begin("tokens")
        step = record.missing()[0]
        record.add(Measured(**{**asdict(PROBED), "cell": step.cell, "repeat": step.repeat}))


def read_probe(path):
    with ProbeRecord(path, PLAN) as record:
        record.missing()


def read_ledger(path):
    return ledger_markdown(ledger_rows(str(path)))


def read_notes(path):
    with TemporaryDirectory(dir=path.parent) as folder:
        Path(folder, "a.csv").touch()
        path.rename(Path(folder, "made.json"))
        try:
            notes_of(Path(folder))
            check_whole(Path(folder))
        finally:
            Path(folder, "made.json").rename(path)


def read_tokenizer(path):
    assert all(n >= 0 for n in counter(path).count(["hello world", "", "é \ud800"]))


def _traces():
    own = [dict(zip(COLUMNS, turn, strict=True)) for turn in TURNS]
    table = "\n".join(",".join(map(str, line)) for line in (COLUMNS, *TURNS)).encode() + b"\n"
    times = {"times": tt.SHAREGPT_TIMES, "tokenizer": ESTIMATE}
    chats = wildchat([(2, 3, 10), (1, 1, 30)], [(4, 0, 20)], [])
    messages = [{"messages": chat["conversation"]} for chat in chats]
    calls = [call("x", FIRST, 9, timestamp=0, tools=[{"a": "b"}]), call("x", SECOND, 2, delay=1500)]
    burst = (HEADER + "5,s1,1.5,ChatGPT,472,18,490,log\n45.5,,0.5,GPT-4,1087,230,1317,API log\n").encode()
    yield from (("own", kind, valid, {}) for kind, valid in (("csv", table), ("jsonl", jsonl(own))))
    yield "own", "parquet", parquet(own), {}
    yield "own-named", "csv.gz", gzip.compress(table, mtime=0), {"format": "teltheory"}
    shared = [
        row | {"block_size": 2, "below": b, "added": 1, "asked": 1}
        for b, row in zip((0, 1, 1, 0), own, strict=True)
    ]
    yield from (("own-shared", kind, make(shared), {}) for kind, make in (("jsonl", jsonl), ("parquet", parquet)))
    yield "mooncake", "jsonl", jsonl(MOONCAKE), {}
    yield "claude-code", "json", json.dumps(NESTED).encode(), {}
    yield "sessions", "jsonl", jsonl(WHOLE), {}
    yield "delta", "jsonl", jsonl(DELTA), {"format": "mooncake-delta"}
    yield "bailian", "jsonl", jsonl(bailian([(1, -1, 5, 5, 3.0), (2, 1, 20, 1, 4.0), (3, 9, 2, 2, 5.0)])), {}
    yield "burstgpt", "csv", burst, {}
    dated = {"tokenizer": ESTIMATE}
    yield "wildchat", "jsonl", jsonl(chats), dated
    yield "wildchat", "parquet", parquet(chats), dated
    yield "sharegpt", "json", json.dumps(SHAREGPT, indent=1).encode(), times
    yield "lmsys", "jsonl.gz", gzip.compress(jsonl(messages), mtime=0), {**times, "format": "lmsys"}
    yield "vllm-multi-turn", "json", json.dumps(messages).encode(), times
    yield "agentic", "jsonl", jsonl(calls), dated
    yield "agentic-blocks", "jsonl", jsonl(calls), {**dated, "blocks": 2, "system": "hello"}
    yield "lmcache", "jsonl", jsonl(LOG), {**dated, "blocks": 1}
    yield "ragpulse", "jsonl", jsonl(RAGPULSE), {"format": "ragpulse"}
    yield "vllm-events", "jsonl", jsonl(EVENTS), {"format": "vllm-events"}
    yield "sglang-log", "jsonl", jsonl(REQUESTS), {"blocks": 2}


def _runs():
    lengths, ttfts = [100, 200, 400, 800, 900], [0.3, 0.75, 1.5, 3.0, 2.0]
    rows = "".join(f"{n},8,{ttft},m\n" for n, ttft in zip(lengths, ttfts, strict=True))
    many = {"input_lens": lengths, "ttfts": ttfts, "errors": [""] * 5, "itls": [[]] * 5, "mean_ttft_ms": 1510.0}
    run = serving(**many, start_times=[1.0, 2.0, 3.0, 4.0, 5.0])
    probe = [asdict(PROBED) | {"prompt_tokens": n, "ttft_s": ttft} for n, ttft in zip(lengths, ttfts, strict=True)]
    cached = {"usage_prompt_cache_read_tokens": 64}
    yield "runs", "csv", f"prompt_tokens,cached_tokens,ttft_s,model\n{rows}".encode(), {}
    yield "vllm", "json", json.dumps(run, indent=2).encode(), {"cold": True}
    yield "sglang", "jsonl", jsonl([{**run, "model_id": None}] * 2), {"cold": True, "format": "sglang"}
    yield "aiperf", "jsonl", jsonl([record(250.0, n=n, **cached) for n in lengths]), {}
    yield "probed", "jsonl", from_file(fill_probe, "p.jsonl") + jsonl(probe), {}


def _models():
    formula = {"teltheory_latency": 1, "form": "formula", "per_token": "0.0000717", "per_pair": "1/1000000000"}
    table = {"totals": [1, 2], "cached_shares": ["0", "1/2"], "seconds": [["1", "1/2"], ["2", "1"]]}
    formula |= {"name": "mine", "provenance": {"model": "x"}}
    yield "formula", "json", json.dumps(formula).encode(), read_latency
    table |= {"teltheory_latency": 1, "form": "table"}
    yield "table", "json", json.dumps(table).encode(), read_latency
    config = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "torch_dtype": "float16"}
    config |= {"layer_types": ["full_attention"], "quantization_config": {"kv_cache_scheme": {"num_bits": 8}}}
    yield "config", "json", json.dumps({"text_config": config}).encode(), read_config


def _files():
    yield "certificates", "json", certificates(), check_certificates
    yield "store", "store", from_file(fill_store, "s.store"), read_store
    yield "campaign", "store", from_file(fill_campaign, "s.store"), read_campaign
    yield "probe", "jsonl", from_file(fill_probe, "p.jsonl"), read_probe
    yield "ledger", "json", json.dumps({"claims": ROWS}).encode(), read_ledger
    yield "made", "json", json.dumps({"a.csv": ["00", sha256().hexdigest()]}).encode(), read_notes
    yield "tokenizer", "json", from_file(word_level, "t.json"), read_tokenizer
    yield "ranks", "tiktoken", from_file(rank_file, "cl100k_base.tiktoken"), read_tokenizer


SCHEMA = """<schema name="s">Hi<system>You</system><module name="a" cache="false">a<parameter name="p" length="5"
scaffold="b"/><module name="b">b &amp; c</module></module><union scaffold="x"><module name="x">x</module>
<module name="y">yes</module></union><user><module name="z" src="none.txt"/></user></schema>"""
PROMPT = "<prompt schema='s'><y/><a p='1 &lt; 2'><b/></a> <user>Where?</user></prompt>"


def read_schema_file(path):
    found = layout(read_schema(path), BYTES)
    assert found.length >= max(span.start + span.length for span in found.spans.values())
    resolve(read_prompt(f"<prompt schema='{found.schema.name}'>Hi</prompt>"), found)


def read_prompt_file(path):
    made = layout(read_schema(SCHEMA.replace(' src="none.txt"', "")), BYTES)
    assert plan(resolve(read_prompt(path), made)).items


def _languages():
    yield "schema", "xml", SCHEMA.replace(' src="none.txt"', "").encode(), read_schema_file
    yield "prompt", "xml", PROMPT.encode(), read_prompt_file


VECTORS = np.array([[1, 2, 3], [4, 5, 6.5]], np.float32)
SQUAD = {"data": [{"title": "t", "paragraphs": [{"context": "a b", "qas": [{"question": "a?", "id": "1"}]}]}]}


def read_squad(path):
    documents, questions = read_xquad(path)
    vectors = np.ones((len(documents), 2)), np.ones((len(questions), 2))
    corpus_of(documents, questions, np.random.default_rng(0), vectors=vectors)


def _retrieval():
    def documents(path):
        found = read_documents(path)
        corpus_of(found, found, np.random.default_rng(0), vectors=(np.eye(len(found)),) * 2)

    rows = [{"id": name, "text": f"{name} b", "tokens": 3} for name in "xy"]
    columns = [{"id": name, "vector": vector.tolist()} for name, vector in zip("yx", VECTORS, strict=True)]
    measured = StageTimes("IVF", {"lists": 4, "probe": 2}, 5, 3, 2, 9, 3, "a machine", (0.5, 0.25))
    lengths = np.full((2, 1), 3, "<i4").view("<f4")
    read = partial(read_vectors, names=("x", "y"))
    yield "documents", "jsonl", jsonl(rows), documents
    yield "documents", "csv", b'id,text,tokens\nx,a b,3\ny,"c",4\n', documents
    yield "documents", "parquet", parquet(rows), documents
    yield "squad", "json", json.dumps(SQUAD).encode(), read_squad
    yield "vectors", "npy", from_file(lambda path: np.save(path, VECTORS), "v.npy"), read
    yield "vectors", "fvecs", np.hstack([lengths, VECTORS]).tobytes(), read
    yield "vectors", "parquet", parquet(columns), read
    yield "stage-times", "json", from_file(partial(write_stage_times, measured), "t.json"), read_stage_times


APPLICATION = {
    "name": "a",
    "requests": [
        {"name": "r", "prompt": "x {{input:t}} {{output:v}}", "sampling": {"max_tokens": 2, "temperature": 0.5}},
        {"prompt": "{{w}}{{input:t}}", "placeholders": [{"name": "w", "in_out": True, "transforms": "strip"}]},
    ],
    "set": {"t": "text"},
    "get": [{"semantic_var_id": "v", "criteria": "latency"}],
}
ASKED = [
    {"id": "p", "user": "u", "time": 0.5, "end": 1, "prompt": "a", "response": "b c"},
    {"id": "q", "user": "u", "time": 2, "prompt": "ab c", "response": "d"},
]
JOINED = [
    {"request": "p", "application": "a", "arrival": 0.5, "prompt": 3, "response": 2},
    {"request": "q", "application": "a", "arrival": 1, "after": ["p"], "prompt": 1, "response": 2},
]


def read_and_explain(path):
    found = read_applications(path)
    with located(path):
        return [explain(one) for one in found], shared_prefixes(found, utf8)


def read_and_lift(path):
    lifted = lift(read_log(path), 1)
    return as_applications(lifted, len), as_trace(lifted, len)


def _applications():
    yield "applications", "json", json.dumps(APPLICATION).encode(), read_and_explain
    yield "log", "jsonl", jsonl(ASKED), read_and_lift
    yield "joined", "jsonl", jsonl(JOINED), read_application_trace


@cache
def formats():
    """Return every format by its name."""
    traces = [
        (name, kind, valid, partial(read_trace, **more)) for name, kind, valid, more in (*_traces(), *logs())
    ]
    runs = [(name, kind, valid, partial(read_runs, **more)) for name, kind, valid, more in _runs()]
    every = (
        *traces,
        *runs,
        *arrival_files(),
        *_models(),
        *_files(),
        *_retrieval(),
        *_languages(),
        *_applications(),
    )
    found = [Format(f"{name}.{kind}", kind, valid, read) for name, kind, valid, read in every]
    return {one.name: one for one in found}


def path_for(one, folder):
    """Return where a file of a format is written to be read."""
    return folder / ("cl100k_base.tiktoken" if one.kind == "tiktoken" else f"hostile.{one.kind}")
