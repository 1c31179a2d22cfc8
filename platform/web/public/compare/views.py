"""The comparison of up to eight players in one series: figures, a graph, past meetings and win probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef
from django.shortcuts import render

from contests.handles import lookup_key
from contests.queries.visibility import (
    listed_players,
    listed_series,
    named_series,
    split_name,
    visible_players,
    visible_series,
)
from ratings.database import consistent_read
from ratings.derived.draws import draw_rate_of
from ratings.models import Rating, Run
from ratings.queries.comparisons import (
    MAX_PLAYERS,
    address_of,
    best_of,
    changes_of,
    common_series,
    duel_of,
    more_to_add,
    pairs_of,
    periods_of,
    requested_players,
    row_of,
    tied_contests,
)
from ratings.queries.head_to_head import Meetings
from ratings.queries.rows import leaders
from ratings.queries.search import nearest_players
from ratings.queries.snapshot import snapshot_of, wait_state
from web.shared.charts import compare_chart
from web.shared.overview import names_of_cards, newest_rated_cards
from web.shared.params import page_of, text_of
from web.shared.still import still_comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from contests.models import Player, Series
    from ratings.queries.comparisons import RequestedPlayers
    from ratings.queries.snapshot import SeriesSnapshot

PAGE_SIZE = 25
EXAMPLES_SHOWN = 6
SERIES_LISTED = 300
NEAREST_SHOWN = 5
#: The maximum number of unknown handles that get suggestions; each takes a few queries.
SUGGESTED_FOR = 3


def compare(request: HttpRequest) -> HttpResponse:
    """Compare players; without any, show how it works."""
    with consistent_read():
        named, community = _named(request)
        context, status = _context(request, named, community)
    return render(request, "compare/compare.html", context, status=status)


def _context(request: HttpRequest, named: RequestedPlayers, community: str) -> tuple[dict[str, Any], int]:
    slug = text_of(request, "series")
    series, unknown_series = _series(request, slug, named)
    context: dict[str, Any] = {
        "named": named,
        "community": community,
        "is_default_community": community == settings.PODIUM_COMMUNITY,
        "most": MAX_PLAYERS,
        "handles": ", ".join(
            [*(player.handle for player in named.players if "," not in player.handle), *named.unknown]
        ),
        "exact": [player for player in named.players if "," in player.handle],
        "suggestions": _suggestions(request, named, community, None if unknown_series or not slug else series),
        "series": series,
        "series_list": _series_list(request, named, community, series),
        "unknown_series": unknown_series,
    }
    status = 404 if unknown_series or (named.unknown and not named.players) else 200
    if not named.players:
        return context | _examples(request, series, community), status
    if series is None:
        return context | {"unrated": named.players}, status
    compared, page_status = _compared(request, snapshot_of(series), named.players)
    return context | compared, max(status, page_status)


def community_asked(request: HttpRequest) -> str:
    """Return the community whose players are compared: that of `?series=`, or of `?community=`, or the default one."""
    series = text_of(request, "series")
    return split_name(series)[0] if "/" in series else text_of(request, "community") or settings.PODIUM_COMMUNITY


def _named(request: HttpRequest) -> tuple[RequestedPlayers, str]:
    """
    Return the named players and their community.

    If the address names neither a series nor a community, and the default community has none of the players, that is
    the listed community with most of these handles, because the search suggests players of all communities there.
    """
    community, visible = community_asked(request), visible_players(request.user)
    named = requested_players(request.GET, visible, community, request.user, with_real_names=True)
    if named.players or not named.unknown or not _is_open(request):
        return named, community
    keys = {lookup_key(text) for text in named.unknown}
    known = listed_players(request.user).filter(handle_key__in=keys).values_list("community")
    elsewhere = known.annotate(number=Count("pk")).order_by("-number", "community").first()
    if elsewhere is None:
        return named, community
    named = requested_players(request.GET, visible, elsewhere[0], request.user, with_real_names=True)
    return named, elsewhere[0]


def _is_open(request: HttpRequest) -> bool:
    """Return whether the address names neither a series nor a community."""
    return not text_of(request, "series") and not text_of(request, "community")


def _series(request: HttpRequest, slug: str, named: RequestedPlayers) -> tuple[Series | None, str]:
    """Return the requested series, or one that the players share; and the requested slug if it is unknown."""
    series = named_series(slug, visible_series(request.user))
    if series is not None or not named.players:
        return series, slug if slug and series is None else ""
    ratings = Rating.objects.filter(player__in=named.players, series__in=visible_series(request.user))
    found = common_series(list(ratings.select_related("series", "last_contest").defer("belief")))
    return found, slug


def _series_list(request: HttpRequest, named: RequestedPlayers, community: str, chosen: Series | None) -> list[Series]:
    """
    Return the rated series to choose from, by community and name.

    They are those of the community, or of the whole site if the address names neither players nor a community.
    """
    if named.players or not _is_open(request):
        series = visible_series(request.user).filter(community=community)
    else:
        series = listed_series(request.user)
    rated = series.filter(pk__in=Run.objects.published().values("series")).select_related("community")
    listed = list(rated.order_by("community__name", "community", "name", "pk")[:SERIES_LISTED])
    return listed if chosen is None or chosen in listed else [chosen, *listed]


@dataclass(frozen=True, slots=True)
class UnknownHandle:
    """
    A text that is not the handle or real name of a player of the community.

    elsewhere
        The player of another community who has this handle.
    similar
        Similar players, each with the query string that adds the player.
    """

    text: str
    elsewhere: Player | None
    similar: list[tuple[Player, str]]


def _elsewhere(request: HttpRequest, named: RequestedPlayers, community: str) -> dict[str, Player]:
    """Return the players of other listed communities whose handles are not known in this one, by key."""
    keys = {key for text in named.unknown if (key := lookup_key(text))}
    listed = listed_players(request.user).filter(handle_key__in=keys).exclude(community=community)
    listed = listed.select_related("community").order_by("-community__name", "-pk")
    return {player.handle_key: player for player in listed} if keys else {}


def _suggestions(
    request: HttpRequest, named: RequestedPlayers, community: str, chosen: Series | None
) -> list[UnknownHandle]:
    """
    Return similar players for each unknown handle.

    They are rated in the chosen series, or else in some series of the community. If the address names neither, and no
    known player, they are players of the whole site.
    """
    series = visible_series(request.user).filter(community=community) if chosen is None else [chosen]
    rated = Rating.objects.filter(series__in=series, player=OuterRef("pk"))
    known = visible_players(request.user).filter(Exists(rated), community=community)
    if not named.players and _is_open(request):
        known = listed_players(request.user).filter(Exists(Rating.objects.filter(player=OuterRef("pk"))))
    full_slug = "" if chosen is None else chosen.full_slug
    elsewhere, found = _elsewhere(request, named, community), []
    for number, text in enumerate(named.unknown[:MAX_PLAYERS]):
        other = elsewhere.get(lookup_key(text))
        # An address without a community or series means that player.
        is_meant = other is not None and _is_open(request)
        near = nearest_players(text, known, NEAREST_SHOWN) if number < SUGGESTED_FOR and not is_meant else []
        similar = [(player, address_of([*named.players, player], full_slug)) for player in near]
        found.append(UnknownHandle(text[:128], other, similar))
    return found


def _examples(request: HttpRequest, chosen: Series | None, community: str) -> dict[str, Any]:
    """
    Return some series, each with the query string that compares its top three players.

    They are series of the community that the address names, or else of the whole site.
    """
    if chosen is not None:
        series = visible_series(request.user).filter(pk=chosen.pk)
    elif text_of(request, "community") or "/" in text_of(request, "series"):
        series = visible_series(request.user).filter(community=community)
    else:
        series = listed_series(request.user)
    cards = newest_rated_cards(series, EXAMPLES_SHOWN)
    return {
        "examples": [
            (card, address_of([step.rating.player for step in card.podium], card.series.full_slug)) for card in cards
        ],
        "communities": names_of_cards(cards),
        "styled": [card.snapshot for card in cards],
    }


def _compared(request: HttpRequest, snapshot: SeriesSnapshot, players: Sequence[Player]) -> tuple[dict[str, Any], int]:
    """Return the comparison of these players in a series, and the status of the requested page of meetings."""
    found = leaders(snapshot, [player.pk for player in players])
    rated = [leader.rating.player for leader in found]
    changes = changes_of(snapshot, rated)
    meetings = Meetings(rated, [change for own in changes for change in own])
    tied = tied_contests(snapshot, rated)
    rows = [row_of(leader, own, players, snapshot, tied) for leader, own in zip(found, changes, strict=True)]
    draw_rate = draw_rate_of(snapshot)
    pairs = pairs_of(snapshot, found, meetings, draw_rate)
    chart = compare_chart(snapshot, list(zip(rated, changes, strict=True)), tied)
    context: dict[str, Any] = {
        "snapshot": snapshot,
        "styled": [snapshot],
        "waiting": wait_state(snapshot.series.pk)[0],
        "rows": rows,
        "best": best_of(rows),
        "unrated": [player for player in players if player not in rated],
        "compare": chart,
        "still": still_comparison(chart),
        "share": address_of(players, snapshot.series.full_slug),
        "more": more_to_add(snapshot, players),
        **periods_of(changes, chart),
        "has_draws": any(pair.draw >= 0.01 for _, cells in pairs for pair in cells if pair is not None),
        "pairs": pairs,
    }
    if len(rated) != 2:
        return context, 200
    listed = meetings.of_two(snapshot, draw_rate)
    page, status = page_of(request, listed, PAGE_SIZE)
    return context | {"page": page, "duel": duel_of(context["pairs"], listed)}, status
