"""Leaderboards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from drf_spectacular.utils import extend_schema

from contests.api.lookups import public_series
from contests.api.parameters import PageParameters
from contests.bulk import read_arrays
from contests.matching.name_index import matching
from contests.models import Player
from ratings.api.parameters import LeaderboardParameters
from ratings.api.reading import RunListView
from ratings.api.rows import rating_rows
from ratings.api.serializers import LeaderboardEntrySerializer
from ratings.models import Rating
from ratings.queries.boards import board_of
from ratings.queries.established import is_established
from ratings.queries.filters import Filters, matching_rows
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rest_framework.request import Request
    from rest_framework.response import Response

    from ratings.queries.snapshot import SeriesSnapshot


class Leaderboard(RunListView):
    parameters = (LeaderboardParameters, PageParameters)

    @extend_schema(
        operation_id="getLeaderboard",
        tags=["series"],
        parameters=[LeaderboardParameters],
        responses=LeaderboardEntrySerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the rated players of a series, best first. Ranks are among all, also in a selection."""
        asked = self.asked
        snapshot = snapshot_of(public_series(slug))
        selected: Any = _selected(snapshot, asked)
        ids: Any = self.paginate_queryset(selected)
        rows = rating_rows(snapshot, _ratings(snapshot, ids))
        return self.answer(snapshot, LeaderboardEntrySerializer(rows, many=True).data)


def _selected(snapshot: SeriesSnapshot, asked: dict[str, Any]) -> NDArray[np.int64]:
    """Return the ids of the players who are asked for, best first."""
    country, search = asked.get("country", ""), asked["search"]
    filters = Filters(active=asked.get("active_days"), least=asked.get("min_contests"))
    rows = matching_rows(snapshot, filters)
    if asked["established"] and len(rows):
        rows = rows[is_established(board_of(snapshot))[rows]]
    ids = snapshot.index.player_ids[rows]
    if not (country or search) or not len(ids):
        return ids
    players = Player.objects.filter(matching(search)) if search else Player.objects.all()
    if country:
        players = players.filter(country=country)
    query, parameters = players.order_by().values_list("id").query.sql_with_params()
    found = read_arrays(f"SELECT CAST(id AS bigint) FROM ({query}) AS chosen", parameters, {"id": "i8"})
    return ids[np.isin(ids, found["id"])]


def _ratings(snapshot: SeriesSnapshot, ids: NDArray[np.int64]) -> list[Rating]:
    """Return the ratings of these players, in this order."""
    rows = Rating.objects.filter(series=snapshot.series, player__in=ids.tolist())
    by_player = {row.player_id: row for row in rows.select_related("player", "last_contest").defer("belief")}
    return [by_player[player] for player in ids.tolist()]
