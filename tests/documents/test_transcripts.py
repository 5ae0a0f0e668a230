import pytest
from documents_tested import DOCUMENTS

from documents.transcripts import agrees, consoles, run_in_copy, written_anew

TRANSCRIPTS = [name for name, file in DOCUMENTS.items() if consoles(file)]


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_transcript_prints_what_it_shows(name):
    stale = [
        f"{name}:{step.line}: {step.command}\n" + "\n".join(said)
        for step, said in run_in_copy(consoles(DOCUMENTS[name]))
        if not agrees(step.shown, said)
    ]
    assert "\n".join(stale) == ""


def test_the_three_half_hours_are_transcripts():
    assert {f"docs/first-half-hour-{who}.md" for who in ("theorist", "engineer", "student")} <= set(TRANSCRIPTS)


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["TEL 41"], ["TEL 40"], False),
        (["P95 0.293"], ["P95 0.294"], False),
        (["a", "[...]", "z"], ["a", "b", "c", "z"], True),
        (["a", "[...]", "z"], ["a", "b", "c"], False),
        (["3 passed in 0.12s"], ["3 passed in 1.5s"], True),
        (["3 passed in 0.12s"], ["4 passed in 0.12s"], False),
        (["P50 goes to 49.8 ms"], ["P50 goes to 49.9 ms"], False),
        (["numpy 2.4.6"], ["numpy 2.5.0"], True),
    ],
)
def test_numbers_are_compared_and_times_and_versions_are_not(shown, said, same):
    assert agrees(tuple(shown), said) is same


def test_a_document_is_written_anew_only_where_it_is_not_true(tmp_path):
    file = tmp_path / "page.md"
    text = (
        "# Page\n\n```console\n$ echo 1; echo 2\n9\n$ echo 3; echo 4\n3\n[...]\n$ echo 5 # now\n6\n7\n```\nend\n"
    )
    file.write_text(text)

    def run(blocks):
        return run_in_copy(blocks)

    assert written_anew(file, run) == text.replace("9\n", "1\n2\n").replace("6\n7\n", "5\n")
