"""The API tokens of a community, for its owners."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache

from accounts.confirming import reauthenticated
from accounts.tokens import create_token, revoke_token
from contests.addresses import whole_address
from contests.errors import ContestError
from contests.models import Role
from contests.plain_text import plain_text
from web.shared.access import actor, organizer_page, own_community

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from accounts.models import ApiToken
    from contests.models import Community

#: Days until a token expires; 0 for never.
LIFETIMES = [
    ("30", gettext_lazy("After 30 days")),
    ("90", gettext_lazy("After 90 days")),
    ("365", gettext_lazy("After 1 year")),
    ("0", gettext_lazy("Never")),
]
#: Tokens on the page that no longer work, newest first.
ENDED_SHOWN = 10


class TokenForm(forms.Form):
    """The purpose of a new token, and how long it works."""

    name = forms.CharField(
        label=gettext_lazy("Program"),
        max_length=80,
        validators=[plain_text],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy("The program that will use it, for example “Club website”."),
        error_messages={"required": gettext_lazy("Enter the program that will use the token.")},
    )
    lifetime = forms.ChoiceField(
        label=gettext_lazy("Expires"),
        choices=LIFETIMES,
        initial="365",
        help_text=gettext_lazy("Before the token expires, create another one, so that the program keeps working."),
    )

    def clean_lifetime(self) -> timedelta | None:
        """Return the time until the token expires; None for never."""
        days = int(self.cleaned_data["lifetime"])
        return timedelta(days=days) if days else None


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token on the page; `by_owner` is false if the person who made it is no longer an owner."""

    token: ApiToken
    state: str
    by_owner: bool


@never_cache
@organizer_page
@reauthenticated
def page(request: HttpRequest, community: str) -> HttpResponse:
    """List the tokens; a POST creates one and shows it in this response only, because Podium keeps only its hash."""
    shown = own_community(request, community, role=Role.OWNER)
    form = TokenForm(request.POST or None)
    made, text = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, text = create_token(shown.pk, **form.cleaned_data, actor=actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            form = TokenForm()
    context = {
        "community": shown,
        "form": form,
        "made": made,
        "text": text,
        "example": whole_address(request, reverse("api:community-series", args=[shown.pk])),
        "most": settings.PODIUM_MAX_TOKENS,
        **_rows(shown),
    }
    return render(request, "organize/community/tokens.html", context, status=422 if form.errors else 200)


@organizer_page
@reauthenticated
def revoke(request: HttpRequest, community: str, pk: int) -> HttpResponse:
    """Ask for confirmation to revoke a token; revoke on POST."""
    shown = own_community(request, community, role=Role.OWNER)
    token = get_object_or_404(shown.api_tokens, pk=pk)
    if request.method == "POST":
        revoke_token(token.pk, actor=actor(request))
        messages.success(request, gettext("Revoked “%(name)s”. It no longer works.") % {"name": token.name})
        return redirect("organize:tokens", shown.pk)
    return render(request, "organize/community/token_revoke.html", {"community": shown, "token": token})


def _rows(community: Community) -> dict[str, list[TokenRow]]:
    """Return the tokens that work, and the newest of those that no longer do."""
    now = timezone.now()
    owners = set(community.memberships.filter(role=Role.OWNER).values_list("user", flat=True))
    tokens = community.api_tokens.select_related("created_by")
    return {
        "tokens": [TokenRow(token, "", token.created_by_id in owners) for token in tokens.valid(now)],
        "ended": [
            TokenRow(
                token, gettext("revoked") if token.revoked_at else gettext("expired"), token.created_by_id in owners
            )
            for token in tokens.ended(now)[:ENDED_SHOWN]
        ],
    }
