"""Appending and replaying real contests gives identical bits for any numbering and pool."""

import numpy as np
import pytest

from ratings.systems import SYSTEMS, Contest, get_system, replay
from tests.oracle.shared import load_contests, needs_shared
from tests.ratings.systems.contract import held_for

# Parameters that make the time between contests matter, for the systems that have them.
WITH_TIME = {"drift_per_day": 1.5, "decay": 0.1}


@needs_shared
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize(("collection", "limit"), [("formula1", 500), ("codeforces", 25)])
def test_contests_appended_one_by_one_have_the_same_bits_as_a_replay(name: str, collection: str, limit: int) -> None:
    made, _, handles = load_contests(collection, limit)
    known = {parameter.name for parameter in SYSTEMS[name].PARAMETERS}
    system = get_system(name, **{key: value for key, value in WITH_TIME.items() if key in known})
    history = replay(system, made, len(handles))
    newcomer = system.new_beliefs(1).pack([0])[0]
    stored: dict[int, bytes] = {}
    random = np.random.default_rng(1)
    appended = []
    for contest in made:
        order = random.permutation(len(contest))
        shuffled = Contest(
            contest.players[order], contest.ranks[order], contest.weight, contest.perf_ceiling, contest.day
        )
        held = held_for(system, shuffled, stored)
        beliefs = system.new_beliefs(len(held))
        beliefs.unpack(range(len(held)), [stored.get(player, newcomer) for player in held])
        alone = Contest(range(len(contest)), shuffled.ranks, contest.weight, contest.perf_ceiling, contest.day)
        changes = system.rate_round(beliefs, alone)
        if changes is not None:
            back = np.argsort(order)
            appended.append(np.column_stack([changes.mu, changes.sigma, changes.performance])[back])
            stored.update(zip(held, beliefs.pack(range(len(held))), strict=True))
    assert len(appended) > 0.9 * limit
    expected = np.column_stack([history.mu, history.sigma, history.performance])
    assert np.concatenate(appended).tobytes() == expected.tobytes()
    assert history.beliefs.pack(list(stored)) == list(stored.values())


@needs_shared
def test_formula_one_drivers_with_long_careers_keep_enough_factors() -> None:
    made, _, handles = load_contests("formula1")
    history = replay(get_system("elo-mmr"), made, len(handles))
    memory = history.beliefs.memory
    assert memory is not None
    assert 300 < history.beliefs.count.max() < 500
    assert memory.factors.length.max() < 90
    # All the weight of a belief is in its factors: the Gaussian's and the logistic ones' add up to 1 / sigma^2.
    for player in range(len(handles)):
        _, amplitude, steepness = memory.factors.rows(player)
        logistic = memory.decay[player] * np.sum(amplitude * steepness) * 3.0 / np.pi**2
        total = memory.weight[player] + logistic
        assert total == pytest.approx(history.beliefs.sigma[player] ** -2, rel=1e-9)
