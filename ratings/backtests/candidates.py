"""Trying the candidates of a tuning: in this process, in several, or in a worker that reads the files itself."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from contests.errors import ContestError
from ratings.backtests.archive import Archive, UnreadableFile, read_archive
from ratings.systems import Scores
from ratings.systems.evaluate.calibration import Bin
from ratings.systems.evaluate.tuning import Candidate, Evaluate, evaluate_candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
