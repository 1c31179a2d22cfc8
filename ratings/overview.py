"""Series at a glance: for home and the list of series, in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Subquery

from contests.models import Contest, Series
from ratings.models import Rating
from ratings.shown import shown_all

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from ratings.shown import Shown

STEPS = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the podium."""

    rating: Rating
    points: int


@dataclass(frozen=True, slots=True)
class SeriesCard:
    """A series with its best three and its newest contest."""

    shown: Shown
    podium: list[Step]
    newest: Contest | None

    @property
    def series(self) -> Series:
        return self.shown.series


def with_glance(series: QuerySet[Series]) -> QuerySet[Series]:
    """Add to each series the ids of what a card shows."""
    best = Rating.objects.filter(series=OuterRef("pk")).best_first().values("pk")
    newest = Contest.objects.finalized().filter(series=OuterRef("pk")).newest_first()
    steps = {name: Subquery(best[place : place + 1]) for place, name in enumerate(STEPS)}
    return series.annotate(
        newest=Subquery(newest.values("pk")[:1]), newest_at=Subquery(newest.values("ends_at")[:1]), **steps
    )


def series_cards(series: list[Series]) -> list[SeriesCard]:
    """Return the cards of series that came from `with_glance`: four queries."""
    shown = shown_all(series)
    ids = [getattr(one, name) for one in series for name in STEPS]
    ratings = Rating.objects.filter(pk__in=[pk for pk in ids if pk]).select_related("player").defer("belief")
    by_id = {rating.pk: rating for rating in ratings}
    contests = Contest.objects.in_bulk([one.newest for one in series if one.newest])  # type: ignore[attr-defined]
    return [
        SeriesCard(
            shown[one.pk],
            [
                Step(rating, shown[one.pk].rating(rating.score))
                for name in STEPS
                if (rating := by_id.get(getattr(one, name)))
            ],
            contests.get(one.newest),  # type: ignore[attr-defined]
        )
        for one in series
    ]
