"""The rules for creating an account: PODIUM_SIGN_UP is open, invitation or closed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from allauth.account.internal.flows.signup import complete_signup
from allauth.account.utils import setup_user_email
from django.conf import settings

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

#: In the session of someone who has opened a valid invitation: until when they may create an account.
_INVITED = "podium_invited_until"
_INVITED_SECONDS = 3600


def is_open_to(request: HttpRequest) -> bool:
    """Return whether this visitor may create an account."""
    if settings.PODIUM_SIGN_UP == "invitation":
        return request.session.get(_INVITED, 0) > time.time()
    return bool(settings.PODIUM_SIGN_UP == "open")


def allows_invited() -> bool:
    """Return whether someone with a valid invitation may create an account."""
    return bool(settings.PODIUM_SIGN_UP != "closed")


def admit(request: HttpRequest) -> None:
    """Let a visitor with a valid invitation create an account, on the sign-up page or through another site too."""
    if settings.PODIUM_SIGN_UP == "invitation" and not request.user.is_authenticated:
        request.session[_INVITED] = time.time() + _INVITED_SECONDS


def welcome(request: HttpRequest, user: User, destination: str) -> HttpResponse:
    """
    Log in a new account that an invitation has created, and redirect to the destination.

    The invitation vouches for the account, so an address that it gave is verified later.
    """
    request.session.pop(_INVITED, None)
    setup_user_email(request, user, [])
    response: HttpResponse = complete_signup(
        request, user=user, email_verification="optional", redirect_url=destination
    )
    return response
