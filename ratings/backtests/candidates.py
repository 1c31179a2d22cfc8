"""Evaluating the candidates of a tuning: in this process, in several processes, or in Celery workers."""

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
from ratings.systems import SYSTEMS, Scores
from ratings.systems.evaluate.calibration import Bin
from ratings.systems.evaluate.tuning import Candidate, Evaluate, evaluate_candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from celery.result import AsyncResult, GroupResult


#: Called after each evaluated candidate.
Tick: TypeAlias = "Callable[[], object]"

# The archive of a process pool: its processes inherit it when they start, so it is never sent.
_inherited: list[Archive] = []


def in_this_process(archive: Archive, tick: Tick) -> Evaluate:
    """Evaluate one candidate after the other."""

    def evaluate(candidates: Sequence[Candidate]) -> list[Scores]:
        scores = []
        for candidate in candidates:
            contests = archive.for_system(SYSTEMS[candidate.system])
            scores.append(evaluate_candidate(candidate, contests, len(archive.handles)))
            tick()
        return scores

    return evaluate


@contextmanager
def in_processes(archive: Archive, jobs: int, tick: Tick) -> Iterator[Evaluate]:
    """Evaluate this many candidates at a time, each in its own process; ContestError if a process dies."""
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
                    "A process that evaluated candidates ended unexpectedly, perhaps because memory ran out. "
                    "Try again with fewer --jobs."
                ) from error
            return scores

        yield evaluate


def evaluate_on_files(files: Sequence[str], digest: str, candidate: dict[str, Any]) -> dict[str, Any]:
    """
    Evaluate a candidate on the contests of these files; candidate and scores are plain JSON values.

    Raises ContestError if this process cannot read the files, or if their contests differ from those of the caller,
    whose archive has this digest.
    """
    stamps = tuple(_stamp(path) for path in files)
    archive, own_digest = _remembered(tuple(files), stamps)
    if own_digest != digest:
        raise ContestError(f"the worker reads other contests from {', '.join(files)} than this command")
    chosen = Candidate(**candidate)
    return asdict(evaluate_candidate(chosen, archive.for_system(SYSTEMS[chosen.system]), len(archive.handles)))


def scores_from(values: dict[str, Any]) -> Scores:
    """Return the scores from a result of `evaluate_on_files`."""
    bins = {name: tuple(Bin(**each) for each in values.get(name, ())) for name in ("calibration", "draws")}
    return Scores(**{**values, **bins})


def _evaluate_inherited(candidate: Candidate) -> Scores:
    archive = _inherited[0]
    return evaluate_candidate(candidate, archive.for_system(SYSTEMS[candidate.system]), len(archive.handles))


# A worker evaluates one candidate after another on the same files, which take longer to read than to rate.
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
    Evaluate candidates in Celery workers, which read the files by the same absolute paths.

    Raises ContestError if the broker cannot be reached, if a worker fails or its process dies, or if no worker returns
    a result for `patience` seconds. The remaining candidates are then withdrawn.
    """
    names, digest = [str(path.resolve()) for path in files], archive.digest()

    def evaluate(candidates: Sequence[Candidate]) -> list[Scores]:
        tasks = group(signature(TASK, (names, digest, asdict(candidate))) for candidate in candidates)
        try:
            # Results are useless after this command has given up.
            results = tasks.apply_async(expires=patience * len(candidates))
        except (OperationalError, OSError) as error:
            raise ContestError(f"The broker cannot be reached ({error}). Without --celery, none is needed.") from error
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
                f"No worker has returned a result for {patience:g} seconds; {len(waiting)} of {len(results)} are "
                "missing. Check that a worker is running (celery --app podium worker). A longer --timeout lets slow "
                "candidates finish."
            )
        time.sleep(POLL_SECONDS)
    return [found[number] for number in range(len(found))]


def _scores(result: AsyncResult) -> Scores:
    if result.successful():
        return scores_from(result.result)
    error = result.result
    words = "it expired" if isinstance(error, TaskRevokedError) else str(error) or type(error).__name__
    raise ContestError(f"A worker could not evaluate a candidate: {words.rstrip('.')}.")


def _withdraw(results: GroupResult) -> None:
    """Keep workers from starting tasks that no one waits for, and delete the results."""
    try:
        if not results.ready():
            results.revoke()
        results.forget()
    except (OperationalError, OSError):
        # Without the broker, the messages are gone or expire soon; report only the first error.
        return
