"""
Benchmark of sweeps: their cost with many series, and the delay of a correction while thousands of derivations wait.

    scripts/services.sh run .venv/bin/python scripts/bench/sweep.py [--series 10000] [--due 5000]
    .venv/bin/python scripts/bench/sweep.py        without services: SQLite, and Celery over files, as in the demo

Generates series, each with a published run, in an empty database, and starts one worker with one process. Prints a
Markdown table.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=10_000)
    parser.add_argument("--due", type=int, default=5_000, help="number of series whose derived numbers are all due")
    parser.add_argument("--corrections", type=int, default=5)
    arguments = parser.parse_args()
    os.environ |= {
        "PODIUM_VAR": tempfile.mkdtemp(prefix="podium-bench-"), "PODIUM_SECRET_KEY": "bench", "PODIUM_HTTPS": "0",
        "PODIUM_SITE": "bench", "PODIUM_LOG_LEVEL": "WARNING", "DJANGO_SETTINGS_MODULE": "podium.settings",
        "PYTHONPATH": str(ROOT / "platform"),
    }  # fmt: skip
    sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    make_series(arguments.series)
    print("| | seconds |\n| --- | ---: |")
    print(f"| a sweep of {arguments.series:,} series, nothing due | {median_sweep():.3f} |", flush=True)
    measure_corrections(arguments.due, arguments.corrections)


def make_series(count: int) -> None:
    """Generate series with one contest of three players each, rated in one run, with no derived numbers due."""
    from django.utils import timezone

    from contests.models import Contest, ContestState, Player, Series, Standing
    from contests.services.communities import default_community
    from ratings.models import Lease, Run, RunState, Scheme, Work
    from ratings.publishing.deriving import _kinds_now
    from ratings.systems import ENGINE_VERSION

    now, community = timezone.now(), default_community()
    players = Player.objects.bulk_create(
        Player(community=community, handle=f"p{i}", handle_key=f"p{i}") for i in range(3)
    )
    series = Series.objects.bulk_create(
        (Series(community=community, slug=f"s{i}", name=f"Series {i}") for i in range(count)), batch_size=500
    )
    schemes = Scheme.objects.bulk_create(
        (Scheme(series=one, version=1, system="elo-mmr", display={"mapping": "offset"}) for one in series),
        batch_size=500,
    )
    runs = Run.objects.bulk_create(
        (
            Run(
                series=one,
                number=1,
                scheme=scheme,
                state=RunState.PUBLISHED,
                published_at=now,
                cause="made up",
                engine_version=ENGINE_VERSION,
            )
            for one, scheme in zip(series, schemes, strict=True)
        ),
        batch_size=300,
    )
    contests = Contest.objects.bulk_create(
        (
            Contest(series=one, slug=f"c{one.pk}", name="Contest", ends_at=now - timedelta(days=1), standing_count=3,
                    state=ContestState.FINALIZED, finalized_at=now)
            for one in series
        ),
        batch_size=300,
    )  # fmt: skip
    Standing.objects.bulk_create(
        (
            Standing(contest=contest, player=player, place=place, rank=place)
            for contest in contests
            for place, player in enumerate(players, 1)
        ),
        batch_size=1000,
    )
    kinds = _kinds_now()
    Lease.objects.bulk_create(
        (
            Lease(series=run.series, work=Work.DERIVE, done_run=run.uid, done_scheme=run.scheme.uid, done_kinds=kinds)
            for run in runs
        ),
        batch_size=300,
    )


def median_sweep() -> float:
    from ratings.publishing.sweep import sweep

    return statistics.median(timed(sweep) for _ in range(5))


def measure_corrections(due: int, corrections: int) -> None:
    """Make derived numbers due, start a worker, and finalize contests one after another."""
    from contests.models import Contest, ContestState, Series, Standing
    from contests.services.contests import finalize_contest
    from ratings.models import Lease, StaleMark, Work
    from ratings.publishing.queue import waiting_messages
    from ratings.publishing.sweep import sweep

    Lease.objects.filter(series__in=list(Series.objects.values_list("pk", flat=True)[:due])).update(done_kinds="")
    print(f"| a sweep that notifies workers of the first of {due:,} derivations | {timed(sweep):.3f} |")
    print(f"| a sweep while they wait | {median_sweep():.3f} |", flush=True)
    log = Path(os.environ["PODIUM_VAR"]) / "worker.log"
    command = [sys.executable, "-m", "celery", "--app", "podium", "worker", "--concurrency", "1", "--beat"]
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [*command, "--loglevel", "INFO"],
            cwd=ROOT,
            env=os.environ | {"PODIUM_LOG_LEVEL": "INFO"},
            stdout=output,
            stderr=output,
        )
    try:
        while b"derive_series" not in log.read_bytes():
            time.sleep(0.1)
        waits = []
        for number in range(corrections):
            series = Series.objects.order_by("-pk")[number]
            old = series.contests.get()
            contest = Contest.objects.create(series=series, slug=f"more{number}", name="More", ends_at=old.ends_at,
                                             standing_count=3, state=ContestState.DRAFT)  # fmt: skip
            for row in old.standings.all():
                Standing.objects.create(contest=contest, player_id=row.player_id, place=row.place, rank=row.rank)
            began = time.perf_counter()
            finalize_contest(contest.pk, actor=None)
            while StaleMark.objects.filter(series=series).exists():
                time.sleep(0.02)
            waits.append(time.perf_counter() - began)
        time.sleep(10)  # no results wait, so derived numbers are computed
        left = Lease.objects.filter(work=Work.DERIVE, done_kinds="").count()
        print(f"| a correction, until it is rated (median of {corrections}) | {statistics.median(waits):.2f} |")
        print(f"| the slowest of them | {max(waits):.2f} |")
        print(f"\n{left:,} series still wait for their derivations, {waiting_messages(Work.DERIVE)} in the queue.")
    finally:
        worker.terminate()
        worker.wait()


def timed(act: object) -> float:
    began = time.perf_counter()
    act()  # type: ignore[operator]
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
