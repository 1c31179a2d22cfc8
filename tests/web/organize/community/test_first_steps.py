"""The first-run guide: it leads from nothing to a published series, and is gone afterwards."""

from __future__ import annotations

import pytest
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.urls import reverse

from contests.models import Role
from contests.services.communities import create_community, set_role
from contests.services.series import create_series
from tests.factories import make_contest, make_user, rate
from tests.pages import Page
from web.shared.first_steps import EXAMPLE

pytestmark = pytest.mark.django_db


def test_the_guide_leads_from_nothing_to_a_published_series(client):
    olga = make_user("olga")
    client.force_login(olga)

    def next_step(address: str) -> str | None:
        steps = client.get(address).context.get("steps") or []
        return next((step.address for step in steps if step.address and not step.is_done), None)

    home = reverse("organize:home")
    assert next_step(home) == reverse("organize:community-create")
    assert f'href="{static(EXAMPLE)}"' in client.get(home).content.decode()
    community = create_community("club", name="Club", actor=olga)
    assert next_step(home) == reverse("organize:series-create")
    series = create_series("cup", community=community.pk, name="<b>Cup</b>", actor=olga)
    page = reverse("organize:series", args=[series])
    assert b"<b>Cup</b>" not in client.get(home).content
    assert next_step(home) == next_step(page) == reverse("organize:contest-create", args=[series])
    contest = make_contest(series, finalized=False)
    contest.standings.all().delete()
    type(contest).objects.filter(pk=contest.pk).update(standing_count=0)
    assert next_step(home) == next_step(page) == reverse("organize:upload", args=[contest.pk])
    type(contest).objects.filter(pk=contest.pk).update(standing_count=2)
    assert next_step(home) == next_step(page) == reverse("organize:contest", args=[contest.pk])
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    assert next_step(home) == next_step(page) == reverse("organize:progress", args=[series])
    text = Page(client.get(page)).text
    assert "The contest is finalized. Podium publishes the ratings as soon as they are computed." in text
    assert "then finalize" not in text
    rate(series)
    assert next_step(page) is None
    assert next_step(home) is None
    assert finders.find(EXAMPLE)


def test_viewers_and_people_who_may_create_nothing_see_no_steps(client, settings):
    owner, viewer = make_user("olga"), make_user("vera")
    community = create_community("club", name="Club", actor=owner)
    set_role(community.pk, viewer, Role.VIEWER)
    settings.PODIUM_NEW_COMMUNITIES = "staff"
    client.force_login(viewer)
    answer = client.get(reverse("organize:home"))
    assert answer.context["steps"] == []
    assert "You can read everything in this community" in Page(answer).text
