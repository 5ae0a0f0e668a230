"""Answers scored in one pass, against a pass for each; readings that must agree; commands on a small model."""

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer as Made
from tokenizers.decoders import ByteLevel as Bytes
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from transformers import LlamaConfig, LlamaForCausalLM

from teltheory.systems.modules.bench import WAYS, BenchCell, timed
from teltheory.systems.modules.bench_batches import batches
from teltheory.systems.modules.quality import FULL, READINGS, candidate_rows, divergence, read_all, resolved
from teltheory.systems.modules.runtime import decode, load_model
from teltheory.systems.modules.runtime.full import prefill_full
from teltheory.systems.modules.tasks import KINDS, tasks

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a Llama of random weights, and a tokenizer of bytes."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=256,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.3,
    )
    folder = tmp_path_factory.mktemp("tiny")
    LlamaForCausalLM(config).save_pretrained(folder)
    alphabet = sorted(ByteLevel.alphabet())
    made = Made(BPE(vocab={letter: number for number, letter in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer, made.decoder = ByteLevel(add_prefix_space=False), Bytes()
    made.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def tiny(folder):
    torch.set_num_threads(1)
    return load_model(folder, dtype="float64")


def plain_log_probabilities(model, asked, ids):
    """Of each token of an answer, (tokens, vocabulary): the prompt and the answer in one plain pass."""
    prompt = prefill_full(model, asked).tokens
    pieces = sorted([*asked.layout.pieces, *asked.fresh], key=lambda piece: piece.start)
    imported = {*asked.paths, None}
    tokens = [t for piece in pieces if piece.path in imported for t in piece.tokens]
    assert len(tokens) == prompt
    with torch.inference_mode():
        logits = model.module(torch.tensor([[*tokens, *ids]])).logits[0, prompt - 1 : -1]
    return logits.log_softmax(-1).numpy()


def test_answers_in_one_pass_are_scored_as_each_by_itself(tiny):
    for task in tasks(len(KINDS), 3):
        asked = resolved(tiny, task)
        answers = [np.array(tiny.tokenizer.encode(f" {text}")) for text in task.candidates]
        prefilled = prefill_full(tiny, asked)
        rows = candidate_rows(tiny, prefilled, answers)
        for found, ids in zip(rows, answers, strict=True):
            assert np.allclose(found, plain_log_probabilities(tiny, asked, ids), atol=1e-9)
        again = candidate_rows(tiny, prefilled, answers[:1])
        assert np.allclose(again[0], rows[0], atol=1e-9)
        greedy = decode(tiny, prefilled, 1)
        assert greedy == [int(rows[0][0].argmax())]


def test_what_is_chosen_is_what_a_plain_pass_finds_likeliest(tiny):
    made = tasks(10, 5)
    full = [read for read in read_all(tiny, made, []) if read.reading == FULL]
    for task, read in zip(made, full, strict=True):
        asked, sums, greedy = resolved(tiny, task), [], []
        for text in task.candidates:
            ids = tiny.tokenizer.encode(f" {text}")
            rows = plain_log_probabilities(tiny, asked, ids)
            sums.append(sum(rows[k][token] for k, token in enumerate(ids)))
            greedy.append(all(rows[k].argmax() == token for k, token in enumerate(ids)))
        assert (read.chosen, read.right) == (np.argmax(sums), np.argmax(sums) == task.right)
        assert (read.exact, read.same, read.kl) == (greedy[task.right], True, 0)


def test_one_module_is_full_attention_and_everything_as_a_whole_is_it_with_gaps(tiny):
    reads = {(read.kind, read.reading): read for read in read_all(tiny, tasks(len(KINDS), 1))}
    assert len(reads) == len(KINDS) * len(READINGS)
    for kind in KINDS:
        assert abs(reads[kind, "one module"].kl) < 1e-9
        assert reads[kind, "one module"].chosen == reads[kind, FULL].chosen
        assert all(read.kl > -1e-9 for (of, _), read in reads.items() if of == kind)
    assert abs(reads["two-hop", "whole"].kl) < 1e-9
    assert max(reads[kind, "alone"].kl for kind in KINDS) > 1e-6


def test_a_divergence_by_hand():
    half, quarter = np.log([0.5, 0.5]), np.log([0.25, 0.75])
    assert divergence(half, quarter) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))
    assert divergence(quarter, quarter) == 0


def test_each_way_is_timed_as_often_in_each_cell(tiny):
    cells = [BenchCell(300, 4), BenchCell(0, 20)]
    found = timed(tiny, cells, repeats=3)
    assert [(one.cell, one.way) for one in found] == [(cell, way) for cell in cells for way in WAYS]
    for one in found:
        assert len(one.wall) == len(one.cpu) == 3
        assert min(one.wall) <= one.seconds <= max(one.wall)


def test_a_batch_has_shared_modules_once(tiny):
    found = list(batches(tiny, [1, 3], (300, 4, 5), repeats=2))
    for one, prompts in zip(found, (1, 3), strict=True):
        assert one.prompts == prompts
        assert one.together_bytes == (300 + prompts * (4 + 5 - 1)) * tiny.token_bytes
        assert one.alone_bytes == prompts * (300 + 4 + 5 - 1) * tiny.token_bytes
        assert len(one.together) == len(one.alone) == 2


def test_the_commands_run_on_a_folder(folder, tmp_path, monkeypatch, model_json):
    monkeypatch.chdir(tmp_path)
    schema = '<schema name="s"><user>Hi <module name="a">one<module name="b">two</module></module></user></schema>'
    (tmp_path / "s.xml").write_text(schema)
    (tmp_path / "p.xml").write_text('<prompt schema="s"><a/><user>What?</user></prompt>')
    (tmp_path / "q.xml").write_text('<prompt schema="s"><a><b/></a><user>What?</user></prompt>')
    asked = ("run", "s.xml", "p.xml", "q.xml", "q.xml", "--weights", folder, "--answer-tokens", "3")
    found = model_json(*asked, "--compare", "--scaffold", "a+a/b", "--fast", "1MiB", "--policy", "gdsf")
    first, second, third = found["prompts"]
    assert (first["kept"], second["found"], third["found"]) == (
        0,
        {"(schema)": "fast"},
        {"(schema)": "fast", "a+a/b": "fast"},
    )
    assert first["gaps"] == 3
    assert third["encoded"] == 0 < third["kept"] == second["kept"] + second["encoded"]
    assert second["text"] == third["text"]
    batch = model_json("run", "s.xml", "p.xml", "q.xml", "--batch", "--weights", folder, "--answer-tokens", "3")
    alone = model_json("run", "s.xml", "p.xml", "q.xml", "--weights", folder, "--answer-tokens", "3")
    assert [one["text"] for one in batch["prompts"]] == [one["text"] for one in alone["prompts"]]
    whole = model_json(
        "run", "s.xml", "q.xml", "--way", "whole", "--compare", "--weights", folder, "--answer-tokens", "3"
    )
    assert whole["prompts"][0]["text"] == whole["prompts"][0]["full"]["text"]
    assert abs(whole["prompts"][0]["full"]["kl"]) < 1e-6
    table = model_json(
        "bench", "--weights", folder, "--kept", "64,0", "--total", "64", "--repeats", "2", "--batch-sizes", "2"
    )
    assert [(row["kept"], row["fresh"]) for row in table["rows"][:3]] == [(64, 32), (0, 32), (0, 64)]
    assert all(len(row[way]["wall"]) == 2 for row in table["rows"] for way in WAYS)
    assert [row["prompts"] for row in table["batches"]] == [2]
    told = model_json("quality", "--weights", folder, "--tasks", "5", "--encoding", "alone")
    assert [row["reading"] for row in told["agreements"][:2]] == ["full", "alone"]
    assert len(told["reads"]) == 10
    assert told["agreements"][0]["less"] == {"value": 0, "low": 0, "high": 0}
    assert told["agreements"][-1]["less"]["low"] is None


@pytest.fixture
def model_json(capsys):
    """A call of `teltheory modules` that returns the JSON that it prints."""
    import json

    from teltheory.cli import main

    def data(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["modules", *map(str, arguments), "--json", "-"])
        assert stop.value.code == 0
        return json.loads(capsys.readouterr().out)

    return data


def test_a_table_shows_every_reading_and_cell(folder, capsys, model_json):
    from teltheory.cli import main

    for asked, shown in (
        (("quality", "--tasks", "5"), READINGS),
        (
            ("bench", "--kept", "8", "--total", "8", "--repeats", "1", "--batch-sizes", "1"),
            ("By length", "By share of 8 tokens"),
        ),
    ):
        with pytest.raises(SystemExit) as stop:
            main(["modules", *asked, "--weights", str(folder)])
        printed = capsys.readouterr().out
        assert stop.value.code == 0
        assert all(name in printed for name in shown)
