"""Changes by the last run, beside the rows of a leaderboard."""

import numpy as np
import pytest

from contests.services.contests import delete_contest
from ratings.derived import derived
from ratings.derived.previous_run import DERIVATION
from ratings.models import Rating, RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def rated(*standings, slug="cup", system="elo-mmr", **parameters):
    """A series of these contests, one run after each."""
    series = make_series(slug)
    choose_scheme(series.pk, system=system, parameters=parameters)
    for rows in standings:
        make_contest(series, standings=rows)
        rate(series)
    derive_series(series.pk)
    return series


def rows_of(client):
    """Rank, ranks gained and points gained, by handle."""
    table = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0]
    at = [table[0].index(name) for name in ("Rank", "Moved", "Change")]
    return {row[table[0].index("Player")]: [row[i] for i in at] for row in table[1:]}


def test_ranks_and_points_are_compared_with_the_run_before(client):
    series = rated([("ann", 1), ("bob", 2), ("cid", 3)], [("bob", 1), ("new", 2), ("ann", 3)])
    rows = rows_of(client)
    assert rows["bob"][1].endswith("1 rank up")
    assert rows["ann"][1].endswith("down")
    snapshot = snapshot_of(series)
    change = RatingChange.objects.current().get(contest=series.contests.newest_first().first(), player__handle="bob")
    gained = snapshot.change(change.mu_before, change.sigma_before, change.mu, change.sigma)
    assert rows["bob"][2] == f"▲+{gained}"
    assert rows["new"][1:] == ["new", ""]


def test_players_who_did_not_play_may_lose_a_rank_and_no_points(client):
    rated([("ann", 1), ("bob", 2), ("cid", 3)], [("cid", 1), ("dan", 2), ("eve", 3)])
    rows = rows_of(client)
    assert rows["ann"][1:] == ["same rank", ""]
    assert rows["bob"][2] == ""


def test_a_replay_is_compared_with_the_previous_run_as_it_was_then(client):
    series = rated([("ann", 1), ("bob", 2), ("cid", 3)], [("cid", 1), ("bob", 2), ("ann", 3)])
    before = {row.player_id: row.score for row in Rating.objects.filter(series=series)}
    delete_contest(series.contests.in_order().first().pk, reason="fault", actor=None)
    rate(series)
    derive_series(series.pk)
    snapshot = snapshot_of(series)
    content = derived(snapshot, DERIVATION)
    assert content["run"] == snapshot.run.number - 1
    expected = [before[player] for player in snapshot.index.player_ids.tolist()]
    np.testing.assert_array_equal(content["score"], expected)
    assert content["rank"].tolist() == [sorted(before.values(), reverse=True).index(score) + 1 for score in expected]


def test_after_the_first_run_there_is_nothing_to_compare_with(client):
    rated([("ann", 1), ("bob", 2)])
    headings = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]
    assert "Moved" not in headings
    assert "Change" not in headings


def test_until_changes_are_derived_the_page_shows_none(client):
    series = rated([("ann", 1), ("bob", 2)], [("ann", 1), ("bob", 2)])
    make_contest(series, standings=[("bob", 1), ("ann", 2)])
    rate(series)
    assert "Moved" not in Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]


def test_points_of_another_system_are_not_compared(client):
    series = rated([("ann", 1), ("bob", 2)])
    choose_scheme(series.pk, system="elo")
    rate(series)
    derive_series(series.pk)
    headings = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]
    assert "Moved" in headings
    assert "Change" not in headings


def test_on_a_ladder_only_players_who_played_have_moved(client):
    rated([("ann", 1), ("bob", 2), ("cid", 3)], [("cid", 1), ("bob", 2)], system="ladder")
    rows = rows_of(client)
    assert rows["ann"][1] == "same rank"
    assert rows["cid"][1].endswith("1 rank up")
    assert rows["bob"][1].endswith("1 rank down")


def test_no_changes_are_shown_where_ratings_move_between_contests(client):
    rated([("ann", 1), ("bob", 2)], [("bob", 1), ("ann", 2)], system="kreimeier", decay=0.1)
    assert "Moved" not in Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]
