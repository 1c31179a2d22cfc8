"""The field of one rated contest as arrays: the places, and the ratings before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.bulk import read_arrays
from contests.models import Standing
from ratings.models import RatingChange
from ratings.queries.boards import compared, is_provisional
from ratings.queries.inputs import read_terms, terms_of
from ratings.systems.performance_model import PerformanceModel, entry_performances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from contests.models import Contest
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]

_COLUMNS = ("mu_before", "sigma_before", "mu", "sigma")


@dataclass(frozen=True, slots=True, eq=False)
class ContestField:
    """
    The players that a contest rated, best place first, then by player id; arrays of shape (n,).

    rank
        Competition rank, from 1.
    mu_before, sigma_before, mu, sigma
        Beliefs before and after the contest, in rating points.
    is_newcomer
        True for players in their first rated contest.
    entry
        The number of each player's entry, from 0: team members share one, other players have their own.
    is_settled
        False for players whose rating was provisional before the contest.
    play, handicap
        The share of the contest that each player took part in, and the advantage in rating points; each None if no
        one has one.
    """

    player_ids: Indices
    rank: Indices
    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats
    is_newcomer: NDArray[np.bool_]
    entry: Indices
    is_settled: NDArray[np.bool_]
    play: Floats | None = None
    handicap: Floats | None = None

    def __len__(self) -> int:
        return len(self.player_ids)

    @property
    def is_compared(self) -> NDArray[np.bool_]:
        """Whose gains and losses are compared."""
        return compared(self.is_settled, ~self.is_newcomer)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """
    The entries of a contest, players or whole teams, as rated before it; arrays of shape (m,).

    strength
        Means of the beliefs with the handicaps, in rating points; for a team the sum or the mean over its members, as
        the system defines.
    is_known
        Whether all of the entry's players had been rated before.
    first, size
        The row of the entry's first player in the field, and the number of its players.
    """

    model: PerformanceModel
    strength: Floats
    rank: Indices
    is_known: NDArray[np.bool_]
    first: Indices
    size: Indices

    def __len__(self) -> int:
        return len(self.rank)


def read_field(snapshot: SeriesSnapshot, contest: Contest) -> ContestField | None:
    """Return the field of a contest in the current run, in a few queries; None if the run did not rate it."""
    if snapshot.run is None:
        return None
    table = RatingChange._meta.db_table
    numbers = ", ".join(f"CAST({name} AS double precision)" for name in _COLUMNS)
    query = (
        f"SELECT CAST(player_id AS bigint), CAST(rank AS bigint), CAST(number AS bigint), {numbers} FROM {table} "
        "WHERE contest_id = %s AND until_run IS NULL"
    )
    dtypes = {"player": "i8", "rank": "i8", "number": "i8", **dict.fromkeys(_COLUMNS, "f8")}
    columns = read_arrays(query, [contest.pk], dtypes)
    order = np.lexsort((columns["player"], columns["rank"]))
    if not len(order):
        return None
    in_order = {name: column[order] for name, column in columns.items()}
    player, number = in_order.pop("player"), in_order.pop("number")
    terms = read_terms([contest.pk] if contest.has_shares or contest.has_handicaps else [])
    play, handicap = terms_of(terms.get(contest.pk, {}), player)
    return ContestField(
        player_ids=player,
        play=play,
        handicap=handicap,
        is_newcomer=number == 1,
        entry=_entry_numbers(contest, player),
        is_settled=~is_provisional(snapshot, number - 1),
        **in_order,
    )


def entries_of(field: ContestField, system: RatingSystem) -> Entries:
    """Return the entries of a field, best place first."""
    model = system.performance_model(field.mu_before, field.sigma_before)
    size, entry = int(field.entry.max()) + 1, field.entry
    first = np.unique(entry, return_index=True)[1]
    handicap = None if field.handicap is None or not system.rates_handicaps else field.handicap[first]
    if size == len(field):
        strength = field.mu_before if handicap is None else field.mu_before + handicap
        return Entries(model.shifted(handicap), strength, field.rank, ~field.is_newcomer, first, np.ones_like(first))
    play = np.ones(len(field)) if field.play is None or not system.rates_partial_play else field.play
    model = entry_performances(model, entry, play, system.teams_add_up).shifted(handicap)
    counted = play if system.teams_add_up else 1.0 / np.bincount(entry, minlength=size)[entry]
    strength = np.bincount(entry, counted * field.mu_before, size).astype(np.float64)
    strength = strength if handicap is None else strength + handicap
    is_known = np.bincount(entry, field.is_newcomer, size) == 0
    return Entries(model, strength, field.rank[first], is_known, first, np.bincount(entry))


def ratings_of(snapshot: SeriesSnapshot, field: ContestField) -> Floats:
    """Return the rating of each entry before the contest, for a team the mean; not rounded, shape (m,)."""
    ratings = np.asarray(snapshot.score(field.mu_before, field.sigma_before), dtype=np.float64)
    means: Floats = np.bincount(field.entry, ratings) / np.bincount(field.entry)
    return means


def seeds_of(ratings: Floats, is_known: NDArray[np.bool_]) -> Indices:
    """Return the place of each rating among those of the known entries, from 1; equal ratings share a place."""
    known = -np.sort(-ratings[is_known])
    return np.searchsorted(-known, -ratings, side="left") + 1


def _entry_numbers(contest: Contest, player_ids: Indices) -> Indices:
    """Number the entries by the position of their first member in the field."""
    if not contest.has_teams:
        return np.arange(len(player_ids))
    members = Standing.objects.filter(contest=contest).exclude(team="")
    teams = dict(members.values_list("player_id", "team"))
    numbers: dict[str | int, int] = {}
    return np.array([numbers.setdefault(teams.get(pk, pk), len(numbers)) for pk in player_ids.tolist()])
