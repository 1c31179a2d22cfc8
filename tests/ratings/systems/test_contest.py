"""Valid contests, and errors for invalid ones."""

import math
from typing import Any

import numpy as np
import pytest

from ratings.systems import Contest


def test_ties_share_the_best_place_and_the_next_place_is_left_out() -> None:
    contest = Contest([3, 1, 0, 2], [20, 10, 20, 35])
    assert contest.competition_ranks.tolist() == [2, 1, 2, 4]
    assert contest.group.tolist() == [1, 0, 1, 2]
    assert contest.group_sizes.tolist() == [1, 2, 1]
    assert len(contest) == 4


@pytest.mark.parametrize(
    ("ranks", "has_opponents"), [([], False), ([1], False), ([2, 2, 2], True), ([2, 2, 1], True), ([-1.5, 0], True)]
)
def test_a_contest_has_opponents_when_it_has_two_entries_tied_or_not(ranks: list[float], has_opponents: bool) -> None:
    assert Contest(range(len(ranks)), ranks).has_opponents is has_opponents


def test_a_contest_is_immutable_and_independent_of_its_input() -> None:
    players, ranks = np.array([0, 1]), np.array([1.0, 2.0])
    contest = Contest(players, ranks)
    players[0], ranks[0] = 5, 9
    assert contest.players.tolist() == [0, 1]
    assert contest.ranks.tolist() == [1, 2]
    for array in (contest.players, contest.ranks, contest.group, contest.group_sizes, contest.competition_ranks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        contest.weight = 2.0  # type: ignore[misc]


@pytest.mark.parametrize("ranks", [[1, 2], [5.5, -2.0], [3, 3], [2**60, 2**60 + 1]])
def test_a_game_of_two_has_the_ranking_of_two_teams_of_one(ranks: list[float]) -> None:
    game, teams = Contest([7, 4], ranks), Contest([7, 4], ranks, teams=["a", "b"])
    for name in Contest.__slots__:
        ours, theirs = getattr(game, name), getattr(teams, name)
        assert name == "teams" or np.array_equal(ours, theirs), name
        assert not isinstance(ours, np.ndarray) or (ours.dtype == theirs.dtype and not ours.flags.writeable), name
    assert game.is_duel
    assert not Contest([7, 4], ranks, play=[1.0, 0.5]).is_duel
    assert not Contest([7, 4, 1], [1, 2, 2], teams=["a", "b", "b"]).is_duel


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": [0, 2, 0]}, "player 0 appears more than once"),
        ({"players": [0, -2, 1]}, "player -2 is negative"),
        ({"players": [0, 1.5, 2]}, "players must be a one-dimensional array of integers"),
        ({"players": [[0, 1, 2]]}, "players must be a one-dimensional array of integers"),
        ({"ranks": [1, 2]}, "give one rank for each player"),
        ({"players": [0, 1, 2**64 - 1]}, "players must be a one-dimensional array of integers"),
        ({"players": np.array([0, 1, 2**64 - 1], np.uint64)}, "player 18446744073709551615 is too large"),
        ({"players": [0, [1, 2], 3]}, "players must be a one-dimensional array of integers"),
        ({"players": np.array([0, 1, 2], object)}, "players must be a one-dimensional array of integers"),
        ({"ranks": [1, 2, math.nan]}, "row 2 has the rank nan: ranks must be finite numbers"),
        ({"ranks": [1, -math.inf, 2]}, "row 1 has the rank -inf: ranks must be finite numbers"),
        ({"ranks": ["1", "2", "3"]}, "ranks must be numbers"),
        ({"ranks": [True, False, True]}, "ranks must be numbers"),
        ({"ranks": [1, [2, 3], 4]}, "ranks must be numbers"),
        ({"ranks": (rank for rank in range(3))}, "ranks must be numbers"),
        ({"ranks": [[1], [2], [3]]}, r"ranks have shape \(3, 1\) for 3 players"),
        ({"weight": "1"}, "weight of a contest must be a positive number, not '1'"),
        ({"weight": None}, "weight of a contest must be a positive number, not None"),
        ({"weight": True}, "weight of a contest must be a positive number, not True"),
        ({"weight": 10**400}, "weight of a contest must be a positive number, not 1000"),
        ({"weight": np.ones(3)}, "weight of a contest must be a positive number, not array"),
        ({"perf_ceiling": None}, "performance ceiling must be a number or infinity, not None"),
        ({"perf_ceiling": "1700"}, "performance ceiling must be a number or infinity, not '1700'"),
        ({"day": "yesterday"}, "day of a contest must be a number, not 'yesterday'"),
        ({"day": math.nan}, "day of a contest must be a number, not nan"),
        ({"weight": 0.0}, "weight of a contest must be a positive number, not 0.0"),
        ({"weight": math.inf}, "weight of a contest must be a positive number, not inf"),
        ({"weight": math.nan}, "weight of a contest must be a positive number, not nan"),
        ({"perf_ceiling": math.nan}, "performance ceiling must be a number or infinity, not nan"),
        ({"perf_ceiling": -math.inf}, "performance ceiling must be a number or infinity, not -inf"),
        ({"day": math.inf}, "day of a contest must be a number, not inf"),
        ({"teams": ["red", "blue"]}, "2 team labels for 3 players"),
        ({"teams": 3}, "teams must be a sequence of labels, not 3"),
        ({"teams": {"red", "blue", "green"}}, "teams must be a sequence of labels, not {"),
        ({"teams": (team for team in "abc")}, "teams must be a sequence of labels, not <generator"),
        ({"teams": np.array([["a"], ["b"], ["c"]])}, "row 0 has the team label .* a label must be hashable"),
        ({"teams": ["a", ("b", []), "c"]}, "row 1 has the team label .* a label must be hashable"),
        ({"teams": ["a", "b", ["c"]]}, r"row 2 has the team label \['c'\]: a label must be hashable"),
        (
            {"teams": ["a", math.nan, "c"]},
            "row 1 has the team label nan: a label must equal itself and must not be None",
        ),
        ({"teams": np.array([1.0, 2.0, math.nan])}, "row 2 has the team label nan"),
        ({"teams": ["a", "b", None]}, "row 2 has the team label None"),
        ({"play": [1.0, 1.0]}, r"play has shape \(2,\) for 3 players"),
        ({"play": ["1", "1", "1"]}, "shares of play must be numbers"),
        ({"play": [1.0, [0.5], 1.0]}, "shares of play must be numbers"),
        ({"play": [1.0, 0.5, 1.25]}, "row 2 has a share of play of 1.25: it must be from 0 to 1"),
        ({"play": [1.0, math.nan, 1.0]}, "row 1 has a share of play of nan"),
    ],
)
def test_invalid_contests_are_refused_with_the_reason(arguments: dict[str, Any], message: str) -> None:
    Contest([0, 1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=message):
        Contest(**({"players": [0, 1, 2], "ranks": [1, 2, 3]} | arguments))


@pytest.mark.parametrize(
    "ranks",
    [
        [2**53 + 1, 2**53, 2**53 + 1],
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], np.uint64),
        [-(2**62), -(2**62) - 1, -(2**62)],
    ],
)
def test_whole_ranks_that_no_float_can_hold_keep_their_order(ranks: Any) -> None:
    contest = Contest([0, 1, 2], ranks)
    assert contest.competition_ranks.tolist() == [2, 1, 2]
    assert Contest([0, 1, 2], contest.ranks).group.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("players", "ranks"),
    [
        (range(3), range(3)),
        (np.arange(6, dtype=np.int8)[::2] // 2, np.arange(3, dtype=np.float16)),
        (np.arange(2, -1, -1)[::-1], np.array([0, 1, 2], dtype=">i4")),
    ],
)
def test_contests_accept_any_arrays_of_numbers_and_do_not_change_them(players: Any, ranks: Any) -> None:
    for array in (players, ranks):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    contest = Contest(players, ranks)
    assert (contest.players.tolist(), contest.ranks.tolist()) == ([0, 1, 2], [0.0, 1.0, 2.0])


# Teams


def test_places_count_teams_and_members_share_their_entry() -> None:
    contest = Contest([7, 3, 5, 1, 0], [4, 2, 4, 9, 2], teams=["b", "a", "b", "c", "a"])
    assert contest.n_entries == 3
    assert contest.competition_ranks.tolist() == [2, 1, 2, 3, 1]
    assert contest.group_sizes.tolist() == [2, 2, 1]
    assert contest.entry[0] == contest.entry[2] != contest.entry[1] == contest.entry[4]


def test_tied_teams_share_the_best_place() -> None:
    contest = Contest(range(7), [1, 1, 1, 1, 2, 2, 3], teams=np.array([4, 4, 2, 2, 9, 9, 5]))
    assert contest.competition_ranks.tolist() == [1, 1, 1, 1, 3, 3, 4]
    assert contest.teams == (4, 4, 2, 2, 9, 9, 5)


def test_members_of_one_team_with_different_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="row 2 gives team 'a' the rank 2, an earlier row 1: the members of a team"):
        Contest([0, 1, 2], [1, 2, 2], teams=["a", "b", "a"])


def test_teams_that_share_a_player_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"player 4 appears more than once in one contest \(rows 1 and 3, teams 'a' and"
    ):
        Contest([0, 4, 2, 4], [1, 1, 2, 2], teams=["a", "a", "b", "b"])


def test_one_team_alone_has_no_opponents() -> None:
    assert not Contest([0, 1], [1, 1], teams=["a", "a"]).has_opponents
    assert Contest([0, 1, 2], [1, 1, 1], teams=["a", "a", "b"]).has_opponents
    assert Contest([0, 1, 2], [1, 1, 2], teams=["a", "a", "b"]).has_opponents
