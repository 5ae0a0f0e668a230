import pytest

from release.same_bytes import differences, first_difference, main

pytestmark = pytest.mark.repository


@pytest.fixture
def folders(tmp_path):
    """Two folders with the same two files."""
    made = [tmp_path / "first", tmp_path / "second"]
    for folder in made:
        (folder / "deep").mkdir(parents=True)
        (folder / "table.csv").write_bytes(b"a,b\n1,2\n")
        (folder / "deep" / "figure.pdf").write_bytes(bytes(range(256)))
    return made


def test_the_same_files_pass(folders, capsys):
    assert main(list(map(str, folders))) == 0
    assert capsys.readouterr().out == "2 files, 0 differ\n"


def test_a_single_byte_is_found_and_its_place_named(folders, capsys):
    (folders[1] / "deep" / "figure.pdf").write_bytes(bytes([*range(255), 0]))
    assert main(list(map(str, folders))) == 1
    assert capsys.readouterr().out == "deep/figure.pdf: differs from byte 255 on\n2 files, 1 differ\n"


def test_of_a_text_the_line_is_shown(folders):
    (folders[1] / "table.csv").write_bytes(b"a,b\n1,3\n")
    assert list(differences(*folders)) == ["table.csv: differs from byte 6 on (line 2: '1,2' and '1,3')"]


def test_a_line_that_one_text_lacks_is_shown_as_empty(folders):
    (folders[1] / "table.csv").write_bytes(b"a,b\n")
    assert list(differences(*folders)) == ["table.csv: differs from byte 4 on (line 2: '1,2' and '')"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_file_in_one_folder_alone_is_named(folders, side):
    (folders[side] / "more.txt").touch()
    assert list(differences(*folders)) == [f"more.txt: only in {folders[side]}"]


def test_nothing_to_compare_is_no_success(tmp_path):
    (tmp_path / "one").mkdir()
    assert main([str(tmp_path / "one"), str(tmp_path / "two")]) == 1


@pytest.mark.parametrize(
    ("one", "other", "place"), [(b"", b"", None), (b"ab", b"ab", None), (b"ab", b"abc", 2), (b"xb", b"ab", 0)]
)
def test_the_first_difference(one, other, place):
    assert first_difference(one, other) == place
