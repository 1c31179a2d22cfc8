"""The pictures of players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.shortcuts import get_object_or_404

from contests.models import Player, PlayerPicture
from contests.queries.visibility import visible_players
from web.shared.images import image_response

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def picture(request: HttpRequest, community: str, pk: int, digest: str) -> HttpResponse:
    """
    Return the picture of a player whom the visitor may see, if the address has the hash of the present one.

    The account of a player also sees that player's picture, even if it may not read the private series.
    """
    files = PlayerPicture.objects.filter(player__community=community, player=pk, player__picture=digest)
    file = files.filter(player__in=visible_players(AnonymousUser()).values("pk")).first()
    if file is not None:
        return image_response(bytes(file.content), "image/webp", is_open=True)
    known = Q(player__in=visible_players(request.user).values("pk"))
    if request.user.is_authenticated:
        known |= Q(player__in=Player.objects.existing().filter(claim__user=request.user).values("pk"))
    return image_response(bytes(get_object_or_404(files, known).content), "image/webp", is_open=False)
