"""The list of communities, the page of one, and redirects from addresses without a community."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponsePermanentRedirect
from django.shortcuts import get_object_or_404, render

from contests.models import Community
from contests.queries.visibility import visible_series
from ratings.database import consistent_read
from web.shared.overview import front_page
from web.shared.params import page_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_SIZE = 24


def community_list(request: HttpRequest) -> HttpResponse:
    """Show the communities by name: listed ones, and those in which the visitor has a role."""
    with consistent_read():
        listed = Community.objects.listed() | Community.objects.filter(
            pk__in=Community.objects.joined_by(request.user).values("pk")
        )
        page, status = page_of(request, listed.order_by("name", "slug"), PAGE_SIZE)
    return render(request, "community/list.html", {"page": page}, status=status)


def community_page(request: HttpRequest, community: str) -> HttpResponse:
    """Show a community: its series with their leaders, newest results, movers and upcoming contests."""
    with consistent_read():
        shown = get_object_or_404(Community.objects.visible_to(request.user), pk=community)
        front = front_page(visible_series(request.user).filter(community=shown))
    snapshots = {snapshot.series.pk: snapshot for snapshot in (card.snapshot for card in front.cards)}
    snapshots |= {moves.snapshot.series.pk: moves.snapshot for _, moves in front.moves}
    context = {"community": shown, "front": front, "snapshots": list(snapshots.values())}
    return render(request, "community/community.html", context)


def moved(request: HttpRequest, path: str) -> HttpResponse:
    """Redirect an address from before there were communities to the default community, whether or not it exists."""
    return _moved(request, f"/c/{settings.PODIUM_COMMUNITY}/{path}")


def moved_organize(request: HttpRequest, path: str) -> HttpResponse:
    """Redirect an organizers' address from before there were communities to the default community."""
    return _moved(request, f"/organize/c/{settings.PODIUM_COMMUNITY}/{path}")


def _moved(request: HttpRequest, path: str) -> HttpResponse:
    query = request.META.get("QUERY_STRING", "")
    # The path as the client sent it: a handle may hold characters that only stay the same when percent-encoded.
    return HttpResponsePermanentRedirect(quote(path, safe="/~:@!$&'()*+,;=") + (f"?{query}" if query else ""))
