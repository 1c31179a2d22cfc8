"""
Visibility: anyone can read public series; only organizers can read private series and drafts.

Anyone can see the name, date and address of an announced draft in a public series, but not its standings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q

from contests.models import Contest, ContestState, Player, Series, Standing

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models.contest import ContestQuerySet

#: The condition that anyone can read a standing, or could before its contest was deleted.
_IS_PUBLIC = Q(contest__series__is_public=True, contest__finalized_at__isnull=False)


def visible_series(user: User | AnonymousUser) -> QuerySet[Series]:
    """Return the series that the visitor may read."""
    if not user.is_authenticated:
        return Series.objects.public()
    return Series.objects.filter(pk__in=Series.objects.public().values("pk")) | Series.objects.filter(
        pk__in=Series.objects.organized_by(user).values("pk")
    )


def visible_players(user: User | AnonymousUser) -> QuerySet[Player]:
    """
    Return the players that the visitor may see, without merged players.

    These are the players with a result that the visitor may read. Results of contests deleted after they were finalized
    count, because earlier runs may still show them. Only staff see players without results.
    """
    if user.is_authenticated and user.is_staff:
        return Player.objects.existing()
    return _with_results(_IS_PUBLIC | Q(contest__series__in=Series.objects.organized_by(user).values("pk")))


def players_known_to_organizers(series_id: int) -> QuerySet[Player]:
    """
    Return the players that every organizer of the series may see, without merged players.

    Organizers review each other's uploads, so players of a private series count only if all of them organize it.
    """
    memberships = Series.organizers.through.objects
    elsewhere = memberships.filter(series=OuterRef(OuterRef("pk")), user=OuterRef("user"))
    outsiders = memberships.filter(~Exists(elsewhere), series=series_id, user__is_staff=False)
    shared = Series.objects.filter(~Exists(outsiders))
    return _with_results(_IS_PUBLIC | Q(contest__series__in=shared.values("pk")))


def _with_results(readable: Q) -> QuerySet[Player]:
    return Player.objects.existing().filter(Exists(Standing.objects.filter(readable, player=OuterRef("pk"))))


def visible_contest(pk: int, user: User | AnonymousUser) -> Contest:
    """
    Return a contest, deleted ones included, with its series.

    Raises Contest.DoesNotExist if the visitor may not see the contest: for drafts, and in private series.
    """
    contest = Contest.objects.select_related("series").get(pk=pk)
    is_open = contest.series.is_public and contest.finalized_at is not None
    if not is_open and not Series.objects.organized_by(user).filter(pk=contest.series_id).exists():
        raise Contest.DoesNotExist
    return contest


def announced_contest(pk: int) -> Contest:
    """
    Return an announced contest that has no public results yet, with its series; deleted contests included.

    Pages may show only its name, dates, address and series. Raises Contest.DoesNotExist for other contests.
    """
    announced = Contest.objects.filter(is_announced=True, series__is_public=True)
    return announced.exclude(state=ContestState.FINALIZED).select_related("series").get(pk=pk)


def announced_contests(user: User | AnonymousUser) -> ContestQuerySet:
    """Return the announced drafts that the visitor may see: upcoming ones, and those without results yet."""
    announced = Contest.objects.filter(state=ContestState.DRAFT, is_announced=True)
    return announced.filter(series__in=visible_series(user))
