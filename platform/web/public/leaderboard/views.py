"""
The leaderboard of a series, 100 players a page, with filters and a lookup of a rank, percentile or player.

Pages are slices of the run's sorted array, so each of them costs the same.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Exists, OuterRef
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from contests.models import Contest
from contests.queries.visibility import visible_players
from ratings.database import consistent_read
from ratings.derived import derived
from ratings.derived.league_tables import (
    divisions_in_rows,
    league_name,
    leagues_content,
    leagues_in_rows,
    rows_in_leagues,
)
from ratings.derived.newest_changes import DERIVATION as BEFORE
from ratings.derived.newest_changes import ranks_before
from ratings.models import Rating
from ratings.queries import filters as filtering
from ratings.queries.boards import board_of
from ratings.queries.filters import audience_of
from ratings.queries.origins import UNKNOWN_COUNTRY
from ratings.queries.rows import leaders
from ratings.queries.search import nearest_players, player_named
from ratings.queries.snapshot import snapshot_of, wait_state
from ratings.queries.sparklines import newest_ratings
from web.shared.params import cut, filters_of, page_of, series_at, text_of, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.paginator import Page
    from django.http import HttpRequest, HttpResponse
    from numpy.typing import NDArray

    from contests.models import Player
    from ratings.display import Tier
    from ratings.queries.filters import Audience
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.params import SeriesPath

    Ints = NDArray[np.int64]

PAGE_SIZE = 100
#: Rows shown on either side of the player who was looked up, even beyond the page.
AROUND = 5
_PERCENTILE = re.compile(r"\d{1,3}(?:[.,]\d{1,6})?|[.,]\d{1,6}")


def leaderboard(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show a page of the leaderboard: all players, or those who match the filters."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        filters = filters_of(request, snapshot)
        audience, lookup = _audience(request, snapshot, filters)
        among = audience.rows
        page, status = _page(request, among, lookup)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "page": page,
            "lookup": lookup,
        }
        context["audience"] = audience
        context |= _rows(snapshot, page, among, lookup) | _form(snapshot, filters)
    status = 404 if filters.problems or lookup.problems else status
    return render(request, "leaderboard/leaderboard.html", context, status=status)


def _audience(request: HttpRequest, snapshot: SeriesSnapshot, filters: filtering.Filters) -> tuple[Audience, RowLookup]:
    """
    Return the listed players and the row at which the list opens.

    A player who is not established is looked up among all players.
    """
    matching = filtering.matching_rows(snapshot, filters)
    if filters.league is not None:
        content = leagues_content(snapshot)
        inside = rows_in_leagues(content, filters.league, filters.division) if content is not None else matching[:0]
        matching = matching[np.isin(matching, inside)]
    audience = audience_of(snapshot, matching, filters)
    lookup = lookup_row(request, snapshot, audience.rows)
    if lookup.outside is None or not audience.is_established or filters.show:
        return audience, lookup
    everyone = audience_of(snapshot, matching, replace(filters, show=filtering.EVERYONE))
    return everyone, lookup_row(request, snapshot, everyone.rows)


def _page(request: HttpRequest, among: NDArray[np.int64], lookup: RowLookup) -> tuple[Page[Any], int]:
    page, status = page_of(request, among, PAGE_SIZE)
    if lookup.at is None or "page" in request.GET:
        return page, status
    return page.paginator.page(lookup.at // PAGE_SIZE + 1), status


def _rows(snapshot: SeriesSnapshot, page: Page[Any], among: NDArray[np.int64], lookup: RowLookup) -> dict[str, Any]:
    """Return the rows of a page, and a few more if the player who was looked up is at its edge."""
    start, stop = (page.number - 1) * PAGE_SIZE, page.number * PAGE_SIZE
    marked = []
    if lookup.at is not None and start <= lookup.at < stop:
        start, stop = max(0, min(start, lookup.at - AROUND)), max(stop, lookup.at + AROUND + 1)
        marked = [int(among[lookup.at])]
    before = _before(snapshot)
    return {
        "rows": board_rows(snapshot, among[start:stop], among, marked, before),
        "leagues": leagues_in_rows(snapshot, among[start:stop]),
        "divisions": divisions_in_rows(snapshot, among[start:stop]),
        "total": len(among),
        "has_groups": len(board_of(snapshot).group_starts) > 0,
        "before": before,
        "newest_contest": _newest_contest(before),
    }


def _form(snapshot: SeriesSnapshot, filters: filtering.Filters) -> dict[str, Any]:
    return {
        "filters": filters,
        "filter_query": filters.query(snapshot),
        "tier_asked": filters.tier_of(snapshot) if filters.tier is not None else None,
        "countries": filtering.countries_of(snapshot),
        "country_asked": filtering.country_name(filters.country) if filters.country != UNKNOWN_COUNTRY else "",
        "unknown_country": UNKNOWN_COUNTRY,
        "affiliations": filtering.affiliations_of(snapshot),
        "windows": filtering.WINDOWS,
        "tiers": list(snapshot.tiers)[::-1],
        "league_choices": _league_choices(snapshot),
        "division_most": _most_divisions(snapshot),
        "league_asked": league_name(snapshot, filters.league) if filters.league is not None else None,
        "newest_day": board_of(snapshot).newest_day,
    }


def _league_choices(snapshot: SeriesSnapshot) -> list[tuple[str, Tier]]:
    """Return the leagues with their values in the address, the highest first; none without leagues."""
    if leagues_content(snapshot) is None:
        return []
    return [(str(number), tier) for number, tier in enumerate(snapshot.tiers, start=1)][::-1]


def _most_divisions(snapshot: SeriesSnapshot) -> int:
    """Return the number of divisions of the league with the most; 0 without divisions."""
    content = leagues_content(snapshot)
    return int(content["division"].max(initial=0)) if content is not None and "division" in content else 0


@dataclass(slots=True)
class RowLookup:
    """
    A search for one row of the list, and its outcome.

    rank, percentile, player
        The query parameters as the visitor typed them.
    at
        Position in the list; None without a search and where nothing was found.
    problems
        Messages about a search that found nothing.
    similar
        Players on the leaderboard whose handles resemble an unknown one.
    unrated
        A player who is not on the leaderboard.
    outside
        A player who is on the leaderboard but does not match the filters.
    """

    rank: str = ""
    percentile: str = ""
    player: str = ""
    at: int | None = None
    problems: list[str] = field(default_factory=list)
    similar: list[Player] = field(default_factory=list)
    unrated: Player | None = None
    outside: Player | None = None

    @property
    def is_asked(self) -> bool:
        return bool(self.rank or self.percentile or self.player)


def lookup_row(request: HttpRequest, snapshot: SeriesSnapshot, among: Ints) -> RowLookup:
    """
    Look up the row in the query string: a player before a rank, a rank before a percentile.

    among
        Listed rows of the rank index, ascending; ranks and percentiles count only these.
    """
    lookup = RowLookup(text_of(request, "rank"), text_of(request, "percentile"), text_of(request, "player"))
    if lookup.player:
        _look_up_player(lookup, request, snapshot, among)
    elif lookup.rank:
        _look_up_rank(lookup, len(among))
    elif lookup.percentile:
        _look_up_percentile(lookup, len(among))
    return lookup


def position_of_percentile(percentile: float, total: int) -> int:
    """Return the position of the last of `total` rows with at least this percentile (0 to 100)."""
    rank = math.floor(total + 1 - percentile * total / 100 + 1e-9)
    return max(1, min(total, rank)) - 1


def _look_up_rank(lookup: RowLookup, total: int) -> None:
    rank = whole_number(lookup.rank, _("“Rank”"), lookup.problems, most=10**12)
    if rank is None or not total:
        return
    lookup.at = min(rank, total) - 1
    if rank > total:
        problem = _("No one has rank %(rank)s: this list has %(total)s players. Here is the end of the list.")
        lookup.problems.append(problem % {"rank": _grouped(rank), "total": _grouped(total)})


def _look_up_percentile(lookup: RowLookup, total: int) -> None:
    text = lookup.percentile.replace("%", "").strip()
    value = float(text.replace(",", ".")) if _PERCENTILE.fullmatch(text) and text.isascii() else math.inf
    if value > 100:
        problem = _("A percentile is a number from 0 (lowest) to 100 (highest), not “%s”.")
        lookup.problems.append(problem % cut(lookup.percentile))
    elif total:
        lookup.at = position_of_percentile(value, total)


def _look_up_player(lookup: RowLookup, request: HttpRequest, snapshot: SeriesSnapshot, among: Ints) -> None:
    player = player_named(snapshot.series.community_id, lookup.player, request.user)
    if player is None:
        lookup.problems.append(_("There is no player with the handle “%s”.") % cut(lookup.player))
        rated = Rating.objects.filter(series=snapshot.series, player=OuterRef("pk"))
        lookup.similar = nearest_players(lookup.player, visible_players(request.user).filter(Exists(rated)))
        return
    rating = Rating.objects.filter(series=snapshot.series, player=player).values_list("score", flat=True).first()
    row = snapshot.index.position(player.pk, rating) if rating is not None else None
    if row is None:
        problem = _("%(player)s has no rating in this series.")
        lookup.problems.append(problem % {"player": player.handle})
        lookup.unrated = player
        return
    at = int(np.searchsorted(among, row))
    if at < len(among) and among[at] == row:
        lookup.at = at
    else:
        lookup.outside = player


def _grouped(number: int) -> str:
    return number_format(number, force_grouping=True)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """
    A row of a page.

    within
        Competition rank among the players who match the filters.
    climbed
        Ranks in the list gained (positive) or lost by the newest results; None if unknown or if the player is new.
    gained
        Displayed points gained or lost by the newest results, likewise.
    is_new
        Whether the player had no rating before the newest results.
    group
        Number of the group of players who do not differ significantly; 0 without groups.
    begins_group
        Whether the player is the first of that group.
    is_marked
        Whether the row is highlighted because it was looked up.
    line
        The newest displayed ratings, oldest first.
    """

    leader: Leader
    within: int
    climbed: int | None
    gained: int | None
    is_new: bool
    group: int
    begins_group: bool
    is_marked: bool
    line: Sequence[int]


def board_rows(
    snapshot: SeriesSnapshot, rows: Ints, among: Ints, marked: Sequence[int], before: dict[str, Any] | None
) -> list[BoardRow]:
    """
    Return rows of the leaderboard as a page shows them.

    rows
        Rows of the rank index, ascending.
    among
        Rows of all players who match the filters, ascending; the rank within the filters counts these.
    marked
        Rows to highlight.
    before
        What `_before` returns.
    """
    index = snapshot.index
    found = {row.rating.player_id: row for row in leaders(snapshot, index.player_ids[rows])}
    lines = newest_ratings((snapshot, row.rating) for row in found.values())
    # Equal scores share the rank of the first of them.
    within = np.searchsorted(-index.scores[among], -index.scores[rows], side="left") + 1
    climbed, gained, new = _newest_changes(snapshot, rows, within, among, before)
    board = board_of(snapshot)
    begins = np.isin(rows, board.group_starts).tolist()
    players = index.player_ids[rows].tolist()
    columns = (
        within.tolist(),
        climbed,
        gained,
        new,
        board.groups(rows).tolist(),
        begins,
        np.isin(rows, marked).tolist(),
        [lines.get(found[player].rating.pk, ()) if player in found else () for player in players],
    )
    return [
        BoardRow(found[player], *numbers) for player, *numbers in zip(players, *columns, strict=True) if player in found
    ]


def _before(snapshot: SeriesSnapshot) -> dict[str, Any] | None:
    """Return the derived scores before the newest results; None if there are none to compare with."""
    before = derived(snapshot, BEFORE)
    return before if before is not None and before["contest"] is not None else None


def _newest_contest(before: dict[str, Any] | None) -> Contest | None:
    """Return the contest that the changes come from; None after games whose changes come from a week."""
    if before is None or before["is_week"]:
        return None
    return Contest.objects.filter(pk=before["contest"]).first()


def _newest_changes(
    snapshot: SeriesSnapshot, rows: Ints, within: Ints, among: Ints, before: dict[str, Any] | None
) -> tuple[list[int | None], list[int | None], list[bool]]:
    """Return the ranks in the list and the points gained by the newest results, and whether a player is new, by row."""
    if before is None:
        return [None] * len(rows), [None] * len(rows), [False] * len(rows)
    now, is_new = snapshot.index.scores, before["is_new"][rows]
    climbed = ranks_before(before, now, rows, among) - within
    gained = snapshot.mapping.show(now[rows]) - snapshot.mapping.show(before["score"][rows])
    return _or_none(climbed, is_new), _or_none(gained, is_new), is_new.tolist()


def _or_none(numbers: Ints, are_none: NDArray[np.bool_]) -> list[int | None]:
    return [None if none else number for number, none in zip(numbers.tolist(), are_none.tolist(), strict=True)]
