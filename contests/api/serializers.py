"""Serializers of players, contests and standings."""

from __future__ import annotations

import math
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from contests.addresses import whole_address
from contests.models import Community, Contest, Player, Standing, StandingStatus
from contests.models.contest import Side

_CONTEST_ID = "Permanent id of the contest."
_CONTEST_SLUG = "Identifier of the contest in files and exports, unique within its series."
_CONTEST_NAME = "Name of the contest."


@extend_schema_field({"type": "number", "format": "double"})
class NumberField(serializers.FloatField):
    """A number in full precision; null for infinite and undefined values, which JSON does not have."""

    def to_representation(self, value: Any) -> float | None:  # type: ignore[override]
        number = float(value)
        return number if math.isfinite(number) else None


@extend_schema_field({"type": ["string", "null"], "format": "uri"})
class AddressField(serializers.CharField):
    """The absolute URL of a path of this site; null for an empty one. It needs the request as context."""

    def to_representation(self, value: Any) -> str | None:  # type: ignore[override]
        request = self.context["request"]
        return whole_address(request, value) if value else None


class CommunitySerializer(serializers.ModelSerializer[Community]):
    """A group that runs contests and shares its players."""

    class Meta:
        model = Community
        fields = ["slug", "name", "description", "website", "licence"]
        extra_kwargs = {
            "slug": {"help_text": "Identifier of the community in addresses. It never changes."},
            "name": {"help_text": "Name of the community."},
            "description": {"help_text": "Description of the community; may be empty."},
            "website": {"help_text": "Address of the community's own website; empty if it has none."},
            "licence": {"help_text": "Licence of its results and ratings; empty if the community names none."},
        }


class PlayerSerializer(serializers.ModelSerializer[Player]):
    """A person or team that takes part in contests."""

    community = serializers.SlugField(
        source="community_id", help_text="Slug of the community that the player belongs to."
    )
    picture = AddressField(
        source="picture_address",
        help_text="URL of the player's picture, a WebP image of 256 × 256 pixels; null if there is none. A new picture "
        "has a new URL. If only the community may see the player, send its token to this URL too.",
    )

    class Meta:
        model = Player
        fields = ["id", "community", "handle", "name", "country", "picture"]
        extra_kwargs = {
            "id": {"help_text": "Permanent id. It stays the same when the player is renamed."},
            "handle": {
                "help_text": "Handle of 1 to 128 printable Unicode characters, unique in the community regardless of "
                "case."
            },
            "name": {"help_text": "Full name; empty if unknown."},
            "country": {"help_text": "ISO 3166 alpha-2 code, such as DE; empty if unknown."},
        }


class PlayerPageSerializer(serializers.Serializer[Any]):
    """One part of the list of players, sorted by id."""

    next = serializers.URLField(allow_null=True, help_text="URL of the next part; null in the last part.")
    results = PlayerSerializer(many=True, help_text="Players in this part.")


class ContestReferenceSerializer(serializers.ModelSerializer[Contest]):
    """A contest in brief."""

    class Meta:
        model = Contest
        fields = ["id", "slug", "name", "ends_at"]
        extra_kwargs = {
            "id": {"help_text": _CONTEST_ID},
            "slug": {"help_text": _CONTEST_SLUG},
            "name": {"help_text": _CONTEST_NAME},
            "ends_at": {"help_text": "End of the contest (UTC)."},
        }


class ContestSerializer(serializers.ModelSerializer[Contest]):
    """A contest with final results."""

    community = serializers.SlugField(source="series.community_id", help_text="Slug of the community.")
    series = serializers.SlugField(source="series.slug", help_text="Slug of the series, unique in the community.")
    weight = NumberField(help_text="Weight that the organizers gave to the contest; usually 1.")
    perf_ceiling = NumberField(
        allow_null=True, help_text="Highest performance that counts, in rating points; null if there is no limit."
    )
    players = serializers.IntegerField(
        source="standing_count",
        min_value=0,
        help_text="Number of rows in the standings; for an event, the number of its players.",
    )
    is_event = serializers.BooleanField(help_text="Whether it is an event, which consists of games.")
    games = serializers.IntegerField(source="game_count", min_value=0, help_text="Number of games of an event, else 0.")
    event = serializers.IntegerField(
        source="event_id", allow_null=True, help_text="Id of the event that a game belongs to; null for other contests."
    )
    round = serializers.CharField(help_text="Round of a game in its event; empty if unknown.")
    is_walkover = serializers.BooleanField(
        help_text="Whether the result of a game was awarded without play: a walkover or a bye."
    )

    class Meta:
        model = Contest
        fields = [
            "id", "slug", "community", "series", "name", "url", "starts_at", "ends_at", "is_rated", "has_teams",
            "weight", "perf_ceiling", "players", "is_event", "games", "event", "round", "is_walkover", "finalized_at",
            "amended_at",
        ]  # fmt: skip
        extra_kwargs = {
            "id": {"help_text": _CONTEST_ID},
            "slug": {"help_text": _CONTEST_SLUG},
            "name": {"help_text": _CONTEST_NAME},
            "url": {"help_text": "Address of the contest's own website; empty if it has none."},
            "starts_at": {"help_text": "Start of the contest (UTC); null if unknown."},
            "ends_at": {"help_text": "End of the contest (UTC). Contests are rated in the order in which they end."},
            "is_rated": {
                "help_text": "Whether the contest counts for ratings. False for events, whose games count instead."
            },
            "has_teams": {"help_text": "Whether players took part in teams, whose members share a place."},
            "finalized_at": {"help_text": "When the results became final (UTC)."},
            "amended_at": {"help_text": "When the results were last corrected (UTC); null if never."},
        }


class ScoreSerializer(serializers.Serializer[Any]):
    """A player's row in the score table of an event."""

    place = serializers.IntegerField(min_value=1, help_text="Place by points; ties share the best place.")
    player = PlayerSerializer()
    points = NumberField(help_text="1 for a win, ½ for a draw, and the points given for walkovers and byes.")
    wins = serializers.IntegerField(min_value=0, help_text="Games won, not counting walkovers and byes.")
    draws = serializers.IntegerField(min_value=0, help_text="Games drawn.")
    losses = serializers.IntegerField(min_value=0, help_text="Games lost, not counting walkovers and byes.")
    walkovers = serializers.IntegerField(min_value=0, help_text="Walkovers and byes.")


class StandingSerializer(serializers.ModelSerializer[Standing]):
    """A player's result in a contest."""

    # Declared here, because the limits of the model's integer fields depend on the database.
    rank = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Competition rank (1, 2, 2, 4) among ranked players; null for others."
    )
    place = serializers.IntegerField(
        min_value=1, allow_null=True, help_text="Place among all rows of the original results; null if they gave none."
    )
    player = PlayerSerializer()
    score = NumberField(allow_null=True, help_text="Score in the contest's own unit; null if unknown.")
    penalty = NumberField(
        allow_null=True, help_text="Penalty in the contest's own unit (times are in seconds); null if unknown."
    )
    share = NumberField(
        allow_null=True,
        help_text="Share of the contest that the player took part in, above 0 and below 1; null for all of it.",
    )
    handicap = NumberField(
        allow_null=True, help_text="Advantage in rating points, the same for all members of a team; null for none."
    )
    side = serializers.ChoiceField(
        choices=["", *Side.values], help_text="Colour or home side in a game; empty if unknown."
    )
    status = serializers.ChoiceField(
        choices=StandingStatus.choices, help_text="Whether the player is ranked. Only ranked players are rated."
    )

    class Meta:
        model = Standing
        fields = ["rank", "place", "player", "score", "penalty", "team", "side", "share", "handicap", "status"]
        extra_kwargs = {
            "team": {"help_text": "Name of the team, the same for all its members; empty outside teams."},
        }
