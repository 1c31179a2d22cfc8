"""Projected ratings: they match the published ones to the last bit, and nothing is stored."""

import pytest

from contests.errors import ContestError
from contests.models import Player
from contests.services.contests import finalize_contest
from ratings.models import Rating, RatingChange, Run
from ratings.publishing.projection import Entry, preview_contest
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


def as_rows(changes):
    return {c.player.handle: (c.rank, c.mu_before, c.mu, c.sigma, c.performance) for c in changes}


@pytest.mark.parametrize("day", [10, 0.5])
def test_the_preview_of_a_draft_is_what_its_run_publishes(day):
    """Once as the newest contest, once in between two others."""
    series = make_series()
    make_contest(series, players=5, day=0)
    make_contest(series, players=4, day=1)
    rate(series)
    draft = make_contest(series, standings=[("p3", 1), ("new", 2), ("p0", 2), ("p9", 4)], day=day, finalized=False)
    before = RatingChange.objects.count(), Rating.objects.count(), Run.objects.count()
    preview = preview_contest(draft)
    assert (RatingChange.objects.count(), Rating.objects.count(), Run.objects.count()) == before
    assert preview.later_contests == (0 if day == 10 else 1)
    assert {row.handle for row in preview.rows if row.is_new} == {"new", "p9"}
    finalize_contest(draft.pk)
    rate(series)
    published = as_rows(RatingChange.objects.current().filter(contest=draft).select_related("player"))
    assert {r.handle: (r.rank, r.mu_before, r.mu, r.sigma, r.performance) for r in preview.rows} == published


def test_a_file_can_be_previewed_before_its_players_exist():
    series = make_series()
    make_contest(series, players=3)
    rate(series)
    known = RatingChange.objects.current().get(player__handle="p0").player_id
    draft = make_contest(series, finalized=False)
    entries = [Entry("zoe", None, 1), Entry("p0", known, 2), Entry("yan", None, 2)]
    rows = preview_contest(draft, entries).rows
    assert [(row.handle, row.player_id, row.is_new) for row in rows] == [
        ("zoe", None, True), ("p0", known, False), ("yan", None, True),
    ]  # fmt: skip
    assert rows[0].mu > rows[2].mu


def test_a_contest_of_one_previews_nothing():
    draft = make_contest(standings=[("ann", 1)], finalized=False)
    assert preview_contest(draft).rows == []


def test_a_draw_with_a_stronger_player_previews_a_gain():
    series = make_series()
    make_contest(series, players=3)
    rate(series)
    draft = make_contest(series, standings=[("p0", 1), ("p2", 1)], day=1, finalized=False)
    better, worse = preview_contest(draft).rows
    assert better.mu < better.mu_before
    assert worse.mu > worse.mu_before


def test_the_preview_keeps_to_the_order_of_contests_that_end_together():
    series = make_series()
    make_contest(series, players=5, day=0)
    draft = make_contest(series, standings=[("p3", 1), ("p0", 2), ("p9", 3)], day=1, finalized=False)
    make_contest(series, players=5, day=1)
    rate(series)
    make_contest(players=5, day=5)  # of another series
    preview = preview_contest(draft)
    assert preview.later_contests == 1
    finalize_contest(draft.pk)
    rate(series)
    published = as_rows(RatingChange.objects.current().filter(contest=draft).select_related("player"))
    assert {r.handle: (r.rank, r.mu_before, r.mu, r.sigma, r.performance) for r in preview.rows} == published


def test_a_system_chosen_but_not_yet_published_is_the_one_previewed():
    """The stored beliefs are those of another system, which the new one cannot read."""
    series = make_series()
    make_contest(series, players=5, day=0)
    rate(series)
    choose_scheme(series.pk, system="elo-mmr-infinity")
    draft = make_contest(series, standings=[("p3", 1), ("p0", 2)], day=1, finalized=False)
    preview = preview_contest(draft)
    finalize_contest(draft.pk)
    rate(series)
    published = as_rows(RatingChange.objects.current().filter(contest=draft).select_related("player"))
    assert {r.handle: (r.rank, r.mu_before, r.mu, r.sigma, r.performance) for r in preview.rows} == published


@pytest.mark.parametrize("limits", [{"rating_upper_limit": 1500}, {"rating_lower_limit": 1450}])
@pytest.mark.parametrize("from_file", [True, False])
def test_players_outside_the_rating_limits_do_not_count_in_a_preview_either(limits, from_file):
    series = make_series()
    for _ in range(2):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)])
    rate(series)
    standings = [("ann", 1), ("bob", 2), ("cem", 3), ("dan", 4)]
    draft = make_contest(series, standings=standings, finalized=False, **limits)
    ids = dict(Player.objects.values_list("handle", "pk"))
    entries = [Entry(handle, ids[handle], place) for handle, place in standings] if from_file else None
    projected = {row.handle: (row.rank, row.mu) for row in preview_contest(draft, entries).rows}
    finalize_contest(draft.pk)
    rate(series)
    changes = RatingChange.objects.current().filter(contest=draft)
    assert projected == {row.player.handle: (row.rank, row.mu) for row in changes.select_related("player")}
    assert 0 < len(projected) < 4


def test_a_preview_says_if_the_limits_leave_no_one():
    draft = make_contest(players=3, finalized=False, rating_lower_limit=9000)
    with pytest.raises(ContestError, match="outside its rating limits"):
        preview_contest(draft)
