"""Sizes and times: what is read is exact, and an unclear unit is an error that offers clear ones."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.errors import ArgumentError
from teltheory.model.units import BYTES, LONG_TIMES, TIMES, TOKENS, bytes_in, listed_values, read_time, read_tokens

NUMBERS = st.integers(0, 10**12)


def told(read, *arguments, **others):
    with pytest.raises(ArgumentError) as caught:
        read("option", *arguments, **others)
    return str(caught.value).removeprefix("option: ")


@given(NUMBERS, st.integers(0, 6), st.sampled_from(sorted(LONG_TIMES)), st.sampled_from(["", " "]))
def test_a_time_is_its_number_times_its_unit(number, places, unit, space):
    text = f"{number // 10**places}.{number % 10**places:0{places}}" if places else str(number)
    assert read_time("slo", f"{text}{space}{unit}", LONG_TIMES) == Fraction(number, 10**places) * LONG_TIMES[unit]


def test_binary_and_decimal_units_are_not_confused():
    sizes = {"2kB": 2000, "2KiB": 2048, "1.5 GiB": 3 * 2**29, "40GB": 40 * 10**9, "1MiB": 2**20, "1MB": 10**6}
    sizes |= {"1TB": 10**12, "1TiB": 2**40}
    assert {text: bytes_in(text) for text in sizes} == sizes
    assert [read_time("slo", f"2{unit}", LONG_TIMES) for unit in ("min", "m", "h", "d")] == [
        120,
        120,
        7200,
        172_800,
    ]


@given(NUMBERS, st.sampled_from(sorted(BYTES)), st.sampled_from(sorted(TOKENS)))
def test_a_size_has_tokens_or_bytes_and_never_both(number, of_bytes, of_tokens):
    assert bytes_in(f"{number}{of_bytes}") == number * BYTES[of_bytes]
    assert read_tokens("capacity", f"{number}{of_tokens}") == number * TOKENS[of_tokens]
    assert bytes_in(f"{number}{of_tokens}") is None
    assert "found" in told(read_tokens, f"{number}{of_bytes}", or_bytes=True)


@given(st.integers(0, 10**6), st.text("bBgGimMkKtTsuhd", max_size=3))
def test_what_an_error_offers_is_read(number, unit):
    """Of a size and of a time: whatever unit was written, a person can copy what the error offers."""
    text = f"{number}{unit}"
    if unit not in TOKENS and unit not in BYTES:
        for offer in re.findall(r"\d\S*[a-zA-Z]|\d+", told(read_tokens, text, or_bytes=True).split("expected")[1]):
            assert bytes_in(offer) is not None or read_tokens("capacity", offer) >= 0
    if unit not in TIMES:
        offers = re.findall(r"\d\S*", told(read_time, text).partition("expected")[2])
        assert offers
        assert all(read_time("slo", offer) >= 0 for offer in offers)


@pytest.mark.parametrize(
    ("text", "offer"),
    [
        ("40G", "40000M tokens or 40GB or 40GiB"),
        ("40g", "40000M tokens or 40GB or 40GiB"),
        ("40m", "40M tokens or 40MB or 40MiB"),
        ("40b", "40000M tokens or 40GB or 40GiB"),
        ("40B", "40000M tokens or 40GB or 40GiB"),
        ("1.5T", "1500000M tokens or 1.5TB or 1.5TiB"),
        ("40gb", "40GB or 40GiB"),
        ("40KB", "40kB or 40KiB"),
        ("40Gi", "40GiB"),
        ("200ms", "tokens such as 2800 or 2.8k; --slo takes times"),
        ("lots", "tokens such as 300000, 300k or 1M, or bytes such as 40GB or 40GiB"),
    ],
)
def test_a_size_that_is_not_clear_offers_what_may_have_been_meant(text, offer):
    assert told(read_tokens, text, or_bytes=True) == f"found {text!r}, expected {offer}"


def test_where_bytes_are_not_taken_none_are_offered():
    assert told(read_tokens, "40G") == "found '40G', expected 40000M tokens"
    assert told(read_tokens, "4GiB") == "found '4GiB', expected 4000M tokens"


@pytest.mark.parametrize(
    ("text", "units", "offer"),
    [
        ("200", TIMES, "200ms or 200s"),
        ("0.2", TIMES, "0.2ms or 0.2s"),
        ("0", TIMES, "0ms or 0s"),
        ("200m", TIMES, "200ms or 200min"),
        ("2S", TIMES, "2s"),
        ("2 seconds", TIMES, "2s"),
        ("3µs", TIMES, "3us"),
        ("fast", TIMES, "200ms or 200s"),
        ("8", LONG_TIMES, "8s or 8min or 8h"),
        ("8H", LONG_TIMES, "8h"),
    ],
)
def test_a_time_without_its_unit_offers_some(text, units, offer):
    assert told(read_time, text, units) == f"found {text!r}, expected a time with its unit, such as {offer}"


@pytest.mark.parametrize(
    "text",
    ["", " ", "s", "ms", "1,5s", "0x1s", "1sms", "1mss", "1..5s", "1/5s", "-1s", "nans", "infms", "٣s", "1e400s"],
)
def test_what_is_no_number_is_neither_time_nor_size(text):
    assert "expected a time with its unit" in told(read_time, text)
    assert bytes_in(text) is None
    assert "expected tokens" in told(read_tokens, text.removesuffix("s") or "-")


def test_tokens_are_whole_and_fit_in_64_bits():
    assert [read_tokens("xi", text) for text in ("0", "1_000", "2.8k", ".3M", "1e6")] == [
        0,
        1000,
        2800,
        300_000,
        10**6,
    ]
    assert told(read_tokens, "1.5") == "found '1.5', expected a whole number of tokens such as 300000 or 0.3M"
    assert "a whole number from 0 to 2**63 - 1" in told(read_tokens, "9" * 30)


def test_a_comma_lists_as_repeating_does():
    assert listed_values("xi", ["100,200"]) == listed_values("xi", ["100", "200"]) == ("100", "200")
    assert listed_values("slo", ["1s, 2s", "3s"]) == ("1s", "2s", "3s")
    assert listed_values("capacity", ["4000,8000", "0,0.5M"]) == ("4000", "8000", "0", "0.5M")
    assert told(listed_values, ["1,,2"]) == "found '1,,2', expected a value, or several with commas between them"


@given(st.integers(1, 10**12).map(lambda value: 1000 * value))
def test_commas_that_group_digits_are_no_list(number):
    """Round numbers have a group of zeros, which nobody writes as a capacity of its own."""
    message = told(listed_values, [f"{number:,}"])
    assert message == f"found '{number:,}', expected {number} or {number:_}, as a comma lists: 100k,200k"
