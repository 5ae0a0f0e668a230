"""Models of local folders: what is loaded is what was saved, and what else may lie there is refused or ignored."""

import json

import numpy as np
import pytest
import tokenizers
import torch
from refusals import refused
from safetensors.torch import load_file, save_file
from small_models import small_model, small_module

from teltheory.errors import ArgumentError, FileError
from teltheory.systems.modules.runtime import load_model, model_of
from teltheory.systems.modules.runtime.folders import tokenizer
from teltheory.systems.modules.runtime.smollm2_weights import _kept, _unpermuted

pytestmark = pytest.mark.model


@pytest.fixture
def folder(tmp_path):
    return saved("gpt2", tmp_path)


def saved(name, folder):
    small_module(name).save_pretrained(folder)
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 7, "day": 1, "end": 2}, "<unk>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"unk_token": "<unk>", "eos_token": {"content": "end"}}')
    return folder


@pytest.mark.parametrize("name", ["llama", "gpt2", "falcon-alibi", "bloom", "mpt"])
def test_what_is_loaded_computes_what_was_saved(name, tmp_path, capfd):
    saved(name, tmp_path)
    capfd.readouterr()
    model = load_model(tmp_path)
    assert capfd.readouterr() == ("", "")
    tokens, positions = np.array([3, 1, 4, 1, 5]), np.array([0, 2, 3, 9, 11])
    found, kv = model.forward(tokens, positions)
    expected, _ = small_model(name).forward(tokens, positions)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert kv.nbytes == 5 * model.token_bytes
    assert (model.tokenizer.unknown, model.tokenizer.end) == (7, 2)
    assert list(model.tokenizer.encode("day end night")) == [1, 2, 7]


def changed(folder, **settings):
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def without_a_tensor(folder):
    file = folder / "model.safetensors"
    weights = load_file(file)
    weights.pop("transformer.h.1.attn.c_attn.weight")
    save_file(weights, file, {"format": "pt"})


def as_a_pickle(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


REFUSED = {
    "found model_type 'opt', expected one of the classes Llama": lambda folder: changed(folder, model_type="opt"),
    "found no weights, expected": as_a_pickle,
    "found no weights 'transformer.h.1.attn.c_attn.weight'": without_a_tensor,
    "expected a model of one of the classes": lambda folder: changed(folder, n_embd=48),
    "expected JSON": lambda folder: (folder / "config.json").write_text("{"),
    "config.json: found no such file": lambda folder: (folder / "config.json").unlink(),
    "tokenizer.json: found no such file": lambda folder: (folder / "tokenizer.json").unlink(),
    "expected a tokenizer of Hugging Face": lambda folder: (folder / "tokenizer.json").write_text("{}"),
}


@pytest.mark.parametrize("said", REFUSED)
def test_other_folders_are_refused_in_one_line(folder, said):
    REFUSED[said](folder)
    refused(FileError, said, load_model, folder)


@pytest.mark.parametrize(("named", "end"), [(5, 5), (0, 0), ([4, 5], 4), ([], None), (None, None)])
def test_without_settings_of_a_tokenizer_the_model_s_own_token_ends_an_answer(folder, named, end):
    """A vocabulary may have the word None."""
    words = json.loads((folder / "tokenizer.json").read_text())
    words["model"]["vocab"]["None"] = 3
    (folder / "tokenizer.json").write_text(json.dumps(words))
    (folder / "tokenizer_config.json").unlink()
    changed(folder, eos_token_id=named)
    made = tokenizer(folder)
    assert (made.end, made.unknown) == (end, 0)


def test_a_folder_s_code_is_not_executed(folder):
    (folder / "own.py").write_text(f"open({str(folder / 'executed')!r}, 'w')")
    changed(folder, auto_map={"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"})
    load_model(folder)
    assert not (folder / "executed").exists()


def test_other_numbers_devices_and_classes_are_refused(folder):
    refused(ArgumentError, "dtype: found 'int8', expected one of float32", load_model, folder, dtype="int8")
    refused(ArgumentError, "device: found 'nowhere'", load_model, folder, device="nowhere")
    with pytest.raises(ArgumentError, match="model: found 'Linear', expected one of the classes"):
        model_of(torch.nn.Linear(1, 1), small_model("gpt2").tokenizer, "linear")


def test_rows_of_queries_are_put_back_as_halves_of_a_head():
    plain = np.arange(576.0)[:, None]
    interleaved = np.array(
        [[64 * head + 32 * half + k] for head in range(9) for k in range(32) for half in range(2)]
    )
    assert (_unpermuted("blk.0.attn_q.weight", interleaved) == plain).all()
    assert (_unpermuted("blk.0.attn_v.weight", interleaved) == interleaved).all()


def test_weights_kept_from_another_file_are_not_read(tmp_path):
    file = tmp_path / "kept.safetensors"
    assert _kept(file) is None
    save_file({"weight": torch.ones(1)}, file, {"source": "of another file"})
    assert _kept(file) is None
    file.write_bytes(b"broken")
    assert _kept(file) is None
