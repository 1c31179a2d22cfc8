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


def visible_series(user: User | AnonymousUser) -> QuerySet[Series]:
    """Return the series that the visitor may read."""
    if not user.is_authenticated:
        return Series.objects.public()
    return Series.objects.filter(pk__in=Series.objects.public().values("pk")) | Series.objects.filter(
        pk__in=Series.objects.organized_by(user).values("pk")
    )


def visible_players(user: User | AnonymousUser) -> QuerySet[Player]:
    """
    Return the players whom the visitor may know of, without those merged into others: who has a result that the visitor
    may read, a deleted one too, as runs may still show it; and who has none anywhere.
    """
    mine = Series.objects.organized_by(user).values("pk")
    results = Standing.objects.filter(player=OuterRef("pk"))
    readable = Q(contest__series__is_public=True, contest__finalized_at__isnull=False) | Q(contest__series__in=mine)
    return Player.objects.existing().filter(Exists(results.filter(readable)) | ~Exists(results))


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


def announced_contests(user: User | AnonymousUser) -> QuerySet[Contest]:
    """Return the announced drafts that the visitor may know of: those to come, and those that wait for results."""
    announced = Contest.objects.filter(state=ContestState.DRAFT, is_announced=True)
    return announced.filter(series__in=visible_series(user))
