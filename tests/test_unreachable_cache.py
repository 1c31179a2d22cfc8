"""Organizers can work while Redis is unreachable: nothing is counted or cached, and no page fails."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contests.models import Community, Upload
from tests.factories import make_community, make_contest, make_series, make_user
from tests.web.organize.forms import upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("unreachable_cache")]


@pytest.fixture
def owner():
    olga = make_user("olga")
    make_community("harbour", owner=olga, name="Harbour Club")
    client = Client()
    client.force_login(olga)
    return client


def test_communities_can_be_changed(owner):
    said = {"name": "New Name", "visibility": "private", "accent": "#1A7F37"}
    answer = owner.post(reverse("organize:community-settings", args=["harbour"]), said)
    assert answer.status_code == 302
    assert Community.objects.get(pk="harbour").name == "New Name"


def test_uploads_are_not_counted(settings, owner):
    settings.PODIUM_MAX_UPLOADS_A_DAY = 1
    for _ in range(2):
        draft = make_contest(make_series(community="harbour"), finalized=False)
        assert upload(owner, draft, "rank,handle\n1,ann\n2,bob\n").status_code == 200
    assert Upload.objects.staged().count() == 2
