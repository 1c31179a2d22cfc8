"""Cards of communities with their series, for the front page and the list of communities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from contests.queries.visibility import listed_series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import AnonymousUser, User

    from contests.models import Community, Series

#: Series that a card names.
NAMED = 3


@dataclass(slots=True)
class CommunityCard:
    """A community, its first series by name, and the number of the others."""

    community: Community
    series: list[Series] = field(default_factory=list)
    more: int = 0


def community_cards(communities: Sequence[Community], user: User | AnonymousUser) -> list[CommunityCard]:
    """Return the cards of these communities in the same order, in one query."""
    cards = {community.pk: CommunityCard(community) for community in communities}
    numbered = listed_series(user).filter(community__in=list(cards)).annotate(
        number=Window(RowNumber(), partition_by=F("community"), order_by=["name", "pk"]),
        total=Window(Count("*"), partition_by=F("community")),
    )  # fmt: skip
    for series in numbered.filter(number__lte=NAMED).order_by("community", "number"):
        card = cards[series.community_id]
        card.series.append(series)
        card.more = series.total - len(card.series)
    return list(cards.values())
