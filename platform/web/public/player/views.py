"""The page of a player with views of one series, all series and all results, and the history as a CSV file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from contests.addresses import whole_address
from contests.handles import printable
from contests.queries.visibility import visible_series
from contests.whole_numbers import whole_number_of
from ratings.database import consistent_read
from ratings.models import Rating, RatingChange
from ratings.queries.boards import is_provisional
from ratings.queries.challenges import challenges_of
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.filters import country_name
from ratings.queries.opponents import game_records, played_games
from ratings.queries.rated_contests import counted_weights
from ratings.queries.roll_backs import rates_other_results
from ratings.queries.search import likely_players, player_of
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.player.hero import hero_of
from web.public.player.history import changes_of, history_rows, history_table, results_context
from web.public.player.profile import (
    best_place,
    figures,
    other_names,
    series_rows,
    sharing_of,
    tier_steps,
)
from web.public.player.reporting import reports_of
from web.public.player.rivals import rivals_of
from web.public.player.story import story_of
from web.shared.charts import rating_chart
from web.shared.csv_files import csv_file, file_name
from web.shared.good_contests import SETTLING, good_contests_to
from web.shared.names import names_of
from web.shared.params import text_of
from web.shared.still import still_graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from django.http import HttpRequest

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow

SUGGESTED = 8
#: Series beyond this number are only in the table of all series.
MOST_TABS = 8
#: On a ladder, how many of the players whom the player can challenge are named.
CHALLENGES_SHOWN = 10

Context = dict[str, object]


def player_page(request: HttpRequest, community: str, handle: str) -> HttpResponse:
    """Show a player; other spellings, old handles and handles of merged players redirect here."""
    with consistent_read():
        player, ratings = known_player(request, community, handle)
        if player is None:
            return unknown_player(request, community, handle)
        if player.handle != handle:
            return moved(request, player.get_absolute_url())
        context, status = _context(request, player, ratings)
    return render(request, "player/player.html", context, status=status)


def unknown_player(request: HttpRequest, community: str, handle: str) -> HttpResponse:
    """Explain that the community has no such player, and suggest similar ones."""
    alike = likely_players(handle, SUGGESTED, request.user, community)
    context = {"handle": printable(handle, 100), "players": alike}
    return render(request, "player/unknown.html", context, status=404)


def moved(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect to the player's own address, uncached: names can be removed and merges split."""
    query = request.GET.urlencode()
    answer = redirect(address + (f"?{query}" if query else ""), permanent=True)
    answer["Cache-Control"] = "no-cache"
    return answer


def known_player(request: HttpRequest, community: str, handle: str) -> tuple[Player | None, list[Rating]]:
    """Return the player with this handle or alias, None if missing or hidden, and the ratings the visitor may read."""
    player = player_of(community, handle, request.user)
    return player, _ratings_of(request, player) if player is not None else []


def _ratings_of(request: HttpRequest, player: Player) -> list[Rating]:
    """Return the player's ratings that the visitor may read, the series played last first."""
    return list(
        Rating.objects.filter(player=player, series__in=visible_series(request.user))
        .select_related("series", "last_contest", "peak_contest")
        .defer("belief")
        .order_by("-last_contest__ends_at", "series__name")
    )


def _context(request: HttpRequest, player: Player, ratings: list[Rating]) -> tuple[Context, int]:
    called = names_of(player, names_first=player.community.names_first)
    context: Context = {
        "player": player,
        "called": called,
        "names_first": player.community.names_first,
        "country": country_name(player.country),
        "names": other_names(player, request.user),
        "ratings": ratings,
        "reports": reports_of(request.user, player),
    }
    asked = text_of(request, "view")
    view = asked if asked == "results" or (asked == "all" and ratings) else "series" if ratings else "results"
    if view == "results":
        more, status = results_context(request, player)
    elif view == "all":
        more, status = _all_series(ratings)
    else:
        more, status = _one_series(request, player, ratings, called.first)
    if asked not in ("", "all", "results"):
        status, more["unknown_view"] = 404, asked
    tabs = _tabs(ratings, more.get("rating"))
    return context | {"view": view, "tabs": tabs, "canonical": _canonical(request, player, view)} | more, status


def _tabs(ratings: Sequence[Rating], chosen: object) -> list[Rating]:
    """Return the ratings with tabs of their own: the first ones and the selected one."""
    return [rating for place, rating in enumerate(ratings) if place < MOST_TABS or rating == chosen]


def _canonical(request: HttpRequest, player: Player, view: str) -> str:
    """Return the canonical address of a view, without its filters."""
    return whole_address(request, f"{player.get_absolute_url()}?view={view}")


def _all_series(ratings: list[Rating]) -> tuple[Context, int]:
    rows = series_rows(ratings)
    return {"rows": rows, "snapshots": [row.snapshot for row in rows]}, 200


def _one_series(request: HttpRequest, player: Player, ratings: list[Rating], called: str) -> tuple[Context, int]:
    slug = text_of(request, "series")
    rating = _chosen(request, ratings, slug)
    snapshot = snapshot_of(rating.series)
    changes = changes_of(rating)
    played = played_games(rating.player_id, changes)
    games = game_records(rating, changes, played)
    rows = history_rows(snapshot, changes, played.outcomes)
    numbers = figures(snapshot, rating)
    chart = rating_chart(snapshot, changes, played.outcomes)
    hero = hero_of(snapshot, numbers, rows)
    context: Context = {
        "rating": rating,
        "series": rating.series,
        "snapshot": snapshot,
        "snapshots": [snapshot],
        "of_games": is_of_games(snapshot),
        "waiting": wait_state(rating.series_id)[0],
        "figures": numbers,
        "best": best_place(rows),
        "first": rows[0] if rows else None,
        "is_provisional": is_provisional(snapshot, rating.contest_count),
        "steps": tier_steps(snapshot, rows, numbers.points, hero.number),
        "challenges": challenges_of(snapshot, rating, CHALLENGES_SHOWN),
        "chart": chart,
        "still": still_graph(chart),
        "hero": hero,
        "games": games,
        "story": story_of(snapshot, rows),
        "last_rates_other_results": bool(rows) and rates_other_results(snapshot.run, rows[-1].change.contest),
        "good": good_contests_to(numbers.to_next, [row.difference for row in rows[SETTLING:]]),
        "rivals": rivals_of(snapshot, rating, rows),
        "sharing": sharing_of(request, player, snapshot, numbers, called=called) if rating.series.is_public else None,
        "unknown_series": slug if slug and rating.series.slug != slug else "",
    }
    table, status = history_table(request, snapshot, rows)
    opponents = played.opponents_in(row.change.contest_id for row in (*table.page, *rows[-1:]))
    lines = [(row, opponents.get(row.change.contest_id)) for row in table.page]
    context |= {"table": table, "lines": lines}
    context["last_opponent"] = opponents.get(rows[-1].change.contest_id) if rows else None
    return context, 404 if context["unknown_series"] else status


def _chosen(request: HttpRequest, ratings: list[Rating], slug: str) -> Rating:
    """Return the rating in the requested series, else in that of the requested contest, else in the most recent one."""
    by_slug = {rating.series.slug: rating for rating in ratings}
    if slug in by_slug:
        return by_slug[slug]
    at = text_of(request, "at")
    contest_id = whole_number_of(at)
    if slug or len(ratings) == 1 or contest_id is None:
        return ratings[0]
    series_id = RatingChange.objects.current().filter(player=ratings[0].player_id, contest=contest_id)
    found = series_id.values_list("series_id", flat=True).first()
    return next((rating for rating in ratings if rating.series_id == found), ratings[0])


CSV_COLUMNS = (
    "number", "contest_id", "contest_slug", "contest", "ends_at", "weight", "place", "of", "performance",
    "rating_before", "rating", "change", "uncertainty", "tier", "mu_before", "sigma_before", "mu", "sigma",
    "performance_points", "amended_at",
)  # fmt: skip


def history_csv(request: HttpRequest, community: str, handle: str) -> HttpResponse:
    """Return a player's rated contests in `?series=` as CSV, oldest first; by default in the most recent series."""
    with consistent_read():
        player, ratings = known_player(request, community, handle)
        if player is None:
            return unknown_player(request, community, handle)
        if player.handle != handle:
            return moved(request, reverse("player-history", args=[player.community_id, player.handle]))
        slug = text_of(request, "series")
        rating = next((one for one in ratings if slug in ("", one.series.slug)), None)
        if rating is None:
            raise Http404(f"{player.handle} has no rating in this series.")
        snapshot = snapshot_of(rating.series)
        rows = history_rows(snapshot, changes_of(rating))
        contests = [row.change.contest for row in rows]
        weights = counted_weights(snapshot.run, contests) if snapshot.run is not None else {}
    name = f"{rating.series.slug}-{file_name(player.handle, player.pk)}"
    return csv_file([CSV_COLUMNS, *(_cells(snapshot, row, weights.get(row.change.contest_id)) for row in rows)], name)


def _cells(snapshot: SeriesSnapshot, row: HistoryRow, weight: float | None) -> list[Any]:
    change, contest = row.change, row.change.contest
    named = [row.number, contest.pk, contest.slug, contest.name, contest.ends_at.isoformat()]
    shown_points = [row.performance, row.before, row.after, row.difference, row.uncertainty]
    beliefs = [change.mu_before, change.sigma_before, change.mu, change.sigma]
    performance = change.performance if snapshot.has_performance else None
    amended = contest.amended_at.isoformat() if contest.amended_at else None
    return [
        *named, weight, change.rank, change.field_size, *shown_points, snapshot.tier(row.after).name,
        *beliefs, performance, amended,
    ]  # fmt: skip
