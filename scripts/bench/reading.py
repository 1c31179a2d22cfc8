"""Helpers of the benchmarks: reading collections of contests, timing, and tables."""

import gc
import gzip
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

# The default of --shared, the folder with the collections.
SHARED = Path(os.environ.get("PODIUM_SHARED", ROOT.parent / "shared"))

import numpy as np  # noqa: E402

from ratings.systems import Contest  # noqa: E402


def stop(message: str) -> NoReturn:
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def read(shared: Path, collection: str, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the first contests of a collection, one at a time: a parsed line takes more memory than its result."""
    path = shared / "data" / collection / "contests.jsonl.gz"
    if not path.is_file():
        stop(f"no file {path}: give the folder that holds data/ with --shared")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for _, line in zip(range(limit or 1 << 60), lines, strict=False))


def decided_games(shared: Path, collection: str, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the first two-player games of a collection, without draws, which the compiled reference skips.

    A contest of more than two players gives one game for each pair of neighbours in its order of finish: the first
    against the second, the second against the third, and so on.
    """
    lines = (game for line in read(shared, collection) for game in _games(line))
    yield from (line for _, line in zip(range(limit or 1 << 60), lines, strict=False))


def _games(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    finish = sorted(line["standings"], key=lambda row: row[1])
    for better, worse in itertools.pairwise(finish):
        if better[1] < worse[1]:
            yield {**line, "standings": [[better[0], 1], [worse[0], 2]]}


def day_of(moment: str) -> float:
    """Return days since 1970."""
    parsed = datetime.fromisoformat(moment)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() / 86_400


def our_contests(lines: Iterable[dict[str, Any]]) -> tuple[list[Contest], list[str]]:
    """Return contests of our library and the handles of the players; an entry with several handles is a team."""
    index: dict[str, int] = {}
    return [_our_contest(line, index) for line in lines], list(index)


def _our_contest(line: dict[str, Any], index: dict[str, int]) -> Contest:
    players, ranks, teams = [], [], []
    for number, (entry, rank, *_) in enumerate(line["standings"]):
        for handle in entry if isinstance(entry, list) else [entry]:
            players.append(index.setdefault(handle, len(index)))
            ranks.append(rank)
            teams.append(number)
    ceiling = line.get("perf_ceiling")
    return Contest(
        players,
        ranks,
        weight=line.get("weight", 1.0),
        perf_ceiling=math.inf if ceiling is None else ceiling,
        day=day_of(line["end_time"]),
        teams=teams if isinstance(line["standings"][0][0], list) else None,
    )


def reference_contests(lines: Iterable[dict[str, Any]], peer: Any) -> list[Any]:
    """Return contests of the compiled reference: the 0-based first and last place of each row's tie."""
    contests = []
    for line in lines:
        _, group, sizes = np.unique([row[1] for row in line["standings"]], return_inverse=True, return_counts=True)
        last = np.cumsum(sizes)
        rows = [
            (row[0], int(last[g] - sizes[g]), int(last[g] - 1))
            for row, g in zip(line["standings"], group.tolist(), strict=True)
        ]
        contests.append(peer.Contest(rows, weight=line.get("weight", 1.0), perf_ceiling=line.get("perf_ceiling")))
    return contests


def timed(function: Any, *arguments: Any, **options: Any) -> tuple[float, Any]:
    """Return the seconds and the result of a function; collects garbage first."""
    gc.collect()
    begin = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - begin, result


def timed_twice(function: Any, *arguments: Any) -> tuple[float, float, Any]:
    """Return the wall-clock seconds, the processor seconds of all threads, and the result of a function."""
    gc.collect()  # before the clock starts, so that the collection in `timed` has nothing left to do
    begin = time.process_time()
    seconds, result = timed(function, *arguments)
    return seconds, time.process_time() - begin, result


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
    """Print a Markdown table; the first ``left`` columns are text, the others numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    print("\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows)), flush=True)
