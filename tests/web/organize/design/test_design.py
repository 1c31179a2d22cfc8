"""The page that shows every component of the design."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_user
from tests.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_staff_see_every_component_and_others_nothing(client, django_assert_num_queries):
    member, staff = Client(), Client()
    member.force_login(make_user("ann"))
    staff.force_login(make_user("root", is_staff=True))
    for name in ("design", "design-tiers"):
        assert [one.get(reverse(name)).status_code for one in (client, member)] == [404, 404]
    with django_assert_num_queries(2):  # session and user: all samples are made up
        page = staff.get("/design/")
    text = page.content.decode()
    assert page["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert "Spring Cup" in Page(page).text
    headings = re.findall(r"<h2[^>]*>([^<]+)</h2>", text)
    assert headings == [
        "Typography", "Colours", "Buttons", "Badges and messages", "Figures", "Tiers", "Pictures of players", "Tables",
        "Tabs and cards", "Charts", "Forms", "Nothing there yet",
    ]  # fmt: skip
    colours = staff.get(reverse("design-tiers")).content.decode()
    used = set(re.findall(r"tier-\d+-\d+", text))
    assert len(used) > 50
    assert used == set(re.findall(r"tier-\d+-\d+", colours))
