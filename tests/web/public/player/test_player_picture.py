"""Pictures of players: who may change them, who sees them, and where pages, cards and programs show them."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from PIL import Image

from accounts.tokens import create_token
from contests.models import AuditEntry, Player, PlayerClaim
from contests.services.communities import describe_community, set_role
from contests.services.merging import merge_players
from contests.services.pictures import set_picture
from tests.contests.services.test_pictures import photo
from tests.factories import make_community, make_contest, make_player, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    make_community("main", owner=make_user("olga"))
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cid", 3)])
    rate(series)
    return series


def signed_in(username: str) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.filter(username=username).first() or make_user(username))
    return client


def address_of(handle: str) -> str:
    return make_player(handle).picture_address


def as_file(content: bytes, name: str = "me.jpg") -> dict[str, SimpleUploadedFile]:
    return {"picture": SimpleUploadedFile(name, content)}


def change_by_organizer(player: Player) -> str:
    return reverse("organize:person-picture", args=[player.pk])


def test_an_organizer_adds_replaces_and_removes_a_picture(cup):
    olga, ann = signed_in("olga"), make_player("ann")
    page = reverse("organize:person", args=[ann.pk])
    assert Page(olga.get(page)).links["Add a picture"] == change_by_organizer(ann)
    addresses = set()
    for content in (photo(), photo(colour="#ffff00")):
        assert olga.post(change_by_organizer(ann), as_file(content)).url == page
        addresses.add(address_of("ann"))
        assert address_of("ann") in olga.get(page).content.decode()
        assert Client().get(address_of("ann")).status_code == 200
    assert len(addresses) == 2, "a new picture has a new address, so that no browser shows the old one"
    assert "changed the picture of" in Page(olga.get(page)).text
    assert olga.post(change_by_organizer(ann), {"remove": "yes"}).url == page
    assert [Client().get(address).status_code for address in addresses] == [404, 404]
    assert set(AuditEntry.objects.filter(action="player.picture").values_list("actor__username", flat=True)) == {"olga"}


def test_the_account_of_a_player_changes_only_its_own_picture(cup):
    ann, bob = make_player("ann"), make_player("bob")
    PlayerClaim.objects.create(community_id="main", player=ann, user=make_user("anna"))
    anna = signed_in("anna")
    own, others = (reverse("own-picture", args=[player.pk]) for player in (ann, bob))
    assert Page(anna.get(reverse("my-games"))).links["Add a picture"] == own
    assert anna.post(own, as_file(photo())).url == reverse("my-games")
    assert address_of("ann") in anna.get(own).content.decode()
    for client, address in ((anna, others), (signed_in("olga"), own), (signed_in("eve"), own)):
        assert client.post(address, as_file(photo(colour="#ffff00"))).status_code == 404
        assert client.post(address, {"remove": "yes"}).status_code == 404
    assert Client().post(own, {"remove": "yes"}).status_code == 302
    assert anna.post(change_by_organizer(ann), {"remove": "yes"}).status_code == 403
    assert address_of("ann")
    assert not address_of("bob")
    assert anna.post(own, {"remove": "yes"}).url == reverse("my-games")
    assert not address_of("ann")


def test_people_without_a_role_in_the_whole_community_change_nothing(cup):
    ann = make_player("ann")
    make_community("other", owner=make_user("eve"))
    set_role("main", make_user("vera"), "viewer")
    cup.organizers.add(make_user("sam"))
    for username in ("eve", "vera", "sam"):
        client = signed_in(username)
        assert client.post(change_by_organizer(ann), as_file(photo())).status_code == 403
    assert not address_of("ann")


def test_a_wrong_file_has_an_error_at_the_field_and_changes_nothing(cup):
    olga, ann = signed_in("olga"), make_player("ann")
    before = set_picture(ann.pk, photo()).picture
    for content, words in (
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image"),
        (photo()[:90], "damaged"),
        (photo(300, 40), "at least 64 pixels wide and high"),
        (bytes(8 * 2**20 + 1), "larger than 8 MB"),
        (b"", "empty"),
    ):
        answer = olga.post(change_by_organizer(ann), as_file(content))
        assert answer.status_code == 422
        assert words in answer.context["form"].errors["picture"][0]
        assert words in Page(answer).text
    assert "Choose an image file first." in Page(olga.post(change_by_organizer(ann))).text
    assert make_player("ann").picture == before


def test_the_file_is_webp_with_safe_headers_and_only_at_its_present_address(cup):
    address = set_picture(make_player("ann").pk, photo()).picture_address
    answer = Client().get(address)
    assert answer["Content-Type"] == "image/webp"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"] == "inline"
    assert answer["Cache-Control"] == "public, max-age=86400, s-maxage=120, immutable"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert Image.open(io.BytesIO(answer.content)).size == (256, 256)
    ann, bob = make_player("ann"), make_player("bob")
    for wrong in (("main", ann.pk, "0" * 16), ("main", bob.pk, ann.picture), ("other", ann.pk, ann.picture)):
        assert Client().get(reverse("player-picture", args=wrong)).status_code == 404


def test_pictures_in_private_places_are_for_those_who_may_see_the_player(cup):
    set_role("main", make_user("vera"), "viewer")
    secret = make_series("secret", is_public=False)
    make_contest(secret, standings=[("zoe", 1), ("ann", 2)])
    zoe, ann = make_player("zoe"), make_player("ann")
    PlayerClaim.objects.create(community_id="main", player=zoe, user=make_user("account-of-zoe"))
    hidden, shown = (set_picture(player.pk, photo()).picture_address for player in (zoe, ann))
    outsiders = [Client(), signed_in("eve")]
    insiders = [signed_in("olga"), signed_in("vera"), signed_in("account-of-zoe")]
    assert {client.get(hidden).status_code for client in outsiders} == {404}
    assert {client.get(hidden)["Cache-Control"] for client in insiders} == {"private, max-age=86400, immutable"}
    assert {client.get(shown).status_code for client in outsiders + insiders} == {200}
    describe_community("main", name="Main", description="", visibility="private")
    assert {client.get(shown).status_code for client in outsiders} == {404}
    assert "private" in insiders[0].get(shown)["Cache-Control"]


def test_pages_cards_suggestions_and_programs_show_the_picture_or_the_initials(cup):
    contest = cup.contests.get()
    pages = ("/c/main/players/ann/", f"/contests/{contest.pk}/", "/compare/?series=cup&players=ann,bob")
    client, card = Client(), "/c/main/cards/ann/"
    before = {page: client.get(page).content.decode() for page in pages}
    plain = client.get(card)
    address = set_picture(make_player("ann").pk, photo()).picture_address
    for page in pages:
        assert "/pictures/" not in before[page]
        text = client.get(page).content.decode()
        assert text.count(f'src="{address}" width="256" height="256" alt=""') == 1, page
        assert before[page].count('class="monogram') == text.count('class="monogram')
    drawn = client.get(card, headers={"If-None-Match": plain["ETag"]})
    assert drawn.status_code == 200, "the card has changed"
    pixel = Image.open(io.BytesIO(drawn.content)).getpixel((64 + 60, 138 + 90))
    assert pixel[0] > 150 > max(pixel[1:]), "the middle of the circle is red"
    (item,) = client.get("/suggest/?q=ann&kind=players").json()["items"]
    assert (item["picture"], item["initials"]) == (address, "A")
    (other,) = client.get("/suggest/?q=bob&kind=players").json()["items"]
    assert other["picture"] == ""
    profile = client.get(f"/api/v1/players/{make_player('ann').pk}/").json()
    assert profile["picture"] == f"http://testserver{address}"
    rows = client.get("/api/v1/communities/main/series/cup/leaderboard/").json()["results"]
    assert [row["player"]["picture"] for row in rows] == [f"http://testserver{address}", None, None]
    series = "communities/main/series/cup"
    for path in (
        "players/?search=ann", "communities/main/players/ann/history/", f"contests/{contest.pk}/standings/",
        f"contests/{contest.pk}/rating-changes/", "compare/?series=main/cup&players=ann,bob",
        f"{series}/opponents/?player=ann", f"{series}/match/?a=ann&b=bob", f"{series}/pairings/?players=ann,bob",
        f"{series}/teams/?players=ann,bob", f"{series}/changes/?since_run=0",
    ):  # fmt: skip
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == 200, answer.content
        assert f"http://testserver{address}" in answer.content.decode(), path


def test_the_picture_of_a_merged_player_vanishes_or_moves(cup):
    make_contest(cup, standings=[("ann", 1), ("bobby", 2)])
    bob, bobby = make_player("bob"), make_player("bobby")
    set_picture(bob.pk, photo())
    gone = set_picture(bobby.pk, photo(colour="#ffff00")).picture_address
    assert Client().get(gone).status_code == 200
    merge_players(bob.pk, bobby.pk, reason="one person")
    assert {Client().get(gone).status_code, signed_in("olga").get(gone).status_code} == {404}
    assert Client().get(address_of("bob")).status_code == 200


def test_pages_take_the_same_queries_with_pictures(cup):
    client, contest = Client(), cup.contests.get()
    pages = ("/c/main/players/ann/", f"/contests/{contest.pk}/", "/compare/?series=cup&players=ann,bob,cid")
    counts: list[list[int]] = []
    for content in (None, None, photo()):  # the first round fills the caches
        for handle in ("ann", "bob", "cid"):
            set_picture(make_player(handle).pk, content)
        counts.append([])
        for page in (*pages, "/suggest/?q=b&kind=players", "/api/v1/communities/main/series/cup/leaderboard/"):
            with CaptureQueriesContext(connection) as queries:
                client.get(page)
            counts[-1].append(len(queries))
    assert counts[1] == counts[2]


def test_a_program_fetches_the_pictures_of_its_community_with_its_token(cup):
    make_community("club", visibility="private")
    make_community("rival", visibility="private")
    contest = make_contest(make_series(community="club", is_public=False), standings=[("zoe", 1), ("yan", 2)])
    set_picture(Player.objects.get(community="club", handle="zoe").pk, photo())
    keys = {slug: create_token(slug, name="Website", lifetime=timedelta(days=1))[1] for slug in ("club", "rival")}
    own, other = (Client(headers={"Authorization": f"Bearer {key}"}) for key in keys.values())
    rows = own.get(f"/api/v1/contests/{contest.pk}/standings/").json()["results"]
    (address,) = [row["player"]["picture"] for row in rows if row["player"]["handle"] == "zoe"]
    answer = own.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
    assert answer["Cache-Control"] == "private, max-age=86400, immutable"
    assert "Authorization" in answer["Vary"]
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert [client.get(address).status_code for client in (other, Client(), signed_in("eve"))] == [404] * 3
    other_end = "b" if keys["club"][-1] != "b" else "c"
    wrong = Client(headers={"Authorization": f"Bearer {keys['club'][:-1]}{other_end}"}).get(address)
    assert wrong.status_code == 401
    assert wrong["WWW-Authenticate"].startswith('Bearer realm="Podium", error="invalid_token"')
    assert wrong["Cache-Control"] == "no-store"
    assert Client().get(f"{address}?token={keys['club']}").status_code == 400
    public = set_picture(make_player("ann").pk, photo()).picture_address
    assert other.get(public)["Cache-Control"] == "public, max-age=86400, s-maxage=120, immutable"
