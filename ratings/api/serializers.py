"""How ratings and rating changes are written."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from contests.api.serializers import ContestReferenceSerializer, NumberField, PlayerSerializer

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
