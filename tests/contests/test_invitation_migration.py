"""The migration of invitations to communities, on invitations of the version before."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from contests.models import Invitation, Series
from contests.services.organizers import accept_invitation
from tests.earlier import earlier
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = ("contests", "0014_hide_private_aliases")


def test_links_to_series_still_work_and_belong_to_the_community_of_the_series():
    author, bo = make_user("olga", is_staff=True), make_user("bo")
    try:
        old = earlier(*BEFORE)
        for slug, name in (("harbour", "cup"), ("hill", "relay")):
            club = old.get_model("contests", "Community").objects.create(slug=slug, name=slug)
            series = old.get_model("contests", "Series").objects.create(slug=name, name=name, community=club)
            old.get_model("contests", "Invitation").objects.create(
                series=series,
                token_hash=hashlib.sha256(f"token-{name}".encode()).hexdigest(),
                created_by_id=author.pk,
                expires_at=timezone.now() + timedelta(days=3),
            )
    finally:
        call_command("migrate", verbosity=0)
    rows = Invitation.objects.order_by("community").values_list("community", "series__slug", "role")
    assert list(rows) == [("harbour", "cup", "organizer"), ("hill", "relay", "organizer")]
    assert accept_invitation("token-cup", user=bo) == Series.objects.get(slug="cup")
    assert list(bo.organized_series.values_list("slug", flat=True)) == ["cup"]
    assert not bo.memberships.exists()
