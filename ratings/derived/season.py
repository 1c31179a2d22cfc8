"""Derived numbers: season points of every player in each season of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.derived.leagues import LeagueChanges, midnight, previous_values, read_league_changes
from ratings.display.leagues import PROVISIONAL
from ratings.display.mappings import round_half_up
from ratings.display.season import Field, SeasonRules, SeasonTable, season_rules_from_dict
from ratings.queries.inputs import read_team_labels
from ratings.systems.contest import days_since_1970, stable_argsort
from ratings.systems.duration import weighed
from ratings.systems.numerics.logistic_sums import LogisticSum

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot


#: Up to this many players, comparing all pairs is faster than building a table.
_ALL_PAIRS = 128
#: The table ends where the expected number of wins is this close to 0 or to the number of players.
_NOBODY = 1e-9
#: Limit on the knots of a table. If ratings are millions of points apart, comparing all pairs is faster again.
_MOST_KNOTS = 20_000


def wins_against_others(levels: NDArray[np.float64], hidden: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return the expected number of opponents that each player of a field beats, shape (n,).

    levels
        Strength of each player, on a scale on which a difference of 1 multiplies the odds by e, shape (n,).
    hidden
        Strength of each player as an opponent, on the same scale, aligned with `levels`.

    The error of each sum is below 1e-8.
    """
    size = len(levels)
    if size <= _ALL_PAIRS:
        sums = np.add.reduce(expit(levels[:, None] - hidden), axis=1)
    else:
        beaten_by = LogisticSum(np.sort(hidden), np.ones(size), np.ones(size))
        table = beaten_by.tabulate(_NOBODY, size - _NOBODY, min(_MOST_KNOTS, 8 * size))
        if table is None:
            sums = size - beaten_by(levels)[0]
        else:
            sums = size - table(np.clip(levels, table.first, table.last))[0]
    return np.clip(sums - expit(levels - hidden), 0.0, size - 1.0)


#: Only the newest seasons are kept, because a series with monthly seasons has hundreds.
SEASONS_KEPT = 12
_WHOLE = ("points", "left", "gain", "bonus", "bare")


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the newest seasons with at least one contest.

    seasons
        One dictionary per season, oldest first: number (from 1), start and end (ISO dates; end is None if unknown),
        number of contests, and the ids of the first and last contest.
    offsets
        Start of each season's rows, and the end of the last season's rows, shape (seasons + 1,).
    place
        Each row's player as position in the rank index. This array and all below have the shape (rows,).
    group, rank
        League after the player's last contest in the season (position of the tier, or PROVISIONAL), and rank by points
        within that league.
    points, left, gain, bonus, bare
        In whole displayed points: the season points, the bonus left after the season's last contest, the change in the
        player's last contest, the part of it that was bonus, and the points as they would be without any bonus.
    contests, last
        Number of the player's rated contests in the season, and the id of the last one.
    division
        Division in the league after the player's last contest in the season, from 1; 0 without one.
    bare_order, bare_rank
        The rows of the season, from 0, in the order of league and points without bonus; and each row's rank by these
        within its league.

    The rows of a season are sorted by league (highest first), points and rating.
    """
    rules = season_rules_from_dict(snapshot.scheme.season) if snapshot.scheme is not None else None
    assert rules is not None
    followed = _Seasons(read_league_changes(snapshot), rules)
    numbers = followed.numbers[-SEASONS_KEPT:]
    parts = [followed.table(number) for number in numbers]
    sizes = [len(part["place"]) for part in parts]
    names = ("place", "group", "rank", *_WHOLE, "contests", "last", "division", "bare_order", "bare_rank")
    columns = {name: np.concatenate([np.empty(0, np.int32), *(part[name] for part in parts)]) for name in names}
    return {
        "seasons": [followed.described(number) for number in numbers],
        "offsets": np.cumsum([0, *sizes]),
        **columns,
    }


class _Seasons:
    """All participations in order of time, with the seasons of their contests."""

    def __init__(self, changes: LeagueChanges, rules: SeasonRules) -> None:
        self.changes, self.rules = changes, rules
        self.rows = stable_argsort(changes.contest, len(changes.order))
        contest = changes.contest[self.rows]
        self.first = np.flatnonzero(np.diff(contest, prepend=-1))
        self.stops = np.append(self.first[1:], len(contest))[: len(self.first)]
        self.contest_ids = changes.order[contest[self.first]]
        ends = [changes.ends[at] for at in contest[self.first].tolist()]
        self.weights = _weights(changes.snapshot, self.contest_ids, ends)
        self.starts = changes.season_starts
        self.days = np.array([days_since_1970(end) for end in ends])
        self.season = changes.season[self.rows[self.first]]
        #: Positions of the seasons that have contests.
        self.numbers = np.unique(self.season[self.season >= 0]).tolist()
        self._prepare()

    def _prepare(self) -> None:
        changes, snapshot = self.changes, self.changes.snapshot
        columns, rows = changes.columns, changes.histories.rows
        hidden = snapshot.mapping.position(snapshot.score(columns["mu_before"][rows], columns["sigma_before"][rows]))
        tier_before = snapshot.tiers.positions(round_half_up(hidden))
        league, tier = tier_before, snapshot.tiers.positions(changes.ratings)
        self.group: NDArray[Any] = tier
        if changes.history is not None:
            earlier = previous_values(changes.history.league, changes.is_first)
            league = np.where(earlier == PROVISIONAL, tier_before, earlier).astype(np.int64)
            self.group = changes.history.league
        self.hidden, self.league = hidden, league
        self.rank = columns["rank"][rows]
        self.teams = _teams_of(changes)
        self.place = np.empty(len(changes.histories.first), dtype=np.int32)
        self.place[changes.places_in_index()] = np.arange(len(self.place), dtype=np.int32)

    def table(self, number: int) -> dict[str, NDArray[Any]]:
        """Return the columns of one season."""
        inside = np.flatnonzero(self.season == number)
        snapshot, players = self.changes.snapshot, len(self.place)
        season = SeasonTable(
            self.rules, snapshot.tiers, snapshot.mapping,
            start=days_since_1970(midnight(self.starts[number])), players=players, wins=wins_against_others,
        )  # fmt: skip
        last_row, contests = np.zeros(players, dtype=np.int64), np.zeros(players, dtype=np.int32)
        gain, bonus = np.zeros(players), np.zeros(players)
        for contest in inside.tolist():
            rows = self.rows[self.first[contest] : self.stops[contest]]
            field = self._field(contest, rows)
            was = round_half_up(season.points[field.player])
            settled = season.play(field)
            # Rounded before subtracting, so that points before + gain = points after on pages.
            gain[field.player], bonus[field.player] = round_half_up(settled.points) - was, settled.bonus
            contests[field.player] += 1
            last_row[field.player] = rows
        who = np.flatnonzero(contests)
        points = round_half_up(season.points[who])
        left = season.bonus_left(float(self.days[inside[-1]]), who)
        group, place = self.group[last_row[who]], self.place[who]
        division = np.zeros(len(who), dtype=np.int32)
        if self.changes.division is not None:
            division = self.changes.division[last_row[who]].astype(np.int32)
        order = np.lexsort((place, -points, -group))
        last = self.changes.order[self.changes.contest[last_row[who]]]
        table: dict[str, NDArray[Any]] = {
            "place": place, "group": group.astype(np.int16), "points": points, "left": np.floor(left),
            "gain": gain[who], "bonus": round_half_up(bonus[who]), "bare": round_half_up(season.bare[who]),
            "contests": contests[who], "last": last, "division": division,
        }  # fmt: skip
        table |= {name: table[name].astype(np.int32) for name in _WHOLE}
        table = {name: column[order] for name, column in table.items()}
        by_bare = np.lexsort((table["place"], -table["bare"], -table["group"])).astype(np.int32)
        bare_rank = np.empty(len(by_bare), dtype=np.int32)
        bare_rank[by_bare] = ranks_in_groups(table["group"][by_bare], table["bare"][by_bare])
        ranks = {"rank": ranks_in_groups(table["group"], table["points"]), "bare_rank": bare_rank}
        return {**table, **ranks, "bare_order": by_bare}

    def described(self, number: int) -> dict[str, Any]:
        """Return the description of one season for `seasons`."""
        inside = np.flatnonzero(self.season == number)
        start = self.starts[number]
        end = self.rules.season_end(start)
        return {
            "number": number + 1,
            "start": start.isoformat(),
            "end": end.isoformat() if end is not None else None,
            "contests": len(inside),
            "first_contest": int(self.contest_ids[inside[0]]),
            "last_contest": int(self.contest_ids[inside[-1]]),
        }

    def _field(self, contest: int, rows: NDArray[np.int64]) -> Field:
        return Field(
            float(self.days[contest]),
            self.weights[contest],
            self.changes.player[rows],
            self.rank[rows],
            self.hidden[rows],
            self.league[rows],
            self.teams[rows] if self.teams is not None else None,
        )


def ranks_in_groups(group: NDArray[Any], points: NDArray[Any]) -> NDArray[np.int32]:
    """Return competition ranks by points within each group; rows must be sorted by group and points."""
    row = np.arange(len(group))
    is_new_group = np.diff(group, prepend=group[:1] - 1) != 0
    is_new = is_new_group | (np.diff(points, prepend=points[:1] - 1) != 0)
    best = np.maximum.accumulate(np.where(is_new, row, 0))
    begin = np.maximum.accumulate(np.where(is_new_group, row, 0))
    return (best - begin + 1).astype(np.int32)


def _weights(snapshot: SeriesSnapshot, contest_ids: NDArray[np.int64], ends: list[datetime]) -> list[float]:
    """Return the weights with which these contests count."""
    assert snapshot.run is not None
    duration, contests = snapshot.run.scheme.duration_rules, Contest.objects.filter(series=snapshot.series)
    found = {pk: (weight, start) for pk, weight, start in contests.values_list("id", "weight", "starts_at")}
    return [weighed(duration, *found[pk], end) for pk, end in zip(contest_ids.tolist(), ends, strict=True)]


def _teams_of(changes: LeagueChanges) -> NDArray[np.int64] | None:
    """Return one label per row, equal for teammates in a contest; None if the series has no teams."""
    series_id = changes.snapshot.series.pk
    if not Contest.objects.filter(series=series_id, has_teams=True).exists():
        return None
    player_ids = changes.histories.player_ids[changes.player]
    labels = {(c, p): label for c, p, label in zip(*read_team_labels(series_id), strict=True)}
    contest_ids = changes.order[changes.contest]
    # Players who have left their team since the run was published count alone.
    rows = zip(contest_ids.tolist(), player_ids.tolist(), strict=True)
    return np.array([labels.get(row, row[1]) for row in rows], dtype=np.int64)


DERIVATION = Derivation(
    "season", compute, applies=lambda snapshot: bool(snapshot.scheme and snapshot.scheme.season), version=2
)
