"""The hourly task: an error in one job does not stop the others."""

from __future__ import annotations

import pytest

from contests import tasks

JOBS = ("withdraw_void_invitations", "expire_reports", "append_all", "clear_networks", "sweep_files")


@pytest.mark.parametrize("broken", JOBS)
def test_a_job_that_fails_is_logged_and_the_others_run(monkeypatch, caplog, broken):
    ran = []

    def fail():
        raise OSError("no such folder")

    for name in JOBS:
        job = fail if name == broken else (lambda name=name: ran.append(name))
        job.__name__ = name
        monkeypatch.setattr(tasks, name, job)
    with pytest.raises(RuntimeError, match=broken):
        tasks.sweep_task()
    assert ran == [name for name in JOBS if name != broken]
    assert "no such folder" in caplog.text
