"""The list of contests."""

from datetime import timedelta

import pytest
from django.utils import timezone

from contests.services.contests import delete_contest
from tests.factories import make_community, make_contest, make_series, make_user, rate
from tests.pages import Page, markup
from web.public.contest import views

pytestmark = pytest.mark.django_db


def rows_of(client, address="/contests/"):
    page = Page(client.get(address))
    return [row[0].split(" ")[0] for row in page.tables[0][1:]] if page.tables else []


def test_contests_are_listed_newest_first_with_winner_and_participants(client):
    cup = make_series("cup", name="Harbour Cup")
    make_contest(cup, name="Spring", standings=[("ann", 1), ("bob", 2)], day=1)
    make_contest(cup, name="Summer", standings=[("bob", 1), ("ann", 2), ("cid", 3)], day=2)
    page = Page(client.get("/contests/"))
    summer, spring = page.tables[0][1:]
    assert summer[0].startswith("Summer")
    assert spring[0].startswith("Spring")
    assert summer[1:] == ["Harbour Cup", "bob", "3", "8 Jan 2024"]
    assert spring[1:] == ["Harbour Cup", "ann beat bob", "2", "7 Jan 2024"]


def test_the_series_is_named_below_the_contest_where_it_has_no_column(client):
    cup = make_series("cup", name="Harbour Cup")
    make_contest(cup, name="Round 1", players=2)
    later = timezone.now() + timedelta(days=1)
    make_contest(cup, name="Round 2", finalized=False, is_announced=True, ends_at=later)
    line = '<span class="sub hide-wide"><bdi>Harbour Cup</bdi></span>'
    assert markup(client.get("/contests/")).count(line) == 2
    assert "hide-wide" not in markup(client.get("/contests/?series=cup"))
    make_community("club", name="Club")
    assert '<span class="sub hide-wide"><bdi>Main</bdi> · <bdi>Harbour Cup</bdi></span>' in markup(
        client.get("/contests/")
    )


def test_only_some_of_many_winners_are_named(client):
    make_contest(standings=[("last", 44), *((f"w{number}", 1) for number in range(43))])
    page = Page(client.get("/contests/"))
    assert page.tables[0][1][2] == "w0, w1, w2 and 40 more"


def test_a_winning_team_is_listed_once(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 1), ("cid", 3)], has_teams=True, is_rated=False)
    contest.standings.filter(rank=1).update(team="The Anchors")
    assert Page(client.get("/contests/")).tables[0][1][2] == "The Anchors"


def test_unusual_contests_have_badges(client):
    make_contest(name="Odd", players=2, weight=0.5, is_rated=False)
    assert "Odd Unrated Weight 0.5" in Page(client.get("/contests/")).text


def test_one_series_can_be_chosen(client):
    make_contest(make_series("one"), name="First", players=2)
    make_contest(make_series("two"), name="Second", players=2)
    assert rows_of(client, "/contests/?series=two") == ["Second"]
    page = Page(client.get("/contests/?series=three"))
    assert page.status == 404
    assert "There is no series “three”" in page.text


def test_drafts_deleted_contests_and_private_series_are_not_listed(client):
    make_contest(name="Draft", players=2, finalized=False)
    gone = make_contest(name="Gone", players=2)
    delete_contest(gone.pk, reason="entered twice", actor=None)
    make_contest(make_series(is_public=False), name="Secret", players=2)
    make_contest(name="Open", players=2)
    assert rows_of(client) == ["Open"]


def test_organizers_see_the_contests_of_their_private_series(client):
    ida = make_user("ida")
    make_contest(make_series(is_public=False, organizer=ida), name="Mine", players=2)
    make_contest(make_series(is_public=False), name="Other", players=2)
    make_contest(name="Open", players=2)
    client.force_login(ida)
    assert sorted(rows_of(client)) == ["Mine", "Open"]


def test_pages_show_every_contest_once(client):
    series = make_series()
    for number in range(53):
        make_contest(series, name=f"c{number:02}", players=2)
    first, second = rows_of(client, "/contests/"), rows_of(client, "/contests/?page=2")
    assert (len(first), len(second)) == (50, 3)
    assert sorted(first + second) == [f"c{number:02}" for number in range(53)]


def test_pages_near_the_end_have_the_same_order(client):
    series = make_series()
    for number in range(212):
        make_contest(series, name=f"c{number:03}", players=2, day=number // 2)
    pages = [rows_of(client, f"/contests/?page={page}") for page in range(1, 6)]
    assert [len(page) for page in pages] == [50, 50, 50, 50, 12]
    assert [name for page in pages for name in page] == [f"c{number:03}" for number in reversed(range(212))]
    make_contest(series, name="newest", players=2)
    assert len(rows_of(client, "/contests/?page=5")) == 13, "page numbers follow the current list"


def test_very_many_series_have_no_menu_but_can_be_requested(client, monkeypatch):
    monkeypatch.setattr(views, "MOST_LISTED", 2)
    for slug in ("one", "two", "three"):
        make_contest(make_series(slug), name=slug, players=2)
    assert '<select id="series"' not in client.get("/contests/").content.decode()
    assert rows_of(client, "/contests/?series=two") == ["two"]
    assert 'name="series" value="two"' in client.get("/contests/?series=two").content.decode()


@pytest.mark.parametrize("asked", ["7", "-1", "0", "x", "1.5", "9" * 5000, "\x00", "٣"])
def test_a_page_that_does_not_exist_says_so_and_shows_the_nearest(client, asked):
    make_contest(players=2)
    response = client.get("/contests/", {"page": asked})
    if asked == "\x00":  # empty without the NUL, so no page was asked for
        assert response.status_code == 200
        return
    page = Page(response)
    assert page.status == 404
    assert f"There is no page “{asked[:20]}”" in page.text
    assert len(page.tables[0]) == 2


def test_without_contests_the_page_says_when_there_will_be_some(client):
    page = Page(client.get("/contests/"))
    assert page.status == 200
    assert "No contest has results yet" in page.text


def test_games_name_both_players(client):
    game = make_contest(standings=[("bob", 1), ("ann", 2)])
    rate(game.series)
    for address in ("/contests/", "/"):
        assert "bob beat ann" in Page(client.get(address)).text, address
    page = Page(client.get(game.series.get_absolute_url()))
    assert "bob beat ann" in page.text


def test_no_one_is_beaten_without_play(client):
    game = make_contest(standings=[("bob", 1), ("ann", 2)])
    rate(game.series)
    type(game).objects.filter(pk=game.pk).update(is_walkover=True, is_rated=False)
    text = Page(client.get("/contests/")).text
    assert "Winner: bob" in text
    assert "beat" not in text


def test_a_contest_of_three_names_its_winner_only(client):
    rate(make_contest(standings=[("bob", 1), ("ann", 2), ("cid", 3)]).series)
    text = Page(client.get("/contests/")).text
    assert "Winner: bob" in text
    assert "beat" not in text
