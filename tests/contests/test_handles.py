"""Valid handles, their repair, and their comparison."""

from __future__ import annotations

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contests.handles import MAX_LENGTH, check_handle, clean_handle, handle_key, normalize_handle, with_number

TEXTS = st.text() | st.text(alphabet=st.characters(categories=["Cc", "Cf", "Cn", "Cs", "Zs", "Mn"]))


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "ANN"), ("Zoe\u0308", "ZOË"), ("straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), (" a ", "a")],
)
def test_case_normal_form_and_surrounding_spaces_make_no_difference(one, other):
    assert handle_key(one) == handle_key(other)


@pytest.mark.parametrize(("one", "other"), [("a", "á"), ("a b", "ab"), ("1", "①"), ("ı", "i")])
def test_different_letters_make_a_difference(one, other):
    assert handle_key(one) != handle_key(other)


@given(TEXTS)
def test_the_key_of_a_key_is_the_key(text):
    assert handle_key(handle_key(text)) == handle_key(text)


def test_no_key_of_an_allowed_handle_is_longer_than_its_column():
    longest = max(
        len(handle_key(f"a{chr(code)}a")) - 2 for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000
    )
    assert longest * MAX_LENGTH <= 400


@pytest.mark.parametrize(
    "handle",
    [
        "a",
        "tourist",
        "日本語",
        "👨‍💻",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "می‌خواهم",
        "=cmd()",
        "<b>",
        "O'Neill",
        "a  b",
        "x" * 128,
        "\uf8ff",
        "\U0001fae8",
        "१२३",
        "ﷺ",
    ],
)
def test_printable_text_of_any_script_is_a_handle(handle):
    assert check_handle(handle) is None
    assert clean_handle(handle).handle == normalize_handle(handle)


@pytest.mark.parametrize(
    ("handle", "word"),
    [
        ("", "empty"), ("  ", "empty"), ("\xa0", "empty"), ("\u3164\u2800", "empty"), ("\u0301", "empty"),
        ("a\x00b", "U+0000"), ("a\x7fb", "U+007F"), ("a\x9cb", "U+009C"), ("\ud800", "U+D800"), ("\u0378", "U+0378"),
        ("a\tb", "tab"), ("a\u2028b", "line break"), ("\u202eabc", "U+202E"), ("a\u2066b\u2069", "U+2066 U+2069"),
        ("a\u200bb", "U+200B"), ("\ufeffa", "U+FEFF"), ("a\u200db", "U+200D"), ("x" * 129, "129 characters"),
        ("\U000e0021\U000e0022a", "U+E0021"), ("a\xadb", "U+00AD"),
    ],
)  # fmt: skip
def test_invisible_characters_are_refused_by_their_code_point(handle, word):
    assert word in (check_handle(handle) or "")


def test_length_is_counted_after_composition():
    assert check_handle("e\u0301" * 128) is None
    assert check_handle("e\u0301" * 129) is not None


@given(TEXTS)
def test_a_repaired_handle_is_a_handle_and_stays_as_it_is(text):
    repaired = clean_handle(text, repair=True, origin="c1, rank 3").handle
    assert check_handle(repaired) is None
    assert clean_handle(repaired).handle == repaired
    assert unicodedata.is_normalized("NFC", repaired)


@given(TEXTS)
def test_a_text_that_is_not_repaired_is_either_a_handle_or_has_faults(text):
    cleaned = clean_handle(text)
    assert bool(cleaned.faults) != (check_handle(cleaned.handle) is None)


def test_repair_marks_what_it_replaced_and_tells_nameless_players_apart():
    assert clean_handle("a\x07\x7f\x9cb", repair=True).handle == "a␇␡\ufffdb"
    assert clean_handle("\xa0", repair=True, origin="c1, rank 3").handle == "unnamed (U+00A0)"
    assert clean_handle("", repair=True, origin="c1, rank 3").handle == "unnamed (c1, rank 3)"


def test_a_number_fits_within_the_length():
    assert with_number("ann", 2) == "ann (2)"
    assert len(with_number("x" * 128, 10)) == 128


@pytest.mark.parametrize("text", ["a" + "\u0301\u0323" * 200_000, "\u1100\u1161\u11a8" * 100_000, "A" * 1_000_000])
def test_an_endless_name_is_refused_quickly(text):
    started = time.process_time()
    cleaned = clean_handle(text)
    assert f"the handle has {len(text)} characters" in cleaned.faults[0]
    assert len(clean_handle(text, repair=True).handle) <= MAX_LENGTH
    assert len(handle_key(text)) <= 1200
    assert time.process_time() - started < 1
