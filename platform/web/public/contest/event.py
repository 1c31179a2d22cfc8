"""The page of an event: its score table with performances, a crosstable of few players, and its games by round."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.shortcuts import render

from contests.caching import cached
from contests.models import Series
from contests.queries.brackets import MOST_GAMES, bracket_of
from contests.queries.event_winners import finals_of, winning_rows
from contests.queries.games import MOST_IN_CROSSTABLE, game_rows, score_table
from contests.queries.versions import version_of
from contests.queries.winners import NAMED_ON_STEP
from ratings.queries.events import event_ratings
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.contest.event_rows import table_rows
from web.public.contest.event_story import event_story
from web.shared.contest_pages import KEPT_SECONDS
from web.shared.params import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest, Player
    from contests.queries.brackets import Bracket, Match
    from contests.queries.games import GameRow, ScoreRow
    from ratings.queries.events import EventRating
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.event_rows import TableRow

#: Rows of the score table without a link to all of them, and on the page of all; games on one page.
PLAYERS_SHOWN, PLAYERS_ON_PAGE, GAMES_ON_PAGE = 30, 200, MOST_GAMES
#: An event with fewer players has no podium.
LEAST_ON_PODIUM = 4
#: With this many games or more, the first rows of the score table are cached.
LARGE = 1_000


def event_page(request: HttpRequest, event: Contest) -> HttpResponse:
    """Show an event. Call it inside `consistent_read`."""
    snapshot = snapshot_of(event.series)
    is_small = event.standing_count <= MOST_IN_CROSSTABLE
    shows_all, has_winner = "all" in request.GET, False
    if shows_all:
        players, status = page_of(request, score_table(event, with_results=is_small), PLAYERS_ON_PAGE)
        scores = list(players.object_list)
        rated = event_ratings(snapshot, event, [score.player_id for score in scores])
    else:
        scores, rated, count, has_winner = _first_scores(event, snapshot, is_small=is_small)
        players, status = Paginator(range(count), PLAYERS_SHOWN).page(1), 200
    rows = table_rows(scores, rated, is_small=is_small)
    context: dict[str, Any] = {
        "contest": event,
        "series": event.series,
        "snapshot": snapshot,
        "waiting": wait_state(event.series_id)[0],
        "players": players,
        "rows": rows,
        "shows_all": shows_all,
        "has_crosstable": is_small and not shows_all and not event.has_teams and len(rows) > 2,
        "has_ratings": any(row.rated for row in rows),
        "has_performance": any(row.rated and row.rated.performance is not None for row in rows),
        "has_walkovers": any(row.score.walkovers for row in rows),
    }
    games = event.games.filter(state=event.state).in_order()
    if shows_all:
        all_games = game_rows(list(games)) if event.game_count <= MOST_GAMES else []
        context["has_places"] = _knock_out(event, all_games)[1] is None
    else:
        page, status = page_of(request, games, GAMES_ON_PAGE)
        listed = game_rows(list(page.object_list))
        bracket, final = _knock_out(event, listed if page.paginator.num_pages == 1 else [])
        has_amended = any(game.contest.amended_at for game in listed)
        context |= {"games": page, "rounds": rounds_of(listed), "bracket": bracket, "has_amended": has_amended}
        context["podium"] = podium_of_event(rows, bracket, final) if has_winner or final else []
        context["story"] = event_story(snapshot, rows, final, is_whole=not players.has_next(), has_winner=has_winner)
        context["has_places"] = final is None
    return render(request, "contest/event.html", context, status=status)


def _knock_out(event: Contest, games: Sequence[GameRow]) -> tuple[Bracket | None, Match | None]:
    """
    Return the bracket, and the match that decided the event; None if there is none.

    games
        All games of the event; none if there are too many for a bracket.
    """
    bracket = bracket_of(games) if games else None
    return bracket, bracket.final if bracket is not None else finals_of([event.pk]).get(event.pk)


def podium_of_event(
    rows: Sequence[TableRow], bracket: Bracket | None, final: Match | None = None
) -> list[tuple[int, list[TableRow]]]:
    """
    Return the first three places with their rows: those of the bracket, or else of the score table.

    After a final without a bracket, such as after a group stage, return the first two.

    Return nothing for few players, or if so many share a place that it would be no distinction. Call it only for events
    with a winner.
    """
    if len(rows) < LEAST_ON_PODIUM:
        return []
    if bracket is not None or final is not None:
        places = bracket.podium() if bracket is not None else _places_of(final)
        # Those who share a place have the order of the table.
        steps = [(rank, {player.pk for player in players}) for rank, players in places]
        found = [(rank, [row for row in rows if row.score.player_id in placed]) for rank, placed in steps]
        return [(rank, placed) for rank, placed in found if placed]
    found = [(rank, [row for row in rows if row.score.place == rank and row.player]) for rank in (1, 2, 3)]
    found = [(rank, placed) for rank, placed in found if placed]
    return found if all(len(placed) <= NAMED_ON_STEP for _, placed in found) else []


def _places_of(final: Match | None) -> list[tuple[int, list[Player]]]:
    players = (final.winner, final.loser) if final is not None else ()
    return [(rank, [player]) for rank, player in enumerate(players, start=1) if player is not None]


def _first_scores(
    event: Contest, snapshot: SeriesSnapshot, *, is_small: bool
) -> tuple[list[ScoreRow], dict[int, EventRating], int, bool]:
    """Return the first rows of the score table, their ratings by player, the number of rows, and whether anyone won."""

    def compute() -> tuple[list[ScoreRow], dict[int, EventRating], int, bool]:
        table = score_table(event, with_results=is_small)
        first = table[:PLAYERS_SHOWN]
        rated = event_ratings(snapshot, event, [score.player_id for score in first])
        return first, rated, len(table), bool(winning_rows(table))

    if event.game_count < LARGE:
        return compute()
    # All games are read for the first rows, so those of a large event are kept until anything in the series changes.
    state = version_of(Series.objects.filter(pk=event.series_id)), event.version, snapshot.run and snapshot.run.pk
    digest = hashlib.sha256(f"{event.pk} {state} {snapshot.mapping}".encode()).hexdigest()
    return cached(f"event-scores:{digest}", compute, KEPT_SECONDS)


def rounds_of(games: list[GameRow]) -> list[tuple[GameRow, list[GameRow]]]:
    """Group games that follow each other by round or, without rounds, by day; each group begins with its first game."""
    groups: list[tuple[GameRow, list[GameRow]]] = []
    last: object = None
    for game in games:
        key = game.contest.round or game.contest.ends_at.date()
        if not groups or key != last:
            groups.append((game, []))
            last = key
        groups[-1][1].append(game)
    return groups
