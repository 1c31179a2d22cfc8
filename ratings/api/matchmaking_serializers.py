"""Serializers of matchmaking."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from contests.api.serializers import NumberField, PlayerSerializer
from ratings.display.favored import CLEAR, FAVORABLE

_RUN = "Run that produced these numbers."
_QUALITY = "How close the match would be, from 0 to 1; 1 means equal players whose skills are known exactly."
_FAVORED = [
    ("clearly_a", "side a is clearly favoured"),
    ("a", "side a is favoured"),
    ("even", "neither side is favoured"),
    ("b", "side b is favoured"),
    ("clearly_b", "side b is clearly favoured"),
]
_DRAW = (
    "Probability of a draw, estimated from the ties between players who already had a rating, in all contests of the "
    "series. The estimate is updated at most once a day; 0 if there were no ties, or before the first estimate."
)


class EntrantSerializer(serializers.Serializer[Any]):
    """A player with their rating in the series."""

    player = PlayerSerializer()
    rating = serializers.IntegerField(
        source="points", help_text="Rating as shown on pages; that of a newcomer if the player has none in the series."
    )
    is_rated = serializers.BooleanField(help_text="Whether the player has a rating in the series.")


class SeriesAnswerSerializer(serializers.Serializer[Any]):
    """The series and the run of a response."""

    community = serializers.SlugField(help_text="Slug of the community.")
    series = serializers.SlugField(help_text="Slug of the series, unique in the community.")
    run = serializers.IntegerField(min_value=1, help_text=_RUN)


class MatchPlayerSerializer(EntrantSerializer):
    """A player of a match, with the displayed rating after each result."""

    side = serializers.ChoiceField(choices=["a", "b"], help_text="The player's side.")
    if_a_wins = serializers.IntegerField(help_text="Displayed rating if side a wins.")
    if_draw = serializers.IntegerField(
        allow_null=True, help_text="Displayed rating after a draw; null if `draw_probability` is 0."
    )
    if_b_wins = serializers.IntegerField(help_text="Displayed rating if side b wins.")


class ViewSerializer(serializers.Serializer[Any]):
    """A match judged by season points from one side's point of view, in displayed points."""

    level = serializers.IntegerField(
        help_text="The side's season points plus the threshold of its league; for a team, the mean over its members."
    )
    against = serializers.IntegerField(help_text="Rating of the other side; for a team, the mean over its members.")
    favored = serializers.ChoiceField(
        choices=_FAVORED, help_text="Which side is favoured when `level` is compared with `against`."
    )


class ViewsSerializer(serializers.Serializer[Any]):
    """A match judged by season points, from both sides' points of view."""

    a = ViewSerializer(help_text="The match as side a sees it.")
    b = ViewSerializer(help_text="The match as side b sees it.")


class MatchSerializer(SeriesAnswerSerializer):
    """A match between two sides."""

    win_probability = NumberField(help_text="Probability that side a wins, from 0 to 1.")
    draw_probability = NumberField(help_text=_DRAW)
    loss_probability = NumberField(help_text="Probability that side b wins.")
    match_quality = NumberField(help_text=_QUALITY)
    even_handicap = NumberField(
        allow_null=True,
        help_text="Handicap of side a, in rating points, that would make the match even; negative if "
        "side b needs it, null for ladders.",
    )
    favored = serializers.ChoiceField(
        choices=_FAVORED,
        help_text=f"Which side is favoured: the one with an expected score of at least {FAVORABLE:g}, or of {CLEAR:g} "
        "for “clearly”. A draw counts as half a win.",
    )
    favored_by_points = ViewsSerializer(
        allow_null=True,
        help_text="Which side is favoured if each side's season points are compared with the other side's rating. This "
        "gives one view per side. The two can disagree, because each side's view can favour its opponent. Null without "
        "season points, or before they are computed.",
    )
    players = MatchPlayerSerializer(many=True, help_text="The players of side a, then those of side b.")


class OpponentSerializer(EntrantSerializer):
    """A proposed opponent. All probabilities are from the point of view of the player who is looking for one."""

    match_quality = NumberField(source="quality", help_text=_QUALITY)
    win_probability = NumberField(source="win", help_text="Probability that the player wins, from 0 to 1.")
    draw_probability = NumberField(source="draw", help_text=_DRAW)
    loss_probability = NumberField(source="loss", help_text="Probability that the opponent wins.")
    rating_after_win = serializers.IntegerField(
        source="after_win", help_text="Displayed rating of the player after a win."
    )


class OpponentsSerializer(SeriesAnswerSerializer):
    """The best opponents for a player."""

    player = EntrantSerializer(help_text="The player who is looking for an opponent.")
    results = OpponentSerializer(many=True, help_text="Rated opponents, the closest match first.")


class BoardSerializer(serializers.Serializer[Any]):
    """One match of a round, the player with the higher `mu` first."""

    board = serializers.IntegerField(source="number", min_value=1, help_text="Number of the board, from 1.")
    first = EntrantSerializer(
        help_text="The player with the higher `mu`, which need not be the one with the higher displayed rating."
    )
    second = EntrantSerializer(help_text="The opponent.")
    win_probability = NumberField(source="win", help_text="Probability that the first player wins, from 0 to 1.")
    draw_probability = NumberField(source="draw", help_text=_DRAW)
    loss_probability = NumberField(source="loss", help_text="Probability that the second player wins.")
    match_quality = NumberField(source="quality", help_text=_QUALITY)
    is_rematch = serializers.BooleanField(help_text="Whether the two have met in the games of `met_since` or `met_in`.")


class PairingsSerializer(SeriesAnswerSerializer):
    """The pairings of a round."""

    boards = BoardSerializer(many=True, help_text="The matches, the strongest players first.")
    bye = EntrantSerializer(allow_null=True, help_text="The player without an opponent, if any.")
    waiting = EntrantSerializer(many=True, help_text="Players for whom no one is close enough; only with `max_gap`.")
    mean_quality = NumberField(help_text="Mean match quality of the boards; 0 without any.")


class TeamSerializer(serializers.Serializer[Any]):
    """One of the teams."""

    players = EntrantSerializer(source="members", many=True, help_text="The members, the strongest first.")
    mean_rating = NumberField(source="points", help_text="Mean of the members' displayed ratings.")


class TeamsSerializer(SeriesAnswerSerializer):
    """Players divided into balanced teams."""

    teams = TeamSerializer(many=True, help_text="The teams, in the order of the sizes.")
    match_quality = NumberField(source="quality", help_text="How close the match of all teams would be, from 0 to 1.")
    best_possible = NumberField(
        source="bound", help_text="Upper bound: no split of these players has a better match quality."
    )
    is_best = serializers.BooleanField(help_text="Whether no other split of these players is better.")
