"""`teltheory replay` says in one line which policies cost more than twice as much as LRU."""

import numpy as np
import pytest
from advice.advised_traces import chats

import teltheory as tt


@pytest.mark.parametrize("place", [("--capacity", "20k"), ("--tier", "20k", "--tier", "20k:0.3")])
def test_what_costs_more_than_twice_as_much_is_said_in_tiers_too_and_nothing_of_lru(run, tmp_path, capsys, place):
    file = tmp_path / "t.csv"
    tt.write_trace(chats(400), file)
    for policy, lines in (("lru", 0), ("tlru:q_hat=0,trim=eager", 1)):
        assert run("replay", file, *place, "--xi", "1200", "--policy", policy) == 0
        assert capsys.readouterr().out.count("Mind: more than twice LRU's") == lines


def test_the_line_has_the_ratios_of_a_plain_replay(in_words, tmp_path):
    file, trace = tmp_path / "t.csv", chats(400)
    tt.write_trace(trace, file)
    asked = ("replay", file, "--capacity", "20k,60k", "--xi", "1200")
    said = in_words(*asked, "--policy", "tlru:q_hat=0,trim=eager")
    ratios = {"prefill": [], "P50 of TTFT": []}
    for capacity in (20_000, 60_000):
        own, lru = (tt.replay(trace, one, capacity).uncached for one in (tt.TLRU(1200, 0, "eager"), tt.LRU()))
        ratios["prefill"].append(own.sum() / lru.sum())
        ratios["P50 of TTFT"].append(np.divide(*(np.quantile(x, 0.5, method="inverted_cdf") for x in (own, lru))))
    above = {name: max(times) for name, times in ratios.items() if max(times) > 2}
    assert above
    parts = [f"the {name} of tlru:q_hat=0,trim=eager, up to {times:.1f} times" for name, times in above.items()]
    assert all(part in said for part in parts)
    assert said.count("up to") == len(parts)
    assert said.count("Mind: more than twice LRU's") == 1
