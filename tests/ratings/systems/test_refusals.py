"""Parameters, and helpful errors for invalid input to any system."""

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ratings.systems import ENGINE_VERSION, SYSTEMS, Contest, get_system, replay
from ratings.systems.declarations import Parameter
from tests.ratings.systems.contract import every_parameter, every_system, rate, rated_by
from tests.ratings.systems.strategies import random_series


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


@pytest.mark.parametrize(
    "value", [0, np.int64(0), np.float32(0.5), np.float64(0.5), np.longdouble(0.5), Fraction(1, 2)], ids=repr
)
def test_any_real_number_is_a_valid_parameter_and_becomes_a_float(value: Any) -> None:
    drift = get_system("elo-mmr", drift_per_day=value).parameters()["drift_per_day"]
    assert type(drift) is float
    assert drift == float(value)


def test_parameters_of_numpy_become_plain_ones() -> None:
    system = get_system("elo-mmr", split_ties=np.bool_(True), noob_delay=np.array([0.5, 1.0]))
    assert json.dumps([system.parameters()[name] for name in ("split_ties", "noob_delay")]) == "[true, [0.5, 1.0]]"
    assert type(get_system("elo", curve=np.str_("gaussian")).parameters()["curve"]) is str


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("weight_limit", 10**400),
        ("weight_limit", np.bool_(True)),
        ("weight_limit", np.float32("nan")),
        ("weight_limit", np.array([0.2])),
        ("weight_limit", Decimal("0.2")),
        ("weight_limit", 0.2 + 0j),
        ("noob_delay", b"12"),
        ("noob_delay", np.array([[0.5]])),
        ("noob_delay", np.array([0.5, np.nan])),
        ("noob_delay", np.array([True])),
        ("noob_delay", {1: 2}),
        ("split_ties", 1),
    ],
    ids=repr,
)
def test_only_real_numbers_are_valid_numeric_parameters(parameter: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"elo-mmr: {parameter} = .* is not allowed: it must be"):
        get_system("elo-mmr", **{parameter: value})


@every_system
def test_parameters_survive_json(name: str) -> None:
    system = get_system(name)
    assert get_system(name, **json.loads(json.dumps(system.parameters()))) == system
    assert set(system.parameters()) == {parameter.name for parameter in system.PARAMETERS}


@pytest.mark.parametrize("unknown", ["elo-mmq", None, ["elo-mmr"]])
def test_an_unknown_system_is_refused_with_the_known_ones(unknown: Any) -> None:
    with pytest.raises(ValueError, match=f"no rating system {re.escape(repr(unknown))}; choose from: elo-mmr,"):
        get_system(unknown)


@every_system
def test_an_unknown_parameter_is_refused_with_the_known_ones(name: str) -> None:
    known = SYSTEMS[name].PARAMETERS[0].name if SYSTEMS[name].PARAMETERS else "none"
    with pytest.raises(ValueError, match=rf"{name} has no parameter 'colour'; its parameters are: {known}"):
        get_system(name, colour=1.0)


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
def test_systems_without_partial_play_refuse_it(name: str) -> None:
    system = get_system(name)
    assert system.rate_round(system.new_beliefs(2), Contest([0, 1], [1, 2], play=[1, 1])) is not None
    partial = Contest([0, 1], [1, 2], play=[1.0, 0.25])
    if system.rates_partial_play:
        assert system.rate_round(system.new_beliefs(2), partial) is not None
    else:
        with pytest.raises(ValueError, match=f"{name} cannot rate partial play: row 1 played a share of 0.25"):
            system.rate_round(system.new_beliefs(2), partial)


@every_system
def test_a_player_outside_the_pool_is_refused_with_the_place_of_the_contest(name: str) -> None:
    with pytest.raises(ValueError, match="contest 1: player 7 does not exist in a pool of 5 players"):
        replay(get_system(name), [Contest([0, 1], [1, 2]), Contest([0, 7], [1, 2])], 5)


@every_system
def test_a_contest_before_the_last_one_of_a_player_is_refused(name: str) -> None:
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


@every_system
@pytest.mark.parametrize(
    ("players", "message"),
    [
        ([0, 5], "player 5 does not exist in a pool of 4 players"),
        ([-1, 0], "player -1 does not exist in a pool of 4 players"),
        ([0.5, 1.0], "players must be a one-dimensional array of integers"),
        ([[0], [1]], "players must be a one-dimensional array of integers"),
        (0, "players must be a one-dimensional array of integers"),
    ],
)
def test_beliefs_about_players_outside_the_pool_are_neither_packed_nor_unpacked(
    name: str, players: Any, message: str
) -> None:
    beliefs = get_system(name).new_beliefs(4)
    packed = beliefs.pack([0, 1])
    with pytest.raises(ValueError, match=message):
        beliefs.pack(players)
    with pytest.raises(ValueError, match=message):
        beliefs.unpack(players, packed)
    assert beliefs.pack(range(4)) == packed * 2


@every_system
def test_repeated_players_are_not_unpacked(name: str) -> None:
    _, beliefs = rated_by(name, random_series(seed=8, n_contests=5, n_players=4, size=3), 4)
    packed = beliefs.pack(range(4))
    assert beliefs.pack([2, 2]) == [packed[2]] * 2
    with pytest.raises(ValueError, match="player 3 is unpacked more than once"):
        beliefs.unpack([3, 0, 3], packed[:3])
    assert beliefs.pack(range(4)) == packed


@every_system
@pytest.mark.parametrize("n_players", [-1, 2.5, math.nan, None, "2", True], ids=repr)
def test_a_pool_needs_a_whole_number_of_players(name: str, n_players: Any) -> None:
    with pytest.raises(ValueError, match=r"n_players = .* is not allowed: it must be a whole number, at least 0"):
        replay(get_system(name), [], n_players)


def test_the_engine_has_a_version() -> None:
    assert ENGINE_VERSION
