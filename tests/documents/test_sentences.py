from decimal import Decimal

import pytest
from documents_tested import DOCUMENTS

from documents.check import main
from documents.sentences import sentences
from documents.text_tables import number, tables_of

MARKDOWN = "| C | P95 | wins |\n|---|---:|---|\n| 300 | 4.5 ± 0.1 | 3 of 4 |\n| 1,000 | **−0.5** | 4 of 4 |\n"
TERMINAL = """
Capacity 1,000 tokens
 policy   P95 s   slow   slow
 ────────────────────────────
 LRU      2.828  1,147   0.1%
 T-LRU    2.585
 the end  2.222      7  -3.0%
in all:  24.2 % left
"""
PAGE = f"""# Page

<!-- says: SAID -->

The text.

{MARKDOWN}
```
{TERMINAL}```

## Next

The text of elsewhere.
"""


@pytest.fixture
def fault(tmp_path):
    def of(said, text):
        file = tmp_path / "page.md"
        file.write_text(PAGE.replace("SAID", said).replace("The text.", text), encoding="utf-8")
        (found,) = sentences(file, "page.md")
        return found.fault()

    return of


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("{cell('slow (2)', 'the end')} %", "by -3.0 %"),
        ("from {min(cells('P95')):.1f} to {max(cells('P95'))}", "It goes from\n-0.5 to **4.5**."),
        ("{cell('P95', '1,000')} %", "It is −0.5 %."),
        ("{sum(cells('wins'))} of 8", "won 7 of 8"),
        ("{cell('P95 s', 'LRU', 'Capacity 1,000') - cell('P95 s', 'T-LRU'):.3f} s", "by 0.243 s"),
        ("{cell('slow'.upper().lower(), 'the end')} turns", "7 turns"),
        ("{texts('policy')[-1]}", "at the end"),
        ("{found('all: +([0-9.]+)')[0]:.0f} %", "24 %"),
    ],
)
def test_a_sentence_that_says_what_its_table_has_is_true(fault, said, text):
    assert fault(said, text) is None


@pytest.mark.parametrize(
    ("said", "text", "why"),
    [
        ("{cell('P95', '1,000')} %", "It is 0.5 %.", "expected '-0.5 %', which does not stand in the text below"),
        ("{cell('P95')}", "4.5", "found 2 cells of 'P95' at (), expected one"),
        ("{cell('P99')}", "4.5", "no block has a cell of 'P99' at ()"),
        ("{cell('P95', '2,000')}", "4.5", "no block has a cell of 'P95' at ('2,000',)"),
        ("{cell('slow', 'T-LRU')}", "7", "no block has"),
        ("{found('left at ([a-z])')[0]}", "7", "no block has what"),
        ("{cell('policy', 'LRU')}", "7", "found 'LRU', expected a number"),
        ("{1 / 0}", "7", "can't be filled in: division by zero"),
        ("{7", "7", "can't be filled in"),
        ("elsewhere", "7", "does not stand in the text below"),
    ],
)
def test_a_sentence_that_does_not_is_stale(fault, said, text, why):
    assert why in fault(said, text)


def test_a_sentence_may_say_what_a_command_prints(tmp_path, capsys):
    file = tmp_path / "page.md"
    mark = "<!-- printed by: echo AUC 0.{} -->\n{}<!-- says: AUC is {{found('AUC ([0-9.]+)')[0]}} -->\n"
    file.write_text(mark.format(75, "") + mark.format(75, "<!-- machine -->\n") + "\nThe AUC is 0.75.\n")
    assert main([str(file)]) == 0
    assert "1 as printed, 1 left out, 0 STALE" in capsys.readouterr().out
    file.write_text(mark.format(74, "") + "\nThe AUC is 0.75.\n")
    assert main([str(file)]) == 1
    assert "page.md:2: STALE, expected 'AUC is 0.74'" in capsys.readouterr().out


def test_tables_of_both_kinds_are_read():
    markdown, terminal = tables_of(MARKDOWN + TERMINAL)
    assert markdown.rows == (
        {"C": "300", "P95": "4.5 ± 0.1", "wins": "3 of 4"},
        {"C": "1,000", "P95": "−0.5", "wins": "4 of 4"},
    )
    assert terminal.caption == "Capacity 1,000 tokens"
    assert terminal.cells("P95 s", ["Capacity 1,000"]) == ["2.828", "2.585", "2.222"]


@pytest.mark.parametrize(
    ("text", "value"), [("16,630,173", "16630173"), ("−0.3 %", "-0.3"), ("a 4.9 ± 1", "4.9"), ("+8.7 ms", "8.7")]
)
def test_numbers_are_decimal(text, value):
    assert number(text) == Decimal(value)


MARKED = {name: found for name, file in DOCUMENTS.items() if (found := sentences(file, name))}


@pytest.mark.parametrize("name", MARKED)
def test_what_sentences_say_of_the_tables_beside_them_is_true(name):
    faults = [f"{s.place}: {fault}" for s in MARKED[name] if s.command is None and (fault := s.fault())]
    assert faults == []


def test_documents_with_tables_of_results_have_marked_sentences():
    pages = ("adaptive", "advise", "costs", "mooncake", "tables", "who-comes-back", "workloads")
    assert {f"docs/{page}.md" for page in pages} <= set(MARKED)
