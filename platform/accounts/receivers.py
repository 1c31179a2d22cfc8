"""Receivers that note when people prove who they are, and end the sessions of accounts that are switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.signals import authentication_step_completed
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_save, pre_delete
from django.dispatch import receiver

from accounts.confirming import note_confirmation

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest


@receiver(user_logged_in)
def _logged_in(request: HttpRequest | None, **_others: Any) -> None:
    note_confirmation(request)


@receiver(authentication_step_completed)
def _confirmed(request: HttpRequest, *, reauthenticated: bool = False, **_others: Any) -> None:
    if reauthenticated:
        note_confirmation(request)


@receiver(post_save, sender=settings.AUTH_USER_MODEL)
def _switched_off(instance: User, raw: bool, created: bool, **_others: Any) -> None:
    if not (instance.is_active or raw or created):
        _end_sessions(instance)


@receiver(pre_delete, sender=settings.AUTH_USER_MODEL)
def _deleted(instance: User, **_others: Any) -> None:
    _end_sessions(instance)


def _end_sessions(user: User) -> None:
    for session in UserSession.objects.filter(user=user):
        session.end()
