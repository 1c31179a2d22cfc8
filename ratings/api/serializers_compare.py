"""How comparisons of players are written."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from contests.api.serializers import NumberField, PlayerSerializer
from ratings.api.serializers import RatingSerializer


class ComparedPlayerSerializer(serializers.Serializer[Any]):
    """A player of the comparison."""

    player = PlayerSerializer()
    rating = RatingSerializer(help_text="Where the player stands in the series.")
    wins = serializers.IntegerField(
        min_value=0, help_text="Rated contests with rank 1, without those in which all tied."
    )
    best_place = serializers.IntegerField(min_value=1, help_text="Best rank in a rated contest.")


class PairSerializer(serializers.Serializer[Any]):
    """Two of the players: all as the first of them sees it."""

    player = serializers.CharField(help_text="Handle of the first.")
    opponent = serializers.CharField(help_text="Handle of the second.")
    contests = serializers.IntegerField(
        source="score.meetings", min_value=0, help_text="Rated contests of both, without those in one team."
    )
    wins = serializers.IntegerField(source="score.wins", min_value=0, help_text="Those in which the first was ahead.")
    losses = serializers.IntegerField(
        source="score.losses", min_value=0, help_text="Those in which the first was behind."
    )
    ties = serializers.IntegerField(source="score.ties", min_value=0, help_text="Those in which they shared a rank.")
    together = serializers.IntegerField(
        source="score.together", min_value=0, help_text="Rated contests of both in one team."
    )
    win_probability = NumberField(
        help_text="Probability, by what is believed now, that the first finishes ahead of the second next time."
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """Players side by side in one series."""

    series = serializers.SlugField(
        allow_null=True, help_text="Slug of the series; null if none was asked for and nobody is rated anywhere."
    )
    run = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Run that these numbers are of; null while none has been published."
    )
    players = ComparedPlayerSerializer(many=True, help_text="Those with a rating in the series, in the order named.")
    pairs = PairSerializer(many=True, help_text="Each two of the players once.")
    unrated = PlayerSerializer(many=True, help_text="Those without a rating in the series.")
    unknown = serializers.ListField(child=serializers.CharField(), help_text="What was named and is nobody's handle.")
    left_out = serializers.IntegerField(min_value=0, help_text="How many more than eight players were named.")
