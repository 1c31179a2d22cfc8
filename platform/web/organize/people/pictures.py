"""The picture of a player, for owners and organizers of the community."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from web.shared.access import managed_player, organizer_page
from web.shared.pictures import change_picture

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@organizer_page
def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form for the picture of a player; set or remove the picture on POST."""
    player = managed_player(request, pk)
    back = reverse("organize:person", args=[player.pk])
    return change_picture(request, player, template="organize/people/person_picture.html", back=back)
