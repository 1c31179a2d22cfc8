"""The players listed by default: established and recently active players, on each page that names the best ones."""

from __future__ import annotations

import pytest

from tests.factories import make_contest, make_series, rate
from tests.pages import Page, markup
from web.public.share.figures import subject_of

pytestmark = pytest.mark.django_db

REGULARS = [f"r{number:02d}" for number in range(12)]


@pytest.fixture
def cup():
    """
    Twelve regulars play eleven contests within 100 days.

    Long before, "old" won eight contests; "one" won the newest contest and played no other.
    """
    series = make_series("cup")
    for day in range(8):
        make_contest(series, standings=[("old", 1), *((handle, 2) for handle in REGULARS)], day=day)
    for day in range(1000, 1100, 10):
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(REGULARS, 1)], day=day)
    make_contest(
        series, standings=[("one", 1), *((handle, place) for place, handle in enumerate(REGULARS, 2))], day=1100
    )
    rate(series)
    return series


def board(client, query=""):
    return Page(client.get(f"/c/main/series/cup/leaderboard/{query}"))


def column(page, heading):
    table = page.tables[0]
    return [row[table[0].index(heading)].split()[0] for row in table[1:]]


def test_a_leaderboard_lists_established_and_active_players_by_default(client, cup):
    page = board(client)
    assert sorted(column(page, "Player")) == REGULARS
    assert column(page, "Rank") == [str(rank) for rank in range(1, 13)]
    assert "At least 5 rated contests" in page.text
    assert "within 365 days" in page.text


def test_a_toggle_in_the_address_switches_to_everyone_and_back(client, cup):
    assert board(client).links["Everyone 14"].endswith("?show=everyone")
    page = board(client, "?show=everyone")
    assert sorted(column(page, "Player")) == sorted(["old", "one", *REGULARS])
    assert page.links["Established 12"].endswith("?show=established")
    assert sorted(column(board(client, "?show=established"), "Player")) == REGULARS


def test_the_rank_among_everyone_stands_beside_the_rank_in_the_list_and_on_the_player_page(client, cup):
    everyone = board(client, "?show=everyone")
    overall = dict(zip(column(everyone, "Player"), column(everyone, "Rank"), strict=True))
    page = board(client)
    assert dict(zip(column(page, "Player"), column(page, "Overall rank"), strict=True)) == {
        handle: overall[handle] for handle in REGULARS
    }
    best, overall_of_one = column(page, "Player")[0], overall["one"]
    text = Page(client.get(f"/c/main/players/{best}/")).text
    assert f"Rank 1 of 12 in Cup {overall[best]} of 14 including new and inactive players" in text
    newcomer = Page(client.get("/c/main/players/one/")).text
    assert f"Rank {overall_of_one} of 14 in Cup" in newcomer
    assert "inactive players" not in newcomer
    for handle, line in ((best, "rank 1 of 12"), ("one", f"rank {overall_of_one} of 14")):
        assert f"{line} · peak" in Page(client.get(f"/c/main/widgets/{handle}/")).text
        figures = subject_of("main", handle, "cup").figures
        assert f"rank {figures.rank} of {figures.total}" == line, "cards"
        assert f", {line}, peak" in client.get(f"/c/main/players/{handle}/").content.decode(), "descriptions of links"


def test_a_search_and_other_filters_look_at_everyone_unless_the_address_says_otherwise(client, cup):
    assert column(board(client, "?q=ol"), "Player") == ["old"]
    assert "No players found" in board(client, "?q=ol&show=established").text
    assert "one" in column(board(client, "?min=1"), "Player")
    assert board(client, "?min=1").links["Established 12"] == "?min=1&show=established"


def test_a_player_who_is_not_in_the_default_list_is_found_among_everyone(client, cup):
    page = board(client, "?player=old")
    assert "old" in column(page, "Player")
    assert page.status == 200
    assert "doesn’t match" in board(client, "?player=old&show=established").text


def test_the_best_on_the_pages_of_the_series_and_of_the_site_are_those_of_the_leaderboard(client, cup):
    top = column(board(client), "Player")
    series = Page(client.get("/c/main/series/cup/"))
    assert column(series, "Player") == top[:10]
    for address in ("/", "/series/"):
        page = Page(client.get(address))
        assert top[0] in page.links
        assert "one" not in [
            text for text, link in page.links.items() if "series=cup" in link and text in {"old", *top[3:]}
        ]
        assert "old" not in page.links


def test_a_small_series_lists_everyone_and_says_why(client):
    series = make_series("cup")
    make_contest(series, standings=[("old", 1), ("ann", 2), ("bob", 3)], day=0)
    for day in range(1000, 1050, 5):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    page = board(client)
    assert sorted(column(page, "Player")) == ["ann", "bob", "old"]
    assert "Everyone is listed, because only 2 players are established and active" in page.text
    assert sorted(column(board(client, "?show=established"), "Player")) == ["ann", "bob"]


def test_a_new_series_has_no_toggle(client):
    series = make_series("cup")
    make_contest(series, players=20)
    rate(series)
    page = board(client)
    assert len(column(page, "Player")) == 20
    assert "Everyone" not in page.text


def test_a_series_with_a_contest_a_year_needs_fewer_contests_over_more_years(client):
    """The window has only three contests, so no one can have played five. Half of three, rounded up to 2, is enough."""
    series = make_series("cup")
    regulars = [f"r{number}" for number in range(10)]
    for year in range(6):
        rows = [("once", 1)] if year == 5 else []
        rows += [(handle, place) for place, handle in enumerate(regulars[year % 2 :: 2], 2)]
        make_contest(series, standings=rows, day=366 * year)
    rate(series)
    page = board(client)
    assert sorted(column(page, "Player")) == regulars
    assert "At least 2 rated contests" in page.text
    assert "one of them among the three newest contests" in page.text
    # The fifth contest of a regular is years away, and an established player's rating isn't provisional.
    established = Page(client.get("/c/main/players/r0/"))
    assert "Rank 1 of 10 in Cup" in established.text
    assert "The rating is based on only a few contests" not in established.text
    assert "The rating is based on only a few contests" in Page(client.get("/c/main/players/once/")).text


def test_an_invalid_choice_is_explained(client, cup):
    page = board(client, "?show=friends")
    assert page.status == 404
    assert "“friends”" in page.text


def test_pages_and_forms_keep_the_choice(client, cup):
    content = markup(client.get("/c/main/series/cup/leaderboard/?show=everyone"))
    assert content.count('<input type="hidden" name="show" value="everyone">') == 2


def test_the_interface_lists_everyone_and_filters_when_asked(client, cup):
    address = "/api/v1/communities/main/series/cup/leaderboard/"
    assert client.get(address).json()["count"] == 14
    established = client.get(address, {"established": "true"}).json()
    assert sorted(row["player"]["handle"] for row in established["results"]) == REGULARS
    assert client.get(address, {"min_contests": 8}).json()["count"] == 13
    assert client.get(address, {"active_days": 50}).json()["count"] == 13
    assert client.get(address, {"min_contests": 0}).status_code == 400


@pytest.mark.parametrize("page", ["what-if", "opponents"])
def test_examples_of_players_are_from_the_default_list(client, cup, page):
    links = [address for address in Page(client.get(f"/c/main/series/cup/{page}/")).links.values()]
    players = [address.removeprefix("?player=") for address in links if address.startswith("?player=")]
    assert len(players) == 6
    assert set(players) <= set(REGULARS)


def test_comparisons_suggest_players_from_the_default_list(client, cup):
    text = Page(client.get("/compare/?series=cup&players=r05,r06")).text
    assert "Add a top player: + r0" in text
    assert not {"+ one", "+ old"} & {text[at : at + 5] for at in range(len(text))}
