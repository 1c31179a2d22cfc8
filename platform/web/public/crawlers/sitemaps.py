"""
Site maps for search engines: public series, their contests and their rated players (sitemaps.org).

The index lists one map of contests for each series, and one map of players for each 5,000 of them, so that no response
takes long. It depends on public series only: neither the number nor the order of what is private changes a byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.sitemaps.views import x_robots_tag
from django.db.models import Exists, OuterRef, Subquery
from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import cache_control

from contests.addresses import whole_address
from contests.models import Contest, Player, Series
from ratings.database import consistent_read
from ratings.models import Run
from ratings.queries.snapshot import rank_index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse

    from contests.models.contest import SeriesQuerySet
    from web.shared.params import SeriesPath

#: Players in one map. The protocol allows 50,000 addresses, which would take a second.
PLAYERS = 5_000
#: The newest contests of a series that its map lists.
MOST_CONTESTS = 10_000
#: The newest series that the index lists; with their maps of players, it must stay below 50,000 entries.
MOST_SERIES = 10_000
_MOST_MAPS = 50_000


def listed_series() -> SeriesQuerySet:
    """Return the series that search engines may find."""
    return Series.objects.listed()


@x_robots_tag
@cache_control(public=True, max_age=3600)
def index(request: HttpRequest) -> HttpResponse:
    """List all site maps."""
    run = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    contests = Contest.objects.finalized().filter(series=OuterRef("pk"))
    found = listed_series().filter(Exists(contests)).annotate(players=Subquery(run.values("player_count")[:1]))
    paths = [reverse("sitemap-series")]
    for series in found.order_by("-pk").only("community", "slug")[:MOST_SERIES]:
        paths.append(reverse("sitemap-contests", args=[series]))
        # Rounded up: the last map may be shorter.
        for number in range(1, -(-(series.players or 0) // PLAYERS) + 1):
            paths.append(reverse("sitemap-players", args=[series, number]))
    origin = whole_address(request, "/").removesuffix("/")
    maps = [{"location": f"{origin}{path}"} for path in paths[:_MOST_MAPS]]
    return render(request, "sitemap_index.xml", {"sitemaps": maps}, content_type="application/xml")


def series_map(request: HttpRequest) -> HttpResponse:
    """List the pages of the site as a whole, and those of each series."""
    paths = [reverse(name) for name in ("home", "series-list", "contests", "players")]
    listed = listed_series().order_by("-pk").only("community", "slug")[:MOST_SERIES]
    paths += [reverse(name, args=[series]) for series in listed for name in ("series", "leaderboard")]
    return _answer(request, ({"location": path} for path in paths))


def contests_map(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """List the contests of a series, newest first."""
    series = get_object_or_404(listed_series(), community=at.community, slug=at.slug)
    contests = Contest.objects.finalized().filter(series=series).newest_first()[:MOST_CONTESTS]
    return _answer(
        request,
        (
            {"location": contest.get_absolute_url(), "lastmod": contest.amended_at or contest.finalized_at}
            for contest in contests
        ),
    )


def players_map(request: HttpRequest, at: SeriesPath, number: int) -> HttpResponse:
    """List players of a series: those on this page of its ranking."""
    with consistent_read():
        series = get_object_or_404(listed_series(), community=at.community, slug=at.slug)
        ids = rank_index(Run.objects.current(series.pk)).page(number, PLAYERS).tolist() if number else []
        if not ids:
            raise Http404
        handles = dict(Player.objects.filter(pk__in=ids).values_list("pk", "handle"))
    return _answer(
        request, ({"location": reverse("player", args=[at.community, handles[pk]])} for pk in ids if pk in handles)
    )


@x_robots_tag
@cache_control(public=True, max_age=3600)
def _answer(request: HttpRequest, entries: Iterable[dict[str, Any]]) -> HttpResponse:
    origin = whole_address(request, "/").removesuffix("/")
    urls = [{**entry, "location": f"{origin}{entry['location']}"} for entry in entries]
    return render(request, "sitemap.xml", {"urlset": urls}, content_type="application/xml")
