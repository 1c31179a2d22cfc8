"""All places of one player at once, compared with rating the contest for each place."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import SYSTEMS, Beliefs, Contest, RatingSystem, get_system, place_needed, predicted_changes, replay
from ratings.systems.forecast.by_place import Trial
from tests.ratings.systems.contract import every_system, rate
from tests.ratings.systems.strategies import elo_mmr_parameters, random_series, steady

SLOW = {"elo-mmx", "trueskill", "trueskill-spb", "ladder"}
TEAMS = ["elo", "kreimeier", "trueskill"]


def rated(name: str, n_players: int = 30, **parameters: Any) -> tuple[RatingSystem, Beliefs]:
    system = get_system(name, **parameters)
    return system, replay(system, random_series(5, 30, n_players, 12), n_players).beliefs


def by_the_engine(
    system: RatingSystem, beliefs: Beliefs, field: list[int], player: int, place: int, **terms: Any
) -> list[float]:
    """Mean, deviation and performance after the contest in which the player takes that place."""
    others = sorted((each for each in field if each != player), key=lambda each: -beliefs.mu[each])
    finish = [*others[: place - 1], player, *others[place - 1 :]]
    after = beliefs.copy()
    changes = rate(system, after, Contest(finish, range(len(finish)), **terms))
    return [after.mu[player], after.sigma[player], changes.performance[place - 1]]


@every_system
@pytest.mark.parametrize("weight", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("ceiling", [math.inf, 1550.0])
def test_weights_ceilings_and_days_are_those_of_the_contest(name: str, weight: float, ceiling: float) -> None:
    system, beliefs = rated(name)
    terms = {"weight": weight, "perf_ceiling": ceiling, "day": 77.0}
    field = [3, 9, 12, 20, 21, 28, 4]
    forecast = predicted_changes(system, beliefs, field, 12, **terms)
    for row, place in enumerate(forecast.place.tolist()):
        expected = by_the_engine(system, beliefs, field, 12, place, **terms)
        found = [forecast.mu[row], forecast.sigma[row], forecast.performance[row]]
        assert found == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity"])
@steady(25)
@given(
    parameters=elo_mmr_parameters(with_transfer_speed=False),
    player=st.integers(0, 29),
    day=st.sampled_from([30.0, 90.0]),
)
def test_forecasts_of_elo_mmr_equal_its_ratings_with_any_parameters(
    name: str, parameters: dict[str, Any], player: int, day: float
) -> None:
    system, beliefs = rated(name, **parameters)
    trial = Trial(system, beliefs, range(30), player, day=day)
    for place in (1, 2, 17, 30):
        expected = by_the_engine(system, beliefs, list(range(30)), player, place, day=day)
        assert np.concatenate(trial.at(np.array([place]))) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("elo", {"curve": "gaussian"}),
        ("glicko2", {"period_days": 1.0}),
        ("kreimeier", {"decay": 0.3, "period_days": 5.0}),
        ("codeforces", {"inflation_control": True}),
        ("topcoder", {"mu_noob": 2400.0}),
    ],
)
def test_forecasts_with_other_parameters_equal_the_ratings(name: str, parameters: dict[str, Any]) -> None:
    system, beliefs = rated(name, **parameters)
    trial = Trial(system, beliefs, range(30), 8, day=45.0)
    for place in (1, 12, 30):
        expected = by_the_engine(system, beliefs, list(range(30)), 8, place, day=45.0)
        assert np.concatenate(trial.at(np.array([place]))) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("name", sorted(set(SYSTEMS) - SLOW))
def test_forecasts_of_large_fields_equal_the_ratings(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(2000)
    for seed in range(3):
        rate(system, beliefs, Contest(range(2000), np.random.default_rng(seed).permutation(2000), day=seed))
    trial = Trial(system, beliefs, range(2000), 1234)
    assert trial.is_fast
    trial.changes()  # by now there is a table
    places = np.array([1, 2, 700, 1999, 2000])
    for row, expected in enumerate([trial._rate(place) for place in places.tolist()]):
        assert [column[row] for column in trial.at(places)] == pytest.approx(expected, rel=1e-9)


def test_forecasts_include_newcomers() -> None:
    for name in SYSTEMS:
        system = get_system(name)
        beliefs = system.new_beliefs(5)
        if name == "ladder":  # newcomers of a ladder share one position
            continue
        forecast = predicted_changes(system, beliefs, range(5), 0)
        after = beliefs.copy()
        rate(system, after, Contest([0, 1, 2, 3, 4], [1, 2, 2, 2, 2]))
        assert forecast.mu[0] == pytest.approx(after.mu[0], rel=1e-11)


@pytest.mark.parametrize("name", TEAMS)
def test_teams_take_places_together(name: str) -> None:
    system, beliefs = rated(name)
    teams = {"red": [0, 1], "blue": [2, 3, 4], "green": [5, 6]}
    field = [5, 2, 0, 3, 1, 6, 4]
    labels = [next(team for team, members in teams.items() if each in members) for each in field]
    forecast = predicted_changes(system, beliefs, field, 1, teams=labels)
    assert forecast.place.tolist() == [1, 2, 3]
    mean = sum if name == "trueskill" else lambda values: sum(values) / len(values)
    others = sorted(["blue", "green"], key=lambda team: -mean([beliefs.mu[each] for each in teams[team]]))
    for row in range(3):
        order = [*others[:row], "red", *others[row:]]
        ranks = [order.index(label) for label in labels]
        after = beliefs.copy()
        rate(system, after, Contest(field, ranks, day=beliefs.last_day[field].max(), teams=labels))
        assert forecast.mu[row] == pytest.approx(after.mu[1], rel=1e-11)
    assert place_needed(system, beliefs, field, 1, float(forecast.mu[1]), teams=labels) == 2


def test_a_team_label_is_needed_for_each_player() -> None:
    system = get_system("elo")
    with pytest.raises(ValueError, match="2 team labels for 3 players"):
        Trial(system, system.new_beliefs(3), range(3), 0, teams=["a", "b"])


@every_system
def test_the_last_place_for_a_condition_is_the_last_that_satisfies_it(name: str) -> None:
    system, beliefs = rated(name)
    trial = Trial(system, beliefs, range(30), 11)
    mu = trial.changes().mu
    for target in (*mu[[0, 3, 14, 29]].tolist(), float(mu.max()) + 1.0, float(mu.min()) - 1.0):
        satisfied = np.flatnonzero(mu >= target) + 1
        expected = int(satisfied.max()) if len(satisfied) else None
        assert trial.last_place(lambda mean, _, target=target: mean >= target) == expected


@every_system
@pytest.mark.parametrize(("deviations", "size"), [(1.0, 20), (3.0, 20), (3.0, 24)])
def test_the_last_place_for_a_conservative_rating_is_the_last_that_reaches_it(
    name: str, deviations: float, size: int
) -> None:
    """A winner has a larger deviation than the second in TrueSkill, and surprises increase it in TopCoder."""
    system = get_system(name)
    trial = Trial(system, system.new_beliefs(size), range(size), 0)
    outcomes = trial.changes()
    ratings = outcomes.mu - deviations * outcomes.sigma
    for target in ratings.tolist():
        expected = int(np.flatnonzero(ratings >= target).max()) + 1
        assert trial.last_place(lambda mu, sigma, target=target: mu - deviations * sigma >= target) == expected


def test_systems_that_depend_on_the_places_of_others_have_no_fast_method() -> None:
    for name in SYSTEMS:
        system, beliefs = rated(name)
        assert Trial(system, beliefs, range(30), 3).is_fast == (name not in SLOW)
