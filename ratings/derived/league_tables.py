"""The players of leagues and their divisions as tables show them, and the latest promotions and relegations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.models import Contest, Player
from ratings.derived import derived
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.display.leagues import PROVISIONAL
from ratings.display.percentages import percent_of
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.derived import Content
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class LeagueCount:
    """The number of players in a league, or of provisional players (name None, number PROVISIONAL)."""

    number: int
    name: str | None
    minimum: int | None
    players: int
    share: float


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """
    A player on the page of leagues.

    mean
        The moving mean; by confidence, the lower end of the rating's range.
    high
        By confidence, the upper end of the range; else None.
    missing
        Points of `mean` to the next league, None in the highest.
    division
        From 1; 0 without one.
    """

    leader: Leader
    league: int
    mean: float
    high: int | None
    missing: float | None
    division: int


@dataclass(frozen=True, slots=True)
class LeagueMove:
    """A promotion or relegation: positions of the tiers, and the contest that led to it."""

    player: Player
    contest: Contest
    before: int
    after: int


def leagues_in_rows(snapshot: SeriesSnapshot, rows: NDArray[np.int64]) -> dict[int, int] | None:
    """Return the leagues (positions, or PROVISIONAL) of rows of the rank index by player id; None without leagues."""
    content = leagues_content(snapshot)
    if content is None:
        return None
    return dict(zip(snapshot.index.player_ids[rows].tolist(), content["league"][rows].tolist(), strict=True))


def divisions_in_rows(snapshot: SeriesSnapshot, rows: NDArray[np.int64]) -> dict[int, int] | None:
    """
    Return the divisions of rows of the rank index by player id, in leagues with several; None without divisions.

    Leave out players without a division.
    """
    content = leagues_content(snapshot)
    if content is None or "division" not in content:
        return None
    divided = divided_leagues(content)
    columns = snapshot.index.player_ids, content["league"], content["division"]
    listed = zip(*(column[rows].tolist() for column in columns), strict=True)
    return {player: division for player, league, division in listed if division and league in divided}


def divided_leagues(content: Content) -> set[int]:
    """Return the leagues (positions) with more than one division: in other leagues, the number says nothing."""
    if "division" not in content:
        return set()
    return set(content["league"][content["division"] > 1].tolist())


def divisions_in(content: Content, league: int | None) -> int:
    """Return the number of the last division of a league; 0 without divisions."""
    if league is None or league == PROVISIONAL or "division" not in content:
        return 0
    return int(content["division"][content["league"] == league].max(initial=0))


def league_name(snapshot: SeriesSnapshot, league: int) -> str | None:
    """Return the name of a league by its position; None for provisional players."""
    return snapshot.tiers[league].name if 0 <= league < len(snapshot.tiers) else None


def leagues_content(snapshot: SeriesSnapshot) -> Content | None:
    """Return the computed leagues of a series; None if they are not computed yet or do not exist."""
    return derived(snapshot, LEAGUES) if LEAGUES.applies(snapshot) else None


def league_counts(snapshot: SeriesSnapshot, content: Content) -> list[LeagueCount]:
    """Return all leagues, the highest first, then the provisional players."""
    counts = np.bincount(content["league"] + 1, minlength=len(snapshot.tiers) + 1).tolist()
    total = len(content["league"])
    rows = [
        LeagueCount(number, tier.name, tier.minimum, counts[number + 1], percent_of(counts[number + 1], total))
        for number, tier in enumerate(snapshot.tiers)
    ][::-1]
    return [*rows, LeagueCount(PROVISIONAL, None, None, counts[0], percent_of(counts[0], total))]


def rows_in_leagues(content: Content, league: int | None, division: int | None = None) -> NDArray[np.int64]:
    """
    Return the rows of the rank index in a league, or in a division of it.

    Without a league, return all rows, highest league first, sorted by rating in each.
    """
    if league is not None:
        inside = content["league"] == league
        return np.flatnonzero(inside if division is None else inside & (content["division"] == division))
    return np.argsort(-content["league"], kind="stable")


def league_rows(snapshot: SeriesSnapshot, content: Content, rows: NDArray[np.int64]) -> list[LeagueRow]:
    """Return rows of the rank index as the page shows them, in the same order, in one query."""
    player_ids = snapshot.index.player_ids[rows]
    found = {leader.rating.player_id: leader for leader in leaders(snapshot, player_ids)}
    nothing = np.zeros(len(content["league"]), dtype=np.int32)
    columns = (
        player_ids.tolist(),
        *(content.get(name, nothing)[rows].tolist() for name in ("league", "mean", "high", "division")),
    )
    is_range = "high" in content
    thresholds = snapshot.tiers.thresholds
    return [
        LeagueRow(
            found[player],
            league,
            int(mean) if is_range else mean,
            high if is_range else None,
            thresholds[league] - (int(mean) if is_range else mean) if 0 <= league < len(thresholds) else None,
            division,
        )
        for player, league, mean, high, division in zip(*columns, strict=True)
        if player in found
    ]


def league_moves(content: Content, way: str, most: int) -> list[LeagueMove]:
    """Return the latest promotions (way "up") or relegations ("down") in two queries."""
    columns = [content[f"{way}_{name}"][:most].tolist() for name in ("player", "contest", "from", "to")]
    players = Player.objects.in_bulk(columns[0])
    contests = Contest.objects.in_bulk(columns[1])
    return [
        LeagueMove(players[player], contests[contest], before, after)
        for player, contest, before, after in zip(*columns, strict=True)
        if player in players and contest in contests
    ]
