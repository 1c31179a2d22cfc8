"""Who moved most in the newest contests, as pages show it: of many series, in two queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contests.models import Player
from ratings.derived.base import unpack
from ratings.derived.movers import DERIVATION
from ratings.models import Derived

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ratings.queries.snapshot import Shown


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

    shown: Shown
    contest_id: int
    gains: list[Mover]
    losses: list[Mover]


def moves_of(views: Iterable[Shown]) -> dict[int, Moves]:
    """Return by contest id what is known of the newest contests of each series; of some, nothing may be known yet."""
    by_run = {view.run.pk: view for view in views if view.run is not None and view.scheme is not None}
    found: list[tuple[Shown, dict[str, Any]]] = []
    rows = Derived.objects.filter(run__in=by_run, kind=DERIVATION.stored_kind, error="")
    for run, scheme, content in rows.order_by("run").values_list("run", "scheme", "content"):
        view = by_run[run]
        if view.scheme is not None and view.scheme.pk == scheme:
            found += [(view, entry) for entry in unpack(bytes(content))["contests"]]
    named = {row[0] for _, entry in found for row in (*entry["gains"], *entry["losses"])}
    players = Player.objects.in_bulk(named)
    return {
        entry["contest"]: Moves(
            view, entry["contest"], _movers(entry["gains"], players), _movers(entry["losses"], players)
        )
        for view, entry in found
    }


def _movers(rows: list[list[int]], players: dict[int, Player]) -> list[Mover]:
    return [Mover(players[pk], *numbers) for pk, *numbers in rows if pk in players]
