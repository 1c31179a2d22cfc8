"""
The whole pipeline on PostgreSQL, at the size of Codeforces: file to published ratings, and the pages on top of them.

    scripts/services.sh run .venv/bin/python scripts/bench/pipeline.py [--shared ../shared] [--rounds 983]

Needs DATABASE_URL of an empty PostgreSQL database and the Codeforces rounds. Prints Markdown tables. The floor, in the
same run, is what PostgreSQL needs for the bare rows: written by COPY, indexed twice, read back.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from empty_site import empty_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
SERIES = "codeforces"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("PODIUM_SHARED", ROOT.parent / "shared")))
    parser.add_argument("--rounds", type=int, default=983, help="number of rounds, from the first")
    parser.add_argument("--games", type=int, help="instead of the rounds, import a table of this many made-up games")
    parser.add_argument("--system", default="elo-mmr", help="rating system of the games")
    parser.add_argument("--runs", type=int, default=5, help="repetitions of short steps")
    arguments = parser.parse_args()
    with site(arguments.shared) as (file, folder):
        if arguments.games:
            measure_games(table_of_games(arguments.games, folder), arguments.system)
            return
        measure(first_rounds(file, arguments.rounds, folder), arguments.runs)


@contextmanager
def site(shared: Path) -> Iterator[tuple[Path, Path]]:
    """Set the environment of a temporary site; yield the file of the Codeforces rounds and a folder to write to."""
    file = shared / "data" / "codeforces" / "contests.jsonl.gz"
    if not file.exists():
        sys.exit(f"{file} is missing: give the folder of the shared data with --shared.")
    with empty_site() as folder:
        yield file, folder


def measure(file: Path, runs: int) -> None:
    """Import, rate, finalize and request pages, and print each result."""
    manage("migrate", "--verbosity", "0")
    manage("collectstatic", "--noinput", "--verbosity", "0")
    print("| work | seconds | rows | peak memory |\n| --- | ---: | ---: | ---: |", flush=True)
    imported = report("import_contests: all rounds imported, rated, published", "import_contests", str(file))
    report("rate --full on the result", "rate", "--full")
    import django

    django.setup()
    floor_seconds = floor(imported["standings"])
    print(f"| floor: COPY in, two indexes, read back | {floor_seconds:.1f} | {imported['standings']:,} | |")
    print(f"\nImporting took {imported['total_seconds'] / floor_seconds:.1f} times the floor.\n")
    seconds = [finalize_one(3000, number) for number in range(runs)]
    print(
        "Finalizing one 3,000-player contest: published "
        f"{statistics.median(seconds):.2f} s after the task's start (median of {runs}).\n"
    )
    seconds = [disqualify_in_the_middle(number) for number in range(min(runs, 3))]
    print(
        "A disqualification in the middle: all later rounds replayed and published in "
        f"{statistics.median(seconds):.1f} s.\n"
    )
    pages(runs * 5)


def measure_games(file: Path, system: str) -> None:
    """Import, rate and publish a table of games, and rate it again; print the seconds of each."""
    manage("migrate", "--verbosity", "0")
    print("| work | seconds | rows | peak memory |\n| --- | ---: | ---: | ---: |", flush=True)
    report("import_contests --no-rate: stored", "import_contests", str(file), "--no-rate", "--system", system)
    report("rate: rated and published", "rate")
    report("rate --full on the result", "rate", "--full")


def table_of_games(number: int, folder: Path) -> Path:
    """Write a table of games between players of normally distributed strengths, in events of about 200 games."""
    generator = random.Random(13)
    strengths = [generator.gauss(1500.0, 300.0) for _ in range(max(number // 40, 10))]
    file = folder / "games.csv"
    with file.open("w") as lines:
        lines.write("date,event,player_a,player_b,result\n")
        for game in range(number):
            day = date(2000, 1, 1) + timedelta(days=game * 9_000 // number)
            one, other = generator.sample(range(len(strengths)), 2)
            margin = generator.gauss(strengths[one] - strengths[other], 280.0)
            result = "½-½" if abs(margin) < 30.0 else "1-0" if margin > 0.0 else "0-1"
            lines.write(f"{day:%Y-%m-%d},Open {game // 200 + 1},player{one},player{other},{result}\n")
    return file


def report(name: str, *command: str) -> dict:
    """Run a command and print its row."""
    result, seconds, peak = manage(*command, "--series", SERIES, "--json")
    rows = result.get("standings", result.get("changes", 0))
    print(f"| `{name}` | {seconds:.1f} | {rows:,} | {peak / 2**20:.2f} GB |", flush=True)
    return {**result, "total_seconds": seconds}


def manage(*arguments: str) -> tuple[dict, float, int]:
    """Run manage.py in a separate process; return its JSON, its wall-clock seconds and its peak memory in kB."""
    with tempfile.TemporaryFile("w+") as out:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments], stdout=out, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        out.seek(0)
        text = out.read().strip()
    if status:
        sys.exit(f"manage.py {' '.join(arguments)} failed; run it by hand to see why.")
    return (json.loads(text.splitlines()[-1]) if text.startswith("{") else {}), seconds, usage.ru_maxrss


def floor(rows: int) -> float:
    """Return the seconds for a plain COPY of this many rows of three numbers, two indexes, and reading the columns."""
    from django.db import connection

    started = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE floor (contest bigint, player bigint, rank integer, a float8, b float8, c float8)")
        with cursor.copy("COPY floor FROM STDIN") as copy:
            for start in range(0, rows, 50_000):
                stop = min(start + 50_000, rows)
                copy.write(
                    "".join(
                        f"{i // 2000}\t{i * 7919 % rows}\t{i % 2000}\t{i}.5\t350.25\t1500\n" for i in range(start, stop)
                    )
                )
        cursor.execute("CREATE INDEX ON floor (contest)")
        cursor.execute("CREATE INDEX ON floor (player)")
        cursor.execute("SELECT contest, player, rank FROM floor")
        cursor.fetchall()
        seconds = time.perf_counter() - started
        cursor.execute("DROP TABLE floor")
    return seconds


def finalize_one(players: int, number: int) -> float:
    """Finalize a new contest of known players and rate it; return the seconds from the task's start to publication."""
    from contests.models import Contest, Series, Standing
    from contests.services.contests import finalize_contest
    from ratings.models import RatingChange
    from ratings.tasks import refresh_series_task

    series = Series.objects.get(slug=SERIES)
    newest = series.contests.newest_first().first()
    contest = Contest.objects.create(
        series=series,
        slug=f"bench-{number}",
        name=f"Bench {number}",
        ends_at=newest.ends_at + timedelta(days=1),
        standing_count=players,
    )
    latest = RatingChange.objects.filter(series=series).order_by("-id").values_list("player_id", flat=True)
    chosen = list(dict.fromkeys(latest[: players * 4]))[:players]
    Standing.objects.bulk_create(
        [
            Standing(contest=contest, player_id=player, place=rank, rank=rank)
            for rank, player in enumerate(chosen, start=1)
        ]
    )
    finalize_contest(contest.pk)
    started = time.perf_counter()
    refresh_series_task(series.pk)
    return time.perf_counter() - started


def disqualify_in_the_middle(number: int) -> float:
    """Disqualify a row of the middle contest and rate; return the seconds until it is published."""
    from contests.models import Series
    from contests.services.correcting import Correction, correct_standing
    from ratings.publishing.refresh import refresh_series

    series = Series.objects.get(slug=SERIES)
    contests = list(series.contests.finalized().in_order())
    row = contests[len(contests) // 2].standings.ranked().order_by("rank")[number]
    correct_standing(row.pk, correction=Correction("disqualified", place=row.place), reason="benchmark")
    started = time.perf_counter()
    refresh_series(series.pk)
    return time.perf_counter() - started


def pages(runs: int) -> None:
    """Request each page in this process; print the median and slowest time, queries and size."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from ratings.models import Rating, Run

    run = Run.objects.published().filter(series__slug=SERIES).order_by("-number").first()
    far = min(2000, -(-run.player_count // 100))
    busiest = Rating.objects.filter(series=run.series).order_by("-contest_count").select_related("player").first()
    biggest = run.series.contests.finalized().order_by("-standing_count").first()
    paths = {
        "home": "/",
        "leaderboard, page 1": f"/c/main/series/{SERIES}/leaderboard/",
        f"leaderboard, page {far:,}": f"/c/main/series/{SERIES}/leaderboard/?page={far}",
        "leaderboard, search": f"/c/main/series/{SERIES}/leaderboard/?q=tour",
        f"contest of {biggest.standing_count:,}": f"/contests/{biggest.pk}/",
        f"player of {busiest.contest_count} contests": busiest.player.get_absolute_url(),
        "contests": "/contests/",
        "REST leaderboard": f"/api/v1/communities/main/series/{SERIES}/leaderboard/",
        "REST history": f"/api/v1/players/{busiest.player_id}/history/?series={SERIES}",
    }
    client = Client(HTTP_HOST="localhost")
    print(f"| page, {run.player_count:,} players | median ms | slowest ms | queries | kB |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, path in paths.items():
        response = client.get(path)
        if response.status_code != 200:
            sys.exit(f"{path} answered {response.status_code}")
        with CaptureQueriesContext(connection) as queries:
            client.get(path)
        count = len(queries)
        times = [timed(lambda path=path: client.get(path)) for _ in range(runs)]
        median, slowest = 1000 * statistics.median(times), 1000 * max(times)
        print(f"| {name} | {median:.0f} | {slowest:.0f} | {count} | {len(response.content) / 1024:.0f} |")


def timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def first_rounds(file: Path, rounds: int, folder: Path) -> Path:
    if rounds >= 983:
        return file
    shorter = folder / "rounds.jsonl"
    with gzip.open(file, "rt") as lines:
        shorter.write_text("".join(_take(lines, rounds)))
    return shorter


def _take(lines: Iterator[str], count: int) -> Iterator[str]:
    for _ in range(count):
        yield next(lines)


if __name__ == "__main__":
    main()
