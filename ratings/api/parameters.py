"""Parameters of the addresses with ratings."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from contests.api.parameters import MAX_SEARCH, CountryField, SizeParameters
from ratings.queries.filters import LARGEST

#: No run has a larger number: the column ends here.
MAX_RUN = 2**31 - 1


class LeaderboardParameters(serializers.Serializer[Any]):
    country = CountryField(required=False, help_text="Only players of this country (ISO 3166 alpha-2).")
    search = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_SEARCH,
        help_text=(
            "Only players whose handle contains this text, or whose handle, other handles or name have words that "
            "begin with all of its words, in any order. Case does not matter."
        ),
    )
    established = serializers.BooleanField(
        default=False,
        help_text="Only established and active players, as pages list them by default: at least 5 rated contests (half "
        "of the recent ones where there are few), the last within a year of the newest (or of the last 3 contests).",
    )
    min_contests = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST, help_text="Only players with at least so many rated contests."
    )
    active_days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only players whose last rated contest ended within so many days of the newest one of the series.",
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
