"""Refusals before a preview are shown as messages in the admin, not as server errors."""

from __future__ import annotations

import pytest

from contests.models import Contest
from tests.contests.test_admin import act, told
from tests.factories import make_contest, make_user, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(client):
    """A browser in which a superuser is logged in."""
    client.force_login(make_user("boss", is_staff=True, is_superuser=True))
    return client


def test_a_change_that_needs_a_reason_has_no_preview_without_one(boss):
    contest = make_contest(players=2)
    rate(contest.series)
    page = act(boss, "delete", contest, _preview="1", reason="")
    assert page.status_code == 200
    assert "give the reason" in told(page)[0]
    assert "Preview the effect on ratings" in page.content.decode(), "the confirmation page is shown again"
    assert Contest.objects.finalized().exists()


def test_an_impossible_change_has_no_preview(boss):
    page = act(boss, "finalize", make_contest(finalized=False), _preview="1")
    assert page.status_code == 200
    assert "has no ranked participants yet" in told(page)[0]
