"""Checks of passwords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import User
    from django.http import HttpRequest


class OnePassword(AuthenticationBackend):
    """
    allauth's backend, but each attempt hashes exactly one password.

    Otherwise the number of hashes, and with it the time, would reveal whether an email address has an account.
    """

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        name = credentials.get("username") or credentials.get("email") or ""
        return self._check_password(find_account(name), credentials["password"])


def find_account(name: str) -> User | None:
    """
    Return the account with this username or email address; None if there is none, or if the name is ambiguous.

    An exact username wins over the same letters in another case, and a username over an email address. An address that
    several accounts share leads to the one that verified it.
    """
    if not name or "\0" in name:  # databases reject NUL
        return None
    accounts = get_user_model().objects
    exact = accounts.filter(username=name).first()
    if exact is not None:
        return exact
    found = list(accounts.filter(username__iexact=name)[:2])
    if not found and "@" in name:
        found = accounts_with(name)
    return found[0] if len(found) == 1 else None


def accounts_with(email: str) -> list[User]:
    """
    Return the accounts with this email address: the one that verified it, or else all that have it.

    allauth finds only addresses in lower case, but older accounts have them as they were typed. Databases treat more
    letters as equal than mail servers do, such as ı and i, so the final comparison is here.
    """
    email = email.lower()
    addresses = EmailAddress.objects.filter(email=email).select_related("user")
    found = [address.user for address in addresses if address.email == email and address.verified]
    if found:
        return found
    typed = get_user_model().objects.filter(email__iexact=email)
    users = {address.user for address in addresses if address.email == email}
    return sorted(users | {user for user in typed if user.email.lower() == email}, key=lambda user: user.pk)
