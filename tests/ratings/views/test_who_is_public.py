"""Players known from what is not public are known to its organizers alone."""

import pytest

from contests.handles import handle_key
from contests.models import Player, PlayerAlias
from contests.services.finalizing import delete_contest
from tests.factories import make_contest, make_player, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def ida():
    return make_user("ida")


def hidden_in_a_private_series(ida):
    make_contest(make_series("secret", is_public=False, organizer=ida), standings=[("hidden-one", 1), ("x", 2)])


def hidden_in_a_draft(ida):
    make_contest(make_series("open", organizer=ida), standings=[("hidden-one", 1), ("x", 2)], finalized=False)


@pytest.mark.parametrize("made", [hidden_in_a_private_series, hidden_in_a_draft])
def test_others_do_not_find_them_and_read_nothing_of_whom_they_know(client, ida, made):
    made(ida)
    public = make_contest(standings=[("ann", 1), ("hidden-not", 2)])
    addresses = ["/players/?q=hidden", "/players/hidden-on/", f"/contests/{public.pk}/?find=hidden-one"]
    found = [client.get(address) for address in addresses]
    assert [answer.status_code for answer in found] == [200, 404, 200]
    assert all("/players/hidden-one/" not in answer.content.decode() for answer in found)
    assert "hidden-not" in Page(found[0]).text
    assert "Nobody here is called “hidden-one”" in Page(found[2]).text


@pytest.mark.parametrize("made", [hidden_in_a_private_series, hidden_in_a_draft])
def test_their_own_pages_answer_others_as_if_there_were_nobody_of_that_handle(client, ida, made):
    made(ida)
    player = Player.objects.get(handle="hidden-one")
    Player.objects.filter(pk=player.pk).update(name="Greta Gray", country="NO")
    PlayerAlias.objects.create(player=player, handle="once-hidden", handle_key=handle_key("once-hidden"))
    for page in ("players", "histories"):
        hidden, nobody, alias = (client.get(f"/{page}/{name}/") for name in ("hidden-one", "nobody-one", "once-hidden"))
        assert [hidden.status_code, nobody.status_code, alias.status_code] == [404, 404, 404]
        assert hidden.content.replace(b"hidden-one", b"") == nobody.content.replace(b"nobody-one", b"")


@pytest.mark.parametrize("made", [hidden_in_a_private_series, hidden_in_a_draft])
def test_organizers_of_the_series_do(client, ida, made):
    made(ida)
    client.force_login(ida)
    assert "/players/hidden-one/" in client.get("/players/?q=hidden").content.decode()
    assert client.get("/players/hidden-one/").status_code == 200


def test_whoever_stood_in_a_public_contest_is_seen_even_if_it_was_deleted(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    rate(contest.series)
    delete_contest(contest.pk, reason="entered twice")
    assert client.get("/players/ann/").status_code == 200
    rate(contest.series)
    assert client.get("/players/ann/").status_code == 200
    assert "ann" in Page(client.get("/players/?q=ann")).text


def test_a_player_without_any_result_is_nobody_elses_secret(client):
    make_player("onlooker")
    assert client.get("/players/onlooker/").status_code == 200
