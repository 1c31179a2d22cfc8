"""No page needs more queries for very many rows than for one; the pages come from the table of all addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from contests.changes.base import CHANGES, token_of
from contests.models import PlayerClaim
from contests.services.communities import set_role
from ratings.queries import top_players
from tests.attacks.addresses import CASES, path_of, proposals
from tests.web.organize.everything import build_world, undone

if TYPE_CHECKING:
    from django.test import Client

    from tests.web.organize.everything import World

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

#: Pages about series and players, for organizers and visitors; the admin and the page of the design, which reads no
#: rows, have tests of their own.
PAGES = [
    name
    for name, case in CASES.items()
    if case.get == 200 and case.who != "hidden" and not name.startswith(("admin:", "api:"))
]
#: More than any page needs; a preview makes the change, rates the series, and undoes both.
LIMIT = 92


def paths_of(world: World) -> dict[str, str]:
    """Return every page, and the page of every kind of change, by name."""
    changes = {
        f"change {change.kind}": reverse("organize:change", query={"change": token_of(change)})
        for change in proposals(world)
    }
    return {name: path_of(name, world) for name in PAGES} | changes


def queries_of(client: Client, size: int) -> dict[str, list[str]]:
    """Return the queries of every page, in a world of that size."""
    queries, faults = {}, []
    client.raise_request_exception = False
    with undone():
        world = build_world(size)
        set_role(world.series.community_id, world.organizer, "owner")
        # The pages of players are those of a player who has an account.
        PlayerClaim.objects.filter(player=world.report.opponent).delete()
        PlayerClaim.objects.create(community_id="main", player=world.report.opponent, user=world.organizer)
        client.force_login(world.organizer)
        for name, path in paths_of(world).items():
            with undone(), CaptureQueriesContext(connection) as captured:
                answer = client.get(path)
            if answer.status_code != 200:
                faults.append(f"{name}: {answer.status_code}")
            queries[name] = [query["sql"] for query in captured]
    assert not faults
    return queries


def test_no_page_needs_more_queries_for_200_rows_than_for_one(client, monkeypatch):
    # As on sites with so many series that the largest are cached: two more queries, however many series there are.
    monkeypatch.setattr(top_players, "LOOKED_UP", 0)
    few, many = queries_of(client, 1), queries_of(client, 200)
    # There may be fewer if a list happens to be empty, for example because no one changes tier.
    # Contests have two rows only in the small world, and the page of a series reads the players of those.
    of_games = 'ORDER BY "contests_standing"."contest_id" ASC, "contests_standing"."id" ASC'
    alike = {name: [sql for sql in few[name] if name != "organize:series" or of_games not in sql] for name in few}
    assert len(few["organize:series"]) - len(alike["organize:series"]) == 1
    grown = {name: len(many[name]) - len(alike[name]) for name in few if len(alike[name]) < len(many[name])}
    # From a hundred players on, the distribution of their ratings is looked up: it shows how even the tiers are.
    assert grown == {"organize:series": 1, "organize:community-tiers": 2}
    assert {name: len(queries) for name, queries in few.items() if len(queries) > LIMIT} == {}
    assert len(few) > 25


def test_every_kind_of_change_is_among_the_proposals():
    assert {change.kind for change in proposals(build_world(1))} == set(CHANGES)
