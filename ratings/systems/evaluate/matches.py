"""Measures for matches, from section 4.1 of Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System".

They test the match quality of a system (``match_quality``): whether it finds tight matches. All of them come from the
beliefs just before each match.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.forecast.matches import match_quality
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# The paper's challenge set, and the largest of its games: eight players, each for themselves.
CHALLENGE_SHARE, MOST_SIDES = 0.2, 8


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Matches of two to eight sides, in the order in which they were played, and a system's predictions.

    quality
        Match quality before the match, 0 to 1, shape (n,).
    wrong
        The share of pairs of sides in the wrong order, among those that did not draw; sides of equal strength count
        half. NaN if all drew; shape (n,).
    wrong_of_all
        The share of pairs in the wrong order, where draws and equal strengths are never wrong (as in
        ``pair_inversion``), shape (n,).
    drawn
        The share of pairs that drew, shape (n,).
    player, match, score
        A row for each player of each match: index in the pool, position in ``quality``, and the share of opposing sides
        that the player's side beat, where a draw is half a win; shape (participations,).
    left_out
        Number of contests with more than eight sides.
    """

    quality: Floats
    wrong: Floats
    wrong_of_all: Floats
    drawn: Floats
    player: Indices
    match: Indices
    score: Floats
    left_out: int

    def __len__(self) -> int:
        return len(self.quality)


@dataclass(frozen=True, slots=True)
class WinningRatio:
    """The distance of winning ratios from one half, for players with at least ``matches`` selected matches.

    players
        Their number.
    deviation
        The mean distance from 50 %, in percentage points; None without players.
    """

    matches: int
    players: int
    deviation: float | None


def predicted_matches(system: RatingSystem, contests: Iterable[Contest], n_players: int) -> Matches:
    """Rate contests in the given order, and return the predictions for those of at most eight sides.

    Raises ValueError, naming the contest's position, on a contest that the system cannot rate.
    """
    beliefs, rows, left_out = system.new_beliefs(n_players), [], 0
    for position, contest in enumerate(contests):
        try:
            if contest.has_opponents and contest.n_entries <= MOST_SIDES:
                rows.append(_predicted(system, beliefs, contest))
            else:
                left_out += contest.has_opponents
            system.rate_round(beliefs, contest)
        except ValueError as error:
            raise ValueError(f"contest {position}: {error}") from error
    quality, wrong, wrong_of_all, drawn = np.array([row[0] for row in rows]).reshape(-1, 4).T
    sizes = [len(row[1]) for row in rows]
    player = np.concatenate([row[1] for row in rows]) if rows else np.empty(0, np.int64)
    score = np.concatenate([row[2] for row in rows]) if rows else np.empty(0)
    match = np.repeat(np.arange(len(rows)), sizes)
    return Matches(quality, wrong, wrong_of_all, drawn, player, match, score, left_out)


def _predicted(
    system: RatingSystem, beliefs: Beliefs, contest: Contest
) -> tuple[tuple[float, float, float, float], Indices, Floats]:
    """Return quality, wrong, wrong_of_all and drawn of a match, its players, and their scores."""
    sides = [contest.players[contest.entry == side] for side in range(contest.n_entries)]
    handicap = contest.entry_handicap if system.rates_handicaps else np.zeros(len(sides))
    quality = match_quality(system, beliefs, sides, handicap)
    total = np.array([float(beliefs.mu[side].sum()) for side in sides])
    strength = (total if system.teams_add_up else total / [len(side) for side in sides]) + handicap
    place = np.array([contest.group[contest.entry == side][0] for side in range(len(sides))])
    first, second = np.triu_indices(len(sides), 1)
    result = np.sign(place[second] - place[first])
    agreement = np.sign(strength[first] - strength[second]) * result
    decided = result != 0
    wrong = float(np.mean(0.5 - 0.5 * agreement[decided])) if decided.any() else np.nan
    figures = (quality, wrong, float(np.mean(agreement < 0)), float(np.mean(~decided)))
    score = 0.5 + 0.5 * np.sign(place - place[:, None]).sum(axis=1) / (len(sides) - 1)
    return figures, contest.players, score[contest.entry]


def tightest(quality: Floats, share: float = CHALLENGE_SHARE) -> NDArray[np.bool_]:
    """Return which matches are in the tightest share by quality, shape (n,); of equal ones, the earlier."""
    chosen = np.zeros(len(quality), dtype=np.bool_)
    chosen[np.argsort(-quality, kind="stable")[: round(share * len(quality))]] = True
    return chosen


def prediction_error(matches: Matches, chosen: NDArray[np.bool_] | None = None) -> tuple[float | None, float | None]:
    """Return the prediction errors in percent, means over the chosen matches: ``wrong`` and ``wrong_of_all``.

    The first leaves out matches that everyone drew. None if there is no match.
    """
    wrong, of_all = matches.wrong, matches.wrong_of_all
    if chosen is not None:
        wrong, of_all = wrong[chosen], of_all[chosen]
    decided = wrong[~np.isnan(wrong)]
    return (
        100.0 * float(decided.mean()) if len(decided) else None,
        100.0 * float(of_all.mean()) if len(of_all) else None,
    )


def draws_among_tightest(matches: Matches, shares: Floats) -> Floats | None:
    """Return the share of all draws that the tightest matches have; None if nothing was drawn.

    shares
        Shares of the matches, 0 to 1, shape (k,). The result has their shape: it is near ``shares`` if the quality
        says nothing about draws, and above it if tight matches are drawn more often.

    Matches of equal quality share their draws evenly.
    """
    total = float(matches.drawn.sum())
    if total == 0.0:
        return None
    quality, group, size = np.unique(-matches.quality, return_inverse=True, return_counts=True)
    draws = np.concatenate([[0.0], np.cumsum(np.bincount(group, matches.drawn, len(quality)))])
    games = np.concatenate([[0], np.cumsum(size)])
    result: Floats = np.interp(np.asarray(shares) * len(matches), games, draws) / total
    return result


def winning_ratios(matches: Matches, chosen: NDArray[np.bool_], least: tuple[int, ...]) -> list[WinningRatio]:
    """Return how far winning ratios in the chosen matches are from one half, by the minimum number of such matches."""
    row = chosen[matches.match]
    count = np.bincount(matches.player[row])
    score = np.bincount(matches.player[row], matches.score[row])
    result = []
    for number in least:
        enough = count >= number
        distance = np.abs(score[enough] / count[enough] - 0.5)
        result.append(WinningRatio(number, len(distance), 100.0 * float(distance.mean()) if len(distance) else None))
    return result


def settled_after(ratings: Floats, share: float = 0.1) -> int:
    """Return after how many contests a rating stays near its last value.

    ratings
        A player's rating before the first contest and after each, shape (contests + 1,).
    share
        Near is within this share of the distance from the first rating to the last.
    """
    far = np.flatnonzero(np.abs(ratings - ratings[-1]) > share * abs(ratings[-1] - ratings[0]))
    return int(far[-1]) + 1 if len(far) else 0
