"""An author of a paper: numbers need no extra; a figure says what it needs, and is the same bytes each time."""

CURVE = "teltheory curve t.csv --capacity 20k,50k,100k --slo 200ms"


def test_the_numbers_come_first_and_the_figure_says_what_it_needs(walk, tmp_path):
    walk("teltheory trace sample wildchat-like t.csv --turns 1000")
    walk(f"{CURVE} --json curve.json")
    assert (tmp_path / "curve.json").exists()
    told = walk(f"{CURVE} --figure curve.svg", code=2)
    assert told == "teltheory: matplotlib is needed for `report`: pip install 'teltheory[report]'\n"
    assert not (tmp_path / "curve.svg").exists()


def test_with_the_extra_the_figure_is_drawn_and_repeats(with_extras, tmp_path):
    with_extras("teltheory trace sample wildchat-like t.csv --turns 1000")
    with_extras(f"{CURVE} --figure one.svg --style icml")
    with_extras(f"{CURVE} --figure two.svg --style icml")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
