"""Adding a player to a contest: a new name that resembles a known one is asked about once."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.models import Player
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db

ASKED = "No player has the handle “Katharna”, but similar names are known: Katharina"


@pytest.fixture
def series(client):
    ida = make_user("ida")
    client.force_login(ida)
    series = make_series("cup", organizer=ida)
    make_contest(series, standings=[("Katharina", 1), ("Dieter", 2)])
    return series


def address_of(contest):
    return reverse("organize:standing-add", args=[contest.pk])


def fields(contest, handle, **more):
    return {
        "handle": handle, "status": "ranked", "place": "3", "reason": "forgotten", "version": contest.version, **more
    }  # fmt: skip


@pytest.mark.parametrize("is_finalized", [True, False])
def test_a_misspelt_name_is_asked_about_once(client, series, is_finalized):
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)], day=7, finalized=is_finalized)
    rate(series)
    asked = client.post(address_of(contest), fields(contest, "Katharna"))
    assert ASKED in Page(asked).text
    assert 'name="use_handle" value="Katharina"' in asked.content.decode()
    chosen = client.post(address_of(contest), fields(contest, "Katharna", use_handle="Katharina"))
    form = chosen.context["form"]
    assert [form[name].value() for name in ("handle", "place", "reason")] == ["Katharina", "3", "forgotten"]
    assert ASKED not in Page(chosen).text
    contest.refresh_from_db()
    assert contest.standing_count == 2, "choosing a name adds nothing"
    added = client.post(address_of(contest), fields(contest, "Katharna", asked="Katharna"))
    assert added.status_code == 302
    assert added["Location"].startswith(
        reverse("organize:change") if is_finalized else reverse("organize:contest", args=[contest.pk])
    )
    assert Player.objects.filter(handle="Katharna").exists() is not is_finalized


@pytest.mark.parametrize(("handle", "is_new"), [("Zora", True), ("DIETER", False)])
def test_the_confirmation_page_says_that_an_unknown_handle_becomes_a_new_player(client, series, handle, is_new):
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)], day=7)
    rate(series)
    added = client.post(address_of(contest), fields(contest, handle), follow=True)
    page = Page(added)
    assert page.status == 200
    assert (f"Podium does not know “{handle}” yet, so it will create a new player." in page.text) is is_new


def test_players_of_the_contest_and_known_names_are_not_asked_about(client, series):
    contest = make_contest(series, standings=[("Katharina", 1), ("bob", 2)], day=7, finalized=False)
    assert client.post(address_of(contest), fields(contest, "Dieter")).status_code == 302
    contest.refresh_from_db()
    assert client.post(address_of(contest), fields(contest, "Katharna", place="4")).status_code == 302
    contest.refresh_from_db()
    assert contest.standing_count == 4


def test_only_rows_that_share_their_place_keep_sharing_by_default(client, series):
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 2), ("eve", 4)], day=7)
    kept = {}
    for row in contest.standings.select_related("player"):
        form = client.get(reverse("organize:correct", args=[row.pk])).context["form"]
        kept[row.player.handle] = form["shares_place"].value()
    assert kept == {"ann": False, "bob": True, "cem": True, "eve": False}
    assert client.get(address_of(contest)).context["form"]["shares_place"].value() is False


def test_members_of_one_team_do_not_share_their_place_with_others(client, series):
    rows = [("ann", 1, "red"), ("bob", 1, "red"), ("cem", 2, "blue")]
    contest = make_contest(series, standings=[row[:2] for row in rows], day=7)
    for handle, _place, team in rows:
        contest.standings.filter(player__handle=handle).update(team=team)
    row = contest.standings.get(player__handle="ann")
    assert client.get(reverse("organize:correct", args=[row.pk])).context["form"]["shares_place"].value() is False
