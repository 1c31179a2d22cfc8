"""Texts in templates that every language can translate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.utils import translation

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"
#: The calls of both tags that link pages: the tag, the page, and the word for its rows.
PAGINATION = re.compile(r"{% (?:contest_)?pagination\s([^%]*)%}")
#: Years alone, parts of a picture of a calendar, and machine-readable dates are the same in every language.
SAME_EVERYWHERE = {"Y", "j", "M", "Y-m-d"}


def found(pattern: str | re.Pattern[str]) -> list[tuple[str, str]]:
    """Return what all templates contain of a pattern: (path, text)."""
    paths = sorted(TEMPLATES.rglob("*.html"))
    return [
        (str(path.relative_to(TEMPLATES)), text) for path in paths for text in re.findall(pattern, path.read_text())
    ]


@pytest.mark.one_database
def test_the_rows_of_all_numbered_pages_have_a_translated_name():
    calls = found(PAGINATION)
    assert len(calls) > 20
    for path, arguments in calls:
        word = re.fullmatch(r'[\w.]+ _\("([a-z]+)"\) (?:is_said=True )?', arguments)
        assert word, f"{path}: write the word as _(…), so that it is translated, not {arguments}"
        with translation.override("de"):
            # German nouns have a capital letter.
            assert translation.gettext(word[1])[0].isupper(), f"{path}: {word[1]}"


@pytest.mark.one_database
def test_days_are_written_as_the_language_writes_them():
    literal = found(r"""\|date:["']([^"']+)["']""")
    assert literal
    assert [(path, form) for path, form in literal if form not in SAME_EVERYWHERE] == []


@pytest.mark.one_database
def test_no_translated_word_loses_its_capital_letter():
    assert found(r"[\w.]+\|lower\b") == []
