"""The search for parameters: it improves predictions, is reproducible, and refuses systems without parameters."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from ratings.systems import SYSTEMS, Contest, Scores, get_system
from ratings.systems.evaluate.tuning import (
    OBJECTIVES,
    Candidate,
    SearchSpace,
    Tuning,
    evaluate_candidate,
    training_size,
    tune,
)
from tests.ratings.systems.strategies import random_series

every_searched_system = pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].search_space])

PLAYERS = 40


def tuned(system: str, contests: Sequence[Contest], training: int, **options: object) -> Tuning:
    def evaluate(candidates: Sequence[Candidate]) -> list[Scores]:
        return [evaluate_candidate(candidate, contests, PLAYERS) for candidate in candidates]

    return tune(system, evaluate, training, **options)  # type: ignore[arg-type]


def drifting_series(drift: float, n_contests: int) -> list[Contest]:
    """Contests of all players; between contests, each skill moves by about this many points."""
    random = np.random.default_rng(11)
    skills, made = random.normal(1500.0, 300.0, PLAYERS), []
    for day in range(n_contests):
        made.append(Contest(np.arange(PLAYERS), -(skills + random.normal(0.0, 150.0, PLAYERS)), day=float(day)))
        skills = skills + random.normal(0.0, drift, PLAYERS)
    return made


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_parameters_that_follow_fast_skills_predict_the_rest_better(objective: str) -> None:
    contests = drifting_series(drift=120.0, n_contests=120)
    found = tuned("elo", contests, 40, objective=objective, n_candidates=16)
    assert found.best.parameters["k_factor"] > 48.0
    figure, sign = OBJECTIVES[objective]
    assert sign * getattr(found.best.scores, figure) < sign * getattr(found.candidates[0].scores, figure)
    assert sign * getattr(found.best_on_rest, figure) < sign * getattr(found.default_on_rest, figure)


def test_the_best_is_the_first_of_the_best_candidates_in_training() -> None:
    found = tuned("elo-mmr", random_series(2, 60, PLAYERS, 20), 30, n_candidates=12)
    figures = [each.scores.pair_inversion for each in found.candidates]
    assert len(figures) == 12
    assert found.best is found.candidates[figures.index(max(figures))]
    assert found.candidates[0].parameters == {}


def test_the_defaults_win_if_all_candidates_are_equal() -> None:
    contests = random_series(2, 60, PLAYERS, 20)
    scores = evaluate_candidate(Candidate("elo", {}), contests, PLAYERS)
    found = tune("elo", lambda candidates: [scores] * len(candidates), 30, n_candidates=12)
    assert found.best is found.candidates[0]


def test_training_and_judging_see_their_own_contests_only() -> None:
    contests = random_series(4, 50, PLAYERS, 20)
    found = tuned("elo", contests, 20, n_candidates=4)
    other_rest = [*contests[:20], *random_series(5, 30, PLAYERS, 20)]
    again = tuned("elo", [*contests[:20], *(Contest(c.players, c.ranks, day=99.0) for c in other_rest[20:])], 20,
                  n_candidates=4)  # fmt: skip
    assert [each.parameters for each in again.candidates] == [each.parameters for each in found.candidates]
    assert again.best.scores.pair_inversion == found.best.scores.pair_inversion
    assert again.best_on_rest.pair_inversion != found.best_on_rest.pair_inversion
    assert found.candidates[0].scores.contests + found.default_on_rest.contests <= 50
    assert found.default_on_rest.contests == 30


def test_a_seed_reproduces_a_search_and_another_changes_it() -> None:
    contests = random_series(2, 40, PLAYERS, 20)
    first, second, other = (
        [each.parameters for each in tuned("glicko", contests, 20, n_candidates=10, seed=seed).candidates]
        for seed in (7, 7, 8)
    )
    assert first == second
    assert first != other


@every_searched_system
def test_every_corner_of_a_search_is_allowed_and_the_defaults_are_inside(name: str) -> None:
    space = SearchSpace(SYSTEMS[name])
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * len(space.dimensions)), axis=-1).reshape(-1, len(space.dimensions))
    for corner in corners:
        get_system(name, **space.parameters(corner))
    assert space.parameters(space.origin()) == {}
    assert ((space.origin() >= 0.0) & (space.origin() <= 1.0)).all()


def test_only_the_ladder_has_no_search_space() -> None:
    assert [name for name, system in SYSTEMS.items() if not system.search_space] == ["ladder"]


def test_first_candidates_cover_each_range() -> None:
    space = SearchSpace(SYSTEMS["elo-mmr"])
    points = space.spread(8, np.random.default_rng(0))
    for coordinate in points.T:
        assert sorted((coordinate * 8).astype(int)) == list(range(8))


def test_refined_candidates_stay_near_their_centre_and_within_the_ranges() -> None:
    space = SearchSpace(SYSTEMS["elo-mmr"])
    centre = space.origin()
    points = space.around(centre, 500, 0.05, np.random.default_rng(0))
    assert ((points >= 0.0) & (points <= 1.0)).all()
    numbers = [k for k, dimension in enumerate(space.dimensions) if not dimension.choices]
    assert np.abs(points - centre)[:, numbers].max() < 0.05 * 5
    choices = [k for k, dimension in enumerate(space.dimensions) if dimension.choices]
    assert 0.9 < (points == centre)[:, choices].mean() < 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": "ladder"}, "ladder has no parameters that a search could improve"),
        ({"system": "chess"}, "there is no rating system 'chess'"),
        ({"objective": "luck"}, "there is no objective 'luck'; choose from: pair-inversion, rank-deviation, log-loss"),
        ({"n_candidates": 1}, "1 candidates are too few"),
        ({"training": 5}, "the first 5 contests have no two players .* at least 5 contests before"),
        ({"training": 40}, "after the first 40 contests there is nothing to judge"),
    ],
)
def test_errors_say_why_a_search_is_impossible(options: dict[str, object], message: str) -> None:
    arguments = {"system": "elo", "training": 20, "n_candidates": 4, **options}
    with pytest.raises(ValueError, match=message):
        tuned(contests=random_series(2, 40, PLAYERS, PLAYERS), **arguments)  # type: ignore[arg-type]


def contests_of(*sizes: int) -> list[Contest]:
    return [Contest(range(size), range(size)) for size in sizes]


def test_the_training_share_counts_participations_and_leaves_contests_on_both_sides() -> None:
    assert training_size(contests_of(*[2] * 10), 0.1) == 1
    assert training_size(contests_of(*[2] * 11), 0.1) == 2
    assert training_size(contests_of(2, 2, 2, 2, 2, 90), 0.1) == 5
    assert training_size(contests_of(90, 2, 2), 0.1) == 1
    for n, share, message in (
        (0, 0.1, "too few"),
        (1, 0.1, "too few"),
        (5, 0.9, "too few"),
        (5, 0.0, "share"),
        (5, math.nan, "share"),
    ):
        with pytest.raises(ValueError, match=message):
            training_size(contests_of(*[3] * n), share)
