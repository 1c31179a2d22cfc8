"""
Site maps for search engines: public communities and series, their contests and rated players (sitemaps.org).

An index lists a map of pages, and for each series of that map one map of its contests and one for each 1,000 of its
players, so that no response takes long. A site with too many series for one map of pages has several indexes, and
robots.txt names all of them, because the protocol does not allow an index of indexes. All of this depends on public
series only, so that the maps reveal neither the number nor the order of private ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
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
from contests.whole_numbers import whole_number_of
from ratings.database import consistent_read
from ratings.models import Run
from ratings.queries.snapshot import rank_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from django.db.models import Model, QuerySet
    from django.http import HttpRequest

    from contests.models.contest import SeriesQuerySet
    from web.shared.params import SeriesPath

    Value = TypeVar("Value")
    Row = TypeVar("Row", bound=Model)

    #: A path, and the time of its last change if that is known.
    Entry = tuple[str, datetime | None]

#: Players in one map. The protocol allows 50,000 addresses, which would take seconds.
PLAYERS = 1_000
#: The newest contests of a series that its map lists.
MOST_CONTESTS = 2_000
#: Series, and also communities, in one map of pages, oldest first; and the greatest number of maps in an index.
SERIES, MOST_MAPS = 5_000, 50_000
#: Beyond any number of parts that a site could have.
MOST_PARTS = 1_000_000
#: Above this number of series, the lists of the whole site are cached; search engines read them once a day.
FEW_SERIES, _KEPT_SECONDS = 500, 600


def listed_series() -> SeriesQuerySet:
    """Return the series that search engines may find."""
    return Series.objects.listed()


def index_count() -> int:
    """Return the number of indexes, which is also the number of maps of pages."""
    return _kept("sitemap:count", _count)


def index(request: HttpRequest) -> HttpResponse:
    """List the site maps of one part of the site; robots.txt names all parts."""
    number = _part(request)
    paths = _kept(f"sitemap:index:{number}", lambda: _maps(number))
    return _answer(request, ((path, None) for path in paths), root="sitemapindex", item="sitemap")


def series_map(request: HttpRequest) -> HttpResponse:
    """List pages of communities and series, and those of the site as a whole in the first part."""
    number = _part(request)
    return _answer(request, ((path, None) for path in _kept(f"sitemap:series:{number}", lambda: _pages(number))))


def _part(request: HttpRequest) -> int:
    """Return which part the parameter `p` asks for, as in Django's site maps; Http404 if there is no such part."""
    number = whole_number_of(request.GET.get("p", "1"), most=MOST_PARTS)
    if not number or (number > 1 and number > index_count()):
        raise Http404
    return number


def _kept(key: str, make: Callable[[], Value]) -> Value:
    """Return the result of `make`, cached for some minutes on a site with many series."""
    is_large = listed_series().order_by()[FEW_SERIES : FEW_SERIES + 1].exists()
    return cached(key, make, _KEPT_SECONDS) if is_large else make()


def _count() -> int:
    most = max(listed_series().count(), Community.objects.listed().count(), 1)
    return -(-most // SERIES)  # rounded up: the last part may be shorter


def _of_part(rows: QuerySet[Row], number: int) -> QuerySet[Row]:
    return rows[(number - 1) * SERIES : number * SERIES]


def _maps(number: int) -> list[str]:
    run = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    contests = Contest.objects.finalized().filter(series=OuterRef("pk"))
    found = listed_series().annotate(players=Subquery(run.values("player_count")[:1]), is_played=Exists(contests))
    paths = [reverse("sitemap-series", query={"p": number} if number > 1 else None)]
    for series in _of_part(found.order_by("pk").only("community", "slug"), number):
        if series.is_played:
            paths.append(reverse("sitemap-contests", args=[series]))
            count = -(-(series.players or 0) // PLAYERS)
            paths += [reverse("sitemap-players", args=[series, each]) for each in range(1, count + 1)]
    return paths[:MOST_MAPS]


def _pages(number: int) -> list[str]:
    names = ("home", "communities", "series-list", "contests", "players") if number == 1 else ()
    paths = [reverse(name) for name in names]
    communities = Community.objects.listed().order_by("created_at", "slug").only("slug")
    paths += [community.get_absolute_url() for community in _of_part(communities, number)]
    listed = _of_part(listed_series().order_by("pk").only("community", "slug"), number)
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
