"""
Who may read what: public series for everybody, the rest and drafts for those who organize the series.

Of an announced draft of a public series everybody may know its name, date and address, and never its standings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q

from contests.models import Contest, ContestState, Player, Series, Standing

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet

    from contests.models.contest import ContestQuerySet

#: Of a standing: anyone may read it, or could before its contest was deleted.
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
    Return the players that the visitor may know of, without those merged into others.

    These are the players with a result that the visitor may read. A result of a contest deleted after it was finalized
    counts, because earlier runs may still show it. Staff know every player, and they alone know those without results.
    """
    if user.is_authenticated and user.is_staff:
        return Player.objects.existing()
    return _with_results(_IS_PUBLIC | Q(contest__series__in=Series.objects.organized_by(user).values("pk")))


def players_known_to_organizers(series_id: int) -> QuerySet[Player]:
    """
    Return the players that every organizer of the series may know of, without those merged into others.

    What one of them uploads the others review too, so a private series counts only if all of them organize it.
    """
    memberships = Series.organizers.through.objects
    elsewhere = memberships.filter(series=OuterRef(OuterRef("pk")), user=OuterRef("user"))
    strangers = memberships.filter(~Exists(elsewhere), series=series_id, user__is_staff=False)
    shared = Series.objects.filter(~Exists(strangers))
    return _with_results(_IS_PUBLIC | Q(contest__series__in=shared.values("pk")))


def _with_results(readable: Q) -> QuerySet[Player]:
    return Player.objects.existing().filter(Exists(Standing.objects.filter(readable, player=OuterRef("pk"))))


def visible_contest(pk: int, user: User | AnonymousUser) -> Contest:
    """
    Return a contest, deleted ones included, with its series.

    Raises Contest.DoesNotExist where there is nothing the visitor may know of: drafts, and private series.
    """
    contest = Contest.objects.select_related("series").get(pk=pk)
    is_open = contest.series.is_public and contest.finalized_at is not None
    if not is_open and not Series.objects.organized_by(user).filter(pk=contest.series_id).exists():
        raise Contest.DoesNotExist
    return contest


def announced_contest(pk: int) -> Contest:
    """
    Return a contest that everybody may know of before its results, with its series; deleted ones too.

    Only what was announced may be shown: name, dates, address and series. Raises Contest.DoesNotExist for others.
    """
    announced = Contest.objects.filter(is_announced=True, series__is_public=True)
    return announced.exclude(state=ContestState.FINALIZED).select_related("series").get(pk=pk)


def announced_contests(user: User | AnonymousUser) -> ContestQuerySet:
    """Return the announced drafts that the visitor may know of: those to come, and those that wait for results."""
    announced = Contest.objects.filter(state=ContestState.DRAFT, is_announced=True)
    return announced.filter(series__in=visible_series(user))
