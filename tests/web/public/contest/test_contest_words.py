"""The template tags of the contest pages."""

from datetime import UTC, datetime

import pytest
from django.utils import translation

from contests.models import AuditEntry
from contests.queries.amendments import differences_of
from web.public.contest.tags import chance, place


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "more than 99.9\u00a0%"),
        (0.953, "95.3\u00a0%"),
        (0.5, "50\u00a0%"),
        (0.1, "10\u00a0%"),
        (0.034, "3.4\u00a0%"),
        (0.01, "1.0\u00a0%"),
        (0.0048, "1 in 210"),
        (0.000321, "1 in 3,100"),
        (0.000001, "1 in 1,000,000"),
        (0.0, "less than 1 in 1,000,000"),
    ],
)
def test_a_chance_has_useful_digits(probability, words):
    assert chance(probability) == words


def test_numbers_are_in_the_language_of_the_page():
    with translation.override("de"):
        assert chance(0.034).startswith("3,4")
        assert place(1234.4) == "1.234"


@pytest.mark.parametrize(("expected", "words"), [(1.04, "1.0"), (19.96, "20.0"), (20.4, "20"), (1234.5, "1,234")])
def test_small_expected_places_have_a_decimal(expected, words):
    assert place(expected) == words


def test_amendments_are_described_in_words():
    row = AuditEntry(
        action="standing.correct",
        before={"ann": {"status": "ranked", "place": 2}},
        after={"ann": {"status": "unofficial", "place": 2}},
    )
    ends = datetime(2026, 1, 1, 18, tzinfo=UTC), datetime(2026, 1, 2, 18, tzinfo=UTC)
    end = AuditEntry(action="contest.describe", before={"ends_at": f"{ends[0]}"}, after={"ends_at": f"{ends[1]}"})
    assert differences_of(row) == [("status", "ranked", "not ranked")]
    assert differences_of(end) == [("end", *ends)]
    with translation.override("de"):
        assert differences_of(row) == [("Status", "in der Rangliste", "nicht in der Rangliste")]
        assert differences_of(end) == [("Ende", *ends)]
