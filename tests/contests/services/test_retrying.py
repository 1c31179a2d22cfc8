"""Conflicting transactions both succeed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from django.db import OperationalError, connection, transaction

from contests.models import Player
from contests.services.standings import PlayerRegister
from contests.services.transactions import is_conflict, retried
from contests.uploads.importing import import_file
from tests.factories import make_series

if TYPE_CHECKING:
    from pathlib import Path


def lines_of(handles: list[list[str]], prefix: str) -> str:
    """Return a file of contests, one for each list of handles."""
    rows = [
        ", ".join(f'["{handle}", {rank}, null]' for rank, handle in enumerate(contest, start=1)) for contest in handles
    ]
    return "".join(
        f'{{"id": "{prefix}{n}", "name": "x", "end_time": "2024-01-0{n + 1}T00:00:00Z", "standings": [{row}]}}\n'
        for n, row in enumerate(rows)
    )


@pytest.mark.django_db(transaction=True)
def test_imports_that_create_the_same_players_in_opposite_order_both_succeed(tmp_path: Path, monkeypatch, caplog):
    caplog.set_level("INFO", logger="contests")
    together = threading.Barrier(2, timeout=20)
    waited: set[int] = set()
    create = PlayerRegister._create

    def create_together(self, new):
        create(self, new)
        # On SQLite one writes after the other anyway; both just have to succeed.
        if threading.get_ident() not in waited and connection.vendor == "postgresql":
            waited.add(threading.get_ident())
            together.wait()

    monkeypatch.setattr(PlayerRegister, "_create", create_together)
    orders = {"a": [["ann", "amy"], ["bob", "ben"]], "b": [["bob", "ben"], ["ann", "amy"]]}
    failed = []

    def run(name: str) -> None:
        try:
            file = tmp_path / f"{name}.jsonl"
            file.write_text(lines_of(orders[name], name))
            import_file(make_series(f"series-{name}").pk, path=file)
        except Exception as error:  # reported below, in the test's own thread
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[name]) for name in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    assert Player.objects.count() == 4
    assert ("conflicted with another transaction" in caplog.text) == (connection.vendor == "postgresql")


@pytest.mark.django_db(transaction=True)
def test_a_service_is_retried_after_a_conflict_only():
    tries = []

    @retried
    @transaction.atomic
    def service(error: str) -> int:
        tries.append(error)
        if len(tries) < 3:
            raise OperationalError(error)
        return len(tries)

    assert service("database is locked") == 3
    tries.clear()
    with pytest.raises(OperationalError, match="disk full"):
        service("disk full")
    assert len(tries) == 1


def test_other_database_errors_do_not_count_as_conflicts():
    assert is_conflict(OperationalError("database is locked"))
    assert not is_conflict(OperationalError("could not connect"))
