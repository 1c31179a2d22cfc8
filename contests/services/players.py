"""Finding and creating the players that results name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from contests.bulk import insert_missing, values_by_key
from contests.handles import handle_key
from contests.matching.name_index import add_players
from contests.models import ContestState, Player, PlayerAlias, Series, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from contests.formats import ParsedStanding
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
