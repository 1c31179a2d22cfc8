"""Parameters of the addresses with ratings."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from contests.api.parameters import MAX_SEARCH, CountryField, SizeParameters

#: No run has a larger number: the column ends here.
MAX_RUN = 2**31 - 1


class LeaderboardParameters(serializers.Serializer[Any]):
    country = CountryField(required=False, help_text="Only players of this country (ISO 3166 alpha-2).")
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_SEARCH,
        help_text="Only players whose handle contains this text, whatever its case.",
    )


class HistoryParameters(serializers.Serializer[Any]):
    series = serializers.SlugField(required=False, max_length=80, help_text="Only this series, by its slug.")


class CompareParameters(serializers.Serializer[Any]):
    series = serializers.SlugField(
        required=False, max_length=80, help_text="The series, by its slug; without it, the one they have in common."
    )
    players = serializers.CharField(
        default="",
        allow_blank=True,
        help_text="Handles, separated by commas; those that hold commas are better given by `player`.",
    )


class ChangesParameters(SizeParameters):
    since_run = serializers.IntegerField(
        min_value=0, max_value=MAX_RUN, default=0, help_text="The run that you have already; 0 for everything."
    )
    cursor = serializers.CharField(
        default="", allow_blank=True, max_length=100, help_text="Where to go on; follow `next` instead of making one."
    )
