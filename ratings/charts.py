"""
What the rating graph is drawn from: points, the band of one deviation, and tiers.

Pure: numbers in, plain lists and dictionaries out, ready for JSON. All heights are on the scale that people read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.display import show_band

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.models import RatingChange
    from ratings.shown import Shown


def rating_chart(shown: Shown, changes: Sequence[RatingChange]) -> dict[str, Any]:
    """
    Return the graph of one player's rating changes, given oldest first, each with its contest.

    points
        One a contest: `at` (milliseconds since 1970, UTC), `contest`, `url`, `place`, `of`, `rating`, `change`,
        `low` and `high` (the rating one deviation down and up; the rating itself where the deviation says nothing),
        `performance` (null where the system has none), `tier` (position in `tiers`).
    tiers
        Lowest first: `name`, `from` (null for the lowest), `light`, `dark` (colours).
    """
    tiers = [
        {"name": tier.name, "from": tier.minimum, "light": tier.colour_light, "dark": tier.colour_dark}
        for tier in shown.tiers
    ]
    return {"points": _points(shown, changes), "tiers": tiers}


def _points(shown: Shown, changes: Sequence[RatingChange]) -> list[dict[str, Any]]:
    if not changes:
        return []
    mu, sigma, mu_before, sigma_before, performance = (
        np.array([getattr(change, name) for change in changes])
        for name in ("mu", "sigma", "mu_before", "sigma_before", "performance")
    )
    score = shown.score(mu, sigma)
    rating = shown.mapping.show(score)
    before = shown.mapping.show(shown.score(mu_before, sigma_before))
    low, high = show_band(shown.mapping, score, sigma if shown.sigma_means != "nothing" else np.zeros_like(sigma))
    performances = shown.mapping.show(performance).tolist() if shown.has_performance else [None] * len(changes)
    columns = (
        rating.tolist(), (rating - before).tolist(), np.rint(low).astype(int).tolist(),
        np.rint(high).astype(int).tolist(), performances, shown.tiers.positions(rating).tolist(),
    )  # fmt: skip
    return [
        {
            "at": int(change.contest.ends_at.timestamp() * 1000),
            "contest": change.contest.name,
            "url": change.contest.get_absolute_url(),
            "place": change.rank,
            "of": change.field_size,
            "rating": numbers[0],
            "change": numbers[1],
            "low": numbers[2],
            "high": numbers[3],
            "performance": numbers[4],
            "tier": numbers[5],
        }
        for change, *numbers in zip(changes, *columns, strict=True)
    ]
