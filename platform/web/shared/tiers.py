"""Tiers of a series: the number of players in each, and the style sheet with their colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.http import Http404, HttpResponse

from contests.queries.visibility import visible_series
from contests.whole_numbers import whole_number_of
from ratings.display import tiers_from_list
from ratings.display.percentages import percent_of
from ratings.display.tier_shares import ENOUGH_PLAYERS, uneven_tiers
from ratings.models import Scheme
from ratings.systems import SYSTEMS
from web.shared.caching import cache_shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest
    from numpy.typing import NDArray

    from ratings.display import Tier
    from ratings.display.tier_shares import UnevenTier
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class TierCount:
    """A tier, counted from 0 for the lowest, with its number of players and their `share` in percent."""

    tier: Tier
    number: int
    players: int
    share: float


def tier_counts(snapshot: SeriesSnapshot) -> list[TierCount]:
    """Return the tiers, highest first, with the number of players in each."""
    scores = snapshot.index.scores
    positions = snapshot.tiers.positions(snapshot.mapping.show(scores)) if len(scores) else np.empty(0, dtype=np.int64)
    counts = np.bincount(positions, minlength=len(snapshot.tiers)).tolist()
    rows = [
        TierCount(tier, number, count, percent_of(count, len(scores)))
        for number, (tier, count) in enumerate(zip(snapshot.tiers, counts, strict=True))
    ]
    return rows[::-1]


def distribution(snapshot: SeriesSnapshot) -> NDArray[np.int64] | None:
    """
    Return all displayed ratings, of shape (players,), if they are enough to propose thresholds of tiers.

    None for fewer than 100 players and for ladders, whose tiers are places.
    """
    is_ladder = snapshot.scheme is not None and SYSTEMS[snapshot.scheme.system].has_positions
    if (
        snapshot.run is None
        or snapshot.run.player_count < ENOUGH_PLAYERS
        or (is_ladder and not snapshot.mapping.follows_players())
    ):
        return None
    return snapshot.mapping.show(snapshot.index.scores)


def uneven(snapshot: SeriesSnapshot) -> list[UnevenTier]:
    """Return the tiers of a series with too many players or none, highest first."""
    if distribution(snapshot) is None:
        return []
    return uneven_tiers(snapshot.tiers, [row.players for row in tier_counts(snapshot)][::-1])


MOST_SCHEMES = 60
#: In seconds.
_YEAR = 31_536_000


def styles(request: HttpRequest, schemes: str) -> HttpResponse:
    """
    Return a style sheet with the colours of schemes that the visitor may read; leave out others, like unknown ones.

    A scheme never changes, so browsers may keep the colours of public ones.
    """
    texts = schemes.split(",")
    numbers = [number for text in texts if (number := whole_number_of(text)) is not None]
    if len(texts) > MOST_SCHEMES or len(numbers) < len(texts):
        raise Http404
    wanted = Scheme.objects.filter(pk__in=numbers).order_by("pk")
    found = list(wanted.filter(series__is_public=True))
    is_public = len(found) == len(set(numbers))
    if not is_public:
        found = list(wanted.filter(series__in=visible_series(request.user).values("pk")))
    text = "\n".join(rule for scheme in found for rule in rules(scheme))
    response = HttpResponse(text + "\n", content_type="text/css; charset=utf-8")
    if is_public:
        cache_shared(response, browser_seconds=_YEAR, is_immutable=True)
    else:
        response["Cache-Control"] = "private, no-cache"
    return response


def rules(scheme: Scheme) -> Iterator[str]:
    """Yield the rules of a style sheet that colour the tiers of a scheme, which need not be stored."""
    # The validation ensures that only colours are written.
    for number, tier in enumerate(tiers_from_list(scheme.tiers)):
        yield f".tier-{scheme.pk}-{number}{{--tier-light:{tier.colour_light};--tier-dark:{tier.colour_dark}}}"
