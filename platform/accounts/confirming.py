"""Re-authentication: before a dangerous act, people confirm again that they are the owner of the open session."""

from __future__ import annotations

import time
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ReauthenticationRequired
from allauth.socialaccount.adapter import get_adapter as get_social_adapter
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base import AuthAction, AuthProcess
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
#: Parameters that make another site ask for a login even if the visitor is logged in there. GitHub has none.
_ASK_AGAIN = {"openid_connect": {"auth_params": "prompt=login"}}


def reauthenticated(view: View) -> View:
    """
    Let a view act only for visitors who have recently logged in or confirmed who they are.

    Reading needs no confirmation. Other visitors get allauth's page for it, and come back; `organizer_page` keeps what
    they typed. Put that decorator outside of this one.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            require_confirmation(request)
        return view(request, *args, **kwargs)

    return checked  # type: ignore[return-value]


def require_confirmation(request: HttpRequest) -> None:
    """Raise the exception that leads to the page for a confirmation, unless the visitor has recently confirmed."""
    if not is_confirmed(request):
        raise ReauthenticationRequired


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the visitor has recently logged in or confirmed, or has no means to confirm."""
    if not request.user.is_authenticated:
        return False
    age = time.time() - request.session.get(_CONFIRMED, 0)
    return age < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT or not _pages_to_confirm(request, "")


def note_confirmation(request: HttpRequest | None, **_kwargs: Any) -> None:
    """Remember that the visitor has just logged in or confirmed; does nothing outside of a session."""
    if request is not None and hasattr(request, "session"):
        request.session[_CONFIRMED] = time.time()


def ask_to_confirm(request: HttpRequest, page: str) -> HttpResponse:
    """Redirect to the page where the visitor confirms, and from there back to a page."""
    return HttpResponseRedirect(_pages_to_confirm(request, page)[0])


def _pages_to_confirm(request: HttpRequest, page: str) -> list[str]:
    """
    Return the addresses of pages where the visitor can confirm and come back to a page, the usual one first.

    Accounts with no password or second factor log in again with the site that they are connected to. allauth has no
    other way for them, but it passes parameters that make the site ask again (`prompt` in OpenID Connect Core 3.1.2.1).
    """
    methods = get_adapter().get_reauthentication_methods(request.user)
    if methods:
        return [f"{method['url']}?{urlencode({REDIRECT_FIELD_NAME: page})}" for method in methods]
    connected = set(SocialAccount.objects.filter(user=request.user.pk).values_list("provider", flat=True))
    said = {"process": AuthProcess.LOGIN, "action": AuthAction.REAUTHENTICATE, REDIRECT_FIELD_NAME: page}
    return [
        provider.get_login_url(request, **said, **_ASK_AGAIN.get(provider.id, {}))
        for provider in get_social_adapter().list_providers(request)
        if provider.sub_id in connected
    ]
