"""After a backup was restored, no cached value of lost runs is shown, although their ids are used again."""

from __future__ import annotations

import re

import pytest
from django.core import serializers
from django.db import connection, transaction
from django.urls import reverse

from contests.models import Contest, Player, Series, Standing, TitleWord
from ratings.derived import derived
from ratings.models import Derived, Rating, RatingChange, Run, Scheme, StaleMark
from ratings.publishing.deriving import derivations, derive_series
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db

_TABLES = [Series, Player, Contest, TitleWord, Standing, Scheme, Run, RatingChange, Rating, StaleMark, Derived]


def dump() -> str:
    return serializers.serialize("json", [row for table in _TABLES for row in table.objects.order_by("pk")])


def restore(backup: str) -> None:
    """Do what pg_restore does to these tables: all rows as they were, and the ids that come next as well."""
    with transaction.atomic():
        for table in reversed(_TABLES):
            table.objects.all()._raw_delete("default")
        for row in serializers.deserialize("json", backup):
            row.save()
        for table in _TABLES:
            newest = table.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            with connection.cursor() as cursor:
                if connection.vendor == "postgresql":
                    cursor.execute(
                        "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table._meta.db_table, max(1, newest)]
                    )
                else:
                    cursor.execute(
                        "UPDATE sqlite_sequence SET seq = %s WHERE name = %s", [newest, table._meta.db_table]
                    )


def leaderboard(client, series) -> tuple[list[str], list[tuple[int, str]]]:
    """The handles on the leaderboard page from the top down, and the ranks and handles in the REST API."""
    page = client.get(reverse("leaderboard", args=[series])).content.decode()
    answer = client.get(f"/api/v1/communities/main/series/{series.slug}/leaderboard/").json()
    rows = [(row["rank"], row["player"]["handle"]) for row in answer["results"]]
    return list(dict.fromkeys(re.findall(r"/c/main/players/(p\d)/", page))), rows


def test_pages_and_the_interface_show_the_ratings_of_a_restored_backup(client):
    series = make_series("cup")
    make_contest(series, standings=[(f"p{i}", i + 1) for i in range(6)])
    rate(series)
    backup = dump()
    # What is lost: a second run, after the order was reversed, with its values in all caches.
    for _ in range(3):
        make_contest(series, standings=[(f"p{i}", 6 - i) for i in range(6)])
    lost = rate(series)
    derive_series(series.pk)
    first = leaderboard(client, series)
    assert first[1][0] == (1, "p5")
    for derivation in derivations():
        derived(snapshot_of(series), derivation)
    restore(backup)
    # After the restore, there is a second run again, but the players finish in another order.
    make_contest(series, standings=[("p2", 1), ("p0", 2), ("p4", 3), ("p1", 4), ("p5", 5), ("p3", 6)])
    again = rate(series)
    assert (again.pk, again.number, again.player_count) == (lost.pk, lost.number, lost.player_count)
    derive_series(series.pk)
    order = list(Rating.objects.filter(series=series).order_by("-score").values_list("player__handle", flat=True))
    page, rows = leaderboard(client, series)
    assert [handle for _, handle in rows] == order
    assert [rank for rank, _ in rows] == [1, 2, 3, 4, 5, 6]
    assert page == order
    player = client.get(f"/api/v1/communities/main/players/{order[0]}/").json()
    assert [rating["rank"] for rating in player["ratings"]] == [1]
