"""Standings tables with a preview of the ratings: one row for each participant, in the order of the table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Q, Sum
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.models import Contest
from ratings.publishing.projection import Entry, preview_contest
from ratings.queries.snapshot import preview_snapshot_of
from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contests.formats import ParsedContest
    from contests.models import Standing
    from contests.uploads.review import Review
    from ratings.publishing.projection import ProjectedRating
    from ratings.queries.snapshot import SeriesSnapshot

#: Rows shown of a longer table; counts and ratings always cover all rows.
ROWS_SHOWN = 200
#: Previewing a draft in the past replays all earlier contests. Up to this many results, that takes less than a second;
#: above that, the preview is computed only on demand.
REPLAYED_AT_ONCE = 30_000


@dataclass(frozen=True, slots=True)
class RatingPreview:
    """The displayed rating of one player before and after; `before` is None for a new player."""

    before: int | None
    after: int
    change: int
    performance: int | None

    @classmethod
    def of(cls, projected: ProjectedRating, snapshot: SeriesSnapshot) -> RatingPreview:
        before = snapshot.rating_of(projected.mu_before, projected.sigma_before)
        after = snapshot.rating_of(projected.mu, projected.sigma)
        return cls(
            None if projected.is_new else before,
            after,
            after - before,
            snapshot.rating(projected.performance) if snapshot.has_performance else None,
        )


@dataclass(frozen=True, slots=True)
class StandingsPreview:
    """
    The rating previews of a table.

    by_handle
        By the handle of each row that is shown.
    later_contests
        Contests of the series after this one.
    not_replayed
        Results before this contest, if the preview was left out because of their number; else 0.
    problem
        The reason why the contest cannot be rated; empty if it can.
    note
        What the rating system ignores in the contest; empty if nothing.
    """

    by_handle: dict[str, RatingPreview]
    later_contests: int = 0
    not_replayed: int = 0
    problem: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One participant as the table shows it; `player_id` is None for a player who is not on the site yet."""

    handle: str
    name: str
    country: str
    team: str
    status: str
    rank: int | None
    score: float | None
    penalty: float | None
    player_id: int | None
    preview: RatingPreview | None
    standing_id: int | None = None
    known_as: str = ""
    share: float | None = None
    handicap: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The first rows of a standings table, and the counts of all rows."""

    rows: list[TableRow]
    total: int
    ranked: int
    unofficial: int
    disqualified: int
    new_players: int
    preview: StandingsPreview
    has_times: bool = False

    @property
    def is_cut(self) -> bool:
        return self.total > len(self.rows)

    @property
    def moves_ratings(self) -> bool:
        return bool(self.preview.by_handle)

    @property
    def has_scores(self) -> bool:
        return any(row.score is not None for row in self.rows)

    @property
    def has_penalties(self) -> bool:
        return any(row.penalty is not None for row in self.rows)

    @property
    def has_teams(self) -> bool:
        return any(row.team for row in self.rows)


def table_of_review(review: Review) -> Table:
    """Return the table of a contest with the standings of a reviewed file."""
    preview = preview_from_json(review.preview)
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
            preview.by_handle.get(row.handle),
            known_as=row.known_as,
            share=row.share,
            handicap=row.handicap,
        )
        for row in review.rows
    ]
    counts = review.counts
    return Table(
        rows,
        counts.total,
        counts.ranked,
        counts.unofficial,
        counts.disqualified,
        counts.new_players,
        preview,
        review.has_times,
    )


def preview_of_file(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], snapshot: SeriesSnapshot, *, whole: bool
) -> StandingsPreview:
    """Return the preview of a file's standings for the rows that a table shows; `whole` as in `table_of_draft`."""
    order = sorted((rank, i) for i, rank in enumerate(parsed.ranks) if rank is not None)
    rows = parsed.standings
    entries = [
        Entry(rows[i].handle, players[i], rank, rows[i].team, rows[i].share, rows[i].handicap) for rank, i in order
    ]
    return _preview(contest, entries, snapshot, whole)


def preview_to_json(preview: StandingsPreview) -> dict[str, Any]:
    """Return the preview as JSON values; `is_left_out` is true if it still has to be computed."""
    return {**asdict(preview), "is_left_out": bool(preview.not_replayed)}


def preview_from_json(value: Mapping[str, Any] | None) -> StandingsPreview:
    """Return the preview that `preview_to_json` wrote; an empty one for None."""
    if value is None:
        return StandingsPreview({})
    by_handle = {handle: RatingPreview(**each) for handle, each in value["by_handle"].items()}
    return StandingsPreview(
        by_handle, value["later_contests"], value["not_replayed"], value["problem"], value.get("note", "")
    )


def table_of_draft(contest: Contest, snapshot: SeriesSnapshot, *, whole: bool) -> Table:
    """
    Return the table of a draft's stored standings.

    whole
        Whether to compute the preview even if more than `REPLAYED_AT_ONCE` results must be replayed.
    """
    stored = contest.standings.for_table()
    preview = _preview(contest, None, snapshot, whole) if contest.standing_count else StandingsPreview({})
    rows = [_stored_row(standing, preview.by_handle.get(standing.player.handle)) for standing in stored[:ROWS_SHOWN]]
    statuses = list(contest.standings.values_list("status", flat=True))
    ranked, unofficial, disqualified = (statuses.count(name) for name in ("ranked", "unofficial", "disqualified"))
    return Table(rows, len(statuses), ranked, unofficial, disqualified, 0, preview, contest.has_times)


def _stored_row(standing: Standing, preview: RatingPreview | None) -> TableRow:
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
        preview,
        standing.pk,
        share=standing.share,
        handicap=standing.handicap,
    )


def _preview(
    contest: Contest, entries: Sequence[Entry] | None, snapshot: SeriesSnapshot, whole: bool
) -> StandingsPreview:
    if not contest.is_rated:
        return StandingsPreview({})
    around = Contest.objects.rated().filter(series_id=contest.series_id)
    counts = around.aggregate(
        later=Count("pk", filter=Q(ends_at__gt=contest.ends_at)),
        earlier_results=Sum("standing_count", filter=Q(ends_at__lte=contest.ends_at), default=0),
    )
    if counts["later"] and counts["earlier_results"] > REPLAYED_AT_ONCE and not whole:
        return StandingsPreview({}, counts["later"], counts["earlier_results"])
    try:
        projected = preview_contest(contest, entries)
    except ContestError as error:
        return StandingsPreview({}, problem=str(error))
    by_handle = {row.handle: RatingPreview.of(row, snapshot) for row in projected.rows[:ROWS_SHOWN]}
    return StandingsPreview(by_handle, projected.later_contests, note=_note(contest, entries, snapshot))


def _note(contest: Contest, entries: Sequence[Entry] | None, snapshot: SeriesSnapshot) -> str:
    """Return a note that the system ignores shares of play; empty if no one has one."""
    has_shares = contest.has_shares if entries is None else any(entry.share is not None for entry in entries)
    if not has_shares or SYSTEMS[snapshot.system].rates_partial_play:
        return ""
    *others, last = [str(each.description.title) for each in SYSTEMS.values() if each.rates_partial_play]
    rating = gettext("%(systems)s or %(last)s") % {"systems": ", ".join(others), "last": last} if others else last
    return gettext(
        "%(system)s counts every player in full. Podium stores and shows how much of the contest each player played, "
        "but this doesn’t change ratings. Only %(rating)s uses it."
    ) % {"system": SYSTEMS[snapshot.system].description.title, "rating": rating}


def projected_effects(
    contest: Contest, parsed: ParsedContest, players: Sequence[int | None], *, at_once: bool
) -> dict[str, Any]:
    """Preview the ratings of a file's standings as JSON values, with the run and the scheme behind the numbers."""
    snapshot = preview_snapshot_of(contest.series)
    preview = preview_of_file(contest, parsed, players, snapshot, whole=not at_once)
    return {**preview_to_json(preview), "as_of": as_of(snapshot)}


def as_of(snapshot: SeriesSnapshot) -> list[str]:
    """Return what displayed numbers depend on: the run and the scheme."""
    return [str(snapshot.run.uid) if snapshot.run else "", str(snapshot.scheme.uid) if snapshot.scheme else ""]
