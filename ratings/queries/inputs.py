"""Standings and ratings of a series as arrays, the inputs of runs and derived numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection

from contests.bulk import chunks, read_arrays
from contests.models import Contest, Standing
from ratings import systems
from ratings.models import Rating, RatingChange
from ratings.systems.contest import days_since_1970
from ratings.systems.duration import weighed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.systems import RatingSystem
    from ratings.systems.duration import DurationWeight

    Terms = tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]

#: The columns of a rating change that a rating system computes, with their types.
NUMBERS = {
    "number": "i4",
    "rank": "i4",
    "field_size": "i4",
    "mu_before": "f8",
    "sigma_before": "f8",
    "mu": "f8",
    "sigma": "f8",
    "performance": "f8",
}
CHANGE_COLUMNS = {"id": "i8", "contest_id": "i8", "player_id": "i8", **NUMBERS}
_SQL_TYPE = {"i4": "integer", "i8": "bigint", "f8": "double precision"}

_RANK = "s.rank"
#: The lowest player id in the row's team. As a label, it depends only on who the teammates are.
_TEAM = "CASE WHEN s.team = '' THEN s.player_id ELSE MIN(s.player_id) OVER (PARTITION BY s.contest_id, s.team) END"

RATING_COLUMNS = (
    "series_id", "player_id", "mu", "sigma", "score",
    "contest_count", "peak", "peak_contest_id", "last_contest_id", "belief",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """
    The ranked entries of one contest, sorted by player id.

    teams
        One label per row, equal for teammates; None if there are no teams.
    play
        The share of the contest that each player took part in; None if everyone took part in all of it.
    handicap
        Each row's advantage in rating points; None if no one has one.
    """

    contest_id: int
    ends_at: datetime
    weight: float
    perf_ceiling: float
    player_ids: NDArray[np.int64]
    ranks: NDArray[np.int64]
    teams: NDArray[np.int64] | None = None
    play: NDArray[np.float64] | None = None
    handicap: NDArray[np.float64] | None = None

    @property
    def day(self) -> float:
        """End of the contest in days since 1970, with fractions."""
        return days_since_1970(self.ends_at)

    def for_system(self, system: RatingSystem | type[RatingSystem], players: NDArray[np.int64]) -> systems.Contest:
        """
        Return the contest of the library for these numbers of the players.

        A system that does not rate partial play or handicaps counts everyone in full. The series of such a system has
        no handicaps (`ratings.publishing.schemes.refuse_unratable`), but other systems are compared on its contests.
        """
        return systems.Contest(
            players,
            self.ranks,
            self.weight,
            self.perf_ceiling,
            self.day,
            self.teams,
            self.play if system.rates_partial_play else None,
            self.handicap if system.rates_handicaps else None,
        )


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A player's current rating in the database."""

    mu: float
    sigma: float
    score: float
    contest_count: int
    peak: float
    peak_contest_id: int
    last_contest_id: int
    belief: bytes


def read_fields(
    series_id: int, *, since: datetime | None = None, duration: DurationWeight | None = None
) -> list[Field]:
    """
    Return the rated contests of a series that ended at `since` or later, in order, with their ranked entries.

    duration
        How weights follow from the duration of contests (`Scheme.duration_rules`).
    """
    contests = Contest.objects.rated().filter(series_id=series_id)
    if since is not None:
        contests = contests.filter(ends_at__gte=since)
    columns = ("id", "ends_at", "weight", "perf_ceiling", "has_teams", "has_shares", "has_handicaps", "starts_at")
    rows = list(contests.in_order().values_list(*columns))
    entries = _read_ranked(series_id, since, _RANK)
    # Sorting by contest and player id makes the order independent of the database.
    order = np.lexsort((entries["player"], entries["contest"]))
    contest, player, rank = (entries[name][order] for name in ("contest", "player", "third"))
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    starts, stops = np.searchsorted(contest, ids, "left"), np.searchsorted(contest, ids, "right")
    teams = _read_teams(series_id, since) if any(row[4] for row in rows) else {}
    terms = read_terms([row[0] for row in rows if row[5] or row[6]])
    return [
        Field(
            row[0],
            row[1],
            weighed(duration, row[2], row[7], row[1]),
            np.inf if row[3] is None else row[3],
            player[a:b],
            rank[a:b],
            teams.get(row[0]),
            *terms_of(terms.get(row[0], {}), player[a:b]),
        )
        for row, a, b in zip(rows, starts.tolist(), stops.tolist(), strict=True)
    ]


def _read_ranked(series_id: int, since: datetime | None, third: str, only: str = "") -> dict[str, NDArray[Any]]:
    """Read contest, player and a third number of each ranked row of the rated contests."""
    query = (
        f"SELECT CAST(s.contest_id AS bigint), CAST(s.player_id AS bigint), CAST({third} AS bigint) "
        f"FROM {Standing._meta.db_table} s JOIN {Contest._meta.db_table} c ON c.id = s.contest_id "
        f"WHERE s.status = 'ranked' AND c.series_id = %s AND c.state = 'finalized' AND c.is_rated{only}"
    )
    parameters: list[Any] = [series_id]
    if since is not None:
        query += " AND c.ends_at >= %s"
        parameters.append(connection.ops.adapt_datetimefield_value(since))
    return read_arrays(query, parameters, {"contest": "i8", "player": "i8", "third": "i8"})


def _read_teams(series_id: int, since: datetime | None) -> dict[int, NDArray[np.int64]]:
    """Return the team labels of contests with teams by contest id, sorted by player id."""
    entries = _read_ranked(series_id, since, _TEAM, " AND c.has_teams")
    order = np.lexsort((entries["player"], entries["contest"]))
    contest, label = entries["contest"][order], entries["third"][order]
    firsts = np.flatnonzero(np.diff(contest, prepend=contest[:1] - 1))
    parts = np.split(label, firsts[1:])
    return dict(zip(contest[firsts].tolist(), parts, strict=True)) if len(contest) else {}


def read_team_labels(series_id: int) -> tuple[list[int], list[int], list[int]]:
    """Return contest, player and team label of all ranked rows in contests with teams (see `Field.teams`)."""
    entries = _read_ranked(series_id, None, _TEAM, " AND c.has_teams")
    return entries["contest"].tolist(), entries["player"].tolist(), entries["third"].tolist()


def read_terms(contest_ids: Sequence[int]) -> dict[int, dict[int, tuple[float | None, float | None]]]:
    """Return share and handicap by contest and player, of the rows that have one; takes no query without contests."""
    found: dict[int, dict[int, tuple[float | None, float | None]]] = {}
    for part in chunks(contest_ids):
        rows = Standing.objects.filter(contest__in=part).exclude(share=None, handicap=None)
        for contest, player, share, handicap in rows.values_list("contest_id", "player_id", "share", "handicap"):
            found.setdefault(contest, {})[player] = share, handicap
    return found


def terms_of(terms: Mapping[int, tuple[float | None, float | None]], players: NDArray[np.int64]) -> Terms:
    """Return the share and the handicap of each of these players of a contest, shape (n,); None without any."""
    if not terms:
        return None, None
    rows = [terms.get(player, (None, None)) for player in players.tolist()]
    shares, handicaps = [row[0] for row in rows], [row[1] for row in rows]
    play = np.array([1.0 if share is None else share for share in shares])
    handicap = np.array([points or 0.0 for points in handicaps])
    return play if (play < 1.0).any() else None, handicap if handicap.any() else None


def read_current_changes(
    series_id: int, *, since: datetime | None = None, names: Sequence[str] = tuple(CHANGE_COLUMNS)
) -> dict[str, NDArray[Any]]:
    """Return these columns of the current rating changes, from contests that ended at `since` or later."""
    where = "WHERE r.series_id = %s AND r.until_run IS NULL"
    if since is None:
        return _read_changes(where, [series_id], names)
    moment = connection.ops.adapt_datetimefield_value(since)
    join = f"JOIN {Contest._meta.db_table} c ON c.id = r.contest_id AND c.ends_at >= %s"
    return _read_changes(f"{join} {where}", [moment, series_id], names)


def read_changes_as_of(
    series_id: int,
    run: int,
    *,
    names: Sequence[str] = tuple(CHANGE_COLUMNS),
    players: tuple[str, Sequence[Any]] | None = None,
) -> dict[str, NDArray[Any]]:
    """
    Return these columns of the rating changes that were valid when a run was published.

    players
        A query for the ids of the players to include, and its parameters; None for all.
    """
    where = "WHERE r.series_id = %s AND r.from_run <= %s AND (r.until_run IS NULL OR r.until_run > %s)"
    query, more = players or ("", ())
    return _read_changes(
        f"{where} AND r.player_id IN ({query})" if query else where, [series_id, run, run, *more], names
    )


def _read_changes(clauses: str, parameters: list[Any], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    dtypes = {name: CHANGE_COLUMNS[name] for name in names}
    columns = ", ".join(f"CAST(r.{name} AS {_SQL_TYPE[dtype]})" for name, dtype in dtypes.items())
    return read_arrays(f"SELECT {columns} FROM {RatingChange._meta.db_table} r {clauses}", parameters, dtypes)


def read_ratings(series_id: int, player_ids: Sequence[int] | None = None) -> dict[int, StoredRating]:
    """Return the current ratings of these players, or of all, by player id; unrated players are left out."""
    rows: Iterator[Any]
    ratings = Rating.objects.filter(series_id=series_id)
    names = ("player_id", *RATING_COLUMNS[2:])
    if player_ids is None:
        rows = ratings.values_list(*names).iterator(chunk_size=20_000)
    else:
        rows = (row for part in chunks(player_ids) for row in ratings.filter(player_id__in=part).values_list(*names))
    return {row[0]: _stored(*row[1:]) for row in rows}


def _stored(
    mu: float, sigma: float, score: float, count: int, peak: float, at: int, last: int, belief: Any
) -> StoredRating:
    return StoredRating(mu, sigma, score, count, peak, at, last, bytes(belief))
