"""The catalogue of models and GPUs: every row by itself, names that lead to a row, and what is refused by name."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cost import catalogue
from teltheory.cost.catalogue import ARCHITECTURES, architecture, gpu, known_gpus, known_model, known_models

FOLDER = Path(catalogue.__file__).parent
ROWS = list(csv.DictReader((FOLDER / "models.csv").read_text().splitlines()))
EXPERTS = re.compile("mixtral|deepseek-(v|r1$)|kimi|.*-a[0-9.]+b|llama-4|phi-3.5-moe|glm-4.5|gpt-oss|minimax")
SIZE = re.compile(r"(?<![\w.])(\d+x)?(\d+(?:\.\d+)?)b(?![a-z0-9])")


def test_there_are_enough_models_and_each_says_where_its_numbers_are_from():
    assert len(ARCHITECTURES) >= 60
    for row in ROWS:
        assert row["source"]
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["date"])
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", row["hub"]), row["name"]
    assert all(one.source and one.date for one in known_gpus().values())


def test_no_name_leads_to_two_models():
    seen = {}
    for one in known_models().values():
        for stem in set(one.names):
            assert seen.setdefault(stem, one.name) == one.name, stem


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_row_is_found_by_each_of_its_names(row):
    for name in (row["name"], row["hub"], row["hub"].upper(), *row["aliases"].split()):
        assert known_model(name).name == row["name"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["active"]], ids=lambda row: row["name"])
def test_weights_are_about_as_many_as_the_name_says(row):
    """Names count embeddings and output layer, and are rounded; a model of 0.5 B parameters has many of these."""
    work = known_model(row["name"]).shape.work
    assert 0 < work.active <= work.weights
    assert (work.active < work.weights) == bool(EXPERTS.match(row["name"]))
    sizes = SIZE.findall(row["name"])
    if sizes and not sizes[0][0]:
        assert 0.57 < work.weights / 1e9 / float(sizes[0][1]) < 1.25, row["name"]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 131_072),
        ("meta-llama/Meta-Llama-3.1-8B", 131_072),
        ("RedHatAI/Llama-3.1-8B-Instruct-FP8-KV", 65_536),
        ("nvidia/Llama-3.1-8B-Instruct-FP8", 131_072),
        ("meta-llama/Llama-2-7b-chat-hf", 524_288),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", 57_344),
        ("deepseek-ai/DeepSeek-V3-0324", 70_272),
        ("openbmb/MiniCPM3-4B", 62 * (256 + 32) * 2),
    ],
)
def test_names_of_hugging_face_have_the_published_bytes(name, size):
    assert architecture(name).bytes_per_token == size
    assert tt.Problem(tt.Trace.from_turns([0], [9], [0]), f"{5 * size / 1000}kB", model=name).memory == 5


def test_an_ending_says_how_wide_weights_are():
    assert [architecture(f"llama-3.1-8b{end}").work.bits for end in ("", "-FP8", "-FP8-KV", "-awq")] == [
        16,
        8,
        8,
        4,
    ]
    assert architecture("deepseek-v3").work.bits == 8


@pytest.mark.parametrize("row", [row for row in ROWS if row["mark"]], ids=lambda row: row["name"])
def test_a_window_or_a_state_is_refused_by_name(row):
    said = f"model: found '{row['hub']}', expected a model whose layers all keep all tokens: "
    error = refused(tt.ArgumentError, said, architecture, row["hub"])
    assert "--kv-bytes N" in str(error)
    assert "\n" not in str(error)
    assert row["name"] not in ARCHITECTURES


def test_the_reason_has_the_window():
    refused(
        tt.ArgumentError, "52 of its 62 layers see a sliding window of 1,024 tokens", architecture, "gemma-3-27b"
    )
    refused(tt.ArgumentError, "36 of its 48 layers keep a state of linear", architecture, "qwen3-next-80b-a3b")


@given(st.sampled_from(sorted(ARCHITECTURES)), st.data())
def test_a_slip_of_the_pen_is_offered_the_model(name, data):
    """One letter that is left out: the model itself is among the nearest, or the slip is another model's name."""
    at = data.draw(st.integers(1, len(name) - 1))
    slip = name[:at] + name[at + 1 :]
    if known_model(slip) is None:
        error = refused(tt.ArgumentError, "known models such as", architecture, slip)
        assert name in str(error) or len(name) < 9 or re.search(r"\d", name[at])
        assert "--config FILE.json" in str(error)


def test_gpus_are_found_by_their_aliases():
    assert gpu(" H100-SXM ") is gpu("h100")
    assert gpu("a100-80gb").bandwidth == 2039e9
    refused(tt.ArgumentError, "gpu: found 'h10', expected one of a100, ", gpu, "h10")
    for one in known_gpus().values():
        assert 5e13 < one.flops <= one.flops_fp8
        assert 2e11 < one.bandwidth < 1e13


def test_the_files_are_read_when_a_model_is_asked_for():
    code = "import teltheory.cost.given, teltheory.cost.catalogue as c; print(c.known_models.cache_info().misses)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"0"
