"""The contests and reference numbers that live beside the project, for tests and benchmarks alike."""

import gzip
import json
import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ratings.systems import Contest

SHARED = Path(os.environ.get("PODIUM_SHARED", "../shared"))
#: Tests with this mark, or with the fixture `shared`, are left out if the folder is missing; see `tests.services`.
needs_shared = pytest.mark.needs_shared


def read_lines(path: Path, limit: int | None = None) -> list[Any]:
    """The first ``limit`` JSON lines of a gzipped file, all by default."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for _, line in zip(range(limit or 1 << 60), lines, strict=False)]


def oracle_cases(*systems: str) -> list[dict[str, Any]]:
    """The entries of the oracle's index for these systems; none when the folder is absent."""
    index = SHARED / "oracle" / "index.json"
    cases = json.loads(index.read_text()) if index.exists() else []
    return [case for case in cases if case["system"] in systems]


def decided(contests: Sequence[Contest]) -> list[int]:
    """The positions of the contests in which not everyone tied: the reference implementation skips the others."""
    return [position for position, contest in enumerate(contests) if len(contest.group_sizes) > 1]


def day_of(moment: str) -> float:
    """Days since 1970 of an ISO 8601 moment; UTC if it names no zone."""
    parsed = datetime.fromisoformat(moment)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() / 86_400


def load_contests(name: str, limit: int | None = None) -> tuple[list[Contest], list[str], list[str]]:
    """The first contests of one data set, the ids of the contests and the handles of the players.

    An entry with a list of handles is a team.
    """
    index: dict[str, int] = {}
    contests, ids = [], []
    for line in read_lines(SHARED / "data" / name / "contests.jsonl.gz", limit):
        sides = [[entry] if isinstance(entry, str) else entry for entry, *_ in line["standings"]]
        entry = [number for number, side in enumerate(sides) for _ in side]
        ceiling = line.get("perf_ceiling")
        contests.append(
            Contest(
                [index.setdefault(handle, len(index)) for side in sides for handle in side],
                [line["standings"][number][1] for number in entry],
                weight=line.get("weight", 1.0),
                perf_ceiling=math.inf if ceiling is None else ceiling,
                day=day_of(line["end_time"]),
                teams=entry if any(len(side) > 1 for side in sides) else None,
            )
        )
        ids.append(line["id"])
    return contests, ids, list(index)
