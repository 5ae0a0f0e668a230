"""Hostile changes of valid files: of bytes, lines, cells, fields and types; a `Random` makes the choices."""

import csv
import gzip
import io
import json
import pickle
import re
from copy import deepcopy

import pyarrow as pa
import pyarrow.parquet as pq

VALUES = (
    None, True, 0, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**70), 0.5, 1e-320, 1e300, float("nan"),
    float("inf"), "", " ", "0", "1e400", "٣", "\x00", "\ud800", "\x1b[31m", "<script>", "x" * 300,
    "../../etc/passwd", [], {}, [[]], [None], [1, "a"], {"": ""}, [0] * 40, "9999-12-31T23:59:59Z",
)  # fmt: skip
CELLS = (
    "", '"', '"x', "x,y", "\x00", "\r", "\n", "é", "-1", "1.5", "1e400", "nan", "0x10", "9" * 5000,
    str(2**63),
)  # fmt: skip
BYTES = (b"\x00", b"\xff", b"\xed\xa0\x80", b"\n", b'"', b",", b"{", b"[", b"}", b"]", b"\x1b[2J", b"PAR1", b"NaN")
DEEP = "[" * 100_000
WHOLE = (b"", b"\n \n", DEEP.encode(), b"9" * 5000, b'{"a": 1, "a": 2}', pickle.dumps({"claims": []}))
"""Whole files; nothing is executed of a pickle."""


def mutated(random, kind, content):
    """Return a changed file; `kind` is the end of its name, such as "jsonl.gz"."""
    if random.random() < 0.05:
        return random.choice(WHOLE)
    inner, _, packed = kind.partition(".")
    if packed == "gz" and random.random() < 0.7:
        return gzip.compress(mutated(random, inner, gzip.decompress(content)), mtime=0)
    change = random.choice((CHANGES.get(kind, changed_bytes),) * 3 + (changed_bytes,))
    for _ in range(random.choice((1, 1, 2))):
        content = change(random, content)
    return content


def changed_bytes(random, content):
    """Cut off, cut out, double, flip or insert bytes."""
    at, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
    some = random.choice(BYTES)
    flipped = bytes([content[at] ^ (1 << random.randrange(8))]) if at < len(content) else b"\x80"
    parts = (
        content[:at],
        content[:at] + content[end:],
        content[:end] + content[at:],
        content[:at] + flipped + content[at + 1 :],
        content[:at] + some + content[at:],
    )
    return random.choice(parts)


def changed_lines(random, content):
    """Drop, double or swap lines."""
    lines = content.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i : i + 1] = random.choice(([], [lines[i]] * 2, [lines[j]], [lines[i] * 1000]))
    return b"\n".join(lines)


def changed_csv(random, content):
    """Change, drop or double the cells of a row, or of a column."""
    rows = [line.split(",") for line in content.decode("utf-8", "replace").split("\n")]
    column, others = (
        random.randrange(len(rows[0])),
        random.choice(([], [random.choice((*CELLS, *rows[0]))], [""] * 2)),
    )
    for row in rows if random.random() < 0.2 else [random.choice(rows)]:
        row[column : column + 1] = others
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=random.choice((0, 1))).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def changed_json(random, content):
    """Change a value, a name or the depth somewhere in a JSON document."""
    try:
        tree = changed_tree(random, json.loads(content))
        return json.dumps(tree).replace('"deep"', DEEP).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return changed_bytes(random, content)


def changed_json_lines(random, content):
    """Change one line of JSON, or a field of all of them."""
    lines = content.split(b"\n")
    chosen = range(len(lines)) if random.random() < 0.2 else [random.randrange(len(lines))]
    state = random.randrange(1 << 30)
    for i in chosen:
        if lines[i].strip():
            lines[i] = changed_json(type(random)(state), lines[i]).replace(b"\n", b" ")
    return b"\n".join(lines)


def places(tree, parent=None, key=None):
    """Yield (container, key) of every value in a tree."""
    if parent is not None:
        yield parent, key
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for name, value in inner:
        yield from places(value, tree, name)


def changed_tree(random, tree):
    """Return a tree with one place changed."""
    found = list(places(tree))
    if not found:
        return random.choice(VALUES)
    parent, key = random.choice(found)
    donor, other = random.choice(found)
    match random.randrange(6):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[random.choice(("", "x", "\ud800", str(other), str(key) * 50))] = parent.pop(key)
        case 2:
            parent[key] = deepcopy(donor[other])
        case 3:
            parent[key] = "deep"
        case _:
            parent[key] = random.choice(VALUES)
    return tree


def changed_parquet(random, content):
    """Change values, types or names of a Parquet file, or its bytes."""
    try:
        table = pq.read_table(pa.BufferReader(content))
        table.validate(full=True)
        name = random.choice(table.column_names)
        match random.randrange(4):
            case 0:
                types = (pa.string(), pa.float64(), pa.int8(), pa.bool_(), pa.null(), pa.list_(pa.int64()))
                cast = table.column(name).cast(random.choice(types), safe=False)
                table = table.set_column(table.column_names.index(name), name, cast)
            case 1:
                table = table.append_column(random.choice((name, "x", "")), table.column(name))
            case 2:
                table = table.drop_columns([name])
            case _:
                table = pa.Table.from_pylist(changed_tree(random, table.to_pylist()))
        out = io.BytesIO()
        pq.write_table(table, out)
        return out.getvalue()
    except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError, OSError, AttributeError):
        return changed_bytes(random, content)


TAGS = re.compile(rb"<[^<>]*>|[^<>\s=]+|\s+|.", re.DOTALL)
PIECES = (
    b"<", b"</a>", b"<a/>", b"<a>", b"<union>", b"</union>", b"<module name='m'>", b"</module>", b"<user/>",
    b"<!-- c -->", b"<![CDATA[", b"]]>", b"<?p?>", b"<!DOCTYPE s [<!ENTITY e 'e'>]>", b"src='/etc/passwd'",
    b"length='999999999'", b"name=''", b"xmlns='u'", b"&x;", b"&#0;", b"&#x202e;", b"\xd9\xa3", b"x" * 5000,
)  # fmt: skip


def changed_xml(random, content):
    """Drop, double, swap or insert tags, words and white space."""
    pieces = TAGS.findall(content)
    i, j = (random.randrange(len(pieces)) for _ in range(2)) if pieces else (0, 0)
    one = pieces[j : j + 1]
    pieces[i : i + 1] = random.choice(([], pieces[i : i + 1] * 2, one, [*one, random.choice(PIECES)]))
    return b"".join(pieces)


CHANGES = {
    "xml": changed_xml,
    "csv": changed_csv,
    "json": changed_json,
    "jsonl": changed_json_lines,
    "parquet": changed_parquet,
    "tiktoken": changed_lines,
}
