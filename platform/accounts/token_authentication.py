"""Authentication of the programs of communities in the REST API: by a token in the header `Authorization`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, ParseError

from accounts.client_address import client_network
from accounts.limits import seconds_to_wait
from accounts.models import READ, ApiToken
from accounts.token_keys import IN_TEXT
from accounts.tokens import InvalidToken, find_token
from contests.api.throttling import TooManyRequests
from contests.models.community import CommunityReader

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.request import Request

#: Schemes that a proxy in front of a site may ask for; they are not an attempt to use a token.
_OF_PROXIES = {"basic", "digest", "negotiate"}
_FORM = "Send one token, as Authorization: Bearer podium_..."


class TokenAuthentication(BaseAuthentication):
    """
    Lets a program read as the community of its token.

    A token that does not work is refused for public data too, so that no program mistakes public data for all data.
    """

    def authenticate(self, request: Request) -> tuple[CommunityReader, ApiToken] | None:
        """Return who reads, and the token; None without a token. AuthenticationFailed for one that does not work."""
        _refuse_in_address(request)
        scheme, _, text = request.headers.get("Authorization", "").strip().partition(" ")
        if not scheme or scheme.lower() in _OF_PROXIES:
            return None
        try:
            token = _token_in(scheme, text.strip())
        except InvalidToken as error:
            # Only wrong tokens are counted: a program with a good one shares its address with others.
            wait = seconds_to_wait(request._request, "token-address", client_network(request._request))
            if wait:
                raise TooManyRequests(wait, "Too many tokens from this address did not work.") from error
            request._request.podium_refusal = str(error)  # type: ignore[attr-defined]
            raise AuthenticationFailed(str(error)) from error
        # The view may be in a transaction that only reads; `accounts.middleware.TokenUse` stores the use afterwards.
        request._request.podium_token = token  # type: ignore[attr-defined]
        return CommunityReader(token.community_id), token

    def authenticate_header(self, request: Request) -> str:
        """Return the header WWW-Authenticate of a refusal (RFC 6750)."""
        reason = getattr(request._request, "podium_refusal", "")
        error = f', error="invalid_token", error_description="{reason}"' if reason else ""
        return f'Bearer realm="Podium"{error}'


def _token_in(scheme: str, text: str) -> ApiToken:
    if scheme.lower() != "bearer" or not text or not text.isascii() or any(sign in text for sign in " ,"):
        raise InvalidToken(f"The header Authorization has no token that Podium can read. {_FORM}")
    token = find_token(text)
    if not token.allows(READ):
        raise InvalidToken("The token does not allow reading.")
    return token


def _refuse_in_address(request: Request) -> None:
    """Refuse a token in the address, good or not, because addresses end up in logs and histories."""
    asked: HttpRequest = request._request
    if IN_TEXT.search(unquote(f"{asked.path}?{asked.META.get('QUERY_STRING', '')}")):
        raise ParseError(
            "There is a token in the address. Podium does not read it, because addresses end up in logs and histories. "
            f"Revoke this token and create another one. {_FORM}"
        )
