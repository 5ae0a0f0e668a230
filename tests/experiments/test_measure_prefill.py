import csv
import sys

import pytest

from experiments import measure_prefill


def test_it_says_what_is_missing(tmp_path, monkeypatch, capsys):
    out = tmp_path / "prefill.csv"
    monkeypatch.setitem(sys.modules, "torch", None)  # as where it is missing: to load it takes a second
    monkeypatch.setattr("sys.argv", ["measure_prefill", str(out)])
    assert measure_prefill.main() == 2
    assert "needs PyTorch" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.model
def test_the_csv_has_every_cell_and_the_device(tmp_path, monkeypatch):
    out = tmp_path / "toy.csv"
    small = ["--shape", "toy", "--device", "cpu", "--lengths", "32", "8", "--shares", "0", "0.5", "--repeats", "1"]
    monkeypatch.setattr("sys.argv", ["measure_prefill", str(out), *small])
    assert measure_prefill.main() == 0
    rows = list(csv.DictReader(out.open()))
    assert [(row["prompt_tokens"], row["cached_tokens"]) for row in rows] == [
        ("8", "0"),
        ("8", "4"),
        ("32", "0"),
        ("32", "16"),
    ]
    assert all(float(row["ttft_s"]) > 0 and row["device"].startswith("CPU") for row in rows)


@pytest.mark.model
@pytest.mark.parametrize("cached", [1, 5, 15])
def test_with_a_cached_prefix_the_decoder_says_what_it_says_without(cached):
    import torch

    torch.manual_seed(0)
    decoder = measure_prefill.Decoder(torch, measure_prefill.SHAPES["toy"], 16, "cpu", torch.float64)
    prompt = torch.randint(512, (16,))
    whole = decoder.logits(prompt, 0)
    decoder.cache.normal_()
    decoder.logits(prompt[:cached], 0)
    torch.testing.assert_close(decoder.logits(prompt[cached:], cached), whole)
    changed = prompt.clone()
    changed[0] += 1 if prompt[0] < 511 else -1
    assert not torch.allclose(decoder.logits(changed, 0), whole)
