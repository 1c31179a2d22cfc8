"""The effect of each place on a rating, and the place needed for a rating, compared with rating the contest."""

from typing import Any

import numpy as np
import pytest

from ratings.systems import (
    SYSTEMS,
    Beliefs,
    Contest,
    RatingSystem,
    get_system,
    place_needed,
    predicted_changes,
)
from tests.ratings.systems.contract import every_system, rate, rated_by
from tests.ratings.systems.strategies import random_series

# Where a better place can give a lower rating, only scanning finds the place needed.
every_monotone_system = pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "trueskill-spb"])


def rated(name: str, n_players: int = 25) -> tuple[RatingSystem, Beliefs]:
    return rated_by(name, random_series(seed=12, n_contests=25, n_players=n_players, size=11), n_players)


@every_system
def test_each_place_has_the_effect_of_rating_such_a_contest(name: str) -> None:
    system, beliefs = rated(name)
    field = [8, 3, 21, 17, 5]
    others = sorted([8, 3, 17, 5], key=lambda other: -beliefs.mu[other])
    forecast = predicted_changes(system, beliefs, field, 21)
    assert forecast.place.tolist() == [1, 2, 3, 4, 5]
    for row in range(5):
        finish = [*others[:row], 21, *others[row:]]
        after = beliefs.copy()
        changes = rate(system, after, Contest(finish, range(5), day=beliefs.last_day.max()))
        if name != "ladder":  # where two players who have only competed together may share one position
            assert np.unique(beliefs.mu[field]).size == 5
        assert forecast.mu[row] == pytest.approx(after.mu[21], rel=1e-12)
        assert forecast.sigma[row] == pytest.approx(after.sigma[21], rel=1e-12)
        assert forecast.performance[row] == pytest.approx(changes.performance[row], rel=1e-12)
    assert forecast.mu_before == beliefs.mu[21]
    assert forecast.sigma_before == beliefs.sigma[21]
    assert forecast.change.tolist() == (forecast.mu - beliefs.mu[21]).tolist()


@every_system
def test_forecasts_do_not_change_beliefs(name: str) -> None:
    system, beliefs = rated(name)
    before = beliefs.pack(range(25))
    predicted_changes(system, beliefs, range(25), 4)
    place_needed(system, beliefs, range(25), 4, 1600.0)
    assert beliefs.pack(range(25)) == before


@every_monotone_system
@pytest.mark.parametrize("player", [0, 7, 19])
def test_a_better_place_never_gives_a_lower_rating(name: str, player: int) -> None:
    system, beliefs = rated(name)
    assert (np.diff(predicted_changes(system, beliefs, range(25), player).mu) <= 0).all()


@every_monotone_system
def test_a_better_place_among_newcomers_never_gives_a_lower_rating(name: str) -> None:
    system = get_system(name)
    forecast = predicted_changes(system, system.new_beliefs(12), range(12), 5)
    assert (np.diff(forecast.mu) <= 0).all()
    assert forecast.mu[0] > forecast.mu[-1]


@every_system
def test_the_place_needed_is_the_worst_that_reaches_the_target(name: str) -> None:
    system, beliefs = rated(name)
    forecast = predicted_changes(system, beliefs, range(25), 6)
    reach = np.append(forecast.mu, (forecast.mu[1:] + forecast.mu[:-1]) / 2)
    for target in reach.tolist():
        expected = forecast.place[forecast.mu >= target].max()
        assert place_needed(system, beliefs, range(25), 6, target) == expected
    assert place_needed(system, beliefs, range(25), 6, forecast.mu.max() + 1.0) is None
    assert place_needed(system, beliefs, range(25), 6, forecast.mu.min() - 1.0) == 25


@every_system
def test_a_place_among_tied_players_is_exact(name: str) -> None:
    system, beliefs = get_system(name), get_system(name).new_beliefs(4)
    forecast = predicted_changes(system, beliefs, range(4), 0)
    for place in (1, 2, 3, 4):
        ranks = [5] + [1] * (place - 1) + [9] * (4 - place)
        after = beliefs.copy()
        rate(system, after, Contest(range(4), ranks))
        assert forecast.mu[place - 1] == pytest.approx(after.mu[0], rel=1e-12)


def test_forecasts_of_large_fields_have_a_hundred_places_dense_at_both_ends() -> None:
    system = get_system("elo")
    beliefs = system.new_beliefs(5000)
    beliefs.mu += np.linspace(-900, 900, 5000)
    place = predicted_changes(system, beliefs, range(5000), 1234).place
    assert 60 <= len(place) <= 100
    assert place[:5].tolist() == [1, 2, 3, 4, 5]
    assert place[-5:].tolist() == [4996, 4997, 4998, 4999, 5000]
    assert (np.diff(place) < 0.2 * 2500).all()
    assert predicted_changes(system, beliefs, range(200), 12).place.tolist() == list(range(1, 201))


def test_only_requested_places_are_computed() -> None:
    system, beliefs = rated("elo-mmr")
    chosen, everything = (
        predicted_changes(system, beliefs, range(25), 3, [9, 2]),
        predicted_changes(system, beliefs, range(25), 3),
    )
    assert chosen.place.tolist() == [2, 9]
    assert chosen.mu.tolist() == everything.mu[[1, 8]].tolist()


@pytest.mark.parametrize(
    ("arguments", "meaning"),
    [
        (([0, 1, 9], 0), "player 9 does not exist in a pool of 5"),
        (([0, 1, 1], 0), "player 1 is named more than once"),
        (([0], 0), "at least two players"),
        (([0, 1], 2), "player 2 is not among the 2 players"),
        (([0, 1], 0, [3]), "place 3 is outside a field of 2"),
        (([0, 1], 0, [0]), "place 0 is outside a field of 2"),
        (([0, 1], 0, [1.5]), "places must be whole numbers"),
    ],
)
def test_bad_input_is_refused(arguments: Any, meaning: str) -> None:
    system = get_system("elo-mmr")
    with pytest.raises(ValueError, match=meaning):
        predicted_changes(system, system.new_beliefs(5), *arguments)


@pytest.mark.parametrize("target", [float("nan"), float("inf")])
def test_a_target_must_be_finite(target: float) -> None:
    system = get_system("elo")
    with pytest.raises(ValueError, match="target must be a finite number"):
        place_needed(system, system.new_beliefs(5), range(5), 0, target)
