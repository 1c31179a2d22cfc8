"""The league of every player, how far the next one and the last one are, and the newest promotions and demotions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.derived import Content, Derivation
from ratings.display.leagues import PROVISIONAL, LeagueHistory, LeagueRules, league_history, league_rules_from_dict
from ratings.queries.histories import Histories, contest_order, histories_of
from ratings.queries.inputs import read_current_changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeagueChanges:
    """
    The rating changes of a series, sorted into histories.

    columns
        As `read_current_changes` has them.
    order
        Ids of all contests of the series in the order of time.
    found
        The histories; all arrays that follow are in the order of their rows, shape (changes,).
    """

    snapshot: SeriesSnapshot
    columns: dict[str, NDArray[Any]]
    order: Integers
    found: Histories

    @cached_property
    def contest(self) -> Integers:
        """Number of each row's contest in the order of time."""
        sorter = np.argsort(self.order)
        contest_ids = self.columns["contest_id"][self.found.rows]
        return sorter[np.searchsorted(self.order, contest_ids, sorter=sorter)]

    @cached_property
    def ratings(self) -> Integers:
        """Rating after each contest, in shown points."""
        mu, sigma = (self.columns[name][self.found.rows] for name in ("mu", "sigma"))
        return self.snapshot.mapping.show(self.snapshot.score(mu, sigma))

    @cached_property
    def history(self) -> LeagueHistory | None:
        """What the moving mean says after each contest; None where tiers are gained and lost at once."""
        rules = rules_of(self.snapshot)
        if rules is None:
            return None
        sigma = self.columns["sigma"][self.found.rows]
        return league_history(rules, self.snapshot.tiers, self.ratings, sigma, self.found.first)

    @cached_property
    def player(self) -> Integers:
        """Number of each row's player, players rising by id."""
        return np.repeat(np.arange(len(self.found.first)), self.found.counts)

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        first = np.zeros(len(self.found.rows), dtype=bool)
        first[self.found.first] = True
        return first

    def places_in_index(self) -> Integers:
        """Return where the players of the rank index are among these players, in the order of the index."""
        ids = self.snapshot.index.player_ids
        at = np.searchsorted(self.found.player_ids, ids)
        if len(self.found.player_ids) != len(ids) or not np.array_equal(self.found.player_ids[at], ids):
            raise ValueError("the players of the changes are not those of the leaderboard")
        return at


def read_league_changes(snapshot: SeriesSnapshot) -> LeagueChanges:
    """Read what is current; call it in a snapshot."""
    columns, order = read_current_changes(snapshot.series.pk), contest_order(snapshot.series.pk)
    return LeagueChanges(snapshot, columns, order, histories_of(columns, order, chained=False))


def rules_of(snapshot: SeriesSnapshot) -> LeagueRules | None:
    """Return how leagues are gained and lost in a series; None for at once."""
    return league_rules_from_dict(snapshot.scheme.leagues) if snapshot.scheme is not None else None


def before(values: NDArray[Any], is_first: NDArray[np.bool_], nothing: Any = PROVISIONAL) -> NDArray[Any]:
    """Return what each row's player had after the contest before it."""
    shifted = np.roll(values, 1)
    shifted[is_first] = nothing
    return shifted


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
