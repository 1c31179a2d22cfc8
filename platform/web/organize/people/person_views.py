"""One player as organizers see and change it: what it is called, what is said of it, its names and its merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from contests.changes import RenamePlayer, propose
from contests.errors import ContestError
from contests.models import ContestState, Series, Standing
from contests.services.renaming import add_alias, describe_player, remove_alias
from web.organize.people.forms import AliasForm, PersonForm, RenameForm
from web.organize.people.queries import profiles_of
from web.shared.access import actor, foreign_series, known_player, organizer_page, others_in_words, own_player
from web.shared.audit_trail import history_of
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player

RESULTS_SHOWN = 20


@organizer_page
def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a player; one that was merged leads to whom it became."""
    player = known_player(request, pk)
    if player.merged_into is not None:
        return redirect("organize:person", player.merged_into.pk)
    own = Series.objects.organized_by(request.user)
    foreign = foreign_series(request, player)
    (profile,) = profiles_of([player])
    # What was done in series of others, and why, is theirs to know.
    deeds = player.audit_entries.filter(series__in=own.values("pk")) if foreign else player.audit_entries
    context = {
        "player": player,
        "profile": profile,
        "may_change": not foreign,
        "blocking": others_in_words(foreign) if foreign else "",
        "own": set(own.values_list("slug", flat=True)),
        "results": _results(request, player),
        "most": RESULTS_SHOWN,
        "form": AliasForm(unsent_of(request, reverse("organize:person-name", args=[player.pk]))),
        "history": history_of(deeds),
    }
    return render(request, "organize/people/person.html", context)


@organizer_page
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change what is said of a player."""
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
            messages.success(request, "Saved.")
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
            messages.info(request, f"The player is called “{player.handle}” already.")
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
            messages.success(request, f"“{alias.handle}” leads to “{player.handle}” now.")
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
        messages.success(request, f"“{handle}” no longer leads to “{player.handle}”.")
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
