"""A file of games is stored several events at a time, and every event still recognizes the games of those before it."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contests.errors import ContestError
from contests.models import AuditEntry, Contest
from contests.services.correcting import correct_result
from contests.uploads.importing import import_file
from tests.factories import make_contest, make_series

pytestmark = pytest.mark.django_db
HEAD = "date,event,player_a,player_b,result,round\n"


def imported(series, folder, *rows):
    """Import rows of a table of games, and return the result."""
    file = folder / f"games{len(list(folder.iterdir()))}.csv"
    file.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return import_file(series.pk, path=file)


def played(event, first, number):
    """Return rows of an event: one game of new players a day, from this day of 2025 on."""
    days = (date(2025, 1, 1) + timedelta(days=first + i) for i in range(number))
    return [f"{day},{event},{event}{i}a,{event}{i}b,1-0," for i, day in enumerate(days)]


def test_events_of_a_file_that_share_a_game_store_it_once(tmp_path):
    series = make_series("games")
    result = imported(
        series, tmp_path,
        "2025-05-01,First,Ann,Bo,1-0,1", "2025-05-01,Second,ANN,bo,1-0,", "2025-05-01,Third,Ann,Bo,1-0,",
        "2025-05-01,Third,Ann,Cy,1-0,", "2025-05-01,First,Cy,Ann,0-1,2",
    )  # fmt: skip
    assert (result.created, result.skipped) == (2, 3)
    games = Contest.objects.filter(is_event=False).order_by("ends_at", "sequence")
    assert [(game.event.name, game.name, game.round) for game in games] == [
        ("First", "Ann – Bo", "1"), ("First", "Cy – Ann", "2"),
    ]  # fmt: skip


def test_a_game_whose_result_was_corrected_is_left_out_with_a_warning(tmp_path):
    series = make_series("games")
    row = "2025-05-01,First,Ann,Bo,1-0,1"
    imported(series, tmp_path, row)
    correct_result(Contest.objects.get(is_event=False).pk, scores=(0, 1), reason="mixed up")
    again = imported(series, tmp_path, row)
    assert (again.created, again.skipped) == (0, 1)
    assert [str(each) for each in again.warnings] == [
        "line 2: This game is already in the series, and its result has since been corrected there, so this row is "
        "left out. (found: Ann – Bo)"
    ]


def test_events_are_counted_dated_and_noted_and_games_keep_the_order_of_the_file(tmp_path):
    series = make_series("games")
    rows = [row for event in range(8) for row in played(f"Open {event}", 3 * event, 3)]
    assert imported(series, tmp_path, *rows, *played("Far", 300, 2)).created == 26
    events = Contest.objects.filter(is_event=True).order_by("ends_at")
    assert [(each.name, each.game_count, each.standing_count) for each in events] == [
        *((f"Open {event}", 3, 6) for event in range(8)), ("Far", 2, 4),
    ]  # fmt: skip
    assert [(each.starts_at.date(), each.ends_at.date()) for each in events][1] == (
        date(2025, 1, 4), date(2025, 1, 6),
    )  # fmt: skip
    in_order = Contest.objects.filter(is_event=False).order_by("ends_at", "sequence").values_list("event__name")
    assert [name for (name,) in in_order] == [row.split(",")[1] for row in rows] + ["Far", "Far"]
    notes = AuditEntry.objects.filter(action="event.games").order_by("id").values_list("subject", "after")
    assert next(iter(notes)) == ("contest open-0", {"games": 3})
    assert len(notes) == 9
    again = imported(series, tmp_path, *rows, "2025-01-01,Open 0,Ann,Bo,1-0,")
    assert (again.created, again.skipped) == (1, 24)
    assert Contest.objects.get(slug="open-0").game_count == 4


def test_an_event_that_takes_no_games_stops_the_whole_import(tmp_path):
    series = make_series("games")
    make_contest(series, slug="open-7", finalized=False)
    rows = [row for event in range(8) for row in played(f"Open {event}", event, 1)]
    with pytest.raises(ContestError, match=r"open-7.* is not an event of games"):
        imported(series, tmp_path, *rows)
    assert not Contest.objects.filter(is_event=True).exists()


def test_many_events_cost_only_a_few_more_queries(tmp_path):
    series, counts = make_series("games"), []
    for number in (10, 30):
        rows = [row for event in range(number) for row in played(f"Of {number} {event}", event, 1)]
        with CaptureQueriesContext(connection) as queries:
            imported(series, tmp_path, *rows)
        counts.append(len(queries))
    # For each: the look-up of its players and aliases by handle, and the entry in the audit log.
    assert counts[1] - counts[0] <= 3 * 20 + 10
