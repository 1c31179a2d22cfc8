"""
Pages of a series of 500,000 two-player games on PostgreSQL, beside the same pages of a series of 500.

    scripts/services.sh run .venv/bin/python scripts/bench/games.py [--games 500000] [--few 500] [--requests 9]

Needs DATABASE_URL of an empty PostgreSQL database. Half of the games stand alone, the others belong to events of 200
games, and in the large series also to one of 10,000. One player has 200 games a year for 20 years. Prints a Markdown
table: processor time of a request, of Podium and PostgreSQL together, with many games and with few, their ratio, and
the queries. "After a change" is the first request, when nothing is cached. Each size has a database and a process.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.test import Client

PLAYERS = 5_000
#: Games of the busiest player: 200 a year for 20 years.
MOST_GAMES = 4_000
#: Games of an event, and of the largest one.
EVENT, LARGEST_EVENT = 200, 10_000
SMALL_SERIES = 20

EVENTS = """
    INSERT INTO contests_contest
        (series_id, slug, name, url, starts_at, ends_at, state, created_at, finalized_at, content_hash, is_rated,
         is_event)
    SELECT %(series)s, 'event' || event, 'Open ' || event || CASE WHEN event %% 50 = 7 THEN ' final' ELSE '' END, '',
        min(ends_at), max(ends_at), 'finalized', now(), now(), '', false, true
    FROM plan WHERE event IS NOT NULL GROUP BY event ORDER BY event
"""
#: Every second game belongs to an event; the first ones to the largest event.
PLAN = """
    CREATE TABLE plan AS SELECT n,
        CASE WHEN n %% 2 = 1 THEN CASE WHEN n < %(largest)s * 2 THEN 0 ELSE 1 + n / (2 * %(event)s) END END AS event,
        timestamptz '2005-01-01 18:00Z' + n * (interval '20 years' / %(games)s) AS ends_at,
        CASE WHEN n %% %(every)s = 0 THEN 0 ELSE 1 + abs(hashint4(n)) %% (%(players)s - 1) END AS one,
        abs(hashint4(n + 7000000)) %% 100 AS luck
    FROM generate_series(0, %(games)s - 1) AS n
"""
GAMES = """
    INSERT INTO contests_contest
        (series_id, slug, name, url, ends_at, state, created_at, finalized_at, content_hash, standing_count, event_id)
    SELECT CASE WHEN event IS NULL AND n %% 100 = 0 THEN %(series)s + 1 + n / 100 %% %(others)s ELSE %(series)s END,
        'g' || n, 'Game ' || n, '', plan.ends_at, 'finalized', now(), now(), '', 2, e.id
    FROM plan LEFT JOIN contests_contest AS e ON e.is_event AND e.slug = 'event' || plan.event ORDER BY n
"""
#: The second player differs from the first; low numbers win more often.
STANDINGS = """
    INSERT INTO contests_standing (contest_id, player_id, place, rank, is_ineligible, team, status, score)
    SELECT id, %(first)s + player, place, place, false, '', 'ranked', CASE WHEN drawn THEN 0.5 ELSE 2 - place END
    FROM (
        SELECT c.id, p.luck >= 92 AS drawn, side, CASE side WHEN 1 THEN p.one ELSE p.two END AS player,
            CASE WHEN p.luck >= 92 OR (side = 1) = (p.luck < CASE WHEN p.one < p.two THEN 60 ELSE 32 END)
                THEN 1 ELSE 2 END AS place
        FROM (
            SELECT *, (one + 1 + abs(hashint4(n + 9000000)) %% (%(players)s - 1)) %% %(players)s AS two FROM plan
        ) AS p
        JOIN contests_contest AS c ON c.slug = 'g' || p.n CROSS JOIN (VALUES (1), (2)) AS sides (side)
    ) AS rows ORDER BY id, side
"""
COUNTS = """
    UPDATE contests_contest AS c SET game_count = found.games, standing_count = found.players FROM (
        SELECT event_id, count(DISTINCT g.id) AS games, count(DISTINCT player_id) AS players
        FROM contests_contest AS g JOIN contests_standing ON contest_id = g.id
        WHERE event_id IS NOT NULL GROUP BY event_id
    ) AS found WHERE found.event_id = c.id
"""
HISTORY = """
    INSERT INTO contests_auditentry (at, action, contest_id, series_id, subject, reason, before, after, actor_name)
    SELECT now(), 'contest.finalize', id, series_id, name, '', '{}', '{}', '' FROM contests_contest
    WHERE event_id IS NULL
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500_000)
    parser.add_argument("--few", type=int, default=500, help="games of the small series beside it")
    parser.add_argument("--requests", type=int, default=9, help="for each address")
    parser.add_argument("--measured", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        sys.exit("DATABASE_URL must name an empty PostgreSQL database: run this through scripts/services.sh run.")
    if arguments.measured:
        print(json.dumps(one_size(arguments.measured, arguments.requests)))
        return
    many, few = (measured(size, arguments.requests) for size in (arguments.games, arguments.few))
    print_table(arguments.games, arguments.few, many, few)


def print_table(
    games: int, few_games: int, many: Mapping[str, Sequence[float]], few: Mapping[str, Sequence[float]]
) -> None:
    """Print the figures of both sizes side by side."""
    print(f"| page | CPU ms with {games:,} games | with {few_games:,} | ratio "
          f"| after a change, CPU ms | with {few_games:,} | ratio | queries | with {few_games:,} |")  # fmt: skip
    print("| --- " + "| ---: " * 8 + "|")
    for name, (median, first, queries) in many.items():
        if name not in few:
            print(f"| {name} | {median:.0f} | | | {first:.0f} | | | {queries} | |")
            continue
        few_median, few_first, few_queries = few[name]
        print(f"| {name} | {median:.0f} | {few_median:.0f} | {median / few_median:.1f} | {first:.0f} "
              f"| {few_first:.0f} | {first / few_first:.1f} | {queries} | {few_queries} |")  # fmt: skip


def measured(games: int, requests: int) -> dict[str, list[float]]:
    """Measure a series of this size in a database and a process of its own."""
    import psycopg

    url, name = urlsplit(os.environ["DATABASE_URL"]), f"games{games}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "PODIUM_SECRET_KEY": "only-for-this-benchmark-" + "x" * 40, "PODIUM_LOG_LEVEL": "WARNING",
            **os.environ, "DATABASE_URL": urlunsplit(url._replace(path=f"/{name}")), "PODIUM_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "podium.settings", "PODIUM_HTTPS": "0",
            # So that the processor time of the connection is that of its queries.
            "PGOPTIONS": "-c max_parallel_workers_per_gather=0",
        }  # fmt: skip
        command = [sys.executable, __file__, "--measured", str(games), "--requests", str(requests)]
        result = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)


def one_size(games: int, requests: int) -> dict[str, list[float]]:
    """Fill the database, and return for each page the median and first processor time in ms, and the queries."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    started = time.perf_counter()
    fill(games)
    print(f"{games:,} games: stored in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    for command, options in (("rate", {"full": True}), ("derive", {})):
        started = time.perf_counter()
        call_command(command, series="s0", as_json=True, stdout=sys.stderr, **options)
        print(f"{games:,} games: {command} took {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return request_pages(requests)


def fill(games: int) -> None:
    """Generate players, games with two sides each, and their events."""
    from django.contrib.auth import get_user_model
    from django.db import connection

    from contests.models import Player, Series
    from contests.services.communities import default_community
    from ratings.publishing.schemes import choose_scheme

    organizer, community = get_user_model().objects.create_user("organizer"), default_community()
    players = min(PLAYERS, max(games // 5, 40))
    first, *_ = Player.objects.bulk_create(
        Player(community=community, handle=f"p{number}", handle_key=f"p{number}", country=("DE", "FR")[number % 2])
        for number in range(players)
    )
    series, *_ = Series.objects.bulk_create(
        Series(community=community, slug=f"s{number}", name=f"Series {number}") for number in range(SMALL_SERIES + 1)
    )
    series.organizers.add(organizer)
    numbers = {
        "series": series.pk, "others": SMALL_SERIES, "games": games, "players": players, "first": first.pk,
        "every": max(games // MOST_GAMES, 5), "event": EVENT, "largest": min(LARGEST_EVENT, games // 20),
    }  # fmt: skip
    with connection.cursor() as cursor:
        for statement in (PLAN, EVENTS, GAMES):
            cursor.execute(statement, numbers)
        cursor.execute("ANALYZE")
        for statement in (STANDINGS, COUNTS, HISTORY):
            cursor.execute(statement, numbers)
        cursor.execute("DROP TABLE plan")
    choose_scheme(series.pk, system="elo", leagues={"assignment": "moving_average"}, season={"length": "year"})
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def request_pages(requests: int) -> dict[str, list[float]]:
    """Request every page; return its figures by name."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    visitor, organizer = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
    organizer.force_login(get_user_model().objects.get())
    found: dict[str, list[float]] = {}
    for client, paths in ((visitor, public_paths()), (organizer, organizer_paths())):
        for name, path in paths.items():
            client.get(path)  # compiles templates
            found[name] = figures(client, path, requests)
            if name.endswith("last page"):
                following = links(client, path)
                if following:
                    found[f"{name}, the page before it by its link"] = figures(client, following, requests)
    return found


def public_paths() -> dict[str, str]:
    """Return the addresses of pages for visitors, feeds, maps for crawlers, and lists over REST, by name."""
    from contests.models import Contest, Player
    from ratings.models import Rating

    series, busy, rival = "/c/main/series/s0", "/c/main/players/p0", "p1"
    listed = Contest.objects.listed_alone().finalized()
    large = Contest.objects.filter(is_event=True).order_by("-game_count", "id")[0]
    usual = Contest.objects.filter(is_event=True).order_by("id").last()
    game = Contest.objects.filter(series__slug="s0", event=None, is_event=False).order_by("id")[100]
    own, pages = listed.filter(series__slug="s0").count(), -(-listed.count() // 50)
    player = Player.objects.get(handle="p9")
    assert Rating.objects.filter(player=player).exists()
    assert usual is not None
    return {
        "home": "/", "series list": "/series/", "search": "/search/?q=final", "suggestions": "/suggest/?q=p1",
        "players": "/players/", "contests: first page": "/contests/",
        "contests: middle page by number": f"/contests/?page={max(1, pages // 2)}",
        "contests: last page": f"/contests/?page={pages}",
        "contests of the series: first page": "/contests/?series=s0",
        "contests of the series: last page": f"/contests/?series=s0&page={-(-own // 50)}",
        "contests of a small series: first page": "/contests/?series=s3",
        "contests of a year: first page": "/contests/?year=2013",
        "contests of a year and series: first page": "/contests/?year=2013&series=s0",
        "contests by a common word: first page": "/contests/?q=game",
        "contests by a rare word: first page": "/contests/?q=final",
        "series": f"{series}/", "leaderboard": f"{series}/leaderboard/",
        "leaderboard, active players": f"{series}/leaderboard/?active=365&min=3",
        "leaderboard at a player": f"{series}/leaderboard/?player=p9",
        "records": f"{series}/records/", "countries": f"{series}/countries/", "leagues": f"{series}/leagues/",
        "season": f"{series}/season/", "distribution": f"{series}/distribution/", "how": f"{series}/how/",
        "game": f"/contests/{game.pk}/", "game, analysis": f"/contests/{game.pk}/analysis/",
        "event": f"/contests/{usual.pk}/", "largest event": f"/contests/{large.pk}/",
        **({"largest event: page 2": f"/contests/{large.pk}/?page=2"} if large.game_count > 1000 else {}),
        "player": "/c/main/players/p9/", "busiest player": f"{busy}/",
        "busiest player: history as CSV": "/c/main/histories/p0/?series=s0",
        "busiest player: card": "/c/main/cards/p0/?series=s0",
        "compare two": "/compare/?series=s0&players=p9,p10",
        "compare the busiest": f"/compare/?series=s0&players=p0,{rival}",
        "why": f"/contests/{game.pk}/why/{game.standings.select_related('player')[0].player.handle}/",
        "Atom feed": "/feeds/results.atom", "Atom feed of the series": f"{series}/results.atom",
        "calendar": "/feeds/contests.ics", "calendar of the series": f"{series}/contests.ics",
        "site map": "/sitemap.xml", "site map of series": "/sitemap-series.xml",
        "site map of contests": f"{series}/sitemap-contests.xml",
        "site map of players": f"{series}/sitemap-players-1.xml",
        "REST contests": "/api/v1/contests/?page_size=50",
        "REST contests, last page": f"/api/v1/contests/?page_size=50&page={pages}",
        "REST contests of a series": "/api/v1/contests/?page_size=50&series=s0",
        "REST event": f"/api/v1/contests/{large.pk}/", "REST players": "/api/v1/players/?page_size=50",
        "REST leaderboard": "/api/v1/communities/main/series/s0/leaderboard/?page_size=50",
        "REST history of the busiest player": "/api/v1/communities/main/players/p0/history/?series=s0&page_size=50",
        "REST runs": "/api/v1/communities/main/series/s0/runs/",
        "REST changes": "/api/v1/communities/main/series/s0/changes/?page_size=50",
    }  # fmt: skip


def organizer_paths() -> dict[str, str]:
    """Return the addresses of pages for organizers, by name."""
    from contests.models import Contest, Player

    series = "/organize/c/main/series/s0"
    own = Contest.objects.listed_alone().filter(series__slug="s0")
    large = Contest.objects.filter(is_event=True).order_by("-game_count", "id")[0]
    busy = Player.objects.get(handle="p0")
    return {
        "organizer: home": "/organize/", "organizer: series, first page": f"{series}/",
        "organizer: series, last page": f"{series}/?page={-(-own.count() // 50)}",
        "organizer: players": f"{series}/people/", "organizer: busiest player": f"/organize/people/{busy.pk}/",
        "organizer: largest event": f"/organize/contests/{large.pk}/",
        "organizer: a game": f"/organize/contests/{own.filter(is_event=False).order_by('id')[100].pk}/",
        "organizer: progress": f"{series}/progress/", "organizer: runs": f"{series}/runs/",
    }  # fmt: skip


def figures(client: Client, path: str, requests: int) -> list[float]:
    """Return the median and the first processor time in ms, and the most queries; end if a response is not 200."""
    from django.core.cache import cache
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    times, queries = [], 0
    cache.clear()
    for _ in range(requests + 1):
        with CaptureQueriesContext(connection) as captured:
            started = processor_time()
            response: Any = client.get(path)
            b"".join(response) if response.streaming else response.content
            times.append(1000 * (processor_time() - started))
        if response.status_code != 200:
            sys.exit(f"{path} answered {response.status_code}")
        queries = max(queries, len(captured))
    return [statistics.median(times[1:]), times[0], queries]


def processor_time() -> float:
    """Return the seconds of processor time of this process and of its connection to PostgreSQL."""
    from django.db import connection

    connection.ensure_connection()
    pid: int = connection.connection.info.backend_pid
    nanoseconds = int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0])
    return time.process_time() + nanoseconds / 1e9


def links(client: Client, path: str) -> str:
    """Return the address that a page links to as the previous one; "" if it is the only one."""
    link = re.search(r'<a[^>]* rel="prev"[^>]* href="([^"]+)"', client.get(path).content.decode())
    return path.partition("?")[0] + unescape(link[1]) if link is not None else ""


if __name__ == "__main__":
    main()
