"""Made-up players, tiers and contests that the design page shows; nothing here is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
from django import forms

from contests.models import Community, Contest, Player, Series
from ratings.display import Tier, Tiers
from ratings.display.colours import tier_colours
from ratings.display.tier_sets import SHAPES, TIER_SETS
from ratings.models import Rating, Run, Scheme
from ratings.queries.distributions import bin_width, bins, most_bins, tier_shares
from ratings.queries.snapshot import SeriesSnapshot
from web.shared.drawings import histogram
from web.shared.form_fields import DayInput

if TYPE_CHECKING:
    from typing import Any

MOMENT = datetime(2026, 1, 31, 18, tzinfo=UTC)
#: One rating in each of eight tiers, and the ratings of a player before each of ten contests.
POINTS = (2745, 2410, 2120, 1873, 1610, 1330, 1105, 846)
CAREER = (1500, 1544, 1497, 1610, 1725, 1702, 1816, 1790, 1905, 1873)
PLAYERS = (
    "ada-lovelace",
    "blaise",
    "carl_friedrich",
    "d'Alembert",
    "Émilie",
    "fermat",
    "gauss",
    "a-rather-long-handle",
)


class SampleForm(forms.Form):
    """One field of each kind."""

    name = forms.CharField(label="Name", help_text="As it appears in the standings.")
    place = forms.IntegerField(label="Place", min_value=1)
    day = forms.DateField(label="Day", required=False, widget=DayInput())
    system = forms.ChoiceField(label="Rating system", choices=[("elo-mmr", "Elo-MMR"), ("glicko2", "Glicko-2")])
    shown = forms.ChoiceField(
        label="Display format", choices=[("a", "Points"), ("b", "Fixed range")], widget=forms.RadioSelect, initial="a"
    )
    notes = forms.CharField(label="Notes", required=False, widget=forms.Textarea(attrs={"rows": 2}))
    rated = forms.BooleanField(label="Rated", required=False, initial=True)


@dataclass(frozen=True, slots=True)
class Step:
    """A place on a card's podium."""

    rating: Rating
    points: int


@dataclass(frozen=True, slots=True)
class Card:
    """A series as on the home page."""

    series: Series
    snapshot: SeriesSnapshot
    podium: list[Step]
    newest: Contest


def snapshots() -> dict[str, SeriesSnapshot]:
    """Return a snapshot per set of tiers, by title; the CSS classes of its colours contain the number of its scheme."""
    tiers = {chosen.title: chosen.tiers(range(1000, 1000 + 250 * (len(chosen.names) - 1), 250))
             for chosen in TIER_SETS.values()}  # fmt: skip
    tiers |= {f"{count} tiers": _plain(count) for count in (2, 3, 5, 12)}
    return {title: _snapshot(number, levels) for number, (title, levels) in enumerate(tiers.items(), start=1)}


def _plain(count: int) -> Tiers:
    looks = zip(tier_colours(count), SHAPES, strict=False)
    return Tiers(
        tuple(
            Tier(f"Tier {place}", None if place == 1 else 1000 + 100 * place, *pair, shape)
            for place, (pair, shape) in enumerate(looks, start=1)
        )
    )


def _snapshot(number: int, tiers: Tiers) -> SeriesSnapshot:
    community = Community(slug="sample", name="Sample Club")
    series = Series(community=community, slug="spring-cup", name="Spring Cup", is_public=True)
    run = Run(number=42, player_count=240, contest_count=31, published_at=MOMENT)
    return SeriesSnapshot(series, run, Scheme(pk=number, system="elo-mmr", display={"mapping": "offset"},
                                              tiers=tiers.to_list()))  # fmt: skip


def card(snapshot: SeriesSnapshot) -> Card:
    """Return the card of a series with three players and a contest."""
    podium = [
        Step(Rating(player=Player(community=snapshot.series.community, handle=handle)), points)
        for handle, points in zip(PLAYERS[:3], POINTS, strict=False)
    ]
    contest = Contest(pk=1, series=snapshot.series, name="Round 31", ends_at=MOMENT)
    return Card(snapshot.series, snapshot, podium, contest)


def chart(snapshot: SeriesSnapshot) -> dict[str, Any]:
    """Return what the histogram of the distribution page needs, for 240 ratings of a normal distribution."""
    ratings = np.sort(np.random.default_rng(1).normal(1600, 380, 240).round().astype(np.int64))
    columns = bins(ratings, bin_width(ratings, most_bins(len(ratings))))
    return {
        "chart": histogram(columns, snapshot.tiers),
        "total": len(ratings),
        "median": int(ratings[len(ratings) // 2]),
        "percentiles": [{"rating": int(ratings[-3])}],
        "width": columns[0].end - columns[0].start,
        "legend": tier_shares(ratings, snapshot.tiers)[::-1],
    }
