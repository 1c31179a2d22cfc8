"""Previews that let in or disqualify players who were outside the rating limits."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.changes.base import token_of
from contests.changes.of_standings import CorrectStandings
from contests.models import Player
from contests.services.contests import finalize_contest
from contests.services.correcting import Correction
from ratings.publishing.projection import shown_before
from tests.factories import make_contest, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def test_players_outside_the_limits_are_not_counted_as_rated(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)])
    rate(series)
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3), ("zed", 4)], finalized=False)
    draft.rating_upper_limit = shown_before(draft)[Player.objects.get(handle="ann").pk] - 1
    draft.save()
    text = Page(organizer.post(reverse("organize:finalize", args=[draft.pk]), follow=True)).text
    assert "3 ranked participants will be rated." in text
    assert "1 participant outside the rating limits will be listed but not rated." in text
    draft.is_rated = False
    draft.save()
    text = Page(organizer.post(reverse("organize:finalize", args=[draft.pk]), follow=True)).text
    assert "The contest is unrated: 3 ranked participants will be listed but not rated." in text
    finalize_contest(draft.pk)
    assert draft.standings.ranked().count() == 3


@pytest.mark.parametrize(("status", "shows_disqualified"), [("ranked", False), ("disqualified", True)])
def test_a_preview_marks_only_players_who_are_still_outside_the_limits(organizer, series, status, shows_disqualified):
    for _ in range(2):
        contest = make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)], finalized=False)
        contest.rating_upper_limit = 1500 if series.contests.count() == 2 else None
        contest.save()
        finalize_contest(contest.pk)
        rate(series)
    contest.refresh_from_db()
    row = contest.standings.get(player__handle="ann")
    assert row.is_ineligible
    change = CorrectStandings.of(contest, {row.pk: Correction(status, 1)}, version=contest.version, reason="appeal")
    page = organizer.get(reverse("organize:change"), {"change": token_of(change)}).content.decode()
    table = page[page.index("Projected standings") :]
    assert "outside the rating limits" not in table
    assert (">disqualified<" in table) is shows_disqualified
