"""Marking the series whose published ratings an older version of the engine computed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Subquery

from contests.models import Contest, Series
from ratings.models import Run, StaleMark
from ratings.models.run import ROLLBACK
from ratings.systems import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

CAUSE = "New version of the rating engine"


def mark_outdated(series_ids: Iterable[int] | None = None) -> int:
    """
    Mark the series that an older engine rated as stale, all or some; return how many. Two queries.

    A run that follows such a mark is a replay, because its rules are others. A series that shows an older run again
    after a roll-back keeps showing it, and one that has marks is rated anew anyway. Ratings of a newer engine stay:
    while a site is updated, processes of both versions are at work.
    """
    current = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    oldest = Contest.objects.rated().filter(series=OuterRef("pk")).order_by("ends_at")
    found = Series.objects.annotate(
        version=Subquery(current.values("engine_version")[:1]),
        kind=Subquery(current.values("kind")[:1]),
        since=Subquery(oldest.values("ends_at")[:1]),
    ).filter(~Exists(StaleMark.objects.filter(series=OuterRef("pk"))), version__isnull=False, since__isnull=False)
    if series_ids is not None:
        found = found.filter(pk__in=list(series_ids))
    rows = found.exclude(kind=ROLLBACK).exclude(version=ENGINE_VERSION).values_list("pk", "since", "version")
    marks = [
        StaleMark(series_id=pk, since=since, cause=CAUSE)
        for pk, since, version in rows
        if _number(version) < _number(ENGINE_VERSION)
    ]
    StaleMark.objects.bulk_create(marks)
    return len(marks)


def _number(version: str) -> int:
    """Return the whole number that a version begins with, 0 if it begins with none."""
    digits = re.match(r"\d+", version)
    return int(digits[0]) if digits else 0
