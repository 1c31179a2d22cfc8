"""All rated participations of a series with the leagues that they led to: what leagues and points derive from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

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
