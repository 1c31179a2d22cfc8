"""Series at a glance, and the front page: for home and the list of series, in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import F, OuterRef, Subquery

from contests.models import Contest, Series
from contests.queries.winners import winners_of
from ratings.models import Rating
from ratings.queries.snapshot import snapshots_of
from web.shared.movers import moves_of
from web.shared.podiums import podiums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from contests.queries.winners import Winners
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.movers import Mover, Moves

#: Of the front page. Results are chosen from the newest so that one busy series does not fill it.
SERIES_SHOWN = 6
RESULTS_SHOWN = 8
RESULTS_READ = 40
RESULTS_OF_ONE = 3
COMING_SHOWN = 6
MOVES_SHOWN = 6
STEPS = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the podium."""

    rating: Rating
    points: int


@dataclass(frozen=True, slots=True)
class SeriesCard:
    """A series with its best three and its newest contest."""

    snapshot: SeriesSnapshot
    podium: list[Step]
    newest: Contest | None

    @property
    def series(self) -> Series:
        return self.snapshot.series


@dataclass(frozen=True, slots=True)
class Result:
    """A contest that is over: who won, and whose rating rose most (None: nobody's, or not known yet)."""

    contest: Contest
    winners: Winners | None
    best: Mover | None


@dataclass(frozen=True, slots=True)
class FrontPage:
    """What home shows; `moves` with their contests, those of the series played last first."""

    cards: list[SeriesCard]
    has_more_series: bool
    results: list[Result]
    moves: list[tuple[Contest, Moves]]
    coming: list[Contest]


def front_page(series: QuerySet[Series]) -> FrontPage:
    """Return the front page of these series: at most thirteen queries, whatever they hold."""
    listed = list(with_glance(series).order_by(F("newest_at").desc(nulls_last=True), "name", "pk")[: SERIES_SHOWN + 1])
    of_series = Contest.objects.filter(series__in=series).select_related("series")
    contests = _mixed(list(of_series.finalized().newest_first()[:RESULTS_READ]))
    snapshots = snapshots_of({*listed, *(contest.series for contest in contests)})
    winners, moves = winners_of(contests), moves_of(snapshots.values())
    return FrontPage(
        series_cards(listed[:SERIES_SHOWN], snapshots),
        len(listed) > SERIES_SHOWN,
        [Result(contest, winners.get(contest.pk), _best(moves.get(contest.pk))) for contest in contests],
        _newest_moves(moves, [one.pk for one in listed]),
        list(of_series.coming()[:COMING_SHOWN]),
    )


def _mixed(contests: list[Contest]) -> list[Contest]:
    """Choose of contests, newest first: few of each series, and more where there are no others."""
    counts: dict[int, int] = {}
    chosen: list[Contest] = []
    left: list[Contest] = []
    for contest in contests:
        counts[contest.series_id] = counts.get(contest.series_id, 0) + 1
        (chosen if counts[contest.series_id] <= RESULTS_OF_ONE else left).append(contest)
    picked = {contest.pk for contest in (chosen + left)[:RESULTS_SHOWN]}
    return [contest for contest in contests if contest.pk in picked]


def _best(moves: Moves | None) -> Mover | None:
    return moves.gains[0] if moves is not None and moves.gains else None


def _newest_moves(moves: dict[int, Moves], series_ids: Sequence[int]) -> list[tuple[Contest, Moves]]:
    """Return of each series the newest contest in which anybody moved, in the order of the series."""
    newest: dict[int, Moves] = {}
    for one in moves.values():
        if one.gains or one.losses:
            newest.setdefault(one.snapshot.series.pk, one)
    kept = [newest[pk] for pk in series_ids if pk in newest][:MOVES_SHOWN]
    contests = Contest.objects.select_related("series").in_bulk([one.contest_id for one in kept])
    return [(contests[one.contest_id], one) for one in kept if one.contest_id in contests]


def with_glance(series: QuerySet[Series]) -> QuerySet[Series]:
    """Add to each series the ids of what a card shows."""
    best = Rating.objects.filter(series=OuterRef("pk")).best_first().values("pk")
    newest = Contest.objects.finalized().filter(series=OuterRef("pk")).newest_first()
    steps = {name: Subquery(best[place : place + 1]) for place, name in enumerate(STEPS)}
    return series.annotate(
        newest=Subquery(newest.values("pk")[:1]), newest_at=Subquery(newest.values("ends_at")[:1]), **steps
    )


def series_cards(series: list[Series], snapshots: dict[int, SeriesSnapshot] | None = None) -> list[SeriesCard]:
    """Return the cards of series that came from `with_glance`: six queries at most, four where `shown` is at hand."""
    snapshots = snapshots_of(series) if snapshots is None else snapshots
    listed = podiums(snapshots[one.pk] for one in series)
    best = {one.pk: listed.get(one.pk) or [getattr(one, name) for name in STEPS] for one in series}
    ratings = (
        Rating.objects.filter(pk__in=[pk for ids in best.values() for pk in ids if pk])
        .select_related("player")
        .defer("belief")
    )
    by_id = {rating.pk: rating for rating in ratings}
    contests = Contest.objects.in_bulk([one.newest for one in series if one.newest])  # type: ignore[attr-defined]  # annotated
    return [
        SeriesCard(
            snapshots[one.pk],
            [Step(rating, snapshots[one.pk].rating(rating.score)) for pk in best[one.pk] if (rating := by_id.get(pk))],
            contests.get(one.newest),  # type: ignore[attr-defined]  # annotated
        )
        for one in series
    ]
