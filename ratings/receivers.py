"""The receiver of what `contests` announces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.dispatch import receiver

from contests.signals import results_changed
from ratings.publishing.queue import mark_stale
from ratings.publishing.schemes import refuse_rated_teams, scheme_of
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
    refuse_rated_teams(get_system(scheme.system, **scheme.parameters), series_id)
    mark_stale(series_id, since=since, cause=cause, actor=actor)
