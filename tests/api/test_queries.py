"""The number of queries does not depend on the number of rows."""

import pytest

from contests.models import Player
from tests.factories import make_contest, make_series, rate

# Series by slug, run and scheme come first, then the resource itself.
COUNTS = {
    "series/": 4,  # count, series, runs, schemes
    "communities/main/series/cup/": 3,
    "communities/main/series/cup/leaderboard/": 4,  # + ratings with players and contests; the index is in memory
    "communities/main/series/cup/leaderboard/?country=DE": 5,
    "communities/main/series/cup/leaderboard/?search=p": 5,
    "communities/main/series/cup/distribution/": 3,
    "communities/main/series/cup/runs/": 3,  # series, count, runs
    "communities/main/series/cup/changes/?page_size=1000": 7,  # + three walks, the third with a look ahead
    "contests/": 4,  # three for the version of the count
    "contests/?series=cup": 5,
    "contests/{pk}/": 1,
    "contests/{pk}/standings/": 3,
    "contests/{pk}/rating-changes/": 6,  # contest, run, scheme, count, changes, players
    "players/": 1,
    "communities/main/players/p0/": 4,  # player, ratings, runs, schemes
    "communities/main/players/p0/history/": 6,  # player, count, changes, series, runs, schemes
}


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [2, 200])
@pytest.mark.parametrize("address", COUNTS)
def test_a_response_takes_a_fixed_number_of_queries(client, django_assert_num_queries, address, rows):
    series = make_series("cup")
    contest = make_contest(series, players=rows)
    if address in (
        "contests/",
        "contests/?series=cup",
        "communities/main/series/cup/runs/",
        "communities/main/players/p0/history/",
    ):
        for _ in range(rows // 10):
            make_contest(series, standings=[("p0", 1), ("p1", 2)])
            rate(series)
    rate(series)
    Player.objects.update(country="DE")
    url = f"/api/v1/{address.format(pk=contest.pk)}"
    client.get(url)
    with django_assert_num_queries(COUNTS[address]):
        response = client.get(url)
    assert response.status_code == 200
