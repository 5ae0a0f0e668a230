"""What a shell is offered in the place of a policy, a model and a GPU."""

import pytest


@pytest.fixture
def offered(run, tmp_path, monkeypatch, capsys):
    """What a shell in a folder is offered after some words."""

    def after(*words):
        asked = {"_TELTHEORY_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("teltheory", *words))}
        for name, value in {**asked, "COMP_CWORD": str(len(words))}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        assert run() == 0
        return [line.removeprefix("plain,") for line in capsys.readouterr().out.splitlines()]

    return after


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("replay", "t.csv", "--policy", "tl"), ["tlru"]),
        (("replay", "t.csv", "--policy", "lru,own"), ["lru,own.py:"]),
        (("advise", "t.csv", "--policy", "sub/m"), ["sub/mine.py:"]),
        (("policy", "never-worse", "s"), ["slo-tlru", "s3-fifo", "slru", "shared-tlru", "sub/"]),
        (("policy", "never-worse", "tlru", "--than", "bel"), ["belady"]),
        (("replay", "t.csv", "--model", "llama-3.1"), ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"]),
        (("replay", "t.csv", "--model", "meta-llama/llama-3.2"), [f"meta-llama/Llama-3.2-{n}B" for n in (1, 3)]),
        (("replay", "t.csv", "--gpu", "h1"), ["h100", "h100-pcie"]),
    ],
)
def test_names_and_python_files_are_offered(offered, words, expected, tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("own.py", "sub/mine.py", "notes.txt"):
        (tmp_path / name).write_text("")
    assert offered(*words) == expected
