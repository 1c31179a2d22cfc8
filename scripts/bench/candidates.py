"""
Benchmark of the search for known players with names like a new one: seconds on a site of a million players, and recall.

    scripts/services.sh run .venv/bin/python scripts/bench/candidates.py [--players 1000000] [--rows 8]
    .venv/bin/python scripts/bench/candidates.py --recall [--shared ../shared]

The first command stores generated players (handles made of syllables, most with a number or a name) on the database
that DATABASE_URL names (it must be empty), else on SQLite in a folder of its own, and matches files of new names. The
second misspells real names, compares each with everyone by the tests' slow reference, and counts the players that the
index misses.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT), str(ROOT / "scripts" / "bench")]

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 20_000
FIRST = (
    *("alex", "maria", "ivan", "anna", "petr", "chen", "wei", "lars", "olga", "jan", "kim", "ali", "sara", "tom"),
    *("luis", "nina", "omar", "yuki", "raj", "eva"),
)
#: Real collections, and the number of names to misspell in each.
COLLECTIONS = {"ctftime": 150, "formula1": 150, "imo": 150}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=1_000_000, help="players of the site (default 1,000,000)")
    parser.add_argument("--rows", type=int, default=8, help="rows of each file (default 8)")
    parser.add_argument(
        "--recall", action="store_true", help="count players who are not found, instead of measuring time"
    )
    parser.add_argument("--verbose", action="store_true", help="with --recall: list the pairs that are not found")
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("PODIUM_SHARED", ROOT.parent / "shared")))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="podium.settings", PODIUM_VAR=folder, PODIUM_HTTPS="0", PODIUM_LOG_LEVEL="WARNING",
            PODIUM_SECRET_KEY="only-for-this-benchmark-" + "x" * 40,
        )  # fmt: skip
        if arguments.recall:
            measure_recall(arguments.shared, lists_missed=arguments.verbose)
            return
        subprocess.run([sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0"], check=True)
        import django

        django.setup()
        measure_seconds(arguments.players, arguments.rows)


def people(count: int) -> Iterator[tuple[str, str]]:
    """Yield handles and names as people choose them; a third has a name, half a number."""
    chosen = random.Random(1)
    for i in range(count):
        word = "".join(
            chosen.choice("bcdfghjklmnprstvwz") + chosen.choice("aeiou") for _ in range(chosen.randint(2, 5))
        )
        first = chosen.choice(FIRST)
        kind = chosen.random()
        if kind < 0.33:
            yield f"{first}{chosen.choice(['_', '-', '.', ''])}{word}{i % 97 or ''}", f"{first} {word}".title()
        elif kind < 0.7:
            yield f"{word}{chosen.choice(['', '_', '-'])}{i % 10_000}", ""
        else:
            yield word + chosen.choice(FIRST), ""


def measure_seconds(count: int, rows: int) -> None:
    from django.db import connection

    from contests.formats import ParsedStanding
    from contests.matching.players import match_players
    from contests.models import Player, Series
    from contests.services.communities import default_community
    from contests.services.standings import PlayerRegister

    def parsed(handle: str, name: str) -> Any:
        return ParsedStanding(1, handle, None, "ranked", name, "", "", None, 1)

    community = default_community()
    series, register, started, block = (
        Series.objects.create(community=community, slug="bench", name="Bench"),
        PlayerRegister(community.pk),
        time.perf_counter(),
        [],
    )
    for handle, name in people(count):
        block.append(parsed(handle, name))
        if len(block) == BLOCK:
            register.find_or_create(block)
            block = []
    register.find_or_create(block)
    stored = time.perf_counter() - started
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    print(f"{connection.vendor}: {Player.objects.count():,} players with their index stored in {stored:.0f} s")
    chosen, taken = random.Random(2), []
    for run in range(9):
        players = chosen.sample(range(1, Player.objects.count()), rows)
        listed = [
            parsed(misspelt(player.handle, chosen), player.name) for player in Player.objects.filter(pk__in=players)
        ]
        started = time.perf_counter()
        found = match_players(listed, series_id=series.pk)
        taken.append(time.perf_counter() - started)
        suggested = sum(bool(match.suggestions) for match in found)
        print(f"  file {run + 1} of {rows} rows: {taken[-1]:.3f} s, {suggested} with suggestions {found.cut}")
    print(f"  median {statistics.median(taken):.3f} s, slowest {max(taken):.3f} s")


def misspelt(handle: str, chosen: random.Random, edits: int = 1) -> str:
    for _ in range(edits):
        at = chosen.randrange(len(handle))
        letter = chosen.choice("abcdefghijklmnopqrstuvwxyz")
        rest = handle[at + 1 :]
        handle = handle[:at] + chosen.choice(
            [letter + handle[at:], letter + rest, rest, rest[:1] + handle[at] + rest[1:]]
        )
    return handle or "x"


def measure_recall(shared: Path, *, lists_missed: bool) -> None:
    from reading import read

    from contests.matching.similarity import LEAST_SHOWN, asked_texts, forms_of, known_texts
    from tests.reference.alike import similarity

    print("| names | known | misspelt | pairs alike | found | share |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for collection, count in COLLECTIONS.items():
        handles = {
            row[0] for contest in read(shared, collection) for row in contest["standings"] if isinstance(row[0], str)
        }
        known, chosen = sorted(handles), random.Random(3)
        # Only a sample of the players, because comparing all pairs would take too long.
        known = sorted(chosen.sample(known, min(len(known), 6_000)))
        asked = [
            misspelt(handle, chosen, 1 + i % 2) for i, handle in enumerate(chosen.sample(known, min(count, len(known))))
        ]
        texts = [known_texts(forms_of(handle)) for handle in known]
        alike = found = 0
        for handle in asked:
            wanted = asked_texts(forms_of(handle))
            for other, has in zip(known, texts, strict=True):
                if other != handle and similarity((handle, "", ""), (other, "", "")) >= LEAST_SHOWN:
                    alike += 1
                    found += not wanted.isdisjoint(has)
                    if lists_missed and wanted.isdisjoint(has):
                        print(f"not found: {handle!r} for {other!r}", file=sys.stderr)
        share = f"{found / max(alike, 1) * 100:.2f} %"
        print(f"| {collection} | {len(known):,} | {len(asked):,} | {alike:,} | {found:,} | {share} |", flush=True)


if __name__ == "__main__":
    main()
