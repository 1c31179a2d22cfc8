"""Organizers can work while Redis is unreachable: nothing is counted or cached, and no page fails."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from contests.models import Community
from tests.factories import make_community, make_user

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
