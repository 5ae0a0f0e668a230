"""The table of speculation under load is what servers say, run by run."""

import pytest

import teltheory as tt
from experiments import rag_speculation
from experiments.rag_speculation import NONE, RULES, Row, main
from teltheory.paper import tidy


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    table = tmp_path_factory.mktemp("speculation") / "table.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rag_speculation, "LOADS", (0.5, 1.1))
        return list(main("2", "60", str(table))), tidy.read_rows(table, Row)


def test_every_rule_serves_the_same_requests(run):
    _, rows = run
    assert len(rows) == 2 * 2 * 2 * len(RULES)
    for row in rows:
        assert 0 < row.mean < row.p95
        assert 0 <= row.wasted < row.busy <= 1
        assert row.rule != NONE or row.wasted == 0
    stands = {row.topics: row.stands for row in rows}
    assert stands["mixed"] < stands["apart"]


def test_comparisons_are_with_the_same_seed(run):
    lines, rows = run
    ours = [
        next(r for r in rows if (r.topics, r.load, r.rule, r.seed) == ("mixed", 0.5, "always", s)) for s in (0, 1)
    ]
    none = [next(r for r in rows if (r.topics, r.load, r.rule, r.seed) == ("mixed", 0.5, NONE, s)) for s in (0, 1)]
    ratios = [a.mean / b.mean for a, b in zip(ours, none, strict=True)]
    place = 7 + 2 * len(RULES) + list(RULES).index("always")
    assert lines[place].split(" | ")[7:9] == [f"{sum(ratios) / 2:.2f}", f"{max(ratios):.2f}"]
    runs = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:4] for line in lines[-5:]}
    always = [r for r in rows if r.rule == "always"]
    worse = [
        sum(
            getattr(r, name) > getattr(n, name)
            for r in always
            for n in rows
            if n.rule == NONE and (n.topics, n.load, n.seed) == (r.topics, r.load, r.seed)
        )
        for name in ("mean", "p95")
    ]
    assert runs["always"] == ["8", *map(str, worse)]


def test_wrong_counts_are_errors(tmp_path):
    with pytest.raises(tt.ArgumentError, match="SEEDS: found 'two', expected a whole number, 1 or more"):
        list(main("two", "60", str(tmp_path / "table.csv")))
