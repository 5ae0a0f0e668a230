"""The document of the theory has each theorem with its own statement, its rows and a proof in prose."""

import pytest

from documents.theory import lines, page_of, parts, section, stated, theorems
from proofs_checks import all_claims

pytestmark = pytest.mark.repository


def test_the_document_has_each_theorem_once_with_its_rows():
    text = "\n\n".join(parts({claim.id: claim.statement for claim in all_claims()}))
    for number, (file, name, rows) in enumerate(theorems(), start=1):
        assert f"## Theorem {number}: `{name}` ({file})\n" in text
        assert stated(file, name)[1].startswith(f"Theorem {name} ")
        assert all(f"Row `{row}`" in text for row in rows)
    assert text.count("*(machine-checked)*") == len(lines("rows.txt"))
    assert 'class="arithmatex"' in page_of(text)


def test_prose_that_is_not_there_is_an_error():
    assert all(section(page, heading) for _, page, heading in lines("prose.txt"))
    with pytest.raises(LookupError, match=r"no section 'Invariant', which prose.txt names"):
        section("proofs.md", "Invariant")
