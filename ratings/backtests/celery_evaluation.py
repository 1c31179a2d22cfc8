"""The candidates of a tuning fan out over Celery's workers as a group, and come back as one list."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from celery import group, signature
from celery.exceptions import TaskRevokedError
from kombu.exceptions import OperationalError

from contests.errors import ContestError
from ratings.backtests.candidates import scores_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from celery.result import AsyncResult, GroupResult

    from ratings.backtests.archive import Archive
    from ratings.backtests.candidates import Tick
    from ratings.systems import Scores
    from ratings.systems.evaluate.tuning import Candidate, Evaluate

#: The task of `ratings.tasks` that evaluates one candidate.
TASK = "ratings.evaluate_candidate"
#: How often to look for results.
POLL_SECONDS = 0.1


def over_workers(files: Sequence[Path], archive: Archive, tick: Tick, *, patience: float) -> Evaluate:
    """
    Evaluate candidates in workers, which read the files by the same absolute paths.

    ContestError if there is no broker, if a worker fails or its process dies, or if no worker brings a result for
    `patience` seconds: what is still waiting is then withdrawn.
    """
    names, digest = [str(path.resolve()) for path in files], archive.digest()

    def evaluate(candidates: Sequence[Candidate]) -> list[Scores]:
        fan = group(signature(TASK, (names, digest, asdict(candidate))) for candidate in candidates)
        try:
            # Of no use to anybody after this command has given up.
            results = fan.apply_async(expires=patience * len(candidates))
        except (OperationalError, OSError) as error:
            raise ContestError(f"The broker cannot be reached ({error}): without --celery none is needed.") from error
        try:
            return _gathered(results, tick, patience)
        finally:
            _withdraw(results)

    return evaluate


def _gathered(results: GroupResult, tick: Tick, patience: float) -> list[Scores]:
    waiting: dict[int, AsyncResult] = dict(enumerate(results.results))
    found: dict[int, Scores] = {}
    deadline = time.monotonic() + patience
    while waiting:
        for number in [number for number, result in waiting.items() if result.ready()]:
            found[number] = _scores(waiting.pop(number))
            deadline = time.monotonic() + patience
            tick()
        if not waiting:
            break
        if time.monotonic() > deadline:
            raise ContestError(
                f"For {patience:g} seconds no worker has brought a result, {len(waiting)} of {len(results)} are "
                "missing. Is a worker running (celery --app podium worker), or did it die? A longer --timeout lets "
                "slow ones end."
            )
        time.sleep(POLL_SECONDS)
    return [found[number] for number in range(len(found))]


def _scores(result: AsyncResult) -> Scores:
    if result.successful():
        return scores_from(result.result)
    error = result.result
    words = "its time was over" if isinstance(error, TaskRevokedError) else str(error) or type(error).__name__
    raise ContestError(f"A worker could not evaluate a candidate: {words.rstrip('.')}.")


def _withdraw(results: GroupResult) -> None:
    """Let no worker begin what nobody waits for, and leave no results behind."""
    try:
        if not results.ready():
            results.revoke()
        results.forget()
    except (OperationalError, OSError):
        # The broker is gone, and the messages with it or soon too old: the first trouble is the one to tell.
        return
