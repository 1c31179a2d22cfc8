"""Organizers of one series of a community learn nothing of its private series that they do not organize."""

from __future__ import annotations

import pytest
from django.urls import reverse

from contests.formats import ParsedStanding
from contests.handles import handle_key
from contests.matching.name_index import index_players
from contests.matching.players import match_players, others_like
from contests.models import Player, PlayerAlias, Series
from contests.queries.names import known_to
from contests.services.merging import merge_players
from tests.factories import make_contest, make_series, make_user
from tests.pages import Page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

SECRET, MERGED = "Nightingale-of-Harbour", "Lark-of-Harbour"


@pytest.fixture
def sibling():
    return make_user("sibling")


@pytest.fixture
def series(sibling):
    return make_series("open", organizer=sibling)


@pytest.fixture
def ann(series):
    """A player of the public series, who has another name and a merged player in a private one."""
    private = make_series("harbour", organizer=make_user("captain"), is_public=False, name="Harbour nights")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    make_contest(private, standings=[(MERGED, 1), ("carla", 2)])
    ann, merged = Player.objects.get(handle="ann"), Player.objects.get(handle=MERGED)
    merge_players(ann.pk, merged.pk, reason="one person")
    PlayerAlias.objects.create(player=ann, handle=SECRET, handle_key=handle_key(SECRET), series=private)
    index_players([ann.pk, merged.pk])
    return ann


@pytest.fixture(params=[False, True], ids=["sibling", "organizer of both"])
def knows(request, sibling, ann):
    """Whether the organizer may know the private names: only as an organizer of the private series too."""
    if request.param:
        Series.objects.get(slug="harbour").organizers.add(sibling)
    return request.param


@pytest.fixture
def site(client, sibling):
    client.force_login(sibling)
    return client


def test_lists_of_players(site, series, ann, knows):
    text = Page(site.get(reverse("organize:people", args=[series]))).text
    assert "ann" in text
    assert [name in text for name in (SECRET, MERGED)] == [knows, knows]


@pytest.mark.parametrize("part", ["ightingale", "ark-of-har"])
def test_searches_for_a_part_of_a_name(site, series, ann, knows, part):
    page = site.get(reverse("organize:people", args=[series]), {"q": part})
    assert [player.handle for player, *_ in page.context["rows"]] == (["ann"] if knows else [])


def test_pages_of_players(site, ann, knows):
    text = Page(site.get(reverse("organize:person", args=[ann.pk]))).text
    assert [name in text for name in (SECRET, MERGED, "Harbour nights")] == [knows, knows, knows]


def test_suggestions_for_new_names(series, ann, knows):
    row = ParsedStanding.of_handle(SECRET.replace("gale", "gall"))
    (match,) = match_players([row], series_id=series.pk)
    assert [one.handle for one in match.suggestions] == (["ann"] if knows else [])


def test_suggestions_of_players_to_merge(sibling, ann, knows):
    make_contest(make_series("elsewhere", organizer=sibling), standings=[("dora", 1), ("elsa", 2)])
    found = others_like(Player.objects.get(handle="dora"), SECRET, among=known_to(sibling))
    assert (ann.pk in [one.player_id for one in found]) is knows
