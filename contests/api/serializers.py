"""How players, contests and standings are written."""

from __future__ import annotations

import math
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from contests.models import Contest, Player, Standing, StandingStatus


@extend_schema_field({"type": "number", "format": "double"})
class NumberField(serializers.FloatField):
    """A number in full precision; what JSON cannot write (infinite, undefined) is null."""

    def to_representation(self, value: Any) -> float | None:  # type: ignore[override]
        number = float(value)
        return number if math.isfinite(number) else None


class PlayerSerializer(serializers.ModelSerializer[Player]):
    """Who a player is."""

    class Meta:
        model = Player
        fields = ["id", "handle", "name", "country"]
        extra_kwargs = {
            "id": {"help_text": "Stays the same when a player is renamed."},
            "handle": {"help_text": "Unique whatever its case; any printable Unicode, 1 to 128 characters."},
            "name": {"help_text": "Full name; empty if unknown."},
            "country": {"help_text": "ISO 3166 alpha-2; empty if unknown."},
        }


class PlayerPageSerializer(serializers.Serializer[Any]):
    """Players in the order of their ids."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last one.")
    results = PlayerSerializer(many=True, help_text="What is in this part.")


class ContestReferenceSerializer(serializers.ModelSerializer[Contest]):
    """Which contest."""

    class Meta:
        model = Contest
        fields = ["id", "slug", "name", "ends_at"]
        extra_kwargs = {
            "slug": {"help_text": "The contest's id in files and exports; unique in its series."},
            "ends_at": {"help_text": "When it ended (UTC)."},
        }


class ContestSerializer(serializers.ModelSerializer[Contest]):
    """A contest whose results are final."""

    series = serializers.SlugField(source="series.slug", help_text="Slug of its series.")
    weight = NumberField(help_text="How much it counts; 1 is usual.")
    perf_ceiling = NumberField(allow_null=True, help_text="No performance counts as more, in rating points.")
    players = serializers.IntegerField(source="standing_count", min_value=0, help_text="Rows of its standings.")

    class Meta:
        model = Contest
        fields = [
            "id", "slug", "series", "name", "url", "starts_at", "ends_at", "is_rated", "has_teams", "weight",
            "perf_ceiling", "players", "finalized_at", "amended_at",
        ]  # fmt: skip
        extra_kwargs = {
            "slug": {"help_text": "The contest's id in files and exports; unique in its series."},
            "url": {"help_text": "Its own page elsewhere; empty if it has none."},
            "starts_at": {"help_text": "When it began (UTC); null if unknown."},
            "ends_at": {"help_text": "When it ended (UTC); contests are rated in this order."},
            "is_rated": {"help_text": "Whether it counts for ratings."},
            "has_teams": {"help_text": "Whether members of a team share a place."},
            "finalized_at": {"help_text": "When its results became final (UTC)."},
            "amended_at": {"help_text": "When they were corrected last (UTC); null if never."},
        }


class StandingSerializer(serializers.ModelSerializer[Standing]):
    """A player's result in a contest."""

    # Written out, because what the model's own fields may hold differs from database to database.
    rank = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Competition rank (1, 2, 2, 4) among the ranked; null for others."
    )
    place = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Place among all rows, as the results said; null if they did not."
    )
    player = PlayerSerializer()
    score = NumberField(allow_null=True, help_text="In the contest's own unit; null if unknown.")
    penalty = NumberField(allow_null=True, help_text="In the contest's own unit; null if unknown.")
    status = serializers.ChoiceField(
        choices=StandingStatus.choices, help_text="Only who is ranked is rated; others keep their place in the list."
    )

    class Meta:
        model = Standing
        fields = ["rank", "place", "player", "score", "penalty", "team", "status"]
        extra_kwargs = {
            "team": {"help_text": "Members of a team share it; empty if there are no teams."},
        }
