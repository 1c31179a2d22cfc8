"""Breadcrumbs of organizers' pages: the start page, the community, the series, and the parts that contain the page."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from contests.models import Community
from contests.services.communities import set_role
from tests.factories import make_contest
from tests.web.organize.everything import build_world
from tests.web.organize.test_all_queries import paths_of

if TYPE_CHECKING:
    from django.http import HttpResponse

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

#: Pages of no community, and the page of the community itself.
OUTSIDE = {
    f"organize:{name}"
    for name in ("home", "community", "community-create", "series-create", "invitation-open", "design")
}


def crumbs_of(answer: HttpResponse) -> list[tuple[str, str]]:
    """Return text and address of each part."""
    trail = answer.content.decode().partition('<nav class="breadcrumbs"')[2].partition("</nav>")[0]
    links = re.findall(r'<a\s+href="([^"]+)">(.*?)</a>', trail, re.DOTALL)
    return [(unescape(re.sub(r"<[^>]+>", "", text)), address) for address, text in links]


def at(name: str, *args: object) -> str:
    return reverse(f"organize:{name}", args=args)


def test_every_page_of_a_community_names_it_after_the_start_page(client):
    world = build_world(1)
    set_role(world.series.community_id, world.organizer, "owner")
    client.force_login(world.organizer)
    expected = [at("home"), at("community", world.series.community_id)]
    trails = {}
    for name, path in paths_of(world).items():
        if name.startswith(("organize:", "change ")) and name not in OUTSIDE:
            answer = client.get(path)
            if answer["Content-Type"].startswith("text/html"):
                trails[name] = [address for _, address in crumbs_of(answer)][:2]
    assert len(trails) > 40
    assert {name: trail for name, trail in trails.items() if trail != expected} == {}


def test_pages_name_all_parts_that_contain_them(client, series, ida, rated):
    community = Community.objects.get(pk=series.community_id)
    set_role(community.pk, ida, "organizer")
    client.force_login(ida)
    event = make_contest(series, finalized=False, is_event=True, is_rated=False, name="Open")
    game = make_contest(series, players=2, event=event, name="Final")
    player = game.standings.first().player
    home, club = ("Organize", at("home")), (community.name, at("community", community.pk))
    cup, tournament = (series.name, at("series", series)), (event.name, at("contest", event.pk))
    for path, expected in {
        at("series", series): [home, club],
        at("runs", series): [home, club, cup],
        at("run", series, 1): [home, club, cup, ("Runs", at("runs", series))],
        at("contest", event.pk): [home, club, cup],
        at("contest", game.pk): [home, club, cup, tournament],
        at("contest-edit", game.pk): [home, club, cup, tournament, (game.name, at("contest", game.pk))],
        at("person", player.pk): [home, club],
        at("person-edit", player.pk): [home, club, (player.handle, at("person", player.pk))],
        at("organizers", series): [home, club, cup],
    }.items():
        assert crumbs_of(client.get(path)) == expected, path


def test_people_who_organize_only_a_series_reach_the_public_page_of_its_community(organizer, series):
    contest = make_contest(series, players=2)
    for path in (at("series", series), at("contest", contest.pk)):
        assert crumbs_of(organizer.get(path))[1][1] == reverse("community", args=[series.community_id])
