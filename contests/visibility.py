"""Who may read what: public series for everybody, the rest and drafts for those who organize the series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.models import Contest, Series

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
