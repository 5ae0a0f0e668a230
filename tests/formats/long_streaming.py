"""Peak memory of reading a million conversations, as JSON lines, as a JSON array and as Parquet.

    python tests/formats/long_streaming.py [CONVERSATIONS]

Each file is made in a temporary folder, read in a process of its own and removed. The peak must stay below that of
the process before it reads, plus `BYTES_A_TURN` for each turn (columns while they grow, and their sorted copies),
plus `ROOM`, whatever the size of the file.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BYTES_A_TURN = 160
ROOM = 96 << 20
START = datetime(2023, 4, 9, tzinfo=UTC)
WORDS = "tail latency of a prompt cache that keeps the prefix of every conversation it can " * 400
READ = """
import resource, sys
import pyarrow.parquet
import teltheory as tt
from teltheory.formats import read_trace
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
before = peak()
times = tt.SHAREGPT_TIMES if sys.argv[1].endswith(".json") else None
trace = tt.read_trace(sys.argv[1], tokenizer="characters/4", times=times)
print(before, peak(), len(trace), trace.conversations)
"""


def conversations(count, seed=0):
    """Yield (prompt, response) lengths of each conversation: one to eight turns, long texts."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        turns = min(8, int(rng.geometric(0.5)))
        yield list(
            zip(rng.integers(20, 400, turns).tolist(), rng.integers(100, 1200, turns).tolist(), strict=True)
        )


def text(i, length):
    """Return a text that no other conversation has."""
    return f"{i:09}{WORDS[:length]}"


def wildchat(turns, i, stamp=str):
    """Return a conversation as WildChat has it, with a header that no reader needs."""
    start, messages = START + timedelta(seconds=i), []
    for k, (prompt, response) in enumerate(turns):
        time = start + timedelta(seconds=60 * k)
        header = {"accept-language": "en", "user-agent": WORDS[:80]}
        messages.append({"role": "user", "content": text(i, prompt), "timestamp": None, "header": header})
        messages.append(
            {"role": "assistant", "content": text(i, response), "timestamp": stamp(time), "header": None}
        )
    return {"conversation_hash": f"{i:032x}", "timestamp": stamp(start), "conversation": messages}


def write_lines(path, count):
    with path.open("w") as file:
        for i, turns in enumerate(conversations(count)):
            file.write(json.dumps(wildchat(turns, i)) + "\n")


def write_array(path, count):
    with path.open("w") as file:
        for i, turns in enumerate(conversations(count)):
            pairs = [
                ("human" if j % 2 == 0 else "gpt", n) for j, n in enumerate(n for turn in turns for n in turn)
            ]
            messages = [{"from": name, "value": text(i, n)} for name, n in pairs]
            file.write(("[" if i == 0 else ",\n") + json.dumps({"id": str(i), "conversations": messages}))
        file.write("]\n")


def write_parquet(path, count, rows=1000):
    header = pa.struct({"accept-language": pa.string(), "user-agent": pa.string()})
    moment = pa.timestamp("us", tz="UTC")
    message = pa.struct({"role": pa.string(), "content": pa.string(), "timestamp": moment, "header": header})
    fields = {"conversation_hash": pa.string(), "timestamp": moment, "conversation": pa.list_(message)}
    schema, part = pa.schema(fields), []
    with pq.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
        for i, turns in enumerate(conversations(count)):
            part.append(wildchat(turns, i, stamp=lambda time: time))
            if len(part) == rows or i == count - 1:
                writer.write_table(pa.Table.from_pylist(part, schema))
                part.clear()


WRITERS = {"lines.jsonl": write_lines, "array.json": write_array, "rows.parquet": write_parquet}


def measured(name, count, folder):
    """Make a file, read it in a process of its own; return (bytes of the file, before, peak, turns)."""
    path = folder / name
    WRITERS[name](path, count)
    size = path.stat().st_size
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    path.unlink()
    before, peak, turns, read = map(int, done.stdout.split())
    expected = sum(map(len, conversations(count)))
    assert (turns, read) == (expected, count)
    return size, before, peak, turns


def main(count):
    failed = False
    for name in WRITERS:
        with TemporaryDirectory() as folder:
            size, before, peak, turns = measured(name, count, Path(folder))
        bound = BYTES_A_TURN * turns + ROOM
        failed |= peak - before > bound
        grown = f"{peak - before >> 20:,} MiB above the {before >> 20:,} MiB before it"
        sys.stdout.write(
            f"{name}: {count:,} conversations, {turns:,} turns, {size >> 20:,} MiB; reading peaks {grown}, "
            f"{(peak - before) / turns:.0f} bytes per turn; allowed are {bound >> 20:,} MiB\n"
        )
        sys.stdout.flush()
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
