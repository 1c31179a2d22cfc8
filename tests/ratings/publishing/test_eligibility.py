"""Rating limits: the players outside them are determined once, from the ratings displayed just before the contest."""

from __future__ import annotations

import pytest

from contests.errors import ContestError
from contests.models import Player, StandingStatus
from contests.services.contests import finalize_contest
from contests.services.correcting import Correction, correct_standing
from ratings.models import Rating, RatingChange
from ratings.publishing.projection import ineligible_players, shown_before
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db

FIVE = [("ann", 1), ("bob", 2), ("eve", 3), ("kim", 4), ("lou", 5)]


@pytest.fixture
def cup():
    """A series in which ann is best and lou worst, after two contests."""
    series = make_series("cup")
    for _ in range(2):
        make_contest(series, standings=FIVE)
    rate(series)
    return series


def handles(players):
    return set(Player.objects.filter(pk__in=players).values_list("handle", flat=True))


def rating_of(series, handle):
    rating = Rating.objects.get(series=series, player__handle=handle)
    return snapshot_of(series).rating(rating.score)


def test_without_limits_everyone_is_eligible(cup):
    assert ineligible_players(make_contest(cup, standings=FIVE, finalized=False)) == set()


def test_a_rating_equal_to_a_limit_is_inside_and_one_point_beyond_is_outside(cup):
    second, fourth = rating_of(cup, "bob"), rating_of(cup, "kim")
    contest = make_contest(cup, standings=FIVE, finalized=False, rating_lower_limit=fourth, rating_upper_limit=second)
    assert handles(ineligible_players(contest)) == {"ann", "lou"}
    contest.rating_lower_limit, contest.rating_upper_limit = fourth + 1, second - 1
    assert handles(ineligible_players(contest)) == {"ann", "bob", "kim", "lou"}


def test_newcomers_count_with_the_rating_that_is_shown_for_newcomers(cup):
    contest = make_contest(cup, standings=[("new", 1), ("ann", 2)], finalized=False, rating_upper_limit=1499)
    assert handles(ineligible_players(contest)) == {"new", "ann"}
    contest.rating_upper_limit = 1500
    assert handles(ineligible_players(contest)) == {"ann"}


def test_in_a_series_that_was_never_rated_everyone_is_a_newcomer():
    contest = make_contest(make_series(), standings=FIVE, finalized=False, rating_lower_limit=1501)
    assert len(ineligible_players(contest)) == 5


def test_limits_of_a_contest_in_the_past_use_the_ratings_shown_then(cup):
    # lou wins everything afterwards, and would be the best by now.
    for _ in range(6):
        make_contest(cup, standings=[("lou", 1), ("ann", 2), ("bob", 3), ("eve", 4), ("kim", 5)])
    rate(cup)
    assert rating_of(cup, "lou") > 1500
    contest = make_contest(cup, standings=FIVE, day=1.5, finalized=False, rating_lower_limit=1500)
    second = {
        change.player_id: snapshot_of(cup).rating_of(change.mu, change.sigma)
        for change in RatingChange.objects.current().filter(contest=cup.contests.in_order()[1])
    }
    assert shown_before(contest) == second
    assert handles(ineligible_players(contest)) == {"kim", "lou"}


def test_contests_that_end_at_the_same_moment_are_told_apart_by_their_order(cup):
    last = cup.contests.in_order().last()
    made_first = make_contest(cup, standings=FIVE, ends_at=last.ends_at, sequence=7, finalized=False)
    make_contest(cup, standings=[("lou", 1), ("ann", 2)], ends_at=last.ends_at, sequence=7)
    made_last = make_contest(cup, standings=FIVE, ends_at=last.ends_at, sequence=7, finalized=False)
    rate(cup)
    before = make_contest(cup, standings=FIVE, ends_at=last.ends_at, sequence=6, finalized=False)
    after = make_contest(cup, standings=FIVE, ends_at=last.ends_at, sequence=8, finalized=False)
    lou = Player.objects.get(handle="lou").pk
    assert shown_before(before)[lou] < shown_before(after)[lou] == rating_of(cup, "lou")
    assert shown_before(made_first) == shown_before(before)
    assert shown_before(made_last) == shown_before(after)


def test_results_that_wait_to_be_rated_do_not_count(cup):
    contest = make_contest(cup, standings=FIVE, day=9, finalized=False)
    before = shown_before(contest)
    make_contest(cup, standings=[("lou", 1), ("ann", 2)], day=5)
    assert shown_before(contest) == before
    rate(cup)
    assert shown_before(contest) != before


def test_the_display_in_force_is_what_limits_are_compared_with(cup):
    choose_scheme(cup.pk, display={"mapping": "offset", "offset": 100.0})
    contest = make_contest(cup, standings=FIVE, finalized=False, rating_upper_limit=1000)
    assert ineligible_players(contest) == set()
    assert set(shown_before(contest).values()) == {rating_of(cup, handle) for handle, _ in FIVE}


def test_a_team_is_outside_if_one_of_its_members_is():
    series = make_series()
    choose_scheme(series.pk, system="elo")
    teams = {"ann": "red", "bob": "red", "eve": "blue", "kim": "blue"}
    make_contest(series, standings=[("ann", 1), ("eve", 2)])
    rate(series)
    places = [("ann", 1), ("bob", 1), ("eve", 2), ("kim", 2)]
    contest = make_contest(series, standings=places, teams=teams, finalized=False, rating_upper_limit=1500)
    assert handles(ineligible_players(contest)) == {"ann", "bob"}


def test_finalizing_puts_them_out_of_competition_for_good(cup):
    limit = rating_of(cup, "bob")
    draft = make_contest(cup, standings=FIVE, finalized=False, rating_upper_limit=limit)
    finalize_contest(draft.pk)
    rate(cup)
    rows = {row.player.handle: row for row in draft.standings.select_related("player")}
    assert (rows["ann"].status, rows["ann"].is_ineligible, rows["ann"].rank) == ("unofficial", True, None)
    assert [rows[handle].rank for handle in ("bob", "eve", "kim", "lou")] == [1, 2, 3, 4]
    # An older correction lifts bob beyond the limit; who was eligible then stays eligible.
    first = cup.contests.in_order().first()
    correction = Correction(StandingStatus.RANKED, place=6)
    correct_standing(first.standings.get(player__handle="ann").pk, correction=correction, reason="slow watch")
    rate(cup)
    assert rating_of(cup, "bob") > limit
    rows = {row.player.handle: row.is_ineligible for row in draft.standings.select_related("player")}
    assert rows == {"ann": True, "bob": False, "eve": False, "kim": False, "lou": False}


def test_limits_that_leave_no_one_are_refused_before_anything_is_stored(cup):
    draft = make_contest(cup, standings=FIVE, finalized=False, rating_lower_limit=9000)
    with pytest.raises(ContestError, match="Widen or remove the limits"):
        finalize_contest(draft.pk)
    draft.refresh_from_db()
    assert draft.is_draft
    assert draft.standings.ranked().count() == 5


@pytest.mark.parametrize("size", [1, 200])
@pytest.mark.parametrize("day", [1, 900])
def test_the_number_of_queries_does_not_grow_with_the_field(django_assert_num_queries, size, day):
    series = make_series()
    for when in (0, 2):
        make_contest(series, players=max(size, 2), day=when)
    rate(series)
    contest = make_contest(series, players=size, day=day, finalized=False, rating_lower_limit=1)
    with django_assert_num_queries(5):  # field, run with scheme, newest scheme, whether anything is later, ratings
        ineligible_players(contest)
