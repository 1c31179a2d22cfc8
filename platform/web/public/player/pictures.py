"""The pictures of players."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from accounts.token_authentication import TokenAuthentication
from contests.models import Player, PlayerPicture
from contests.queries.visibility import visible_players
from web.shared.images import image_response

if TYPE_CHECKING:
    from django.http import HttpRequest

    from contests.models.community import Visitor


def picture(request: HttpRequest, community: str, pk: int, digest: str) -> HttpResponse:
    """
    Return the picture of a player whom the visitor may see, if the address has the hash of the present one.

    The account of a player also sees that player's picture, even if it may not read the private series. A program sees
    the pictures of its community with the token that it sends to the REST API, where it found their addresses.
    """
    try:
        reader = _reader(request)
    except APIException as error:
        return _refusal(request, error)
    files = PlayerPicture.objects.filter(player__community=community, player=pk, player__picture=digest)
    file = files.filter(player__in=visible_players(AnonymousUser()).values("pk")).first()
    if file is not None:
        return image_response(bytes(file.content), "image/webp", is_open=True)
    known = Q(player__in=visible_players(reader).values("pk"))
    if request.user.is_authenticated:
        known |= Q(player__in=Player.objects.existing().filter(claim__user=request.user).values("pk"))
    response = image_response(bytes(get_object_or_404(files, known).content), "image/webp", is_open=False)
    patch_vary_headers(response, ["Authorization"])
    return response


def _reader(request: HttpRequest) -> Visitor:
    """Return the program whose token the request has, or else the visitor; APIException for a token that fails."""
    found = TokenAuthentication().authenticate(Request(request))
    return request.user if found is None else found[0]


def _refusal(request: HttpRequest, error: APIException) -> HttpResponse:
    """Refuse a token as the REST API does, in plain text."""
    headers = {"Cache-Control": "no-store"}
    if error.status_code == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = TokenAuthentication().authenticate_header(Request(request))
    wait = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(math.ceil(wait))
    content_type = "text/plain; charset=utf-8"
    return HttpResponse(str(error.detail), status=error.status_code, content_type=content_type, headers=headers)
