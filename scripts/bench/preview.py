"""
Benchmark of previews: how long organizers wait for the effect of a change, and for the change, on Codeforces rounds.

    scripts/services.sh run .venv/bin/python scripts/bench/preview.py [--shared ../shared] [--rounds 150]

Needs DATABASE_URL of an empty PostgreSQL database and the Codeforces rounds. Prints a Markdown table with times for
each change: of the page with its effect (the whole request, the median of a few), and of making and publishing it.
"""

from __future__ import annotations

import argparse
import os
import statistics
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline import ROOT, SERIES, first_rounds, manage, site, timed

if TYPE_CHECKING:
    from contests.changes.base import Change


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("PODIUM_SHARED", ROOT.parent / "shared")))
    parser.add_argument("--rounds", type=int, default=150, help="number of rounds, from the first")
    parser.add_argument("--runs", type=int, default=3, help="requests of each page")
    arguments = parser.parse_args()
    with site(arguments.shared) as (file, folder):
        manage("migrate", "--verbosity", "0")
        manage("collectstatic", "--noinput", "--verbosity", "0")
        manage("import_contests", str(first_rounds(file, arguments.rounds, folder)), "--series", SERIES)
        measure(arguments.runs)


def measure(runs: int) -> None:
    """Preview each change, then make it; print a row for each."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.cache import cache
    from django.test import Client
    from django.urls import reverse

    from contests.changes.base import token_of
    from ratings.models import Run
    from ratings.publishing.change_previews import preview_of
    from ratings.publishing.refresh import refresh_series

    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.create_user("bench", is_staff=True))
    run = Run.objects.published().get(series__slug=SERIES)
    print(f"{run.contest_count:,} contests, {run.result_count:,} results, {run.player_count:,} players.\n")
    print("| change | contests rated | players moved | page with its effect, s | made and published, s |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, change in changes().items():
        address = f"{reverse('organize:change')}?change={token_of(change)}&here"
        seconds = []
        for _ in range(runs):
            cache.clear()
            seconds.append(timed(lambda address=address: client.get(address)))
        (effect,) = preview_of(change, change.describe()).content["series"]

        def make(change: Change = change) -> None:
            change.apply(actor=None)
            refresh_series(run.series_id)

        print(
            f"| {name} | {effect['contests_rated']:,} | {effect['players_changed']:,} | "
            f"{statistics.median(seconds):.2f} | {timed(make):.2f} |",
            flush=True,
        )


def changes() -> dict[str, Any]:
    """Return changes of different contests, so that making one does not affect the others."""
    from contests.changes.of_contests import DeleteContest, DescribeContest
    from contests.changes.of_standings import CorrectStandings
    from contests.models import Series
    from contests.services.correcting import Correction
    from contests.services.describing import ContestDescription

    contests = list(Series.objects.get(slug=SERIES).contests.finalized().in_order())
    middle, next_one, last, first = (contests[i] for i in (len(contests) // 2, len(contests) // 2 + 1, -1, 0))

    def out(contest: Any) -> CorrectStandings:
        row = contest.standings.ranked().order_by("rank").first()
        corrections = {row.pk: Correction("disqualified", row.place, shares_place=True, score=row.score)}
        return CorrectStandings.of(contest, corrections, version=contest.version, reason="benchmark")

    heavier = replace(ContestDescription.of(first), weight=2.0)
    return {
        "disqualification in the newest contest": out(last),
        "disqualification in the middle": out(middle),
        "deletion in the middle": DeleteContest(next_one.pk, next_one.version, reason="benchmark"),
        "a different weight for the first contest": DescribeContest.of(
            first, heavier, version=first.version, reason="benchmark"
        ),
    }


if __name__ == "__main__":
    main()
