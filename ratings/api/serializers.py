"""How ratings and rating changes are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rest_framework import serializers

from contests.api.serializers import ContestReferenceSerializer, NumberField, PlayerSerializer
from ratings.queries.rows import ShownChanges
from ratings.queries.snapshot import percentile_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Contest, Player, Series
    from ratings.models import Rating, RatingChange
    from ratings.queries.snapshot import SeriesSnapshot


_RUN = "Run that these numbers are of."
_RATING = "What people read, in shown points."
_MU = "Mean of the belief, in rating points."
_SIGMA = "Standard deviation of the belief, in rating points."
_TIER = "Name of the tier that the shown rating is in."


class RatingSerializer(serializers.Serializer[Any]):
    """Where a player stands in a series."""

    run = serializers.IntegerField(min_value=1, help_text=_RUN)
    rank = serializers.IntegerField(min_value=1, help_text="Competition rank among all rated players of the series.")
    percentile = NumberField(help_text="Share of players who are not above, in per cent; 100 for the best.")
    rating = serializers.IntegerField(help_text=_RATING)
    mu = NumberField(help_text=_MU)
    sigma = NumberField(help_text=_SIGMA)
    score = NumberField(help_text="mu, less what caution subtracts for sigma: the order of the leaderboard.")
    tier = serializers.CharField(help_text=_TIER)
    contests = serializers.IntegerField(min_value=1, help_text="Rated participations.")
    peak = serializers.IntegerField(help_text="Highest rating so far, in shown points.")
    peak_score = NumberField(help_text="Highest score so far, in rating points.")
    last_contest = ContestReferenceSerializer()


class LeaderboardEntrySerializer(RatingSerializer):
    """A row of a leaderboard."""

    player = PlayerSerializer()


class SeriesReferenceSerializer(serializers.Serializer[Any]):
    """Which series."""

    slug = serializers.SlugField()
    name = serializers.CharField()


class PlayerRatingSerializer(RatingSerializer):
    """A player's rating in one series."""

    series = SeriesReferenceSerializer()
    players = serializers.IntegerField(min_value=1, help_text="Rated players of the series: the rank is of so many.")


class PlayerProfileSerializer(PlayerSerializer):
    """A player with the ratings in all public series."""

    ratings = PlayerRatingSerializer(many=True, help_text="One for each public series, by its name.")

    class Meta(PlayerSerializer.Meta):
        fields = [*PlayerSerializer.Meta.fields, "affiliation", "ratings"]
        extra_kwargs = {
            **PlayerSerializer.Meta.extra_kwargs,
            "affiliation": {"help_text": "School, club or company; empty if unknown."},
        }


class RatingChangeSerializer(serializers.Serializer[Any]):
    """What a contest did to a player's rating."""

    series = serializers.SlugField(source="series.slug", help_text="Slug of the series.")
    contest = ContestReferenceSerializer()
    player = PlayerSerializer()
    run = serializers.IntegerField(min_value=1, help_text=_RUN)
    from_run = serializers.IntegerField(min_value=1, help_text="Run that computed them first; they stood ever since.")
    number = serializers.IntegerField(
        min_value=1,
        help_text="1 for the player's first rated contest of the series, 2 for the second, as this run rated them. The "
        "change with the greatest number says where the player stands.",
    )
    rank = serializers.IntegerField(min_value=1, help_text="Competition rank among the rated players of the contest.")
    field_size = serializers.IntegerField(min_value=1, help_text="Rated players of the contest.")
    rating_before = serializers.IntegerField(help_text=_RATING)
    mu_before = NumberField(help_text=_MU)
    sigma_before = NumberField(help_text=_SIGMA)
    rating = serializers.IntegerField(help_text=_RATING)
    mu = NumberField(help_text=_MU)
    sigma = NumberField(help_text=_SIGMA)
    tier = serializers.CharField(help_text=_TIER)
    change = serializers.IntegerField(help_text="rating less rating_before, in shown points.")
    performance_rating = serializers.IntegerField(
        allow_null=True, help_text="The performance in shown points; null where `performance` is."
    )
    performance = NumberField(
        allow_null=True,
        help_text="How strong the player was that day, in rating points; null if without bound, or if the rating "
        "system has no performances.",
    )


class RetractedChangeSerializer(serializers.Serializer[Any]):
    """A rating change that was valid before and has no successor."""

    contest = serializers.IntegerField(source="contest_id", help_text="Id of the contest.")
    player = serializers.IntegerField(source="player_id", help_text="Id of the player.")
    run = serializers.IntegerField(source="until_run", min_value=1, help_text="Run that took it back.")


class ChangesPageSerializer(serializers.Serializer[Any]):
    """What changed between two runs, or a part of it."""

    series = serializers.SlugField(help_text="Slug of the series.")
    since_run = serializers.IntegerField(min_value=0, help_text="The run that you have already.")
    run = serializers.IntegerField(
        min_value=0,
        help_text="The run that you have when `next` is null: ask with it as since_run next time. 0 before the first.",
    )
    next = serializers.URLField(
        allow_null=True, help_text="Address of the next part; null on the last one. A part may hold nothing."
    )
    results = RatingChangeSerializer(many=True, help_text="Put each in the place of any of that contest and player.")
    retracted = RetractedChangeSerializer(many=True, help_text="Remove what you have of that contest and player.")


@dataclass(frozen=True, slots=True)
class RatingRow:
    """Where a player stands in a series as of a run; see `RatingSerializer` for units."""

    series: Series
    player: Player
    run: int
    rank: int
    players: int
    percentile: float
    rating: int
    mu: float
    sigma: float
    score: float
    tier: str
    contests: int
    peak: int
    peak_score: float
    last_contest: Contest


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What a contest did to a rating, as of a run; see `RatingChangeSerializer` for units."""

    series: Series
    contest: Contest
    player: Player
    run: int
    from_run: int
    number: int
    rank: int
    field_size: int
    rating_before: int
    mu_before: float
    sigma_before: float
    rating: int
    mu: float
    sigma: float
    tier: str
    change: int
    performance_rating: int | None
    performance: float | None


def rating_rows(snapshot: SeriesSnapshot, ratings: Sequence[Rating]) -> list[RatingRow]:
    """Return the ratings, all of the snapshot's series, in their order. They must come with player and last contest."""
    if snapshot.run is None or not ratings:
        return []
    scores = np.array([rating.score for rating in ratings])
    of = len(snapshot.index)
    ranks = snapshot.index.ranks(scores)
    shown = snapshot.mapping.show(scores)
    peaks = snapshot.mapping.show(np.array([rating.peak for rating in ratings]))
    tiers = snapshot.tiers.tiers_of(shown)
    return [
        RatingRow(
            snapshot.series, rating.player, snapshot.run.number, rank, of, percentile_of(rank, of), number,
            rating.mu, rating.sigma, rating.score, tier.name, rating.contest_count, peak, rating.peak,
            rating.last_contest,
        )
        for rating, rank, number, tier, peak in zip(
            ratings, ranks.tolist(), shown.tolist(), tiers, peaks.tolist(), strict=True
        )
    ]  # fmt: skip


def change_rows(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> list[ChangeRow]:
    """Return the changes, all of the snapshot's series, in their order. They must come with player and contest."""
    if snapshot.run is None or not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    tiers = snapshot.tiers.tiers_of(shown.after)
    return [
        ChangeRow(
            snapshot.series, c.contest, c.player, snapshot.run.number, c.from_run, c.number, c.rank, c.field_size, old,
            c.mu_before, c.sigma_before, new, c.mu, c.sigma, tier.name, new - old, performance,
            c.performance if snapshot.has_performance else None,
        )
        for c, old, new, tier, performance in zip(
            changes, shown.before.tolist(), shown.after.tolist(), tiers, shown.performances, strict=True
        )
    ]  # fmt: skip
