"""The rating library beside the compiled reference implementation, as one Markdown table.

    python scripts/bench/systems.py [--shared ../shared] [--runs 3] [--quick]

Peer: the PyPI package elo-mmr-py, the paper authors' Rust code. Ours and the peer take turns in one run;
times are medians, rating only: reading the files and making the peer's objects is outside. The peer is
asked for its latest ratings alone, we also keep the history of every participation. Memory is that of a
fresh process that reads, rates and keeps everything.
"""

import argparse
import gzip
import json
import math
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from ratings.systems import Contest, History, get_system, replay  # noqa: E402


@dataclass(frozen=True, slots=True)
class Work:
    """One line of the table: the first ``limit`` contests of a collection, against one mode of the peer."""

    title: str
    collection: str
    limit: int | None
    peer: str

    @property
    def exact(self) -> bool:
        return self.peer == "mmr"


WORKS = (
    Work("50 contests of 2,500 among 10,000", "synthetic-paper", 50, "mmr"),
    Work("Codeforces, first 150 rounds", "codeforces", 150, "mmr"),
    Work("Codeforces, all 983 rounds", "codeforces", None, "mmr-fast"),
)
QUICK = (
    Work("10 contests of 2,500 among 10,000", "synthetic-paper", 10, "mmr"),
    Work("Codeforces, first 60 rounds", "codeforces", 60, "mmr"),
)


def stop(message: str) -> NoReturn:
    print(f"systems.py: {message}", file=sys.stderr)
    sys.exit(2)


def read(shared: Path, work: Work) -> Iterator[dict[str, Any]]:
    """The contests of a work, one at a time: a parsed line takes more memory than all we make of it."""
    path = shared / "data" / work.collection / "contests.jsonl.gz"
    if not path.is_file():
        stop(f"no file {path}: give the folder that holds data/ with --shared")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for _, line in zip(range(work.limit or 1 << 60), lines, strict=False))


def day_of(moment: str) -> float:
    parsed = datetime.fromisoformat(moment)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() / 86_400


def our_contests(lines: Iterable[dict[str, Any]]) -> tuple[list[Contest], list[str]]:
    index: dict[str, int] = {}
    contests = []
    for line in lines:
        players = [index.setdefault(row[0], len(index)) for row in line["standings"]]
        ranks = [row[1] for row in line["standings"]]
        ceiling = line.get("perf_ceiling")
        contests.append(
            Contest(
                players,
                ranks,
                weight=line.get("weight", 1.0),
                perf_ceiling=math.inf if ceiling is None else ceiling,
                day=day_of(line["end_time"]),
            )
        )
    return contests, list(index)


def peer_contests(lines: Iterable[dict[str, Any]], peer: Any) -> list[Any]:
    """The peer's own objects: 0-based first and last place of each row's tie."""
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
    begin = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - begin, result


def disagreement(history: History, handles: list[str], latest: dict[str, Any]) -> float:
    """The largest difference of two final means, in rating points."""
    rated = np.flatnonzero(history.beliefs.count > 0)
    return max(abs(latest[handles[player]].mu - float(history.beliefs.mu[player])) for player in rated)


def compare(shared: Path, work: Work, runs: int, peer: Any) -> list[str]:
    contests, handles = our_contests(read(shared, work))
    theirs = peer_contests(read(shared, work), peer)
    rows = sum(len(contest) for contest in contests)
    our_seconds, peer_seconds = [], []
    for run in range(runs):
        seconds, history = timed(replay, get_system("elo-mmr"), contests, len(handles))
        our_seconds.append(seconds)
        seconds, latest = timed(peer.rate_latest, theirs, system=work.peer)
        peer_seconds.append(seconds)
        print(f"  {work.title}, run {run + 1}: {our_seconds[-1]:.2f} s, peer {seconds:.2f} s", file=sys.stderr)
    ours, others = statistics.median(our_seconds), statistics.median(peer_seconds)
    difference = disagreement(history, handles, latest)
    agreement = f"{difference:.0e}" if work.exact else f"peer approximates: {difference:.0f}"
    memory = peak_memory(shared, work)
    return [
        work.title, f"{rows:,}", f"`{work.peer}`", f"{ours:.2f}", f"{others:.2f}",
        f"{others / ours:.1f}", f"{memory:,.0f}", agreement,
    ]  # fmt: skip


def peak_memory(shared: Path, work: Work) -> float:
    """Mebibytes at the peak of a fresh process that reads and rates, by our own code alone."""
    command = [sys.executable, __file__, "--shared", str(shared), "--memory-of", work.collection]
    run = subprocess.run([*command, str(work.limit or 0)], capture_output=True, text=True, check=True)
    return float(run.stdout)


def print_own_peak(shared: Path, collection: str, limit: int) -> None:
    contests, handles = our_contests(read(shared, Work("", collection, limit or None, "")))
    history = replay(get_system("elo-mmr"), contests, len(handles))
    assert len(history)
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would count the parent from which this process was forked
        kibibytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    else:
        kibibytes = str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(int(kibibytes) / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", help="folder with data/")
    parser.add_argument("--runs", type=int, default=3, help="turns of each (default 3)")
    parser.add_argument("--quick", action="store_true", help="smaller works, one turn: a minute at most")
    parser.add_argument("--memory-of", nargs=2, metavar=("COLLECTION", "LIMIT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print_own_peak(options.shared, options.memory_of[0], int(options.memory_of[1]))
        return
    if options.runs < 1:
        stop("--runs must be at least 1")
    try:
        import elo_mmr_py as peer
    except ImportError:
        stop("the peer is missing: pip install elo-mmr-py (it is in requirements-dev.txt)")
    works = QUICK if options.quick else WORKS
    head = ["work", "participations", "peer", "ours, s", "peer, s", "times faster", "our peak, MiB", "max abs Δμ"]
    table = [head, ["---", *["---:"] * (len(head) - 1)]]
    table += [compare(options.shared, work, 1 if options.quick else options.runs, peer) for work in works]
    print("\n".join("| " + " | ".join(row) + " |" for row in table))


if __name__ == "__main__":
    main()
