"""The content of a preview, in displayed ratings: which players move, how far, and through which tiers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.bulk import read_arrays
from contests.models import Player, Series
from ratings.display import width_of_pool
from ratings.display.leagues import PROVISIONAL
from ratings.display.tier_changes import TierChange, tier_changes
from ratings.models import Rating, RatingChange, Run
from ratings.publishing.engine import estimate_seconds
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ratings.publishing.engine import Outcome, Plan
    from ratings.publishing.preview_plans import PreviewPlan, Row
    from ratings.queries.contest_kinds import Kinds

#: How many of the largest rises, falls and tier changes a preview lists, and how many players of the leaderboard.
MOST_MOVES = 10
MOST_LEADERS = 20


@dataclass(frozen=True, slots=True)
class Move:
    """One player before and after the change; None where the player has no rating."""

    handle: str
    player_id: int
    before: int | None
    after: int | None
    change: int
    rank_before: int | None
    rank_after: int | None
    tier_before: str
    tier_after: str


@dataclass(frozen=True, slots=True)
class ContestRow:
    """
    One row of the contest after the change.

    published
        The rating change that pages show now; None if they show none, and if it is a first rating.
    is_first, was_first
        Whether this is the player's first rated contest, after the change and as published.
    """

    handle: str
    rank: int | None
    status: str
    is_ineligible: bool
    before: int | None
    after: int | None
    change: int | None
    published: int | None
    is_first: bool
    was_first: bool


@dataclass(frozen=True, slots=True)
class SeriesPreview:
    """
    The effect of the change on one series.

    contests_rated
        Number of contests to be rated (again): the changed one and all later ones; all if the rules change.
    players_changed, players_new, players_gone
        Numbers of players whose displayed rating changes (also if it is only rescaled), who get their first rating, and
        who lose their rating.
    up, down
        Numbers of players who rise and fall by at least one tier.
    waiting
        Number of earlier changes that are not rated yet and are part of these numbers.
    seconds
        Estimated time until the change is published.
    same_display, follows_players
        Whether ratings are displayed as before, and whether the display of the change follows the players.
    tiers
        The players per tier if the rules change; empty for other changes and in series with leagues.
    kinds
        The kinds of rated contests that the series would have.
    """

    series_id: int
    slug: str
    name: str
    kind: str
    contests_rated: int
    results_rated: int
    players_changed: int
    players_new: int
    players_gone: int
    rises: list[Move]
    falls: list[Move]
    up: int
    down: int
    tier_moves: list[Move]
    leaders: list[Move]
    waiting: int
    seconds: float
    same_display: bool
    follows_players: bool
    tiers: list[TierChange]
    kinds: Kinds


@dataclass(frozen=True, slots=True)
class PreviewContent:
    """The effects on all affected series, and the table of the contest if the change is about one."""

    series: list[SeriesPreview]
    rows: list[ContestRow]
    row_count: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def make_preview(planned: PreviewPlan, progress: Callable[[int, int], None] | None = None) -> PreviewContent:
    """
    Rate the planned contests and compare the ratings with the published ones; nothing is stored.

    progress
        Called with the number of contests done and their total, over all series.
    """
    total = sum(len(plan.fields) for plan in planned.plans.values())
    done = 0
    previews: list[SeriesPreview] = []
    rows: list[ContestRow] = []
    for series_id, plan in planned.plans.items():
        started = done

        def tick(count: int, started: int = started) -> None:
            if progress is not None:
                progress(started + count, total)

        outcome = plan.compute(tick)
        done += len(plan.fields)
        series = Series.objects.get(pk=series_id)
        comparison = _Comparison(series, plan, outcome, planned.new_players)
        previews.append(comparison.preview(planned.waiting[series_id], planned.kinds[series_id]))
        if planned.contest_id in {field.contest_id for field in plan.fields}:
            rows = comparison.contest_rows(planned)
    if not rows:
        rows = [_unrated(row) for row in planned.rows]
    return PreviewContent(previews, rows, planned.row_count)


class _Comparison:
    """The published and the previewed ratings of a series, for all players who have either."""

    def __init__(self, series: Series, plan: Plan, outcome: Outcome, new_players: dict[int, str]) -> None:
        self.series, self.plan, self.outcome, self.new_players = series, plan, outcome, new_players
        self.now = snapshot_of(series)
        old_ids, old_scores = _published(series.pk)
        new_ids, new_scores = _previewed(plan, outcome, old_ids, old_scores)
        mean, width = width_of_pool(np.sort(new_scores))  # sorted as for a publication, so that the last bits agree
        self.then = SeriesSnapshot(
            series, Run(series=series, scheme=plan.scheme, pool_mean=mean, pool_width=width), plan.scheme
        )
        self.ids = np.union1d(old_ids, new_ids)
        self.old, self.new = _spread(self.ids, old_ids, old_scores), _spread(self.ids, new_ids, new_scores)
        self.was, self.is_rated = ~np.isnan(self.old), ~np.isnan(self.new)
        self.before, self.after = _points(self.now, self.old), _points(self.then, self.new)
        self.rank_before, self.rank_after = _ranks(self.old), _ranks(self.new)

    def preview(self, waiting: int, kinds: Kinds) -> SeriesPreview:
        both = self.was & self.is_rated
        change = np.where(both, self.after - self.before, 0)
        tier_before, tier_after = self.now.tiers.positions(self.before), self.then.tiers.positions(self.after)
        same_display = self.now.scheme is None or self.now.scheme.has_points_of(self.plan.scheme)
        steps = np.where(both & same_display, tier_after - tier_before, 0)
        # By displayed change; players with the same change by exact change.
        order = np.lexsort((np.nan_to_num(self.old - self.new), -change))
        # Players who change their tier, the best first.
        crossing = [i for i in np.argsort(-self.after, kind="stable") if steps[i]][:MOST_MOVES]
        listed = np.flatnonzero(self.is_rated)
        leading = listed[np.argsort(self.rank_after[listed], kind="stable")][:MOST_LEADERS]
        rated = self.plan.fields if self.plan.since is None else [
            field for field in self.plan.fields if field.ends_at >= self.plan.since
        ]  # fmt: skip
        results = sum(len(field.player_ids) for field in self.plan.fields)
        return SeriesPreview(
            series_id=self.series.pk,
            slug=self.series.slug,
            name=self.series.name,
            kind=self.plan.kind,
            contests_rated=len(rated),
            results_rated=results,
            players_changed=int(np.count_nonzero(change)),
            players_new=int(np.count_nonzero(self.is_rated & ~self.was)),
            players_gone=int(np.count_nonzero(self.was & ~self.is_rated)),
            rises=self.moves([i for i in order[:MOST_MOVES] if change[i] > 0]),
            falls=self.moves([i for i in order[::-1][:MOST_MOVES] if change[i] < 0]),
            up=int(np.count_nonzero(steps > 0)),
            down=int(np.count_nonzero(steps < 0)),
            tier_moves=self.moves(crossing),
            leaders=self.moves(leading),
            waiting=waiting,
            seconds=estimate_seconds(self.series.pk, results),
            same_display=bool(same_display),
            follows_players=self.then.mapping.follows_players(),
            tiers=self.tiers(tier_before, tier_after),
            kinds=kinds,
        )  # fmt: skip

    def tiers(self, before: NDArray[np.int64], after: NDArray[np.int64]) -> list[TierChange]:
        """Return the players per tier if the rules change, given the positions of all players in the tiers."""
        old, new = self.now.scheme, self.plan.scheme
        if old is None or old.rates_alike(new) or old.leagues or new.leagues:
            return []
        was, will_be = np.where(self.was, before, PROVISIONAL), np.where(self.is_rated, after, PROVISIONAL)
        return tier_changes(self.now.tiers, was, self.then.tiers, will_be)

    def moves(self, chosen: Sequence[int] | NDArray[np.int64]) -> list[Move]:
        """Return these rows of the comparison, in this order."""
        at = [int(i) for i in chosen]
        players = Player.objects.in_bulk([int(self.ids[i]) for i in at])
        handles = self.new_players | {pk: player.handle for pk, player in players.items()}
        return [
            Move(
                handle=handles[int(self.ids[i])],
                player_id=int(self.ids[i]),
                before=int(self.before[i]) if self.was[i] else None,
                after=int(self.after[i]) if self.is_rated[i] else None,
                change=int(self.after[i] - self.before[i]) if self.was[i] and self.is_rated[i] else 0,
                rank_before=int(self.rank_before[i]) if self.was[i] else None,
                rank_after=int(self.rank_after[i]) if self.is_rated[i] else None,
                tier_before=self.now.tier(int(self.before[i])).name if self.was[i] else "",
                tier_after=self.then.tier(int(self.after[i])).name if self.is_rated[i] else "",
            )
            for i in at
        ]

    def contest_rows(self, planned: PreviewPlan) -> list[ContestRow]:
        """Return the contest's first rows, each with its previewed and its published rating change."""
        pk = planned.contest_id
        mine = np.flatnonzero(self.outcome.changes["contest_id"] == pk)
        columns = [self.outcome.changes[name][mine] for name in ("mu_before", "sigma_before", "mu", "sigma")]
        before = self.then.mapping.show(self.then.score(columns[0], columns[1])).tolist()
        after = self.then.mapping.show(self.then.score(columns[2], columns[3])).tolist()
        at = {player: i for i, player in enumerate(self.outcome.changes["player_id"][mine].tolist())}
        published, was_first = self._published_in(int(pk or 0), planned.rows)
        first = self._newcomers_in(int(pk or 0))
        rows = []
        for row in planned.rows:
            i = at.get(row.player_id)
            if i is None:
                rows.append(_unrated(row, published.get(row.player_id), was_first=row.player_id in was_first))
                continue
            rows.append(
                ContestRow(
                    handle=row.handle,
                    rank=row.rank,
                    status=row.status,
                    is_ineligible=row.is_ineligible,
                    before=before[i],
                    after=after[i],
                    change=after[i] - before[i],
                    published=published.get(row.player_id),
                    is_first=row.player_id in first,
                    was_first=row.player_id in was_first,
                )
            )
        return rows

    def _published_in(self, contest_id: int, rows: Sequence[Row]) -> tuple[dict[int, int], set[int]]:
        """Return the published changes by player, and the players whose published rating there is their first."""
        changes = RatingChange.objects.current().filter(
            contest=contest_id, player_id__in=[row.player_id for row in rows]
        )
        moved: dict[int, int] = {}
        new: set[int] = set()
        for change in changes:
            if change.number == 1:
                new.add(change.player_id)
            else:
                moved[change.player_id] = self.now.change(
                    change.mu_before, change.sigma_before, change.mu, change.sigma
                )
        return moved, new

    def _newcomers_in(self, contest_id: int) -> set[int]:
        """Return the players whose first rated contest this is."""
        seen: set[int] = set(self.plan.before)
        changes = self.outcome.changes
        start = np.flatnonzero(changes["contest_id"] == contest_id)
        if not len(start):
            return set()
        seen |= set(changes["player_id"][: start[0]].tolist())
        return set(changes["player_id"][start].tolist()) - seen


def _published(series_id: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    table = Rating._meta.db_table
    query = (
        f"SELECT CAST(player_id AS bigint), CAST(score AS double precision) FROM {table} "
        "WHERE series_id = %s ORDER BY player_id"
    )
    columns = read_arrays(query, [series_id], {"player": "i8", "score": "f8"})
    return columns["player"], columns["score"]


def _previewed(
    plan: Plan, outcome: Outcome, old_ids: NDArray[np.int64], old_scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return ascending ids and scores of all players; an append leaves the players who don't take part unchanged."""
    computed = {player: rating.score for player, rating in outcome.ratings.items()}
    if plan.kind == "append":
        computed = dict(zip(old_ids.tolist(), old_scores.tolist(), strict=True)) | computed
    ids = np.array(sorted(computed), dtype=np.int64)
    return ids, np.array([computed[player] for player in ids.tolist()], dtype=np.float64)


def _spread(ids: NDArray[np.int64], some_ids: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores in the order of `ids`, NaN for players without one."""
    spread = np.full(len(ids), np.nan)
    spread[np.searchsorted(ids, some_ids)] = scores
    return spread


def _points(snapshot: SeriesSnapshot, scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return displayed ratings; ignore those of players without a rating."""
    return np.asarray(snapshot.mapping.show(np.nan_to_num(scores)), dtype=np.int64)


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return competition ranks of the players who have a score, highest score first."""
    falling = np.sort(-scores[~np.isnan(scores)])
    return np.searchsorted(falling, -np.nan_to_num(scores, nan=-np.inf), side="left") + 1


def _unrated(row: Row, published: int | None = None, *, was_first: bool = False) -> ContestRow:
    return ContestRow(
        handle=row.handle,
        rank=row.rank,
        status=row.status,
        is_ineligible=row.is_ineligible,
        before=None,
        after=None,
        change=None,
        published=published,
        is_first=False,
        was_first=was_first,
    )
