"""The page of a player: the handle, other names, description, account and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.confirming import reauthenticated
from contests.addresses import whole_address
from contests.changes.base import propose
from contests.changes.of_players import RenamePlayer
from contests.errors import ContestError
from contests.formats.countries import country_code
from contests.handles import MAX_LENGTH
from contests.models import Community, ContestState, PlayerClaim, Series, Standing
from contests.plain_text import plain_text
from contests.services.claims import unlink_player
from contests.services.organizers import invite_player, open_invitations
from contests.services.renaming import PlayerDescription, add_alias, describe_player, remove_alias, state_of
from web.organize.people.queries import profiles_of
from web.shared.access import (
    actor,
    foreign_series,
    known_player,
    managed_player,
    organizer_page,
    others_in_words,
    own_player,
)
from web.shared.audit_trail import history_of
from web.shared.form_fields import MAX_REASON
from web.shared.pictures import change_picture
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Invitation, Player

#: A handle may be longer before it is cleaned.
_LONGEST_INPUT = 4 * MAX_LENGTH
RESULTS_SHOWN = 20


class _OptionalReasonForm(forms.Form):
    """A form with an optional reason as its last field."""

    field_order: list[str] | None = None
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Podium shows this reason in the history."),
    )


class _OfPlayerForm(_OptionalReasonForm):
    """A form about one player; `state` detects that someone else has changed the player meanwhile."""

    state = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        kwargs["initial"] = {"state": state_of(player), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)


class RenameForm(_OfPlayerForm):
    """A new handle, which the service checks."""

    handle = forms.CharField(
        label=gettext_lazy("New handle"),
        max_length=_LONGEST_INPUT,
        help_text=gettext_lazy("1 to 128 characters in any script. The old handle still leads to the player."),
    )
    field_order = ["handle", "reason"]

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        super().__init__(*args, player=player, initial={"handle": player.handle}, **kwargs)


class PersonForm(_OfPlayerForm):
    """Name, country and affiliation."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=200, required=False, validators=[plain_text])
    country = forms.CharField(
        label=gettext_lazy("Country"),
        max_length=80,
        required=False,
        help_text=gettext_lazy("A code such as DE, or a name such as Germany."),
    )
    affiliation = forms.CharField(
        label=gettext_lazy("Affiliation"),
        max_length=200,
        required=False,
        validators=[plain_text],
        help_text=gettext_lazy("School, club or company."),
    )
    field_order = ["name", "country", "affiliation", "reason"]

    def __init__(self, *args: Any, player: Player, **kwargs: Any) -> None:
        initial = {name: getattr(player, name) for name in PlayerDescription.__slots__}
        super().__init__(*args, player=player, initial=initial, **kwargs)

    def clean_country(self) -> str:
        said = self.cleaned_data["country"].strip()
        code = country_code(said) if said else ""
        if code is None:
            raise ValidationError(gettext("Podium does not know this country. Enter its code, such as DE."))
        return code

    def description(self) -> PlayerDescription:
        """Return the description in a valid form."""
        return PlayerDescription(**{name: self.cleaned_data[name] for name in PlayerDescription.__slots__})


class AliasForm(_OptionalReasonForm):
    """Another name that leads to a player."""

    handle = forms.CharField(
        label=gettext_lazy("Another name"),
        max_length=_LONGEST_INPUT,
        help_text=gettext_lazy(
            "As written in files or old addresses. Future results with this name go to this player."
        ),
    )
    field_order = ["handle", "reason"]


@organizer_page
def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a player; a merged player's page redirects to the player who was kept."""
    player = known_player(request, pk)
    if player.merged_into is not None:
        return redirect("organize:person", player.merged_into.pk)
    return person_page(request, player)


def person_page(
    request: HttpRequest, player: Player, *, made: Invitation | None = None, link: str = ""
) -> HttpResponse:
    """Show a player whom the visitor may view, with a link to the account of the player if one was just created."""
    own = Series.objects.organized_by(request.user)
    foreign = foreign_series(request, player)
    (profile,) = profiles_of([player], request.user)
    manages = Community.objects.organized_by(request.user).filter(pk=player.community_id).exists()
    # Only organizers of a series may see its changes and their reasons.
    deeds = player.audit_entries.filter(series__in=own.values("pk")) if foreign else player.audit_entries
    context = {
        "player": player,
        "profile": profile,
        "may_change": not foreign,
        "made": made,
        "link": link,
        "manages_account": manages,
        "claim": PlayerClaim.objects.select_related("user").filter(player=player).first() if manages else None,
        "open_link": open_invitations(player).first() if manages else None,
        "blocking": others_in_words(foreign) if foreign else "",
        "results": _results(request, player),
        "most": RESULTS_SHOWN,
        "form": AliasForm(unsent_of(request, reverse("organize:person-name", args=[player.pk]))),
        "history": history_of(deeds),
    }
    return render(request, "organize/people/person.html", context)


def _results(request: HttpRequest, player: Player) -> list[Standing]:
    """Return the latest results in the visitor's own series."""
    own = Series.objects.organized_by(request.user)
    rows = Standing.objects.filter(player=player, contest__series__in=own.values("pk"))
    existing = rows.exclude(contest__state=ContestState.DELETED).select_related("contest__series")
    return list(existing.order_by("-contest__ends_at", "-contest_id")[:RESULTS_SHOWN])


@organizer_page
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the details of a player."""
    player = own_player(request, pk)
    form = PersonForm(request.POST or None, player=player)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            describe_player(
                player.pk, description=form.description(), reason=said["reason"], state=said["state"] or None,
                actor=actor(request),
            )  # fmt: skip
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, gettext("Saved."))
            return redirect("organize:person", player.pk)
    context = {"player": player, "form": form}
    return render(request, "organize/people/person_edit.html", context, status=422 if form.errors else 200)


@organizer_page
def rename(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a player another handle; propose it on POST."""
    player = own_player(request, pk)
    form = RenameForm(request.POST or None, player=player)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        if said["handle"] == player.handle:
            messages.info(request, gettext("This player is already called “%(handle)s”.") % {"handle": player.handle})
            return redirect("organize:person", player.pk)
        try:
            return propose(RenamePlayer(player.pk, said["handle"], said["state"] or None, reason=said["reason"]))
        except ContestError as error:
            form.add_error("handle", str(error))
    context = {"player": player, "form": form}
    return render(request, "organize/people/person_rename.html", context, status=422 if form.errors else 200)


@require_POST
@organizer_page
def add_name(request: HttpRequest, pk: int) -> HttpResponse:
    """Let another name lead to a player."""
    player = own_player(request, pk)
    form = AliasForm(request.POST)
    try:
        if form.is_valid():
            said = form.cleaned_data
            alias = add_alias(player.pk, handle=said["handle"], reason=said["reason"], actor=actor(request))
            messages.success(
                request,
                gettext("“%(handle)s” is now another name of “%(other)s”.")
                % {"handle": alias.handle, "other": player.handle},
            )
        else:
            messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
    except ContestError as error:
        messages.error(request, str(error))
    return redirect("organize:person", player.pk)


@require_POST
@organizer_page
def remove_name(request: HttpRequest, pk: int) -> HttpResponse:
    """Let another name no longer lead to a player."""
    player = own_player(request, pk)
    handle = request.POST.get("handle", "")[:512].replace("\x00", "")
    try:
        remove_alias(player.pk, handle=handle, actor=actor(request))
    except ContestError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            gettext("“%(handle)s” is no longer a name of “%(other)s”.") % {"handle": handle, "other": player.handle},
        )
    return redirect("organize:person", player.pk)


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


@organizer_page
def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form for the picture of a player; set or remove the picture on POST."""
    player = managed_player(request, pk)
    back = reverse("organize:person", args=[player.pk])
    return change_picture(request, player, template="organize/people/person_picture.html", back=back)
