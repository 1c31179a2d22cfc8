"""API tokens: a program reads what viewers of its community read, and nothing of any other private community."""

from __future__ import annotations

import json
import logging
import string
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from accounts import limits
from accounts.models import ApiToken
from accounts.token_keys import IN_TEXT
from accounts.tokens import create_token, revoke_token
from contests.models import AuditEntry, Contest, Player, Series, Visibility
from contests.queries.visibility import listed_players, listed_series, visible_players, visible_series
from contests.services.communities import remove_member, set_role
from podium.logs import mask
from tests.api.test_communities import address_in, operations, rated
from tests.factories import make_community, make_contest, make_player, make_series, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

YEAR = timedelta(days=365)


def with_token(text, scheme="Bearer"):
    """Return a client that sends this token with each request."""
    return Client(headers={"Authorization": f"{scheme} {text}", "Origin": "https://elsewhere.example"})


def make_token(community="club", **options):
    name = f"Website {ApiToken.objects.count()}"
    return create_token(community, **{"name": name, "lifetime": YEAR, **options})[1]


@pytest.fixture
def site():
    """Two private communities and a public one, each with a series; the public one also has a private series."""
    for slug, visibility in (("club", "private"), ("rival", "private"), ("open", "public"), ("quiet", "unlisted")):
        make_community(slug, visibility=visibility)
        rated(slug, has_leagues=True)
    secret = rated("open", "secret", is_public=False, standings=[("ann", 1), ("eve", 2)], has_leagues=True)
    make_player("loner", community="club")
    return SimpleNamespace(
        club=Series.objects.get(community="club"), rival=Series.objects.get(community="rival"), secret=secret,
        open=Series.objects.get(community="open", slug="cup"), token=make_token("club"),
    )  # fmt: skip


def everything(series):
    """Return every address about a series and its player."""
    paths = [address_in(name, parameters, series, "ann") for name, parameters in operations() if parameters]
    full = f"{series.community_id}/{series.slug}"
    named = f"/api/v1/compare/?series={full}&players=ann,bob", f"/api/v1/contests/?series={full}"
    return [*paths, *named, f"/api/v1/compare/?community={series.community_id}&players=ann"]


def listed(client, name, field="slug"):
    return {(row["community"], row[field]) for row in client.get(f"/api/v1/{name}/").json()["results"]}


def test_a_token_opens_its_community_and_no_other(site):
    program, anyone = with_token(site.token), Client()
    for path in everything(site.club):
        assert program.get(path).status_code == 200, path
        assert anyone.get(path).status_code == 404, path
    for series in (site.rival, site.secret):
        for path in everything(series):
            refused, public = program.get(path), anyone.get(path)
            # The community with the secret series is public itself, and so is one of its players.
            assert refused.status_code == public.status_code, path
            if refused.status_code != 404:
                assert refused.content == public.content, path
    for path in everything(site.open):
        assert program.get(path).content == anyone.get(path).content, path


def test_lists_of_the_site_show_public_data_and_the_community_of_the_token(site):
    program, anyone = with_token(site.token), Client()
    for name, field in (("series", "slug"), ("contests", "name"), ("players", "handle")):
        found, public = listed(program, name, field), listed(anyone, name, field)
        assert {community for community, _ in public} == {"open"}
        assert found - public == {pair for pair in found if pair[0] == "club"} != set(), name
    slugs = [row["slug"] for row in program.get("/api/v1/communities/").json()["results"]]
    assert slugs == ["club", "open"]
    assert listed(with_token(make_token("open")), "series") == {("open", "cup"), ("open", "secret")}


def test_a_token_reads_what_a_viewer_reads(site):
    """The pages' own rules, for a person with the role, are the expected values."""
    viewer = make_user("vera")
    set_role("club", viewer, "viewer")
    program = with_token(site.token)
    assert listed(program, "series") == set(listed_series(viewer).values_list("community", "slug"))
    on_pages = set(listed_players(viewer).values_list("community", "handle"))
    # Programs get players without results, too.
    assert listed(program, "players", "handle") == {*on_pages, ("club", "loner")}
    assert ("club", "loner") not in on_pages
    for player in Player.objects.all():
        seen = program.get(f"/api/v1/players/{player.pk}/").status_code == 200
        assert seen == visible_players(viewer).filter(pk=player.pk).exists(), player
    for series in Series.objects.all():
        path = f"/api/v1/communities/{series.community_id}/series/{series.slug}/"
        assert (program.get(path).status_code == 200) == visible_series(viewer).filter(pk=series.pk).exists(), path


def test_drafts_and_deleted_contests_stay_hidden(site):
    draft = make_contest(site.club, standings=[("zed", 1), ("ann", 2)], finalized=False, slug="draft")
    program = with_token(site.token)
    assert program.get(f"/api/v1/contests/{draft.pk}/").status_code == 404
    Contest.objects.filter(pk=draft.pk).update(state="deleted")
    assert program.get(f"/api/v1/contests/{draft.pk}/").status_code == 404


def test_the_error_is_the_same_for_hidden_and_for_missing_things(site):
    program = with_token(site.token)
    rival = Player.objects.get(community="rival", handle="ann")
    known, unknown = site.rival.contests.get().pk, 999_999
    pairs = [
        ("communities/{}/", "rival", "nobody"),
        ("communities/{}/series/cup/", "rival", "nobody"),
        ("communities/open/series/{}/", "secret", "no-such"),
        ("communities/{}/players/ann/", "rival", "nobody"),
        ("contests/{}/", str(known), str(unknown)),
        ("players/{}/", str(rival.pk), str(unknown)),
        ("compare/?community={}&players=ann", "rival", "nobody"),
    ]
    for path, *tried in pairs:
        details = []
        for name in tried:
            answer = program.get(f"/api/v1/{path.format(name)}")
            assert answer.status_code == 404, path
            details.append(answer.json()["detail"].replace(name, "…"))
        assert details[0] == details[1] != "", path
        assert "that this token can read" in details[0], path


def refusal(answer, status=401):
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), answer.content
    assert answer["Cache-Control"] == "no-store"
    return answer.json()["detail"]


def test_a_token_that_does_not_work_is_refused_even_for_public_data(site):
    good = site.token
    expired, revoked, unscoped = (make_token("club") for _ in range(3))
    by_text = {text: ApiToken.objects.get(prefix=text[7:15]) for text in (expired, revoked, unscoped)}
    ApiToken.objects.filter(pk=by_text[expired].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    ApiToken.objects.filter(pk=by_text[unscoped].pk).update(scopes="write")
    revoke_token(by_text[revoked].pk)
    other = "b" if good[-1] != "b" else "c"
    cases = [
        (f"Bearer {good[:-1]}{other}", "unknown"),
        (f"Bearer {good[:7]}00000000{good[15:]}", "unknown"),
        (f"Bearer {expired}", "expired"),
        (f"Bearer {revoked}", "revoked"),
        (f"Bearer {unscoped}", "does not allow reading"),
        (f"Bearer {good[:-1]}", "malformed"),
        (f"Bearer {good}x", "malformed"),
        (f"Bearer {good.upper()}", "malformed"),
        ("Bearer secret", "malformed"),
        ("Bearer", "Send one token"),
        ("Bearer \xff", "Send one token"),
        (good, "Send one token"),
        (f"Token {good}", "Send one token"),
        (f"Bearer {good} {good}", "Send one token"),
        # What gunicorn makes of two headers.
        (f"Bearer {good},Bearer {good}", "Send one token"),
        (f"Bearer {good},{good}", "Send one token"),
    ]
    for header, reason in cases:
        for path in ("series/", "communities/club/", "nothing/"):
            answer = Client().get(f"/api/v1/{path}", headers={"Authorization": header})
            assert reason in refusal(answer), header
            assert answer["WWW-Authenticate"].startswith('Bearer realm="Podium", error="invalid_token"'), header
            assert answer["WWW-Authenticate"].isascii()
            assert good not in answer["WWW-Authenticate"] + answer.content.decode(errors="replace")
        cache.clear()
    assert with_token(good).get("/api/v1/communities/club/").status_code == 200
    assert with_token(good, "bearer").get("/api/v1/communities/club/").status_code == 200


def test_credentials_for_a_proxy_are_not_a_token(site):
    answer = Client().get("/api/v1/series/", headers={"Authorization": "Basic dXNlcjpwYXNz"})
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")
    hidden = Client().get("/api/v1/communities/club/", headers={"Authorization": "Basic dXNlcjpwYXNz"})
    assert hidden.status_code == 404


@pytest.mark.parametrize("path", ["series/?token={}", "communities/club/?access_token={}", "series/?{}=1", "x/{}/"])
def test_a_token_in_the_address_is_refused_and_never_read(site, path):
    for text in (site.token, site.token.replace("_", "%5F")):
        answer = Client().get(f"/api/v1/{path.format(text)}")
        assert "token in the address" in refusal(answer, 400)
        assert text not in answer.json()["detail"]
        both = with_token(site.token).get(f"/api/v1/{path.format(text)}")
        assert refusal(both, 400)
    assert ApiToken.objects.get().last_used_at is None
    # Nor in a cookie or another header.
    odd = Client(headers={"X-API-Key": site.token, "Cookie": f"token={site.token}"})
    assert odd.get("/api/v1/communities/club/").status_code == 404


def test_the_rights_of_people_add_nothing_to_a_token(site):
    """A member of the staff made it, and sends a cookie too."""
    boss = make_user("boss", is_staff=True, is_superuser=True)
    text = make_token("club", actor=boss)
    program = with_token(text)
    program.force_login(boss)
    assert program.get("/api/v1/communities/club/").status_code == 200
    assert program.get("/api/v1/communities/rival/").status_code == 404
    revoke_token(ApiToken.objects.get(prefix=text[7:15]).pk)
    assert program.get("/api/v1/communities/club/").status_code == 401
    # Pages for people do not read tokens.
    for page, status in (
        ("/c/club/", 404),
        ("/c/club/series/cup/", 404),
        ("/organize/c/club/", 302),
        ("/organize/c/club/tokens/", 302),
    ):
        assert with_token(site.token).get(page).status_code == status, page


def test_a_token_belongs_to_the_community(site):
    bo = make_user("bo")
    set_role("club", make_user("ida"), "owner")
    set_role("club", bo, "owner")
    text = make_token("club", actor=bo)
    program = with_token(text)
    remove_member("club", bo.pk)
    assert program.get("/api/v1/communities/club/").status_code == 200
    bo.delete()
    assert program.get("/api/v1/communities/club/").status_code == 200
    entry = AuditEntry.objects.get(action="token.create", actor_name="bo")
    assert (entry.community_id, entry.after["name"]) == ("club", "Website 1")


def test_caches_never_mix_responses_for_a_token_with_public_ones(site):
    program, anyone = with_token(site.token), Client()
    for path in ("series/", "players/", "communities/", "contests/", "communities/open/series/cup/leaderboard/"):
        own, public = program.get(f"/api/v1/{path}"), anyone.get(f"/api/v1/{path}")
        assert (own["Cache-Control"], public["Cache-Control"]) == ("private, no-cache", "public, no-cache")
        for answer in (own, public):
            assert "Authorization" in answer["Vary"].split(", ")
        same = own.content == public.content
        assert (own["ETag"] == public["ETag"]) == same == path.startswith("communities/open")
        # A client with the tag of the other response gets a response of its own.
        crossed = anyone.get(f"/api/v1/{path}", headers={"If-None-Match": own["ETag"]})
        assert crossed.status_code == (304 if same else 200)
        again = program.get(f"/api/v1/{path}", headers={"If-None-Match": own["ETag"]})
        assert (again.status_code, again["Vary"], again["Cache-Control"]) == (304, own["Vary"], "private, no-cache")
        # In either order, no client gets a stored response that was made for the other.
        assert anyone.get(f"/api/v1/{path}").content == public.content
        assert program.get(f"/api/v1/{path}").content == own.content


def test_a_program_is_limited_by_token_and_others_by_address(site, monkeypatch):
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"anon": "1/min", "token": "2/min"})
    first, second, anyone = with_token(site.token), with_token(make_token("club")), Client()
    assert [first.get("/api/v1/series/").status_code for _ in range(3)] == [200, 200, 429]
    assert int(first.get("/api/v1/series/")["Retry-After"]) > 0
    assert second.get("/api/v1/series/").status_code == 200
    assert [anyone.get("/api/v1/series/").status_code for _ in range(2)] == [200, 429]
    assert second.get("/api/v1/series/").status_code == 200


def test_wrong_tokens_are_limited_by_address(site, monkeypatch):
    monkeypatch.setitem(limits.RATES, "token-address", "2/15m")
    wrong = with_token("podium_00000000_" + "x" * 43)
    assert [wrong.get("/api/v1/series/").status_code for _ in range(3)] == [401, 401, 429]
    answer = wrong.get("/api/v1/series/")
    assert "did not work" in refusal(answer, 429)
    assert 0 < int(answer["Retry-After"]) <= 900
    # Others at the same address are not affected.
    assert with_token(site.token).get("/api/v1/series/").status_code == 200
    assert Client().get("/api/v1/series/").status_code == 200


def test_the_last_use_is_written_once_an_hour(site, django_assert_num_queries):
    program = with_token(site.token)
    assert program.get("/api/v1/series/").status_code == 200
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    assert program.get("/api/v1/series/").status_code == 200
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=61))
    assert program.get("/api/v1/nothing/").status_code == 404
    assert ApiToken.objects.get().last_used_at > first
    with django_assert_num_queries(2):  # the token and the community
        program.get("/api/v1/communities/club/")


def test_podium_keeps_only_a_hash(site):
    (row,) = ApiToken.objects.values()
    secret = site.token[16:]
    assert len(site.token) == 59
    assert set(secret) <= set(string.ascii_letters + string.digits)
    assert site.token.startswith(f"podium_{row['prefix']}_")
    assert not [name for name, value in row.items() if secret in str(value)]
    entries = AuditEntry.objects.filter(action__startswith="token.")
    said = json.dumps(list(entries.values()), default=str)
    assert secret not in said
    assert row["hashed_key"] not in said
    assert len({make_token() for _ in range(20)}) == 20


def test_no_log_line_has_a_token(site, caplog, monkeypatch):
    """Neither valid nor invalid ones, whether the request succeeds, is refused or causes a server error."""
    caplog.set_level(logging.DEBUG)
    program = with_token(site.token)
    program.raise_request_exception = False
    for path in ("series/", "nothing/", "communities/rival/", f"series/?token={site.token}", f"x/{site.token}/"):
        program.get(f"/api/v1/{path}")
    with_token(site.token[:-1] + "0").get("/api/v1/series/")
    monkeypatch.setattr("contests.api.views.readable_contest", None)
    assert program.get("/api/v1/contests/1/").status_code == 500
    lines = [mask(logging.Formatter().format(record)) for record in caplog.records]
    assert any("contests/1" in line for line in lines)
    assert [line for line in lines if site.token[16:40] in line] == []
    assert f"token=podium_{site.token[7:15]}_[secret]" in mask(f"GET /api/v1/series/?token={site.token} HTTP/1.1")
    assert IN_TEXT.search("podium_champions_cup") is None
    assert mask("/c/main/players/podium_champion_of_2024/") == "/c/main/players/podium_champion_of_2024/"


def test_pages_of_any_origin_can_send_a_token(site):
    asked = Client().options(
        "/api/v1/series/",
        headers={
            "Origin": "https://elsewhere.example",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization",
        },
    )
    assert asked.status_code == 200
    assert "Authorization" in asked["Access-Control-Allow-Headers"]
    for program in (with_token(site.token), with_token("wrong")):
        answer = program.get("/api/v1/series/")
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer


def test_a_change_of_visibility_counts_for_tokens_at_once(site):
    """A token of a public community opens what that community hides later."""
    text = make_token("open")
    make_series("later", community="open", is_public=False)
    program = with_token(text)
    assert program.get("/api/v1/communities/open/series/later/").status_code == 200
    assert Visibility.PRIVATE not in listed(program, "series")
    site.open.community.visibility = Visibility.PRIVATE
    site.open.community.save()
    for series in Series.objects.filter(community="open"):
        series.save()
    assert program.get("/api/v1/communities/open/").status_code == 200
    assert Client().get("/api/v1/communities/open/").status_code == 404
    assert with_token(site.token).get("/api/v1/communities/open/series/cup/").status_code == 404
