"""The players of a series: renaming, describing, merging and splitting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from contests.changes.base import propose
from contests.changes.of_players import MergePlayers, RenamePlayer, SplitPlayers
from contests.errors import ContestError
from contests.formats.countries import country_code
from contests.handles import MAX_LENGTH, printable
from contests.matching.duplicates import counts_of
from contests.matching.players import others_like
from contests.models import Community, ContestState, PlayerClaim, Series, Standing
from contests.plain_text import plain_text
from contests.queries.visibility import visible_players
from contests.services.merging import contests_of_both
from contests.services.organizers import open_invitations
from contests.services.renaming import PlayerDescription, add_alias, describe_player, remove_alias, state_of
from contests.services.standings import find_player
from web.organize.people.duplicates import duplicates_of
from web.organize.people.queries import profiles_of, search_people
from web.shared.access import (
    actor,
    foreign_series,
    known_player,
    organizer_page,
    others_in_words,
    own_merge,
    own_player,
    own_series,
)
from web.shared.audit_trail import history_of
from web.shared.form_fields import MAX_REASON, REASON_HELP, ReasonForm
from web.shared.params import page_of, text_of
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Invitation, Player
    from web.shared.params import SeriesPath

#: A handle may be longer before it is cleaned.
_LONGEST_INPUT = 4 * MAX_LENGTH


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


class MergeForm(forms.Form):
    """Which of two players stays, and the reason for the merge."""

    kept = forms.TypedChoiceField(label=gettext_lazy("Player to keep"), coerce=int, widget=forms.RadioSelect)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=REASON_HELP,
    )

    def __init__(self, *args: Any, players: tuple[Player, Player], kept: Player, **kwargs: Any) -> None:
        kwargs["initial"] = {"kept": kept.pk}
        super().__init__(*args, **kwargs)
        self.players = players
        field = self.fields["kept"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(player.pk, player.handle) for player in players]

    def in_order(self) -> tuple[int, int]:
        """Return the ids of the kept and the merged player, in this order."""
        one, other = self.players
        return (one.pk, other.pk) if self.cleaned_data["kept"] == one.pk else (other.pk, one.pk)


PEOPLE_PER_PAGE = 50


@organizer_page
def people(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the players of a series and possible duplicates."""
    series, text = own_series(request, at), text_of(request, "q")
    found = search_people(series.pk, text).prefetch_related("aliases", "merged_players")
    page, status = page_of(request, found, PEOPLE_PER_PAGE)
    counts = counts_of([player.pk for player in page], series.pk)
    is_first = not text and page.number == 1
    context = {
        "series": series,
        "search": text,
        "page": page,
        "rows": [(player, counts.get(player.pk, 0)) for player in page],
    }
    if is_first:
        context |= duplicates_of(series, page.paginator.count)
    return render(request, "organize/people/people.html", context, status=status)


@organizer_page
def merge(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the other player, or show both side by side with the form; propose the merge on POST."""
    player = own_player(request, pk)
    if player.merged_into is not None:
        return _is_merged(request, player)
    text = text_of(request, "with")
    other, problem = _other(request, player, text)
    if other is None:
        suggestions = others_like(player, text, among=visible_players(request.user))
        context = {"player": player, "text": text, "problem": problem, "suggestions": suggestions}
        return render(request, "organize/people/person_merge_choose.html", context, status=422 if problem else 200)
    one, two = profiles_of([player, other])
    both = contests_of_both(player, other)
    kept = other if (two.count, -other.pk) > (one.count, -player.pk) else player
    form = MergeForm(request.POST or None, players=(player, other), kept=kept)
    if request.method == "POST" and form.is_valid():
        kept_id, merged_id = form.in_order()
        try:
            return propose(MergePlayers(kept_id, merged_id, reason=form.cleaned_data["reason"]))
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"player": player, "other": other, "profiles": (one, two), "both": both, "form": form}
    return render(
        request, "organize/people/person_merge.html", context, status=422 if form.is_bound and form.errors else 200
    )


@organizer_page
def split(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the reason of a split; propose it on POST."""
    merged = own_merge(request, pk)
    player = merged.merged
    if merged.split_at is not None or player.merged_into is None:
        messages.info(
            request,
            gettext("“%(handle)s” and “%(other)s” are already split.")
            % {"handle": merged.merged.handle, "other": merged.kept.handle},
        )
        return redirect("organize:person", player.merged_into_id or player.pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return propose(SplitPlayers(merged.pk, reason=form.cleaned_data["reason"]))
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"merge": merged, "player": player.merged_into, "merged": player, "form": form}
    return render(
        request, "organize/people/person_split.html", context, status=422 if form.is_bound and form.errors else 200
    )


def _other(request: HttpRequest, player: Player, text: str) -> tuple[Player | None, str]:
    """Return the player with a handle if the visitor can merge the two, else None and the reason."""
    if not text:
        return None, ""
    other = find_player(player.community_id, text)
    if other is None or not visible_players(request.user).filter(pk=other.pk).exists():
        return (
            None,
            gettext("No player is called “%(text)s”. Choose a player below, or enter the exact handle.")
            % {"text": printable(text)},
        )
    if other == player:
        return None, (
            gettext("“%(text)s” is this player. Enter the handle of the other one.") % {"text": printable(text)}
        )
    if not request.user.is_staff and (foreign := foreign_series(request, other)):
        return None, (
            gettext("“%(handle)s” has results in %(series)s. Ask the site administrators to merge the two.")
            % {"handle": other.handle, "series": others_in_words(foreign)}
        )
    return other, ""


def _is_merged(request: HttpRequest, player: Player) -> HttpResponse:
    assert player.merged_into is not None
    messages.info(
        request,
        gettext("“%(handle)s” has been merged into “%(other)s”.")
        % {"handle": player.handle, "other": player.merged_into.handle},
    )
    return redirect("organize:person", player.merged_into.pk)


RESULTS_SHOWN = 20


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
    (profile,) = profiles_of([player])
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
        "own": set(own.filter(community=player.community_id).values_list("slug", flat=True)),
        "results": _results(request, player),
        "most": RESULTS_SHOWN,
        "form": AliasForm(unsent_of(request, reverse("organize:person-name", args=[player.pk]))),
        "history": history_of(deeds),
    }
    return render(request, "organize/people/person.html", context)


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
    return render(request, "organize/people/person_edit.html", context, status=_status(form))


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
    return render(request, "organize/people/person_rename.html", context, status=_status(form))


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


def _results(request: HttpRequest, player: Player) -> list[Standing]:
    """Return the newest results in the visitor's own series."""
    own = Series.objects.organized_by(request.user)
    rows = Standing.objects.filter(player=player, contest__series__in=own.values("pk"))
    existing = rows.exclude(contest__state=ContestState.DELETED).select_related("contest__series")
    return list(existing.order_by("-contest__ends_at", "-contest_id")[:RESULTS_SHOWN])


def _status(form: PersonForm | RenameForm) -> int:
    """Return 422 for a form that is shown again because of its errors."""
    return 422 if form.is_bound and form.errors else 200
