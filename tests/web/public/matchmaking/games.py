"""Series of two-player games, and requests of their pages."""

from contests.models import Series
from ratings.models import Rating
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from ratings.systems import get_system
from tests.factories import make_contest, make_series, rate

HANDLES = ["ann", "bob", "eve", "joe", "kim", "lee"]


def make_games(system="elo", slug="cup", **scheme):
    """Return a series of two-player games: earlier handles beat later ones, in one game a day."""
    series = make_series(slug)
    choose_scheme(series.pk, system=system, **scheme)
    day = 0
    for number, first in enumerate(HANDLES):
        for second in HANDLES[number + 1 :]:
            make_contest(series, standings=[(first, 1), (second, 2)], day=day)
            day += 1
    rate(series)
    return series


def beliefs_of(series):
    """Return the system, the beliefs of all rated players by handle order, and their displayed points."""
    snapshot = snapshot_of(series)
    system = get_system(snapshot.scheme.system, **snapshot.scheme.parameters)
    ratings = [Rating.objects.get(series=series, player__handle=handle) for handle in HANDLES]
    beliefs = system.new_beliefs(len(HANDLES))
    beliefs.unpack(list(range(len(HANDLES))), [bytes(rating.belief) for rating in ratings])
    return system, beliefs, [snapshot.rating(rating.score) for rating in ratings]


def ask(client, page, status=200, **query):
    answer = client.get(f"/c/main/series/cup/{page}", query)
    assert answer.status_code == status, answer.content.decode()
    return answer


def snapshot_of_cup():
    return snapshot_of(Series.objects.get(slug="cup"))
