"""
Country and affiliation of each row of a leaderboard, as arrays.

They belong to players rather than runs, so they are cached for a few minutes only. Filters and tables of countries can
be out of date by that much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Player
from ratings.models import Rating

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

#: How long the arrays are cached.
SECONDS = 600
#: Filter value for players without a country: CLDR's code for an unknown region, which ISO 3166 leaves unassigned.
UNKNOWN_COUNTRY = "ZZ"
#: How many of the largest affiliations the filters offer.
_OFFERED = 200

#: Country codes, and names of affiliations, each with the number of players.
Offered = tuple[list[tuple[str, int]], list[tuple[str, int]]]


@dataclass(frozen=True, slots=True, eq=False)
class Origins:
    """
    Country and affiliation of each row of a run's rank index.

    countries, affiliations
        Positions in the lists below, shape (players,); 0 if unknown.
    country_codes, affiliation_names
        Codes and names by position, with an empty text at 0.
    """

    countries: NDArray[np.int16]
    affiliations: NDArray[np.int32]
    country_codes: list[str]
    affiliation_names: list[str]


def origins_of(snapshot: SeriesSnapshot) -> Origins:
    """Return the origins of the rated players in a series, at most a few minutes old."""
    if snapshot.run is None:
        return Origins(np.empty(0, np.int16), np.empty(0, np.int32), [""], [""])
    key = f"origins:{snapshot.run.uid}"
    return Origins(*cached(key, lambda: _read(snapshot), SECONDS))


def offered_by(snapshot: SeriesSnapshot) -> Offered:
    """Return the countries and the largest affiliations with their numbers of players, cached apart from the arrays."""
    if snapshot.run is None:
        return [], []
    key = f"origins-offered:{snapshot.run.uid}"

    def count() -> Offered:
        origins = origins_of(snapshot)
        affiliations = _counts(origins.affiliations, origins.affiliation_names)
        largest = sorted(affiliations, key=lambda one: (-one[1], one[0]))[:_OFFERED]
        return _counts(origins.countries, origins.country_codes), largest

    return cached(key, count, SECONDS)


def _counts(positions: NDArray[Any], names: list[str]) -> list[tuple[str, int]]:
    counts = np.bincount(positions, minlength=len(names)).tolist()
    return [(name, count) for name, count in list(zip(names, counts, strict=True))[1:] if count]


def _read(snapshot: SeriesSnapshot) -> tuple[NDArray[np.int16], NDArray[np.int32], list[str], list[str]]:
    """Read both from the database. Countries are read as numbers, which is many times faster than as texts."""
    first, second = (f"{_letter_function()}(substr(p.country, {place}, 1))" for place in (1, 2))
    query = (
        f"SELECT CAST(r.player_id AS bigint), CAST({first} * 65536 + {second} AS bigint) "
        f"FROM {Rating._meta.db_table} r JOIN {Player._meta.db_table} p ON p.id = r.player_id "
        "WHERE r.series_id = %s AND p.country <> ''"
    )
    found = read_arrays(query, [snapshot.series.pk], {"player": "i8", "code": "i8"})
    codes, at = np.unique(found["code"], return_inverse=True)
    texts = ["", *(chr(code >> 16) + chr(code & 0xFFFF) for code in codes.tolist())]
    rated = Rating.objects.filter(series=snapshot.series).exclude(player__affiliation="")
    rows = list(rated.values_list("player_id", "player__affiliation"))
    number: dict[str, int] = {"": 0}
    positions = np.array([number.setdefault(name, len(number)) for _, name in rows], dtype=np.int32)
    players = np.array([player for player, _ in rows], dtype=np.int64)
    order = np.argsort(snapshot.index.player_ids)
    return (
        _by_row(snapshot, order, found["player"], (at + 1).astype(np.int16)),
        _by_row(snapshot, order, players, positions),
        texts,
        list(number),
    )


def _by_row(
    snapshot: SeriesSnapshot, order: NDArray[np.int64], players: NDArray[np.int64], values: NDArray[Any]
) -> NDArray[Any]:
    """Return an array with each player's value at the player's row in the index, and 0 elsewhere."""
    result = np.zeros(len(snapshot.index), dtype=values.dtype)
    result[order[np.searchsorted(snapshot.index.player_ids, players, sorter=order)]] = values
    return result


def _letter_function() -> str:
    return "ascii" if connection.vendor == "postgresql" else "unicode"
