"""Leaderboards filtered by country and handle, without leaving the sorted array of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache
from django_countries import countries

from contests.bulk import read_arrays
from contests.models import Player
from ratings.models import Rating

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.shown import Shown

#: How long a series' list of countries is kept: it changes with the players' data, not with runs.
COUNTRIES_SECONDS = 600


def filtered_ids(shown: Shown, text: str, country: str) -> NDArray[np.int64]:
    """Return the ids of the rated players that match both, best first; the whole leaderboard if both are empty."""
    everybody = shown.index.player_ids
    if not text and not country:
        return everybody
    players = Player.objects.matching(text) if text else Player.objects.all()
    if country:
        players = players.filter(country=country)
    query, parameters = players.values("id").query.sql_with_params()
    matching = read_arrays(query, list(parameters), {"id": "i8"})["id"]
    return everybody[np.isin(everybody, matching)]


def countries_of(shown: Shown) -> list[tuple[str, str]]:
    """Return code and name of the countries of a series' rated players, by name."""
    if shown.run is None:
        return []
    key = f"countries:{shown.run.pk}"
    codes = cache.get(key)
    if codes is None:
        rated = Rating.objects.filter(series=shown.series).exclude(player__country="")
        codes = sorted(rated.values_list("player__country", flat=True).distinct())
        cache.set(key, codes, COUNTRIES_SECONDS)
    return sorted(((code, country_name(code)) for code in codes), key=lambda pair: pair[1])


def country_name(code: str) -> str:
    """Return the English name of a country, or the code itself when the list does not have it."""
    return str(countries.name(code) or code) if code else ""
