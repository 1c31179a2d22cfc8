"""Merges with concurrent writers, on databases with several writers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from contests.errors import ContestError
from contests.formats import read_contests
from contests.models import Standing
from contests.services import transactions
from contests.services.contests import delete_contest, finalize_contest, restore_contest
from contests.services.merging import merge_players
from contests.services.standings import PlayerRegister, write_standings
from tests.factories import make_contest, make_player, make_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]


def test_two_opposite_merges_at_once_end_with_one_done_and_one_refused():
    for _ in range(5):
        one, other = make_player(), make_player()
        series = make_series()
        for player in (one, other) * 5:
            make_contest(series, standings=[(player.handle, 1)])
        with ThreadPoolExecutor() as pool:
            outcomes = list(pool.map(attempt_merge, [(one.pk, other.pk), (other.pk, one.pk)]))
        assert sorted(outcomes) == ["done", "refused"]
        assert Standing.objects.filter(contest__series=series).values("player").distinct().count() == 1


def attempt_merge(pair):
    try:
        merge_players(*pair, reason="one person")
    except ContestError as error:
        return "refused" if "has already been merged into" in str(error) else str(error)
    finally:
        connection.close()
    return "done"


def test_players_are_not_merged_while_their_results_are_being_written(monkeypatch):
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.2)
    draft = make_contest(finalized=False)
    kept, merged = make_player("ann"), make_player("anna")
    file = "rank,handle\n1,anna\n2,bob\n"
    parsed = read_contests(file.encode(), filename="a.csv")[0]
    refused = []

    def merge_meanwhile() -> None:
        try:
            merge_players(kept.pk, merged.pk, reason="one person")
        except ContestError as error:
            refused.append(str(error))
        finally:
            connection.close()

    with transaction.atomic():
        write_standings(draft, parsed, PlayerRegister("main"))
        thread = threading.Thread(target=merge_meanwhile)
        thread.start()
        thread.join(30)
        assert "Someone is importing results" in refused[0]
    merge_players(kept.pk, merged.pk, reason="one person")
    assert set(draft.standings.values_list("player__handle", flat=True)) == {"ann", "bob"}


def test_players_are_not_merged_while_a_contest_of_theirs_is_restored(monkeypatch):
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.2)
    contest = make_contest(standings=[("ann", 1), ("anna", 2), ("bob", 3)])
    delete_contest(contest.pk, reason="entered twice")
    kept, merged = make_player("ann"), make_player("anna")
    with transaction.atomic():
        restore_contest(contest.pk, reason="it was right")
        with ThreadPoolExecutor() as pool:
            assert "Someone is importing results" in pool.submit(attempt_merge, (kept.pk, merged.pk)).result(30)
    assert "both took part in" in attempt_merge((kept.pk, merged.pk))


def test_players_are_not_merged_while_a_contest_of_theirs_is_finalized(monkeypatch):
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.2)
    contest = make_contest(standings=[("ann", 1), ("bob", 2)], finalized=False)
    merged, kept = make_player("ann"), make_player("anna")
    with transaction.atomic():
        finalize_contest(contest.pk)
        with ThreadPoolExecutor() as pool:
            assert "Someone is importing results" in pool.submit(attempt_merge, (kept.pk, merged.pk)).result(30)
    assert attempt_merge((kept.pk, merged.pk)) == "done"
    assert set(contest.standings.values_list("player__handle", flat=True)) == {"anna", "bob"}
