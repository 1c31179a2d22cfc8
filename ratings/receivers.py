"""Receivers of signals: results changed, or an account is about to be deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from contests.signals import results_changed
from ratings.models import Run, Scheme, StaleMark
from ratings.publishing.queue import mark_stale
from ratings.publishing.schemes import refuse_unratable_results, scheme_of
from ratings.systems import get_system

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User


@receiver(results_changed)
def results_have_changed(
    series_id: int, since: datetime, cause: str, actor: User | None = None, **_kwargs: Any
) -> None:
    """Mark the series stale; ContestError if its system cannot rate the results."""
    scheme = scheme_of(series_id)
    refuse_unratable_results(get_system(scheme.system, **scheme.parameters), series_id)
    mark_stale(series_id, since=since, cause=cause, actor=actor)


@receiver(pre_delete, sender=settings.AUTH_USER_MODEL)
def keep_name(sender: object, instance: User, **kwargs: Any) -> None:
    """Store the name of the account beside the foreign keys that become null; marks pass it on to their run."""
    name = instance.get_username()
    Run.objects.filter(actor=instance.pk).update(actor_name=name)
    Run.objects.filter(cancelled_by=instance.pk).update(cancelled_by_name=name)
    Scheme.objects.filter(created_by=instance.pk).update(created_by_name=name)
    StaleMark.objects.filter(actor=instance.pk).update(actor_name=name)
