"""The players of a series; two of them made one, and two again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render

from contests.changes import MergePlayers, SplitPlayers, propose
from contests.errors import ContestError
from contests.handles import printable
from contests.matching.matching import others_like
from contests.models import PlayerMerge
from contests.queries.visibility import visible_players
from contests.services.merging import contests_of_both
from contests.services.players import find_player
from web.organize.people.forms import MergeForm
from web.organize.people.queries import close_pairs, counts_of, profiles_of, search_people
from web.shared.access import foreign_series, organizer_page, others_in_words, own_player, own_series
from web.shared.form_fields import ReasonForm
from web.shared.paging import page_of, text_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player

PEOPLE_PER_PAGE = 50
#: Series of so many players are searched for duplicates whenever the page is shown, larger ones when it is asked for.
SEARCHED_AT_ONCE = 1_000


@organizer_page
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the players of a series, and which of them may be one person."""
    series, text = own_series(request, slug), text_of(request, "q")
    found = search_people(series.pk, text).prefetch_related("aliases", "merged_players")
    page, status = page_of(request, found, PEOPLE_PER_PAGE)
    counts = counts_of([player.pk for player in page], series.pk)
    is_first = not text and page.number == 1
    searched = "duplicates" in request.GET or (is_first and page.paginator.count <= SEARCHED_AT_ONCE)
    context = {
        "series": series,
        "search": text,
        "page": page,
        "rows": [(player, counts.get(player.pk, 0)) for player in page],
        "duplicates": close_pairs(series.pk) if searched else None,
    }
    return render(request, "organize/people/people.html", context, status=status)


@organizer_page
def merge(request: HttpRequest, pk: int) -> HttpResponse:
    """Choose the other player, look at both side by side, say who stays and why; propose it on POST."""
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
    """Say why two who were merged are two; propose it on POST."""
    merged = get_object_or_404(PlayerMerge.objects.select_related("merged", "kept", "actor"), pk=pk)
    player = own_player(request, merged.merged_id)
    if merged.split_at is not None or player.merged_into is None:
        messages.info(request, f"“{merged.merged.handle}” and “{merged.kept.handle}” have been split already.")
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
    """Return whom a handle names, if the two could be merged by the visitor; otherwise why not, in words."""
    if not text:
        return None, ""
    other = find_player(text)
    if other is None or not visible_players(request.user).filter(pk=other.pk).exists():
        return (
            None,
            f"Nobody is called “{printable(text)}”. Take one of those below, or write the handle as its page has it.",
        )
    if other == player:
        return None, f"“{printable(text)}” leads to this very player. Write the handle of the other one."
    if not request.user.is_staff and (foreign := foreign_series(request, other)):
        return None, (
            f"“{other.handle}” has results in {others_in_words(foreign)}. Ask the staff of this site to merge the two."
        )
    return other, ""


def _is_merged(request: HttpRequest, player: Player) -> HttpResponse:
    assert player.merged_into is not None
    messages.info(request, f"“{player.handle}” has been merged into “{player.merged_into.handle}”.")
    return redirect("organize:person", player.merged_into.pk)
