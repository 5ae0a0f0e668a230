"""An engineer: installs, samples a trace, asks for advice, and then asks the same about a log of their own."""

import json
import re
from random import Random

import pytest

FIELDS = ("timestamp", "session_id", "prompt_tokens", "completion_tokens")


def log(seed=1):
    """Return the rows of a log as a gateway writes it: whole inputs, in the order of time."""
    draw, rows = Random(seed), []
    for session in range(200):
        total, minute = 0, draw.randrange(1200)
        for _ in range(draw.choice((1, 1, 2, 3, 6))):
            total, answer = total + draw.randrange(20, 900), draw.randrange(50, 1500)
            time = f"2026-01-05T{minute // 60:02d}:{minute % 60:02d}:00Z"
            rows.append(dict(zip(FIELDS, (time, f"s{session}", total, answer), strict=True)))
            total, minute = total + answer, minute + draw.randrange(1, 20)
    return sorted(rows, key=lambda row: row["timestamp"])


@pytest.fixture
def own(tmp_path):
    """The log in both files that the demonstration speaks of."""
    rows = log()
    (tmp_path / "mylog.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = (",".join(map(str, row.values())) for row in rows)
    (tmp_path / "mylog.csv").write_text("\n".join([",".join(FIELDS), *lines, ""]))
    return rows


def test_a_sample_has_advice_with_its_price(walk):
    walk("teltheory trace sample wildchat-like chat.csv --turns 6000 --seed 1")
    told = " ".join(walk("teltheory advise chat.csv --capacity 4GiB --model llama-2-7b --slo 200ms").split())
    assert re.search(r"ADVICE: T-LRU with ξ = 2,789 and Q̂ = [\d,]+ tokens", told)
    assert re.search(r"lower than with LRU: it helps, for 1\.\d+ times the prefill", told)


def test_the_three_lines_of_the_demonstration_are_true_of_an_own_log(walk, own):
    lines = [line for line in walk("teltheory demo").splitlines() if line.startswith("  teltheory ")]
    assert len(lines) == 3
    described, *advised = map(walk, lines)
    assert f"Trace: {len(own):,} turns, 200 conversations." in described
    assert all(re.search(r"^ADVICE: ", told, re.MULTILINE) for told in advised)


def test_a_slip_in_a_column_names_the_column_that_is_there(walk, own):
    told = walk("teltheory advise mylog.csv --columns conversation=sesion_id --slo 200ms", code=2)
    assert "the nearest is 'session_id'" in told
    assert told.count("\n") == 1
