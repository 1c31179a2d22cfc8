"""
Derived numbers: how often games of a series end in draws, for the probabilities of a win, a draw and a loss.

The draw rate is the most likely one given the expected scores before past games and their results
(`ratings.systems.forecast.outcomes`). It is computed at most once a day, from the newest contests.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Q

from contests.models import Contest
from ratings.derived import Content, Derivation, newest_derived
from ratings.queries.inputs import read_current_changes, read_team_labels, read_terms, terms_of
from ratings.systems import DrawCounts, get_system
from ratings.systems.evaluate.calibration import pairs_for_draws
from ratings.systems.performance_model import PerformanceModel, entry_performances, probability_to_beat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: The newest contests are used, up to about this many pairs of entries.
MOST_PAIRS = 300_000
#: Ties are rare if equal players tie less often than this, provided that at least so many pairs have met.
RARE, ENOUGH_GAMES = 0.001, 1_000
_COLUMNS = ("contest_id", "player_id", "number", "rank", "mu_before", "sigma_before")


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the draw rate of a series as of its current run.

    games, draws
        Pairs of entries that met, and those that tied, from players who were rated before. A two-player game is one
        pair; each entry of a larger field counts as half a pair.
    rate
        The probability that equal sides draw, 0 if no game was drawn.
    """
    assert snapshot.run is not None
    scheme, changes = snapshot.run.scheme, read_current_changes(snapshot.series.pk, names=_COLUMNS)
    counts = DrawCounts()
    if len(changes["rank"]):
        entries = _Entries(get_system(scheme.system, **scheme.parameters), snapshot.series.pk, changes)
        entries.add_to(counts)
    return {"games": counts.games, "draws": counts.draws, "rate": counts.rate if counts.draws else 0.0}


def draw_rate_of(snapshot: SeriesSnapshot) -> float:
    """Return the probability that equal sides draw in a series; 0 if none ever did, or if it is not yet computed."""
    found = newest_derived(snapshot, DERIVATION)
    return float(found[0]["rate"]) if found else 0.0


def ties_are_rare(snapshot: SeriesSnapshot) -> bool:
    """Return whether players of a series practically never tie; False if few have met, or if it is not yet computed."""
    found = newest_derived(snapshot, DERIVATION)
    return found is not None and found[0]["games"] >= ENOUGH_GAMES and found[0]["rate"] < RARE


class _Entries:
    """The players and teams of all contests whose members were all rated before; shape (entries,), by contest."""

    def __init__(self, system: RatingSystem, series_id: int, changes: dict[str, NDArray[Any]]) -> None:
        contest = _places_of_contests(series_id, changes["contest_id"])
        label = _labels(series_id, changes)
        order = np.lexsort((label, contest))
        contest, label = contest[order], label[order]
        starts = np.flatnonzero((np.diff(contest, prepend=-1) != 0) | (np.diff(label, prepend=-1) != 0))
        entry = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
        members = system.performance_model(changes["mu_before"][order], changes["sigma_before"][order])
        play, handicap = _terms(series_id, changes)
        model = entry_performances(members, entry, play[order], system.teams_add_up).shifted(handicap[order][starts])
        rank = changes["rank"][order][starts]
        known = np.flatnonzero(np.minimum.reduceat(changes["number"][order], starts) > 1)
        # By contest, then by place; ties by values.
        best_first = known[
            np.lexsort((model.scale[known], -model.location[known], rank[known], contest[starts[known]]))
        ]
        self.contest, self.rank = contest[starts[best_first]], rank[best_first]
        self.model = PerformanceModel(model.shape, model.location[best_first], model.scale[best_first])

    def add_to(self, counts: DrawCounts) -> None:
        """Add the pairs of the newest contests to the counts."""
        first = np.flatnonzero(np.diff(self.contest, prepend=-1))
        size = np.diff(first, append=len(self.contest))
        pairs = [len(pairs_for_draws(n)[0]) if n > 1 else 0 for n in size.tolist()]
        from_the_end = np.cumsum(np.array(pairs[::-1], dtype=np.int64))
        newest = len(size) - max(1, int(np.searchsorted(from_the_end, MOST_PAIRS, side="right")))
        first, size = first[newest:], size[newest:]
        for n in np.unique(size[size > 1]).tolist():
            better, worse = (np.ravel(first[size == n][:, None] + position) for position in pairs_for_draws(n))
            expected = probability_to_beat(self.model, better, worse)
            score = np.where(self.rank[better] == self.rank[worse], 0.5, 1.0)
            weight = 0.5 * n / len(pairs_for_draws(n)[0])
            counts.add(expected, score, np.full(len(score), weight))


def _places_of_contests(series_id: int, ids: Ints) -> Ints:
    """Return the position of each row's contest in the order of time."""
    order = np.array(list(Contest.objects.filter(series=series_id).in_order().values_list("pk", flat=True)))
    by_id = np.argsort(order)
    return by_id[np.searchsorted(order[by_id], ids)]


def _terms(series_id: int, changes: dict[str, NDArray[Any]]) -> tuple[Floats, Floats]:
    """Return the share and the handicap of each row."""
    play, handicap = np.ones(len(changes["rank"])), np.zeros(len(changes["rank"]))
    contests = Contest.objects.filter(Q(has_shares=True) | Q(has_handicaps=True), series=series_id)
    for contest, terms in read_terms(list(contests.values_list("pk", flat=True))).items():
        rows = np.flatnonzero(changes["contest_id"] == contest)
        shares, points = terms_of(terms, changes["player_id"][rows])
        play[rows] = 1.0 if shares is None else shares
        handicap[rows] = 0.0 if points is None else points
    return play, handicap


def _labels(series_id: int, changes: dict[str, NDArray[Any]]) -> Ints:
    """Return a label of each row's entry, equal for teammates: the lowest id of the team's players."""
    contests, players, labels = read_team_labels(series_id)
    player: Ints = changes["player_id"].astype(np.int64)
    if not labels:
        return player
    teams = dict(zip(zip(contests, players, strict=True), labels, strict=True))
    rows = zip(changes["contest_id"].tolist(), player.tolist(), strict=True)
    return np.array([teams.get(row, row[1]) for row in rows], dtype=np.int64)


DERIVATION = Derivation("draws", compute, max_age=timedelta(days=1))
