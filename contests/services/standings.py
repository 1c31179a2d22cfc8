"""Write the standings of a contest, find or create the players they name, and keep ranks consistent."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

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


#: How often new players are tried whose handles others make aliases of at the same moment.
_ATTEMPTS = 5


class PlayerRegister:
    """
    Player ids by handle, looked up and created in batches; remembers what it has seen.

    Handles are matched without regard to case, first against players, then against their aliases; who was merged into
    somebody else is that one.

    decided
        Key -> player id where an organizer has said who is meant, whatever the handle says.
    indexes_later
        Whether the caller calls `index` once at the end, in the same transaction: that is quicker for many contests.
    """

    def __init__(self, decided: Mapping[str, int] | None = None, *, indexes_later: bool = False) -> None:
        self.created = 0
        self._indexes_later = indexes_later
        self._to_index: list[tuple[int, str, str]] = []
        self._ids: dict[str, int] = dict(decided or {})
        self._keys: dict[str, str] = {}

    def key(self, handle: str) -> str:
        """Return the handle's case-insensitive key, from memory if it was seen before."""
        key = self._keys.get(handle)
        if key is None:
            key = self._keys[handle] = handle_key(handle)
        return key

    def find(self, standings: Iterable[ParsedStanding]) -> dict[str, int]:
        """Return key -> player id of those that exist; create nothing."""
        keys = {self.key(standing.handle) for standing in standings}
        self._look_up([key for key in keys if key not in self._ids])
        return {key: self._ids[key] for key in keys if key in self._ids}

    def find_or_create(self, standings: Iterable[ParsedStanding]) -> Mapping[str, int]:
        """Return key -> player id for all handles; players that are new get the name and country of their first row."""
        first: dict[str, ParsedStanding] = {}
        for standing in standings:
            first.setdefault(self.key(standing.handle), standing)
        self._look_up([key for key in first if key not in self._ids])
        new = [key for key in first if key not in self._ids]
        if new:
            self._create([(key, first[key]) for key in new])
        return self._ids

    def index(self) -> None:
        """Write the names of players that were created into the index that search uses."""
        add_players(self._to_index)
        self._to_index = []

    def _look_up(self, keys: list[str]) -> None:
        self._ids.update(self._players(keys))
        missing = [key for key in keys if key not in self._ids]
        self._ids.update(values_by_key(PlayerAlias, "handle_key", "player_id", missing))

    def _create(self, new: list[tuple[str, ParsedStanding]]) -> None:
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        # Somebody else may be creating the same players at this moment: theirs win, and are found below. In one order,
        # so that the two wait for each other in one direction only.
        rows = [
            (row.handle, key, row.name[:200], row.country, now) for key, row in sorted(new, key=lambda pair: pair[0])
        ]
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with transaction.atomic():
                    insert_missing(Player, ("handle", "handle_key", "name", "country", "created_at"), rows)
                break
            except IntegrityError:
                # A key has become an alias since it was looked up: results of that name are that player's.
                taken = values_by_key(PlayerAlias, "handle_key", "player_id", [row[1] for row in rows])
                if not taken or attempt == _ATTEMPTS:
                    raise
                self._ids.update(taken)
                rows = [row for row in rows if row[1] not in taken]
        created = self._players([row[1] for row in rows])
        self._ids.update(created)
        self._to_index += [(created[key], handle, name) for handle, key, name, *_ in rows]
        self.created += len(rows)
        if not self._indexes_later:
            self.index()

    def _players(self, keys: list[str]) -> dict[str, int]:
        return values_by_key(Player, "handle_key", "id", keys, first="merged_into_id")


def find_player(handle: str) -> Player | None:
    """Return the player of that handle or alias, whatever its case; of who was merged, whom that one became."""
    key = handle_key(handle)
    if "\0" in key:
        return None
    player = Player.objects.filter(handle_key=key).select_related("merged_into").first()
    if player is None:
        alias = PlayerAlias.objects.filter(handle_key=key).select_related("player__merged_into").first()
        player = alias.player if alias else None
    return player.merged_into or player if player else None


def series_of(player_ids: Iterable[int], *, states: Iterable[str] = ContestState.values) -> SeriesQuerySet:
    """
    Return the series in which any of the players has a result, by name.

    states
        Of the contests that count; without it all do, drafts and deleted ones too.
    """
    rows = Standing.objects.filter(
        contest__series=OuterRef("pk"), player__in=list(player_ids), contest__state__in=list(states)
    )
    return Series.objects.filter(Exists(rows)).order_by("name", "pk")


_COLUMNS = ("contest_id", "player_id", "place", "rank", "score", "penalty", "team", "status")


def content_hash(standings: Sequence[ParsedStanding], register: PlayerRegister) -> str:
    """Return a digest of what the rows say, whatever their order: equal digests mean equal results."""
    lines = sorted(
        f"{register.key(s.handle)}\t{s.place}\t{s.score}\t{s.penalty}\t{s.team}\t{s.status}" for s in standings
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def write_standings(contest: Contest, parsed: ParsedContest, register: PlayerRegister) -> None:
    """Insert the rows of a contest that has none; players that are new are created."""
    lock_players_shared()
    ids = register.find_or_create(parsed.standings)
    rows = parsed.standings
    players = [ids[register.key(row.handle)] for row in rows]
    _refuse_one_player_twice(contest, rows, players)
    ranks = parsed.ranks
    plain = all(row.status == "ranked" and row.score is None and row.penalty is None and not row.team for row in rows)
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
            (contest.pk, player, row.place, rank, row.score, row.penalty, row.team, row.status)
            for player, rank, row in zip(players, ranks, rows, strict=True)
        ),
    )


def _refuse_one_player_twice(contest: Contest, rows: Sequence[ParsedStanding], players: Sequence[int]) -> None:
    """Two handles of a file may be one player, known by a handle and an alias."""
    if len(set(players)) == len(players):
        return
    seen: dict[int, str] = {}
    for player, row in zip(players, rows, strict=True):
        if player in seen:
            raise ContestError(
                f"“{row.handle}” and “{seen[player]}” are one player, known by both names, and stand in "
                f"“{contest.name}” twice; leave one of the two rows out."
            )
        seen[player] = row.handle


def ranks_of(rows: Sequence[Standing | ParsedStanding]) -> list[int | None]:
    """
    Return the competition rank of each ranked row among the ranked rows (a team counts as one), None for the
    others.
    """
    ranked = [i for i, row in enumerate(rows) if row.status == StandingStatus.RANKED]
    ranks: list[int | None] = [None] * len(rows)
    closed = close_up([_known(rows[i].place) for i in ranked], [rows[i].team for i in ranked])
    for i, rank in zip(ranked, closed, strict=True):
        ranks[i] = int(rank)
    return ranks


def decided_by_scores(rows: Sequence[Standing]) -> bool:
    """Whether the places follow from scores and penalties alone, so that a corrected score moves its row by itself."""
    if not rows or any(row.score is None or row.place is None for row in rows):
        return False
    return places_from_scores(rows) == [row.place for row in rows]


def places_from_scores(rows: Sequence[Standing]) -> list[int]:
    """
    Return the place of each row by score (higher first), then penalty (lower first); ties share the best place.

    A team counts as one, as where a file gives scores alone (`contests.formats.assembly`).
    """
    scores = [float(row.score) if row.score is not None else -math.inf for row in rows]
    penalties = [row.penalty or 0.0 for row in rows]
    ranks, teams = competition_ranks(scores, penalties), [row.team for row in rows]
    return close_up(ranks, teams) if any(teams) else ranks


def snapshot_of(rows: Mapping[str, Standing]) -> dict[str, dict[str, object]]:
    """Return rows as an audit entry shows them: handle -> place, rank, score, status."""
    return {
        handle: {"place": row.place, "rank": row.rank, "score": row.score, "status": row.status}
        for handle, row in rows.items()
    }


def _known(place: int | None) -> int:
    if place is None:
        raise ValueError("a ranked row has no place")
    return place
