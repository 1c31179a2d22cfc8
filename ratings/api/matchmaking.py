"""API resources: the prospects of a match, the best opponents, the pairings of a round, and balanced teams."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response

from contests.api.base import TrueFalseField
from contests.api.lookups import missing, readable_players, readable_series
from contests.handles import printable
from contests.models import Contest
from contests.whole_numbers import MAX_ID
from ratings.api.base import RatingsView
from ratings.api.matchmaking_serializers import (
    MatchSerializer,
    OpponentsSerializer,
    PairingsSerializer,
    TeamsSerializer,
)
from ratings.derived.draws import draw_rate_of
from ratings.derived.favored import favored_in
from ratings.queries.filters import LARGEST
from ratings.queries.head_to_head import system_of
from ratings.queries.matchmaking import MOST_IN_TEAM, OpponentFilters, games_of, opponents_of, prospects_of
from ratings.queries.named_players import named_players, number_of_names
from ratings.queries.rounds import MOST_LISTED, RoundOptions, divide, even_sizes, next_round, players_of
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rest_framework.request import Request

    from contests.models import Player
    from ratings.queries.matchmaking import Entrant, Prospects
    from ratings.queries.snapshot import SeriesSnapshot

_LIST = "Handles, separated by commas or line breaks. Use `player` for handles that contain commas."
#: Unknown handles that an error names.
_MOST_UNKNOWN = 20
_NO_ONE = "Name at least one player."


class _MatchmakingView(RatingsView):
    """A resource about players of one series."""

    repeatable = ("players", "player", "byes", "waited")

    def snapshot(self, community: str, slug: str) -> SeriesSnapshot:
        """Return the snapshot of the series; NotFound if the client can't read it or nothing is rated yet."""
        snapshot = snapshot_of(readable_series(self.reader, community, slug))
        if snapshot.run is None:
            raise NotFound("No player is rated in this series yet.")
        return snapshot

    def texts(self, name: str) -> list[str]:
        """Return the values of a parameter that may be repeated."""
        texts = [text for text in self.request.query_params.getlist(name) if text.strip()]
        if any("\0" in text for text in texts):
            raise ValidationError({name: ["Null characters are not allowed."]})
        return texts

    def players(
        self, snapshot: SeriesSnapshot, name: str, most: int, *, exact: Sequence[str] = ()
    ) -> tuple[list[Player], dict[int, int]]:
        """
        Return the players whom a parameter names and how often it names each; NotFound for unknown names.

        exact
            Handles from another parameter.
        """
        texts = self.texts(name)
        if sum(map(number_of_names, texts)) + len(exact) > 4 * most:
            raise ValidationError({name: [_at_most(most)]})
        community = snapshot.series.community_id
        named = named_players(texts, readable_players(self.reader), community, self.reader, exact=exact)
        if named.unknown:
            *others, last = [f"“{printable(text)[:128]}”" for text in named.unknown[:_MOST_UNKNOWN]]
            listed = f"{', '.join(others)} or {last}" if others else last
            raise missing(self.reader, f"player {listed} in the community “{community}”")
        if len(named.players) > most:
            raise ValidationError({name: [_at_most(most)]})
        return named.players, named.times

    def contest(self, snapshot: SeriesSnapshot, name: str) -> Contest | None:
        """Return the contest, event or game of the series whose id a parameter has."""
        pk = self.asked.get(name)
        if pk is None:
            return None
        contest = Contest.objects.finalized().filter(series=snapshot.series, pk=pk).first()
        if contest is None:
            raise missing(self.reader, f"contest, event or game with the id {pk} in this series")
        return contest

    def listed_players(self, snapshot: SeriesSnapshot) -> list[Player]:
        """Return the players of `players`, `player` and `event`, at least two."""
        named, _ = self.players(snapshot, "players", MOST_LISTED, exact=self.texts("player"))
        event = self.contest(snapshot, "event")
        others = players_of(event) if event is not None else []
        players = list({player.pk: player for player in [*named, *others]}.values())
        if not 2 <= len(players) <= MOST_LISTED:
            # A contest with more players is not read to its end.
            number = f"not {len(players)}" if len(players) < 2 else "not more"
            raise ValidationError({"players": [f"Name 2 to {MOST_LISTED} players, {number}."]})
        return players


def _at_most(most: int) -> str:
    return "Name only one player." if most == 1 else f"Name at most {most} players."


def _about(snapshot: SeriesSnapshot) -> dict[str, Any]:
    assert snapshot.run is not None
    return {
        "community": snapshot.series.community_id,
        "series": snapshot.series.slug,
        "run": snapshot.run.number,
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    return {"player": entrant.player, "points": entrant.points, "is_rated": entrant.is_rated}


def _handles(name: str, description: str, *, required: bool = False) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, many=True, required=required, description=description)


_SIDE = (
    f"Side {{}}: one handle, or up to {MOST_IN_TEAM} separated by commas. "
    "You can also repeat the parameter for each player."
)
_ONE = _handles("player", "One exact handle. Repeat the parameter for more players.")


class Match(_MatchmakingView):
    """The prospects of a match."""

    other_names = ("a", "b")

    @extend_schema(
        operation_id="getMatch",
        tags=["matchmaking"],
        parameters=[_handles(side, _SIDE.format(side), required=True) for side in "ab"],
        responses=MatchSerializer,
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Predict a match.

        Returns the probabilities of a win, a draw and a loss, the quality of the match, and the displayed rating of
        each player after each result. Sides with several players require a rating system that rates teams. Players
        without a rating in the series count as newcomers. Nothing is stored.
        """
        snapshot = self.snapshot(community, slug)
        first, second = (self._side(snapshot, name) for name in ("a", "b"))
        if missing_sides := {name: [_NO_ONE] for name, side in (("a", first), ("b", second)) if not side}:
            raise ValidationError(missing_sides)
        if {player.pk for player in first} & {player.pk for player in second}:
            raise ValidationError({"b": ["A player can't be on both sides."]})
        system = system_of(snapshot)
        if not system.rates_teams and len(first) + len(second) > 2:
            name = "a" if len(first) > 1 else "b"
            raise ValidationError({name: [f"{system.name} rates individual players only: name one on each side."]})
        prospects = prospects_of(snapshot, first, second, draw_rate_of(snapshot))
        return Response(
            MatchSerializer(
                {**_about(snapshot), **_prospects(snapshot, prospects)}, context=self.get_serializer_context()
            ).data
        )

    def _side(self, snapshot: SeriesSnapshot, name: str) -> list[Player]:
        """Return the players of a side, each of whom must be named once."""
        players, times = self.players(snapshot, name, MOST_IN_TEAM)
        for player in players:
            if times[player.pk] > 1:
                raise ValidationError({name: [f"“{printable(player.handle)}” is named more than once."]})
        return players


def _prospects(snapshot: SeriesSnapshot, match: Prospects) -> dict[str, Any]:
    rows = [
        {
            **_entrant(entrant),
            "side": "ab"[number],
            "if_a_wins": match.after_win[number][place],
            "if_draw": match.after_draw[number][place] if match.after_draw is not None else None,
            "if_b_wins": match.after_loss[number][place],
        }
        for number, side in enumerate(match.sides)
        for place, entrant in enumerate(side)
    ]
    ratings = [[entrant.rating for entrant in side] for side in match.sides]
    favor = favored_in(snapshot, ratings, match.expected)
    return {
        "win_probability": match.win,
        "draw_probability": match.draw,
        "loss_probability": match.loss,
        "match_quality": match.quality,
        "even_handicap": match.handicap,
        "favored": favor.by_chances,
        "favored_by_points": dict(zip("ab", favor.views, strict=True)) if favor.views is not None else None,
        "players": rows,
    }


class OpponentsParameters(serializers.Serializer[Any]):
    """Parameters of the best opponents."""

    player = serializers.CharField(max_length=400, help_text="Handle of the player who is looking for an opponent.")
    established = TrueFalseField(
        default=False,
        help_text="Only propose established and active players, as pages do by default if there are ten or more of "
        "them.",
    )
    active_days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Only propose players whose last rated contest ended at most this many days before the newest one.",
    )
    unmet_days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST,
        help_text="Leave out opponents whom the player met in a game at most this many days before the newest contest.",
    )
    count = serializers.IntegerField(default=10, min_value=1, max_value=100, help_text="Maximum number of opponents.")


class Opponents(_MatchmakingView):
    """The best opponents for a player."""

    parameters = (OpponentsParameters,)

    @extend_schema(
        operation_id="listOpponents",
        tags=["matchmaking"],
        parameters=[OpponentsParameters],
        responses=OpponentsSerializer,
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        List the best opponents for a player.

        Returns the rated players of the series who would make the closest matches, best first.
        """
        snapshot, asked = self.snapshot(community, slug), self.asked
        players, _ = self.players(snapshot, "player", 1)
        if not players:
            raise ValidationError({"player": [_NO_ONE]})
        filters = OpponentFilters(asked["established"], asked.get("active_days"), asked.get("unmet_days"))
        own, found = opponents_of(snapshot, players[0], filters, asked["count"], draw_rate_of(snapshot))
        rows = [
            {
                **_entrant(one.entrant),
                "quality": one.quality,
                "win": one.win,
                "draw": one.draw,
                "loss": one.loss,
                "after_win": one.after_win,
            }
            for one in found
        ]
        return Response(
            OpponentsSerializer(
                {**_about(snapshot), "player": own, "results": rows}, context=self.get_serializer_context()
            ).data
        )


class ListParameters(serializers.Serializer[Any]):
    """Parameters that list players."""

    players = serializers.CharField(default="", allow_blank=True, help_text=_LIST)
    event = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_ID,
        help_text="Add all players of this event, contest or game, by its id.",
    )


class PairingsParameters(ListParameters):
    """Parameters of pairings."""

    met_since = serializers.DateField(required=False, help_text="Avoid pairs that met in games since this day (UTC).")
    met_in = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, help_text="Avoid pairs that met in games of this event."
    )
    byes = serializers.CharField(
        default="", allow_blank=True, help_text="Handles of players who had a bye, once for each bye."
    )
    waited = serializers.CharField(
        default="", allow_blank=True, help_text="Handles of players who waited, once for each round."
    )
    max_gap = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Largest difference between two displayed ratings. Players wait if no one is close enough.",
    )
    widening = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=1_000_000,
        help_text="Displayed points by which `max_gap` grows for each round that a player has waited.",
    )


class Pairings(_MatchmakingView):
    """The pairings of a round."""

    parameters = (PairingsParameters,)
    other_names = ("player",)

    @extend_schema(
        operation_id="getPairings",
        tags=["matchmaking"],
        parameters=[PairingsParameters, _ONE],
        responses=PairingsSerializer,
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Pair players for the next round.

        Returns the pairings with the fewest possible rematches. If several have equally few, returns those with the
        best total match quality. Name 2 to 200 players in `players`, `player` or `event`. Players without a rating in
        the series count as newcomers.
        """
        snapshot, asked = self.snapshot(community, slug), self.asked
        players = self.listed_players(snapshot)
        if asked["widening"] and "max_gap" not in asked:
            raise ValidationError({"widening": ["Set `max_gap` too: it is the gap that grows."]})
        day = asked.get("met_since")
        options = RoundOptions(
            met_since=datetime.combine(day, time.min, tzinfo=UTC) if day else None,
            met_in=self._met_in(snapshot),
            byes=self._times(snapshot, "byes", players),
            waited=self._times(snapshot, "waited", players),
            max_gap=asked.get("max_gap"),
            widening=asked["widening"],
        )
        found = next_round(snapshot, players, options, draw_rate_of(snapshot))
        numbers = {name: getattr(found, name) for name in ("boards", "bye", "waiting", "mean_quality")}
        return Response(PairingsSerializer({**_about(snapshot), **numbers}, context=self.get_serializer_context()).data)

    def _met_in(self, snapshot: SeriesSnapshot) -> Contest | None:
        contest = self.contest(snapshot, "met_in")
        if contest is not None and not contest.is_event and not games_of(snapshot).filter(pk=contest.pk).exists():
            raise ValidationError({"met_in": ["This contest is neither an event nor a game."]})
        return contest

    def _times(self, snapshot: SeriesSnapshot, name: str, players: Sequence[Player]) -> dict[int, int]:
        """Return how often a parameter names each of the players of the round, who are the only ones it may name."""
        named, times = self.players(snapshot, name, MOST_LISTED)
        for player in named:
            if player not in players:
                raise ValidationError({name: [f"“{printable(player.handle)}” is not among the players to pair."]})
        return times


class TeamsParameters(ListParameters):
    """Parameters of balanced teams."""

    teams = serializers.IntegerField(
        default=2, min_value=2, max_value=MOST_LISTED, help_text="Number of teams, whose sizes differ by at most one."
    )
    sizes = serializers.RegexField(
        r"^([0-9]{1,3}(,[0-9]{1,3}){1,199})?\Z",
        default="",
        allow_blank=True,
        error_messages={"invalid": "Write the sizes of two or more teams, separated by commas, such as 3,3,2."},
        help_text="Sizes of the teams, separated by commas, instead of `teams`.",
    )


class Teams(_MatchmakingView):
    """Balanced teams."""

    parameters = (TeamsParameters,)
    other_names = ("player",)

    @extend_schema(
        operation_id="getTeams",
        tags=["matchmaking"],
        parameters=[TeamsParameters, _ONE],
        responses=TeamsSerializer,
    )
    def get(self, request: Request, community: str, slug: str) -> Response:
        """
        Divide players into balanced teams.

        Returns the split whose teams have the best match quality. If there are too many splits to try all of them,
        returns a good one, and `best_possible` is an upper bound on the match quality of any split. Name 2 to 200
        players in `players`, `player` or `event`.
        """
        snapshot, asked = self.snapshot(community, slug), self.asked
        players = self.listed_players(snapshot)
        if asked["sizes"]:
            sizes = [int(size) for size in asked["sizes"].split(",")]
            if min(sizes) < 1 or sum(sizes) != len(players):
                problem = f"The sizes add up to {sum(sizes)}, but there are {len(players)} players."
                raise ValidationError({"sizes": [problem if min(sizes) else "A team needs at least one player."]})
            if "teams" in request.query_params and asked["teams"] != len(sizes):
                raise ValidationError({"teams": [f"`sizes` has {len(sizes)} teams. Leave out one of the two."]})
        elif asked["teams"] > len(players):
            raise ValidationError({"teams": [f"There are only {len(players)} players."]})
        else:
            sizes = even_sizes(len(players), asked["teams"])
        division = divide(snapshot, players, sizes)
        numbers = {name: getattr(division, name) for name in ("teams", "quality", "bound", "is_best")}
        return Response(TeamsSerializer({**_about(snapshot), **numbers}, context=self.get_serializer_context()).data)
