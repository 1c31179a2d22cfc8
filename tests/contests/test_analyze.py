"""After writes of thousands of rows, PostgreSQL updates its statistics at once instead of planning for empty tables."""

from __future__ import annotations

import json
from contextlib import closing

import psycopg
import pytest
from django.db import connection

from contests.formats import ParsedContest, ParsedStanding
from contests.models import Contest, Player, PlayerKey, PlayerNearKey, PlayerWord, Standing
from contests.services.contests import create_contest, save_standings
from contests.services.describing import ContestDescription
from contests.uploads.importing import import_file
from ratings.models import Rating, RatingChange
from ratings.publishing.refresh import refresh_series
from tests.factories import FIRST_DAY, make_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

OF_PLAYERS = (Player, PlayerKey, PlayerNearKey, PlayerWord)


def imported(folder, players):
    """Import a contest of this many new players into a new series, and return the series."""
    series = make_series(f"cup{players}")
    rows = [[f"of{players}n{i}", i, None] for i in range(1, players + 1)]
    file = folder / f"{players}.jsonl"
    file.write_text(json.dumps({"id": "one", "end_time": "2025-01-01T00:00:00Z", "standings": rows}))
    import_file(series.pk, path=file)
    return series


def estimated(*models):
    """Return the number of rows that PostgreSQL plans with for each table."""
    return [number for (number,) in _of_tables("SELECT reltuples FROM pg_class WHERE relname = %s", models)]


def times_analyzed(*models):
    """Return how often each table was analyzed on request; autovacuum does not count."""
    query = "SELECT analyze_count FROM pg_stat_user_tables WHERE relname = %s"
    return [number for (number,) in _of_tables(query, models)]


def _of_tables(query, models):
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(query, [model._meta.db_table])
            yield cursor.fetchone()


def test_tables_are_analyzed_after_an_import_and_after_its_ratings(tmp_path):
    series = imported(tmp_path, 1_200)
    assert estimated(*OF_PLAYERS, Standing) == [model.objects.count() for model in (*OF_PLAYERS, Standing)]
    refresh_series(series.pk)
    assert estimated(Rating, RatingChange) == [1_200, 1_200]


def test_ratings_are_analyzed_when_most_of_a_series_is_new_however_many_others_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr("contests.bulk.LEAST_CHANGED", 1_000_000)
    refresh_series(imported(tmp_path, 1_200).pk)
    before = times_analyzed(Rating, RatingChange)
    with connection.cursor() as cursor:
        # As in a table of 12 million rows.
        cursor.execute(
            "UPDATE pg_class SET reltuples = 12e6 WHERE relname = ANY(%s)",
            [[Rating._meta.db_table, RatingChange._meta.db_table]],
        )
    refresh_series(imported(tmp_path, 1_300).pk)
    assert times_analyzed(Rating, RatingChange) == [number + 1 for number in before]


def test_a_table_of_games_is_analyzed_while_it_is_imported(tmp_path, monkeypatch):
    monkeypatch.setattr("contests.uploads.importing.LEAST_WRITTEN", 2)
    monkeypatch.setattr("contests.uploads.importing._BATCH", 1)
    file = tmp_path / "games.csv"
    games = "".join(f"2025-01-{day:02},Open {day},ann,bob,1-0\n" for day in range(1, 11))
    file.write_text(f"date,event,player_a,player_b,result\n{games}")
    before = times_analyzed(Contest, Standing)
    import_file(make_series().pk, path=file)
    # After 2 and after 8 of the 10 games.
    assert times_analyzed(Contest, Standing) == [number + 2 for number in before]


def test_few_rows_are_left_to_postgresql_itself(tmp_path):
    imported(tmp_path, 1_200)
    before = times_analyzed(*OF_PLAYERS, Standing)
    imported(tmp_path, 900)
    assert times_analyzed(*OF_PLAYERS, Standing) == before


def test_tables_are_also_analyzed_after_an_upload_of_many_rows():
    description = ContestDescription(name="Final", ends_at=FIRST_DAY)
    contest = create_contest(make_series("cup").pk, description=description)
    rows = [ParsedStanding(i, f"p{i}", i, "ranked", "", "", "", None, i) for i in range(1, 1_201)]
    save_standings(contest.pk, parsed=ParsedContest("one", "Final", rows, list(range(1, 1_201))))
    assert estimated(Player, Standing) == [1_200, 1_200]


def test_a_table_that_cannot_be_analyzed_now_does_not_make_the_import_fail(tmp_path):
    before = times_analyzed(Player, Standing)
    with closing(psycopg.connect(**connection.get_connection_params())) as other:
        # The lock of a session that is analyzing the table: others can write rows but cannot analyze it.
        other.execute("LOCK TABLE contests_standing IN SHARE UPDATE EXCLUSIVE MODE")
        imported(tmp_path, 1_200)
    assert Standing.objects.count() == 1_200
    assert times_analyzed(Player, Standing) == [before[0] + 1, before[1]]
