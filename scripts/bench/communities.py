"""
Pages of a site with two communities, and of the same site with 5,000 more.

    scripts/services.sh run .venv/bin/python scripts/bench/communities.py [--communities 5000] [--requests 15]

Needs DATABASE_URL of an empty PostgreSQL database. Fills it with the demo, measures pages, adds the other communities
(each with a series, ten players and two contests; a tenth of them private, and a tenth of the others rated), and
measures the same pages again. Prints a Markdown table of medians with their ratio.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from empty_site import empty_site, set_up

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]

if TYPE_CHECKING:
    from django.test import Client

PLAYERS, CONTESTS = 10, 2

COMMUNITIES = """
    INSERT INTO contests_community (slug, name, description, visibility, created_at)
    SELECT 'club-' || n, 'Club ' || n, '', CASE WHEN n %% 10 = 0 THEN 'private' ELSE 'public' END, now()
    FROM generate_series(1, %(count)s) AS n
"""
SERIES = """
    INSERT INTO contests_series (community_id, slug, name, description, is_private, is_public, is_listed, created_at)
    SELECT slug, 'cup', name || ' Cup', '', false, visibility <> 'private', visibility = 'public', now()
    FROM contests_community WHERE slug LIKE 'club-%%'
"""
PEOPLE = """
    INSERT INTO contests_player (community_id, handle, handle_key, name, country, affiliation, created_at)
    SELECT slug, 'runner' || n, 'runner' || n, 'Ann Runner', '', '', now()
    FROM contests_community, generate_series(1, %(players)s) AS n WHERE slug LIKE 'club-%%'
"""
EVENTS = """
    INSERT INTO contests_contest
        (series_id, slug, name, url, ends_at, state, created_at, finalized_at, content_hash, standing_count)
    SELECT id, 'c' || n, name || ' ' || n, '', timestamptz '2020-01-01Z' + (id * %(contests)s + n) * interval '1 hour',
        'finalized', now(), now(), '', %(players)s
    FROM contests_series, generate_series(1, %(contests)s) AS n WHERE community_id LIKE 'club-%%'
"""
RESULTS = """
    INSERT INTO contests_standing (contest_id, player_id, place, rank, is_ineligible, team, status)
    SELECT contest.id, player.id, row_number() OVER by_id, row_number() OVER by_id, false, '', 'ranked'
    FROM contests_contest AS contest JOIN contests_series AS series ON series.id = contest.series_id
    JOIN contests_player AS player ON player.community_id = series.community_id
    WHERE series.community_id LIKE 'club-%%'
    WINDOW by_id AS (PARTITION BY contest.id ORDER BY player.id)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--communities", type=int, default=5_000)
    parser.add_argument("--requests", type=int, default=15, help="for each address")
    arguments = parser.parse_args()
    os.environ["PODIUM_LOG_LEVEL"] = "ERROR"
    with empty_site():
        set_up()
        from django.core.management import call_command

        call_command("demo", as_json=True, stdout=io.StringIO())
        before = measure(arguments.requests)
        fill(arguments.communities)
        after = measure(arguments.requests)
    print(f"| page | 2 communities, ms | {arguments.communities + 2:,} communities, ms | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for name, one in before.items():
        print(f"| {name} | {one:.1f} | {after[name]:.1f} | {after[name] / one:.2f} |")


def fill(count: int) -> None:
    """Add communities with a series each, and rate some of them."""
    from django.db import connection

    from contests.matching.name_index import index_players
    from contests.models import Player, Series
    from ratings.models import StaleMark
    from ratings.publishing.refresh import refresh_series
    from ratings.publishing.schemes import choose_scheme

    started = time.perf_counter()
    with connection.cursor() as cursor:
        for statement in (COMMUNITIES, SERIES, PEOPLE, EVENTS, RESULTS):
            cursor.execute(statement, {"count": count, "players": PLAYERS, "contests": CONTESTS})
    clubs = Series.objects.filter(community__slug__startswith="club-")
    index_players(Player.objects.filter(community__slug__startswith="club-").values_list("pk", flat=True))
    for series in clubs.filter(is_listed=True)[::10]:
        choose_scheme(series.pk)
        StaleMark.objects.create(series=series, since=series.created_at.replace(year=2000), cause="Generated")
        refresh_series(series.pk)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    print(f"{count:,} communities generated in {time.perf_counter() - started:.0f} s", file=sys.stderr)


def measure(requests: int) -> dict[str, float]:
    """Return the median time of each page in milliseconds, after a first request that fills caches."""
    from django.contrib.auth import get_user_model
    from django.core.cache import cache
    from django.test import Client

    from contests.models import Contest, Player

    visitor, owner = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
    owner.force_login(get_user_model().objects.get(username="demo"))
    player = Player.objects.filter(community="main").earliest("pk")
    contest = Contest.objects.finalized().filter(series__community="main").earliest("pk")
    main = "/c/main/series/harbour-cup/"
    pages = [
        "/", "/c/", "/series/", "/contests/", "/search/?q=ann", "/suggest/?q=an", "/players/?q=ann", "/c/main/", main,
        f"{main}leaderboard/", f"{main}records/", player.get_absolute_url(), contest.get_absolute_url(), "/compare/",
        "/feeds/results.atom", "/robots.txt", "/sitemap.xml", "/sitemap-series.xml", "/api/v1/series/",
        "/api/v1/communities/", "/api/v1/players/?search=ann",
        "/api/v1/communities/main/series/harbour-cup/leaderboard/",
    ]  # fmt: skip
    desk = ["/organize/", "/organize/c/main/series/harbour-cup/", "/organize/c/main/series/harbour-cup/people/"]
    cache.clear()
    found = {}
    for client, addresses in ((visitor, pages), (owner, desk)):
        found |= {page.replace(player.handle, "…"): timed(client, page, requests) for page in addresses}
    return found


def timed(client: Client, page: str, requests: int) -> float:
    """Return the median time of a page in milliseconds; end the program if it does not answer 200."""
    times = []
    for _ in range(requests + 1):
        started = time.perf_counter()
        response = client.get(page)
        times.append(1000 * (time.perf_counter() - started))
        if response.status_code != 200:
            sys.exit(f"{page} answered {response.status_code}")
    return statistics.median(times[1:])


if __name__ == "__main__":
    main()
