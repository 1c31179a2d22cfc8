"""Changes by the newest contest, or by a week of games, beside the rows of a leaderboard."""

import numpy as np
import pytest

from contests.services.contests import delete_contest
from ratings.derived import derived
from ratings.derived.newest_changes import DERIVATION, ranks_before
from ratings.models import Rating, RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.rolling_back import ask_roll_back
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def rated(*standings, days=None, system="elo-mmr", **parameters):
    """A series of these contests, on these days or in this order, rated in one run."""
    series = make_series("cup")
    choose_scheme(series.pk, system=system, parameters=parameters)
    for number, rows in enumerate(standings):
        make_contest(series, standings=rows, day=days[number] if days else number)
    rate(series)
    derive_series(series.pk)
    return series


def rows_of(client):
    """Rank, ranks gained and points gained, by handle."""
    table = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0]
    at = [table[0].index(name) for name in ("Rank", "Moved", "Change")]
    return {row[table[0].index("Player")]: [row[i] for i in at] for row in table[1:]}


def test_ranks_and_points_are_compared_with_those_before_the_newest_contest(client):
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


def test_a_correction_of_an_earlier_contest_is_no_change(client):
    series = rated([("ann", 1), ("bob", 2), ("cid", 3)], [("cid", 1), ("bob", 2), ("ann", 3)], [("ann", 1), ("bob", 2)])
    delete_contest(series.contests.in_order().first().pk, reason="fault", actor=None)
    rate(series)
    derive_series(series.pk)
    assert rows_of(client)["cid"][2] == ""
    snapshot = snapshot_of(series)
    content = derived(snapshot, DERIVATION)
    newest = RatingChange.objects.current().filter(contest=series.contests.newest_first().first())
    before = {row.player_id: snapshot.score(row.mu_before, row.sigma_before) for row in newest}
    cid = Rating.objects.get(series=series, player__handle="cid")
    before[cid.player_id] = cid.score
    expected = [before[player] for player in snapshot.index.player_ids.tolist()]
    np.testing.assert_array_equal(content["score"], expected)
    assert not content["is_new"].any()


def test_ranks_are_counted_within_the_list(client):
    """Ann and her three old friends are established. Newcomers who beat them push nobody down in their list."""
    old = [("ann", 1), ("bob", 2), ("cid", 3), ("dan", 4)]
    newest = [("new", 1), ("bob", 2), ("ann", 3), ("dan", 4), ("cid", 5), ("fay", 6)]
    series = rated(*[old] * 6, newest)
    snapshot = snapshot_of(series)
    content = derived(snapshot, DERIVATION)
    index = snapshot.index
    names = dict(Rating.objects.filter(series=series).values_list("player", "player__handle"))
    handles = [names[player] for player in index.player_ids.tolist()]
    assert content["is_new"].tolist() == [handle in ("new", "fay") for handle in handles]
    for listed in (handles, ["ann", "bob", "cid", "dan"], ["bob", "new"], ["cid"], ["fay", "new"]):
        among = np.array([row for row, handle in enumerate(handles) if handle in listed])
        then = {row: content["score"][row] for row in among.tolist() if handles[row] not in ("new", "fay")}
        known = np.array(sorted(then), dtype=np.int64)
        slow = [1 + sum(other > then[row] for other in then.values()) for row in known.tolist()]
        assert ranks_before(content, index.scores, known, among).tolist() == slow, listed


def test_in_games_the_changes_of_a_week_count(client):
    games = [("ann", 1), ("bob", 2)], [("bob", 1), ("cid", 2)], [("bob", 1), ("ann", 2)], [("bob", 1), ("cid", 2)]
    series = rated(*games, days=[0, 1, 5, 8])
    rows = rows_of(client)
    snapshot = snapshot_of(series)
    changes = RatingChange.objects.current().select_related("player").order_by("contest__ends_at")
    own = [change for change in changes if change.player.handle == "bob"]
    # The game on day 1 is exactly a week before the newest one, and does not count.
    gained = snapshot.change(own[2].mu_before, own[2].sigma_before, own[3].mu, own[3].sigma)
    assert rows["bob"][2] == f"▲+{gained}"
    assert rows["ann"][2].startswith("▼−")
    page = client.get("/c/main/series/cup/leaderboard/").content.decode()
    assert "Points gained or lost in the week up to the newest game" in page
    assert "in the week that ends with the newest game" in page


def test_after_an_event_among_other_contests_the_changes_of_its_week_count(client):
    series = rated(*[[("ann", 1), ("bob", 2), ("cid", 3)]] * 3, days=[0, 10, 20])
    event = make_contest(series, is_event=True, is_rated=False, day=41, game_count=2, standing_count=3)
    for day, names in ((40, ("cid", "ann")), (41, ("cid", "bob"))):
        make_contest(series, standings=[(name, place) for place, name in enumerate(names, 1)], day=day, event=event)
    rate(series)
    derive_series(series.pk)
    assert rows_of(client)["ann"][2].startswith("▼−"), "by the first game of the event"
    assert "in the week that ends with the newest game" in client.get("/c/main/series/cup/leaderboard/").text


def test_players_whose_first_game_is_in_the_week_are_new(client):
    rated([("ann", 1), ("bob", 2)], [("ann", 1), ("bob", 2)], [("cid", 1), ("ann", 2)], days=[0, 20, 22])
    rows = rows_of(client)
    assert rows["cid"][1:] == ["new", ""]
    assert rows["bob"][1:] != ["new", ""]


def test_after_the_first_contest_there_is_nothing_to_compare_with(client):
    rated([("ann", 1), ("bob", 2)])
    headings = Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]
    assert "Moved" not in headings
    assert "Change" not in headings


def test_the_notes_name_the_newest_contest(client):
    series = rated([("ann", 1), ("bob", 2), ("cid", 3)], [("bob", 1), ("ann", 2), ("cid", 3)])
    newest = series.contests.newest_first().first()
    page = client.get("/c/main/series/cup/leaderboard/").content.decode()
    assert f'in the newest contest, <a href="{newest.get_absolute_url()}">' in page


def test_until_changes_are_derived_the_page_shows_none(client):
    series = rated([("ann", 1), ("bob", 2)], [("ann", 1), ("bob", 2)])
    make_contest(series, standings=[("bob", 1), ("ann", 2)])
    rate(series)
    assert "Moved" not in Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]


def test_on_a_ladder_only_players_who_played_have_moved(client):
    rated([("ann", 1), ("bob", 2), ("cid", 3)], [("cid", 1), ("bob", 2)], system="ladder")
    rows = rows_of(client)
    assert rows["ann"][1] == "same rank"
    assert rows["cid"][1].endswith("1 rank up")
    assert rows["bob"][1].endswith("1 rank down")


def test_no_changes_are_shown_where_ratings_move_between_contests(client):
    rated([("ann", 1), ("bob", 2)], [("bob", 1), ("ann", 2)], system="kreimeier", decay=0.1)
    assert "Moved" not in Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]


def test_after_a_roll_back_the_newest_contest_is_that_of_the_run_shown(client):
    series = rated([("ann", 1), ("bob", 2), ("cid", 3)], [("bob", 1), ("ann", 2), ("cid", 3)])
    shown = series.contests.newest_first().first()
    make_contest(series, standings=[("cid", 1), ("bob", 2), ("ann", 3)], day=9)
    rate(series)
    derive_series(series.pk)
    gained = rows_of(client)["cid"][2]
    assert gained.startswith("▲")
    ask_roll_back(series.pk, 1, reason="appeal")
    rate(series)
    derive_series(series.pk)
    assert rows_of(client)["cid"][2] != gained
    page = client.get("/c/main/series/cup/leaderboard/").content.decode()
    assert f'in the newest contest, <a href="{shown.get_absolute_url()}">' in page


@pytest.mark.parametrize("parameters", [{"on_win": "insert"}, {"idle_days": 30}])
def test_no_changes_are_shown_where_absent_players_move(client, parameters):
    rated([("ann", 1), ("bob", 2)], [("bob", 1), ("ann", 2)], system="ladder", **parameters)
    assert "Moved" not in Page(client.get("/c/main/series/cup/leaderboard/")).tables[0][0]


def test_in_a_filtered_list_the_moved_ranks_are_those_of_the_list(client):
    rated([("ann", 1), ("bob", 2), ("cid", 3)], [("cid", 1), ("bob", 2), ("ann", 3)])
    page = Page(client.get("/c/main/series/cup/leaderboard/?q=cid"))
    table = page.tables[0]
    row = dict(zip(table[0], table[1], strict=False))
    assert row["Moved"] == "same rank"
    assert row["List rank"].startswith("1")
