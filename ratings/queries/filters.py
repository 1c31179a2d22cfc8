"""Filters of leaderboards as masks over their rows, and the players whom leaderboards list by default."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np
from django.db.models import Q
from django_countries import countries

from contests.bulk import read_arrays
from contests.matching.name_index import matching
from contests.models import Player
from ratings.display.leagues import PROVISIONAL
from ratings.queries.boards import FEWEST_LISTED, board_of, is_established
from ratings.queries.origins import UNKNOWN_COUNTRY, offered_by, origins_of
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.display import Tier
    from ratings.models import Rating
    from ratings.queries.boards import Rule
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]


#: Values of the parameter that chooses between established players and everyone.
ESTABLISHED, EVERYONE = "established", "everyone"
#: Value of `?league=` for the players without a league.
PROVISIONAL_WORD = "provisional"
#: Suggested numbers of days for the filter by activity.
WINDOWS = (30, 90, 365)
#: The largest number that a filter accepts.
LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Filters:
    """
    The filters of a request; empty texts and None do not filter.

    text
        Part of a handle or name.
    country
        Country code of two letters; UNKNOWN_COUNTRY for players without a country.
    affiliation
        The whole name, regardless of case.
    active_days
        Maximum number of days between a player's last rated contest and the newest one of the series.
    min_contests
        Minimum number of rated contests.
    tier
        Position of a tier, from 0 (lowest).
    league, division
        Position of a league (a tier, or PROVISIONAL), and a division of it from 1. `matching_rows` ignores them,
        because leagues are derived; the leaderboard applies them.
    show
        ESTABLISHED or EVERYONE; empty for the default of `audience_of`. Not a filter.
    problems
        Messages about invalid values, which are ignored.
    """

    text: str = ""
    country: str = ""
    affiliation: str = ""
    active_days: int | None = None
    min_contests: int | None = None
    tier: int | None = None
    league: int | None = None
    division: int | None = None
    show: str = ""
    problems: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text) or self.has_choices

    @property
    def has_choices(self) -> bool:
        """Whether there is a filter other than the text."""
        chosen = self.country or self.affiliation or self.active_days or self.min_contests
        return bool(chosen) or self.tier is not None or self.league is not None

    def query(self, snapshot: SeriesSnapshot) -> str:
        """Return the valid filters as a query string, without `show`."""
        values = {
            "q": self.text, "country": self.country, "affiliation": self.affiliation, "active": self.active_days,
            "min": self.min_contests, "tier": self.tier_of(snapshot).name if self.tier is not None else None,
            "league": self.league_word, "division": self.division,
        }  # fmt: skip
        return urlencode({name: value for name, value in values.items() if value})

    @property
    def league_word(self) -> str:
        """The league as addresses name it: its position from 1, or PROVISIONAL_WORD; empty without one."""
        if self.league is None:
            return ""
        return PROVISIONAL_WORD if self.league == PROVISIONAL else str(self.league + 1)

    def tier_of(self, snapshot: SeriesSnapshot) -> Tier:
        """Return the tier of the filter; the lowest tier if there is no such filter."""
        tier: Tier = snapshot.tiers[self.tier or 0]
        return tier


def matching_rows(snapshot: SeriesSnapshot, filters: Filters) -> NDArray[np.int64]:
    """Return the rows of the rank index that match all filters, best first; all rows without filters."""
    mask = np.ones(len(snapshot.index), dtype=bool)
    if not filters or not len(mask):
        return np.arange(len(mask))
    board = board_of(snapshot)
    if filters.country or filters.affiliation:
        mask &= _origin_mask(snapshot, filters)
    if filters.active_days is not None:
        mask &= board.days >= board.newest_day - filters.active_days
    if filters.min_contests is not None:
        mask &= board.contests >= filters.min_contests
    if filters.tier is not None:
        mask &= snapshot.tiers.positions(snapshot.mapping.show(snapshot.index.scores)) == filters.tier
    if filters.text and mask.any():
        mask &= np.isin(snapshot.index.player_ids, ids_matching(filters.text, snapshot.series.community_id))
    return np.flatnonzero(mask)


def countries_of(snapshot: SeriesSnapshot) -> list[tuple[str, str, int]]:
    """Return code, name and number of rated players of each country in a series, sorted by name."""
    named = [(code, country_name(code), count) for code, count in offered_by(snapshot)[0]]
    return sorted(named, key=lambda one: alphabetical(one[1]))


def affiliations_of(snapshot: SeriesSnapshot) -> list[tuple[str, int]]:
    """Return name and number of rated players of the largest affiliations in a series, largest first."""
    return offered_by(snapshot)[1]


def alphabetical(name: str) -> str:
    """Return a sort key for names that ignores accents, so that Österreich sorts between Norwegen and Polen."""
    return "".join(one for one in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(one))


def country_name(code: str) -> str:
    """Return the name of a country in the active language, or the code itself if it is unknown."""
    is_code = len(code) == 2 and code.isascii() and code.isalpha()  # The list also accepts numbers, and fails on "²".
    return str(countries.name(code) or code) if is_code else code


def _origin_mask(snapshot: SeriesSnapshot, filters: Filters) -> NDArray[np.bool_]:
    origins = origins_of(snapshot)
    mask = np.ones(len(snapshot.index), dtype=bool)
    if filters.country:
        code = "" if filters.country == UNKNOWN_COUNTRY else filters.country
        mask &= np.isin(origins.countries, _positions(origins.country_codes, code))
    if filters.affiliation:
        mask &= np.isin(origins.affiliations, _positions(origins.affiliation_names, filters.affiliation))
    return mask


def _positions(names: list[str], wanted: str) -> list[int]:
    folded = wanted.casefold()
    return [position for position, name in enumerate(names) if name.casefold() == folded]


def ids_matching(text: str, community: str) -> NDArray[np.int64]:
    """Return the ids of a community's players whose handle or name contains a text, or has its words in any order."""
    players = Player.objects.filter(matching(text) | (~Q(name="") & Q(name__icontains=text)), community=community)
    query, parameters = players.order_by().values_list("id").query.sql_with_params()
    return read_arrays(f"SELECT CAST(id AS bigint) FROM ({query}) AS found", list(parameters), {"id": "i8"})["id"]


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """
    The players that a leaderboard lists.

    rows
        Rows of the rank index in ascending order.
    is_established
        Whether only established and active players are listed.
    is_fallback
        Whether everyone is listed because too few players are established.
    established, everyone
        Number of established players, and of all players, who match the filters.
    """

    rows: Ints
    is_established: bool
    is_fallback: bool
    established: int
    everyone: int
    rule: Rule

    @property
    def is_choice(self) -> bool:
        """Whether the list of established players differs from that of everyone."""
        return self.established < self.everyone


def audience_of(snapshot: SeriesSnapshot, matching: Ints, filters: Filters) -> Audience:
    """
    Return the players to list among those who match the filters.

    If neither a filter nor `show` is set, these are the established players, unless there are too few of them.
    """
    board = board_of(snapshot)
    established = matching[is_established(board)[matching]] if len(matching) else matching
    is_default = not filters.show and not filters
    is_fallback = is_default and len(established) < FEWEST_LISTED
    is_narrow = filters.show == ESTABLISHED or (is_default and FEWEST_LISTED <= len(established) < len(matching))
    return Audience(
        rows=established if is_narrow else matching,
        is_established=is_narrow,
        is_fallback=is_fallback,
        established=len(established),
        everyone=len(matching),
        rule=board.rule,
    )


def established_rows(snapshot: SeriesSnapshot) -> Ints:
    """Return the rows that a leaderboard lists by default, in ascending order; none if it lists everyone."""
    rows = np.flatnonzero(is_established(board_of(snapshot)))
    return rows if FEWEST_LISTED <= len(rows) < len(snapshot.index) else rows[:0]


def best_listed(snapshot: SeriesSnapshot, most: int) -> tuple[list[Leader], bool]:
    """
    Return the best players of a leaderboard's default list, and whether it lists established players only.

    If it does, ranks count established players only.
    """
    index, rows = snapshot.index, established_rows(snapshot)
    if not len(rows):
        return leaders(snapshot, index.page(1, most)), False
    found = leaders(snapshot, index.player_ids[rows[:most]])
    return [replace(row, rank=rank_within(snapshot, rows, row.rating.score)) for row in found], True


def listed_at(snapshot: SeriesSnapshot, places: slice) -> list[Leader]:
    """Return the players at these places, from 0, of a leaderboard's default list, with their ranks on it."""
    rows = established_rows(snapshot)
    if not len(rows):
        return leaders(snapshot, snapshot.index.player_ids[places].tolist())
    found = leaders(snapshot, snapshot.index.player_ids[rows[places]].tolist())
    return [replace(row, rank=rank_within(snapshot, rows, row.rating.score)) for row in found]


def example_players(snapshot: SeriesSnapshot, most: int) -> tuple[list[Leader], list[Leader]]:
    """Return players from the top and from the middle of a leaderboard's default list, at most so many of each."""
    middle = max(most, (len(established_rows(snapshot)) or len(snapshot.index)) // 2)
    return listed_at(snapshot, slice(most)), listed_at(snapshot, slice(middle, middle + most))


def rank_among_established(snapshot: SeriesSnapshot, rating: Rating) -> tuple[int | None, int]:
    """Return the rank among the established players, None for a player who is not one, and their number."""
    rows = established_rows(snapshot)
    row = snapshot.index.position(rating.player_id, rating.score)
    if not len(rows) or row is None or not np.isin(row, rows):
        return None, len(rows)
    return rank_within(snapshot, rows, rating.score), len(rows)


def rank_within(snapshot: SeriesSnapshot, rows: Ints, score: float) -> int:
    """Return the competition rank of a score among some rows of the rank index, in ascending order."""
    return int(np.searchsorted(-snapshot.index.scores[rows], -score, side="left")) + 1
