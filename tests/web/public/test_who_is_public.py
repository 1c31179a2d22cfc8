"""Players who appear only in hidden results are visible only to the organizers of those results."""

import pytest
from django.test import Client

from contests.formats import read_contests
from contests.handles import handle_key
from contests.models import Contest, Player, PlayerAlias
from contests.services.contests import delete_contest, save_standings
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def ida():
    return make_user("ida")


def hidden_in_a_private_series(ida):
    make_contest(make_series("secret", is_public=False, organizer=ida), standings=[("hidden-one", 1), ("x", 2)])


def hidden_in_a_draft(ida):
    make_contest(make_series("open", organizer=ida), standings=[("hidden-one", 1), ("x", 2)], finalized=False)


@pytest.mark.parametrize("made", [hidden_in_a_private_series, hidden_in_a_draft])
def test_others_do_not_find_hidden_players_and_pages_do_not_link_to_them(client, ida, made):
    made(ida)
    public = make_contest(standings=[("ann", 1), ("hidden-not", 2)])
    addresses = ["/players/?q=hidden", "/c/main/players/hidden-on/", f"/contests/{public.pk}/?find=hidden-one"]
    found = [client.get(address) for address in addresses]
    assert [answer.status_code for answer in found] == [200, 404, 200]
    assert all("/c/main/players/hidden-one/" not in answer.content.decode() for answer in found)
    assert "hidden-not" in Page(found[0]).text
    assert "No participant has the handle “hidden-one”" in Page(found[2]).text


@pytest.mark.parametrize("made", [hidden_in_a_private_series, hidden_in_a_draft])
def test_their_own_pages_answer_others_as_if_there_were_no_such_handle(client, ida, made):
    made(ida)
    player = Player.objects.get(handle="hidden-one")
    Player.objects.filter(pk=player.pk).update(name="Greta Gray", country="NO")
    PlayerAlias.objects.create(player=player, handle="once-hidden", handle_key=handle_key("once-hidden"))
    for page in ("players", "histories"):
        hidden, nobody, alias = (
            client.get(f"/c/main/{page}/{name}/") for name in ("hidden-one", "nobody-one", "once-hidden")
        )
        assert [hidden.status_code, nobody.status_code, alias.status_code] == [404, 404, 404]
        assert hidden.content.replace(b"hidden-one", b"") == nobody.content.replace(b"nobody-one", b"")


@pytest.mark.parametrize("made", [hidden_in_a_private_series, hidden_in_a_draft])
def test_organizers_of_the_series_find_hidden_players(client, ida, made):
    made(ida)
    client.force_login(ida)
    assert "/c/main/players/hidden-one/" in client.get("/players/?q=hidden").content.decode()
    assert client.get("/c/main/players/hidden-one/").status_code == 200


def test_players_of_a_public_contest_are_seen_even_if_it_was_deleted(client):
    contest = make_contest(standings=[("ann", 1), ("bob", 2)])
    rate(contest.series)
    delete_contest(contest.pk, reason="entered twice")
    assert client.get("/c/main/players/ann/").status_code == 200
    rate(contest.series)
    assert client.get("/c/main/players/ann/").status_code == 200
    assert "ann" in Page(client.get("/players/?q=ann")).text


# Players whom a corrected draft has left without a result


HIDDEN = "Ghost-Rider"
FULL = "rank,handle,name,country\n1,Ghost-Rider,Greta Gray,NO\n2,ann,,\n"


def parsed(text):
    return read_contests(text.encode(), filename="standings.csv")[0]


@pytest.fixture
def orphan(ida):
    """A player of a draft that was saved again without the player's row; the others have public results."""
    series = make_series("open", organizer=ida)
    make_contest(series, standings=[("ann", 1), ("ghost-ridge", 2)])
    rate(series)
    draft = make_contest(series, finalized=False)
    save_standings(draft.pk, parsed=parsed(FULL))
    save_standings(draft.pk, parsed=parsed("rank,handle\n1,ann\n"))
    return Player.objects.get(handle=HIDDEN)


ADDRESSES = (
    "/c/main/players/{}/",
    "/c/main/players/{}/?view=results",
    "/c/main/histories/{}/",
    "/c/main/cards/{}/",
    "/c/main/badges/{}/",
    "/c/main/widgets/{}/",
    "/api/v1/communities/main/players/{}/",
    "/api/v1/communities/main/players/{}/history/",
    "/search/?q={}",
    "/players/?q={}",
    "/suggest/?q={}",
    "/suggest/?q={}&kind=players&series=open",
    "/api/v1/players/?search={}",
    "/api/v1/communities/main/series/open/leaderboard/?search={}",
    "/compare/?players=ann&players={}",
    "/api/v1/compare/?players=ann&players={}",
    "/c/main/series/open/leaderboard/?find={}",
    "/c/main/series/open/leaderboard/?q={}",
    "/c/main/series/open/what-if/?player={}",
    "/c/main/series/open/match/?a=ann&b={}",
    "/c/main/series/open/opponents/?player={}",
    "/c/main/series/open/pairings/?players=ann,{}",
    "/c/main/series/open/teams/?players=ann,{}",
    "/c/main/series/open/distribution/?player={}",
)


def answers(client, handle):
    """What each address says of a handle, without the handle itself and what differs from answer to answer."""
    said = {}
    for address in ADDRESSES:
        answer = client.get(address.format(handle))
        text = answer.content.replace(handle.encode(), b"").replace(handle.lower().encode(), b"")
        said[address] = answer.status_code, text
    return said


def test_a_player_without_any_result_is_known_to_no_one_but_staff(client, orphan):
    contest = Contest.objects.exclude(finalized_at=None).get()
    for visitor in (client, Client()):
        hidden, nobody = answers(visitor, "Ghost-Rider"), answers(visitor, "Ghost-Rodeo")
        assert [address for address in ADDRESSES if hidden[address] != nobody[address]] == []
        found = visitor.get(f"/contests/{contest.pk}/?find=Ghost-Rider")
        assert "No participant has the handle “Ghost-Rider”" in Page(found).text
        client.force_login(make_user(is_staff=False))
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True))
    assert staff.get("/c/main/players/Ghost-Rider/").status_code == 200


@pytest.mark.parametrize("search", ["Ghost-Ri", "Greta", "ghost rider"])
def test_no_search_finds_a_player_without_any_result(client, orphan, search):
    lists = ("/search/", "/players/", "/suggest/", "/suggest/?kind=players&series=open", "/c/main/players/Ghost-Ride/")
    for visitor in ("anonymous", "another organizer"):
        for path in (*lists, f"/api/v1/players/?search={search}", f"/api/v1/players/?q={search}"):
            text = client.get(path, {"q": search} if "?" not in path else None).content.decode()
            assert HIDDEN not in text, (visitor, path)
            assert "Greta Gray" not in text, (visitor, path)
        client.force_login(make_user())


def test_a_deleted_draft_leaves_its_players_to_its_organizers(client, ida):
    contest = make_contest(make_series("open", organizer=ida), standings=[("onlooker", 1)], finalized=False)
    delete_contest(contest.pk, reason="")
    assert client.get("/c/main/players/onlooker/").status_code == 404
    client.force_login(make_user())
    assert client.get("/c/main/players/onlooker/").status_code == 404
    client.force_login(ida)
    assert client.get("/c/main/players/onlooker/").status_code == 200


def test_a_deleted_contest_of_a_private_series_shows_no_one(client, ida):
    contest = make_contest(make_series("secret", is_public=False, organizer=ida), standings=[("onlooker", 1), ("x", 2)])
    rate(contest.series)
    delete_contest(contest.pk, reason="entered twice")
    rate(contest.series)
    for path in ("/c/main/players/onlooker/", "/c/main/badges/onlooker/", "/api/v1/communities/main/players/onlooker/"):
        assert client.get(path).status_code == 404, path
    assert "onlooker" not in client.get("/suggest/?q=onlo").content.decode()
    client.force_login(ida)
    assert client.get("/c/main/players/onlooker/").status_code == 200


# Players who are suggested in the review of a file


def suggested_to(organizer, series, handle):
    """Upload a file with the handle as an organizer, and return what the review says."""
    client = Client()
    client.force_login(organizer)
    review = upload(client, make_contest(series, finalized=False), f"rank,handle\n1,{handle}\n2,bob\n")
    return review.content.decode()


def test_a_review_suggests_no_player_from_the_private_series_of_another_organizer(ida, orphan):
    make_contest(make_series("secret", is_public=False, organizer=ida), standings=[("alexander_k", 1), ("x", 2)])
    own = make_series("own", organizer=(eve := make_user("eve")))
    assert "alexander_k" not in suggested_to(eve, own, "alexanderk")
    assert HIDDEN not in suggested_to(eve, own, "ghost rider")
    shared = make_series("shared", organizer=ida)
    assert "alexander_k" in suggested_to(ida, shared, "alexanderk")
    shared.organizers.add(eve)
    assert "alexander_k" not in suggested_to(ida, shared, "alexanderk"), "eve would read it too"


def test_players_whom_the_organizer_cannot_know_are_not_offered_for_merging(client, ida, orphan):
    make_contest(make_series("secret", is_public=False, organizer=ida), standings=[("alexander_k", 1), ("x", 2)])
    own = make_series("own", organizer=(eve := make_user("eve")))
    make_contest(own, standings=[("alexanderk", 1), ("ghostrider", 2)])
    client.force_login(eve)
    for handle, secret in (("alexanderk", "alexander_k"), ("ghostrider", HIDDEN)):
        address = f"/organize/people/{Player.objects.get(handle=handle).pk}/merge/"
        assert secret not in client.get(address).content.decode()
        refused = client.get(address, {"with": secret})
        assert f"No player has the handle “{secret}”" in Page(refused).text
