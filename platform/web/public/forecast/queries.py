"""
The forecast of a contest for a player: its field, the beliefs of the field, and the trial of each place.

The field is one of three: the participants of a rated contest, a single opponent in a two-player game, or the list of a
draft, which only its organizers may see. For the opponents, one query reads means and deviations and nothing else: the
history that Elo-MMR stores for a player affects only that player's own change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Contest, Player, Standing
from ratings.models import Rating, RatingChange
from ratings.queries.head_to_head import chances_between, system_of
from ratings.queries.inputs import read_terms
from ratings.queries.inputs import terms_of as shares_and_handicaps
from ratings.queries.pools import take_belief, with_pool
from ratings.systems import Beliefs, get_system
from ratings.systems import Contest as Round
from ratings.systems.contest import days_since_1970
from ratings.systems.forecast.by_place import Trial
from ratings.systems.situation import Situation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.models import Run
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem
    from ratings.systems.performance_model import PerformanceModel
    from web.public.forecast.field import Terms

#: How long the field of a rated contest is cached; a run never changes.
SECONDS = 86_400

_RATINGS = Rating._meta.db_table
_CHANGES = RatingChange._meta.db_table
_PLAYERS = Player._meta.db_table
_STANDINGS = Standing._meta.db_table


@dataclass(frozen=True, slots=True, eq=False)
class ContestForecast:
    """
    The forecast for a player in a field.

    trial
        The rating change at each place; if the field was sampled, it has fewer places than the field.
    model, own
        The performance model of the whole field, and the player's position in it.
    """

    trial: Trial
    model: PerformanceModel
    own: int

    @property
    def entries(self) -> int:
        return len(self.model.location)

    @property
    def is_sampled(self) -> bool:
        return self.entries != self.trial.size

    @property
    def is_game(self) -> bool:
        """Whether this is a two-player game, which ends in a win, a draw or a loss."""
        return self.entries == 2 and self.trial.teams is None

    def place(self, place: int) -> int:
        """Return the place in the whole field that corresponds to a place in the trial."""
        if not self.is_sampled:
            return place
        return 1 + round((place - 1) * (self.entries - 1) / (self.trial.size - 1))


def forecast_contest(snapshot: SeriesSnapshot, terms: Terms, player: Player) -> ContestForecast | None:
    """Return the forecast for a player, who joins the field if not in it; None if the field has no other players."""
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
    handicap = _read_handicaps(terms, ids[others], player) if system.rates_handicaps else None
    whole = _beliefs(system, own, mu[others], sigma[others], field["count"][others])
    model = system.performance_model(whole.mu, whole.sigma).shifted(handicap)
    chosen = np.arange(len(others)) if teams is not None else _sample(system, mu[others])
    others = others[chosen]
    beliefs = _beliefs(system, own, mu[others], sigma[others], field["count"][others])
    newest = _add_days(system, beliefs, snapshot.series.pk, field["last"][others])
    players = np.arange(len(others) + 1)
    if system.needs_pool:
        beliefs, players = with_pool(system, beliefs, snapshot, np.append(player.pk, ids[others]), newest)
    day = newest if terms.coming is None else max(newest, days_since_1970(terms.coming.ends_at))
    trial = Trial(
        system, beliefs, players, int(players[0]),
        weight=terms.weight_in(scheme), perf_ceiling=terms.perf_ceiling, day=day, teams=teams,
        handicap=None if handicap is None else handicap[np.append(0, chosen + 1)],
    )  # fmt: skip
    if teams is None:
        return ContestForecast(trial, model, 0)
    round_ = Round(trial.players, trial.entry, day=day, teams=trial.teams, handicap=trial.handicap)
    situation = Situation(system, trial.beliefs, round_, 0)
    return ContestForecast(trial, situation.model, situation.own)


def _field_of(terms: Terms, run: Run) -> dict[str, NDArray[Any]]:
    """Return the field as of a run; the field of a rated contest is the same for all visitors, so it is cached."""
    if terms.is_own_field or terms.opponent is not None:
        return _read_field(terms, run.series_id)
    key = f"field:{run.uid}:{terms.like.pk}"
    return cached(key, lambda: _read_field(terms, run.series_id), SECONDS)


def _read_field(terms: Terms, series_id: int) -> dict[str, NDArray[Any]]:
    """Read the current beliefs of the players in the field; players without a rating get a count of 0 contests."""
    of = terms.like.pk
    if terms.opponent is not None:
        players, of = f"SELECT id AS player_id FROM {_PLAYERS} WHERE id = %s", terms.opponent.pk
    elif terms.is_own_field:
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
    columns = read_arrays(query, [of, series_id], dtypes)
    order = np.argsort(columns["player"])
    return {name: column[order] for name, column in columns.items()}


def _read_teams(terms: Terms, others: NDArray[np.int64], player: Player) -> list[object]:
    """Read the team labels of the player and then of the others; players without a team get a label of their own."""
    rows = dict(Standing.objects.ranked().filter(contest=terms.like).values_list("player_id", "team"))
    return [rows.get(pk, "") or pk for pk in (player.pk, *others.tolist())]


def _read_handicaps(terms: Terms, others: NDArray[np.int64], player: Player) -> NDArray[np.float64] | None:
    """Read the handicaps of the player and then of the others; None if no one has one."""
    if not terms.like.has_handicaps or terms.opponent is not None:
        return None
    return shares_and_handicaps(read_terms([terms.like.pk]).get(terms.like.pk, {}), np.append(player.pk, others))[1]


def _sample(system: RatingSystem, mu: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return all opponents, or an even sample by rating if the system would take too long for all."""
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
    """Return the beliefs of the player (0) and the others, whose only data are means, deviations and counts."""
    beliefs = system.new_beliefs(len(mu) + 1)
    known = np.flatnonzero(count > 0)
    beliefs.mu[1 + known], beliefs.sigma[1 + known], beliefs.count[1 + known] = mu[known], sigma[known], count[known]
    if own is not None:
        take_belief(beliefs, 0, own)
    return beliefs


def _add_days(system: RatingSystem, beliefs: Beliefs, series_id: int, last: NDArray[np.int64]) -> float:
    """Set the days of the last contests, each player's own if the system uses it; return the newest of them."""
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


def chance_ahead(snapshot: SeriesSnapshot, first: Rating | None, second: Rating | None, draw_rate: float) -> float:
    """
    Return the probability that the first player finishes ahead of the second; None means a newcomer.

    draw_rate
        The probability that equal players tie.
    """
    beliefs = system_of(snapshot).new_beliefs(2)
    for number, rating in enumerate((first, second)):
        if rating is not None:
            beliefs.mu[number], beliefs.sigma[number] = rating.mu, rating.sigma
    one, other = np.array([0]), np.array([1])
    return float(chances_between(snapshot, [beliefs.mu, beliefs.sigma], one, other, draw_rate).win[0])
