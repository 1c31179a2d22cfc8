"""Names of deleted accounts, kept in the runs and schemes that these accounts made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from ratings.models import Run, Scheme, StaleMark

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@receiver(pre_delete, sender=settings.AUTH_USER_MODEL)
def keep_name(sender: object, instance: User, **kwargs: Any) -> None:
    """Write the name of the account beside its links, which end with it; marks pass it on to the run to come."""
    name = instance.get_username()
    Run.objects.filter(actor=instance.pk).update(actor_name=name)
    Run.objects.filter(cancelled_by=instance.pk).update(cancelled_by_name=name)
    Scheme.objects.filter(created_by=instance.pk).update(created_by_name=name)
    StaleMark.objects.filter(actor=instance.pk).update(actor_name=name)
