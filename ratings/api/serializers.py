"""Ratings and rating changes: their rows, computed for a whole page at once, and their serializers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rest_framework import serializers

from contests.api.serializers import ContestReferenceSerializer, NumberField, PlayerSerializer
from ratings.api.league_standings import PlayerLeagueSerializer, PlayerSeasonSerializer
from ratings.queries.boards import established_ranks
from ratings.queries.rated_contests import counted_weights
from ratings.queries.rows import ShownChanges
from ratings.queries.snapshot import percentile_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Contest, Player, Series
    from ratings.models import Rating, RatingChange
    from ratings.queries.snapshot import SeriesSnapshot


_RUN = "Run that produced these numbers."
_RATING = "Rating as shown on pages, in displayed points."
_MU = "Best estimate of the player's strength, in rating points."
_SIGMA = "Uncertainty of `mu` as a standard deviation, in rating points."
_TIER = "Name of the tier that contains the rating."


class RatingSerializer(serializers.Serializer[Any]):
    """A player's rating in a series."""

    run = serializers.IntegerField(min_value=1, help_text=_RUN)
    rank = serializers.IntegerField(min_value=1, help_text="Competition rank among all rated players of the series.")
    established_rank = serializers.IntegerField(
        min_value=1,
        allow_null=True,
        help_text="Competition rank among the established and active players, as pages show it by default if there are "
        "ten or more of them; null for other players.",
    )
    percentile = NumberField(help_text="Percentage of rated players who are not above this player; 100 for the best.")
    rating = serializers.IntegerField(help_text=_RATING)
    mu = NumberField(help_text=_MU)
    sigma = NumberField(help_text=_SIGMA)
    score = NumberField(
        help_text="`mu` minus a deduction for uncertainty, in rating points. Leaderboards are sorted by it."
    )
    tier = serializers.CharField(help_text=_TIER)
    contests = serializers.IntegerField(min_value=1, help_text="Number of the player's rated contests.")
    peak = serializers.IntegerField(help_text="Highest rating so far, in displayed points.")
    peak_score = NumberField(help_text="Highest score so far, in rating points.")
    last_contest = ContestReferenceSerializer()


class LeaderboardEntrySerializer(RatingSerializer):
    """A row of a leaderboard."""

    player = PlayerSerializer()


class SeriesReferenceSerializer(serializers.Serializer[Any]):
    """A series in brief."""

    community = serializers.SlugField(source="community_id", help_text="Slug of the community.")
    slug = serializers.SlugField(help_text="Identifier of the series in addresses, unique in the community.")
    name = serializers.CharField(help_text="Name of the series.")


class PlayerRatingSerializer(RatingSerializer):
    """A player's rating in one series."""

    series = SeriesReferenceSerializer()
    players = serializers.IntegerField(min_value=1, help_text="Number of rated players in the series.")
    league = PlayerLeagueSerializer(
        allow_null=True, help_text="The player's league; null if the series has none, or before they are computed."
    )
    season = PlayerSeasonSerializer(
        allow_null=True,
        help_text="The player's points in the newest season; null if the series has none, or before they are computed.",
    )


class PlayerProfileSerializer(PlayerSerializer):
    """A player with ratings in all series that the client may read."""

    ratings = PlayerRatingSerializer(
        many=True, help_text="One rating per series that the client may read, sorted by the name of the series."
    )

    class Meta(PlayerSerializer.Meta):
        fields = [*PlayerSerializer.Meta.fields, "affiliation", "ratings"]
        extra_kwargs = {
            **PlayerSerializer.Meta.extra_kwargs,
            "affiliation": {"help_text": "School, club or company; empty if unknown."},
        }


class RatingChangeSerializer(serializers.Serializer[Any]):
    """The change of a player's rating in one contest."""

    community = serializers.SlugField(source="series.community_id", help_text="Slug of the community.")
    series = serializers.SlugField(source="series.slug", help_text="Slug of the series, unique in the community.")
    contest = ContestReferenceSerializer()
    player = PlayerSerializer()
    run = serializers.IntegerField(min_value=1, help_text=_RUN)
    from_run = serializers.IntegerField(
        min_value=1,
        help_text="Run in which this rating change took effect; it has been valid ever since. A roll-back is a new "
        "run.",
    )
    number = serializers.IntegerField(
        min_value=1,
        help_text="Position among the player's rated contests in the series, starting at 1, in the order in which this "
        "run rated them. The rating change with the highest number has the current rating.",
    )
    rank = serializers.IntegerField(
        min_value=1, help_text="Competition rank among the rated players in the contest; a team counts once."
    )
    field_size = serializers.IntegerField(min_value=1, help_text="Number of rated players or teams in the contest.")
    weight = NumberField(
        allow_null=True,
        help_text="Weight with which the contest counted: the weight that the organizers gave it, times the duration "
        "factor if the scheme has duration weights. Null if Podium can't tell because the contest changed while the "
        "run was in progress.",
    )
    rating_before = serializers.IntegerField(help_text="Rating before the contest, in displayed points.")
    mu_before = NumberField(help_text="`mu` before the contest, in rating points.")
    sigma_before = NumberField(help_text="`sigma` before the contest, in rating points.")
    rating = serializers.IntegerField(help_text="Rating after the contest, in displayed points.")
    mu = NumberField(help_text=_MU)
    sigma = NumberField(help_text=_SIGMA)
    tier = serializers.CharField(help_text="Name of the tier that contains the rating after the contest.")
    change = serializers.IntegerField(help_text="`rating` minus `rating_before`, in displayed points.")
    performance_rating = serializers.IntegerField(
        allow_null=True, help_text="`performance` in displayed points; null if `performance` is null."
    )
    performance = NumberField(
        allow_null=True,
        help_text="The player's strength in this contest alone, in rating points; null if it is unbounded or if the "
        "rating system does not measure it.",
    )


class RetractedChangeSerializer(serializers.Serializer[Any]):
    """A rating change that no longer exists."""

    contest = serializers.IntegerField(source="contest_id", help_text="Id of the contest.")
    player = serializers.IntegerField(source="player_id", help_text="Id of the player.")
    run = serializers.IntegerField(source="until_run", min_value=1, help_text="Run that removed the rating change.")


class ChangesPageSerializer(serializers.Serializer[Any]):
    """One part of the changes between two runs."""

    community = serializers.SlugField(help_text="Slug of the community.")
    series = serializers.SlugField(help_text="Slug of the series, unique in the community.")
    since_run = serializers.IntegerField(min_value=0, help_text="Run you already have.")
    run = serializers.IntegerField(
        min_value=0,
        help_text="Run that your copy matches once `next` is null. Send it as `since_run` next time. "
        "0 if none has been published.",
    )
    next = serializers.URLField(
        allow_null=True, help_text="URL of the next part; null in the last part. A part can be empty."
    )
    results = RatingChangeSerializer(
        many=True, help_text="Rating changes to store. Each replaces the one you have for that contest and player."
    )
    retracted = RetractedChangeSerializer(many=True, help_text="Rating changes to remove, by contest and player.")


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A player's rating in a series as of a run; see `RatingSerializer` for units."""

    series: Series
    player: Player
    run: int
    rank: int
    established_rank: int | None
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
    """A rating change as of a run; see `RatingChangeSerializer` for units."""

    series: Series
    contest: Contest
    player: Player
    run: int
    from_run: int
    number: int
    rank: int
    field_size: int
    weight: float | None
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
    """
    Return the rows of ratings in the snapshot's series, in the same order.

    The ratings must come with player and last contest.
    """
    if snapshot.run is None or not ratings:
        return []
    scores = np.array([rating.score for rating in ratings])
    of = len(snapshot.index)
    ranks = snapshot.index.ranks(scores)
    shown = snapshot.mapping.show(scores)
    peaks = snapshot.mapping.show(np.array([rating.peak for rating in ratings]))
    tiers = snapshot.tiers.tiers_of(shown)
    among_established = established_ranks(snapshot, ratings)
    return [
        RatingRow(
            snapshot.series, rating.player, snapshot.run.number, rank, among, of, percentile_of(rank, of), number,
            rating.mu, rating.sigma, rating.score, tier.name, rating.contest_count, peak, rating.peak,
            rating.last_contest,
        )
        for rating, rank, among, number, tier, peak in zip(
            ratings, ranks.tolist(), among_established, shown.tolist(), tiers, peaks.tolist(), strict=True
        )
    ]  # fmt: skip


def change_rows(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> list[ChangeRow]:
    """
    Return the rows of rating changes in the snapshot's series, in the same order.

    The rating changes must come with player and contest.
    """
    if snapshot.run is None or not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    weights = counted_weights(snapshot.run, (change.contest for change in changes))
    tiers = snapshot.tiers.tiers_of(shown.after)
    return [
        ChangeRow(
            snapshot.series, c.contest, c.player, snapshot.run.number, c.from_run, c.number, c.rank, c.field_size,
            weights[c.contest_id], old, c.mu_before, c.sigma_before, new, c.mu, c.sigma, tier.name, new - old,
            performance, c.performance if snapshot.has_performance else None,
        )
        for c, old, new, tier, performance in zip(
            changes, shown.before.tolist(), shown.after.tolist(), tiers, shown.performances, strict=True
        )
    ]  # fmt: skip
