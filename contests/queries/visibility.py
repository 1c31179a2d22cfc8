"""
Visibility: anyone can read public series; only members of the community, and programs with its token, can read private
series; only organizers can read drafts.

Lists and searches of the whole site show listed series only: public ones of communities that are listed themselves.

Anyone can see the name, date and web page of an announced draft in a public series, but not its standings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Q

from contests.models import Community, Contest, ContestState, Membership, Player, Role, Series, Standing, Visibility
from contests.models.community import CommunityReader

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models.community import Visitor
    from contests.models.contest import ContestQuerySet, SeriesQuerySet

#: The condition that anyone can read a standing, or could before its contest was deleted.
_IS_PUBLIC = Q(contest__series__is_public=True, contest__finalized_at__isnull=False)
#: The same for lists of the whole site.
_IS_LISTED = Q(contest__series__is_listed=True, contest__finalized_at__isnull=False)


def visible_series(user: Visitor) -> SeriesQuerySet:
    """Return the series that the visitor may read."""
    if not user.is_authenticated:
        return Series.objects.public()
    return Series.objects.filter(Q(is_public=True) | Q(pk__in=Series.objects.readable_by(user).values("pk")))


def listed_series(user: Visitor) -> SeriesQuerySet:
    """Return the series that lists of the whole site show to the visitor: listed ones, and those of members."""
    if not user.is_authenticated:
        return Series.objects.listed()
    return Series.objects.filter(Q(is_listed=True) | Q(pk__in=Series.objects.readable_by(user).values("pk")))


def listed_communities(user: Visitor) -> QuerySet[Community]:
    """Return the communities that lists of the whole site show to the visitor: listed ones, and those joined."""
    if not user.is_authenticated:
        return Community.objects.listed()
    joined = Community.objects.joined_by(user).values("pk")
    return Community.objects.filter(Q(visibility=Visibility.PUBLIC) | Q(pk__in=joined))


def named_series(text: str, series: SeriesQuerySet) -> Series | None:
    """Return the series named [COMMUNITY/]SLUG, by default in the default community; None if there is none."""
    community, slug = split_name(text)
    return series.filter(community=community, slug=slug).first() if slug else None


def split_name(text: str) -> tuple[str, str]:
    """Return community and slug of a name of a series, [COMMUNITY/]SLUG."""
    community, slash, slug = text.rpartition("/")
    return community if slash else settings.PODIUM_COMMUNITY, slug


def own_communities(user: Visitor) -> set[str]:
    """Return the communities all of whose series the visitor may read, because of a role or a token."""
    if isinstance(user, CommunityReader):
        return {user.community_id}
    if not user.is_authenticated:
        return set()
    return set(Membership.objects.filter(user=user).values_list("community", flat=True))


def visible_players(user: Visitor) -> QuerySet[Player]:
    """
    Return the players that the visitor may see, without merged players.

    These are the players with a result that the visitor may read, and all players of the visitor's communities. Results
    of contests deleted after they were finalized count, because earlier runs may still show them.
    """
    return _players(_IS_PUBLIC, user)


def listed_players(user: Visitor) -> QuerySet[Player]:
    """Return the players that lists and searches of the whole site show to the visitor, without merged players."""
    return _with_any_result(_players(_IS_LISTED, user), user)


def players_with_results(user: Visitor) -> QuerySet[Player]:
    """
    Return the visible players that lists and searches of a community show.

    These are the players with a result. Members can see others too, such as a player whose only result was moved.
    """
    return _with_any_result(visible_players(user), user)


def _players(is_open: Q, user: Visitor) -> QuerySet[Player]:
    if not user.is_authenticated:
        return _with_results(is_open)
    if user.is_staff:
        return Player.objects.existing()
    readable = is_open | Q(contest__series__in=Series.objects.readable_by(user).values("pk"))
    results = Standing.objects.filter(readable, player=OuterRef("pk"))
    if isinstance(user, CommunityReader):
        return Player.objects.existing().filter(Q(community=user.community_id) | Exists(results))
    joined = Membership.objects.filter(user=user).values("community")
    return Player.objects.existing().filter(Q(community__in=joined) | Exists(results))


def _with_any_result(players: QuerySet[Player], user: Visitor) -> QuerySet[Player]:
    # Visitors who are not logged in only see players with results anyway.
    return players.filter(Exists(Standing.objects.filter(player=OuterRef("pk")))) if user.is_authenticated else players


def players_known_to_organizers(series_id: int) -> QuerySet[Player]:
    """Return the players that every organizer of the series may see, without merged players."""
    community = Series.objects.filter(pk=series_id).values("community")
    shared = series_shared_by_organizers(series_id)
    known = _with_results(_IS_PUBLIC | Q(contest__series__in=shared.values("pk")))
    return known.filter(community__in=community)


def series_shared_by_organizers(series_id: int) -> SeriesQuerySet:
    """
    Return the series that everyone who organizes this series also organizes.

    Organizers review each other's uploads, so a review shows what is private elsewhere only if it is private to none of
    them.
    """
    memberships = Series.organizers.through.objects
    elsewhere = memberships.filter(series=OuterRef(OuterRef("pk")), user=OuterRef("user"))
    outsiders = memberships.filter(~Exists(elsewhere), series=series_id, user__is_staff=False)
    return Series.objects.filter(~Exists(outsiders))


def lacks_second_organizer(series: Series, asker: User | AnonymousUser | None = None) -> bool:
    """
    Return whether a second organizer has to confirm, but there is none.

    Organizers of the series or community can confirm, and owners, but not staff.

    asker
        Someone who asks others to confirm; None if any two people will do.
    """
    if not series.needs_approval:
        return False
    roles = Membership.objects.filter(community=series.community_id, role__in=(Role.OWNER, Role.ORGANIZER))
    people = get_user_model().objects.filter(
        Q(organized_series=series) | Q(pk__in=roles.values("user")), is_active=True
    )
    if asker is not None and asker.pk is not None:
        return not people.exclude(pk=asker.pk).exists()
    return len(people.values("pk").distinct()[:2]) < 2


def _with_results(readable: Q) -> QuerySet[Player]:
    return Player.objects.existing().filter(Exists(Standing.objects.filter(readable, player=OuterRef("pk"))))


def visible_contest(pk: int, user: User | AnonymousUser) -> Contest:
    """
    Return a contest, deleted ones included, with its series.

    Raises Contest.DoesNotExist if the visitor may not see the contest: for drafts, and in private series.
    """
    # One query, so that a hidden contest takes as long as a missing one.
    seen = Q(finalized_at__isnull=False, series__is_public=True)
    if user.is_authenticated:
        seen |= Q(finalized_at__isnull=False, series__in=Series.objects.readable_by(user).values("pk"))
        seen |= Q(series__in=Series.objects.organized_by(user).values("pk"))
    return Contest.objects.select_related("series").filter(seen).get(pk=pk)


def announced_contest(pk: int) -> Contest:
    """
    Return an announced contest that has no public results yet, with its series; deleted contests included.

    Pages may show only its name, dates, address and series. Raises Contest.DoesNotExist for other contests.
    """
    announced = Contest.objects.filter(is_announced=True, series__is_public=True)
    return announced.exclude(state=ContestState.FINALIZED).select_related("series").get(pk=pk)


def announced_contests(series: QuerySet[Series]) -> ContestQuerySet:
    """Return the announced drafts of these series: upcoming ones, and those without results yet."""
    announced = Contest.objects.filter(state=ContestState.DRAFT, is_announced=True)
    return announced.filter(series__in=series)
