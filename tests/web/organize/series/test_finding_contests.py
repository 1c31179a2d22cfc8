"""
The contests on the page of a series: finalized ones are found by their name or players, games show their result, and
each has its number of rows or games.
"""

import re
from datetime import date

import pytest
from django.urls import reverse

from contests.services.events import GameEntry, add_game
from tests.factories import make_contest, make_series
from tests.pages import Page
from web.organize.series import views

pytestmark = pytest.mark.django_db


@pytest.fixture
def page_of(organizer, series, monkeypatch):
    monkeypatch.setattr(views, "CONTESTS_PER_PAGE", 3)
    for day, name in enumerate(("Spring Cup", "Summer Cup", "Autumn Cup", "Winter Run")):
        make_contest(series, standings=[("ann", 1), ("bob", 2), (f"guest{day}", 3)], day=day, name=name)
    # Another series of the community has the same players.
    other = make_series("other-cup", organizer=series.organizers.get())
    make_contest(other, standings=[("guest0", 1)], name="Elsewhere")
    return lambda **query: organizer.get(reverse("organize:series", args=[series]), query)


def names(response):
    return set(re.findall(r'<a href="/organize/contests/\d+/"><bdi>([^<]+)', response.content.decode()))


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("cup", {"Spring Cup", "Summer Cup", "Autumn Cup"}),
        ("GUEST0", {"Spring Cup"}),
        ("winter", {"Winter Run"}),
        ("nobody-known", set()),
        ("%", set()),
    ],
)
def test_contests_are_found_by_their_names_and_players(page_of, search, found):
    page = page_of(q=search)
    assert names(page) == found
    text = Page(page).text
    assert f"{len(found)} contest" in text
    assert "Show all" in text
    assert "No contest yet" not in text


def test_without_a_search_the_newest_are_listed_and_can_be_searched(page_of):
    page = page_of()
    assert names(page) == {"Winter Run", "Autumn Cup", "Summer Cup"}
    assert "Show all" not in Page(page).text


def test_many_players_with_the_text_in_their_names_are_not_all_looked_up(page_of, monkeypatch):
    monkeypatch.setattr(views, "PLAYERS_SEARCHED", 2)
    text = Page(page_of(q="guest")).text
    assert "2 contests with “guest”" in text
    assert "the list shows the contests of only 2 of them" in text
    assert "Many players" not in Page(page_of(q="guest0")).text


def test_two_rows_that_are_no_game_have_no_result(organizer, series):
    make_contest(series, standings=[("ann", 1, 3.0), ("bob", 2, 1.0, "disqualified")])
    make_contest(series, standings=[("ann", 1), ("bob", 2)], has_times=True)
    text = Page(organizer.get(reverse("organize:series", args=[series]))).text
    assert "ann 3" not in text
    assert "ann 1–0" not in text


def test_a_game_is_listed_with_its_players_and_result_and_an_event_is_found_by_its_games(organizer, series):
    make_contest(series, standings=[("ann", 1, 3.0), ("bob", 2, 1.0)], name="Duel")
    add_game(series.pk, entry=GameEntry(("eve", "dan"), 1, date(2025, 5, 1)))
    event = series.contests.get(is_event=True)
    path = reverse("organize:series", args=[series])
    assert "ann 3–1 bob" in Page(organizer.get(path)).text
    assert names(organizer.get(path, {"q": "eve"})) == {event.name}


@pytest.mark.parametrize("needs_approval", [True, False])
def test_drafts_and_finalized_events_have_their_number_of_games(organizer, ida, series, needs_approval):
    make_contest(series, players=7, finalized=not needs_approval)
    series.needs_approval = needs_approval
    series.save()
    for winner, games in ((1, "1 game"), (-1, "2 games"), (0, "3 games")):
        add_game(series.pk, entry=GameEntry(("eve", "dan"), winner, date(2025, 5, 1)), actor=ida)
        assert series.contests.get(is_event=True).is_draft == needs_approval
        page = organizer.get(reverse("organize:series", args=[series]))
        assert sizes(page) == {games, "7"}, "a game has two players, but counts as one"


def sizes(response):
    """Return the column of rows and games of the tables."""
    cells = re.findall(r'<td class="num[^>]*>(.*?)</td>', response.content.decode(), re.DOTALL)
    return {" ".join(cell.split()) for cell in cells}
