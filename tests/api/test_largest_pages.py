"""The largest page of every list. Each database has its own limits."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.utils import timezone

from contests.api.base import MAX_PAGE_SIZE
from contests.models import Contest, ContestState, Player, Series, Standing
from ratings.models import Run, Scheme
from tests.factories import FIRST_DAY, make_contest, make_series, rate

pytestmark = pytest.mark.django_db

ROWS = MAX_PAGE_SIZE + 5


@pytest.fixture
def everything_large():
    """Return a contest with too many players for one page, in a series with too many contests and runs."""
    series = make_series("cup")
    contest = make_contest(series, players=ROWS)
    _add_contests(series)
    rate(series, full=True)
    _add_runs(series)
    with connection.cursor() as cursor:
        # PostgreSQL does so by itself after a while, and plans for empty tables until then.
        cursor.execute("ANALYZE")
    return contest


def _add_contests(series):
    """Add contests in which the first two players met."""
    fields = {"ends_at": FIRST_DAY, "state": ContestState.FINALIZED, "finalized_at": timezone.now()}
    contests = Contest.objects.bulk_create(
        Contest(series=series, slug=f"more-{i}", name=f"More {i}", sequence=i + 1, standing_count=2, **fields)
        for i in range(ROWS)
    )
    players = list(Player.objects.order_by("pk")[:2])
    Standing.objects.bulk_create(
        Standing(contest=contest, player=player, place=place, rank=place)
        for contest in contests
        for place, player in enumerate(players, 1)
    )


def _add_runs(series):
    """Add runs to the series, and more series with one run each."""
    rules = {
        name: getattr(series.schemes.get(), name) for name in ("version", "system", "parameters", "display", "tiers")
    }
    others = Series.objects.bulk_create(
        Series(community_id="main", slug=f"s{i}", name=f"Series {i}") for i in range(ROWS)
    )
    schemes = Scheme.objects.bulk_create(Scheme(series=other, **rules) for other in others)
    fields = {"state": "published", "published_at": timezone.now()}
    newest = series.runs.get()
    pool = {"pool_mean": newest.pool_mean, "pool_width": newest.pool_width}
    Run.objects.bulk_create(
        [Run(series=series, number=i + 2, scheme=newest.scheme, **pool, **fields) for i in range(ROWS)]
        + [Run(series_id=scheme.series_id, number=1, scheme=scheme, **fields) for scheme in schemes]
    )


LISTS = [
    "series/", "{main}/series/", "{main}/series/cup/leaderboard/", "{main}/series/cup/leaderboard/?search=p",
    "{main}/series/cup/runs/", "{main}/series/cup/changes/", "contests/", "contests/?series=cup",
    "contests/{pk}/standings/", "contests/{pk}/rating-changes/", "players/", "players/?search=p", "{main}/players/",
    "{main}/players/?search=p", "{main}/players/p0/history/", "{main}/players/p0/history/?series=cup",
]  # fmt: skip


PAGES = [
    "/series/", "/c/main/series/cup/", "/c/main/series/cup/leaderboard/", "/contests/", "/contests/{pk}/",
    "/c/main/players/p0/", "/c/main/histories/p0/?series=cup", "/contests/{pk}/standings.csv",
    "/compare/?player=p0&player=p1", "/search/?q=p",
]  # fmt: skip


def ask(client, address, **parameters):
    path, _, query = address.partition("?")
    return client.get(path, {**{name: values[0] for name, values in parse_qs(query).items()}, **parameters})


def test_the_largest_page_of_every_list_succeeds(client, everything_large):
    wrong = {}
    for address in LISTS:
        for size in (998, 999, MAX_PAGE_SIZE):
            answer = ask(
                client, f"/api/v1/{address.format(pk=everything_large.pk, main='communities/main')}", page_size=size
            )
            rows = answer.json().get("results", []) if answer.status_code == 200 else []
            if len(rows) != size:
                wrong[address, size] = (answer.status_code, len(rows))
            else:
                after = urlsplit(answer.json()["next"])
                assert client.get(f"{after.path}?{after.query}").json()["results"], address
    assert wrong == {}


def test_html_pages_with_as_much_data_succeed(client, everything_large):
    answers = {address: ask(client, address.format(pk=everything_large.pk)).status_code for address in PAGES}
    assert answers == dict.fromkeys(PAGES, 200)
