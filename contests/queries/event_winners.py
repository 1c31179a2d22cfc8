"""
Winners of events, for lists of contests: computed once, and cached until the series changes.

The winner of a knock-out is the winner of its final, also after a group stage. Otherwise, those with the most points in
the score table are the winners. No winner is named if that would say little or could be wrong: see `winning_rows`. The
page of an event uses the same functions, so that lists never contradict it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import F
from django.db.models.functions import Lower

from contests.models import Contest, Series
from contests.queries.brackets import FINALS, LEAST_PLAYERS, MOST_GAMES, bracket_of, final_of
from contests.queries.games import game_rows, players_by_id, score_tables
from contests.queries.versions import KEPT_SECONDS, newest_entries
from contests.queries.winners import NAMED, NAMED_ON_STEP, Winners, winners_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contests.queries.brackets import Match
    from contests.queries.games import GameRow, ScoreRow

#: Players with less than this share of a winner's games are not compared with the winner: many leave early.
COMPARED = 0.5
#: Nor are those with almost as many: players who miss a round of a Swiss tournament still compete for the same points.
MISSED = 1


def winners_with_events(contests: Iterable[Contest]) -> dict[int, Winners]:
    """
    Return the winners of contests and events by id; omit those without.

    One query for contests, two for events, and up to four more if the winners of some events are not cached.
    """
    listed = list(contests)
    events = [contest for contest in listed if contest.is_event]
    found = winners_of(contest for contest in listed if not contest.is_event)
    return found | _winners_of_events(events) if events else found


def winning_rows(table: Sequence[ScoreRow]) -> list[ScoreRow]:
    """
    Return the rows of those who won an event by points; `table` is its whole score table, best first.

    Several if they share the first place. Empty if their points prove nothing, because

    - everyone shares the first place, or more players than a podium has room for;
    - someone with fewer points scored a higher share of them, in at least half as many games but at least two fewer.
      Then having the most points may only mean having played the most games, as in a double elimination or on a day of
      free play.
    """
    first = [row for row in table if row.place == 1]
    if len(first) == len(table) or len(first) > NAMED_ON_STEP:
        return []
    others = table[len(first) :]
    return [] if any(_is_better(other, row) for row in first for other in others) else first


def finals_of(event_ids: Sequence[int]) -> dict[int, Match]:
    """Return the deciding match of each event that has a round named as the final, with one match in it."""
    games = Contest.objects.filter(event__in=event_ids, state=F("event__state")).annotate(round_name=Lower("round"))
    found = {pk: final_of(rows) for pk, rows in _by_event(games.filter(round_name__in=FINALS).in_order()).items()}
    return {pk: final for pk, final in found.items() if final is not None}


def _is_better(row: ScoreRow, winner: ScoreRow) -> bool:
    number, most = row.games + row.walkovers, winner.games + winner.walkovers
    return COMPARED * most <= number < most - MISSED and row.points * most > winner.points * number


def _winners_of_events(events: Sequence[Contest]) -> dict[int, Winners]:
    keys = _keys(events)
    found: dict[str, list[int]] = cache.get_many(keys.values())
    missing = [event for event in events if keys[event.pk] not in found]
    if missing:
        computed = _winner_ids(missing)
        fresh = {keys[event.pk]: computed.get(event.pk, []) for event in missing}
        cache.set_many(fresh, timeout=KEPT_SECONDS)
        found |= fresh
    players = players_by_id({pk for winners in found.values() for pk in winners[:NAMED]})
    return {
        event.pk: Winners([players[pk] for pk in ids[:NAMED] if pk in players], len(ids[NAMED:]))
        for event in events
        if (ids := found[keys[event.pk]])
    }


def _keys(events: Sequence[Contest]) -> dict[int, str]:
    """Return the cache keys, which change with everything that winners depend on, in one query."""
    # Adding or deleting a game changes the version of its event; correcting one, and merging players, write an entry.
    entries = newest_entries(Series.objects.filter(pk__in={event.series_id for event in events}))
    return {
        event.pk: f"event-winners:{event.pk}:{event.created_at.timestamp()}:{event.version}:{entries[event.series_id]}"
        for event in events
    }


def _winner_ids(events: Sequence[Contest]) -> dict[int, list[int]]:
    """
    Return the ids of the winners by event.

    Two queries for score tables, and up to two each for possible knock-outs and for games of finals.
    """
    small = [event for event in events if event.game_count <= MOST_GAMES]
    large = [event for event in events if event.game_count > MOST_GAMES]
    tables = score_tables(small, with_results=True)
    games = _games_of([pk for pk, table in tables.items() if _may_be_knock_out(table)])
    tables |= score_tables(large)
    found = {pk: [row.player_id for row in winning_rows(table)] for pk, table in tables.items()}
    found |= {pk: [final.winner.pk] for pk, final in finals_of(list(tables)).items() if final.winner is not None}
    for pk, rows in games.items():
        bracket = bracket_of(rows)
        if bracket is not None:
            found[pk] = [bracket.champion.pk]
    return found


def _may_be_knock_out(table: Sequence[ScoreRow]) -> bool:
    """Return whether as many pairs of players met as in a knock-out, with or without a match for the third place."""
    numbers = [len(row.results) for row in table if row.results]  # a player with only a bye met no one
    return len(numbers) >= LEAST_PLAYERS and len(numbers) - sum(numbers) / 2 in (0, 1)


def _games_of(event_ids: Sequence[int]) -> dict[int, list[GameRow]]:
    return _by_event(Contest.objects.filter(event__in=event_ids, state=F("event__state")).in_order())


def _by_event(games: Iterable[Contest]) -> dict[int, list[GameRow]]:
    found: dict[int, list[GameRow]] = {}
    for row in game_rows(list(games)):
        assert row.contest.event_id is not None
        found.setdefault(row.contest.event_id, []).append(row)
    return found
