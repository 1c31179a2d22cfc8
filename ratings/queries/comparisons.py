"""Players side by side: which players an address names, their figures, and their head-to-head results."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from contests.handles import lookup_key
from contests.matching.name_index import only_players_with_names
from contests.models import Contest, Player
from contests.queries.names import players_by_key
from ratings.display.favored import favored
from ratings.display.percentages import percentage
from ratings.models import RatingChange
from ratings.queries.filters import listed_at
from ratings.queries.head_to_head import chances_now, qualities_now
from ratings.queries.named_players import candidates, read_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import QueryDict

    from contests.models import Series
    from contests.models.community import Visitor
    from ratings.models import Rating
    from ratings.queries.head_to_head import Meeting, Meetings, Score
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot


#: The number of players that a graph or a table can show clearly.
MAX_PLAYERS = 8
#: How many names are read from an address, and how much text: that many of the longest handles.
MOST_NAMED = 40
_MOST_TEXT = MOST_NAMED * 130
#: The expected score, in whole percent as pages show it, of a player who is almost certain to finish ahead.
ALMOST_CERTAIN = 95
#: The number of suggestions of players to add.
MORE_SHOWN = 3
#: The fields of a contest that the graph and the tables show.
CONTEST_FIELDS = (
    "name", "ends_at", "sequence", "weight", "is_rated", "is_event", "has_teams", "state", "amended_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RequestedPlayers:
    """
    The players named in an address.

    players
        Each player once, in the order of the address, at most MAX_PLAYERS.
    left_out
        The number of further players.
    unknown
        Texts that are not the handle of a player.
    repeated
        Players named more than once.
    """

    players: list[Player] = field(default_factory=list)
    left_out: int = 0
    unknown: list[str] = field(default_factory=list)
    repeated: list[Player] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.players or self.unknown)


def requested_players(
    query: QueryDict, visible: QuerySet[Player], community: str, user: Visitor, *, with_real_names: bool = False
) -> RequestedPlayers:
    """
    Return which visible players of a community the parameters `players` and `player` name, in three queries.

    with_real_names
        Whether to look up texts that are not handles as real names, which only one player may have. Takes more queries.
    """
    lists: list[list[str]] = []
    for text in query.getlist("players"):
        lists.append(text[:_MOST_TEXT].split(",")[: MOST_NAMED - sum(map(len, lists))])
    exact = [text.strip() for text in query.getlist("player")[:MOST_NAMED] if text.strip()]
    texts = {text for pieces in lists for text in candidates(pieces)} | set(exact)
    keys = {key for text in texts if (key := lookup_key(text))}
    by_key = players_by_key(community, keys, user, visible) if keys else {}
    found: list[Player | str] = []
    for pieces in lists:
        found += read_pieces(pieces, by_key)
    found += [by_key.get(lookup_key(text), text) for text in exact]
    unknown = {text for text in found if isinstance(text, str)}
    if with_real_names and unknown:
        called = only_players_with_names(unknown, visible, community)
        found = [called.get(each, each) if isinstance(each, str) else each for each in found]
    return _sorted_out(found)


def address_of(players: Sequence[Player], series: str = "") -> str:
    """
    Return the query string that compares these players, with `players` if no handle contains a comma.

    series
        The full slug of the series, [COMMUNITY/]SLUG. Without it, `community` names that of the players.
    """
    handles = [player.handle for player in players]
    parts = [("series", series)] if series else []
    if not series and players and players[0].community_id != settings.PODIUM_COMMUNITY:
        parts = [("community", players[0].community_id)]
    if any("," in handle for handle in handles):
        return urlencode([*parts, *(("player", handle) for handle in handles)])
    # Commas need no encoding in a query string and are easier to read without it.
    return urlencode([*parts, ("players", ",".join(handles))] if handles else parts, safe=",/")


def common_series(ratings: Sequence[Rating]) -> Series | None:
    """Return the series in which most of the players are rated; of several, the one played last."""
    counts: dict[int, int] = {}
    for rating in ratings:
        counts[rating.series_id] = counts.get(rating.series_id, 0) + 1
    best = max(ratings, key=lambda each: (counts[each.series_id], each.last_contest.ends_at), default=None)
    return best.series if best is not None else None


def _sorted_out(found: Sequence[Player | str]) -> RequestedPlayers:
    players = {each.pk: each for each in found if isinstance(each, Player)}
    times: dict[int, int] = {}
    for each in found:
        if isinstance(each, Player):
            times[each.pk] = times.get(each.pk, 0) + 1
    return RequestedPlayers(
        list(players.values())[:MAX_PLAYERS],
        max(0, len(players) - MAX_PLAYERS),
        list(dict.fromkeys(each for each in found if isinstance(each, str))),
        [players[pk] for pk, count in times.items() if count > 1],
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """A player in the table; `without` is the query string that compares only the others."""

    leader: Leader
    wins: int
    best_place: int
    best_times: int
    peak_at: datetime | None
    without: str

    @property
    def player(self) -> Player:
        return self.leader.rating.player


@dataclass(frozen=True, slots=True)
class Pair:
    """
    One player against another, with their score; `query` compares only these two.

    probability, draw, quality
        Probabilities of finishing ahead and of a tie next time, and how close the match would be, from 0 to 1.
    """

    other: Player
    score: Score
    probability: float
    draw: float
    quality: float
    query: str

    @property
    def chance(self) -> str:
        return chance_text(self.probability)

    @property
    def words(self) -> str:
        return chance_words(self.probability + self.draw / 2)

    @property
    def tenths(self) -> int:
        return round(10 * self.probability)


@dataclass(frozen=True, slots=True)
class Duel:
    """
    A comparison of exactly two players.

    score, chance, words, probability
        From the first player's point of view; `other_chance` is the second player's.
    draw, quality
        Probability of a tie next time, 0 in a series without any; and how close the match would be, from 0 to 1.
    expected
        Expected number of contests in which the first player finishes ahead, by the ratings before each of them.
    upsets
        Number of results against odds of at least 3 to 1.
    """

    first: Player
    second: Player
    score: Score
    chance: str
    other_chance: str
    words: str
    probability: float
    draw: float
    quality: float
    expected: float
    upsets: int

    @property
    def draw_chance(self) -> str:
        return chance_text(self.draw)


def changes_of(snapshot: SeriesSnapshot, players: Sequence[Player]) -> list[list[RatingChange]]:
    """Return each player's rating changes, oldest first, each with its contest, in two queries."""
    changes = RatingChange.objects.current().filter(series=snapshot.series, player__in=players)
    # Without a join, each contest is read only once, which halves the time for thousands of rows.
    contests = Contest.objects.filter(pk__in=changes.values("contest")).only(*CONTEST_FIELDS).in_order()
    by_id = {contest.pk: (place, contest) for place, contest in enumerate(contests)}
    by_player: dict[int, list[RatingChange]] = {player.pk: [] for player in players}
    for change in sorted(changes, key=lambda change: by_id[change.contest_id][0]):
        change.contest = by_id[change.contest_id][1]
        by_player[change.player_id].append(change)
    return list(by_player.values())


def tied_contests(snapshot: SeriesSnapshot, players: Sequence[Player]) -> set[int]:
    """Return the ids of the players' contests without a winner because everyone tied for first, in one query."""
    current = RatingChange.objects.current().filter(series=snapshot.series)
    first = current.filter(player__in=players, rank=1).values("contest")
    decided = current.filter(contest=OuterRef("pk"), rank__gt=1)
    return set(Contest.objects.filter(pk__in=first).exclude(Exists(decided)).values_list("pk", flat=True))


def wins_of(changes: Sequence[RatingChange], tied: set[int]) -> int:
    """Return the number of contests in which the player came first, except those in `tied`."""
    return sum(change.rank == 1 and change.contest_id not in tied for change in changes)


def row_of(
    leader: Leader, changes: Sequence[RatingChange], players: Sequence[Player], snapshot: SeriesSnapshot, tied: set[int]
) -> Compared:
    """Return a player's row in the table, given the player's rating changes and all players of the comparison."""
    best = best_place_of(changes)
    others = [player for player in players if player.pk != leader.rating.player_id]
    peak = (change.contest.ends_at for change in changes if change.contest_id == leader.rating.peak_contest_id)
    return Compared(
        leader,
        wins=wins_of(changes, tied),
        best_place=best,
        best_times=sum(change.rank == best for change in changes),
        peak_at=next(peak, None),
        without=address_of(others, snapshot.series.full_slug),
    )


def best_place_of(changes: Sequence[RatingChange]) -> int:
    """Return the best rank; there must be at least one rating change."""
    return min(change.rank for change in changes)


def best_of(rows: Sequence[Compared]) -> dict[str, int]:
    """Return the best number in each column of the table; empty for a single player."""
    if len(rows) < 2:
        return {}
    return {
        "points": max(row.leader.points for row in rows),
        "peak": max(row.leader.peak for row in rows),
        "contests": max(row.leader.rating.contest_count for row in rows),
        "wins": max(row.wins for row in rows),
        "place": min(row.best_place for row in rows),
    }


def more_to_add(snapshot: SeriesSnapshot, players: Sequence[Player]) -> list[tuple[Player, str]]:
    """Return the best listed players who are not compared yet, each with the query string that adds them."""
    if len(players) >= MAX_PLAYERS:
        return []
    chosen = {player.pk for player in players}
    listed = [leader.rating.player for leader in listed_at(snapshot, slice(MAX_PLAYERS + MORE_SHOWN))]
    best = [player for player in listed if player.pk not in chosen][:MORE_SHOWN]
    return [(player, address_of([*players, player], snapshot.series.full_slug)) for player in best]


def periods_of(changes: Sequence[Sequence[RatingChange]], chart: dict[str, Any]) -> dict[str, Any]:
    """
    Return all ratings at the end of each year with a contest, newest first; of each month if there is only one year.

    changes, chart
        Rating changes and chart data of the same players. The ratings come from the chart (`compare_chart`).
    """
    moments = sorted(change.contest.ends_at for own in changes for change in own)
    by_year = len({at.year for at in moments}) > 1
    last = {(at.year, 0 if by_year else at.month): at for at in moments}
    columns = []
    for own, player in zip(changes, chart["players"], strict=True):
        ends = [change.contest.ends_at for change in own]
        reached = [bisect_right(ends, at) for at in last.values()]
        columns.append([player["points"][count - 1]["rating"] if count else None for count in reached])
    rows = list(zip(last.values(), zip(*columns, strict=True), strict=True))
    return {"by_year": by_year, "periods": rows[::-1]}


def pairs_of(
    snapshot: SeriesSnapshot, found: Sequence[Leader], meetings: Meetings, draw_rate: float
) -> list[tuple[Player, list[Pair | None]]]:
    """Return one row per player with one cell per opponent; None for the player themselves."""
    ratings = [leader.rating for leader in found]
    players, scores = [rating.player for rating in ratings], meetings.scores()
    chances, qualities = chances_now(snapshot, ratings, draw_rate), qualities_now(snapshot, ratings)
    return [
        (player, [
            None if a == b else Pair(
                other,
                scores[a][b],
                float(chances.win[a, b]),
                float(chances.draw[a, b]),
                float(qualities[a, b]),
                address_of([player, other], snapshot.series.full_slug),
            )
            for b, other in enumerate(players)
        ])
        for a, player in enumerate(players)
    ]  # fmt: skip


def duel_of(pairs: Sequence[tuple[Player, list[Pair | None]]], listed: Sequence[Meeting]) -> Duel:
    """Return the comparison of two players with their actual and expected results."""
    (first, (__, ahead)), (second, (behind, __)) = pairs
    assert ahead is not None
    assert behind is not None
    met = [meeting for meeting in listed if meeting.outcome is not None]
    return Duel(
        first, second, ahead.score, ahead.chance, behind.chance, ahead.words,
        ahead.probability, ahead.draw, ahead.quality,
        expected=sum(meeting.expected for meeting in met),
        upsets=sum(meeting.is_upset for meeting in met),
    )  # fmt: skip


def chance_text(chance: float) -> str:
    """Write a probability in whole percent, never as certain or impossible."""
    return percentage(100 * chance, 0, least=1, most=99)


def chance_words(expected: float) -> str:
    """Describe an expected score (the probability of finishing ahead, a tie counts half) in the steps of `favored`."""
    if round(100 * expected) >= ALMOST_CERTAIN:
        return _("almost certain")
    if round(100 * expected) <= 100 - ALMOST_CERTAIN:
        return _("almost no chance")
    return {
        "clearly_a": _("clear favourite"),
        "a": _("favourite"),
        "even": _("about even"),
        "b": _("underdog"),
        "clearly_b": _("clear underdog"),
    }[favored(expected)]
