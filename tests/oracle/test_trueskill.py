"""TrueSkill against the package of that name, on the games that TrueSkill was made for and on made-up ones."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from ratings.systems import Contest, get_system, replay
from tests.oracle.shared import load_contests, needs_shared
from tests.ratings.systems.strategies import steady

# The promised agreement. In games of two sides, both the package and we are exact.
TOLERANCE = 1e-3
EXACT = 1e-4


def sides_of(contest: Contest) -> tuple[list[list[int]], list[float]]:
    """The players of each side, and its rank."""
    sides: list[list[int]] = [[] for _ in range(contest.n_entries)]
    ranks = [0.0] * contest.n_entries
    for entry, player, rank in zip(contest.entry, contest.players.tolist(), contest.ranks.tolist(), strict=True):
        sides[entry].append(player)
        ranks[entry] = rank
    return sides, ranks


def by_the_package(contests: Sequence[Contest]) -> Iterator[list[tuple[float, float]]]:
    """Means and deviations after each contest, in the order of its rows."""
    environment = trueskill.TrueSkill()
    ratings: dict[int, trueskill.Rating] = {}
    for contest in contests:
        sides, ranks = sides_of(contest)
        before = [tuple(ratings.get(player) or environment.create_rating() for player in side) for side in sides]
        for side, after in zip(sides, environment.rate(before, ranks=ranks), strict=True):
            ratings.update(zip(side, after, strict=True))
        yield [(ratings[player].mu, ratings[player].sigma) for player in contest.players.tolist()]


@needs_shared
@pytest.mark.parametrize(("name", "rated", "drawn"), [("halo2-headtohead", 6227, 511), ("halo2-largeteam", 1199, 376)])
def test_every_participation_in_halo_2_gets_the_numbers_of_the_package(name: str, rated: int, drawn: int) -> None:
    contests, _, handles = load_contests(name)
    assert (len(contests), sum(len(contest.group_sizes) == 1 for contest in contests)) == (rated, drawn)
    history = replay(get_system("trueskill"), contests, len(handles))
    expected = np.concatenate([np.array(rows) for rows in by_the_package(contests)])
    np.testing.assert_allclose(np.column_stack([history.mu, history.sigma]), expected, rtol=0, atol=EXACT)


BELIEF = st.tuples(st.floats(5.0, 45.0), st.floats(0.8, 9.0), st.sampled_from([1.0, 1.0, 1.0, 0.5, 0.1]))


@given(
    sides=st.lists(st.lists(BELIEF, min_size=1, max_size=4), min_size=2, max_size=8),
    places=st.lists(st.integers(1, 6), min_size=8, max_size=8),
    draw_probability=st.sampled_from([0.02, 0.1, 0.4]),
)
@steady(80)
def test_made_up_contests_of_teams_with_draws_and_partial_play_get_the_numbers_of_the_package(
    sides: list[list[tuple[float, float, float]]], places: list[int], draw_probability: float
) -> None:
    # The package takes tied teams in the order given; we take them in the order of their means.
    order = sorted(range(len(sides)), key=lambda i: (places[i], -sum(mu * play for mu, _, play in sides[i])))
    rows = [(*sides[i][member], i) for i in order for member in range(len(sides[i]))]
    entry = [row[3] for row in rows]
    contest = Contest(range(len(rows)), [places[i] for i in entry], teams=entry, play=[row[2] for row in rows])
    totals = [round(sum(mu * play for mu, _, play in sides[i]), 6) for i in order]
    if len(set(totals)) < len(totals):  # equal players all get the same numbers from us
        return
    system = get_system("trueskill", draw_probability=draw_probability)
    beliefs = system.new_beliefs(len(rows))
    beliefs.mu[:], beliefs.sigma[:] = [row[0] for row in rows], [row[1] for row in rows]
    changes = system.rate_round(beliefs, contest)
    assert changes is not None
    environment = trueskill.TrueSkill(draw_probability=draw_probability)
    expected = environment.rate(
        [[environment.create_rating(mu, sigma) for mu, sigma, _ in sides[i]] for i in order],
        ranks=[places[i] for i in order],
        weights=[[play for *_, play in sides[i]] for i in order],
        min_delta=1e-9,
    )
    theirs = [(rating.mu, rating.sigma) for side in expected for rating in side]
    np.testing.assert_allclose(np.column_stack([changes.mu, changes.sigma]), theirs, rtol=0, atol=TOLERANCE)
