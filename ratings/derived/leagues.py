"""Derived numbers: the league of every player, and the latest promotions and relegations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.display.divisions import divisions_of
from ratings.display.leagues import PROVISIONAL, LeagueHistory, LeagueRules, league_history, league_rules_from_dict
from ratings.display.season import season_rules_from_dict
from ratings.queries.histories import Histories, contest_order, histories_of
from ratings.queries.inputs import read_current_changes
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from datetime import date

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeagueChanges:
    """
    The rating changes of a series with the league after each, sorted into histories.

    columns
        The columns of `read_current_changes`.
    order
        Ids of all contests of the series in order of time.
    histories
        The histories. All properties are in the order of their rows, shape (changes,).
    """

    snapshot: SeriesSnapshot
    columns: dict[str, NDArray[Any]]
    order: Integers
    histories: Histories

    @cached_property
    def contest(self) -> Integers:
        """Position of each row's contest in `order`."""
        sorter = np.argsort(self.order)
        contest_ids = self.columns["contest_id"][self.histories.rows]
        return sorter[np.searchsorted(self.order, contest_ids, sorter=sorter)]

    @cached_property
    def ratings(self) -> Integers:
        """Rating after each contest, in displayed points."""
        mu, sigma = (self.columns[name][self.histories.rows] for name in ("mu", "sigma"))
        return self.snapshot.mapping.show(self.snapshot.score(mu, sigma))

    @cached_property
    def history(self) -> LeagueHistory | None:
        """League after each contest; None if tiers follow from the current rating alone."""
        rules = rules_of(self.snapshot)
        if rules is None:
            return None
        sigma = self.columns["sigma"][self.histories.rows]
        return league_history(rules, self.snapshot.tiers, self.ratings, sigma, self.histories.first, self.limits)

    @cached_property
    def limits(self) -> tuple[Integers, Integers] | None:
        """By confidence, the displayed ends of the range of k deviations around the mean; else None."""
        rules = rules_of(self.snapshot)
        if rules is None or not rules.is_by_confidence:
            return None
        mu, sigma = (self.columns[name][self.histories.rows] for name in ("mu", "sigma"))
        show = self.snapshot.mapping.show
        return show(mu - rules.k * sigma), show(mu + rules.k * sigma)

    @cached_property
    def ends(self) -> list[datetime]:
        """End of each contest in `order`."""
        ends = dict(Contest.objects.filter(series=self.snapshot.series).values_list("id", "ends_at"))
        return [ends[pk] for pk in self.order.tolist()]

    @cached_property
    def season_starts(self) -> list[date]:
        """First days of the seasons from the first rated contest to the last; empty without season points."""
        scheme = self.snapshot.scheme
        rules = season_rules_from_dict(scheme.season) if scheme is not None else None
        if rules is None or not len(self.contest):
            return []
        first, last = (self.ends[at].astimezone(UTC).date() for at in (self.contest.min(), self.contest.max()))
        return rules.season_starts(first, last)

    @cached_property
    def season(self) -> Integers:
        """Season of each row's contest, -1 before the first one and without season points."""
        clock = [days_since_1970(midnight(start)) for start in self.season_starts]
        days = np.array([days_since_1970(end) for end in self.ends])
        found = np.searchsorted(clock, days, side="right") - 1
        return found[self.contest]

    @cached_property
    def division(self) -> Integers | None:
        """Division after each contest, from 1, and 0 for provisional players; None without divisions."""
        rules = rules_of(self.snapshot)
        if rules is None or rules.division_size is None or self.history is None:
            return None
        return divisions_of(
            rules.division_size, self.history.league, self.season, self.contest, self.ratings, self.histories.first
        )

    @cached_property
    def player(self) -> Integers:
        """Position of each row's player among the players by ascending id."""
        return np.repeat(np.arange(len(self.histories.first)), self.histories.counts)

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether each row is its player's first."""
        first = np.zeros(len(self.histories.rows), dtype=bool)
        first[self.histories.first] = True
        return first

    def places_in_index(self) -> Integers:
        """Return the position among these players of each player in the rank index."""
        ids = self.snapshot.index.player_ids
        at = np.searchsorted(self.histories.player_ids, ids)
        if len(self.histories.player_ids) != len(ids) or not np.array_equal(self.histories.player_ids[at], ids):
            raise ValueError("the rating changes and the leaderboard have different players")
        return at


def read_league_changes(snapshot: SeriesSnapshot) -> LeagueChanges:
    """Read the current rating changes. Call it inside `consistent_read`."""
    columns, order = read_current_changes(snapshot.series.pk), contest_order(snapshot.series.pk)
    return LeagueChanges(snapshot, columns, order, histories_of(columns, order, chained=False))


def midnight(day: date) -> datetime:
    """Return the first moment of a day (UTC)."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def rules_of(snapshot: SeriesSnapshot) -> LeagueRules | None:
    """Return the league rules of a series; None if tiers follow from the current rating alone."""
    return league_rules_from_dict(snapshot.scheme.leagues) if snapshot.scheme is not None else None


def previous_values(values: NDArray[Any], is_first: NDArray[np.bool_], nothing: Any = PROVISIONAL) -> NDArray[Any]:
    """Return the value of the player's previous row for each row; `nothing` for first rows."""
    shifted = np.roll(values, 1)
    shifted[is_first] = nothing
    return shifted


#: The number of latest promotions, and of latest relegations, to keep.
MOVES_KEPT = 60


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the leagues of a series as of its current run.

    These arrays are in the order of the rank index, shape (players,):

    league
        Position of the tier, from 0 (lowest), or PROVISIONAL.
    mean, window, leaving
        The moving mean, the number of displayed ratings in it, and the one that drops out with the next contest (0 if
        none does).
    since
        Id of the contest with which the player entered this league, or the provisional state.
    low, high
        By confidence, the displayed ends of the range of k deviations around the mean, with `mean` equal to `low`;
        absent for the moving average.
    division
        Division in the league, from 1; 0 for provisional players, and for those without a contest in the newest season.
        Absent without divisions.

    Promotions and relegations are sorted by contest, newest first, then by league, highest first, shape (moves,):

    up_player, up_contest, up_from, up_to; down_player, …
        Ids, and positions of tiers.
    """
    changes = read_league_changes(snapshot)
    history, rules = changes.history, rules_of(snapshot)
    assert history is not None
    assert rules is not None
    previous = previous_values(history.league, changes.is_first)
    at = changes.places_in_index()
    last = (changes.histories.first + changes.histories.counts - 1)[at]
    is_new = changes.is_first | (history.league != previous)
    entered = np.maximum.accumulate(np.where(is_new, np.arange(len(is_new)), 0))
    is_full = history.window[last] == rules.contests
    oldest = changes.ratings[last - history.window[last] + 1]
    more: Content = {}
    if changes.limits is not None:
        is_full, (low, high) = np.zeros(len(last), dtype=bool), changes.limits
        more = {"low": low[last], "high": high[last]}
    if changes.division is not None:
        is_current = changes.season[last] == changes.season.max(initial=-1)
        more["division"] = np.where(is_current, changes.division[last], 0).astype(np.int32)
    return {
        **more,
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
        f"{name}_player": changes.histories.player_ids[changes.player[rows]],
        f"{name}_contest": changes.order[changes.contest[rows]],
        f"{name}_from": previous[rows],
        f"{name}_to": league[rows],
    }


DERIVATION = Derivation("leagues", compute, applies=lambda snapshot: bool(snapshot.scheme and snapshot.scheme.leagues))
