"""Deletion of accounts whose owner never verified the email address, so that names and addresses become free again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User
    from django.db.models import QuerySet

#: What a sign-up creates besides the account itself.
_OF_SIGN_UP = (EmailAddress, SocialAccount)
#: The most accounts that one run deletes; the next one continues.
MOST = 5_000


def delete_unverified_accounts(now: datetime | None = None) -> int:
    """
    Delete accounts that no one has verified within PODIUM_UNVERIFIED_DAYS; return their number.

    Sites without mail verify no addresses, so nothing is deleted there.
    """
    if not settings.PODIUM_SENDS_MAIL:
        return 0
    before = (now or timezone.now()) - timedelta(days=settings.PODIUM_UNVERIFIED_DAYS)
    found = unverified_accounts(before).order_by("pk").values_list("pk", flat=True)[:MOST]
    return sum(_delete(pk, before) for pk in list(found))


def unverified_accounts(before: datetime) -> QuerySet[User]:
    """
    Return the accounts from before this moment that only exist because someone filled in the sign-up form.

    They have an address and no verified one, and have never logged in. Staff and accounts that anything refers to, such
    as roles, uploads, invitations and audit entries, are not among them, and neither are accounts without an address in
    allauth's table, which the staff or a command created.
    """
    addresses = EmailAddress.objects.filter(user=OuterRef("pk"))
    accounts = get_user_model().objects.filter(
        Exists(addresses),
        ~Exists(addresses.filter(verified=True)),
        date_joined__lt=before,
        last_login=None,
        is_staff=False,
        is_superuser=False,
    )
    # All relations, hidden ones too, so that a new table cannot be forgotten here.
    for relation in get_user_model()._meta.get_fields(include_hidden=True):
        if relation.one_to_many or relation.one_to_one:
            rows = relation.related_model
            if rows not in _OF_SIGN_UP:
                name = relation.field.name  # type: ignore[union-attr]
                accounts = accounts.filter(~Exists(rows._base_manager.filter(**{name: OuterRef("pk")})))  # type: ignore[union-attr]
    return accounts


@transaction.atomic
def _delete(pk: int, before: datetime) -> bool:
    """Delete an account if it is still unverified; someone who verifies it at this moment waits or comes first."""
    list(EmailAddress.objects.select_for_update().filter(user=pk).order_by("pk"))
    account = unverified_accounts(before).select_for_update().filter(pk=pk).first()
    if account is None:
        return False
    account._is_unverified = True  # type: ignore[attr-defined]  # for the audit entry
    account.delete()
    return True
