import pytest

from documents.self_contained import from_elsewhere, main
from documents.site import as_seen_from_docs


@pytest.mark.parametrize(
    ("tag", "fetches"),
    [
        ('<script src="https://cdn.example/x.js"></script>', ["https://cdn.example/x.js"]),
        ('<link rel="stylesheet" href="//fonts.example/f.css">', ["//fonts.example/f.css"]),
        ('<img src="http://example.org/a.png">', ["http://example.org/a.png"]),
        ('<script src="assets/x.js"></script><img src="data:image/png;base64,AA==">', []),
        ('<a href="https://example.org">a link is not fetched</a>', []),
        ('<link rel="canonical" href="https://example.org/page">', []),
    ],
)
def test_what_a_page_fetches_from_elsewhere_is_found(tmp_path, tag, fetches):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "page.html").write_text(f"<html><head>{tag}</head></html>")
    assert [address for _, address in from_elsewhere(tmp_path)] == fetches


def test_a_site_that_fetches_ends_with_the_page_and_the_address(tmp_path):
    with pytest.raises(SystemExit, match="usage"):
        main([str(tmp_path)])
    page = tmp_path / "index.html"
    page.write_text("<script src='https://cdn.example/x.js'></script>")
    with pytest.raises(SystemExit, match=r"index.html: fetches https://cdn.example/x.js"):
        main([str(tmp_path)])
    page.write_text("")
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 0


def test_links_of_the_readme_are_those_of_the_site():
    text = "[docs/a.md](docs/a.md#b), [log](CHANGELOG.md), [how to cite](docs/x.md), [CITATION.cff](CITATION.cff)"
    assert as_seen_from_docs(text) == "[a](a.md#b), [log](changelog.md), [how to cite](x.md), `CITATION.cff`"
