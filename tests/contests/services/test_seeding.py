"""The demo community in the database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from contests.demo.community import generate_community
from contests.models import Contest
from contests.services.seeding import store_community
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_contests_without_results_are_announced():
    store_community(generate_community(until=datetime.now(UTC), seed=7), organizer=make_user())
    assert [contest.series.slug for contest in Contest.objects.coming()] == ["night-relay"]
    assert Contest.objects.filter(is_announced=True).count() == 2
