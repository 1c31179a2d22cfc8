"""Who moved most in the newest contests, as pages show it: of many series, in two queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contests.models import Player
from ratings.derived.base import unpack
from ratings.derived.movers import DERIVATION as MOVERS
from ratings.models import Derived

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class Mover:
    """A player and what a contest did to the rating, in shown points."""

    player: Player
    before: int
    after: int
    rank: int

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Moves:
    """The largest gains and losses of one contest, the largest first."""

    snapshot: SeriesSnapshot
    contest_id: int
    gains: list[Mover]
    losses: list[Mover]


def moves_of(snapshots: Iterable[SeriesSnapshot]) -> dict[int, Moves]:
    """Return by contest id what is known of the newest contests of each series; of some, nothing may be known yet."""
    by_run = {
        snapshot.run.pk: snapshot for snapshot in snapshots if snapshot.run is not None and snapshot.scheme is not None
    }
    found: list[tuple[SeriesSnapshot, dict[str, Any]]] = []
    rows = Derived.objects.filter(run__in=by_run, kind=MOVERS.stored_kind, error="")
    for run, scheme, content in rows.order_by("run").values_list("run", "scheme", "content"):
        snapshot = by_run[run]
        if snapshot.scheme is not None and snapshot.scheme.pk == scheme:
            found += [(snapshot, entry) for entry in unpack(bytes(content))["contests"]]
    named = {row[0] for _, entry in found for row in (*entry["gains"], *entry["losses"])}
    players = Player.objects.in_bulk(named)
    return {
        entry["contest"]: Moves(
            snapshot, entry["contest"], _movers(entry["gains"], players), _movers(entry["losses"], players)
        )
        for snapshot, entry in found
    }


def _movers(rows: list[list[int]], players: dict[int, Player]) -> list[Mover]:
    return [Mover(players[pk], *numbers) for pk, *numbers in rows if pk in players]
