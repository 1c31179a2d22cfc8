"""How series, their runs and their distributions are written."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from contests.api.serializers import NumberField
from contests.models import Series
from ratings.models import Run

KINDS = [
    ("append", "only the newest contests were rated"),
    ("replay", "older contests were rated again"),
    ("rollback", "the ratings of an earlier run are shown again"),
]


class RunSerializer(serializers.ModelSerializer[Run]):
    """A published run: one consistent set of ratings."""

    number = serializers.IntegerField(min_value=1, help_text="Counts up in each series; failed runs leave gaps.")
    kind = serializers.ChoiceField(
        choices=KINDS,
        help_text="How it was computed; the numbers do not depend on it.",
    )
    restores = serializers.IntegerField(
        allow_null=True,
        min_value=1,
        help_text="Number of the run whose ratings a roll-back shows again; null for other runs.",
    )
    seconds = NumberField(help_text="How long it took.")
    contests = serializers.IntegerField(source="contest_count", min_value=0, help_text="Rated contests as of this run.")
    players = serializers.IntegerField(source="player_count", min_value=0, help_text="Rated players as of this run.")
    changes = serializers.IntegerField(
        source="changed_count", min_value=0, help_text="Rating changes that differ from the run before."
    )

    class Meta:
        model = Run
        fields = [
            "number", "kind", "restores", "cause", "published_at", "seconds", "contests", "players", "changes",
            "engine_version", "input_hash",
        ]  # fmt: skip
        extra_kwargs = {
            "cause": {"help_text": "What had changed, in words."},
            "published_at": {"help_text": "When everybody saw it first (UTC)."},
            "engine_version": {"help_text": "Version of the rating library."},
            "input_hash": {"help_text": "Hash of all results and parameters that the numbers follow from."},
        }


class TierSerializer(serializers.Serializer[Any]):
    """A named range of shown ratings."""

    name = serializers.CharField()
    minimum = serializers.IntegerField(
        allow_null=True, help_text="Smallest shown rating of the tier; null for the lowest tier."
    )
    symbol = serializers.CharField(help_text="Tells the tier without colour.")
    colour_light = serializers.CharField(help_text="#rrggbb, for text on a light page.")
    colour_dark = serializers.CharField(help_text="#rrggbb, for text on a dark page.")


class LeaguesSerializer(serializers.Serializer[Any]):
    """How the tiers are gained and lost as leagues; all in shown points but the deviation."""

    assignment = serializers.ChoiceField(
        choices=[("moving_average", "by the mean of the last shown ratings")], help_text="What decides."
    )
    contests = serializers.IntegerField(min_value=1, help_text="Of how many ratings the mean is taken.")
    margin = serializers.IntegerField(
        min_value=0, help_text="How far the mean may fall below a threshold before the league is lost."
    )
    provisional_contests = serializers.IntegerField(
        min_value=1, help_text="Players with fewer rated contests are provisional, and in no league."
    )
    provisional_sigma = NumberField(
        allow_null=True, help_text="So are players with a greater deviation (rating points); null: no such limit."
    )


class SeasonSerializer(serializers.Serializer[Any]):
    """How season points are gained, in shown points."""

    length = serializers.ChoiceField(
        allow_null=True,
        choices=[("year", "calendar years"), ("quarter", "quarters of a year"), ("month", "months")],
        help_text="Seasons that follow the calendar (UTC); null where `starts` says when they begin.",
    )
    starts = serializers.ListField(
        child=serializers.DateField(), help_text="First days of the seasons; empty for those of the calendar."
    )
    k = NumberField(help_text="The most that one contest of weight 1 gives without the bonus.")
    scale = NumberField(
        allow_null=True,
        help_text="Distance at which odds are ten to one; null with a fixed range, whose numbers say it themselves.",
    )
    bonus_per_day = NumberField(help_text="How much everybody's bonus grows a day.")


class SchemeSerializer(serializers.Serializer[Any]):
    """How a series is rated and shown."""

    version = serializers.IntegerField(min_value=1, help_text="Counts up with each change of rules or display.")
    system = serializers.CharField(help_text="Name of the rating system, such as elo-mmr.")
    parameters = serializers.DictField(help_text="Its parameters by name.")
    display = serializers.DictField(help_text="From scores to shown ratings: the mapping and its numbers.")
    tiers = TierSerializer(many=True, help_text="Lowest first.")
    leagues = LeaguesSerializer(allow_null=True, help_text="Null where tiers are gained and lost at once.")
    season = SeasonSerializer(allow_null=True, help_text="Null where there are no season points.")


class SeriesSerializer(serializers.ModelSerializer[Series]):
    """A series of contests: one pool of ratings."""

    run = RunSerializer(allow_null=True, help_text="The current run; null while none has been published.")

    class Meta:
        model = Series
        fields = ["slug", "name", "description", "run"]
        extra_kwargs = {"description": {"help_text": "What its organizers say of it; may be empty."}}


class SeriesDetailSerializer(SeriesSerializer):
    """A series with how it is rated and shown."""

    scheme = SchemeSerializer(allow_null=True, help_text="Null while it has no contests.")

    class Meta(SeriesSerializer.Meta):
        fields = [*SeriesSerializer.Meta.fields, "scheme"]


class BinSerializer(serializers.Serializer[Any]):
    """One bar of the histogram."""

    start = serializers.IntegerField(help_text="Smallest shown rating in it.")
    end = serializers.IntegerField(help_text="Smallest shown rating above it.")
    players = serializers.IntegerField(min_value=0)


class TierCountSerializer(TierSerializer):
    """How many players are in a tier."""

    players = serializers.IntegerField(min_value=0)


class DistributionSerializer(serializers.Serializer[Any]):
    """How shown ratings are distributed."""

    series = serializers.SlugField(help_text="Slug of the series.")
    run = serializers.IntegerField(min_value=1, allow_null=True, help_text="Run that these numbers are of.")
    players = serializers.IntegerField(min_value=0, help_text="Rated players.")
    bin_width = serializers.IntegerField(min_value=1, help_text="Width of each bin, in shown points.")
    bins = BinSerializer(many=True, help_text="Without gaps, lowest first.")
    tiers = TierCountSerializer(many=True, help_text="Lowest first.")
