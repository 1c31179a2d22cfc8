"""
The search on a site of a million players and 500,000 contests on PostgreSQL, including for misspelt names.

    scripts/services.sh run .venv/bin/python scripts/bench/search.py [--players 1000000] [--contests 500000]

Needs DATABASE_URL of an empty PostgreSQL database, or of one that this script has filled. The players are those of
`candidates.py`, all rated in one series. Prints two Markdown tables: searches for players, and pages that search. Times
are processor time of Podium and its connection to PostgreSQL together, because other programs may keep the cores busy.
The misspelt names are those of random players with one or two letters changed; "found" counts those whose player is
listed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empty_site import empty_site, set_up

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT), str(ROOT / "scripts" / "bench")]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST = 12
#: Players with real names, for the misspelt names that the tests use too.
NAMED = (("lewis-hamilton", "Lewis Hamilton"), ("max-verstappen", "Max Verstappen"), ("tourist", "Gennady Korotkevich"))

CONTESTS = """
    INSERT INTO contests_contest
        (series_id, slug, name, url, ends_at, state, created_at, finalized_at, content_hash, standing_count)
    SELECT %(series)s, 'c' || n,
        (ARRAY['Round', 'Weekly', 'Open', 'League'])[1 + n %% 4] || ' ' || n
        || CASE WHEN n %% 1000 = 7 THEN ' grand final' ELSE '' END, '',
        timestamptz '2001-01-01 18:00Z' + n * interval '25 minutes', 'finalized', now(), now(), '', 2
    FROM generate_series(0, %(count)s - 1) AS n
"""
STANDINGS = """
    INSERT INTO contests_standing (contest_id, player_id, place, rank, is_ineligible, team, status)
    SELECT first.id + player.id %% 500, player.id, 1 + player.id / 500, 1 + player.id / 500, false, '', 'ranked'
    FROM contests_player AS player CROSS JOIN (SELECT min(id) AS id FROM contests_contest) AS first
"""
RATINGS = """
    INSERT INTO ratings_rating (series_id, player_id, mu, sigma, score, contest_count, peak, peak_contest_id,
        last_contest_id, belief)
    SELECT %(series)s, id, score, 100, score, 1 + id %% 40, score, contest, contest, ''
    FROM (SELECT player.id, 1500 + 300 * (random() + random() + random() - 1.5) AS score, first.id AS contest
        FROM contests_player AS player CROSS JOIN (SELECT min(id) AS id FROM contests_contest) AS first) AS drawn
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--contests", type=int, default=500_000)
    parser.add_argument("--searches", type=int, default=60, help="of each kind (default 60)")
    arguments = parser.parse_args()
    with empty_site():
        set_up()
        from contests.models import Player

        if not Player.objects.exists():
            fill(arguments.players, arguments.contests)
        searches(arguments.searches)
        pages(arguments.searches)


def fill(players: int, contests: int) -> None:
    """Generate players with their index of names, contests, results and ratings."""
    from candidates import people
    from django.db import connection
    from django.utils import timezone

    from contests.bulk import insert_rows
    from contests.handles import handle_key
    from contests.matching.name_index import add_players
    from contests.models import Player, Series
    from contests.services.communities import default_community
    from ratings.display import DEFAULT_MAPPING
    from ratings.models import Run, RunState, Scheme

    community = default_community()
    series = Series.objects.create(community=community, slug="s0", name="Series 0")
    by_key = {handle_key(handle): (handle, name) for handle, name in (*people(players), *NAMED)}
    named = [(pk, handle, name) for pk, (handle, name) in enumerate(by_key.values(), start=1)]
    now = timezone.now()
    started = time.perf_counter()
    insert_rows(
        Player, ("id", "community_id", "handle", "handle_key", "name", "created_at", "country"),
        [(pk, community.pk, handle, handle_key(handle), name, now, ("DE", "FR")[pk % 2]) for pk, handle, name in named],
    )  # fmt: skip
    stored = time.perf_counter()
    add_players(community.pk, named)
    indexed = time.perf_counter()
    print(f"{len(named):,} players stored in {stored - started:.0f} s, names indexed in {indexed - stored:.0f} s")
    numbers = {"series": series.pk, "count": contests}
    with connection.cursor() as cursor:
        for statement in (CONTESTS, STANDINGS, RATINGS):
            cursor.execute(statement, numbers)
        cursor.execute("UPDATE ratings_rating SET score = 2600, contest_count = 300 WHERE player_id > %s",
                       [len(named) - len(NAMED)])  # fmt: skip
    add_words()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    scheme = Scheme.objects.create(series=series, version=1, system="elo", display={"mapping": DEFAULT_MAPPING})
    Run.objects.create(
        series=series, number=1, scheme=scheme, state=RunState.PUBLISHED, published_at=now, cause="bench",
        player_count=len(named), contest_count=500,
    )  # fmt: skip


def add_words() -> None:
    """Index the names of contests."""
    from contests.matching.titles import index_all_titles

    started = time.perf_counter()
    index_all_titles()
    print(f"names of contests indexed in {time.perf_counter() - started:.0f} s")


def searches(count: int) -> None:
    """Search for handles, names and misspelt ones of random players; print the table."""
    from candidates import misspelt
    from django.contrib.auth.models import AnonymousUser

    from contests.matching.known_words import similar_words
    from contests.models import Player
    from ratings.queries.search import find_players

    chosen = random.Random(5)
    last = Player.objects.order_by("-pk").values_list("pk", flat=True)[0]
    players = list(Player.objects.filter(pk__in=chosen.sample(range(1, last), 4 * count)).order_by("pk"))
    long = [player for player in players if len(player.handle) > 7][:count]
    names = [player for player in players if player.name][:count]
    kinds: dict[str, list[tuple[str, int]]] = {
        "a whole handle": [(one.handle, one.pk) for one in long],
        "the first four letters": [(one.handle[:4], one.pk) for one in long],
        "handle, one letter wrong": [(misspelt(one.handle, chosen), one.pk) for one in long],
        "handle, two letters wrong": [(misspelt(one.handle, chosen, 2), one.pk) for one in long],
        "first and last name, one letter wrong": [(misspelt(one.name, chosen), one.pk) for one in names],
        "hamiltn": [("hamiltn", last - 2)] * count,
        "luis hamiltn": [("luis hamiltn", last - 2)] * count,
        "berstappen": [("berstappen", last - 1)] * count,
    }
    find_players("anything", MOST, AnonymousUser())  # reads the top players
    print("| search for | median ms | 95th percentile, ms | slowest ms | found |\n| --- | ---: | ---: | ---: | ---: |")
    for kind, asked in kinds.items():
        found = 0

        def search(text: str, pk: int) -> None:
            nonlocal found
            found += any(player.pk == pk for player in find_players(text, MOST, AnonymousUser()).players)

        print_row(kind, search, asked, lambda: f"{found / len(asked) * 100:.0f} %")  # noqa: B023
    asked = [(misspelt(one.handle, chosen),) for one in long]
    print_row("part of these times: finding similar words", similar_words, asked, lambda: "")


def print_row(name: str, search: Callable[..., Any], asked: Sequence[tuple[Any, ...]], last: Callable[[], str]) -> None:
    """Call a search with each of these arguments, and print a row with its times."""
    from games import processor_time

    times = []
    for arguments in asked:
        started = processor_time()
        search(*arguments)
        times.append(1000 * (processor_time() - started))
    times.sort()
    cells = (statistics.median(times), times[int(0.95 * len(times))], times[-1])
    print(f"| {name} | {' | '.join(f'{cell:.0f}' for cell in cells)} | {last()} |", flush=True)


def pages(count: int) -> None:
    """Request the pages that search; print the table."""
    from django.test import Client

    client = Client(HTTP_HOST="localhost")
    print("\n| page | median ms | 95th percentile, ms | slowest ms | |\n| --- | ---: | ---: | ---: | --- |")
    for name, path in (
        ("suggestions, as spelt", "/suggest/?q=hamil&kind=players"),
        ("suggestions, misspelt", "/suggest/?q=hamiltn&kind=players"),
        ("suggestions of all kinds, misspelt", "/suggest/?q=hamiltn"),
        ("search, as spelt", "/search/?q=hamilton"), ("search, misspelt", "/search/?q=hamiltn"),
        ("suggestions, a misspelt contest", "/suggest/?q=leage+grnad+fianl"),
        ("search, a misspelt contest", "/search/?q=leage+grnad+fianl"),
        ("search, a misspelt word of most contests", "/search/?q=roundd"),
        ("search, a word of most contests", "/search/?q=round"),
        ("search, a contest by words of its name and its series", "/search/?q=series+grand+final"),
        ("search, a contest by some of the words", "/search/?q=grand+prix"),
        ("contests by a rare word", "/contests/?q=grand"), ("contests by a common word", "/contests/?q=round"),
    ):  # fmt: skip
        client.get(path)
        print_row(name, client.get, [(path,)] * count, lambda: "")


if __name__ == "__main__":
    main()
