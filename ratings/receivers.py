"""The one receiver of the one announcement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.dispatch import receiver

from contests.errors import ContestError
from contests.models import Contest
from contests.signals import results_changed
from ratings.services.marks import mark_stale
from ratings.services.schemes import scheme_of
from ratings.systems import get_system

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User


@receiver(results_changed)
def results_have_changed(
    series_id: int, since: datetime, cause: str, actor: User | None = None, **_kwargs: Any
) -> None:
    """Refuse what the series' system cannot rate; else mark the series stale."""
    scheme = scheme_of(series_id)
    if not get_system(scheme.system, **scheme.parameters).rates_teams:
        team = Contest.objects.rated().filter(series_id=series_id, has_teams=True).first()
        if team is not None:
            raise ContestError(
                f"“{team.name}” is a contest of teams, and {scheme.system} rates single players. "
                "Give one row per player without a team, or mark the contest as unrated."
            )
    mark_stale(series_id, since=since, cause=cause, actor=actor)
