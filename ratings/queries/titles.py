"""The search of the whole site: for players, and for contests, series and communities by name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Q

from contests.handles import query_words
from contests.matching.known_words import Spellings
from contests.matching.titles import contains_words, named, named_with_series, similarly_named, with_most_words
from contests.models import Contest, Series
from contests.queries.communities import are_several_listed, names_if_several
from contests.queries.visibility import listed_communities, listed_series
from ratings.queries.search import Found, find_players

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models import Community
    from contests.models.contest import ContestQuerySet

    #: Looks up words among rows of one kind: returns how well they match, and the rows.
    LookUp = Callable[[QuerySet[Any]], Sequence[tuple[int, Any]]]

#: The number of words that count in a filter of series.
MAX_WORDS = 8


@dataclass(frozen=True, slots=True)
class FoundTitles:
    """
    Series and communities by name, and contests, the newest first.

    are_similar
        Whether the names only resemble the text, or have only some of its words.
    """

    series: list[Series] = field(default_factory=list)
    communities: list[Community] = field(default_factory=list)
    contests: list[Contest] = field(default_factory=list)
    are_similar: bool = False

    def __bool__(self) -> bool:
        return bool(self.series or self.communities or self.contests)


class FoundOnSite(NamedTuple):
    """Everything that matches a text."""

    players: Found
    titles: FoundTitles


def find_on_site(
    text: str,
    user: User | AnonymousUser,
    most: int,
    *,
    ranked: Series | None = None,
    community: str = "",
    series: QuerySet[Series] | None = None,
) -> FoundOnSite:
    """
    Return the players, series, communities and contests that match a text and that site-wide lists show to a visitor.

    If a title has the text as typed, only names that have it are returned. If no name has it, those with similar words
    are returned and, if there are none, titles with some of the words.

    most
        The greatest number of each kind.
    ranked, community
        The series or community of the players; by default, those that site-wide lists show.
    series
        The series to search, perhaps with annotations; by default, those that site-wide lists show.
    """
    spellings, words = Spellings(), query_words(text)
    search = _Titles(user, most, spellings, listed_series(user) if series is None else series)
    titles = search.as_typed(words)
    players = find_players(text, most, user, ranked, community=community, spellings=spellings, with_similar=not titles)
    if titles or players.has_typed:
        return FoundOnSite(players, titles)
    titles = search.similar(words)
    if not titles and not players.has_each_word:
        titles = search.with_most_words(words)
    # Players who resemble only the joined words are seldom meant.
    return FoundOnSite(players if players.has_each_word or not titles else Found([], {}), titles)


class _Titles:
    """The search for titles: the rows that a visitor may see, and the greatest number of each kind to return."""

    def __init__(self, user: User | AnonymousUser, most: int, spellings: Spellings, series: QuerySet[Series]) -> None:
        self.most, self.spellings = most, spellings
        self.series = series.order_by("name", "pk")
        self.communities = _communities_to_find(user)
        self.contests = contests_to_find(user)

    def as_typed(self, words: list[str]) -> FoundTitles:
        """Return titles that have all words as typed; contests may have some of them in the names of their series."""
        if not words:
            return FoundTitles()
        contests = list(named(words, self.contests.newest_first())[: self.most])
        if len(words) > 1:
            contests += named_with_series(words, self.contests.newest_first(), self.series)[: self.most]
        contests = list({contest.pk: contest for contest in contests}.values())
        contests.sort(key=lambda contest: (contest.ends_at, contest.sequence, contest.pk), reverse=True)
        communities = self.communities
        return FoundTitles(
            list(named(words, self.series)[: self.most]),
            _if_several(list(named(words, communities)[: self.most])) if communities is not None else [],
            contests[: self.most],
        )

    def similar(self, words: list[str]) -> FoundTitles:
        """Return the titles with similar words that need the fewest edits."""
        found = self._best(lambda rows: [
            (-count, row) for count, row in similarly_named(words, rows, self.most, self.spellings)
        ])  # fmt: skip
        kinds = (found.series, found.communities, found.contests)
        return replace(found, are_similar=not all(contains_words(words, one) for rows in kinds for one in rows))

    def with_most_words(self, words: list[str]) -> FoundTitles:
        """Return titles that have some of several words: those with the most letters of them."""
        if len(words) < 2:
            return FoundTitles()
        return replace(
            self._best(lambda rows: with_most_words(words, rows, self.most, self.spellings)), are_similar=True
        )

    def _best(self, look_up: LookUp) -> FoundTitles:
        """Return the rows of all kinds that match best. The others are unlikely to be meant."""
        series, contests = look_up(self.series), look_up(self.contests.newest_first())
        communities = look_up(self.communities) if self.communities is not None else []
        best = max((match for match, _ in (*series, *communities, *contests)), default=0)
        return FoundTitles(
            [row for match, row in series if match == best],
            _if_several([row for match, row in communities if match == best]),
            [row for match, row in contests if match == best],
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


def find_series(text: str, series: QuerySet[Series]) -> QuerySet[Series]:
    """Return the series whose name or slug contains each word of the text, sorted by name."""
    words = text.split()[:MAX_WORDS]
    for word in words:
        series = series.filter(Q(name__icontains=word) | Q(slug__icontains=word))
    return series.order_by("name", "pk") if words else series.none()


def _if_several(communities: list[Community]) -> list[Community]:
    """Return the communities unless they are the only one that the site lists, whose name no page shows."""
    return communities if names_if_several({one.pk for one in communities}) else []
