"""Snapshots of a series: one run and one mapping, rounded alike everywhere."""

import pytest

from contests.errors import ContestError
from ratings.models import Rating, Scheme
from ratings.publishing.schemes import choose_scheme, scheme_of
from ratings.queries.snapshot import snapshot_of, snapshots_of
from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db


def test_rating_before_plus_change_is_rating_after():
    series = make_series()
    snapshot = snapshot_of(series)
    assert snapshot.rating_of(1500.4, 350.0) + snapshot.change(1500.4, 350.0, 1612.6, 171.0) == snapshot.rating_of(
        1612.6, 171.0
    )


def test_the_display_changes_without_a_run_and_keeps_the_order():
    series = make_series()
    make_contest(series, players=6)
    rate(series)
    scores = sorted(Rating.objects.values_list("score", flat=True))
    points = [snapshot_of(series).rating(score) for score in scores]
    choose_scheme(series.pk, display={"mapping": "fermi", "range": 10000})
    snapshot = snapshot_of(series)
    fermi = [snapshot.rating(score) for score in scores]
    assert snapshot.run.number == 1
    assert fermi != points
    assert fermi == sorted(fermi)
    assert 0 <= fermi[0] < fermi[-1] <= 10000
    assert snapshot.tiers.thresholds[-1] == 9800


def test_choosing_the_same_scheme_makes_no_new_version():
    series = make_series()
    first = scheme_of(series.pk)
    assert (first.version, first.system, first.display) == (1, "elo-mmr", {"mapping": "offset"})
    assert choose_scheme(series.pk, display={"mapping": "offset"}) == first
    second = choose_scheme(series.pk, parameters={"weight_limit": 0.3})
    assert (second.version, second.parameters["weight_limit"], second.parameters["sig_limit"]) == (2, 0.3, 80.0)
    third = choose_scheme(series.pk, system="elo-mmr-infinity")
    assert (third.version, third.parameters["weight_limit"]) == (3, 0.2), "another system begins with its own defaults"
    assert Scheme.objects.count() == 3


def test_a_new_factor_k_takes_effect_with_the_next_run():
    """Until then, the scores on the leaderboard and the changes beside them must use the same k."""
    series = make_series()
    contest = make_contest(series, players=6)
    rate(series)
    choose_scheme(series.pk, display={"mapping": "offset", "k": 2})
    for _ in range(2):
        snapshot = snapshot_of(series)
        changes = contest.rating_changes.current()
        assert len(changes) == 6
        for change in changes:
            score = Rating.objects.get(player_id=change.player_id).score
            assert snapshot.rating_of(change.mu, change.sigma) == snapshot.rating(score)
        rate(series)
    assert snapshot_of(series).run.number == 2


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"system": "chess"}, "chess"),
        ({"parameters": {"weight_limit": -1}}, "weight_limit"),
        ({"parameters": {"wait": 1}}, "wait"),
        ({"display": {"mapping": "log"}}, "log"),
        ({"display": {"mapping": "fermi", "range": 3}}, "range"),
        ({"tiers": [{"name": "x"}]}, "tier 1"),
    ],
)
def test_invalid_choices_are_refused_with_a_message(choice, message):
    series = make_series()
    scheme_of(series.pk)
    with pytest.raises(ContestError, match=message):
        choose_scheme(series.pk, **choice)
    assert Scheme.objects.count() == 1


def test_snapshots_of_many_series_need_two_queries(django_assert_num_queries):
    many = [make_series() for _ in range(5)]
    for one in many[:3]:
        make_contest(one, players=2)
        rate(one)
    with django_assert_num_queries(2):
        snapshots = snapshots_of(many)
        assert snapshots[many[0].pk].rating_of(1500.0, 80.0) == 1500
    assert [snapshots[one.pk].run.number if snapshots[one.pk].run else None for one in many] == [1, 1, 1, None, None]
