"""What a store has, read by SQLite alone."""

import json
import sqlite3
from contextlib import closing
from hashlib import sha256


def rows(store):
    """Return the rows of a store, (about, found) each, in the order in which they were added."""
    if not store.exists() or not store.stat().st_size:
        return []
    with closing(sqlite3.connect(store, timeout=60)) as database:
        if not database.execute("SELECT name FROM sqlite_master").fetchall():
            return []
        found = database.execute("SELECT about, found FROM results ORDER BY rowid").fetchall()
    return [(json.loads(about), json.loads(result)) for about, result in found]


def sealed(database):
    """Give the rows of a store, changed through SQLite, the digests that they would have been written with."""
    for number, *row in database.execute("SELECT rowid, kind, about, found FROM results").fetchall():
        text = "[" + ", ".join(json.dumps(column, default=repr) for column in row) + "]"
        digest = sha256(text.encode()).hexdigest()
        database.execute("UPDATE results SET digest = ? WHERE rowid = ?", (digest, number))
