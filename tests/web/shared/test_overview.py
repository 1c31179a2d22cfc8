"""The biggest movers of the newest contests, compared with a plain computation from the rows."""

import random

import pytest

from contests.models import Contest
from ratings.derived import movers
from ratings.models import Derived, RatingChange, Scheme
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate
from web.shared.overview import moves_of, news_of

pytestmark = pytest.mark.django_db


def series_of(contests, players, *, seed=1, **scheme):
    """A series of players who come and go and tie now and then."""
    series, dice = make_series("cup"), random.Random(seed)
    if scheme:
        choose_scheme(series.pk, **scheme)
    for _ in range(contests):
        field = [f"p{n}" for n in range(players) if dice.random() < 0.7]
        dice.shuffle(field)
        make_contest(series, standings=[(handle, place - place % 2 + 1) for place, handle in enumerate(field)])
    rate(series)
    return series


def plainly(snapshot, contest, sign, least):
    """
    Return the largest gains or losses of players with at least so many earlier contests, computed row by row.

    If no player has as many, all but newcomers count.
    """
    order = list(Contest.objects.rated().filter(series=snapshot.series).in_order())
    place = {one.pk: number for number, one in enumerate(order)}
    changes = list(RatingChange.objects.current().filter(series=snapshot.series))
    rows, known = [], False
    for change in changes:
        if change.contest_id != contest:
            continue
        earlier = sum(
            other.player_id == change.player_id and place[other.contest_id] < place[contest] for other in changes
        )
        before = snapshot.rating_of(change.mu_before, change.sigma_before)
        after = snapshot.rating_of(change.mu, change.sigma)
        known |= earlier >= least
        if sign * (after - before) > 0:
            rows.append(
                (-sign * (after - before), change.rank, earlier, [change.player_id, before, after, change.rank])
            )
    chosen = [row for row in rows if row[2] >= (least if known else 1)]
    return [row[3] for row in sorted(chosen, key=lambda row: row[:2])[:5]]


# A rating is provisional until five contests, or until half of the contests if there are fewer than nine, but two.
@pytest.mark.parametrize(("contests", "least"), [(1, 2), (2, 2), (4, 2), (6, 3), (14, 5)])
@pytest.mark.parametrize("scheme", [{}, {"display": {"mapping": "fermi", "range": 10000}}, {"system": "elo"}])
def test_movers_are_those_of_the_plain_computation(contests, least, scheme):
    snapshot = snapshot_of(series_of(contests, 30, **scheme))
    found = movers.compute(snapshot)["contests"]
    newest = Contest.objects.rated().filter(series=snapshot.series).newest_first()[:10]
    assert [entry["contest"] for entry in found] == [contest.pk for contest in newest]
    for entry in found:
        for name, sign in (("gains", 1), ("losses", -1)):
            expected = plainly(snapshot, entry["contest"], sign, least)
            assert sizes(entry[name]) == sizes(expected)
            assert {tuple(row) for row in entry[name]} <= {tuple(row) for row in tied(snapshot, entry["contest"], sign)}


def sizes(rows):
    return [(after - before, rank) for _, before, after, rank in rows]


def tied(snapshot, contest, sign):
    """Return all players who moved in one direction: if several are equal, any of them may be named."""
    rows = RatingChange.objects.current().filter(contest=contest)
    for row in rows:
        before, after = snapshot.rating_of(row.mu_before, row.sigma_before), snapshot.rating_of(row.mu, row.sigma)
        if sign * (after - before) > 0:
            yield [row.player_id, before, after, row.rank]


def test_in_a_first_contest_no_one_moved():
    found = movers.compute(snapshot_of(series_of(1, 10)))["contests"]
    assert [(entry["gains"], entry["losses"]) for entry in found] == [([], [])]


def test_a_series_without_contests_has_no_movers():
    series = make_series("empty")
    assert movers.compute(snapshot_of(series)) == {"contests": []}


def test_pages_read_them_in_two_queries_and_only_those_of_the_shown_run(django_assert_num_queries):
    series = series_of(6, 12)
    derive_series(series.pk)
    snapshot = snapshot_of(series)
    with django_assert_num_queries(2):
        found = moves_of(news_of([snapshot]))
    newest = found[Contest.objects.newest_first().first().pk]
    assert [mover.change for mover in newest.gains] == sorted((m.change for m in newest.gains), reverse=True)
    assert min(len(newest.gains), len(newest.losses)) > 0
    assert all(mover.change > 0 for mover in newest.gains)
    assert all(mover.change < 0 for mover in newest.losses)
    make_contest(series, players=12)
    rate(series)
    assert moves_of(news_of([snapshot_of(series)])) == {}, "nothing is known about the new run yet"


def test_another_display_has_other_numbers():
    series = series_of(6, 12)
    derive_series(series.pk)
    before = moves_of(news_of([snapshot_of(series)]))
    choose_scheme(series.pk, display={"mapping": "fermi", "range": 10000})
    assert moves_of(news_of([snapshot_of(series)])) == {}
    derive_series(series.pk)
    after = moves_of(news_of([snapshot_of(series)]))
    assert before.keys() == after.keys()
    assert [m.after for m in before[max(before)].gains] != [m.after for m in after[max(after)].gains]
    assert Scheme.objects.count() == 2
    assert Derived.objects.filter(kind=movers.DERIVATION.stored_kind).count() == 1
