"""Losing on purpose to become volatile pays in TopCoder and Glicko-2, never in Elo-MMR (Elo-MMR paper, section 5.1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system
from tests.ratings.systems.strategies import steady

# The player's opponents, best first; before each contest their beliefs are reset.
OPPONENTS = np.linspace(2100.0, 1300.0, 20)
LAST = len(OPPONENTS)


def rating_after(name: str, places: list[int], **parameters: float) -> float:
    """The rating of a newcomer who let this many opponents pass in one contest after the other."""
    system = get_system(name, **parameters)
    beliefs = system.new_beliefs(1 + len(OPPONENTS))
    others = range(1, 1 + len(OPPONENTS))
    beliefs.mu[1:], beliefs.sigma[1:], beliefs.count[1:] = OPPONENTS, 100.0, 30
    if beliefs.memory is not None:
        beliefs.memory.centre[1:], beliefs.memory.weight[1:] = OPPONENTS, 1e-4
    known = beliefs.pack(others)
    for place in places:
        beliefs.unpack(others, known)
        ranks = [place + 0.5, *range(1, 1 + len(OPPONENTS))]
        assert system.rate_round(beliefs, Contest(range(1 + len(OPPONENTS)), ranks)) is not None
    return float(beliefs.mu[0])


# Glickman recommends 0.3 to 1.2 for tau.
CASES = [("topcoder", {}, 5, 1, 8), ("topcoder", {}, 10, 1, 8), ("glicko2", {"tau": 1.2}, 1, 3, 3)]


def honest_and_farmed(won: int, lost: int, won_again: int) -> tuple[list[int], list[int]]:
    """The places of a player who wins all contests, and of one who comes last on purpose in some of them."""
    return [0] * (won + lost + won_again), [0] * won + [LAST] * lost + [0] * won_again


@pytest.mark.parametrize(("name", "parameters", "won", "lost", "won_again"), CASES)
def test_losing_on_purpose_first_makes_a_higher_rating_in_the_end(
    name: str, parameters: dict[str, float], won: int, lost: int, won_again: int
) -> None:
    honest, farmed = honest_and_farmed(won, lost, won_again)
    assert rating_after(name, farmed, **parameters) > rating_after(name, honest, **parameters) + 10.0


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity"])
@pytest.mark.parametrize(("won", "lost", "won_again"), [case[2:] for case in CASES])
def test_losing_on_purpose_never_pays_in_elo_mmr(name: str, won: int, lost: int, won_again: int) -> None:
    honest, farmed = honest_and_farmed(won, lost, won_again)
    assert rating_after(name, farmed) < rating_after(name, honest) - 10.0


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity"])
@steady(40)
@given(best=st.lists(st.integers(0, LAST), min_size=1, max_size=12), data=st.data())
def test_playing_below_strength_gains_nothing_in_elo_mmr(name: str, best: list[int], data: st.DataObject) -> None:
    worse = [data.draw(st.integers(place, LAST)) for place in best]
    assert rating_after(name, worse) <= rating_after(name, best) + 1e-7
