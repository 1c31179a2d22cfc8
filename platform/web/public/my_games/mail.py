"""The message to an opponent about a game that someone has reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django.conf import settings
from django.urls import reverse
from django.utils import translation

from contests.addresses import whole_address
from contests.models import PlayerClaim
from contests.queries.visibility import visible_series
from web.public.my_games.rows import report_rows

if TYPE_CHECKING:
    from django.http import HttpRequest

    from contests.models import GameReport


def tell_opponent(request: HttpRequest, report: GameReport) -> None:
    """Send the opponent a message if they have an account with a verified address and want messages."""
    if not settings.PODIUM_SENDS_MAIL:
        return
    claims = PlayerClaim.objects.select_related("user").filter(player=report.opponent, user__is_active=True)
    claim = claims.filter(wants_mail=True).first()
    if claim is None or not visible_series(claim.user).filter(pk=report.series_id).exists():
        return
    address = EmailAddress.objects.filter(user=claim.user, verified=True).order_by("-primary", "pk").first()
    if address is None:
        return
    context = {
        "row": report_rows([report], [claim])[0],
        "series": report.series,
        "page": whole_address(request, reverse("my-games")),
    }
    # The site does not know the language of the recipient, and that of the sender may be different.
    with translation.override(settings.LANGUAGE_CODE):
        get_adapter().send_mail("my_games/email/reported", address.email, context)
