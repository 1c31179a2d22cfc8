"""
Every page for visitors on PostgreSQL at the size of Codeforces: server time, queries, size, and 30 visitors at once.

    scripts/services.sh run .venv/bin/python scripts/bench/pages.py [--shared ../shared] [--rounds 983] [--filled]

Needs DATABASE_URL of an empty PostgreSQL database and the Codeforces rounds; with --filled, of a database that has them
already. Requests each kind of page many times, for players and contests drawn with a fixed seed, popular ones more
often, as on a real site. Then 30 visitors at once request a mixture of them from gunicorn, for a minute.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT), str(ROOT / "scripts" / "bench")]

from pipeline import SERIES, first_rounds, manage, site  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

VISITORS = 30
#: The same random numbers request the same pages.
SEED = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("PODIUM_SHARED", ROOT.parent / "shared")))
    parser.add_argument("--rounds", type=int, default=983, help="number of rounds, from the first")
    parser.add_argument("--requests", type=int, default=100, help="for each kind of page")
    parser.add_argument("--seconds", type=float, default=60, help="duration of the load test; 0 for none")
    parser.add_argument(
        "--filled", action="store_true", help="the database already has the rounds, rated and with derived numbers"
    )
    arguments = parser.parse_args()
    with site(arguments.shared) as (file, folder):
        manage("collectstatic", "--noinput", "--verbosity", "0")
        if not arguments.filled:
            manage("migrate", "--verbosity", "0")
            manage("import_contests", str(first_rounds(file, arguments.rounds, folder)), "--series", SERIES, "--json")
        import django

        django.setup()
        if not arguments.filled:
            choose_options()
            manage("derive", "--series", SERIES, "--json")
        kinds = addresses(random.Random(SEED))
        one_by_one(kinds, arguments.requests)
        if arguments.seconds:
            all_at_once(kinds, arguments.seconds)


def choose_options() -> None:
    """Give the series leagues and season points, so that their pages are measured too."""
    from contests.models import Series
    from ratings.publishing.schemes import choose_scheme

    series = Series.objects.get(slug=SERIES)
    choose_scheme(series.pk, leagues={"assignment": "moving_average"}, season={"length": "year"})


def addresses(chance: random.Random) -> dict[str, Callable[[], str]]:
    """Return, for each kind of page, a function that draws a random URL."""
    from contests.models import Contest, Player, Series
    from ratings.models import Rating
    from ratings.queries.snapshot import snapshot_of

    contests = list(Contest.objects.rated().filter(series__slug=SERIES).values_list("pk", "standing_count"))
    ratings = list(Rating.objects.filter(series__slug=SERIES).values_list("player_id", "contest_count"))
    drawn = chance.choices([pk for pk, _ in ratings], [count for _, count in ratings], k=2000)
    handles = dict(Player.objects.filter(pk__in=drawn).values_list("pk", "handle"))
    players = [quote(handles[pk], safe="") for pk in drawn]
    page = -(-len(ratings) // 100)
    tiers = [tier.name for tier in snapshot_of(Series.objects.get(slug=SERIES)).tiers][:6]
    series = f"/c/main/series/{SERIES}"

    def player() -> str:
        return chance.choice(players)

    def contest() -> int:
        return chance.choices([pk for pk, _ in contests], [size for _, size in contests])[0]

    def participation() -> str:
        from ratings.models import RatingChange

        some = RatingChange.objects.current().filter(contest=contest()).order_by("player_id")
        change = some[chance.randrange(some.count())]
        return f"/contests/{change.contest_id}/why/{quote(change.player.handle, safe='')}/"

    def board(**query: object) -> str:
        return f"{series}/leaderboard/?{urlencode(query)}"

    return {
        "home": lambda: "/",
        "search": lambda: f"/search/?q={player()[:4]}",
        "suggestions": lambda: f"/suggest/?q={player()[:3]}",
        "series": lambda: f"{series}/",
        "leaderboard": lambda: f"{series}/leaderboard/",
        "leaderboard, any page": lambda: board(page=chance.randint(1, page), show="everyone"),
        "leaderboard, at a player": lambda: f"{series}/leaderboard/?player={player()}",
        "leaderboard, by tier and activity": lambda: board(tier=chance.choice(tiers), active=365, min=10),
        "leaderboard, search": lambda: f"{series}/leaderboard/?q={player()[:3]}",
        "records": lambda: f"{series}/records/",
        "countries": lambda: f"{series}/countries/",
        "leagues": lambda: f"{series}/leagues/",
        "season": lambda: f"{series}/season/",
        "distribution": lambda: f"{series}/distribution/?player={player()}",
        "how ratings work": lambda: f"{series}/how/",
        "forecast": lambda: f"{series}/what-if/?player={player()}",
        "compare two": lambda: f"/compare/?series={SERIES}&players={player()},{player()}",
        "compare eight": lambda: f"/compare/?series={SERIES}&players={','.join(player() for _ in range(8))}",
        "contests": lambda: "/contests/",
        "contest": lambda: f"/contests/{contest()}/",
        "contest, by tier": lambda: f"/contests/{contest()}/?tier={chance.choice(tiers)}",
        "contest, analysis": lambda: f"/contests/{contest()}/analysis/",
        "why": participation,
        "player": lambda: f"/c/main/players/{player()}/",
        "player, history as CSV": lambda: f"/c/main/histories/{player()}/?series={SERIES}",
        "share card": lambda: f"/c/main/cards/{player()}/?series={SERIES}",
        "badge": lambda: f"/c/main/badges/{player()}/?series={SERIES}",
        "widget": lambda: f"/c/main/widgets/{player()}/?series={SERIES}",
        "feed": lambda: "/feeds/results.atom",
        "calendar": lambda: f"{series}/contests.ics",
    }


def one_by_one(kinds: dict[str, Callable[[], str]], requests: int) -> None:
    """Request each kind of page in this process; print times, queries and sizes."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(HTTP_HOST="localhost")
    print("| page | median ms | 99 % ms | most queries | kB |\n| --- | ---: | ---: | ---: | ---: |")
    for name, address in kinds.items():
        times, queries, size = [], 0, 0
        client.get(address())  # fills the caches of the process
        for _ in range(requests):
            path = address()
            with CaptureQueriesContext(connection) as captured:
                started = time.perf_counter()
                response = client.get(path)
                times.append(1000 * (time.perf_counter() - started))
            if response.status_code != 200:
                sys.exit(f"{path} answered {response.status_code}")
            queries, size = max(queries, len(captured)), max(size, len(response.content))
        median, slow = statistics.median(times), statistics.quantiles(times, n=100)[-1]
        print(f"| {name} | {median:.0f} | {slow:.0f} | {queries} | {size / 1000:.0f} |", flush=True)


def all_at_once(kinds: dict[str, Callable[[], str]], seconds: float) -> None:
    """Let simulated visitors request pages from gunicorn; print the number of responses and the errors."""
    paths = [address() for address in kinds.values() for _ in range(20)]
    port = "8799"
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", "2", "podium.wsgi"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "platform"), "PODIUM_ALLOWED_HOSTS": "127.0.0.1"}
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    counts: list[tuple[int, list[str], list[float]]] = []
    try:
        _wait_for(int(port))
        end = time.monotonic() + seconds
        visitors = [
            threading.Thread(target=lambda n=n: counts.append(_visit(int(port), paths, end, n)))
            for n in range(VISITORS)
        ]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
    finally:
        server.terminate()
        server.wait()
    answers, errors = sum(count for count, _, _ in counts), [error for _, errors, _ in counts for error in errors]
    times = sorted(1000 * each for _, _, waited in counts for each in waited)
    print(
        f"\n{VISITORS} visitors at once for {seconds:.0f} s: {answers:,} pages ({answers / seconds:.0f} a second), "
        f"{len(errors)} errors; half of them waited at most {times[len(times) // 2]:.0f} ms."
    )
    for error in sorted(set(errors))[:10]:
        print(f"- {error}")


def _wait_for(port: int) -> None:
    for _ in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.2)
    sys.exit("gunicorn did not start")


def _visit(port: int, paths: list[str], end: float, number: int) -> tuple[int, list[str], list[float]]:
    """Request pages until the end; return the number of responses, the errors, and the seconds of each."""
    chance, count, errors, waited = random.Random(number), 0, [], []
    while time.monotonic() < end:
        path, started = chance.choice(paths), time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                errors.append(f"{answer.status} {path}")
        except (OSError, http.client.HTTPException) as error:
            errors.append(f"{type(error).__name__} {path}")
        finally:
            connection.close()
        count += 1
        waited.append(time.monotonic() - started)
    return count, errors, waited


if __name__ == "__main__":
    main()
