"""Accounts that no one verified are deleted after some time, and no others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tasks import delete_unverified_accounts_task
from contests.models import AuditEntry, Upload
from contests.services.audit import record
from contests.services.communities import set_role
from contests.services.organizers import invite
from tests.factories import make_community, make_series, make_user

pytestmark = pytest.mark.django_db


def names():
    return set(get_user_model().objects.values_list("username", flat=True))


def signed_up(name, *, days=31.0, verified=False, **fields):
    joined = timezone.now() - timedelta(days=days)
    user = make_user(name, email=f"{name}@example.org", date_joined=joined, **fields)
    EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)
    return user


def test_an_account_that_is_not_verified_in_time_is_deleted_and_recorded(settings, mailbox):
    settings.PODIUM_SIGN_UP = "open"
    account = {"username": "bo", "email": "bo@example.org", "password1": "quay-and-7x", "password2": "quay-and-7x"}
    Client().post(reverse("account_signup"), account)
    delete_unverified_accounts_task()
    assert names() == {"bo"}, "not yet"
    get_user_model().objects.update(date_joined=timezone.now() - timedelta(days=30, seconds=1))
    SocialAccount.objects.create(user=get_user_model().objects.get(), provider="github", uid="1")
    delete_unverified_accounts_task()
    assert names() == set()
    entry = AuditEntry.objects.get(action="account.unverified")
    assert (entry.subject, entry.who, entry.is_about_account) == ("account bo", "Podium", True)
    Client().post(reverse("account_signup"), account)
    assert names() == {"bo"}, "the name and the address are free again"


def test_everyone_else_stays(mailbox):
    """One account for each reason to keep it."""
    make_user("by-staff", email="x@example.org", date_joined=timezone.now() - timedelta(days=99))
    signed_up("young", days=29.9)
    signed_up("verified", verified=True)
    two = signed_up("second-verified")
    EmailAddress.objects.create(user=two, email="other@example.org", verified=True)
    signed_up("logged-in", last_login=timezone.now() - timedelta(days=31))
    signed_up("staff", is_staff=True)
    signed_up("superuser", is_superuser=True)
    set_role(make_community("hill").pk, signed_up("member"), "viewer")
    series = make_series("cup", organizer=signed_up("organizer"))
    Upload.objects.create(series=series, created_by=signed_up("uploader"), filename="x.csv", size=1)
    inviter = signed_up("inviter")
    invite(series.pk, actor=inviter)
    AuditEntry.objects.filter(actor=inviter).delete()
    record("contest.create", subject="x", actor=signed_up("author"), series=series)
    Group.objects.create(name="clerks").user_set.add(signed_up("clerk"))
    kept = names()
    signed_up("forgotten")
    delete_unverified_accounts_task()
    assert names() == kept


def test_a_site_without_mail_deletes_no_account(without_mail):
    signed_up("bo")
    delete_unverified_accounts_task()
    assert names() == {"bo"}
