"""Standings tables with what they would do to ratings: one row for each participant, in the order of the table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Q, Sum

from contests.errors import ContestError
from contests.models import Contest
from ratings.publishing.projection import Entry, preview_contest
from ratings.queries.snapshot import as_it_will_be

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contests.formats import ParsedContest
    from contests.models import Standing
    from contests.uploads.review import Review
    from ratings.publishing.projection import ProjectedRating
    from ratings.queries.snapshot import SeriesSnapshot

#: Longer tables are cut here; counts and ratings are always of all rows.
ROWS_SHOWN = 200
#: A draft in the past is rated after a replay of what came before it. Up to so many results that takes a few seconds;
#: beyond, it is done only on demand.
REPLAYED_AT_ONCE = 300_000


@dataclass(frozen=True, slots=True)
class Effect:
    """What would happen to one shown rating; `before` is None for somebody new, `performance` if there is none."""

    before: int | None
    after: int
    change: int
    performance: int | None

    @classmethod
    def of(cls, projected: ProjectedRating, snapshot: SeriesSnapshot) -> Effect:
        before = snapshot.rating_of(projected.mu_before, projected.sigma_before)
        after = snapshot.rating_of(projected.mu, projected.sigma)
        return cls(
            None if projected.is_new else before,
            after,
            after - before,
            snapshot.rating(projected.performance) if snapshot.has_performance else None,
        )


@dataclass(frozen=True, slots=True)
class Effects:
    """
    Handle -> effect of the rows that are shown; `not_replayed` results stand before them if they were left out, and
    `problem` says why there can be none at all.
    """

    by_handle: dict[str, Effect]
    later_contests: int = 0
    not_replayed: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One participant as the table shows it; `player_id` is None for somebody whom the site does not know yet."""

    handle: str
    name: str
    country: str
    team: str
    status: str
    rank: int | None
    score: float | None
    penalty: float | None
    player_id: int | None
    effect: Effect | None
    standing_id: int | None = None
    known_as: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The first rows of a standings table, and the counts of all of it."""

    rows: list[TableRow]
    total: int
    ranked: int
    unofficial: int
    disqualified: int
    new_players: int
    effects: Effects

    @property
    def is_cut(self) -> bool:
        return self.total > len(self.rows)

    @property
    def moves_ratings(self) -> bool:
        return bool(self.effects.by_handle)

    @property
    def has_scores(self) -> bool:
        return any(row.score is not None for row in self.rows)

    @property
    def has_teams(self) -> bool:
        return any(row.team for row in self.rows)


def table_of_review(review: Review) -> Table:
    """Return what the table of a contest would be if its standings were those of a reviewed file."""
    effects = effects_from_json(review.preview)
    rows = [
        TableRow(
            row.handle,
            row.name,
            row.country,
            row.team,
            row.status,
            row.rank,
            row.score,
            row.penalty,
            row.player_id,
            effects.by_handle.get(row.handle),
            known_as=row.known_as,
        )
        for row in review.rows
    ]
    counts = review.counts
    return Table(rows, counts.total, counts.ranked, counts.unofficial, counts.disqualified, counts.new_players, effects)


def effects_of_file(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], snapshot: SeriesSnapshot, *, whole: bool
) -> Effects:
    """Return what the standings of a file would do, for the rows that a table shows; `whole` as for a draft."""
    order = sorted((rank, i) for i, rank in enumerate(parsed.ranks) if rank is not None)
    entries = [Entry(parsed.standings[i].handle, players[i], rank, parsed.standings[i].team) for rank, i in order]
    return _effects(contest, entries, snapshot, whole)


def effects_as_json(effects: Effects) -> dict[str, Any]:
    """Return effects as plain values; `is_left_out` says that they are still to be computed."""
    return {**asdict(effects), "is_left_out": bool(effects.not_replayed)}


def effects_from_json(value: Mapping[str, Any] | None) -> Effects:
    """Return the effects that `effects_as_json` wrote, none for None."""
    if value is None:
        return Effects({})
    by_handle = {handle: Effect(**each) for handle, each in value["by_handle"].items()}
    return Effects(by_handle, value["later_contests"], value["not_replayed"], value["problem"])


def table_of_draft(contest: Contest, snapshot: SeriesSnapshot, *, whole: bool) -> Table:
    """Return the table of a draft's stored standings; `whole`: rate it however much has to be replayed before."""
    stored = contest.standings.for_table()
    effects = _effects(contest, None, snapshot, whole) if contest.standing_count else Effects({})
    rows = [_stored_row(standing, effects.by_handle.get(standing.player.handle)) for standing in stored[:ROWS_SHOWN]]
    statuses = list(contest.standings.values_list("status", flat=True))
    return _table(rows, statuses, 0, effects)


def _stored_row(standing: Standing, effect: Effect | None) -> TableRow:
    player = standing.player
    return TableRow(
        player.handle,
        player.name,
        player.country,
        standing.team,
        standing.status,
        standing.rank,
        standing.score,
        standing.penalty,
        player.pk,
        effect,
        standing.pk,
    )


def _effects(contest: Contest, entries: Sequence[Entry] | None, snapshot: SeriesSnapshot, whole: bool) -> Effects:
    if not contest.is_rated:
        return Effects({})
    around = Contest.objects.rated().filter(series_id=contest.series_id)
    counts = around.aggregate(
        later=Count("pk", filter=Q(ends_at__gt=contest.ends_at)),
        earlier_results=Sum("standing_count", filter=Q(ends_at__lte=contest.ends_at), default=0),
    )
    if counts["later"] and counts["earlier_results"] > REPLAYED_AT_ONCE and not whole:
        return Effects({}, counts["later"], counts["earlier_results"])
    try:
        preview = preview_contest(contest, entries)
    except ContestError as error:
        return Effects({}, problem=str(error))
    effects = {row.handle: Effect.of(row, snapshot) for row in preview.rows[:ROWS_SHOWN]}
    return Effects(effects, preview.later_contests)


def _table(rows: list[TableRow], statuses: Sequence[str], new_players: int, effects: Effects) -> Table:
    return Table(
        rows,
        len(statuses),
        statuses.count("ranked"),
        statuses.count("unofficial"),
        statuses.count("disqualified"),
        new_players,
        effects,
    )


def projected_effects(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
) -> dict[str, Any]:
    """Rate the file's contest as if it were final, and say by which run and rules the numbers are."""
    snapshot = as_it_will_be(contest.series)
    effects = effects_of_file(contest, parsed, players, snapshot, whole=not at_once)
    return {**effects_as_json(effects), "as_of": as_of(snapshot)}


def as_of(snapshot: SeriesSnapshot) -> list[str]:
    """Return what shown numbers depend on: the run, and the version of the rules."""
    return [str(snapshot.run.uid) if snapshot.run else "", str(snapshot.scheme.uid) if snapshot.scheme else ""]
