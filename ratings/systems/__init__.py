"""Rating systems: pure functions from contests to beliefs on skills. NumPy and SciPy; nothing of Django.

system = get_system("elo-mmr", weight_limit=0.2)
contest = Contest(players=[0, 1, 2], ranks=[1, 2, 2])
history = replay(system, [contest], n_players=3)
"""

from typing import Any

from ratings.systems.algorithms.codeforces import Codeforces
from ratings.systems.algorithms.elo import Elo
from ratings.systems.algorithms.elo_mmr import EloMMR, EloMMRInfinity
from ratings.systems.algorithms.elo_mmx import EloMMX
from ratings.systems.algorithms.glicko import Glicko
from ratings.systems.algorithms.glicko2 import Glicko2
from ratings.systems.algorithms.kreimeier import Kreimeier
from ratings.systems.algorithms.ladder import Ladder
from ratings.systems.algorithms.topcoder import TopCoder
from ratings.systems.algorithms.trueskill import TrueSkill
from ratings.systems.algorithms.trueskill_spb import TrueSkillSPb
from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.contest import Contest
from ratings.systems.evaluate.metrics import Scores, backtest
from ratings.systems.forecast.by_place import PredictedChanges, place_needed, predicted_changes
from ratings.systems.forecast.prediction import expected_places, place_distribution, win_probability
from ratings.systems.forecast.team_prediction import match_quality, team_win_probability
from ratings.systems.parameters import Parameter
from ratings.systems.replay import History, replay
from ratings.systems.system import RatingSystem

__all__ = [
    "DEFAULT_SYSTEM",
    "ENGINE_VERSION",
    "SYSTEMS",
    "Beliefs",
    "Contest",
    "History",
    "Parameter",
    "PredictedChanges",
    "RatingSystem",
    "RoundChanges",
    "Scores",
    "backtest",
    "expected_places",
    "get_system",
    "match_quality",
    "place_distribution",
    "place_needed",
    "predicted_changes",
    "replay",
    "team_win_probability",
    "win_probability",
]

# Raised whenever any number changes, however little, or the packed form of beliefs does.
ENGINE_VERSION = "2"

SYSTEMS: dict[str, type[RatingSystem]] = {
    system.name: system
    for system in (
        EloMMR,
        EloMMRInfinity,
        EloMMX,
        Codeforces,
        TopCoder,
        TrueSkill,
        TrueSkillSPb,
        Glicko,
        Glicko2,
        Elo,
        Kreimeier,
        Ladder,
    )
}


# What is chosen where nobody says otherwise.
DEFAULT_SYSTEM = EloMMR.name


def get_system(name: str, **parameters: Any) -> RatingSystem:
    """The rating system of that name with the given parameters, all others at their defaults.

    Raises ValueError naming what is wrong and what is allowed.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        raise ValueError(f"there is no rating system {name!r}; known are: {', '.join(SYSTEMS)}")
    known = [parameter.name for parameter in SYSTEMS[name].PARAMETERS]
    for unknown in parameters:
        if unknown not in known:
            raise ValueError(f"{name} has no parameter {unknown!r}; known are: {', '.join(known) or 'none'}")
    return SYSTEMS[name](**parameters)
