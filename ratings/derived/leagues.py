"""The league of every player, how far the next one and the last one are, and the newest promotions and demotions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratings.derived.base import Content, Derivation
from ratings.derived.league_changes import before, read_league_changes, rules_of
from ratings.display.leagues import PROVISIONAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.derived.league_changes import LeagueChanges
    from ratings.queries.snapshot import SeriesSnapshot

#: So many promotions, and as many demotions, are kept: the newest.
MOVES_KEPT = 60


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the leagues of a series as of its current run.

    league
        Position of the tier, from 0 (lowest), or PROVISIONAL.
    mean, window, leaving
        The moving mean, of how many shown ratings it is, and the one of them that the next contest pushes out (0
        while none is pushed out).
    since
        Id of the contest that led into this league, or into the provisional state.

    These have the shape (players,), in the order of the rank index. Of promotions and demotions, the newest first, and
    the highest league first among those of one contest:

    up_player, up_contest, up_from, up_to; down_player, …
        Ids, and positions of tiers; shape (moves,).
    """
    changes = read_league_changes(snapshot)
    history, rules = changes.history, rules_of(snapshot)
    assert history is not None
    assert rules is not None
    previous = before(history.league, changes.is_first)
    at = changes.places_in_index()
    last = (changes.found.first + changes.found.counts - 1)[at]
    is_new = changes.is_first | (history.league != previous)
    entered = np.maximum.accumulate(np.where(is_new, np.arange(len(is_new)), 0))
    is_full = history.window[last] == rules.contests
    oldest = changes.ratings[last - history.window[last] + 1]
    return {
        "league": history.league[last],
        "mean": history.mean[last],
        "window": history.window[last].astype(np.int16),
        "leaving": np.where(is_full, oldest, 0),
        "since": changes.order[changes.contest[entered[last]]],
        **_moves(changes, "up", previous, history.league, 1),
        **_moves(changes, "down", previous, history.league, -1),
    }


def _moves(
    changes: LeagueChanges, name: str, previous: NDArray[np.int16], league: NDArray[np.int16], sign: int
) -> Content:
    has_both = (previous != PROVISIONAL) & (league != PROVISIONAL)
    moved = np.flatnonzero(has_both & (np.sign(league - previous) == sign))
    higher = np.maximum(previous[moved], league[moved])
    newest = np.lexsort((-changes.ratings[moved], -higher, -changes.contest[moved]))[:MOVES_KEPT]
    rows = moved[newest]
    return {
        f"{name}_player": changes.found.player_ids[changes.player[rows]],
        f"{name}_contest": changes.order[changes.contest[rows]],
        f"{name}_from": previous[rows],
        f"{name}_to": league[rows],
    }


DERIVATION = Derivation("leagues", compute, applies=lambda snapshot: bool(snapshot.scheme and snapshot.scheme.leagues))
