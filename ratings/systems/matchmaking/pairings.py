"""Pairings of the next round: the pairs with the best total quality, by a matching of maximum weight.

Each possible pair is an edge of a graph, and its weight is one whole number that holds all aims in their order of
importance. So the matching is optimal in all of them at once: as few rematches as possible, of these the fewest second
byes, and of these the best total quality.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import rustworkx
from numpy.typing import ArrayLike, NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.forecast.matches import match_qualities
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Pair: TypeAlias = tuple[int, int]

MOST_PLAYERS = 1000
# Qualities count in steps of one billionth. An aim's worth exceeds the sum of all less important ones, over
# 500 pairs; the total stays within the 127 bits that the matching has.
_QUALITY = 10**9
_WAITED = 1 << 40
_BYE = 1 << 60
_REMATCH = 1 << 80
_MOST_ROUNDS = 1000
# In large fields each player can only meet this many of those next to them in the list by strength, on either side.
_NEIGHBOURS = 60
_DENSE = 2 * _NEIGHBOURS


@dataclass(frozen=True, slots=True)
class Pairings:
    """The matches of one round.

    pairs
        Indices of players in the pool, the stronger one first; the strongest pairs first.
    qualities
        The quality of each pair, shape (pairs,).
    rematches
        The pairs that have met before.
    bye
        The player without an opponent, if the number of players is odd and there is no limit on gaps.
    waiting
        Players for whom no one is close enough, the strongest first; only with a limit on gaps.
    """

    pairs: list[Pair]
    qualities: Floats
    rematches: list[Pair]
    bye: int | None
    waiting: list[int]

    @property
    def mean_quality(self) -> float:
        """The mean quality of the pairs; 0 without pairs."""
        return float(np.mean(self.qualities)) if len(self.pairs) else 0.0


def pair_players(
    system: RatingSystem,
    beliefs: Beliefs,
    players: ArrayLike,
    *,
    met: Iterable[Pair] = (),
    byes: Mapping[int, int] | None = None,
    max_gap: float | None = None,
    ratings: ArrayLike | None = None,
    waited: Mapping[int, int] | None = None,
    widening: float = 0.0,
) -> Pairings:
    """Return the pairings of the next round that have the best total quality.

    players
        Indices in the pool, shape (n,), all different, from 2 to 1,000.
    met
        Earlier matches of two players; once for each time they met. Other players in it are ignored.
    byes
        How many byes each player has had. Of the players with the fewest, the weakest gets the bye.
    max_gap
        The largest difference of two players' ratings. Players for whom no one is close enough wait.
    ratings
        The ratings to which the gap applies, one for each player of the pool, shape (len(beliefs),), such as displayed
        points. By default, the means (rating points).
    waited
        How many rounds each player has waited. Those who waited longest are paired first.
    widening
        Points by which the gap of a pair grows for each round that one of the two has waited.

    Rematches are avoided before anything else, except that with a limit on gaps a rematch is better than waiting. Up to
    120 players the matching is the best of all; in larger fields, the best in which each player meets one of the 60
    next stronger or weaker ones. Equally good pairings do not depend on the order of the players.

    Raises ValueError on fewer than two or too many players, repeated players, players outside the pool, a negative gap
    or widening, and ratings that are not one finite number for each player.
    """
    _check_gap(max_gap, widening)
    compared = beliefs.mu if ratings is None else _checked_ratings(ratings, len(beliefs))
    field = beliefs.checked_field(players)
    if len(field) > MOST_PLAYERS:
        raise ValueError(f"{len(field)} players are too many for one round: pair at most {MOST_PLAYERS} at once")
    byes, waited = byes or {}, waited or {}
    times = Counter(_key(*pair) for pair in met)
    number_met = Counter(player for pair, number in times.items() for player in pair for _ in range(number))
    # In this order, and not in that of the request, so that ties are resolved alike however the players are listed.
    field = np.array(
        sorted(
            field.tolist(),
            key=lambda p: (-beliefs.mu[p], beliefs.sigma[p], byes.get(p, 0), -waited.get(p, 0), number_met[p]),
        ),
        dtype=np.int64,
    )
    quality = match_qualities(system, beliefs, field)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(field.tolist())
    for first, second in _candidates(len(field)):
        a, b = int(field[first]), int(field[second])
        longest = max(waited.get(a, 0), waited.get(b, 0))
        if max_gap is not None and abs(compared[a] - compared[b]) > max_gap + widening * longest:
            continue
        worth = round(float(quality[first, second]) * _QUALITY) - _REMATCH * min(times[_key(a, b)], _MOST_ROUNDS)
        if max_gap is not None:
            worth += _WAITED * (min(waited.get(a, 0), _MOST_ROUNDS) + min(waited.get(b, 0), _MOST_ROUNDS))
        graph.add_edge(first, second, worth)
    if len(field) % 2 and max_gap is None:
        nobody = graph.add_node(None)
        for place, player in enumerate(field.tolist()):
            graph.add_edge(place, nobody, place * _WAITED - _BYE * min(byes.get(player, 0), _MOST_ROUNDS))
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return _sorted(field, quality, matching, times)


def best_opponents(
    system: RatingSystem, beliefs: Beliefs, player: int, candidates: ArrayLike, count: int = 10
) -> list[tuple[int, float]]:
    """Return the opponents with whom a player's match would be closest: at most ``count``, the best first.

    candidates
        Indices in the pool, shape (n,), all different. The player is left out if among them.

    Each with the quality of the match, from 0 to 1. Candidates of the same quality are in the given order. Raises
    ValueError on players outside the pool.
    """
    others = np.atleast_1d(beliefs.checked_indices(candidates))
    others = others[others != player]
    if not len(others):
        return []
    quality = match_qualities(system, beliefs, [player], others)[0]
    best = np.argsort(-quality, kind="stable")[:count]
    return list(zip(others[best].tolist(), quality[best].tolist(), strict=True))


def _check_gap(max_gap: float | None, widening: float) -> None:
    for name, value in (("max_gap", max_gap), ("widening", widening)):
        if value is not None and not 0.0 <= value < float("inf"):
            raise ValueError(f"{name} = {value} is not allowed: it must be a finite number, at least 0")


def _checked_ratings(ratings: ArrayLike, players: int) -> Floats:
    numbers = np.asarray(ratings, dtype=np.float64)
    if numbers.shape != (players,) or not np.isfinite(numbers).all():
        raise ValueError(f"ratings must be {players} finite numbers, one for each player of the pool")
    return numbers


def _key(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)


def _candidates(n: int) -> Iterable[Pair]:
    """Yield the pairs of places, in a field sorted by strength, that may meet."""
    reach = n if n <= _DENSE else _NEIGHBOURS
    for first in range(n):
        for second in range(first + 1, min(first + reach + 1, n)):
            yield first, second


def _sorted(field: Indices, quality: Floats, matching: set[Pair], times: Counter[Pair]) -> Pairings:
    """Return the matching of places as pairings of players; a place after the last one means a bye."""
    matched = sorted((min(pair), max(pair)) for pair in matching)
    places = [(first, second) for first, second in matched if second < len(field)]
    bye = next((int(field[first]) for first, second in matched if second == len(field)), None)
    pairs = [(int(field[first]), int(field[second])) for first, second in places]
    paired = {place for pair in matched for place in pair}
    return Pairings(
        pairs=pairs,
        qualities=np.array([quality[first, second] for first, second in places], dtype=np.float64),
        rematches=[pair for pair in pairs if times[_key(*pair)]],
        bye=bye,
        waiting=[int(field[place]) for place in range(len(field)) if place not in paired],
    )
