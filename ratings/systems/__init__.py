"""Rating systems: pure functions from contests to beliefs about skills, with NumPy and SciPy and without Django.

system = get_system("elo-mmr", weight_limit=0.2)
contest = Contest(players=[0, 1, 2], ranks=[1, 2, 2])
history = replay(system, [contest], n_players=3)

Each system is one module of ``ratings/systems/algorithms``; importing this package registers all of them.
Pairings need rustworkx, and long replays of two-player games Numba.
"""

from ratings.systems.algorithms import register_all
from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, RoundChanges
from ratings.systems.declarations import Parameter
from ratings.systems.evaluate.metrics import Scores, backtest
from ratings.systems.forecast.by_place import PredictedChanges, place_needed, predicted_changes
from ratings.systems.forecast.matches import even_handicap, match_qualities, match_quality, team_win_probability
from ratings.systems.forecast.outcomes import Chances, DrawCounts, outcome_probabilities
from ratings.systems.forecast.prediction import expected_places, place_distribution, win_probability
from ratings.systems.matchmaking.pairings import Pairings, best_opponents, pair_players
from ratings.systems.matchmaking.teams import BalancedTeams, balance_teams
from ratings.systems.replay import History, rate_all, replay
from ratings.systems.system import SYSTEMS, RatingSystem, get_system, register_system, unregister_system

__all__ = [
    "DEFAULT_SYSTEM",
    "ENGINE_VERSION",
    "SYSTEMS",
    "BalancedTeams",
    "Beliefs",
    "Chances",
    "Contest",
    "DrawCounts",
    "History",
    "Pairings",
    "Parameter",
    "PredictedChanges",
    "RatingSystem",
    "RoundChanges",
    "Scores",
    "backtest",
    "balance_teams",
    "best_opponents",
    "even_handicap",
    "expected_places",
    "get_system",
    "match_qualities",
    "match_quality",
    "outcome_probabilities",
    "pair_players",
    "place_distribution",
    "place_needed",
    "predicted_changes",
    "rate_all",
    "register_system",
    "replay",
    "team_win_probability",
    "unregister_system",
    "win_probability",
]

# Increase it whenever any number, or the packed form of beliefs, changes in the least.
ENGINE_VERSION = "4"

# The system of a series unless someone chooses another.
DEFAULT_SYSTEM = "elo-mmr"

register_all()
