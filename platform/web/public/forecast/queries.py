"""
What a contest to come would do to a player: the field, its beliefs, and the forecast, from the database.

The field is that of a contest: a rated one, in which its participants meet again, or a draft with its own list, which
only its organizers may see. Of the others no more is read than means and deviations, in one query for any number:
Elo-MMR's memories decide on nobody's change but their owner's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Exists, OuterRef

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Contest, Series, Standing
from ratings.models import Rating, RatingChange
from ratings.systems import Beliefs, get_system, win_probability
from ratings.systems import Contest as Round
from ratings.systems.contest import days_since_1970
from ratings.systems.forecast.by_place import Trial
from ratings.systems.situation import Situation

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from numpy.typing import NDArray

    from contests.models import Player
    from ratings.models import Run
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem
    from ratings.systems.performance_model import PerformanceModel

#: How long the field of a rated contest is kept; a run never changes.
SECONDS = 86_400

_RATINGS = Rating._meta.db_table
_CHANGES = RatingChange._meta.db_table
_STANDINGS = Standing._meta.db_table


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """
    The contest that is contest_forecast.

    like
        The contest whose field it has.
    coming
        The draft to forecast; None if it is one like a contest that has been.
    is_own_field
        Whether the field is the draft's own list, which not everybody may see.
    """

    like: Contest
    coming: Contest | None
    is_own_field: bool

    @property
    def weight(self) -> float:
        return (self.coming or self.like).weight

    @property
    def perf_ceiling(self) -> float:
        ceiling = (self.coming or self.like).perf_ceiling
        return math.inf if ceiling is None else ceiling


@dataclass(frozen=True, slots=True, eq=False)
class ContestForecast:
    """
    A player in a field, and the forecast of it.

    trial
        What each place would do; of a field that was thinned it has fewer places than there are.
    model, of
        How all entries of the whole field perform, and which of them is the player's.
    """

    trial: Trial
    model: PerformanceModel
    of: int

    @property
    def entries(self) -> int:
        return len(self.model.location)

    @property
    def is_thinned(self) -> bool:
        return self.entries != self.trial.size

    def place(self, place: int) -> int:
        """Return the place in the whole field for one in the trial's."""
        if not self.is_thinned:
            return place
        return 1 + round((place - 1) * (self.entries - 1) / (self.trial.size - 1))


def terms_of(snapshot: SeriesSnapshot, contest: Contest | None, user: User | AnonymousUser) -> Terms | None:
    """
    Return the contest to forecast: the one asked for, else one like the newest rated; None if none has been rated.

    A draft without a list, or whose list the visitor may not see, has the field of the newest rated contest.
    """
    changes = RatingChange.objects.current().filter(series=snapshot.series)
    if contest is not None and contest.is_draft:
        listed = Standing.objects.ranked().filter(contest=contest)
        organizes = Series.objects.organized_by(user).filter(pk=snapshot.series.pk).exists()
        if organizes and len(listed.values_list("pk")[:2]) == 2:
            return Terms(contest, contest, is_own_field=True)
    elif contest is not None and changes.filter(contest=contest).exists():
        return Terms(contest, None, is_own_field=False)
    rated = (
        Contest.objects.rated().filter(series=snapshot.series).filter(Exists(changes.filter(contest=OuterRef("pk"))))
    )
    like = rated.newest_first().first()
    if like is None:
        return None
    return Terms(like, contest if contest is not None and contest.is_draft else None, is_own_field=False)


def forecast_contest(snapshot: SeriesSnapshot, terms: Terms, player: Player) -> ContestForecast | None:
    """Return the forecast for a player, who is added to the field if not in it; None in a field of nobody else."""
    assert snapshot.run is not None
    scheme = snapshot.run.scheme
    system = get_system(scheme.system, **scheme.parameters)
    own = Rating.objects.filter(series=snapshot.series, player=player).first()
    field = _field_of(terms, snapshot.run)
    ids, mu, sigma = field["player"], field["mu"], field["sigma"]
    others = np.flatnonzero(ids != player.pk)
    if not len(others):
        return None
    teams = _read_teams(terms, ids[others], player) if terms.like.has_teams and system.rates_teams else None
    whole = _beliefs(system, own, mu[others], sigma[others], field["count"][others])
    model = system.performance_model(whole.mu, whole.sigma)
    kept = np.arange(len(others)) if teams is not None else _kept(system, mu[others])
    others = others[kept]
    beliefs = _beliefs(system, own, mu[others], sigma[others], field["count"][others])
    newest = _add_days(system, beliefs, snapshot.series.pk, field["last"][others])
    players = np.arange(len(others) + 1)
    if system.needs_pool:
        beliefs, players = _with_pool(system, beliefs, snapshot, np.append(player.pk, ids[others]), newest)
    day = newest if terms.coming is None else max(newest, days_since_1970(terms.coming.ends_at))
    trial = Trial(
        system, beliefs, players, int(players[0]),
        weight=terms.weight, perf_ceiling=terms.perf_ceiling, day=day, teams=teams,
    )  # fmt: skip
    if teams is None:
        return ContestForecast(trial, model, 0)
    round_ = Round(trial.players, trial.entry, day=day, teams=trial.teams)
    situation = Situation(system, trial.beliefs, round_, 0)
    return ContestForecast(trial, situation.model, situation.own)


def _field_of(terms: Terms, run: Run) -> dict[str, NDArray[Any]]:
    """Return the field as of a run: that of a rated contest is the same for everybody who asks, and kept."""
    if terms.is_own_field:
        return _read_field(terms, run.series_id)
    key = f"field:{run.uid}:{terms.like.pk}"
    return cached(key, lambda: _read_field(terms, run.series_id), SECONDS)


def _read_field(terms: Terms, series_id: int) -> dict[str, NDArray[Any]]:
    """Read what is believed of everybody in the field now; who has no rating is a newcomer (contests 0)."""
    if terms.is_own_field:
        players = f"SELECT player_id FROM {_STANDINGS} WHERE contest_id = %s AND status = 'ranked'"
    else:
        players = f"SELECT player_id FROM {_CHANGES} WHERE contest_id = %s AND until_run IS NULL"
    query = (
        "SELECT CAST(p.player_id AS bigint), CAST(COALESCE(r.mu, 0) AS double precision), "
        "CAST(COALESCE(r.sigma, 0) AS double precision), CAST(COALESCE(r.contest_count, 0) AS bigint), "
        f"CAST(COALESCE(r.last_contest_id, 0) AS bigint) FROM ({players}) p "
        f"LEFT JOIN {_RATINGS} r ON r.player_id = p.player_id AND r.series_id = %s"
    )
    dtypes = {"player": "i8", "mu": "f8", "sigma": "f8", "count": "i8", "last": "i8"}
    columns = read_arrays(query, [terms.like.pk, series_id], dtypes)
    order = np.argsort(columns["player"])
    return {name: column[order] for name, column in columns.items()}


def _read_teams(terms: Terms, others: NDArray[np.int64], player: Player) -> list[object]:
    """Read the label of the player's team, then of the others'; who plays alone has a label of their own."""
    rows = dict(Standing.objects.ranked().filter(contest=terms.like).values_list("player_id", "team"))
    return [rows.get(pk, "") or pk for pk in (player.pk, *others.tolist())]


def _kept(system: RatingSystem, mu: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return all of the others, or of too many for a system without a fast form some, evenly spread over ratings."""
    most = system.max_rated_places
    if system.has_fast_forecast or len(mu) <= most:
        return np.arange(len(mu))
    by_rating = np.argsort(-mu, kind="stable")
    return by_rating[np.linspace(0, len(mu) - 1, most).round().astype(np.int64)]


def _beliefs(
    system: RatingSystem,
    own: Rating | None,
    mu: NDArray[np.float64],
    sigma: NDArray[np.float64],
    count: NDArray[np.int64],
) -> Beliefs:
    """Return beliefs on the player (0) and the others, of whom only means, deviations and counts are known."""
    beliefs = system.new_beliefs(len(mu) + 1)
    known = np.flatnonzero(count > 0)
    beliefs.mu[1 + known], beliefs.sigma[1 + known], beliefs.count[1 + known] = mu[known], sigma[known], count[known]
    if own is not None:
        beliefs.unpack([0], [bytes(own.belief)])
    return beliefs


def _add_days(system: RatingSystem, beliefs: Beliefs, series_id: int, last: NDArray[np.int64]) -> float:
    """Add the days of everybody's last contests where the system asks for them; return that of the newest contest."""
    if system.depends_on_activity:
        rows = Contest.objects.filter(series=series_id).values_list("pk", "ends_at")
        days = {pk: days_since_1970(ends_at) for pk, ends_at in rows}
        beliefs.last_day[1:] = [days.get(contest, 0.0) for contest in last.tolist()]
        return float(beliefs.last_day.max())
    rated = Contest.objects.rated().filter(series=series_id).newest_first()
    newest = rated.values_list("ends_at", flat=True).first()
    day = max(float(beliefs.last_day[0]), days_since_1970(newest) if newest is not None else 0.0)
    beliefs.last_day[1:] = day
    return day


def _with_pool(
    system: RatingSystem, beliefs: Beliefs, snapshot: SeriesSnapshot, ids: NDArray[np.int64], day: float
) -> tuple[Beliefs, NDArray[np.int64]]:
    """Return beliefs on everybody who is rated, and where the field (by player id) is in them; newcomers come last."""
    in_order = np.argsort(snapshot.index.player_ids)
    everybody, scores = snapshot.index.player_ids[in_order], snapshot.index.scores[in_order]
    new = np.setdiff1d(ids, everybody)
    numbers = np.append(everybody, new)
    by_id = np.argsort(numbers)
    pool = system.new_beliefs(len(numbers))
    # Whoever needs the pool keeps no deviation of anybody: means follow from scores.
    own_score = float(snapshot.score(0.0, float(pool.sigma[0])))
    pool.mu[: len(everybody)] = scores - own_score
    pool.count[: len(everybody)], pool.last_day[: len(everybody)] = 1, day
    where = by_id[np.searchsorted(numbers, ids, sorter=by_id)]
    known = beliefs.count > 0
    pool.mu[where[known]] = beliefs.mu[known]
    return pool, where


def chance_ahead(snapshot: SeriesSnapshot, first: Rating | None, second: Rating | None) -> float:
    """Return the probability that the first finishes ahead of the second; None stands for somebody new."""
    assert snapshot.run is not None
    system = get_system(snapshot.run.scheme.system, **snapshot.run.scheme.parameters)
    beliefs = system.new_beliefs(2)
    for number, rating in enumerate((first, second)):
        if rating is not None:
            beliefs.mu[number], beliefs.sigma[number] = rating.mu, rating.sigma
    return float(win_probability(system, beliefs, 0, 1))
