"""The page that previews a proposed change and asks for confirmation."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.cache import cache
from django.http import Http404, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from accounts.confirming import require_confirmation
from contests.changes.base import read_change
from contests.changes.of_contests import DeleteContest, FinalizeContest
from contests.errors import ContestError
from contests.models import ContestState, Player, Series
from contests.queries.visibility import lacks_second_organizer
from contests.services.contests import already_asked
from contests.services.describing import is_in_future
from ratings.display.tier_shares import uneven_tiers
from ratings.display.tiers import Tier
from ratings.models import StaleMark
from ratings.publishing.change_previews import preview_of
from ratings.queries.snapshot import preview_snapshot_of
from web.shared.access import actor, check_organizes, organizer_page, own_player

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.changes.base import Change, ChangeDescription
    from ratings.display.tier_shares import UnevenTier
    from ratings.publishing.change_previews import Preview
    from ratings.queries.snapshot import SeriesSnapshot

#: A second press of the same button within this time is taken as a double click.
_PRESSED_TWICE_SECONDS = 300
#: The same while the first press is answered; if the server is killed meanwhile, the button works again afterwards.
_ANSWERING_SECONDS = 30


@organizer_page
def change(request: HttpRequest) -> HttpResponse:
    """Show the effect of a change; make the change on POST."""
    try:
        proposed, description = _proposed(request)
    except ContestError as refusal:
        return render(request, "organize/changes/change_refused.html", {"problem": str(refusal)}, status=409)
    if request.method == "POST":
        if isinstance(proposed, DeleteContest):
            require_confirmation(request)
        return _make(request, proposed, description)
    preview = preview_of(proposed, description, at_once="here" in request.GET) if proposed.moves_ratings else None
    return _page(request, proposed, description, preview)


@organizer_page
def change_progress(request: HttpRequest) -> HttpResponse:
    """Return the progress of a preview as JSON, which the page polls."""
    try:
        proposed, description = _proposed(request)
    except ContestError as refusal:
        return JsonResponse({"state": "refused", "is_over": True, "problem": str(refusal)}, status=409)
    return JsonResponse(preview_of(proposed, description).to_dict())


def _proposed(request: HttpRequest) -> tuple[Change, ChangeDescription]:
    """Return the change in the address and its texts, if the visitor is allowed to make it."""
    proposed = read_change(request.GET.get("change", ""))
    description = proposed.describe()
    for player_id in description.players:
        own_player(request, player_id)
    for series in () if description.players else description.series:
        check_organizes(request, series)
    if not (description.players or description.series or actor(request).is_staff):
        raise Http404
    return proposed, description


def _make(request: HttpRequest, proposed: Change, description: ChangeDescription) -> HttpResponse:
    only_asks = isinstance(proposed, FinalizeContest) and proposed.only_asks(actor(request))
    pressed = f"made:{hashlib.sha256(request.GET['change'].encode()).hexdigest()}:{actor(request).pk}"
    # Some changes, such as adding a game, would succeed twice; the others would be refused the second time.
    if not cache.add(pressed, True, _ANSWERING_SECONDS):
        return redirect(description.after or description.back)
    try:
        proposed.apply(actor=actor(request))
    except BaseException as error:
        cache.delete(pressed)
        if not isinstance(error, ContestError):
            raise
        return _page(request, proposed, description, None, problem=str(error))
    cache.set(pressed, True, _PRESSED_TWICE_SECONDS)
    if only_asks:
        messages.success(request, gettext("Requested. Another organizer of the series has to finalize the contest."))
        return redirect(description.back)
    messages.success(request, description.done)
    touched = Series.objects.organized_by(actor(request)).filter(pk__in=[series.pk for series in description.series])
    stale = StaleMark.objects.filter(series__in=touched.values("pk")).order_by("id").first()
    if stale is None or description.returns:
        return redirect(description.after or description.back)
    contest = f"?contest={description.contest.pk}" if description.contest is not None else ""
    return redirect(reverse("organize:progress", args=[stale.series]) + contest)


def _page(
    request: HttpRequest, proposed: Change, description: ChangeDescription, preview: Preview | None, problem: str = ""
) -> HttpResponse:
    if preview is not None and preview.state == "refused":
        problem = preview.problem
    contest = description.contest
    effects = _effects(preview)
    rows = preview.content["rows"] if preview is not None and preview.content is not None else []
    _add_players(effects, rows)
    series = description.series[0] if len(description.series) == 1 else None
    only_asks = isinstance(proposed, FinalizeContest) and proposed.only_asks(actor(request))
    if not problem and only_asks and contest is not None and contest.asked_by == actor(request):
        problem = already_asked(contest)
    context = {
        "change": proposed,
        "description": description,
        "series": series,
        "contest": contest if contest is None or contest.state != ContestState.DELETED else None,
        "token": request.GET.get("change", ""),
        "preview": preview,
        "is_computing": not problem and preview is not None and not preview.is_over,
        "problem": problem,
        "has_not_ended": contest is not None and contest.is_draft and is_in_future(contest.ends_at),
        "only_asks": only_asks,
        "lacks_second": only_asks and series is not None and lacks_second_organizer(series, actor(request)),
        "effects": effects,
        "rows": rows,
    }
    return render(request, "organize/changes/change.html", context, status=409 if problem else 200)


def _effects(preview: Preview | None) -> list[tuple[dict[str, Any], SeriesSnapshot]]:
    """Return the effect on each series with its snapshot, which has the colours and names of its tiers."""
    if preview is None or preview.content is None:
        return []
    series = Series.objects.in_bulk([one["series_id"] for one in preview.content["series"]])
    return [
        (one | {"uneven": _uneven_after(one)}, preview_snapshot_of(series[one["series_id"]]))
        for one in preview.content["series"]
        if one["series_id"] in series
    ]


def _uneven_after(effect: dict[str, Any]) -> list[UnevenTier]:
    """Return the tiers that would have too many players or none, highest first; [] if the preview has no tiers."""
    rows = [row for row in reversed(effect["tiers"]) if row["then"] is not None]
    return uneven_tiers([Tier(**row["tier"]) for row in rows], [row["then"] for row in rows])


def _add_players(effects: list[tuple[dict[str, Any], SeriesSnapshot]], rows: list[dict[str, Any]]) -> None:
    """Add the player to everything that a preview names by handle, all in one community; None for someone new."""
    if not effects:
        return
    named = list(rows)
    for effect, _ in effects:
        for moves in ("rises", "falls", "tier_moves", "leaders"):
            named += effect[moves]
    handles = {one["handle"] for one in named}
    players = Player.objects.filter(community=effects[0][1].series.community_id, handle__in=handles)
    by_handle = {player.handle: player for player in players}
    for one in named:
        one["player"] = by_handle.get(one["handle"])
