"""What T-LRU's price is made up of, on a short trace: numbers against the library, bounds below plans."""

import csv
from fractions import Fraction

import numpy as np

import teltheory as tt
from experiments import price_of_tail
from experiments.price_of_tail import front_at, main, median_against_tail, rows_at, split, step_costs


def sampled():
    return tt.wildchat_like().sample(300, np.random.default_rng(3))


def test_a_split_is_what_the_rows_and_the_front_say():
    trace, capacity, xi = sampled(), 20_000, 2_000
    front = front_at(trace, capacity, xi)
    rows = {row.name: row for row in rows_at("chats", trace, capacity, xi, front)}
    lru, tlru = rows["LRU"], rows["T-LRU"]
    outcome = tt.replay(trace, "tlru:xi=2000", capacity)
    assert (tlru.prefilled, tlru.tel) == (outcome.uncached.sum(), tt.tail_excess_latency(outcome, xi))
    assert tlru.price == (tlru.prefilled - lru.prefilled) / lru.prefilled > 0
    assert rows["plan, w = 1/4"].closed == 1
    place, one, _, own, proved, unavoidable, _ = split([*rows.values()], front)
    assert (place, one) == ("chats, 20,000", f"{tlru.price:+.1%}, {tlru.gain:.1%}")
    enough = [row for row in rows.values() if row.name.startswith("Work") and row.gain >= tlru.gain - 0.01]
    spared = max([0, *(tlru.price - max(row.price, 0) for row in enough)]) / tlru.price
    assert own == f"{spared:.0%}"
    least = front.least_prefilled(tlru.tel)
    assert proved == f"{least / lru.prefilled - 1:+.1%}"
    assert unavoidable == f"{max(0, least - lru.prefilled) / (tlru.prefilled - lru.prefilled):.0%}"


def test_no_plan_with_that_median_is_below_the_bound(monkeypatch):
    monkeypatch.setattr(price_of_tail, "TRIES", 3)
    monkeypatch.setattr(price_of_tail, "TIME_LIMIT", 0.1)
    trace, capacity, xi = sampled()[:100], 6_000, 600
    costs = step_costs(trace, xi, 100, 7)
    for outcome in (tt.replay(trace, name, capacity) for name in ("lru", "belady")):
        above = int((outcome.uncached > 100).sum())
        assert costs.total(outcome.cached) == tt.tail_excess_latency(outcome, xi) + 7 * above
    for most, lower, upper in median_against_tail(trace, capacity, xi):
        assert upper is None or lower <= upper
        for outcome in (tt.replay(trace, name, capacity) for name in ("belady", "tail-optimized-belady:xi=600")):
            assert np.median(outcome.uncached) > most or tt.tail_excess_latency(outcome, xi) >= lower


def test_the_command_prints_and_writes(tmp_path, monkeypatch):
    places = [("chats", sampled(), (6_000,), Fraction(1, 20))]
    monkeypatch.setattr(price_of_tail, "workloads", lambda trace: iter(places))
    monkeypatch.setattr(price_of_tail, "TRIES", 1)
    monkeypatch.setattr(price_of_tail, "TIME_LIMIT", 0.1)
    file, table = tmp_path / "trace.csv", tmp_path / "table.csv"
    tt.write_trace(sampled(), file)
    printed = "\n".join(main(str(file), str(table)))
    assert "chats, 6,000 tokens, threshold 0.05 s" in printed
    assert printed.count("| chats |") == 3
    with table.open(newline="") as opened:
        assert len([*csv.DictReader(opened)]) == 9
