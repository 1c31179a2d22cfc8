"""The search for contests, series and communities by name, with misspelt names if nothing has the text as typed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from django.db.models import Q

from contests.handles import query_words
from contests.matching.titles import similarly_named
from contests.models import Contest, Series
from contests.queries.communities import are_several_listed, names_if_several
from contests.queries.visibility import listed_communities, listed_series

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.matching.known_words import Spellings
    from contests.models import Community
    from contests.models.contest import ContestQuerySet

    Found = TypeVar("Found", Contest, Series, Community)

#: The number of words that count in a search for contests, series or communities.
MAX_WORDS = 8


@dataclass(frozen=True, slots=True)
class FoundTitles:
    """
    Series and communities by name, and contests, the newest first.

    are_similar
        Whether the names only resemble the text.
    """

    series: list[Series] = field(default_factory=list)
    communities: list[Community] = field(default_factory=list)
    contests: list[Contest] = field(default_factory=list)
    are_similar: bool = False

    def __bool__(self) -> bool:
        return bool(self.series or self.communities or self.contests)


def find_titles(
    text: str,
    user: User | AnonymousUser,
    most: int,
    spellings: Spellings,
    *,
    has_players: bool,
    series: QuerySet[Series] | None = None,
) -> FoundTitles:
    """
    Return the series, communities and contests that site-wide lists show to a visitor and whose names contain a text.

    most
        The greatest number of each kind.
    has_players
        Whether there are players with the text in their names. If not, and if no title has it either, the titles
        with the most similar names are returned.
    series
        The series to search, perhaps with annotations; by default, those that site-wide lists show.
    """
    among = listed_series(user) if series is None else series
    own, communities = contests_to_find(user), _communities_to_find(user)
    found = FoundTitles(
        list(find_series(text, among)[:most]),
        _if_several(list(_with_words(text, communities)[:most])) if communities is not None else [],
        list(find_contests(text, own)[:most]),
    )
    if found or has_players:
        return found
    words = query_words(text)
    named = similarly_named(words, among.order_by("name", "pk"), most, spellings)
    called = similarly_named(words, communities, most, spellings) if communities is not None else []
    held = similarly_named(words, own.newest_first(), most, spellings)
    # Names with more edits are unlikely to be meant.
    fewest = min((count for count, _ in (*named, *called, *held)), default=0)
    return FoundTitles(
        [row for count, row in named if count == fewest],
        _if_several([row for count, row in called if count == fewest]),
        [row for count, row in held if count == fewest],
        are_similar=True,
    )


def contests_to_find(user: User | AnonymousUser) -> ContestQuerySet:
    """Return the contests and events that searches of the whole site list, with their series."""
    listed = Contest.objects.finalized().listed_alone().filter(series__in=listed_series(user))
    return listed.select_related("series")


def _communities_to_find(user: User | AnonymousUser) -> QuerySet[Community] | None:
    """Return the communities that searches list, by name; None if the site lists only one to an anonymous visitor."""
    if not user.is_authenticated and not are_several_listed():
        return None
    return listed_communities(user).order_by("name", "pk")


def find_contests(text: str, contests: ContestQuerySet) -> ContestQuerySet:
    """Return the contests whose names contain all words of the text, newest first."""
    words = text.split()[:MAX_WORDS]
    for word in words:
        contests = contests.filter(name__icontains=word)
    return contests.newest_first() if words else contests.none()


def find_series(text: str, series: QuerySet[Series]) -> QuerySet[Series]:
    """Return the series whose name or slug contains each word of the text, sorted by name."""
    return _with_words(text, series.order_by("name", "pk"))


def _with_words(text: str, rows: QuerySet[Found]) -> QuerySet[Found]:
    words = text.split()[:MAX_WORDS]
    for word in words:
        rows = rows.filter(Q(name__icontains=word) | Q(slug__icontains=word))
    return rows if words else rows.none()


def _if_several(communities: list[Community]) -> list[Community]:
    """Return the communities unless they are the only one that the site lists, whose name no page shows."""
    return communities if names_if_several({one.pk for one in communities}) else []
