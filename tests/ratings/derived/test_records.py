"""Records of a series, from results with known records."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contests.models import Player
from ratings.derived import derived
from ratings.derived.records import DERIVATION, compute, reigns_of, streaks_of
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page
from web.public.records.views import records_of


def test_the_number_one_stays_until_another_player_has_a_higher_score():
    #         contest, player, score
    rows = [(0, 0, 10), (0, 1, 9), (1, 1, 10), (2, 1, 11), (3, 0, 11), (4, 1, 8), (4, 2, 9)]
    contest, player, score = (np.array(column) for column in zip(*rows, strict=True))
    # In contest 1, player 1 only reaches the same score. In contest 4, the leader falls below player 0, who is absent.
    assert reigns_of(contest, player, score.astype(float), 3, np.arange(5.0)) == [(0, 0), (1, 2), (0, 4)]


def test_a_reign_ends_once_the_number_one_has_missed_three_contests_and_a_year():
    # Player 0 plays once, and never loses the highest score. Player 1 plays always.
    rows = [(0, 0, 20), *((contest, 1, 10) for contest in range(6))]
    contest, player, score = (np.array(column) for column in zip(*rows, strict=True))
    score = score.astype(float)
    assert reigns_of(contest, player, score, 2, np.arange(6) * 73.0) == [(0, 0)], "365 days after contest 0"
    assert reigns_of(contest, player, score, 2, np.arange(6) * 74.0) == [(0, 0), (1, 5)]
    assert reigns_of(contest, player, score, 2, np.arange(6) * 400.0) == [(0, 0), (1, 3)], "until the third contest"
    # If player 0 comes back, the next reign begins.
    back = np.append(contest, 6), np.append(player, 0), np.append(score, 19.0)
    assert reigns_of(*back, 2, np.arange(7) * 400.0) == [(0, 0), (1, 3), (0, 6)]


def test_there_are_no_reigns_without_contests():
    empty = np.empty(0, dtype=np.int64)
    assert reigns_of(empty, empty, np.empty(0), 3, np.empty(0)) == []


def leaders_plainly(rows, days):
    """Return the leader after each contest, computed from all scores again."""
    current, leader, found, held = {}, None, [], []
    for contest in sorted({row[0] for row in rows}):
        held.append(contest)
        current |= {player: (score, contest) for at, player, score in rows if at == contest}
        active = {
            player: score for player, (score, last) in current.items()
            if days[contest] - days[last] <= 365 or last in held[-3:]
        }  # fmt: skip
        best = max(active.values())
        if best > -math.inf and (leader is None or active.get(leader, -1) < best):
            leader = min(player for player, score in active.items() if score == best)
            found.append((leader, contest))
    return found


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 12), st.integers(0, 5)), st.integers(0, 20) | st.just(-math.inf), min_size=1
    ),
    st.lists(st.sampled_from([0.0, 30.0, 200.0, 365.0, 400.0]), min_size=13, max_size=13),
)
def test_reigns_follow_the_definition(scores, gaps):
    rows = sorted((contest, player, score) for (contest, player), score in scores.items())
    contest, player, score = (np.array(column) for column in zip(*rows, strict=True))
    days = np.cumsum(gaps)
    assert reigns_of(contest, player, score.astype(float), 6, days) == leaders_plainly(rows, days)


def test_streaks_end_with_a_lost_contest_and_with_the_player():
    won = np.array([True, True, False, True, True, True, False, False, True])
    starts, lengths = streaks_of(won, np.array([0, 4, 7]))
    assert list(zip(starts.tolist(), lengths.tolist(), strict=True)) == [(0, 2), (3, 1), (4, 2), (8, 1)]


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), min_size=1, max_size=8))
def test_streaks_equal_those_counted_one_by_one(histories):
    first = np.cumsum([0, *(len(history) for history in histories[:-1])])
    starts, lengths = streaks_of(np.array([won for history in histories for won in history]), first)
    expected = []
    for begin, history in zip(first.tolist(), histories, strict=True):
        for at, won in enumerate(history):
            if won and (at == 0 or not history[at - 1]):
                length = next((n for n, more in enumerate(history[at:]) if not more), len(history) - at)
                expected.append((begin + at, length))
    assert list(zip(starts.tolist(), lengths.tolist(), strict=True)) == expected


@pytest.fixture
def cup():
    """A series in which ann wins four contests, then bob six. Cid is third and misses the last two."""
    series = make_series("cup")
    for number in range(10):
        first, second = ("ann", "bob") if number < 4 else ("bob", "ann")
        third = [("cid", 3)] if number < 8 else []
        make_contest(series, standings=[(first, 1), (second, 2), *third], day=100 * number, name=f"Round {number + 1}")
    rate(series)
    derive_series(series.pk)
    return series


def named(series):
    snapshot = snapshot_of(series)
    return records_of(derived(snapshot, DERIVATION))


@pytest.mark.django_db
def test_wins_podiums_streaks_and_careers_follow_from_the_results(cup):
    records = named(cup)
    assert [(row.player.handle, row.number, row.of) for row in records.wins] == [("bob", 6, 10), ("ann", 4, 10)]
    assert records.podiums == [], "three players are too few for a podium"
    streaks = [(r.player.handle, r.number, r.first.name, r.last.name, r.lasts) for r in records.streaks]
    assert streaks == [("bob", 6, "Round 5", "Round 10", True), ("ann", 4, "Round 1", "Round 4", False)]
    assert [(row.number, row.last.name) for row in records.contests] == [(10, "Round 10")] * 2 + [(8, "Round 8")]
    assert [(row.player.handle, row.number) for row in records.careers][2] == ("cid", 700.0)


@pytest.mark.django_db
def test_podiums_need_a_field_of_four_as_on_the_pages_of_players():
    series = make_series("mixed")
    for number, handles in enumerate(("abcd", "bacd", "cadb", "ab", "abc")):
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(handles, 1)], day=number)
    rate(series)
    derive_series(series.pk)
    records = named(series)
    podiums = [(row.player.handle, row.number, row.of) for row in records.podiums]
    assert podiums == [("a", 3, 5), ("c", 3, 4), ("b", 2, 5), ("d", 1, 3)]


@pytest.mark.django_db
@pytest.mark.parametrize(("players", "is_listed"), [((2, 2), False), ((1, 1), False), ((2, 3), True)])
def test_careers_of_equal_length_are_not_listed(players, is_listed):
    series = make_series("old-cup")
    for number, count in enumerate((players[0], players[0], players[1])):
        standings = [(f"p{place}", place) for place in range(1, count + 1)]
        make_contest(series, standings=[*standings, ("also", 9)], day=500 * number)
    if is_listed:
        make_contest(series, standings=[("p1", 1), ("also", 2)], day=1_500)
    rate(series)
    derive_series(series.pk)
    assert bool(named(series).careers) == is_listed


@pytest.mark.django_db
def test_if_all_tie_no_one_wins_and_a_streak_ends():
    series = make_series("draws")
    for number, ranks in enumerate([(1, 2), (1, 2), (1, 1), (1, 2)]):
        make_contest(series, standings=list(zip(("ann", "bob"), ranks, strict=True)), day=number)
    rate(series)
    derive_series(series.pk)
    records = named(series)
    assert [(row.player.handle, row.number, row.of) for row in records.wins] == [("ann", 3, 4)]
    assert [(row.player.handle, row.number) for row in records.streaks] == [("ann", 2)]


@pytest.mark.django_db
def test_peaks_and_gains_use_only_ratings_that_count(cup):
    records = named(cup)
    snapshot = snapshot_of(cup)
    assert records.counted_from == 5
    for row in records.peaks:
        changes = list(RatingChange.objects.filter(player=row.player).order_by("contest__ends_at"))[4:]
        shown_after = [snapshot.rating_of(change.mu, change.sigma) for change in changes]
        assert row.number == max(shown_after)
        assert row.first == changes[shown_after.index(row.number)].contest
    largest = max(
        snapshot.change(c.mu_before, c.sigma_before, c.mu, c.sigma)
        for player in Player.objects.all()
        for c in list(RatingChange.objects.filter(player=player).order_by("contest__ends_at"))[5:]
    )
    assert records.gains[0].number == largest
    assert records.gains[0].of - records.gains[0].before == largest


@pytest.mark.django_db
def test_reigns_follow_each_other_and_their_days_add_up(cup):
    records = named(cup)
    reigns = records.reigns[::-1]
    assert [row.player.handle for row in reigns] == ["ann", "bob"]
    assert reigns[0].first.name == "Round 5"
    assert [row.lasts for row in reigns] == [False, True]
    assert sum(row.number for row in reigns) == sum(row.number for row in records.leaders) == 500
    assert records.until.name == "Round 10"


@pytest.mark.django_db
def test_a_series_with_one_contest_has_records_too(client):
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    derive_series(series.pk)
    records = named(series)
    assert [row.player.handle for row in records.peaks] == ["ann", "bob"]
    assert [(row.player.handle, row.number, row.lasts) for row in records.reigns] == [("ann", 0, True)]
    assert records.gains == records.streaks == records.careers == []
    assert client.get("/c/main/series/cup/records/").status_code == 200


@pytest.mark.django_db
def test_there_is_no_number_one_if_ratings_move_between_contests():
    series = make_series("cup")
    choose_scheme(series.pk, system="kreimeier", parameters={"decay": 0.1})
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    assert "reigns" not in compute(snapshot_of(series))
    assert compute(snapshot_of(series))["wins"]


@pytest.mark.django_db
def test_the_page_shows_records_with_dates_and_links(client, cup):
    page = Page(client.get("/c/main/series/cup/records/"))
    assert page.status == 200
    assert "A player’s ratings count once the player has taken part in 5 contests." in page.text
    assert "2 reigns so far" in page.text
    assert f"{named(cup).reigns[0].number:.0f} days ongoing" in page.text
    assert page.links["Round 10"].startswith("/contests/")
    assert page.links["bob"] == "/c/main/players/bob/?series=cup"


@pytest.mark.django_db
def test_the_page_says_what_is_missing(client):
    series = make_series("cup")
    assert "No one is rated yet" in Page(client.get("/c/main/series/cup/records/")).text
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    assert "The records are being computed" in Page(client.get("/c/main/series/cup/records/")).text
    assert client.get("/c/main/series/nowhere/records/").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("players", [2, 60])
def test_the_page_takes_a_fixed_number_of_queries(client, django_assert_num_queries, players):
    series = make_series("cup")
    for _ in range(3):
        make_contest(series, players=players)
    rate(series)
    derive_series(series.pk)
    # Series, run, scheme, two for pending work, the stored row and its content, players, contests, listed communities,
    # what the other tabs have, and the accent of the community.
    with django_assert_num_queries(12):
        assert client.get("/c/main/series/cup/records/").status_code == 200


@pytest.mark.django_db
def test_a_streak_of_a_retired_player_has_ended():
    """Ann never lost, but last played three years and four contests ago."""
    series = make_series("long")
    for day in (0, 7):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    for year in range(1, 5):
        make_contest(series, standings=[("bob", 1), ("cem", 2)], day=365 * year)
    rate(series)
    derive_series(series.pk)
    streaks = [(row.player.handle, row.number, row.lasts) for row in named(series).streaks]
    assert streaks == [("bob", 4, True), ("ann", 2, False)]


@pytest.mark.django_db
def test_positions_on_a_ladder_count_from_the_first_game(client):
    """Bob never held the first position: he lost his second game, and fell."""
    series = make_series("climb")
    choose_scheme(series.pk, system="ladder")
    for first, second in (("ann", "bob"), ("cid", "bob"), ("ann", "cid"), ("ann", "dan")):
        make_contest(series, standings=[(first, 1), (second, 2)])
    rate(series)
    content = compute(snapshot_of(series))
    ann = Player.objects.get(handle="ann")
    assert content["counted_from"] == 1
    assert [row[0] for row in content["reigns"]] == [ann.pk]
    page = Page(client.get("/c/main/players/dan/")).text
    assert "based on only a few games, so it doesn’t say much yet" in page
    assert "may change it a lot" not in page
