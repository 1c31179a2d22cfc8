"""Re-authentication: before a dangerous act, people prove again that it is they who sit at the open browser."""

from __future__ import annotations

import time
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpResponseRedirect
from django.utils.http import urlencode

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    View = TypeVar("View", bound=Callable[..., HttpResponse])

#: In the session: when its owner last gave a password, a code or a passkey.
_CONFIRMED = "podium_confirmed_at"


def reauthenticated(view: View) -> View:
    """
    Let a view act only for those who have logged in, or confirmed that it is they, a short while ago.

    Reading needs no confirmation. Others get allauth's page for it, and come back; `organizer_page` keeps what they
    typed. It goes outside of this decorator.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            require_confirmation(request)
        return view(request, *args, **kwargs)

    return checked  # type: ignore[return-value]


def require_confirmation(request: HttpRequest) -> None:
    """Raise what leads to the page for a confirmation, unless the visitor has confirmed a short while ago."""
    if not is_confirmed(request):
        raise ReauthenticationRequired


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the visitor has logged in or confirmed a short while ago, or has no means to confirm."""
    if not request.user.is_authenticated:
        return False
    age = time.time() - request.session.get(_CONFIRMED, 0)
    # Accounts without password and second factor log in with another site, which allauth cannot ask again.
    return age < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT or not get_reauthentication_flows(request.user)


def note_confirmation(request: HttpRequest | None, **_kwargs: Any) -> None:
    """Remember that the visitor has just logged in or confirmed; does nothing outside of a session."""
    if request is not None and hasattr(request, "session"):
        request.session[_CONFIRMED] = time.time()


def ask_to_confirm(request: HttpRequest, page: str) -> HttpResponse:
    """Redirect to the page where the visitor confirms, and from there back to a page."""
    methods = get_adapter().get_reauthentication_methods(request.user)
    return HttpResponseRedirect(f"{methods[0]['url']}?{urlencode({REDIRECT_FIELD_NAME: page})}")
