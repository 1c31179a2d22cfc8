"""What every rating system keeps, whatever it computes."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.systems import ENGINE_VERSION, SYSTEMS, Beliefs, Contest, RatingSystem, RoundChanges, get_system, replay
from ratings.systems.parameters import Parameter
from tests.ratings.systems.strategies import contests, random_series, series

every_system = pytest.mark.parametrize("name", SYSTEMS)
every_parameter = pytest.mark.parametrize(
    ("name", "parameter"),
    [
        pytest.param(name, parameter, id=f"{name}-{parameter.name}")
        for name in SYSTEMS
        for parameter in SYSTEMS[name].PARAMETERS
    ],
)
NUMBERS = ("mu_before", "sigma_before", "mu", "sigma", "performance", "rank", "field")


def numbers(changes: Any) -> NDArray[np.float64]:
    return np.column_stack([getattr(changes, name) for name in NUMBERS])


def rated_by(name: str, made: list[Contest], n_players: int, **parameters: Any) -> tuple[RatingSystem, Beliefs]:
    system = get_system(name, **parameters)
    return system, replay(system, made, n_players).beliefs


def rate(system: RatingSystem, beliefs: Beliefs, contest: Contest) -> RoundChanges:
    changes = system.rate_round(beliefs, contest)
    assert changes is not None
    return changes


def reordered(contest: Contest, order: NDArray[np.intp]) -> Contest:
    return Contest(contest.players[order], contest.ranks[order], contest.weight, contest.perf_ceiling, contest.day)


# Same numbers whatever the rows, the numbering, the pool and the way in


@every_system
@settings(deadline=None, max_examples=40)
@given(made=series(), seed=st.integers(0, 1000))
def test_the_order_of_rows_changes_no_bits(name: str, made: list[Contest], seed: int) -> None:
    random = np.random.default_rng(seed)
    system = get_system(name)
    ours, theirs = system.new_beliefs(12), system.new_beliefs(12)
    for contest in made:
        order = random.permutation(len(contest))
        changes, others = system.rate_round(ours, contest), system.rate_round(theirs, reordered(contest, order))
        if changes is not None:
            assert numbers(changes)[order].tobytes() == numbers(others).tobytes()
    assert ours.pack(range(12)) == theirs.pack(range(12))


@every_system
@settings(deadline=None, max_examples=40)
@given(made=series(), seed=st.integers(0, 1000))
def test_rating_one_contest_from_packed_beliefs_gives_the_bits_of_a_replay(
    name: str, made: list[Contest], seed: int
) -> None:
    random = np.random.default_rng(seed)
    system = get_system(name)
    history = replay(system, made, 12)
    stored: dict[int, bytes] = {}
    rows = []
    for contest in made:
        places = random.permutation(len(contest) + 3)[: len(contest)]
        beliefs = system.new_beliefs(len(contest) + 3)
        known = [row for row, player in enumerate(contest.players.tolist()) if player in stored]
        beliefs.unpack(places[known], [stored[int(contest.players[row])] for row in known])
        alone = Contest(places, contest.ranks, contest.weight, contest.perf_ceiling, contest.day)
        changes = system.rate_round(beliefs, alone)
        if changes is not None:
            rows.append(numbers(changes))
            stored.update(zip(contest.players.tolist(), beliefs.pack(places), strict=True))
    appended = np.concatenate(rows) if rows else np.empty((0, len(NUMBERS)))
    assert appended.tobytes() == numbers(history).tobytes()
    assert history.beliefs.pack(list(stored)) == list(stored.values())


@every_system
def test_a_long_series_appended_has_the_bits_of_a_replay(name: str) -> None:
    made = random_series(seed=1, n_contests=120, n_players=40, size=15)
    system = get_system(name)
    history = replay(system, made, 40)
    packed = system.new_beliefs(40).pack(range(40))
    rows = []
    for contest in made:
        beliefs = system.new_beliefs(len(contest))
        beliefs.unpack(range(len(contest)), [packed[player] for player in contest.players])
        changes = rate(system, beliefs, Contest(range(len(contest)), contest.ranks, day=contest.day))
        rows.append(numbers(changes))
        for player, row in zip(contest.players, beliefs.pack(range(len(contest))), strict=True):
            packed[player] = row
    assert np.concatenate(rows).tobytes() == numbers(history).tobytes()
    assert history.beliefs.pack(range(40)) == packed


@every_system
def test_a_replay_has_one_row_for_each_rated_participation_in_the_order_of_the_input(name: str) -> None:
    made = [Contest([4, 1, 3], [2, 1, 2]), Contest([0, 1], [1, 1]), Contest([1, 0], [7, 3])]
    history = replay(get_system(name), iter(made), 5)
    assert history.contest.tolist() == [0, 0, 0, 2, 2]
    assert history.player.tolist() == [4, 1, 3, 1, 0]
    assert history.rank.tolist() == [2, 1, 2, 2, 1]
    assert history.field.tolist() == [3, 3, 3, 2, 2]
    assert history.mu_before[3] == history.mu[1]
    assert history.sigma_before[3] == history.sigma[1]
    assert history.beliefs.count.tolist() == [1, 2, 0, 1, 1]
    assert history.beliefs.mu[[1, 0]].tolist() == history.mu[3:].tolist()


# What may and may not matter


@every_system
@settings(deadline=None, max_examples=30)
@given(made=series())
def test_only_order_and_equality_of_ranks_count(name: str, made: list[Contest]) -> None:
    system = get_system(name)
    sparse = [Contest(c.players, 2.5 * c.ranks**3 - 7, c.weight, c.perf_ceiling, c.day) for c in made]
    assert numbers(replay(system, sparse, 12)).tobytes() == numbers(replay(system, made, 12)).tobytes()


@every_system
@settings(deadline=None, max_examples=30)
@given(made=series(plain=True), shift=st.sampled_from([-1500.0, 0.25, 3000.0]))
def test_a_shift_of_all_ratings_shifts_all_results(name: str, made: list[Contest], shift: float) -> None:
    base, moved = get_system(name), get_system(name, mu_noob=1500.0 + shift)
    ours, theirs = replay(base, made, 12), replay(moved, made, 12)
    for column in ("mu_before", "mu", "performance"):
        np.testing.assert_allclose(getattr(theirs, column), getattr(ours, column) + shift, rtol=0, atol=1e-7)
    np.testing.assert_allclose(theirs.sigma, ours.sigma, rtol=1e-12)


@every_system
@settings(deadline=None, max_examples=30)
@given(made=series(plain=True), factor=st.sampled_from([0.01, 3.0, 250.0]))
def test_scaling_all_parameters_in_rating_points_scales_all_results(
    name: str, made: list[Contest], factor: float
) -> None:
    power = {"rating points": 1, "rating points squared per day": 2}
    base = get_system(name, drift_per_day=20.0)
    scaled = {
        parameter.name: base.parameters()[parameter.name] * factor ** power[parameter.unit]
        for parameter in base.PARAMETERS
        if parameter.unit in power
    }
    ours, theirs = replay(base, made, 12), replay(get_system(name, **scaled), made, 12)
    for column in ("mu", "sigma", "performance"):
        np.testing.assert_allclose(getattr(theirs, column), factor * getattr(ours, column), rtol=1e-9, atol=1e-9)


@every_system
@settings(deadline=None, max_examples=30)
@given(contest=contests(10, plain=True))
def test_newcomers_who_tie_get_the_same_and_a_better_place_gets_more(name: str, contest: Contest) -> None:
    system = get_system(name)
    changes = system.rate_round(system.new_beliefs(10), contest)
    if changes is None:
        return
    by_group: dict[int, set[float]] = {}
    for group, mu in zip(contest.group.tolist(), changes.mu.tolist(), strict=True):
        by_group.setdefault(group, set()).add(mu)
    assert all(len(values) == 1 for values in by_group.values())
    in_order = [by_group[group].pop() for group in sorted(by_group)]
    assert in_order == sorted(in_order, reverse=True)
    assert len(set(in_order)) == len(in_order)


@every_system
@settings(deadline=None, max_examples=20)
@given(made=series())
def test_contests_stay_as_they_were(name: str, made: list[Contest]) -> None:
    before = [(c.players.tobytes(), c.ranks.tobytes(), c.group.tobytes(), c.weight, c.day) for c in made]
    replay(get_system(name), made, 12)
    assert before == [(c.players.tobytes(), c.ranks.tobytes(), c.group.tobytes(), c.weight, c.day) for c in made]


@every_system
@pytest.mark.parametrize(
    "contest", [Contest([0, 1, 2], [3, 3, 3], day=9.0), Contest([1], [1], day=9.0), Contest([], [])]
)
def test_a_contest_that_says_nothing_changes_nothing(name: str, contest: Contest) -> None:
    system, beliefs = rated_by(name, random_series(seed=2, n_contests=3, n_players=3, size=2), 3)
    before = beliefs.pack(range(3))
    assert system.rate_round(beliefs, contest) is None
    assert beliefs.pack(range(3)) == before
    assert len(replay(system, [contest], 3)) == 0


@every_system
def test_bystanders_are_left_alone(name: str) -> None:
    system, beliefs = rated_by(name, random_series(seed=3, n_contests=9, n_players=6, size=4), 6)
    before = beliefs.pack(range(6))
    rate(system, beliefs, Contest([5, 2], [1, 2], day=20.0))
    after = beliefs.pack(range(6))
    assert [player for player in range(6) if before[player] != after[player]] == [2, 5]


# Extremes


def assert_finite(changes: RoundChanges, beliefs: Beliefs) -> None:
    assert np.isfinite(numbers(changes)).all()
    assert (changes.sigma > 0).all()
    assert np.isfinite(beliefs.mu).all()


@every_system
@pytest.mark.parametrize("tied", [True, False], ids=["all others tied", "all places differ"])
def test_one_before_a_hundred_thousand_saturates(name: str, tied: bool) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(100_001)
    contest = Contest(range(100_001), [0] + [1] * 100_000 if tied else range(100_001))
    for _ in range(2):
        changes = rate(system, beliefs, contest)
        assert_finite(changes, beliefs)
    assert changes.mu[0] == changes.mu.max() > changes.mu_before[0] > 1500 > changes.mu[-1]


@every_system
@pytest.mark.parametrize("upset", [True, False], ids=["the weak win", "the strong win"])
@pytest.mark.parametrize("gap", [1e4, 1e6])
@pytest.mark.parametrize("size", [2, 300])
def test_a_gap_of_many_deviations_saturates(name: str, upset: bool, gap: float, size: int) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(size)
    rate(system, beliefs, Contest(range(size), range(size)))
    beliefs.mu[: size // 2] += gap
    if beliefs.memory is not None:
        beliefs.memory.centre[: size // 2] += gap
    order = range(size, 0, -1) if upset else range(size)
    for day in range(3):
        changes = rate(system, beliefs, Contest(range(size), order, day=float(day)))
        assert_finite(changes, beliefs)
        assert changes.mu.max() <= 1500 + 2 * gap


@every_system
@pytest.mark.parametrize("weight", [1e-300, 1e-9, 1e9, 1e300])
def test_weights_tiny_and_huge_saturate(name: str, weight: float) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(40)
    for contest in random_series(seed=4, n_contests=4, n_players=40, size=30):
        weighed = Contest(contest.players, contest.ranks, weight=weight, day=contest.day)
        assert_finite(rate(system, beliefs, weighed), beliefs)


@every_parameter
@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_parameters_at_the_ends_of_their_range_give_finite_numbers(name: str, parameter: Parameter, end: str) -> None:
    limit = getattr(parameter, end)
    if parameter.kind == "flag" or math.isinf(limit):
        value: Any = end == "maximum" if parameter.kind == "flag" else parameter.default
    else:
        included = parameter.inclusive[end == "maximum"]
        nearest = limit if included else math.nextafter(limit, 1.0)
        value = (nearest,) * 2 if parameter.kind == "numbers" else nearest
    system = get_system(name, **{parameter.name: value})
    beliefs = system.new_beliefs(40)
    for contest in random_series(seed=7, n_contests=40, n_players=40, size=6):
        assert_finite(rate(system, beliefs, contest), beliefs)


# Parameters and refusals


@every_parameter
def test_a_parameter_is_described_and_refused_out_of_range(name: str, parameter: Parameter) -> None:
    assert parameter.description.endswith(".")
    assert get_system(name).parameters()[parameter.name] == (
        list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
    )
    wrong: list[Any] = [None, "much", [True]]
    if parameter.kind == "number":
        wrong += [math.nan, math.inf, True, [1.0]]
        wrong += [limit for limit in (math.nextafter(parameter.minimum, -math.inf),) if math.isfinite(limit)]
        wrong += [limit for limit in (math.nextafter(parameter.maximum, math.inf),) if math.isfinite(limit)]
    if parameter.kind == "numbers":
        wrong += [1.0, [0.5, math.nan], [parameter.maximum * 2]]
    for value in wrong:
        with pytest.raises(ValueError, match="is not allowed: it must be") as refusal:
            get_system(name, **{parameter.name: value})
        assert f"{name}: {parameter.name} = {value!r}" in str(refusal.value)
        assert parameter.allowed in str(refusal.value)


@every_system
def test_parameters_survive_json(name: str) -> None:
    system = get_system(name)
    assert get_system(name, **json.loads(json.dumps(system.parameters()))) == system
    assert set(system.parameters()) == {parameter.name for parameter in system.PARAMETERS}


def test_an_unknown_system_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no rating system 'elo-mmq'; known are: elo-mmr,"):
        get_system("elo-mmq")


@every_system
def test_an_unknown_parameter_is_refused_with_the_known_ones(name: str) -> None:
    known = SYSTEMS[name].PARAMETERS[0].name
    with pytest.raises(ValueError, match=rf"{name} has no parameter 'beta'; known are: {known}"):
        get_system(name, beta=1.0)


@every_system
def test_teams_are_refused_by_systems_that_rate_individuals(name: str) -> None:
    system = get_system(name)
    contest = Contest([0, 1, 2, 3], [1, 1, 2, 2], teams=["red", "red", "blue", "blue"])
    if system.rates_teams:
        assert system.rate_round(system.new_beliefs(4), contest) is not None
    else:
        with pytest.raises(ValueError, match=f"{name} rates individuals"):
            system.rate_round(system.new_beliefs(4), contest)


@every_system
def test_a_player_outside_the_pool_is_refused_with_the_place_of_the_contest(name: str) -> None:
    with pytest.raises(ValueError, match="contest 1: player 7 does not exist in a pool of 5 players"):
        replay(get_system(name), [Contest([0, 1], [1, 2]), Contest([0, 7], [1, 2])], 5)


@every_system
def test_a_contest_before_a_players_last_one_is_refused(name: str) -> None:
    system = get_system(name)
    beliefs = system.new_beliefs(3)
    rate(system, beliefs, Contest([0, 1], [1, 2], day=5.0))
    before = beliefs.pack(range(3))
    with pytest.raises(ValueError, match="rate contests in order of time"):
        system.rate_round(beliefs, Contest([1, 2], [1, 2], day=4.5))
    assert beliefs.pack(range(3)) == before


@every_system
@pytest.mark.parametrize(
    "harm", [lambda b: b[:-1], lambda b: b[:-8], lambda b: b + bytes(8), lambda b: b"", lambda b: b"\xff" * len(b)]
)
def test_packed_beliefs_of_a_wrong_shape_are_refused(name: str, harm: Any) -> None:
    _, beliefs = rated_by(name, random_series(seed=8, n_contests=5, n_players=4, size=3), 4)
    packed = beliefs.pack(range(4))
    with pytest.raises(ValueError, match="packed belief"):
        beliefs.unpack(range(4), [*packed[:3], harm(packed[3])])
    assert beliefs.pack(range(4)) == packed
    with pytest.raises(ValueError, match="3 packed beliefs for 4 players"):
        beliefs.unpack(range(4), packed[:3])


def test_the_engine_has_a_version() -> None:
    assert ENGINE_VERSION
