"""The players of a series: the list, and merging and splitting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy

from contests.changes.base import propose
from contests.changes.of_players import MergePlayers, SplitPlayers
from contests.errors import ContestError
from contests.handles import printable
from contests.matching.duplicates import counts_of
from contests.matching.players import others_like
from contests.plain_text import plain_text
from contests.queries.names import known_to
from contests.services.merging import contests_of_both
from ratings.queries.search import player_named
from web.organize.people.duplicates import duplicates_of
from web.organize.people.queries import other_names, profiles_of, search_people
from web.shared.access import (
    foreign_series,
    organizer_page,
    others_in_words,
    own_merge,
    own_player,
    own_series,
)
from web.shared.form_fields import MAX_REASON, ReasonForm
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player
    from web.shared.params import SeriesPath

PEOPLE_PER_PAGE = 50


class MergeForm(forms.Form):
    """Which of two players stays, and the reason for the merge."""

    kept = forms.TypedChoiceField(label=gettext_lazy("Player to keep"), coerce=int, widget=forms.RadioSelect)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy(
            "Podium shows this reason in the history and with the run. Example: “Registered twice, confirmed by email”."
        ),
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


@organizer_page
def people(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the players of a series and possible duplicates."""
    series, text = own_series(request, at), text_of(request, "q")
    page, status = page_of(request, search_people(series.pk, text, request.user), PEOPLE_PER_PAGE)
    ids = [player.pk for player in page]
    counts, names = counts_of(ids, series.pk), other_names(ids, request.user)
    is_first = not text and page.number == 1
    context = {
        "series": series,
        "search": text,
        "page": page,
        "rows": [(player, counts.get(player.pk, 0), names.get(player.pk, [])) for player in page],
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
        suggestions = others_like(player, text, among=known_to(request.user))
        context = {"player": player, "text": text, "problem": problem, "suggestions": suggestions}
        return render(request, "organize/people/person_merge_choose.html", context, status=422 if problem else 200)
    one, two = profiles_of([player, other], request.user)
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
    return render(request, "organize/people/person_merge.html", context, status=422 if form.errors else 200)


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
    return render(request, "organize/people/person_split.html", context, status=422 if form.errors else 200)


def _other(request: HttpRequest, player: Player, text: str) -> tuple[Player | None, str]:
    """Return the player with a handle or real name if the visitor can merge the two, else None and the reason."""
    if not text:
        return None, ""
    other = player_named(player.community_id, text, request.user)
    if other is None:
        return (
            None,
            gettext("No player has the handle “%(text)s”. Choose a player below, or enter the exact handle.")
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
