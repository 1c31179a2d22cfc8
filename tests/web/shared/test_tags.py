"""Scores on pages: with the digits that the file gave, in the notation of the page's language."""

from __future__ import annotations

import pytest
from django.utils import translation

from web.shared.flags import flag
from web.shared.tags import said, score


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
