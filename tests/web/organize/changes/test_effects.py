"""The page of a proposed change: which ratings its tables compare, and how many rows they leave out."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from contests.changes.base import token_of
from contests.changes.of_contests import DeleteContest, FinalizeContest
from contests.changes.of_standings import CorrectStandings
from contests.services.correcting import Correction
from ratings.publishing.change_previews import Preview
from tests.factories import make_contest, rate
from tests.pages import Page
from web.organize.changes import views

pytestmark = pytest.mark.django_db


def page_of(client, change):
    answer = client.get(f"{reverse('organize:change')}?change={token_of(change)}")
    assert answer.status_code == 200
    return answer


def test_projected_standings_of_a_published_contest_name_what_they_compare(organizer, series, contest):
    row = contest.standings.get(player__handle="ann")
    out = {row.pk: Correction("disqualified", row.place, True, row.score)}
    page = page_of(organizer, CorrectStandings.of(contest, out, version=contest.version, reason="robot"))
    heads = [table[0] for table in Page(page).tables]
    assert ["Rank", "Player", "Before the contest", "After the contest", "New change", "Published change"] in heads
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], day=90, finalized=False)
    heads = [table[0] for table in Page(page_of(organizer, FinalizeContest(draft.pk, draft.version))).tables]
    assert ["Rank", "Player", "Before", "After", "Change"] in heads


def test_the_button_stands_below_the_figures_and_below_the_whole_effect(organizer, contest):
    change = DeleteContest(contest.pk, contest.version, reason="entered twice")
    text = page_of(organizer, change).content.decode()
    assert len(re.findall(r"button-danger button-final", text)) == 2
    first, last = text.index("button-final"), text.rindex("button-final")
    assert text.index("Effect on ratings") < first < text.index("Projected leaderboard") < last


def test_after_a_failed_preview_the_button_comes_below_the_reason_and_says_so(organizer, contest, monkeypatch):
    failed = Preview("failed", problem="no room on the disk")
    monkeypatch.setattr(views, "preview_of", lambda *args, **options: failed)
    text = Page(page_of(organizer, DeleteContest(contest.pk, contest.version, reason="entered twice"))).text
    assert "The preview could not be computed: no room on the disk" in text.partition("Delete without the preview")[0]
    assert "Review the effect below" not in text


@pytest.mark.parametrize(("players", "is_cut"), [(60, True), (4, False)])
def test_a_cut_list_of_tier_changes_says_how_many_there_are(organizer, series, players, is_cut):
    handles = [f"p{i:02}" for i in range(players)]
    for day, order in ((0, handles), (7, handles), (14, handles[::-1])):
        contest = make_contest(series, standings=[(each, place) for place, each in enumerate(order, 1)], day=day)
    rate(series)
    text = Page(page_of(organizer, DeleteContest(contest.pk, contest.version, reason="entered twice"))).text
    up, down = (int(re.search(rf"Moving {way} a tier (\d+)", text)[1]) for way in ("up", "down"))
    assert (up + down > 10) == is_cut
    assert (f"Tier changes (the 10 highest-rated of {up + down} players)" in text) == is_cut


@pytest.mark.parametrize("by_scores", [True, False])
def test_what_a_ranked_row_needs_is_not_called_optional(organizer, series, by_scores):
    rows = [("ann", 1, 20.0), ("bob", 2, 10.0)] if by_scores else [("ann", 1), ("bob", 2)]
    contest = make_contest(series, standings=rows, finalized=False)
    text = Page(organizer.get(reverse("organize:standing-add", args=[contest.pk]))).text
    needed, other = ("Score", "Place") if by_scores else ("Place", "Score")
    assert f"{needed} " in text
    assert f"{needed} (optional)" not in text
    assert (f"{other} (optional)" in text) == (not by_scores)
