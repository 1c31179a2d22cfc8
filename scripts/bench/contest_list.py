"""
Lists, feeds and calendars of 240,000 contests on PostgreSQL: first, middle and last pages, with and without filters.

    scripts/services.sh run .venv/bin/python scripts/bench/contest_list.py [--contests 240000] [--requests 15]

Needs DATABASE_URL of an empty PostgreSQL database. Half of the contests are of one series, the others of 120 series,
over 25 years. Prints a Markdown table with server times; "after a change" is the first request after a change, when
nothing is cached.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from empty_site import empty_site, set_up

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]

if TYPE_CHECKING:
    from django.test import Client

#: Number of small series beside the large one.
SERIES = 120
#: Number of pages to follow by links from the middle page.
STEPS = 5

CONTESTS = """
    INSERT INTO contests_contest
        (series_id, slug, name, url, ends_at, state, created_at, finalized_at, content_hash, standing_count)
    SELECT CASE WHEN n %% 2 = 0 THEN %(large)s ELSE %(large)s + 1 + (n / 2) %% %(series)s END, 'c' || n,
        'Round ' || n || CASE WHEN n %% 1000 = 7 THEN ' final' ELSE '' END, '',
        timestamptz '2001-01-01 18:00Z' + n * (interval '24 years 360 days' / %(count)s), 'finalized', now(),
        now() + n * interval '1 ms', '', 2
    FROM generate_series(0, %(count)s - 1) AS n
"""
STANDINGS = """
    INSERT INTO contests_standing (contest_id, player_id, place, rank, is_ineligible, team, status)
    SELECT contest.id, player.id, player.place, player.place, false, '', 'ranked'
    FROM contests_contest AS contest
    CROSS JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM contests_player) AS player
"""
HISTORY = """
    INSERT INTO contests_auditentry (at, action, contest_id, series_id, subject, reason, before, after, actor_name)
    SELECT now(), 'contest.finalize', id, series_id, name, '', '{}', '{}', '' FROM contests_contest
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contests", type=int, default=240_000)
    parser.add_argument("--requests", type=int, default=15, help="for each address")
    arguments = parser.parse_args()
    with empty_site():
        set_up()
        fill(arguments.contests)
        measure(arguments.contests, arguments.requests)


def fill(count: int) -> None:
    """Generate series, contests with two players each, and the history of their changes."""
    from django.contrib.auth import get_user_model
    from django.db import connection

    from contests.models import Player, Series
    from contests.services.communities import default_community

    organizer, community = get_user_model().objects.create_user("organizer"), default_community()
    Player.objects.bulk_create(
        Player(community=community, handle=f"p{number}", handle_key=f"p{number}") for number in range(2)
    )
    large, *_ = Series.objects.bulk_create(
        Series(community=community, slug=f"s{number}", name=f"Series {number}") for number in range(SERIES + 1)
    )
    large.organizers.add(organizer)
    with connection.cursor() as cursor:
        cursor.execute(CONTESTS, {"large": large.pk, "series": SERIES, "count": count})
        cursor.execute(STANDINGS)
        cursor.execute(HISTORY)
        cursor.execute("VACUUM ANALYZE")


def measure(count: int, requests: int) -> None:
    """Request every list; print the median and slowest time, the time after a change, and the queries."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    visitor, organizer = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
    organizer.force_login(get_user_model().objects.get())
    visitor.get("/contests/?page=1")  # compiles templates
    print("| page | median ms | slowest ms | after a change, ms | queries |\n| --- | ---: | ---: | ---: | ---: |")
    for name, query, rows in (
        ("all contests", "", count), ("of a large series", "series=s0", count // 2), ("of a small series",
         "series=s5", count // 2 // SERIES), ("of a year", "year=2013", count // 25), ("by a common word", "q=round",
         count), ("by a rare word", "q=final", count // 1000),
    ):  # fmt: skip
        pages(visitor, f"{name}:", f"/contests/?{query}", rows // 50, requests)
    pages(organizer, "organizer's page of a large series:", "/organize/c/main/series/s0/?", count // 2 // 50, requests)
    for name, path in (
        ("series", "/c/main/series/s0/"), ("home", "/"), ("search", "/search/?q=final"),
        ("Atom feed", "/feeds/results.atom"),
        ("Atom feed of the large series", "/c/main/series/s0/results.atom"), ("calendar", "/feeds/contests.ics"),
        ("calendar of the large series", "/c/main/series/s0/contests.ics"),
    ):  # fmt: skip
        report(visitor, name, [path] * requests)
    for name, number in (("first", 1), ("middle", count // 2000), ("last", count // 1000)):
        report(visitor, f"REST contests, {name} page of 1,000",
               [f"/api/v1/contests/?page_size=1000&page={number}"] * min(5, requests))  # fmt: skip


def pages(client: Client, name: str, path: str, last: int, requests: int) -> None:
    """Measure the first, a middle and the last page, and the pages linked from the middle one."""
    report(client, f"{name} first page", [path] * requests)
    report(client, f"{name} page {last // 2:,} by number", [f"{path}&page={max(1, last // 2)}"] * requests)
    following = followed(client, f"{path}&page={max(1, last // 2)}")
    if following:
        report(client, f"{name} the pages after it by their links", following)
    report(client, f"{name} last page", [f"{path}&page={max(1, last)}"] * requests)


def followed(client: Client, path: str) -> list[str]:
    """Return the addresses of the next pages."""
    found: list[str] = []
    while len(found) < STEPS:
        link = re.search(r'<a[^>]* rel="next"[^>]* href="([^"]+)"|<a rel="next" href="([^"]+)"',
                         client.get(found[-1] if found else path).content.decode())  # fmt: skip
        if link is None:
            break
        found.append(path.partition("?")[0] + unescape(link[1] or link[2]))
    return found


def report(client: Client, name: str, paths: list[str]) -> None:
    """Print a row of the table; end the program if a response is not 200."""
    from django.core.cache import cache
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    times, queries = [], 0
    cache.clear()
    for path in paths:
        with CaptureQueriesContext(connection) as captured:
            started = time.perf_counter()
            response = client.get(path)
            times.append(1000 * (time.perf_counter() - started))
        if response.status_code != 200:
            sys.exit(f"{path} answered {response.status_code}")
        queries = max(queries, len(captured))
    rest = times[1:] or times
    print(f"| {name} | {statistics.median(rest):.0f} | {max(rest):.0f} | {times[0]:.0f} | {queries} |", flush=True)


if __name__ == "__main__":
    main()
