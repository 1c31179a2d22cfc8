"""Sessions: the task on the schedule deletes those that have expired, and no others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.utils import timezone

from podium.tasks import clear_sessions_task

pytestmark = pytest.mark.django_db


def test_expired_sessions_are_deleted_and_others_stay():
    kept, expired = SessionStore(), SessionStore()
    for session in (kept, expired):
        session["x"] = 1
        session.save()
    Session.objects.filter(pk=expired.session_key).update(expire_date=timezone.now() - timedelta(seconds=1))
    clear_sessions_task()
    assert [session.pk for session in Session.objects.all()] == [kept.session_key]
