"""The effect of a restart of the services on a run in progress."""

from __future__ import annotations

import re
import signal

import pytest

from tests.faults.watching import draft, finalize, is_stale, publication_held_up, rated_series, states, waiting_sessions
from tests.processes import ROOT, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]

UNIT = (ROOT / "scripts" / "deploy" / "podium-worker.service").read_text(encoding="utf-8")


def test_a_worker_that_is_told_to_stop_as_its_unit_says_finishes_its_run(workers):
    """By systemd's default, `KillMode=control-group`, the computing process gets the signal too, and dies."""
    (mode,) = re.findall(r"^KillMode=(.*)$", UNIT, flags=re.MULTILINE) or ["control-group"]
    series = rated_series()
    worker = workers()
    with publication_held_up(series, at="start"):
        finalize(draft(series))
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        tell = worker.process.send_signal if mode == "mixed" else worker.send
        tell(signal.SIGTERM)
        worker.wait_for("Warm shutdown")
        assert worker.process.poll() is None
    worker.process.wait(30)
    assert not is_stale(series)
    assert states(series) == ["published", "published"]
