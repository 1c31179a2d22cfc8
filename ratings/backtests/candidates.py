"""Trying the candidates of a tuning: in this process, in several, or in a worker that reads the files itself."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from celery import group, signature
from celery.exceptions import TaskRevokedError
from kombu.exceptions import OperationalError

from contests.errors import ContestError
from ratings.backtests.archive import Archive, UnreadableFile, read_archive
from ratings.systems import Scores
from ratings.systems.evaluate.calibration import Bin
from ratings.systems.evaluate.tuning import Candidate, Evaluate, evaluate_candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from celery.result import AsyncResult, GroupResult


#: Called once for each candidate that was evaluated.
Tick: TypeAlias = "Callable[[], object]"

# What the processes of a pool work on: handed down when they are made, never sent.
_inherited: list[Archive] = []


def in_this_process(archive: Archive, tick: Tick) -> Evaluate:
    """Evaluate one candidate after the other."""

    def evaluate(candidates: Sequence[Candidate]) -> list[Scores]:
        scores = []
        for candidate in candidates:
            scores.append(evaluate_candidate(candidate, archive.contests, len(archive.handles)))
            tick()
        return scores

    return evaluate


@contextmanager
def in_processes(archive: Archive, jobs: int, tick: Tick) -> Iterator[Evaluate]:
    """Evaluate so many candidates at a time, each in a process of its own; ContestError if one of those dies."""
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=fork, initializer=_inherited.append, initargs=(archive,)) as pool:

        def evaluate(candidates: Sequence[Candidate]) -> list[Scores]:
            scores = []
            try:
                for each in pool.map(_evaluate_inherited, candidates):
                    scores.append(each)
                    tick()
            except BrokenProcessPool as error:
                raise ContestError(
                    "A process that evaluated candidates ended unexpectedly, perhaps for want of memory: "
                    "try again with fewer --jobs."
                ) from error
            return scores

        yield evaluate


def evaluate_on_files(files: Sequence[str], digest: str, candidate: dict[str, Any]) -> dict[str, Any]:
    """
    Evaluate a candidate, given and answered as plain values, on the contests of these files.

    Raises ContestError if the files cannot be read here, or have other contests than whoever asks has: `digest` is his.
    """
    stamps = tuple(_stamp(path) for path in files)
    archive, own_digest = _remembered(tuple(files), stamps)
    if own_digest != digest:
        raise ContestError(f"{', '.join(files)} has other contests for the worker than for this command")
    return asdict(evaluate_candidate(Candidate(**candidate), archive.contests, len(archive.handles)))


def scores_from(values: dict[str, Any]) -> Scores:
    """Return the scores that `evaluate_on_files` answered."""
    return Scores(**{**values, "calibration": tuple(Bin(**each) for each in values["calibration"])})


def _evaluate_inherited(candidate: Candidate) -> Scores:
    archive = _inherited[0]
    return evaluate_candidate(candidate, archive.contests, len(archive.handles))


# A worker gets one candidate after the other of the same files, which take longer to read than to rate.
@lru_cache(maxsize=1)
def _remembered(files: tuple[str, ...], stamps: tuple[tuple[int, int], ...]) -> tuple[Archive, str]:
    try:
        archive = read_archive([Path(file) for file in files])
    except UnreadableFile as error:
        raise ContestError(str(error)) from error
    return archive, archive.digest()


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise ContestError(f"The worker cannot read {path}: {error.strerror}") from error
    return status.st_size, status.st_mtime_ns


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
