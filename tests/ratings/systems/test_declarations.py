"""The traits that systems declare match their behaviour, because pages rely on them."""

import numpy as np

from ratings.systems import SYSTEMS, Contest, get_system, replay
from tests.ratings.systems.contract import every_system

CONTESTS = [Contest([0, 1, 2, 3], ranks, day=float(day)) for day, ranks in enumerate([[1, 2, 3, 4], [2, 1, 4, 3]])]


@every_system
def test_a_system_with_performances_computes_all_of_them(name):
    performance = replay(get_system(name), CONTESTS, 4).performance
    assert np.all(performance != 0.0) == SYSTEMS[name].has_performance
    assert np.any(performance != 0.0) == SYSTEMS[name].has_performance


@every_system
def test_a_deviation_without_meaning_never_changes(name):
    history = replay(get_system(name), CONTESTS, 4)
    assert bool(np.all(history.sigma == history.sigma[0])) == (SYSTEMS[name].sigma_means == "nothing")
