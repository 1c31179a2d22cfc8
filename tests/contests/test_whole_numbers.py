"""Whole numbers in texts."""

import pytest

from contests.whole_numbers import MAX_ID, number_or_zero, whole_number_of


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("007", 7), ("9223372036854775807", MAX_ID)])
def test_ascii_digits_are_a_number(text, number):
    assert whole_number_of(text) == number_or_zero(text) == number


@pytest.mark.parametrize(
    "text", ["", " 7", "+7", "-7", "1_000", "1.0", "²", "٣", "7\n", "9223372036854775808", "9" * 5000]
)
def test_anything_else_is_not_a_number(text):
    assert whole_number_of(text) is None
    assert number_or_zero(text) == 0


def test_a_limit_is_the_largest_number_accepted():
    assert whole_number_of("999", most=999) == 999
    assert whole_number_of("1000", most=999) is None
