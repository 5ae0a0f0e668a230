import json
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest
from advice.advised_traces import chats, single_turns, usual
from shared_prompts import write_prompts

import teltheory as tt
from teltheory.advice import MARGINS, CostLimits
from teltheory.advice.sentences import advice_lines
from teltheory.base.progress import progress_bar
from teltheory.cli.advise import question
from teltheory.cli.advise.text import advice_as_data
from teltheory.model.display import tokens_in_short


def test_the_command_prints_the_advice_and_its_settings(run, tmp_path, capsys):
    file, numbers = tmp_path / "a $ and [b].csv", tmp_path / "advice.json"
    tt.write_trace(chats(), file)
    asked = ("advise", file, "--capacity", "8GiB", "--model", "llama-2-7b", "--slo", "200ms")
    assert run(*asked, "--json", numbers) == 0
    text = " ".join(capsys.readouterr().out.split())
    advice = tt.advise(tt.read_trace(file), 4 * 4096, Fraction(1, 5))
    assert f"ADVICE: T-LRU with ξ = {advice.xi:,} and Q̂ = {advice.q_hat:,} tokens." in text
    assert "Capacity 8GiB is 16,384 tokens" in text
    assert f"The gain is {'inside' if advice.kept_promise else 'outside'} what was promised." in text
    assert f'{{"threshold": {advice.xi}, "next_prompt_estimate": {advice.q_hat}}}' in text
    without_model = [line for line in str(advice).splitlines() if not line.startswith("Memory: ")]
    assert all(" ".join(line.split()) in text for line in without_model)
    assert f"LRU needs {advice.held_out.lru_capacity:,} tokens" in text
    lru, tried = advice.held_out.rows
    for row in (lru, tried):
        volumes = f"{tokens_in_short(row.prefilled)} {tokens_in_short(*row.written)}"
        assert f"{100 * row.hit_rate:.1f} % {volumes} {row.p50:.3f}" in text
    assert f"it helps, for {tried.prefilled / lru.prefilled:.3f} times the prefill." in text
    data = json.loads(numbers.read_text())["advice"][0]
    assert data["held_out"]["rows"][1]["prefilled"] == tried.prefilled
    assert (data["work_cost"], data["median_cost"], data["held_out"]["broken"]) == (1.05, 1.1, [])
    assert (data["xi"], data["q_hat"], data["recommended"]) == (advice.xi, advice.q_hat, True)
    assert data["held_out"]["gain"]["value"] == pytest.approx(advice.held_out.gain.value)
    assert MARGINS - 7 <= len(data["choice"]["tried"]) <= MARGINS


def test_the_bar_ends_when_the_last_capacity_is_advised_on(run, tmp_path, monkeypatch):
    bars = []

    @contextmanager
    def kept():
        with progress_bar() as bar:
            bars.append(bar)
            yield bar

    monkeypatch.setattr(question, "progress_bar", kept)
    tt.write_trace(chats(100), file := tmp_path / "t.csv")
    assert run("advise", file, "--capacity", "2000,9M", "--slo", "200ms") == 0
    (task,) = bars[0].tasks
    assert task.completed == task.total == 2


def test_whose_latency_it_is_and_what_the_trace_chose_is_in_the_json(run_json, tmp_path):
    tt.write_trace(chats(1200), file := tmp_path / "t.csv")
    model = ("--model", "llama-3-70b", "--accept-latency-of", "llama-2-7b")
    data = run_json("advise", file, "--slo", "200ms", *model)
    whose, chosen = data["notes"]
    assert "that of llama-2-7b, accepted for llama-3-70b." in whose
    assert "5, 20 and 50 % of the" in chosen
    assert len(data["advice"]) == 3


def test_a_limit_that_breaks_on_the_rest_alone_is_said_plainly():
    advice = usual()
    broken = replace(advice, held_out=replace(advice.held_out, broken=("prefilled tokens", "P50")))
    found = next(islice(advice_lines(broken), 1, None))
    had = f"The first part recommends T-LRU with ξ = {advice.xi:,} and Q̂ = {advice.q_hat:,} tokens"
    assert found.startswith(f"ADVICE: stay with LRU. {had}, but on the rest it does not keep its limits: ")
    lru, tried = advice.held_out.rows
    figures = (
        f"the prefill is {tried.prefilled / lru.prefilled:.3f} times LRU's (limit 1.05) and P50 is "
        f"{tried.p50 / lru.p50:.3f} times LRU's (limit 1.1, or half of the SLO, 0.1 s)."
    )
    assert found.endswith(f": {figures}")
    above = f"above the limit of prefilled tokens and of P50: {figures}"
    assert any(above in line for line in advice_lines(broken))
    assert any(f"That is within the limits: {figures}" in line for line in advice_lines(advice))
    free = replace(advice, limits=CostLimits(None, None))
    assert any("times LRU's (no limit)." in line for line in advice_lines(free))


def test_the_command_says_plainly_that_it_does_not_help(in_words, tmp_path):
    tt.write_trace(single_turns(100), file := tmp_path / "once.csv")
    text = in_words("advise", file, "--capacity", 200, "--slo", "1ms", "--goal", "P99")
    assert "ADVICE: stay with LRU." in text
    assert "no setting of T-LRU makes P99 of TTFT smaller than LRU does. Nothing is promised." in text
    assert "it does not help" in text
    assert "tlru" not in text


def test_the_page_has_every_capacity_and_its_settings_and_escapes_the_files_name(run, tmp_path, monkeypatch):
    monkeypatch.setattr("teltheory.report.page._vega", lambda: "")
    file, page = tmp_path / "<img src=x onerror=alert(1)>.csv", tmp_path / "advice.html"
    tt.write_trace(chats(), file)
    asked = ("advise", file, "--capacity", "8GiB,1000M", "--model", "llama-2-7b", "--slo", "200ms")
    assert run(*asked, "--html", page) == 0
    text = page.read_text()
    advice = tt.advise(tt.read_trace(file), 4 * 4096, Fraction(1, 5))
    assert "<img src=x" not in text
    assert "T-LRU on &lt;img src=x onerror=alert(1)&gt;.csv" in text
    assert f"--tlru-xi-tokens {advice.xi} --tlru-qhat-tokens {advice.q_hat}" in text
    assert "Capacity 1,000,000,000 tokens" in text
    assert "never overflow" in text
    once = page.read_bytes()
    assert run(*asked, "--html", page) == 0
    assert page.read_bytes() == once


def test_another_policy_takes_t_lrus_place(output, tmp_path):
    tt.write_trace(chats(), file := tmp_path / "t.csv")
    text = output("advise", file, "--capacity", 4000, "--slo", "200ms", "--policy", "tlru:trim=eager")
    assert "ADVICE: TLRU with ξ" in text
    assert "--radix" not in text


@pytest.fixture
def shared(tmp_path):
    file = tmp_path / "prompts.jsonl"
    write_prompts(file, 160, 3)
    return file


def test_advice_is_given_under_the_rules_that_are_asked_for(run_json, shared):
    asked = ("advise", shared, "--capacity", "9k", "--slo", "100ms")
    data = run_json(*asked, "--rules", "sglang:chunk=1k")
    assert (data["rules"], data["advice"][0]["rules"]) == ("sglang:chunk=1000", "sglang:chunk=1000")
    (advice,) = data["advice"]
    forest = tt.read_trace(shared).forest
    by_hand = tt.replay(forest, tt.LRU(), 9000 // 512, rules="sglang:chunk=1k").uncached[advice["first_turns"] :]
    least = advice["slo_tokens"] // 512
    assert advice["held_out"]["rows"][0]["tel"] == sum(max(one - least, 0) for one in by_hand.tolist())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("9k --rules sgl", "rules: found 'sgl', expected strict, holes, vllm, sglang, trtllm"),
        ("9k --rules sglang --chains", "--rules: found 'sglang', expected none with --chains"),
        ("9k --rules vllm --replicas 2", "rules: found 'vllm', expected an idle server"),
        ("1k --rules vllm", "prompts.jsonl, turn 1: forced caching must keep a past of length 4"),
        ("9k --rules sglang --policy tlru:trim=eager", "trim: found 'eager', expected least-recent"),
    ],
)
def test_rules_without_a_meaning_are_refused_in_one_line(refused, shared, options, told):
    assert told in refused("advise", shared, "--slo", "100ms", "--capacity", *options.split())


def test_with_hints_the_ends_of_conversations_are_advised_on(in_words, tmp_path):
    file, numbers = tmp_path / "t.csv", tmp_path / "advice.json"
    tt.write_trace(chats(2400), file)
    asked = ("advise", file, "--slo", "200ms", "--hints", "close")
    text, read = in_words(*asked, "--capacity", "15000", "--json", numbers), tt.read_trace(file)
    expected = tt.advise(read.with_hints(tt.Hints.announce(read)), 15_000, "200ms")
    assert expected.ends.recommended
    data = json.loads(numbers.read_text())
    assert data["advice"][0]["ends"] == json.loads(json.dumps(advice_as_data(expected)["ends"]))
    said = ["Hints, assumed: each conversation is taken for an agent.", f"Hints, {expected.ends.said[0]}."]
    assert data["notes"][-2:] == said
    assert "ADVICE, where agents' ends are known: announce ends and use T-LRU" in text
    assert "Where no advice on ends follows" not in text
    assert "Where no advice on ends follows" in in_words(*asked, "--capacity", "9M")
