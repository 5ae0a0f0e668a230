"""Hostile changes of valid files: of bytes, lines, cells, fields and types; a `Random` makes the choices."""

import csv
import gzip
import io
import json
import re
from copy import deepcopy

import pyarrow as pa
import pyarrow.parquet as pq

LARGEST = 1 << 22
"""Bytes of a changed file: more take longer, and show no more."""

RAW = ("1e400", "-1e400", "NaN", "Infinity", "-Infinity", "9" * 5000, "1" + "0" * 350, "0" * 40, "1e-400", "-0.0")
"""Texts of numbers that no `json.dumps` writes, or that no int64 or float holds."""

DEEP = ("[" * 200 + "]" * 200, '{"a":' * 990 + "1" + "}" * 990, "[" * 5000 + "]" * 5000, "[" * 100_000)
VALUES = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 2**70, -(2**63), -(2**70)),
    *(0.5, -0.0, 1e-320, 1e18, 1e300, -1e300, 1.5e308),
    *(
        "",
        " ",
        "0",
        "-1",
        "1e400",
        "nan",
        "٣",
        "\x00",
        "\ud800",
        "\udfff a",
        "\x1b[31m",
        "<script>",
        "[/]",
        "x" * 300,
    ),
    *(
        "x" * 300,
        "../../etc/passwd",
        "__import__('os').abort()",
        "=1+1",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59Z",
    ),
    *([], {}, [[]], [None], [1, "a"], {"": ""}, [0] * 40, {"__class__": "os.system"}),
)
CELLS = (
    "",
    " ",
    '"',
    '"x',
    "x,y",
    "\x00",
    "\r",
    "\n",
    "é",
    "٣",
    "-1",
    "1.5",
    "1e3",
    "1e400",
    "nan",
    "inf",
    "0x10",
)
CELLS += (str(2**63), str(2**70), "9" * 4001, "9" * 5000, "x" * 200_000, "1_000", "+7", "-0", "00")
BYTES = (
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\x85",
    b"\xe2\x80\xa8",
    b'"',
    b"\\",
    b",",
)
BYTES += (b"{", b"[", b"}", b"]", b":", b"\x1b[2J", b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"NaN", b"1e400")
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252")
TYPES = (
    pa.string(),
    pa.float64(),
    pa.int8(),
    pa.uint64(),
    pa.decimal128(20, 3),
    pa.bool_(),
    pa.binary(),
    pa.null(),
)
TYPES += (pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.date32(), pa.time64("ns"), pa.duration("us"))
TYPES += (pa.list_(pa.int64()), pa.dictionary(pa.int8(), pa.string()), pa.float16(), pa.large_string())


def mutated(random, kind, content):
    """Return a changed file; `kind` is the end of its name, such as "jsonl.gz"."""
    inner, _, packed = kind.partition(".")
    if packed:
        return _repacked(random, inner, packed, content)
    change = random.choice((CHANGES[inner],) * 4 + (changed_lines, changed_bytes, changed_encoding))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = change(random, content)[:LARGEST]
    return content


def _repacked(random, inner, packed, content):
    if random.random() < 0.3:
        return changed_bytes(random, content)
    changed = mutated(random, inner, unpacked(packed, content))
    return PACKED[packed](changed)


def unpacked(packed, content):
    """Return what a compressed file holds."""
    if packed == "gz":
        return gzip.decompress(content)
    return pa.input_stream(pa.BufferReader(content), compression="zstd").read()


def _zstd(content):
    return pa.Codec("zstd").compress(content, asbytes=True)


PACKED = {"gz": lambda content: gzip.compress(content, mtime=0), "zst": _zstd}


def changed_bytes(random, content):
    """Cut off, cut out, double, flip or insert bytes."""
    at, end = sorted((_place(random, content), _place(random, content)))
    some = random.choice(BYTES) * random.choice((1, 1, 1, 50))
    flipped = bytes([content[at] ^ (1 << random.randrange(8))]) if at < len(content) else b"\x80"
    return random.choice(
        (
            content[:at],
            content[at:],
            content[:at] + content[end:],
            content[:end] + content[at:],
            content[:at] + flipped + content[at + 1 :],
            content[:at] + some + content[at:],
            content[:at] + some + content[at + len(some) :],
        )
    )


def _place(random, content):
    return random.randrange(len(content) + 1)


def changed_lines(random, content):
    """Drop, double, swap or cut lines, or change how they end."""
    lines = content.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(6):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            lines[i] = lines[i][: _place(random, lines[i])]
        case 4:
            lines[i] = lines[i] * random.choice((2, 1000))
        case _:
            return random.choice((b"\r", b"\r\n", b"\n\n", b"")).join(lines)
    return b"\n".join(lines)


def changed_encoding(random, content):
    """Write the text in another encoding, where it is text."""
    try:
        return content.decode("utf-8").encode(random.choice(ENCODINGS), "replace")
    except UnicodeDecodeError:
        return changed_bytes(random, content)


def changed_csv(random, content):
    """Change, drop, double or rename a cell, a column or the header."""
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8", "replace"))))
    except csv.Error:
        rows = []
    if len(rows) < 2 or not rows[0]:
        return changed_bytes(random, content)
    column, row = random.randrange(len(rows[0])), random.choice(rows)
    other = random.randrange(len(rows[0]))
    match random.randrange(6):
        case 0:
            rows = [line[:column] + line[column + 1 :] for line in rows]
        case 1:
            rows = [[*line, *line[column : column + 1]] for line in rows]
        case 2:
            row += random.choice(([""], ["x"] * 1000))
        case 3:
            for line in rows[1:]:
                line[column : column + 1] = [random.choice(CELLS)]
        case 4:
            rows[0][column : column + 1] = [random.choice((*CELLS, *rows[0]))]
        case _:
            row[column : column + 1] = [random.choice((*CELLS, *rows[0], *rows[-1][other : other + 1]))]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=random.choice((0, 0, 1))).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def changed_json(random, content):
    """Change a value, a name or the depth somewhere in a JSON document."""
    try:
        return dumped(changed_tree(random, json.loads(content)), random)
    except (ValueError, RecursionError):
        return changed_bytes(random, content)


def changed_json_lines(random, content):
    """Change one line of JSON, or a field of all of them."""
    lines = content.split(b"\n")
    full = [i for i, line in enumerate(lines) if line.strip()]
    if not full:
        return changed_bytes(random, content)
    chosen = full if random.random() < 0.2 else [random.choice(full)]
    state = random.randrange(1 << 30)
    for i in chosen:
        lines[i] = changed_json(type(random)(state) if len(chosen) > 1 else random, lines[i]).replace(b"\n", b" ")
    return b"\n".join(lines)


def places(tree, parent=None, key=None):
    """Yield (container, key) of every value in a tree."""
    if parent is not None:
        yield parent, key
    for name, value in (
        tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    ):
        yield from places(value, tree, name)


def changed_tree(random, tree, values=VALUES, raw=True):
    """Return a tree with one place changed; `raw` texts stand in for what `json.dumps` cannot write."""
    found = list(places(tree))
    if not found or random.random() < 0.03:
        return random.choice(values)
    parent, key = random.choice(found)
    donor, other = random.choice(found)
    match random.randrange(9 if raw else 7):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[random.choice(("", "x", "\ud800", str(other), str(key) * 50))] = parent.pop(key)
        case 1 | 2:
            parent[key] = deepcopy(donor[other])
        case 3:
            parent[key] = [parent[key]] * random.choice((1, 3))
        case 7:
            parent[key] = f"@raw{random.randrange(len(RAW))}@"
        case 8:
            parent[key] = f"@deep{random.randrange(len(DEEP))}@"
        case _:
            parent[key] = random.choice(values)
    return tree


def dumped(tree, random):
    """Return a tree as JSON, with raw texts in their places and now and then a field twice."""
    text = json.dumps(tree, indent=random.choice((None, None, 2)), ensure_ascii=random.choice((True, False)))
    text = re.sub(r'"@raw(\d+)@"', lambda found: RAW[int(found[1])], text)
    text = re.sub(r'"@deep(\d+)@"', lambda found: DEEP[int(found[1])], text)
    if random.random() < 0.1:
        text = re.sub(r'("\w+": )(\d+|"[^"]*")', r"\1\2, \1\2", text, count=1)
    return text.encode("utf-8", "surrogatepass")


def changed_parquet(random, content):
    """Change values, types, names or the writing of a Parquet file, or its bytes."""
    if random.random() < 0.4:
        return changed_bytes(random, content)
    try:
        table = pq.read_table(pa.BufferReader(content))
        table.validate(full=True)
        return _written(random, _changed_table(random, table))
    except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError, OSError, AttributeError):
        return changed_bytes(random, content)


def _changed_table(random, table):
    i = random.randrange(table.num_columns)
    name = table.column_names[i]
    match random.randrange(6):
        case 0:
            return table.set_column(i, name, table.column(i).cast(random.choice(TYPES), safe=False))
        case 1:
            return table.append_column(random.choice((name, "x", "")), table.column(i))
        case 2:
            return table.drop_columns([name])
        case 3:
            return table.rename_columns(
                [random.choice(("", "x", n)) if n == name else n for n in table.column_names]
            )
        case 4:
            return pa.concat_tables([table] * random.choice((2, 50)))
        case _:
            return pa.Table.from_pylist(changed_tree(random, table.to_pylist(), raw=False))


def _written(random, table):
    out = io.BytesIO()
    packed = random.choice(("none", "snappy", "zstd", "gzip"))
    pq.write_table(table, out, compression=packed, row_group_size=random.choice((1, 2, 1000)))
    return out.getvalue()


CHANGES = {
    "csv": changed_csv,
    "json": changed_json,
    "jsonl": changed_json_lines,
    "parquet": changed_parquet,
    "tiktoken": changed_lines,
}
