"""`--explain` defines the columns of tables, once, and changes nothing else."""

from teltheory.cli.printed.columns import DEFINITIONS, definition, rules


def test_columns_are_defined_below_the_tables_and_nothing_else_changes(output, trace_file):
    asked = ("replay", trace_file, "--capacity", "100,150", "--xi", "160")
    plain, explained = (output(*asked, *more).splitlines() for more in ((), ("--explain",)))
    assert explained[: len(plain)] == plain
    below = " ".join(explained[len(plain) :])
    assert below.startswith("policy: the policy in its short form. P50 s, P90 s, P95 s, P99 s: mean or percentile")
    assert below.count("hit: share of the input that was reused from the cache.") == 1
    assert below.endswith("blank where LRU has none.")


def test_a_heading_has_the_meaning_of_its_command():
    assert definition("kept", "simulate replicas").startswith("turns a second")
    assert definition("kept", "modules run").startswith("tokens of modules")
    assert definition("nobody's") is None


def test_no_heading_is_defined_twice():
    """A text that a rule matches is matched by no later one, which would never be asked."""
    for number, heading in enumerate(DEFINITIONS):
        plain = heading if heading.replace(" ", "").isalnum() else None
        assert plain is None or not any(rule.fullmatch(plain) for rule, _ in rules()[:number])
