"""Descriptions of finalized contests, and the changes that move ratings."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from contests.services.contests import delete_contest, finalize_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from ratings.models import RatingChange
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


def test_a_contest_that_is_unrated_and_then_moved_leaves_no_ratings_behind():
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2)], day=1)
    last = make_contest(series, standings=[("ann", 1), ("bob", 2)], day=5)
    rate(series)
    said = replace(ContestDescription(**description_as_json(last)), is_rated=False)
    describe_contest(last.pk, description=said, reason="it was for fun")
    describe_contest(
        last.pk, description=replace(said, ends_at=last.ends_at - timedelta(days=3)), reason="it was earlier"
    )
    rate(series)
    assert not RatingChange.objects.current().filter(contest=last).exists()


def test_changes_of_an_unrated_contest_rate_nothing_again():
    series = make_series()
    draft = make_contest(series, players=3, finalized=False, is_rated=False)
    contest = finalize_contest(draft.pk)
    row = contest.standings.get(rank=1)
    correct_standing(row.pk, correction=Correction("disqualified", place=1), reason="robot")
    delete_contest(contest.pk, reason="entered twice")
    assert not series.stale_marks.exists()
