"""
Seconds and peak memory for uploading standings files: from sending a file to showing its review, and for saving it.

    .venv/bin/python scripts/bench/upload.py [--known 20000] [--runs 3]

On the database that DATABASE_URL names (it must be empty), else on SQLite in a folder of its own. Half of the rows are
players of the series, a tenth are one letter away from a player, and the others are new. A request reviews small files
and a worker large ones; here the worker's task runs in the same process. Prints a Markdown table; exits with 1 if a
limit is exceeded.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
SERIES = "bench"
#: (format, rows) -> the limits in seconds and megabytes; None: measured without a limit.
ASKED: dict[tuple[str, int], tuple[float, float] | None] = {
    ("csv", 10_000): (3.0, 600.0),
    ("csv", 100_000): (30.0, 600.0),
    ("xlsx", 10_000): None,
    ("xlsx", 100_000): None,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", type=int, default=20_000, help="players of the series (default 20,000)")
    parser.add_argument("--runs", type=int, default=3, help="repetitions; results are medians (default 3)")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        import django

        django.setup()
        print(json.dumps(_part(arguments.part, arguments.known)))
        return
    if arguments.known < 2 or arguments.runs < 1:
        parser.error("give --known of at least 2 and --runs of at least 1")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="podium.settings", PODIUM_VAR=folder, PODIUM_HTTPS="0", PODIUM_LOG_LEVEL="WARNING",
            PODIUM_ALLOWED_HOSTS="testserver", PODIUM_SECRET_KEY="only-for-this-benchmark-" + "x" * 40,
        )  # fmt: skip
        for command in (["migrate", "--verbosity", "0"], ["collectstatic", "--noinput", "--verbosity", "0"]):
            subprocess.run([sys.executable, str(ROOT / "manage.py"), *command], check=True)
        run("prepare", arguments.known)
        sys.exit(measure(arguments.known, arguments.runs))


def measure(known: int, runs: int) -> int:
    """Measure each kind of file; return 1 if a limit is exceeded."""
    print(
        "| file | size | read | matched | rated | total until the review appears | CPU time of this total | "
        "review reloaded | standings saved | peak memory |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    missed = 0
    for (kind, rows), asked in ASKED.items():
        run(f"write:{kind}:{rows}", known)
        results = [run(f"upload:{kind}:{rows}", known) for _ in range(runs)]
        middle = {name: statistics.median(result[0][name] for result in results) for name in results[0][0]}
        peak = max(result[1] for result in results)
        seconds = " | ".join(
            f"{middle[name]:.2f} s" for name in ("read", "matched", "rated", "page", "cpu", "again", "saved")
        )
        print(
            f"| {kind.upper()}, {rows:,} rows | {middle['size'] / 2**20:.1f} MB | {seconds} | {peak:.0f} MB |",
            flush=True,
        )
        if asked is not None and (middle["page"] > asked[0] or peak > asked[1]):
            print(f"  asked: at most {asked[0]:.0f} s to the page and {asked[1]:.0f} MB", file=sys.stderr)
            missed = 1
    return missed


def run(part: str, known: int) -> tuple[dict[str, float], float]:
    """Run a part in a separate process; return its measurements and its peak memory in MB."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([sys.executable, __file__, "--part", part, "--known", str(known)], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read()
    if status:
        sys.exit(f"{part} failed; run it by hand to see why.")
    return json.loads(text.splitlines()[-1]), usage.ru_maxrss / 1024


def _part(part: str, known: int) -> dict[str, Any]:
    if part == "prepare":
        return _prepare(known)
    what, kind, rows = part.split(":")
    if what == "write":  # in a separate process, because it takes memory
        _path(kind, int(rows)).write_bytes(_file(kind, int(rows), known))
        return {}
    return _upload(kind, int(rows), known)


def _path(kind: str, rows: int) -> Path:
    return Path(os.environ["PODIUM_VAR"]) / f"{rows}.{kind}"


def _handle(i: int) -> str:
    """Return the handle of the i-th player: a word and a number, as people choose them."""
    chosen = random.Random(i)
    word = "".join(chosen.choice("bcdfghjklmnprstvwz") + chosen.choice("aeiou") for _ in range(chosen.randint(2, 5)))
    return f"{word}{chosen.choice(['', '_', '-'])}{i}"


def _prepare(known: int) -> dict[str, Any]:
    from django.contrib.auth.models import User
    from django.utils import timezone

    from contests.formats import read_contests
    from contests.services.contests import create_contest, finalize_contest, save_standings
    from contests.services.describing import ContestDescription
    from contests.services.series import create_series
    from ratings.publishing.refresh import refresh_series

    actor = User.objects.create_user("bench")
    series = create_series(SERIES, name="Bench", actor=actor)
    contest = create_contest(series.pk, description=ContestDescription("First", timezone.now()), actor=actor)
    table = "rank,handle\n" + "".join(f"{i + 1},{_handle(i)}\n" for i in range(known))
    save_standings(contest.pk, parsed=read_contests(table.encode(), filename="first.csv")[0], actor=actor)
    finalize_contest(contest.pk, actor=actor)
    refresh_series(series.pk)
    return {}


def _rows(rows: int, known: int) -> list[tuple[object, ...]]:
    """Return a table: half known players, a tenth with a different first letter, the others new."""
    chosen = random.Random(rows)
    old = chosen.sample(range(known), min(known, rows // 2))
    close = chosen.sample(range(known), min(known, rows // 10))
    handles = [_handle(i) for i in old] + [f"x{_handle(i)[1:]}" for i in close]
    handles += [_handle(known + i) for i in range(rows - len(handles))]
    chosen.shuffle(handles)
    return [(rank, handle, (rows - rank) / 2, "DE", "ranked") for rank, handle in enumerate(handles, 1)]


def _file(kind: str, rows: int, known: int) -> bytes:
    table = [("rank", "handle", "score", "country", "status"), *_rows(rows, known)]
    if kind == "csv":
        text = io.StringIO()
        csv.writer(text).writerows(table)
        return text.getvalue().encode()
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Standings")
    for row in table:
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _upload(kind: str, rows: int, known: int) -> dict[str, Any]:
    """Upload a file as a browser does, let a worker review it, open the review twice, save it, and clean up."""
    from django.contrib.auth.models import User
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from contests.models import Contest, Series
    from contests.services.contests import create_contest
    from contests.services.describing import ContestDescription
    from contests.uploads import review_work

    path = _path(kind, rows)
    actor, series = User.objects.get(username="bench"), Series.objects.get(slug=SERIES)
    draft = create_contest(series.pk, description=ContestDescription("Draft", timezone.now()), actor=actor)
    client = Client()
    client.force_login(actor)
    stages: dict[str, float] = {}
    review_work.current_app = _Here(stages)
    review_work._tell_nobody = lambda stage, _rows: stages.setdefault(stage, time.perf_counter())
    upload = SimpleUploadedFile(f"round.{kind}", path.read_bytes())
    started, busy = time.perf_counter(), time.process_time()
    page = client.post(reverse("organize:upload", args=[draft.pk]), {"file": upload}, follow=True)
    shown, busy = time.perf_counter(), time.process_time() - busy
    assert f"<dd>{rows:,}</dd>" in page.content.decode(), page.content
    address = page.redirect_chain[-1][0]
    client.get(address)
    again = time.perf_counter()
    client.post(f"{address}save/", {"version": draft.version})
    saved = time.perf_counter()
    assert Contest.objects.get(pk=draft.pk).standing_count == rows
    _forget(draft.pk, known)
    return {
        "size": path.stat().st_size,
        "read": stages["matching"] - started,
        "matched": stages["rating"] - stages["matching"],
        "rated": shown - stages["rating"],
        "page": shown - started,
        "cpu": busy,
        "again": again - shown,
        "saved": saved - again,
    }


class _Here:
    """Replace the broker: do the work of a worker at once, in this process."""

    def __init__(self, stages: dict[str, float]) -> None:
        self.stages = stages

    def send_task(self, _name: str, args: tuple[str], **_options: object) -> None:
        from contests.uploads import review_work

        tell = review_work._Reporter.tell

        def told(reporter: Any, stage: str, rows: int) -> None:
            self.stages.setdefault(stage, time.perf_counter())
            tell(reporter, stage, rows)

        review_work._Reporter.tell = told  # type: ignore[method-assign]
        review_work.work_on(*args)


def _forget(contest_id: int, known: int) -> None:
    """Restore the database, so that the next repetition finds the same players."""
    from contests.models import Contest, Player, Standing

    Standing.objects.filter(contest=contest_id).delete()
    Contest.objects.filter(pk=contest_id).delete()
    Player.objects.filter(standings=None).delete()
    assert Player.objects.count() == known


if __name__ == "__main__":
    main()
