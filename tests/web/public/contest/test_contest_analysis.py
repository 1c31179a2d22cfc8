"""The analysis page of a contest."""

import re

import pytest
from django.core.cache import cache

from contests.models import Player
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_standing
from ratings.models import RatingChange
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from web.public.contest.analysis import analysis_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


def page_of(client, contest):
    return Page(client.get(f"/contests/{contest.pk}/analysis/"))


@pytest.fixture
def upside_down():
    """Four contests in one order, a fifth in the reverse order, with a newcomer in the middle."""
    series = make_series()
    for _ in range(4):
        make_contest(series, players=8)
    rows = [(f"p{7 - place}", place + 1) for place in range(4)] + [("new", 5)]
    contest = make_contest(series, standings=[*rows, *((f"p{8 - place}", place + 1) for place in range(5, 9))])
    rate(series)
    return contest


def test_the_favourite_and_the_winner_are_named_with_their_chances(client, upside_down):
    page = page_of(client, upside_down)
    assert "p0 had the best chance of winning (" in page.text
    assert ") but came 9th. p7, number 8 by rating, won (" in page.text


@pytest.mark.parametrize(
    ("standings", "said"),
    [
        ([("ann", 1), ("bob", 1), ("cid", 1)], "several had the best chance of winning (33 % each). ann, number 1 by"),
        ([("ann", 1), ("bob", 1)], "Both had the same chance of winning (50 %). ann won."),
    ],
)
def test_equal_players_have_no_single_favourite(client, standings, said):
    series = make_series()
    make_contest(series, standings=standings)
    contest = make_contest(series, standings=[(handle, place) for place, (handle, _) in enumerate(standings, 1)])
    rate(series)
    assert said in page_of(client, contest).text
    story = Page(client.get(f"/contests/{contest.pk}/")).text
    assert "the favourite" not in story
    assert "The favourite" not in story


def test_places_by_rating_follow_ratings_before_rounding(client):
    """As in tables of ratings: players whose ratings only look equal don't share a place."""
    series = make_series()
    handles = ["ann", "bob", "cid", "dan"]
    make_contest(series, standings=[(handle, place) for place, handle in enumerate(handles, 1)])
    contest = make_contest(series, standings=[(handle, place) for place, handle in enumerate(reversed(handles), 1)])
    rate(series)
    for number, handle in enumerate(handles):
        changes = RatingChange.objects.current().filter(contest=contest, player__handle=handle)
        changes.update(mu_before=1600.4 - number / 10)
    cache.clear()
    assert "dan, number 4 by rating, won" in page_of(client, contest).text
    page = client.get(f"/contests/{contest.pk}/").content.decode()
    assert re.findall(r'class="favourite-seed"[^>]*>(\d+)', page) == ["1", "2", "3", "4"]


def test_players_appear_with_their_real_names_and_flags(client, upside_down):
    Player.objects.filter(handle="p0").update(name="Pia Zero", country="CH")
    page = page_of(client, upside_down)
    assert "Pia Zero had the best chance of winning (" in page.text
    assert "Pia Zero" in " ".join(cell for table in page.tables for row in table for cell in row)
    assert "p0" not in page.text.split()
    assert 'alt="Switzerland"' in client.get(f"/contests/{upside_down.pk}/analysis/").content.decode()


def test_the_biggest_upset_is_the_last_seed_beating_the_first(client, upside_down):
    analysis = analysis_of(snapshot_of(upside_down.series), upside_down)
    pair = analysis.expected.upsets[0]
    assert (pair.winner.rank, pair.loser.rank) == (1, 9)
    assert pair.probability < 0.2
    assert (analysis.expected.above[0].rank, analysis.expected.below[0].rank) == (1, 9)
    assert (analysis.gains[0].rank, analysis.losses[0].rank) == (1, 9)
    assert (analysis.players, analysis.newcomers, analysis.known) == (9, 1, 8)
    assert analysis.pair_inversion == 0, "all 28 pairs of those who were known finished the other way round"
    page = page_of(client, upside_down)
    assert "Pairs predicted correctly 0.0 %" in page.text
    assert "new" not in " ".join(row[0] for table in page.tables[:-1] for row in table)
    assert "new" in page.tables[-1][1][1]


def test_pair_inversion_counts_correctly_predicted_pairs(client):
    series = make_series()
    for _ in range(3):
        make_contest(series, players=5)
    contest = make_contest(series, standings=[("p1", 1), ("p0", 2), ("p2", 3), ("p3", 4), ("p4", 5)])
    rate(series)
    assert analysis_of(snapshot_of(series), contest).pair_inversion == pytest.approx(90), "one of ten pairs is inverted"
    assert "Pairs predicted correctly 90.0 %" in page_of(client, contest).text


def test_the_field_is_drawn_and_listed(client, upside_down):
    response = client.get(f"/contests/{upside_down.pk}/analysis/")
    analysis = analysis_of(snapshot_of(upside_down.series), upside_down)
    assert sum(one.players for one in analysis.strength.bins) == 8
    assert sum(row.players for row in analysis.strength.tiers) == 8
    assert response.content.count(b'class="dist-bar"') == len(analysis.strength.bins)
    assert b"style=" not in response.content
    assert "New players, who had no rating yet, are left out." in Page(response).text


def test_a_first_contest_has_no_expectations(client):
    contest = make_contest(players=4)
    rate(contest.series)
    page = page_of(client, contest)
    assert page.status == 200
    assert "Almost no one had a rating before this contest" in page.text
    assert "Best new players" in page.text
    assert "Biggest upsets" not in page.text


def test_teams_with_new_players_are_not_called_unrated(client):
    series = make_series("cup")
    make_contest(series, players=4)
    teams = {"p0": "A", "new1": "A", "p1": "A", "p2": "B", "new2": "B", "p3": "B"}
    rows = [(handle, 1 if team == "A" else 2) for handle, team in teams.items()]
    contest = make_contest(series, standings=rows, teams=teams)
    rate(series)
    text = page_of(client, contest).text
    assert "Podium makes no predictions for teams with new players" in text
    assert "Almost no one had a rating" not in text


def test_if_all_tie_no_one_wins_and_the_favourites_lose_points(client):
    series = make_series()
    for day in range(6):
        make_contest(series, players=4, day=day)
    contest = make_contest(series, standings=[(f"p{n}", 1) for n in range(4)], day=9)
    rate(series)
    page = page_of(client, contest)
    assert page.status == 200
    assert "Best chances of winning" in page.text
    assert "Favourites" not in page.text, "on the page of the contest, these are the players with the highest ratings"
    assert "Biggest gains and losses" in page.text
    assert "Pairs predicted correctly" not in page.text
    assert "Biggest upsets" not in page.text
    assert "Against the odds" not in page.text
    assert re.search(r"p\d had the best chance of winning \(\d+ %\) and tied for first place\.", page.text)
    assert analysis_of(snapshot_of(series), contest).expected.winners == []


def make_games(system):
    """Return a series in which a beat b and c three times; then b won, they drew, and a won."""
    series = make_series("cup")
    choose_scheme(series.pk, system=system)
    games = [[(first, 1), (second, 2)] for first, second in ("ab", "ac", "bc") for _ in range(3)]
    games += [[("b", 1), ("a", 2)], [("a", 1), ("b", 1)], [("a", 1), ("b", 2)]]
    made = [make_contest(series, standings=rows) for rows in games]
    rate(series)
    derive_series(series.pk)
    return series, made[-3:]


@pytest.mark.parametrize("system", ["trueskill", "elo", "elo-mmr"])
def test_chances_are_those_that_the_comparison_shows_with_draws(client, system):
    series, games = make_games(system)
    listed = client.get("/compare/?series=cup&players=a,b").context["page"].object_list
    assert [meeting.contest for meeting in listed[2::-1]] == games
    handles = dict(Player.objects.values_list("pk", "handle"))
    for game, meeting in zip(games, listed[2::-1], strict=True):
        expected = analysis_of(snapshot_of(series), game).expected
        chances = {handles[row.player_id]: row.win for row in expected.favourites}
        assert chances == pytest.approx({"a": meeting.expected, "b": meeting.expected_loss})
        assert expected.draw == pytest.approx(1 - meeting.expected - meeting.expected_loss)
        assert expected.draw > 0.01
        assert bool(expected.upsets) == meeting.is_upset
        assert all(upset.probability == pytest.approx(meeting.expected_loss) for upset in expected.upsets)


def test_a_game_of_two_has_chances_result_and_changes_but_no_field(client):
    _series, (lost, drawn, won) = make_games("trueskill")
    for game, said, results in (
        (lost, "but lost", ["lost", "won"]),
        (drawn, "but only drew", ["drawn", "drawn"]),
        (won, "and won", ["won", "lost"]),
    ):
        page = page_of(client, game)
        assert re.search(rf"had the better chance of winning \(\d+ %\) {said}\.", page.text)
        chances, changes = page.tables
        assert [(row[0].split()[0][0], row[-1]) for row in chances[1:]] == list(zip("ab", results, strict=True))
        assert {row[1] for row in changes[1:]} == {"a", "b"}
        assert "The probability of a draw was" in page.text
        for words in (
            "Average",
            "Pairs predicted correctly",
            "The field",
            "Biggest",
            "Against the odds",
            "Expected place",
        ):
            assert words not in page.text


def test_a_game_with_a_newcomer_has_only_changes(client):
    series, _games = make_games("elo")
    game = make_contest(series, standings=[("new", 1), ("a", 2)])
    rate(series)
    page = page_of(client, game)
    assert "had no rating before, so there were no expectations" in page.text
    (changes,) = page.tables
    assert [row[1] for row in changes[1:]] == ["new", "a"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"players": 1}, "the contest has fewer than two players or teams"),
        ({"players": 3, "is_rated": False}, "The contest is unrated"),
        ({"standings": [("ann", 1, None, "disqualified")]}, "the contest has fewer than two players or teams"),
    ],
)
def test_a_contest_without_an_analysis_says_why(client, made, said):
    contest = make_contest(**made)
    rate(contest.series)
    page = page_of(client, contest)
    assert page.status == 200
    assert said in page.text


def test_results_that_wait_for_their_ratings_are_analysed_later(client):
    contest = make_contest(players=3)
    assert "being rated right now" in page_of(client, contest).text
    rate(contest.series)
    assert "Best new players" in page_of(client, contest).text


def test_drafts_private_and_unknown_contests_are_not_found_and_deleted_ones_are_gone(client):
    assert page_of(client, make_contest(players=2, finalized=False)).status == 404
    assert page_of(client, make_contest(make_series(is_public=False), players=2)).status == 404
    assert client.get(f"/contests/{'9' * 40}/analysis/").status_code == 404
    gone = make_contest(players=2)
    delete_contest(gone.pk, reason="entered twice", actor=None)
    assert page_of(client, gone).status == 410
    ida = make_user("ida")
    mine = make_contest(make_series(is_public=False, organizer=ida), players=2)
    client.force_login(ida)
    assert page_of(client, mine).status == 200


def test_a_corrected_contest_is_analysed_again(client, upside_down):
    assert "p7, number 8 by rating, won" in page_of(client, upside_down).text
    row = upside_down.standings.get(player__handle="p7")
    correct_standing(row.pk, correction=Correction("disqualified", place=1), reason="two accounts", actor=None)
    rate(upside_down.series)
    assert "p6, number 7 by rating, won" in page_of(client, upside_down).text


@pytest.mark.parametrize("name", sorted(SYSTEMS))
@pytest.mark.parametrize("display", [None, {"mapping": "fermi", "range": 10_000}])
def test_every_system_and_display_has_an_analysis(client, name, display):
    series = make_series()
    if display and name == "ladder":
        display = None  # positions have no centre
    choose_scheme(series.pk, system=name, display=display)
    for _ in range(3):
        contest = make_contest(series, players=6)
    rate(series)
    page = page_of(client, contest)
    assert page.status == 200
    assert "p0 had the best chance of winning" in page.text
    assert "and won" in page.text


@pytest.mark.parametrize("name", ["trueskill", "elo", "kreimeier"])
def test_teams_are_named_as_such(client, name):
    series = make_series()
    choose_scheme(series.pk, system=name)
    teams = {"ann": "Reds <b>", "bob": "Reds <b>", "cid": "Blues", "dan": "Blues"}
    for _ in range(3):
        contest = make_contest(series, standings=[("ann", 1), ("bob", 1), ("cid", 3), ("dan", 3)], teams=teams)
    rate(series)
    response = client.get(f"/contests/{contest.pk}/analysis/")
    assert "Reds <b> had the better chance of winning" in Page(response).text
    analysis = analysis_of(snapshot_of(series), contest)
    assert (analysis.players, analysis.entries, analysis.known) == (4, 2, 2)


@pytest.mark.parametrize("players", [2, 200])
def test_the_number_of_queries_is_the_same_for_any_field(client, django_assert_num_queries, players):
    series = make_series()
    for _ in range(2):
        contest = make_contest(series, players=players)
    rate(series)
    address = f"/contests/{contest.pk}/analysis/"
    of_two = players == 2  # the players in the heading, and once for each run, whether this is a series of games
    with django_assert_num_queries(13 + 2 * of_two):
        assert client.get(address).status_code == 200
    with django_assert_num_queries(9 + of_two):  # the field and the board are cached
        assert client.get(address).status_code == 200


def test_a_shared_first_place_has_several_winners(client):
    series = make_series()
    for day in range(3):
        make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3), ("eve", 4)], day=day)
    contest = make_contest(series, standings=[("cem", 1), ("new", 1), ("ann", 3), ("bob", 4), ("eve", 5)], day=9)
    rate(series)
    text = Page(client.get(f"/contests/{contest.pk}/analysis/")).text
    assert "cem, number 3 by rating (" in text
    assert "chance of winning), was one of several winners." in text
    assert "cem, number 3 by rating, won" not in text


def test_only_unlikely_places_are_against_the_odds():
    series = make_series()
    for _ in range(4):
        make_contest(series, players=6)
    slightly = make_contest(series, standings=[("p1", 1), ("p0", 2), ("p2", 3), ("p3", 4), ("p4", 5), ("p5", 6)])
    rate(series)
    expected = analysis_of(snapshot_of(series), slightly).expected
    chances = [each.probability for each in (*expected.above, *expected.below)]
    assert [chance for chance in chances if chance > 0.25] == []
