"""Pairings of a round, compared with all possible ones."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Beliefs, best_opponents, get_system, match_qualities, pair_players
from tests.ratings.systems.strategies import steady

ELO = get_system("elo")


def pool(*means: float) -> Beliefs:
    beliefs = ELO.new_beliefs(len(means))
    beliefs.mu[:] = means
    return beliefs


def all_pairings(players: list[int]) -> Iterator[tuple[list[tuple[int, int]], int | None]]:
    """Yield every way to pair all players, with the player who has the bye if their number is odd."""
    if len(players) % 2:
        for bye in players:
            for pairs, _ in all_pairings([player for player in players if player != bye]):
                yield pairs, bye
    elif not players:
        yield [], None
    else:
        first, *others = players
        for second in others:
            for pairs, _ in all_pairings([player for player in others if player != second]):
                yield [(first, second), *pairs], None


@steady(60)
@given(
    means=st.lists(st.integers(1000, 2000), min_size=2, max_size=8),
    played=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14),
    had_byes=st.lists(st.integers(0, 2), min_size=8, max_size=8),
)
def test_no_pairing_is_better(means: list[int], played: list[tuple[int, int]], had_byes: list[int]) -> None:
    beliefs, n = pool(*means), len(means)
    met = [(a, b) for a, b in played if a != b and max(a, b) < n]
    # The bye goes to the weakest of the players with the fewest byes; if several are equally weak, to any of them.
    order = sorted(range(n), key=lambda p: (-means[p], had_byes[p]))
    quality = np.round(match_qualities(ELO, beliefs, range(n)) * 1e9)

    def worth(pairs: list[tuple[int, int]], bye: int | None) -> tuple[float, ...]:
        rematches = sum(met.count((a, b)) + met.count((b, a)) for a, b in pairs)
        byes, place = (0, 0) if bye is None else (had_byes[bye], -means[bye])
        return -rematches, -byes, place, sum(quality[a, b] for a, b in pairs)

    result = pair_players(ELO, beliefs, range(n), met=met, byes=dict(enumerate(had_byes)))
    best = max(worth(pairs, bye) for pairs, bye in all_pairings(order))
    assert worth(result.pairs, result.bye) == best
    assert sorted([player for pair in result.pairs for player in pair] + [result.bye] * (n % 2)) == list(range(n))
    assert result.waiting == []


@steady(30)
@given(means=st.lists(st.integers(1000, 2000), min_size=2, max_size=12, unique=True), data=st.data())
def test_the_order_of_players_changes_nothing(means: list[int], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(means))

    def pairs(listed: list[int]) -> list[tuple[int, int]]:
        return [(listed[a], listed[b]) for a, b in pair_players(ELO, pool(*listed), range(len(listed))).pairs]

    assert pairs(means) == pairs(shuffled)


def test_everyone_meets_everyone_before_anyone_meets_again() -> None:
    beliefs, met = pool(1500, 1480, 1700, 1710, 1300, 1305), []
    for _ in range(5):
        met += pair_players(ELO, beliefs, range(6), met=met).pairs
    assert len({frozenset(pair) for pair in met}) == 15
    assert len(pair_players(ELO, beliefs, range(6), met=met).rematches) == 3


def test_byes_go_round_from_the_weakest() -> None:
    beliefs, byes, met, had = pool(1900, 1800, 1700, 1600, 1500), {}, [], []
    for _ in range(5):
        result = pair_players(ELO, beliefs, range(5), byes=byes, met=met)
        assert result.bye is not None
        had.append(result.bye)
        byes[result.bye] = byes.get(result.bye, 0) + 1
        met += result.pairs
    assert sorted(had) == [0, 1, 2, 3, 4]
    assert had[0] == 4


def test_a_gap_widens_with_waiting() -> None:
    beliefs = pool(2000, 1500, 1490)
    alone = pair_players(ELO, beliefs, range(3), max_gap=100)
    assert (alone.pairs, alone.waiting, alone.bye) == ([(1, 2)], [0], None)
    # After four rounds of 100 more each, 1500 is within reach; a player who has waited is paired first.
    waited = pair_players(ELO, beliefs, range(3), max_gap=100, waited={0: 4}, widening=100)
    assert (waited.pairs, waited.waiting) == ([(0, 1)], [2])
    assert pair_players(ELO, beliefs, range(3), max_gap=100, waited={0: 3}, widening=100).waiting == [0]


def test_a_gap_can_limit_numbers_other_than_the_means() -> None:
    beliefs = pool(2000, 1500, 1490)
    shown = [10, 12, 30]
    alone = pair_players(ELO, beliefs, range(3), max_gap=2, ratings=shown)
    assert (alone.pairs, alone.waiting) == ([(0, 1)], [2])
    assert pair_players(ELO, beliefs, range(3), max_gap=1, ratings=shown).waiting == [0, 1, 2]
    for wrong in ([1, 2], [1, 2, np.nan], [[1, 2, 3]]):
        with pytest.raises(ValueError, match="ratings must be 3 finite numbers"):
            pair_players(ELO, beliefs, range(3), max_gap=2, ratings=wrong)


def test_large_fields_are_paired_in_a_moment() -> None:
    means = np.random.default_rng(5).normal(1500, 300, 501)
    result = pair_players(ELO, pool(*means), range(501))
    order = np.argsort(-means)
    assert result.bye == order[-1]
    # Without earlier matches, it is best to pair neighbours in the order of strength.
    assert {frozenset(pair) for pair in result.pairs} == {
        frozenset(order[i : i + 2].tolist()) for i in range(0, 500, 2)
    }


def test_best_opponents() -> None:
    beliefs = pool(1500, 1700, 1480, 1530, 1500)
    found = best_opponents(ELO, beliefs, 0, range(5), count=3)
    assert [player for player, _ in found] == [4, 2, 3]
    assert found[0][1] == pytest.approx(1.0)
    assert best_opponents(ELO, beliefs, 0, [0]) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"players": [0]}, "two"),
        ({"players": [0, 0]}, "0"),
        ({"players": [0, 9]}, "9"),
        ({"max_gap": -1.0}, "max_gap = -1.0 is not allowed"),
        ({"widening": float("nan")}, "widening = nan is not allowed"),
    ],
)
def test_invalid_pairings_are_refused(wrong: dict[str, object], message: str) -> None:
    players = wrong.pop("players", [0, 1])
    with pytest.raises(ValueError, match=message):
        pair_players(ELO, pool(1500, 1600, 1700), players, **wrong)  # type: ignore[arg-type]


def test_too_many_players() -> None:
    with pytest.raises(ValueError, match="at most 1000"):
        pair_players(ELO, pool(*range(1001)), range(1001))
