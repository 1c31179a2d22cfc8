"""Beliefs without a history, as after a roll-back: forecasts stay close to those with it."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.systems import get_system
from ratings.systems.contest import Contest

FIELD = 8


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmr-infinity", "elo-mmx", "trueskill", "glicko2", "elo"])
def test_changes_of_an_experienced_player_are_about_the_same_without_the_history(name: str) -> None:
    system = get_system(name)
    beliefs, random = system.new_beliefs(FIELD), np.random.default_rng(4)
    strengths = np.linspace(1.5, -1.5, FIELD)
    for day in range(60):
        order = np.argsort(-(strengths + random.normal(size=FIELD)))
        system.rate_round(beliefs, Contest(order, np.arange(1, FIELD + 1), day=float(day)))
    assumed = system.new_beliefs(FIELD)
    assumed.assume(np.arange(FIELD), beliefs.mu, beliefs.sigma, beliefs.count, beliefs.last_day)
    changes = []
    for known in (beliefs, assumed):
        for place in (1, FIELD):
            after, field = known.copy(), np.roll(np.arange(FIELD), place - 1)
            system.rate_round(after, Contest(field, np.arange(1, FIELD + 1), day=60.0))
            changes.append(after.mu[0] - beliefs.mu[0])
    win, loss, assumed_win, assumed_loss = changes
    assert win > 0 > loss
    assert assumed_win == pytest.approx(win, rel=0.4)
    assert assumed_loss == pytest.approx(loss, rel=0.4)
