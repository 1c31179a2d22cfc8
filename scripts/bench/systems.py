"""Compare the rating library with other implementations, as a Markdown table.

    python scripts/bench/systems.py [--shared ../shared] [--runs 3] [--quick]

The second table is about two-player games: decided games of Halo 2, and neighbouring finishers of Formula 1 races.

Peers: the PyPI packages elo-mmr-py (the paper authors' Rust code, which uses all cores) and trueskill (Python). Ours
and the peer take turns; times are medians of the rating alone, without reading files and creating the peer's objects.
The compiled peer only returns the latest ratings, while ours also keeps the history of every participation. Memory is
that of a new process that reads, rates and keeps everything.
"""

import argparse
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import trueskill
from reading import (
    SHARED,
    decided_games,
    our_contests,
    print_table,
    read,
    reference_contests,
    stop,
    timed,
    timed_twice,
)  # puts the library on the path

from ratings.systems import Contest, get_system, replay

try:
    import elo_mmr_py as reference
except ImportError:
    stop("a peer is missing: pip install elo-mmr-py (it is in requirements-dev.txt)")


@dataclass(frozen=True, slots=True)
class Work:
    """A line of the table: the first ``limit`` contests of a collection, rated by us and by a peer's ``mode``.

    exact
        Whether the peer computes the same numbers.
    asked
        The target: how many times faster than the peer we want to be.
    """

    system: str
    title: str
    collection: str
    mode: str
    asked: float
    limit: int | None = None
    exact: bool = True


_PAPER = ("50 contests of 2,500 among 10,000", "synthetic-paper")
WORKS = (
    Work("elo-mmr", *_PAPER, "mmr", 40),
    Work("elo-mmr", "Codeforces, first 150 rounds", "codeforces", "mmr", 6, limit=150),
    Work("elo-mmr", "Codeforces, all 983 rounds", "codeforces", "mmr-fast", 3, exact=False),
    Work("elo-mmx", *_PAPER, "mmx", 10),
    Work("codeforces", *_PAPER, "cfsys", 40),
    Work("topcoder", *_PAPER, "tcsys", 8),
    Work("glicko", *_PAPER, "glicko", 10),
    Work("trueskill-spb", *_PAPER, "trueskill", 1 / 3),
    Work("trueskill", "Halo 2, 6,227 two-player games", "halo2-headtohead", "package trueskill", 8),
    Work("trueskill", "Halo 2, 1,199 team games", "halo2-largeteam", "package trueskill", 8),
)
QUICK = (
    Work("elo-mmr", "10 contests of 2,500 among 10,000", "synthetic-paper", "mmr", 40, limit=10),
    Work("elo-mmr", "Codeforces, first 60 rounds", "codeforces", "mmr", 6, limit=60),
    *(Work(w.system, "10 contests of 2,500 among 10,000", *_PAPER[1:], w.mode, w.asked, limit=10) for w in WORKS[3:8]),
    *(Work(w.system, "1,000 games", w.collection, w.mode, w.asked, limit=1000) for w in WORKS[8:]),
)

GAMES = tuple(
    Work(system, title, collection, mode, 1, limit=20_000)
    for title, collection in (("Formula 1, 20,000 games", "formula1"), ("Halo 2, 5,716 games", "halo2-headtohead"))
    for system, mode in (
        ("elo-mmr", "mmr"), ("elo-mmx", "mmx"), ("codeforces", "cfsys"), ("topcoder", "tcsys"), ("glicko", "glicko"),
    )
)  # fmt: skip
QUICK_GAMES = tuple(Work(w.system, "500 games", w.collection, w.mode, 1, limit=500) for w in GAMES[:5])


@dataclass(frozen=True, slots=True)
class Peer:
    """Another implementation: ``rate`` rates, and ``means`` returns the last mean of each of our players."""

    rate: Callable[[], Any]
    means: Callable[[Any], dict[int, float]]


def reference_peer(lines: Iterable[dict[str, Any]], work: Work, handles: list[str]) -> Peer:
    contests = reference_contests(lines, reference)
    number = {handle: player for player, handle in enumerate(handles)}
    return Peer(
        lambda: reference.rate_latest(contests, system=work.mode),
        lambda latest: {number[handle]: rating.mu for handle, rating in latest.items()},
    )


def package_peer(contests: list[Contest]) -> Peer:
    """Return the package trueskill, with prepared groups and ranks."""
    games = [_game(contest) for contest in contests]
    environment = trueskill.TrueSkill()

    def rate() -> dict[int, trueskill.Rating]:
        ratings: dict[int, trueskill.Rating] = {}
        for teams, ranks in games:
            groups = [tuple(ratings.get(player) or environment.create_rating() for player in team) for team in teams]
            for team, rated in zip(teams, environment.rate(groups, ranks=ranks), strict=True):
                ratings.update(zip(team, rated, strict=True))
        return ratings

    return Peer(rate, lambda ratings: {player: rating.mu for player, rating in ratings.items()})


def _game(contest: Contest) -> tuple[list[list[int]], list[float]]:
    teams: list[list[int]] = [[] for _ in range(contest.n_entries)]
    ranks = [0.0] * contest.n_entries
    rows = zip(contest.entry.tolist(), contest.players.tolist(), contest.ranks.tolist(), strict=True)
    for entry, player, rank in rows:
        teams[entry].append(player)
        ranks[entry] = rank
    return teams, ranks


def compare(shared: Path, work: Work, runs: int) -> list[str]:
    contests, handles = our_contests(read(shared, work.collection, work.limit))
    package = work.mode.startswith("package")
    lines = read(shared, work.collection, work.limit)
    peer = package_peer(contests) if package else reference_peer(lines, work, handles)
    system = get_system(work.system)
    our_seconds, peer_seconds = [], []
    for run in range(3 * runs if package else runs):  # the games take a tenth of a second, so times vary
        seconds, history = timed(replay, system, contests, len(handles))
        our_seconds.append(seconds)
        seconds, latest = timed(peer.rate)
        peer_seconds.append(seconds)
        print(
            f"  {work.system}, {work.title}, run {run + 1}: {our_seconds[-1]:.3f} s, peer {seconds:.3f} s",
            file=sys.stderr,
        )
    ours, others = statistics.median(our_seconds), statistics.median(peer_seconds)
    difference = _difference(history.beliefs, peer.means(latest))
    return [
        f"`{work.system}`", work.title, f"`{work.mode}`", f"{ours:.3f}", f"{others:.2f}", f"{others / ours:.1f}",
        f"{work.asked:.2g}", f"{peak_memory(shared, work):,.0f}",
        f"{difference:.0e}" if work.exact else f"peer approximates: {difference:.0f}",
    ]  # fmt: skip


def compare_games(shared: Path, work: Work, runs: int) -> list[str]:
    """Return a row of the table of games: processor seconds, and wall-clock seconds."""
    lines = list(decided_games(shared, work.collection, work.limit))
    contests, handles = our_contests(lines)
    peer, system = reference_peer(lines, work, handles), get_system(work.system)
    ours, others = [], []
    for _ in range(3 * runs):
        *seconds, history = timed_twice(replay, system, contests, len(handles))
        ours.append(seconds)
        *seconds, latest = timed_twice(peer.rate)
        others.append(seconds)
    (clock, processor), (peer_clock, peer_processor) = np.median(ours, axis=0), np.median(others, axis=0)
    difference = _difference(history.beliefs, peer.means(latest))
    return [
        f"`{work.system}`", work.title, f"`{work.mode}`", f"{processor:.3f}", f"{peer_processor:.3f}",
        f"{peer_processor / processor:.1f}", f"{clock:.3f}", f"{peer_clock:.3f}", f"{peer_clock / clock:.1f}",
        f"{1e6 * processor / len(contests):.1f}", f"{difference:.0e}",
    ]  # fmt: skip


def _difference(beliefs: Any, means: dict[int, float]) -> float:
    """Return the largest difference of two final means."""
    rated = np.flatnonzero(beliefs.count > 0).tolist()
    return max(abs(means[player] - float(beliefs.mu[player])) for player in rated)


def peak_memory(shared: Path, work: Work) -> float:
    """Return the peak memory, in MiB, of a new process in which our code reads and rates."""
    command = [sys.executable, __file__, "--shared", str(shared), "--memory-of", work.system, work.collection]
    run = subprocess.run([*command, str(work.limit or 0)], capture_output=True, text=True, check=True)
    return float(run.stdout)


def print_own_peak(shared: Path, system: str, collection: str, limit: int) -> None:
    contests, handles = our_contests(read(shared, collection, limit or None))
    history = replay(get_system(system), contests, len(handles))
    assert len(history)
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would include the parent process
        kibibytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    else:
        kibibytes = str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(int(kibibytes) / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with data/")
    parser.add_argument(
        "--runs", type=int, default=3, help="repetitions of each, three times as many of short ones (default 3)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer contests, no repetition: at most a minute")
    parser.add_argument("--system", help="only the lines of this system")
    parser.add_argument("--games", action="store_true", help="only the two-player games")
    parser.add_argument("--memory-of", nargs=3, metavar=("SYSTEM", "COLLECTION", "LIMIT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        system, collection, limit = options.memory_of
        print_own_peak(options.shared, system, collection, int(limit))
        return
    if options.runs < 1:
        stop("--runs must be at least 1")
    works = [work for work in (QUICK if options.quick else WORKS) if options.system in (None, work.system)]
    works = [] if options.games else works
    rows = [compare(options.shared, work, 1 if options.quick else options.runs) for work in works]
    head = [
        "system", "work", "peer", "ours, s", "peer, s", "times faster", "asked", "our peak, MiB", "max abs Δμ",
    ]  # fmt: skip
    if rows:
        print_table(head, rows, left=3)
    works = [work for work in (QUICK_GAMES if options.quick else GAMES) if options.system in (None, work.system)]
    rows = [compare_games(options.shared, work, 1 if options.quick else options.runs) for work in works]
    head = [
        "system", "games", "peer", "our CPU, s", "its CPU, s", "times faster", "our clock, s", "its clock, s",
        "times faster", "our CPU per game, µs", "max abs Δμ",
    ]  # fmt: skip
    print("", flush=True)
    print_table(head, rows, left=3)


if __name__ == "__main__":
    main()
