"""
The explanation of a rating change, from the stored changes of the contest, in displayed points.

The library computes the parts of a change and the pulls of opponents in rating points, where they add up exactly. One
factor converts them all: the number of displayed points for one rating point. On a linear scale this is the scale's
step; on a Fermi scale it is the slope between the two ratings. Displayed ratings are whole numbers, so the difference
that rounding leaves gets a line of its own, and the sum equals the displayed change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.bulk import read_arrays
from contests.models import Contest, Standing
from ratings.models import RatingChange
from ratings.queries.inputs import read_terms, terms_of
from ratings.queries.rated_contests import as_rated
from ratings.systems import Beliefs, get_system
from ratings.systems import Contest as Round
from ratings.systems.contest import days_since_1970
from ratings.systems.explain import Explanation, explain
from ratings.systems.situation import PastPerformances, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ratings.models import Scheme
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem

#: The maximum difference between the sum of the parts and the stored change, in rating points.
TOLERANCE = 1e-3
#: The maximum difference, relative to the rating, of two ratings that count as equal.
_EQUAL = 1e-9
#: The step, relative to the rating, for the slope of the scale between two equal ratings.
_STEP = 1e-6

#: What is read of the player's earlier contests.
_CONTEST_FIELDS = ("name", "starts_at", "ends_at", "weight", "perf_ceiling", "finalized_at", "amended_at")

_TABLE = RatingChange._meta.db_table


@dataclass(frozen=True, slots=True)
class PastContest:
    """The id and name of an earlier contest of the player."""

    contest_id: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedChange:
    """
    A rating change and its explanation.

    players
        The player id of each row of `explanation.situation.contest`.
    team
        The team names of the entries, empty for players without a team; None in contests without teams.
    last_rating
        The displayed rating after the player's previous contest, or None; time may have changed it since.
    factor
        Displayed points for one rating point between the two ratings.
    rated
        The contest with the weight, ceiling and times with which it was rated; None if they are unknown.
    is_exact
        Whether the parts add up to the stored change. They do not while a correction waits to be rated.
    """

    change: RatingChange
    explanation: Explanation
    players: NDArray[np.int64]
    team: list[str] | None
    past: list[PastContest]
    idle_days: float | None
    last_rating: int | None
    factor: float
    rated: Contest | None
    is_exact: bool


def explain_change(snapshot: SeriesSnapshot, contest: Contest, change: RatingChange) -> ExplainedChange:
    """
    Explain a current change of a contest with the scheme of its run.

    Takes at most five queries, and two or three more after a roll-back or while an amendment waits to be rated.
    """
    assert snapshot.run is not None
    system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
    field = _read_field(contest)
    scheme = snapshot.run.scheme
    history = _read_history(contest, change.player_id)
    as_then = as_rated(snapshot.run, [contest, *(one.contest for one in history)])
    rated = as_then[contest.pk] or contest
    past = _past_performances(history, as_then, scheme)
    team_names, labels = _read_teams(contest, field["player"]) if contest.has_teams else (None, None)
    day = days_since_1970(rated.ends_at)
    terms = read_terms([contest.pk] if contest.has_shares or contest.has_handicaps else [])
    play, handicap = terms_of(terms.get(contest.pk, {}), field["player"])
    round_ = Round(
        np.arange(len(field["player"])),
        field["rank"],
        scheme.weight_of(rated),
        math.inf if rated.perf_ceiling is None else rated.perf_ceiling,
        day,
        labels,
        play if system.rates_partial_play else None,
        handicap if system.rates_handicaps else None,
    )
    row = int(np.flatnonzero(field["player"] == change.player_id)[0])
    beliefs = _beliefs_before(system, field, row, past, day)
    if system.depends_on_activity:
        _add_records(beliefs, contest, field["player"])
    result = Result(change.mu, change.sigma, change.performance)
    explanation = explain(system, beliefs, round_, row, result, past)
    wanted = change.mu - change.mu_before
    return ExplainedChange(
        change=change,
        explanation=explanation,
        players=field["player"],
        team=None if team_names is None else [team_names[first] for first in explanation.situation.firsts],
        past=[PastContest(one.contest_id, one.contest.name) for one in history],
        idle_days=day - float(past.day[-1]) if len(past) else None,
        last_rating=snapshot.rating_of(float(past.mu[-1]), float(past.sigma[-1])) if len(past) else None,
        factor=points_per_point(snapshot, change),
        rated=as_then[contest.pk],
        is_exact=abs(explanation.change - wanted) <= TOLERANCE * max(1.0, abs(wanted)),
    )


def points_per_point(snapshot: SeriesSnapshot, change: RatingChange) -> float:
    """Return the displayed points for one rating point between the ratings before and after a change."""
    mapping = snapshot.mapping
    if mapping.step is not None:
        return mapping.step
    before = snapshot.score(change.mu_before, change.sigma_before)
    after = snapshot.score(change.mu, change.sigma)
    if abs(after - before) < _EQUAL * max(1.0, abs(before)):
        after = before + _STEP * max(1.0, abs(before))
    return float((mapping.position(after) - mapping.position(before)) / (after - before))


def _read_field(contest: Contest) -> dict[str, NDArray[Any]]:
    """Read the beliefs of all participants before the contest, and their places."""
    query = (
        "SELECT CAST(player_id AS bigint), CAST(mu_before AS double precision), "
        "CAST(sigma_before AS double precision), CAST(rank AS bigint) "
        f"FROM {_TABLE} WHERE contest_id = %s AND until_run IS NULL"
    )
    columns = read_arrays(query, [contest.pk], {"player": "i8", "mu": "f8", "sigma": "f8", "rank": "i8"})
    order = np.argsort(columns["player"])
    return {name: column[order] for name, column in columns.items()}


def _read_history(contest: Contest, player_id: int) -> list[RatingChange]:
    """Read the player's changes in contests before this one, in the order of the published run."""
    changes = RatingChange.objects.current().filter(series=contest.series_id, player=player_id)
    rows = list(
        changes.select_related("contest")
        .only("contest", "performance", "mu", "sigma", *(f"contest__{name}" for name in _CONTEST_FIELDS))
        .order_by("number")
    )
    position = next(number for number, row in enumerate(rows) if row.contest_id == contest.pk)
    return rows[:position]


def _past_performances(
    history: list[RatingChange], as_then: Mapping[int, Contest | None], scheme: Scheme
) -> PastPerformances:
    """Return the performances in these contests, with the weights and days with which they were rated."""
    contests = [as_then[row.contest_id] or row.contest for row in history]
    days = [days_since_1970(contest.ends_at) for contest in contests]
    weights = [scheme.weight_of(contest) for contest in contests]
    numbers = [(row.performance, row.mu, row.sigma) for row in history]
    columns = np.array(numbers, dtype=np.float64).reshape(len(history), 3).T
    return PastPerformances(np.array(weights, dtype=np.float64), np.array(days, dtype=np.float64), *columns)


def _read_teams(contest: Contest, players: NDArray[np.int64]) -> tuple[list[str], list[object]]:
    """Read the team name of each row, and labels that team members share."""
    rows = dict(Standing.objects.ranked().filter(contest=contest).values_list("player_id", "team"))
    names = [rows.get(player, "") for player in players.tolist()]
    labels: list[object] = [name or player for name, player in zip(names, players.tolist(), strict=True)]
    return names, labels


def _beliefs_before(
    system: RatingSystem, field: dict[str, Any], row: int, past: PastPerformances, day: float
) -> Beliefs:
    """Return the beliefs of the participants; for opponents, only means and deviations are known."""
    alone = system.new_beliefs(1)
    extra = {name: float(values[0]) for name, values in alone.extra.items()}
    beliefs = Beliefs(len(field["mu"]), float(alone.mu[0]), float(alone.sigma[0]), extra=extra)
    beliefs.mu[:], beliefs.sigma[:] = field["mu"], field["sigma"]
    beliefs.count[:], beliefs.last_day[:] = 1, day
    beliefs.count[row] = len(past)
    beliefs.last_day[row] = past.day[-1] if len(past) else 0.0
    return beliefs


def _add_records(beliefs: Beliefs, contest: Contest, players: NDArray[np.int64]) -> None:
    """Set the number of earlier contests of each participant, and the day of the last one."""
    listed = list(Contest.objects.filter(series=contest.series_id).in_order().values_list("pk", "ends_at"))
    position = {pk: number for number, (pk, _) in enumerate(listed)}
    days = np.array([days_since_1970(ends_at) for _, ends_at in listed])
    query = (
        f"SELECT CAST(player_id AS bigint), CAST(contest_id AS bigint) FROM {_TABLE} "
        "WHERE until_run IS NULL AND series_id = %s AND player_id IN "
        f"(SELECT player_id FROM {_TABLE} WHERE contest_id = %s AND until_run IS NULL)"
    )
    rows = read_arrays(query, [contest.series_id, contest.pk], {"player": "i8", "contest": "i8"})
    at = np.array([position[pk] for pk in rows["contest"].tolist()])
    earlier = at < position[contest.pk]
    who, at = np.searchsorted(players, rows["player"][earlier]), at[earlier]
    beliefs.count[:] = np.bincount(who, minlength=len(players))
    last = np.full(len(players), -1)
    np.maximum.at(last, who, at)
    beliefs.last_day[:] = np.where(last >= 0, days[np.maximum(last, 0)], 0.0)
