"""Teams to which the file gave no name: pages name their members."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from contests.models import Standing
from contests.queries.winners import podium_of, winners_of
from contests.team_labels import label_of_unnamed, number_of_unnamed
from tests.factories import make_contest, make_series, rate
from tests.pages import Page, markup
from tests.web.public.contest.test_story import story_of

pytestmark = pytest.mark.django_db


def make_duels(*, sizes=(4, 3), named=False):
    """Make three contests of two teams, of which the second team wins the last."""
    series = make_series()
    sides = [[f"{'ab'[side]}{i}" for i in range(size)] for side, size in enumerate(sizes)]
    names = ["Reds", "Blues"] if named else [label_of_unnamed(1), label_of_unnamed(2)]
    teams = {handle: name for name, side in zip(names, sides, strict=True) for handle in side}
    contests = [
        make_contest(series, standings=[(handle, place) for side, place in zip(sides, places, strict=True)
                                        for handle in side], teams=teams)
        for places in [(1, 2), (1, 2), (2, 1)]
    ]  # fmt: skip
    rate(series)
    return contests


def test_only_generated_labels_have_numbers():
    assert number_of_unnamed(label_of_unnamed(12)) == "12"
    assert [number_of_unnamed(name) for name in ("", "Reds", "Team 1", "team ٣", "team 1 (2)", "team 1\n")] == [""] * 6


def test_winners_and_podiums_are_their_members():
    contest = make_duels()[0]
    winners, steps = winners_of([contest])[contest.pk], podium_of(contest)
    assert ([player.handle for player in winners.players], winners.more, winners.team) == (["a0", "a1", "a2"], 1, "")
    assert [step.team for step in steps] == ["", ""]


def test_lists_and_feeds_do_not_call_everyone_a_winner(client):
    teams = {f"{side}{i}": label_of_unnamed(1 + (side == "b")) for side in "ab" for i in range(3)}
    contest = make_contest(standings=[(handle, 1) for handle in teams], teams=teams)
    rate(contest.series)
    assert winners_of([contest])[contest.pk].tied == 6
    page = markup(client.get("/contests/"))
    feed = client.get("/feeds/results.atom").content.decode()
    assert "6 players tied" in page
    assert "6 players tied." in feed
    assert "Winner" not in feed
    won = make_duels(sizes=(5, 1))[0]
    assert winners_of([won])[won.pk].tied == 0


def test_a_drawn_game_has_no_winners(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 1)])
    rate(contest.series)
    assert winners_of([contest])[contest.pk].tied == 2
    assert "ann drew with bob" in Page(client.get("/contests/")).text
    assert "Result ann drew with bob" in Page(client.get("/")).text
    page = client.get(contest.get_absolute_url())
    assert page.context["podium"] == []
    assert "contest-podium" not in page.content.decode()
    feed = client.get("/feeds/results.atom").content.decode()
    assert "Draw. 2 participants." in feed
    assert "Winner" not in feed
    bye = make_contest(contest.series, standings=[("ann", 1)], day=7)
    assert winners_of([bye])[bye.pk].tied == 0


def test_named_teams_keep_their_names(client):
    contest = make_duels(named=True)[2]
    assert winners_of([contest])[contest.pk].team == "Blues"
    assert story_of(client, contest).startswith("Blues beat Reds. By rating, Reds was the favourite")


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((4, 3), "The team of b0, b1 and one more beat the team of a0, a1 and 2 more. By rating, the team of a0, a1"),
        ((2, 2), "The team of b0 and b1 beat the team of a0 and a1. By rating, the team of a0 and a1 was the"),
    ],
)
def test_the_story_names_the_members(client, sizes, words):
    assert story_of(client, make_duels(sizes=sizes)[2]).startswith(words)


def test_no_page_shows_the_label_of_the_file(client):
    contest = make_duels()[2]
    assert Standing.objects.filter(contest=contest, team="team 1").exists()
    texts = {}
    for language in ("en", "de"):
        for page in (
            "/contests/",
            "/",
            "/c/main/series/cup/",
            "",
            "analysis/",
            "why/a0/",
            "/c/main/players/a0/?view=results",
        ):
            address = page if page.startswith("/") else f"/contests/{contest.pk}/{page}"
            with translation.override(language):
                answer = client.get(address, headers={"Accept-Language": language})
            texts[language, page] = Page(answer).text
            assert "team 1" not in texts[language, page], page
            assert "team 2" not in texts[language, page], page
    assert "b0, b1 and one more" in texts["en", "why/a0/"]
    assert "b0, b1 und ein weiterer" in texts["de", "why/a0/"]
    assert "Team 1" in texts["en", ""]
    assert "Mannschaft 1" in texts["de", ""]
    assert "Die Mannschaft von b0, b1 und einem weiteren schlug" in texts["de", ""]


def test_the_number_of_queries_does_not_grow_with_the_teams(client):
    numbers = []
    for sizes in ((2, 2), (30, 20)):
        contest = make_duels(sizes=sizes)[2]
        client.get(f"/contests/{contest.pk}/")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(f"/contests/{contest.pk}/")
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]
