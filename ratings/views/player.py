"""One player: figures, graph and history in a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.shortcuts import redirect, render

from contests.models import Standing
from contests.paging import page_of, text_of
from contests.visibility import visible_players, visible_series
from ratings.charts import rating_chart
from ratings.filtering import country_name
from ratings.locks import snapshot
from ratings.models import Rating, RatingChange
from ratings.searching import nearest_players, player_of
from ratings.services.refresh import wait_state
from ratings.shown import shown
from ratings.tables import change_rows, percentile_of, uncertainty_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player
    from ratings.display import Tier
    from ratings.shown import Shown

PAGE_SIZE = 100
RESULTS_SHOWN = 20
#: What graph and history show; a long history is read in half the time without the rest.
CHANGE_FIELDS = (
    "contest", "rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance",
)  # fmt: skip
CONTEST_FIELDS = ("name", "ends_at", "weight", "is_rated", "state", "amended_at")


@dataclass(frozen=True, slots=True)
class Figures:
    """A player's numbers in a series: in shown points; percentile in per cent. None: there is no such thing."""

    rating: Rating
    points: int
    uncertainty: int | None
    peak: int
    rank: int
    total: int
    percentile: float
    next_tier: Tier | None
    to_next: float | None
    position: float | None


def player_page(request: HttpRequest, handle: str) -> HttpResponse:
    """Show a player; other spellings, old handles and those of merged players lead here."""
    with snapshot():
        player = player_of(handle)
        if player is None:
            players = nearest_players(handle, visible_players(request.user))
            context: dict[str, object] = {"handle": handle[:200], "players": players}
            return render(request, "ratings/player_unknown.html", context, status=404)
        if player.handle != handle:
            return _moved(request, player)
        context, status = _context(request, player)
    return render(request, "ratings/player.html", context, status=status)


def _moved(request: HttpRequest, player: Player) -> HttpResponse:
    """Lead on to the player's own address; browsers ask each time, because names are taken back and merges split."""
    query = request.GET.urlencode()
    answer = redirect(player.get_absolute_url() + (f"?{query}" if query else ""), permanent=True)
    answer["Cache-Control"] = "no-cache"
    return answer


def _context(request: HttpRequest, player: Player) -> tuple[dict[str, object], int]:
    ratings = list(
        Rating.objects.filter(player=player, series__in=visible_series(request.user))
        .select_related("series", "last_contest", "peak_contest")
        .defer("belief")
        .order_by("-last_contest__ends_at", "series__name")
    )
    context: dict[str, object] = {"player": player, "country": country_name(player.country), "ratings": ratings}
    if not ratings:
        return context | {"results": _results(request, player)}, 200
    slug = text_of(request, "series")
    chosen = next((rating for rating in ratings if rating.series.slug == slug), None)
    shown_context, status = _in_series(request, chosen or ratings[0])
    if slug and chosen is None:
        status = 404
    return context | shown_context | {"unknown": slug if chosen is None else ""}, status


def _in_series(request: HttpRequest, rating: Rating) -> tuple[dict[str, object], int]:
    view = shown(rating.series)
    changes = list(
        RatingChange.objects.current()
        .filter(player=rating.player_id, series=rating.series)
        .select_related("contest")
        .only(*CHANGE_FIELDS, *(f"contest__{name}" for name in CONTEST_FIELDS))
        .order_by("contest__ends_at", "contest__sequence", "contest_id")
    )
    page, status = page_of(request, changes[::-1], PAGE_SIZE)
    context: dict[str, object] = {
        "series": rating.series,
        "shown": view,
        "waiting": wait_state(rating.series_id)[0],
        "figures": figures(view, rating),
        "page": page,
        "rows": change_rows(view, list(page.object_list)),
        "chart": rating_chart(view, changes),
    }
    return context, status


def figures(view: Shown, rating: Rating) -> Figures:
    """Return what stands at the top of a player's page."""
    points, rank, total = view.rating(rating.score), view.index.rank(rating.score), len(view.index)
    return Figures(
        rating=rating,
        points=points,
        uncertainty=(int(uncertainty_of(view, rating.score, rating.sigma)) if view.sigma_means != "nothing" else None),
        position=-rating.score if view.system == "ladder" else None,
        peak=view.rating(rating.peak),
        rank=rank,
        total=total,
        percentile=percentile_of(rank, total),
        next_tier=view.tiers.next_tier(points),
        to_next=view.tiers.to_next(points),
    )


def _results(request: HttpRequest, player: Player) -> list[Standing]:
    """Return the newest participations of somebody who has no rating."""
    standings = Standing.objects.filter(
        player=player, contest__state="finalized", contest__series__in=visible_series(request.user)
    )
    return list(standings.select_related("contest__series").order_by("-contest__ends_at", "-pk")[:RESULTS_SHOWN])
