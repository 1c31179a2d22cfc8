"""
Site maps for search engines: public communities and series, their contests and rated players (sitemaps.org).

The index lists one map of contests for each series, and one map of players for each 1,000 of them, so that no response
takes long. It depends on public series only: neither the number nor the order of what is private changes a byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from django.contrib.sitemaps.views import x_robots_tag
from django.db.models import Exists, OuterRef, Subquery
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.cache import cache_control

from contests.addresses import whole_address
from contests.caching import cached
from contests.models import Community, Contest, Player, Series
from ratings.database import consistent_read
from ratings.models import Run
from ratings.queries.snapshot import rank_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from django.http import HttpRequest

    from contests.models.contest import SeriesQuerySet
    from web.shared.params import SeriesPath

    #: A path, and the time of its last change if that is known.
    Entry = tuple[str, datetime | None]

#: Players in one map. The protocol allows 50,000 addresses, which would take seconds.
PLAYERS = 1_000
#: The newest contests of a series that its map lists.
MOST_CONTESTS = 2_000
#: The newest series and the newest communities that the maps list, and the greatest number of maps in the index.
MOST_SERIES, MOST_MAPS = 5_000, 50_000
#: Above this number of series, the two lists of the whole site are remembered; search engines read them once a day.
FEW_SERIES, _KEPT_SECONDS = 500, 600


def listed_series() -> SeriesQuerySet:
    """Return the series that search engines may find."""
    return Series.objects.listed()


def index(request: HttpRequest) -> HttpResponse:
    """List all site maps."""
    paths = _kept("sitemap:index", _maps)
    return _answer(request, ((path, None) for path in paths), root="sitemapindex", item="sitemap")


def series_map(request: HttpRequest) -> HttpResponse:
    """List the pages of the site as a whole, and those of each community and series."""
    return _answer(request, ((path, None) for path in _kept("sitemap:series", _pages)))


def _kept(key: str, make: Callable[[], list[str]]) -> list[str]:
    """Return a list of paths, remembered for some minutes on a site with many series."""
    is_large = listed_series().order_by()[FEW_SERIES : FEW_SERIES + 1].exists()
    return cached(key, make, _KEPT_SECONDS) if is_large else make()


def _maps() -> list[str]:
    run = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    contests = Contest.objects.finalized().filter(series=OuterRef("pk"))
    found = listed_series().filter(Exists(contests)).annotate(players=Subquery(run.values("player_count")[:1]))
    paths = [reverse("sitemap-series")]
    for series in found.order_by("-pk").only("community", "slug")[:MOST_SERIES]:
        paths.append(reverse("sitemap-contests", args=[series]))
        # Rounded up: the last map may be shorter.
        count = -(-(series.players or 0) // PLAYERS)
        paths += [reverse("sitemap-players", args=[series, number]) for number in range(1, count + 1)]
    return paths[:MOST_MAPS]


def _pages() -> list[str]:
    paths = [reverse(name) for name in ("home", "communities", "series-list", "contests", "players")]
    communities = Community.objects.listed().order_by("-created_at", "slug").only("slug")[:MOST_SERIES]
    paths += [community.get_absolute_url() for community in communities]
    listed = listed_series().order_by("-pk").only("community", "slug")[:MOST_SERIES]
    paths += [reverse(name, args=[series]) for series in listed for name in ("series", "leaderboard")]
    return paths


def contests_map(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """List the contests of a series, newest first: events, but not their games."""
    series = get_object_or_404(listed_series(), community=at.community, slug=at.slug)
    listed = Contest.objects.finalized().listed_alone().filter(series=series)
    contests = listed.newest_first()[:MOST_CONTESTS]
    return _answer(
        request, ((contest.get_absolute_url(), contest.amended_at or contest.finalized_at) for contest in contests)
    )


def players_map(request: HttpRequest, at: SeriesPath, number: int) -> HttpResponse:
    """List players of a series: those on this page of its ranking."""
    with consistent_read():
        series = get_object_or_404(listed_series(), community=at.community, slug=at.slug)
        ids = rank_index(Run.objects.current(series.pk)).page(number, PLAYERS).tolist() if number else []
        if not ids:
            raise Http404
        players = Player.objects.in_bulk(ids)
    return _answer(request, ((players[pk].get_absolute_url(), None) for pk in ids if pk in players))


@x_robots_tag
@cache_control(public=True, max_age=3600)
def _answer(request: HttpRequest, entries: Iterable[Entry], *, root: str = "urlset", item: str = "url") -> HttpResponse:
    """Return the entries as XML; the templates of django.contrib.sitemaps take several times as long."""
    origin = whole_address(request, "/").removesuffix("/")
    lines = [f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for path, changed in entries:
        lastmod = f"<lastmod>{changed.date().isoformat()}</lastmod>" if changed is not None else ""
        lines.append(f"<{item}><loc>{escape(origin + path)}</loc>{lastmod}</{item}>")
    lines.append(f"</{root}>\n")
    return HttpResponse("\n".join(lines), content_type="application/xml")
