"""Write the standings of a contest, find or create the players they name, and keep ranks consistent."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext

from contests.bulk import insert_arrays, insert_missing, insert_rows, values_by_key
from contests.errors import ContestError
from contests.handles import handle_key
from contests.matching.name_index import add_players
from contests.models import Contest, ContestState, Player, PlayerAlias, Series, Standing, StandingStatus
from contests.ranking import close_up, competition_ranks
from contests.services.transactions import lock_players_shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contests.formats import ParsedContest, ParsedStanding
    from contests.models.contest import SeriesQuerySet

#: The scores that are better; empty if scores don't decide places.
Better = Literal["", "higher", "lower"]


_PLAYER_COLUMNS = ("community_id", "handle", "handle_key", "name", "country", "created_at")
#: How often to try to create new players while others turn the same handles into aliases.
_ATTEMPTS = 5


class PlayerRegister:
    """
    A cache of the player ids of a community by handle, which looks players up and creates them in batches.

    Handles are matched regardless of case, first to players, then to aliases. A merged player is replaced by the
    player it was merged into.

    community
        The slug of the community. Players of other communities are never found.
    decided
        The organizer's decisions, which override the handles: key of a handle -> player id.
    indexes_later
        Whether the caller calls `index` once at the end of the transaction, which is faster for many contests.
    """

    def __init__(
        self, community: str, decided: Mapping[str, int] | None = None, *, indexes_later: bool = False
    ) -> None:
        self.created = 0
        self._community = community
        self._indexes_later = indexes_later
        self._to_index: list[tuple[int, str, str]] = []
        self._ids: dict[str, int] = dict(decided or {})
        self._keys: dict[str, str] = {}

    def key(self, handle: str) -> str:
        """Return the handle's case-insensitive key, cached."""
        key = self._keys.get(handle)
        if key is None:
            key = self._keys[handle] = handle_key(handle)
        return key

    def find(self, standings: Iterable[ParsedStanding]) -> dict[str, int]:
        """Return the ids of existing players by key; create none."""
        keys = {self.key(standing.handle) for standing in standings}
        self._look_up([key for key in keys if key not in self._ids])
        return {key: self._ids[key] for key in keys if key in self._ids}

    def find_or_create(self, standings: Iterable[ParsedStanding]) -> Mapping[str, int]:
        """Return the ids of all players by key; new players get the name and country of their first row."""
        first: dict[str, ParsedStanding] = {}
        for standing in standings:
            first.setdefault(self.key(standing.handle), standing)
        self._look_up([key for key in first if key not in self._ids])
        new = [key for key in first if key not in self._ids]
        if new:
            self._create([(key, first[key]) for key in new])
        return self._ids

    def digest(self, standings: Iterable[ParsedStanding]) -> str:
        """Return a digest of the rows, regardless of their order: equal digests mean equal results."""
        lines = sorted(
            f"{self.key(s.handle)}\t{s.place}\t{s.score}\t{s.penalty}\t{s.team}\t{s.status}{_terms(s)}"
            for s in standings
        )
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    def index(self) -> None:
        """Write the names of the new players to the search index."""
        add_players(self._community, self._to_index)
        self._to_index = []

    def _look_up(self, keys: list[str]) -> None:
        self._ids.update(self._players(keys))
        missing = [key for key in keys if key not in self._ids]
        self._ids.update(self._by_alias(missing))

    def _create(self, new: list[tuple[str, ParsedStanding]]) -> None:
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        # A concurrent transaction may create the same players: the query below then finds its rows. Sorted, so that
        # the two transactions cannot deadlock.
        rows = [
            (self._community, row.handle, key, row.name[:200], row.country, now)
            for key, row in sorted(new, key=lambda pair: pair[0])
        ]
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with transaction.atomic():
                    insert_missing(Player, _PLAYER_COLUMNS, rows)
                break
            except IntegrityError:
                # A key has become an alias since the lookup, so its results belong to that player.
                taken = self._by_alias([row[2] for row in rows])
                if not taken or attempt == _ATTEMPTS:
                    raise
                self._ids.update(taken)
                rows = [row for row in rows if row[2] not in taken]
        created = self._players([row[2] for row in rows])
        self._ids.update(created)
        self._to_index += [(created[key], handle, name) for _, handle, key, name, *_ in rows]
        self.created += len(rows)
        if not self._indexes_later:
            self.index()

    def _players(self, keys: list[str]) -> dict[str, int]:
        return values_by_key(Player, "handle_key", "id", keys, first="merged_into_id", community=self._community)

    def _by_alias(self, keys: list[str]) -> dict[str, int]:
        return values_by_key(PlayerAlias, "handle_key", "player_id", keys, community=self._community)


def _terms(row: ParsedStanding) -> str:
    """Return the share and the handicap for the digest; empty without them, so that older digests stay the same."""
    return "" if row.share is None and row.handicap is None else f"\t{row.share}\t{row.handicap}"


def player_with_handle(community: str, handle: str) -> Player | None:
    """
    Return the player of the community with this handle or alias, regardless of case; None if there is none.

    For a merged player, return the player it was merged into.
    """
    key = handle_key(handle)
    if "\0" in key or "\0" in community:
        return None
    own = {"community": community, "handle_key": key}
    player = Player.objects.filter(**own).select_related("merged_into").first()
    if player is None:
        alias = PlayerAlias.objects.filter(**own).select_related("player__merged_into").first()
        player = alias.player if alias else None
    return player.merged_into or player if player else None


def series_of(player_ids: Iterable[int], *, states: Iterable[str] = ContestState.values) -> SeriesQuerySet:
    """
    Return the series in which any of the players has a result, sorted by name.

    states
        The states of the contests to search; by default, all, including drafts and deleted contests.
    """
    rows = Standing.objects.filter(
        contest__series=OuterRef("pk"), player__in=list(player_ids), contest__state__in=list(states)
    )
    return Series.objects.filter(Exists(rows)).order_by("name", "pk")


_COLUMNS = ("contest_id", "player_id", "place", "rank", "score", "penalty", "team", "status", "share", "handicap")


def write_standings(contest: Contest, parsed: ParsedContest, register: PlayerRegister) -> None:
    """Insert the rows of a contest that has none, and create new players."""
    lock_players_shared()
    ids = register.find_or_create(parsed.standings)
    rows = parsed.standings
    players = [ids[register.key(row.handle)] for row in rows]
    _refuse_one_player_twice(contest, rows, players)
    ranks = parsed.ranks
    plain = not (parsed.has_shares or parsed.has_handicaps) and all(
        row.status == "ranked" and row.score is None and row.penalty is None and not row.team for row in rows
    )
    if plain:
        insert_arrays(
            Standing,
            {
                "contest_id": np.full(len(rows), contest.pk),
                "player_id": np.array(players),
                "place": np.array([row.place for row in rows]),
                "rank": np.array(ranks),
            },
        )
        return
    insert_rows(
        Standing,
        _COLUMNS,
        (
            (contest.pk, player, row.place, rank, row.score, row.penalty, row.team, row.status, row.share, row.handicap)
            for player, rank, row in zip(players, ranks, rows, strict=True)
        ),
    )


def _refuse_one_player_twice(contest: Contest, rows: Sequence[ParsedStanding], players: Sequence[int]) -> None:
    """Raise ContestError if two handles of a file mean the same player, by handle and by alias."""
    if len(set(players)) == len(players):
        return
    seen: dict[int, str] = {}
    for player, row in zip(players, rows, strict=True):
        if player in seen:
            raise ContestError(
                gettext(
                    "“%(handle)s” and “%(seen)s” are two names of the same player, who would be in “%(name)s” "
                    "twice. Remove one of the two rows."
                )
                % {"handle": row.handle, "seen": seen[player], "name": contest.name}
            )
        seen[player] = row.handle


def ranks_of(rows: Sequence[Standing | ParsedStanding]) -> list[int | None]:
    """
    Return the competition rank of each ranked row among the ranked rows, None for the other rows.

    A team counts as one.
    """
    ranked = [i for i, row in enumerate(rows) if row.status == StandingStatus.RANKED]
    ranks: list[int | None] = [None] * len(rows)
    closed = close_up([_known(rows[i].place) for i in ranked], [rows[i].team for i in ranked])
    for i, rank in zip(ranked, closed, strict=True):
        ranks[i] = int(rank)
    return ranks


def positions_of(rows: Sequence[Standing]) -> dict[int, int | None]:
    """
    Return the place of each row as organizers see it, by id: 1 plus the number of better rows, ranked or not.

    None for rows without a place. A team counts as one. Unlike the stored places, positions have no gaps.
    """
    placed = [row for row in rows if row.place is not None]
    closed = close_up([_known(row.place) for row in placed], [row.team for row in placed])
    return {row.pk: None for row in rows} | dict(zip((row.pk for row in placed), closed, strict=True))


def decided_by_scores(rows: Sequence[Standing]) -> Better:
    """
    Return which scores are better if scores and penalties alone determine the places, so that a new score moves a row.

    Empty if they don't. Rows without a place, such as those of players who didn't finish, don't count.
    """
    placed = [row for row in rows if row.place is not None]
    if not placed or any(row.score is None for row in placed):
        return ""
    places = [row.place for row in placed]
    ways: tuple[Better, ...] = ("higher", "lower")
    return next((better for better in ways if places_from_scores(placed, better) == places), "")


def place_by_scores(rows: Sequence[Standing], better: Better) -> None:
    """Give each ranked row its place by score, and others too if they had a place and still have a score."""
    placed = [
        row for row in rows if row.status == StandingStatus.RANKED or (row.place is not None and row.score is not None)
    ]
    for row in rows:
        row.place = None
    for row, place in zip(placed, places_from_scores(placed, better), strict=True):
        row.place = place


def places_from_scores(rows: Sequence[Standing], better: Better) -> list[int]:
    """
    Return the place of each row by score (the better first), then penalty (lower first); ties share the best place.

    A team counts as one, as in files that contain only scores (`contests.formats.places`).
    """
    sign = -1.0 if better == "lower" else 1.0
    scores = [sign * float(row.score) if row.score is not None else -math.inf for row in rows]
    penalties = [row.penalty or 0.0 for row in rows]
    ranks, teams = competition_ranks(scores, penalties), [row.team for row in rows]
    return close_up(ranks, teams) if any(teams) else ranks


def snapshot_of(rows: Mapping[str, Standing]) -> dict[str, dict[str, object]]:
    """
    Return rows in the form that audit entries store: handle -> place, rank, score, status, and what else they have.

    Penalties that are times have the name "time"; both are numbers.
    """
    return {
        handle: {
            "place": row.place,
            "rank": row.rank,
            "score": row.score,
            "status": row.status,
            **{name: value for name in ("share", "handicap") if (value := getattr(row, name)) is not None},
            **({"time" if row.contest.has_times else "penalty": row.penalty} if row.penalty is not None else {}),
        }
        for handle, row in rows.items()
    }


def set_flags(contest: Contest, rows: Sequence[Standing]) -> None:
    """Set the flags of the contest that say whether its rows have teams, shares and handicaps."""
    contest.has_teams = any(row.team for row in rows)
    contest.has_shares = any(row.share is not None for row in rows)
    contest.has_handicaps = any(row.handicap is not None for row in rows)


def _known(place: int | None) -> int:
    if place is None:
        raise ValueError("a ranked row has no place")
    return place
