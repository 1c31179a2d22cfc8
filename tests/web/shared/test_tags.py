"""Scores on pages: with the digits that the file gave, in the notation of the page's language."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.utils import translation

from contests.wording import clock
from web.shared.drawings import MOST_POINTS, sparkline
from web.shared.flags import flag
from web.shared.numbers import penalty, points, score
from web.shared.tags import percent_of, said, span


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (2450.5, "2,450.5", "2.450,5"),
        (2450.0, "2,450", "2.450"),
        (98.125, "98.125", "98,125"),
        (1234567.25, "1,234,567.25", "1.234.567,25"),
        (-3.5, "−3.5", "−3,5"),
        (0.1 + 0.2, "0.3", "0,3"),
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (2e-9, "2e−09", "2e−09"),
        (1e300, "1e+300", "1e+300"),
        (None, "–", "–"),
    ],
)
def test_a_score_is_written_with_the_digits_it_has(value, english, german):
    with translation.override("en"):
        assert score(value) == english
    with translation.override("de"):
        assert score(value) == german


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3723.0, "1:02:03"),
        (59.9, "0:59.9"),
        (0.25, "0:00.25"),
        (600.0, "10:00"),
        (360_000.0, "100:00:00"),
        (None, "–"),
        (59.9996, "1:00"),
        (62.5, "1:02.5"),
        (-5.0, "−0:05"),
    ],
)
def test_penalties_are_times_in_contests_that_have_times(seconds, text):
    assert penalty(seconds, SimpleNamespace(has_times=True)) == text


def test_times_have_the_decimal_sign_of_the_page_but_not_in_files():
    with translation.override("de"):
        assert penalty(62.5, SimpleNamespace(has_times=True)) == "1:02,5"
        assert clock(62.5) == "1:02.5"


def test_penalties_of_other_contests_are_numbers():
    assert penalty(3723.0, SimpleNamespace(has_times=False)) == "3,723"


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(2, 16, "13\u00a0%"), (15, 24, "63\u00a0%"), (1, 3, "33\u00a0%"), (0, 5, "0\u00a0%"), (1, 999, "<\u00a01\u00a0%")],
)
def test_shares_in_whole_percent_round_halves_up(part, whole, text):
    with translation.override("en"):
        assert percent_of(part, whole) == text


@pytest.mark.parametrize(
    ("days", "english", "german"),
    [
        (0.0, "less than a day", "unter einem Tag"),
        (0.9, "less than a day", "unter einem Tag"),
        (1.0, "1\u00a0day", "1\u00a0Tag"),
        (729.0, "729\u00a0days", "729\u00a0Tage"),
        (730.5, "2.0\u00a0years", "2,0\u00a0Jahre"),
    ],
)
def test_periods_are_in_days_or_years(days, english, german):
    with translation.override("en"):
        assert span(days) == english
    with translation.override("de"):
        assert span(days) == german


def test_what_a_correction_changes_is_written_with_all_digits():
    assert (said(1234567), said(12345.675)) == ("1,234,567", "12,345.675")


def test_a_flag_names_its_country_and_unknown_codes_stay_text():
    assert 'alt="Germany"' in flag("DE")
    assert "/flags/de.svg" in flag("DE")
    assert 'alt=""' in flag("DE", decorative=True)
    assert "<img" not in flag("QQ")
    assert "QQ" in flag("QQ")
    for code in ("", "..", "a/", "LI CENSE"):
        assert "<img" not in flag(code)


def test_flags_and_numbers_follow_the_language_of_each_page(settings):
    for _ in range(2):
        with translation.override("en"):
            assert ('alt="Germany"' in flag("DE"), points(-1234)) == (True, "−1,234")
        with translation.override("de"):
            assert ('alt="Deutschland"' in flag("DE"), points(-1234)) == (True, "−1.234")
    settings.STATIC_URL = "https://files.example.org/"
    assert 'src="https://files.example.org/vendor/flags/de.svg"' in flag("DE")


def test_a_sparkline_fills_its_box_from_the_first_value_to_the_last():
    assert sparkline([1500, 1600, 1700]) == "5.0,51.0 150.0,28.0 295.0,5.0"
    assert sparkline([7, 7]) == "5.0,5.0 295.0,5.0"
    assert sparkline([7]) == ""
    # If there are more values than points, it shows some of them, and always the first and the last.
    for number in (MOST_POINTS - 1, MOST_POINTS, MOST_POINTS + 1, 1000):
        drawn = sparkline(range(number)).split()
        assert len(drawn) == min(number, MOST_POINTS)
        assert (drawn[0], drawn[-1]) == ("5.0,51.0", "295.0,5.0")
