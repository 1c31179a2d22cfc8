"""Hypothesis strategies for contests."""

import math
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ratings.systems import Contest


def steady(max_examples: int) -> settings:
    """Settings of tests that must not fail because the machine is busy."""
    return settings(deadline=None, max_examples=max_examples, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def contests(
    draw: st.DrawFn, n_players: int, *, least: int = 2, plain: bool = False, distinct: bool = False
) -> Contest:
    """One contest among some of the players, ties likely; ``plain`` without weight, ceiling and day."""
    players = draw(st.lists(st.integers(0, n_players - 1), min_size=least, max_size=n_players, unique=True))
    if distinct:
        ranks = draw(st.permutations(range(1, len(players) + 1)))
    else:
        highest = draw(st.integers(1, len(players)))
        ranks = draw(st.lists(st.integers(1, highest), min_size=len(players), max_size=len(players)))
    if plain:
        return Contest(players, ranks)
    weight = draw(st.sampled_from([0.05, 0.25, 1.0, 1.0, 1.0, 2.0, 10.0]))
    ceiling = draw(st.sampled_from([math.inf, math.inf, math.inf, 1700.0, 1200.0]))
    return Contest(players, ranks, weight=weight, perf_ceiling=ceiling)


@st.composite
def series(
    draw: st.DrawFn, n_players: int = 12, least: int = 1, most: int = 8, *, plain: bool = False, distinct: bool = False
) -> list[Contest]:
    """Contests in order of time, some days or fractions of a day apart."""
    made = draw(st.lists(contests(n_players, plain=plain, distinct=distinct), min_size=least, max_size=most))
    day, dated = 0.0, []
    for contest in made:
        day += draw(st.sampled_from([0.0, 0.25, 1.0, 30.0]))
        dated.append(Contest(contest.players, contest.ranks, contest.weight, contest.perf_ceiling, day))
    return dated


def elo_mmr_parameters(*, with_transfer_speed: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    """Return parameters of Elo-MMR in a realistic range."""
    choices: dict[str, st.SearchStrategy[Any]] = {
        "weight_limit": st.sampled_from([0.02, 0.2, 0.23, 1.0]),
        "sig_limit": st.sampled_from([20.0, 54.0, 80.0]),
        "drift_per_day": st.sampled_from([0.0, 0.0, 10.0, 50.0]),
        "noob_delay": st.sampled_from([(), (), (0.6, 0.8)]),
        "split_ties": st.booleans(),
    }
    if with_transfer_speed:
        choices["transfer_speed"] = st.sampled_from([0.0, 0.04, 1.0, 1.0, 3.0])
    return st.fixed_dictionaries({}, optional=choices)


def random_series(seed: int, n_contests: int, n_players: int, size: int) -> list[Contest]:
    """Contests of random players with random performances around fixed skills, a seventh of them in ties."""
    random = np.random.default_rng(seed)
    skills = random.normal(1500.0, 300.0, n_players)
    made = []
    for day in range(n_contests):
        players = random.choice(n_players, size, replace=False)
        scores = skills[players] + random.normal(0.0, 200.0, size)
        made.append(Contest(players, -np.round(scores / 20.0), day=float(day)))
    return made
