"""Properties of all pages: the same response each time, the reader's language, and only our own scripts."""

from __future__ import annotations

import base64
import hashlib
import io
import re

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory
from django.urls import reverse

from tests.factories import make_contest, make_series, make_user, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup():
    series = make_series("cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    return series


def test_a_page_that_has_not_changed_is_not_sent_again(client, cup):
    first = client.get("/c/main/series/cup/leaderboard/")
    again = client.get("/c/main/series/cup/leaderboard/", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Accept-Language"} <= {part.strip() for part in first["Vary"].split(",")}
    make_contest(cup, standings=[("ann", 2), ("bob", 1)])
    rate(cup)
    assert client.get("/c/main/series/cup/leaderboard/", headers={"if-none-match": first["ETag"]}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/c/main/series/cup/", "/c/main/histories/ann/", "/api/v1/", "/healthz", "/no/such/page"],
)
def test_head_gets_the_headers_of_get_and_no_body(cup, path):
    """Tested below Django's test client, which takes the body away itself."""
    answers = {}
    for method in ("get", "head"):
        application, started = WSGIHandler(), []
        environ = getattr(RequestFactory(), method)(path).environ
        chunks = application(environ, lambda *args, started=started: started.extend(args))
        answers[method] = started[0], dict(started[1]), b"".join(chunks)
    (status, headers, body), (head_status, head_headers, head_body) = answers["get"], answers["head"]
    assert body
    assert head_body == b""
    changing = {"Date", "X-Request-ID", "Set-Cookie", "Content-Security-Policy"}
    assert head_status == status
    assert {name: head_headers.get(name) for name in headers.keys() - changing} == {
        name: value for name, value in headers.items() if name not in changing
    }


@pytest.mark.parametrize("path", ["/", "/api/v1/communities/", "/no/such/page", "/organize/", "/healthz"])
def test_a_request_is_read_to_its_end_even_if_it_is_refused_for_its_headers(path):
    """Otherwise the connection would close while the client is still sending, and the response could be lost."""
    environ = RequestFactory().post(path, b"0" * 200_000, "multipart/form-data; boundary=x").environ
    environ["wsgi.input"] = body = io.BytesIO(b"0" * 200_000)
    started = []
    WSGIHandler()(environ, lambda *args: started.extend(args))
    assert not started[0].startswith("5")
    assert body.tell() == 200_000


def test_a_client_that_goes_away_while_it_sends_is_no_error():
    class Broken(io.BytesIO):
        def read(self, *args):
            raise OSError("connection reset by peer")

    environ = RequestFactory().post("/no/such/page", b"0" * 100, "multipart/form-data; boundary=x").environ
    environ["wsgi.input"] = Broken()
    started = []
    WSGIHandler()(environ, lambda *args: started.extend(args))
    assert started[0].startswith("40")


def test_the_policy_lets_the_import_map_run_and_nothing_else_inline(client, cup):
    response = client.get("/c/main/series/cup/")
    (inline,) = re.findall(r"<script(?![^>]*src)(?![^>]*json\")[^>]*>(.*?)</script>", response.content.decode())
    source = f"'sha256-{base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()}'"
    scripts = re.search(r"script-src ([^;]*)", response["Content-Security-Policy"])[1].split()
    assert set(scripts) == {"'self'", source}


def test_the_policy_forbids_all_that_pages_do_not_use(client, cup):
    response = client.get("/c/main/series/cup/")
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    script = policy.pop("script-src")
    assert script.startswith("'self' 'sha256-")
    assert policy == {
        "default-src": "'none'", "style-src": "'self'", "img-src": "'self' data:", "font-src": "'self'",
        "connect-src": "'self'", "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip
    for feature in ("camera", "geolocation", "microphone", "payment", "usb"):
        assert f"{feature}=()" in response["Permissions-Policy"]
    # Passkeys and "Copy" need them.
    for feature in ("publickey-credentials-get", "publickey-credentials-create", "clipboard-write"):
        assert f"{feature}=" not in response["Permissions-Policy"]


@pytest.mark.parametrize(
    "path",
    ["/", "/c/main/series/cup/", "/api/v1/communities/main/series/cup/", "/feeds/results.atom", "/no/such/page/"],
)
def test_other_sites_embed_nothing_but_cards_badges_and_widgets(client, cup, path):
    response = client.get(path)
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"
    for kind in ("cards", "badges", "widgets"):
        assert client.get(f"/c/main/{kind}/ann/")["Cross-Origin-Resource-Policy"] == "cross-origin"
    widget = client.get("/c/main/widgets/ann/")
    assert "X-Frame-Options" not in widget
    assert "frame-ancestors *" in widget["Content-Security-Policy"]


def test_a_page_speaks_the_language_of_the_browser_or_the_one_that_was_chosen(client, cup):
    assert '<html lang="en">' in client.get("/series/").content.decode()
    german = client.get("/series/", headers={"accept-language": "de-AT,de;q=0.9"})
    assert '<html lang="de">' in german.content.decode()
    assert german["Content-Language"] == "de"
    client.get(reverse("language", args=["de"]))
    assert '<html lang="de">' in client.get("/series/").content.decode()
    client.get(reverse("language", args=["en"]))
    english = client.get("/series/", headers={"accept-language": "de"})
    assert '<html lang="en">' in english.content.decode()


def test_choosing_a_language_leads_back_to_the_page_and_nowhere_else(client):
    def led(back):
        return client.get("/language/de/", {"next": back})["Location"]

    assert led("/c/main/players/أمينة/?page=2&q=a%26b").startswith("/c/main/players/%D8%A3")
    for elsewhere in ("https://evil.example/", "//evil.example", "\\\\evil.example", "javascript:alert(1)"):
        assert led(elsewhere) == "/"
    assert client.get("/language/xx/").status_code == 404


def test_the_link_to_another_language_keeps_the_query(client, cup):
    content = client.get("/c/main/series/cup/leaderboard/", {"q": "a&b", "page": "1"}).content.decode()
    (address,) = re.findall(r'<a href="(/language/de/[^"]*)"', content)
    back = client.get(address.replace("&amp;", "&"))["Location"]
    assert back == "/c/main/series/cup/leaderboard/?q=a%26b&page=1"


def test_programs_get_one_language_whoever_runs_them(client, cup):
    english = client.get("/api/v1/communities/main/series/nowhere/")
    client.get("/series/", headers={"accept-language": "de"})
    german = client.get("/api/v1/communities/main/series/nowhere/", headers={"accept-language": "de"})
    assert german.json()["detail"] == english.json()["detail"]
    assert "Content-Language" not in german


def test_organizers_choose_the_language_of_their_pages_on_every_page(client, cup):
    client.force_login(make_user())
    german = client.get("/organize/", headers={"accept-language": "de"}).content.decode()
    assert '<html lang="de">' in german
    assert "Abmelden" in german
    assert 'href="/language/en/?next=/organize/"' in german


def test_numbers_are_written_as_the_language_writes_them(client, cup):
    german = client.get("/c/main/series/cup/leaderboard/", headers={"accept-language": "de"}).content.decode()
    english = client.get("/c/main/series/cup/leaderboard/").content.decode()
    rating = re.search(r"1,\d{3}", english)[0]
    assert rating not in german
    assert rating.replace(",", ".") in german


@pytest.mark.parametrize("path", ["/", "/series/", "/contests/", "/players/", "/compare/"])
def test_visitors_get_the_same_page_twice_and_no_cookie(client, cup, path):
    first, second = client.get(path), client.get(path)
    assert first.content == second.content
    assert not first.cookies


def test_people_who_have_logged_in_get_pages_of_their_own(client, cup):
    visitor = client.get("/c/main/series/cup/")
    client.force_login(make_user())
    mine = client.get("/c/main/series/cup/", headers={"if-none-match": visitor["ETag"]})
    assert mine.status_code == 200
    assert b"csrfmiddlewaretoken" in mine.content
