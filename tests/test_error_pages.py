"""Error pages: they have the look of the site, even if the usual way to render pages doesn't work."""

from __future__ import annotations

import os
import re
import shutil
from http import HTTPStatus
from pathlib import Path

import pytest
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import OperationalError, connection
from django.test import Client
from django.urls import path, reverse
from PIL import Image

from podium import urls
from tests.factories import make_community, make_user
from tests.pages import Page
from tests.processes import ROOT, Visitor, environment, start_site

pytestmark = pytest.mark.django_db


def break_something(request):
    raise RuntimeError("the detail that nobody may see")


def lose_the_database(request):
    raise OperationalError("connection to server at 10.0.0.9 failed")


def forbid_something(request):
    raise PermissionDenied


def ask_for_something_odd(request):
    raise BadRequest


urlpatterns = [
    *urls.urlpatterns,
    path("break/", break_something),
    path("lose/", lose_the_database),
    path("forbid/", forbid_something),
    path("odd/", ask_for_something_odd),
]
handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500


@pytest.fixture
def visitor(settings):
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [("/break/", 500, "Nothing was saved"), ("/lose/", 503, "If you submitted a form, it was not saved")],
)
def test_a_server_error_gets_a_page_of_the_site(visitor, address, status, words):
    response = visitor.get(address)
    assert response.status_code == status
    page = Page(response)
    assert len(page.headings) == 1
    assert page.links["Podium"] == "/"
    assert words in page.text
    text = response.content.decode()
    assert "shared/tokens.css" in text
    assert "detail" not in text
    assert "10.0.0.9" not in text
    assert "style-src 'self'" in response["Content-Security-Policy"]
    assert " style=" not in text
    assert "<style" not in text


@pytest.mark.parametrize(
    ("address", "status"), [("/nope/", 404), ("/contests/999999/", 404), ("/forbid/", 403), ("/odd/", 400)]
)
def test_other_errors_have_one_search_for_everything(visitor, address, status):
    response = visitor.get(address)
    assert response.status_code == status
    assert re.findall(r'role="search" action="([^"]*)"', response.content.decode()) == [reverse("search")]


def test_without_the_database_the_response_says_when_to_retry(visitor):
    assert int(visitor.get("/lose/")["Retry-After"]) > 0


def test_the_page_for_errors_speaks_the_language_of_the_browser(visitor):
    assert '<html lang="de">' in visitor.get("/break/", headers={"accept-language": "de"}).content.decode()


def test_the_page_for_errors_asks_the_database_nothing(visitor, django_assert_num_queries):
    visitor.force_login(make_user())
    with django_assert_num_queries(0):
        assert visitor.get("/break/").status_code == 500


def test_a_form_that_is_too_large_gets_a_page_that_says_so(client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    ida = make_user()
    make_community(owner=ida)
    client.force_login(ida)
    response = client.post(reverse("organize:series-create"), {"name": "x" * 2000})
    assert response.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert Page(response).headings == ["Too large"]


@pytest.mark.parametrize("damage", ["missing", "damaged"])
@pytest.mark.django_db(transaction=True)
def test_a_broken_manifest_of_static_files_still_leaves_a_page_of_the_site(damage, tmp_path, static_files):
    shutil.copytree(Path(os.environ["PODIUM_VAR"]) / "static", tmp_path / "static")
    manifest = tmp_path / "static" / "staticfiles.json"
    manifest.unlink() if damage == "missing" else manifest.write_text('{"version": "1.1", "paths": {}}')
    changes = {"PODIUM_VAR": str(tmp_path)}
    if connection.vendor == "sqlite":
        changes["DATABASE_URL"] = f"sqlite:///{connection.settings_dict['NAME']}"
    process, address = start_site(**changes, PODIUM_SECRET_KEY=environment()["PODIUM_SECRET_KEY"])
    try:
        status, text = Visitor(address).get("/")
        assert status == 500
        assert '<a class="wordmark"' in text
        assert 'href="/static/shared/base.css"' in text
        assert Visitor(address).get("/static/shared/base.css")[0] == 200
    finally:
        process.kill()


def test_browsers_find_the_icon_at_the_root(client):
    icon = client.get("/favicon.ico")
    assert icon.status_code == 200
    assert icon["Content-Type"] == "image/x-icon"
    icon.close()
    with Image.open(ROOT / "static" / "root" / "favicon.ico") as picture:
        assert picture.info["sizes"] == {(16, 16), (32, 32), (48, 48)}
