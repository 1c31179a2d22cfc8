"""The logo of a community on its settings page."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from contests.models import AuditEntry, Community, CommunityLogo
from contests.services.communities import set_logo, set_role
from tests.factories import make_community, make_user
from tests.pages import Page

pytestmark = pytest.mark.django_db

SETTINGS = {"name": "Harbour Club", "visibility": "public"}


@pytest.fixture
def club():
    return make_community("harbour", owner=make_user("olga"), name="Harbour Club")


def picture(width=300, height=200):
    file = io.BytesIO()
    Image.new("RGB", (width, height), "#0055cc").save(file, "PNG")
    return file.getvalue()


def send(club, content=None, *, by="olga", **said):
    client = Client()
    client.force_login(club.memberships.get(user__username=by).user)
    files = {} if content is None else {"logo": SimpleUploadedFile("logo.png", content)}
    return client.post(reverse("organize:community-settings", args=[club.pk]), SETTINGS | said | files)


def test_an_owner_sets_replaces_and_removes_the_logo(club):
    assert send(club, picture()).status_code == 302
    first = Community.objects.get().logo
    shown = Client().get(reverse("community-logo", args=["harbour", first, 64]))
    assert Image.open(io.BytesIO(shown.content)).getpixel((32, 32)) == (0, 0x55, 0xCC, 255)
    assert send(club, picture(100, 300)).status_code == 302
    second = Community.objects.get().logo
    assert first != second
    assert send(club).status_code == 302
    assert Community.objects.get().logo == second
    assert send(club, remove_logo="on").status_code == 302
    assert Community.objects.get().logo == ""
    assert not CommunityLogo.objects.exists()
    assert set(AuditEntry.objects.filter(action="community.logo").values_list("actor_name", flat=True)) == {"olga"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image"),
        (picture()[:100], "damaged"),
        (picture(20, 20), "at least 64"),
        (b"\x89PNG" + bytes(2 * 2**20), "larger than 2 MB"),
        (b"", "empty"),
    ],
)
def test_a_wrong_file_has_an_error_at_the_field_and_nothing_is_saved(club, content, words):
    answer = send(club, content, name="Other Name")
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == ["logo"]
    assert words in answer.context["form"].errors["logo"][0]
    assert words in Page(answer).text
    club.refresh_from_db()
    assert (club.name, club.logo) == ("Harbour Club", "")


def test_a_new_logo_and_its_removal_exclude_each_other(club):
    before = set_logo("harbour", picture()).logo
    answer = send(club, picture(100, 300), remove_logo="on")
    assert "logo" in answer.context["form"].errors
    assert Community.objects.get().logo == before


@pytest.mark.parametrize("role", ["organizer", "viewer"])
def test_only_owners_change_the_logo(club, role):
    before = set_logo("harbour", picture()).logo
    set_role("harbour", make_user("ida"), role)
    assert send(club, picture(100, 300), by="ida").status_code == 403
    assert send(club, by="ida", remove_logo="on").status_code == 403
    assert Community.objects.get().logo == before
