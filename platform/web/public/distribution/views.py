"""The rating distribution of a series, a player's place in it, and movement between tiers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from contests.models import Player
from ratings.database import consistent_read
from ratings.derived import derived
from ratings.derived.movement import DERIVATION
from ratings.display.percentages import percent_of
from ratings.models import Rating
from ratings.queries.distributions import (
    bin_width,
    bins,
    flows_by_tier,
    locate_rating,
    most_bins,
    percentiles,
    tier_shares,
)
from ratings.queries.rows import leaders
from ratings.queries.search import nearest_players, player_of
from ratings.queries.snapshot import snapshot_of, wait_state
from web.shared.drawings import Tick, gutter, histogram, percent, stacks, up_to
from web.shared.params import series_at, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse
    from numpy.typing import NDArray

    from ratings.derived import Content
    from ratings.display import Tier, Tiers
    from ratings.queries.distributions import Flows, RatingPosition
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.drawings import Histogram, Marker, Stack
    from web.shared.params import SeriesPath

#: A whole number, with or without its thousands separated.
_NUMBER = re.compile(r"[-−]?(\d{1,9}|\d{1,3}([,.'’\s]\d{3}){1,2})")
#: The most labels below the tiers over time: for years, and for longer labels such as "Q4 2026". Phones show half of
#: them.
_MOST_LABELS, _MOST_LONG_LABELS = 12, 8


@dataclass(frozen=True, slots=True)
class PlayerPlace:
    """A player's place in the distribution."""

    leader: Leader
    reading: RatingPosition
    marker: Marker


@dataclass(frozen=True, slots=True)
class RatingPlace:
    """The place of a rating in the distribution."""

    reading: RatingPosition
    marker: Marker
    tier: Tier


@dataclass(frozen=True, slots=True)
class Period:
    """The players of each tier, highest first, at the end of a period."""

    label: str
    counts: list[int]
    total: int
    stack: Stack


@dataclass(frozen=True, slots=True)
class Movement:
    """The number of players in each tier over time, oldest period first, and movement in the last year."""

    periods: list[Period]
    across: list[tuple[Tick, str]]
    up: list[Tick]
    gutter: int
    as_shares: bool
    flows: Flows
    since: datetime
    until: datetime


def distribution(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the distribution of ratings, the place of a player or rating, and the tiers over time."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        context: dict[str, Any] = {"series": series, "snapshot": snapshot, "waiting": wait_state(series.pk)[0]}
        status = 200
        if len(snapshot.index):
            found, status = _distribution(request, snapshot)
            context |= found
    return render(request, "distribution/distribution.html", context, status=status)


def _distribution(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[dict[str, Any], int]:
    content = derived(snapshot, DERIVATION)
    only_active = content is not None and text_of(request, "active") == "1"
    ratings = _ratings(snapshot, content if only_active else None)
    columns = bins(ratings, bin_width(ratings, most_bins(len(ratings))))
    chart = histogram(columns, snapshot.tiers)
    placed, status = _places(request, snapshot, ratings, chart)
    rows = tier_shares(ratings, snapshot.tiers)
    context = {
        "only_active": only_active,
        "links": _links(request),
        "total": len(ratings),
        "active_count": int(content["is_active"].sum()) if content is not None else None,
        "chart": chart,
        "bars": _cumulative_rows(columns, len(ratings)),
        "width": columns[0].end - columns[0].start,
        "percentiles": percentiles(ratings),
        "median": int(ratings[(len(ratings) - 1) // 2]),
        "tiers": rows,
        "legend": rows[::-1],
        "movement": _movement(content, snapshot.tiers, as_shares=text_of(request, "as") == "shares")
        if content
        else None,
    }
    return context | placed, status


def _links(request: HttpRequest) -> dict[str, str]:
    """Return the query strings of the page with one choice changed."""
    links = {}
    for link, (name, value) in {
        "all": ("active", ""), "active": ("active", "1"), "players": ("as", ""), "shares": ("as", "shares"),
    }.items():  # fmt: skip
        query = request.GET.copy()
        query.pop(name, None)
        if value:
            query[name] = value
        links[link] = query.urlencode()
    return links


def _ratings(snapshot: SeriesSnapshot, active: Content | None) -> NDArray[Any]:
    """Return the displayed ratings of all players, or of the active ones, in ascending order."""
    scores = snapshot.index.scores if active is None else snapshot.index.scores[active["is_active"]]
    ratings: NDArray[Any] = snapshot.mapping.show(scores[::-1])
    return ratings


def _places(
    request: HttpRequest, snapshot: SeriesSnapshot, ratings: NDArray[Any], chart: Histogram
) -> tuple[dict[str, Any], int]:
    """Return the places of the player and rating in the query, or what is wrong with them, and the status."""
    handle, number = text_of(request, "player"), text_of(request, "rating")
    context: dict[str, Any] = {"handle": handle, "number": number}
    status = 200
    if handle:
        found, status = _find_player(request, snapshot, handle)
        context |= found
        if leader := found.get("leader"):
            context["player_place"] = PlayerPlace(
                leader, locate_rating(ratings, leader.points), chart.marker(leader.points)
            )
            context["player_tier"] = snapshot.tier_number(leader.points)
    if number:
        if _NUMBER.fullmatch(number):
            rating = int(re.sub(r"[^\d-]", "", number.replace("−", "-")))
            context["rating_place"] = RatingPlace(
                locate_rating(ratings, rating), chart.marker(rating), snapshot.tier(rating)
            )
        else:
            context["is_invalid_rating"], status = True, 400
    return context, status


def _find_player(request: HttpRequest, snapshot: SeriesSnapshot, handle: str) -> tuple[dict[str, Any], int]:
    player = player_of(snapshot.series.community_id, handle, request.user)
    found = leaders(snapshot, [player.pk]) if player is not None else []
    if found:
        return {"leader": found[0]}, 200
    if player is not None:
        return {"unrated": player}, 200
    rated = Exists(Rating.objects.filter(series=snapshot.series, player=OuterRef("pk")))
    return {"is_unknown": True, "nearest": nearest_players(handle, Player.objects.existing().filter(rated))}, 404


def _cumulative_rows(columns: Sequence[Any], total: int) -> list[tuple[Any, float, float]]:
    """Return each bin, highest first, with its share and the share of players in it or below, in percent."""
    rows, below = [], 0
    for one in columns:
        below += one.players
        rows.append((one, percent_of(one.players, total), 1000 * below // total / 10))
    return rows[::-1]


def _movement(content: Content, tiers: Tiers, *, as_shares: bool) -> Movement:
    counts = content["counts"].tolist()
    labels = [_label(month, content["months"]) for month in content["starts"].tolist()]
    bars = stacks(counts, tiers, as_shares=as_shares)
    most = max(bar.total for bar in bars)
    every = -(-len(bars) // (_MOST_LABELS if content["months"] >= 12 else _MOST_LONG_LABELS))
    up = [Tick(percent(1 - share / 100), share) for share in (25, 50, 75)] if as_shares else up_to(most)
    # Labels are counted back from the newest period, so that it always has one.
    marked = range((len(bars) - 1) % every, len(bars), every)
    return Movement(
        periods=[
            Period(label, row[::-1], bar.total, bar) for label, row, bar in zip(labels, counts, bars, strict=True)
        ],
        across=[(Tick(bars[i].middle, i, (len(bars) - 1 - i) // every % 2 == 1), labels[i]) for i in marked],
        up=up,
        # A percent sign is as wide as two digits.
        gutter=gutter(up) + (14 if as_shares else 0),
        as_shares=as_shares,
        flows=flows_by_tier(content["flows"], tiers),
        since=datetime.fromisoformat(content["since"]),
        until=datetime.fromisoformat(content["until"]),
    )


def _label(month: int, months: int) -> str:
    """Return the label of a period of `months` that begins in `month`, counted from January of the year 0."""
    year, number = divmod(month, 12)
    if months == 1:
        return date_format(date(year, number + 1, 1), pgettext("how a month is written", "M Y"))
    if months == 3:
        return _("Q%(quarter)d %(year)d") % {"quarter": number // 3 + 1, "year": year}
    return _("%(year)ds") % {"year": year} if months == 120 else str(year)
