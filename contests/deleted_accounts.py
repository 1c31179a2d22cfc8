"""What an account leaves behind when it is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from contests.services.organizers import withdraw_invitations_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@receiver(pre_delete, sender=settings.AUTH_USER_MODEL)
def withdraw_invitations(sender: object, instance: User, **kwargs: Any) -> None:
    """Let the invitations of an account end with it: afterwards they would look like those of a command."""
    withdraw_invitations_of(instance.pk)
