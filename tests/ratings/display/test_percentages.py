"""Percentages in text: digits, bounds and signs."""

import pytest

from ratings.display.percentages import percent_of, percentage


def test_a_part_of_an_empty_whole_is_zero_percent():
    assert percent_of(1, 4) == 25
    assert percent_of(0, 0) == 0


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(0, 1, "0.0 %"), (12.34, 1, "12.3 %"), (99.5, 0, "100 %"), (0.123, None, "0.12 %"), (5, None, "5 %"),
     (99.5, None, "100 %"), (1234.5, 1, "1,234.5 %"), (0.051, 1, "0.1 %"), (0.049, 1, "< 0.1 %"),
     (0.3, 0, "< 1 %"), (0.004, 2, "< 0.01 %"), (0.00123, None, "0.0012 %")],
)  # fmt: skip
def test_digits(value, decimals, text):
    assert percentage(value, decimals) == text.replace(" ", "\u00a0")
    assert percentage(value, decimals, space=" ") == text


def test_values_beyond_the_bounds_are_not_written_as_none_or_all():
    assert percentage(0.3, least=0.5, space=" ") == "< 0.5 %"
    assert percentage(0.1, least=0.1, space=" ") == "0.1 %"
    assert percentage(99.95, most=99.9, space="\u202f") == ">\u202f99.9\u202f%"
    assert percentage(33.333, 2, space="") == "33.33%"
