"""Frequent queries of API clients use an index, on both databases."""

import pytest
from django.db import connection

from contests.models import Player
from contests.services.contests import delete_contest
from ratings.models import RatingChange
from tests.factories import make_contest, make_series, rate
from tests.services import on_postgresql

pytestmark = pytest.mark.django_db


class Plans:
    """Collects the plan of each query of rating changes from the database."""

    def __init__(self):
        self.found = []

    def __call__(self, execute, sql, params, many, context):
        if sql.startswith("SELECT") and RatingChange._meta.db_table in sql.partition(" FROM ")[2][:40]:
            with connection.cursor() as cursor:
                cursor.execute(f"{'EXPLAIN' if on_postgresql() else 'EXPLAIN QUERY PLAN'} {sql}", params)
                self.found.append("\n".join(str(row[-1]) for row in cursor.fetchall()))
        return execute(sql, params, many, context)


@pytest.fixture
def cup():
    series = make_series("cup")
    for _ in range(3):
        make_contest(series, players=200)
    rate(series)
    delete_contest(series.contests.newest_first().first().pk, reason="a test")
    rate(series)
    with connection.cursor() as cursor:
        # PostgreSQL does so by itself after a while; it guesses as long as it has no statistics.
        cursor.execute("ANALYZE")
    return series


@pytest.mark.parametrize("since", [0, 1, 2])
def test_each_pass_over_the_changes_of_a_series_uses_an_index(client, cup, since):
    plans = Plans()
    if on_postgresql():
        with connection.cursor() as cursor:
            # With so few rows, the database would prefer to read and sort all of them.
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
    with connection.execute_wrapper(plans):
        assert (
            client.get(f"/api/v1/communities/main/series/cup/changes/?since_run={since}&page_size=1000").status_code
            == 200
        )
    current, closed, retracted = plans.found[0], plans.found[1], plans.found[-1]
    assert "change_opened" in current, current
    assert "change_closed" in closed, closed
    assert "change_closed" in retracted, retracted
    assert "Seq Scan" not in "".join(plans.found)
    assert "SCAN ratings_ratingchange" not in "".join(plans.found)


def standings_read(plan):
    """Return the number of rows of standings that a plan, as JSON with actual numbers, has read."""
    own = 0
    if plan.get("Relation Name") == "contests_standing":
        own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return own + sum(map(standings_read, plan.get("Plans", [])))


@pytest.mark.postgres_only
@pytest.mark.parametrize("address", ["players/", "communities/main/players/"])
def test_a_late_page_of_players_reads_no_results_of_earlier_players(client, address):
    """Only PostgreSQL merges both tables; SQLite looks up the results of each player."""
    make_contest(players=1_000)
    ids = sorted(Player.objects.values_list("pk", flat=True))
    counts = []

    def explain(execute, sql, params, many, context):
        if sql.startswith("SELECT") and "contests_standing" in sql:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
                counts.append(standings_read(cursor.fetchone()[0][0]["Plan"]))
        return execute(sql, params, many, context)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        # With so few rows, the database would prefer to read all of them.
        for way in ("seqscan", "bitmapscan", "sort", "hashjoin", "nestloop"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
    with connection.execute_wrapper(explain):
        rows = client.get(f"/api/v1/{address}?after={ids[-11]}&page_size=5").json()["results"]
    assert [row["id"] for row in rows] == ids[-10:-5]
    assert len(counts) == 1
    assert 0 < counts[0] <= 10
