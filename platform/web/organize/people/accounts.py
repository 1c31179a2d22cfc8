"""The account of a player: owners and organizers of the community send a link for it, and can unlink it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.confirming import reauthenticated
from contests.addresses import whole_address
from contests.errors import ContestError
from contests.models import PlayerClaim
from contests.services.claims import unlink_player
from contests.services.organizers import invite_player
from web.organize.people.views import person_page
from web.shared.access import actor, managed_player, organizer_page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_http_methods(["GET", "HEAD", "POST"])
@organizer_page
@reauthenticated
def invite(request: HttpRequest, pk: int) -> HttpResponse:
    """Create a link and show it in this response only, because Podium keeps only its hash; on GET, show the player."""
    player = managed_player(request, pk)
    if request.method != "POST":
        return redirect("organize:person", player.pk)
    try:
        invitation, token = invite_player(player.pk, actor=actor(request))
    except ContestError as error:
        messages.error(request, str(error))
        return redirect("organize:person", player.pk)
    # Browsers do not send what follows the #, so no log on the way gets the secret.
    link = f"{whole_address(request, reverse('organize:invitation-open'))}#{token}"
    return person_page(request, player, made=invitation, link=link)


@organizer_page
@reauthenticated
def unlink(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for confirmation to unlink the account of a player; unlink it on POST."""
    player = managed_player(request, pk)
    claim = PlayerClaim.objects.select_related("user").filter(player=player).first()
    if claim is None:
        messages.info(request, gettext("“%(handle)s” has no account.") % {"handle": player.handle})
        return redirect("organize:person", player.pk)
    if request.method == "POST":
        unlink_player(player.pk, actor=actor(request))
        messages.success(request, gettext("Unlinked. “%(handle)s” has no account.") % {"handle": player.handle})
        return redirect("organize:person", player.pk)
    return render(request, "organize/people/person_unlink.html", {"player": player, "claim": claim})
