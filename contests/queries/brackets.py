"""The bracket of a knock-out event: its matches by round, each above the match that its winner plays next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from contests.queries.games import plain_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Contest, Player
    from contests.queries.games import GameRow

#: The least number of players for a bracket, and for one without named rounds: fewer could form one by chance.
LEAST_PLAYERS, LEAST_WITHOUT_ROUNDS = 4, 8
#: Names of the round that decides an event, in lower case.
FINALS = ("final", "finals", "the final", "grand final", "finale", "endspiel")
#: Events with more games are not searched for a bracket.
MOST_GAMES = 100


@dataclass(slots=True)
class MatchSide:
    """One player of a match, with the score in words."""

    player: Player
    is_winner: bool
    score: str


@dataclass(slots=True)
class Match:
    """
    The games between the same two players that decide who goes on.

    points
        Of each player, by id, in the order of the first game.
    """

    games: list[GameRow]
    players: list[Player]
    points: dict[int, float] = field(default_factory=dict)

    @property
    def contest(self) -> Contest:
        """The game to which the match links: the last one."""
        return self.games[-1].contest

    @property
    def winner(self) -> Player | None:
        """The player with more points; None after a tie."""
        one, other = self.players
        difference = self.points[one.pk] - self.points[other.pk]
        return None if not difference else one if difference > 0 else other

    @property
    def loser(self) -> Player | None:
        """The player with fewer points; None after a tie."""
        winner = self.winner
        return None if winner is None else self.players[self.players[0] == winner]

    @property
    def sides(self) -> list[MatchSide]:
        """The players in the order of the first game, with the score of a single game or the points of several."""
        winner = self.winner
        return [
            MatchSide(player, player == winner, score)
            for player, score in zip(self.players, self._scores(), strict=True)
        ]

    def _scores(self) -> list[str]:
        if len(self.games) > 1:
            return [plain_points(self.points[player.pk]) for player in self.players]
        game = self.games[0]
        if game.contest.is_walkover:
            return ["+" if side.points else "−" for side in game.sides]
        scores = [side.standings[0].score for side in game.sides]
        return [
            plain_points(side.points if None in scores else score or 0.0)
            for side, score in zip(game.sides, scores, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class BracketRound:
    """A round with its matches from top to bottom; None where a player had no opponent."""

    name: str
    matches: list[Match | None]


@dataclass(frozen=True, slots=True)
class Bracket:
    """
    A knock-out event, its first round first.

    third
        The match of the two who lost the semifinals, if they played one.
    """

    rounds: list[BracketRound]
    third: Match | None

    @property
    def final(self) -> Match:
        """The match that decided the knock-out."""
        found = self.rounds[-1].matches[0]
        assert found is not None
        return found

    @property
    def champion(self) -> Player:
        """The winner of the final."""
        winner = self.final.winner
        assert winner is not None
        return winner

    def podium(self) -> list[tuple[int, list[Player]]]:
        """Return the players of the first three places; both semifinal losers share the third if no match decided
        it."""
        steps: list[tuple[int, list[Player | None]]] = [(1, [self.champion]), (2, [self.final.loser])]
        if self.third is not None:
            steps.append((3, [self.third.winner]))
        else:
            steps.append((3, [match.loser for match in self.rounds[-2].matches if match is not None]))
        return [(rank, [player for player in players if player is not None]) for rank, players in steps]


def bracket_of(games: Sequence[GameRow]) -> Bracket | None:
    """
    Return the bracket of all games of an event, in their order; None if they are not a knock-out of single players.

    In a knock-out, everyone but the winner loses exactly one match, their last one. The two who lost the semifinals may
    play for the third place.
    """
    matches = _matches(games)
    if matches is None:
        return None
    third = _take_third(matches)
    players = {player.pk for match in matches for player in match.players}
    has_rounds = all(match.contest.round for match in matches)
    if len(players) < (LEAST_PLAYERS if has_rounds else LEAST_WITHOUT_ROUNDS) or len(matches) != len(players) - 1:
        return None
    out: set[int] = set()
    for match in matches:
        loser = match.loser
        if loser is None or not out.isdisjoint(player.pk for player in match.players):
            return None
        out.add(loser.pk)
    # A bracket of n players has about log2(n) rounds; a chain of challengers is not a bracket.
    most = len(players).bit_length()
    levels = _levels(matches, most + 1)
    if not 2 <= len(levels) <= most:
        return None
    rounds = [BracketRound(_name(level, row), row) for level, row in enumerate(levels)]
    return Bracket(rounds[::-1], third)


def final_of(games: Sequence[GameRow]) -> Match | None:
    """Return the match that these games of a round named as the final make up; None if they are several, or drawn."""
    matches = _matches(games) or []
    return matches[0] if len(matches) == 1 and matches[0].winner is not None else None


def _matches(games: Sequence[GameRow]) -> list[Match] | None:
    """Return the matches, None if a game is not between two single players; byes are not matches."""
    found: list[Match] = []
    last: dict[int, Match] = {}
    for game in games:
        if game.is_bye:
            continue
        if len(game.sides) != 2 or any(len(side.standings) != 1 for side in game.sides):
            return None
        one, other = (side.players[0] for side in game.sides)
        match = last.get(one.pk)
        if match is None or match is not last.get(other.pk):
            match = last[one.pk] = last[other.pk] = Match([], [one, other], {one.pk: 0.0, other.pk: 0.0})
            found.append(match)
        match.games.append(game)
        for player, side in zip((one, other), game.sides, strict=True):
            match.points[player.pk] += side.points
    return found


def _take_third(matches: list[Match]) -> Match | None:
    """Take out the match for the third place: one of the last two, between players who lost to the finalists."""
    for match in matches[-2:]:
        ids = {player.pk for player in match.players}
        earlier = [each for each in matches if each is not match]
        lost = [each for each in earlier if (loser := each.loser) is not None and loser.pk in ids]
        finalists = {player.pk for player in earlier[-1].players} if earlier else set()
        beaten_by = {each.winner.pk for each in lost if each.winner is not None}
        if match.winner is not None and len(lost) == 2 and beaten_by == finalists:
            matches.remove(match)
            return match
    return None


def _levels(matches: Sequence[Match], most: int) -> list[list[Match | None]]:
    """
    Return the matches by round, the final first, each row in the order of the row before it.

    Stop after `most` rounds, because each row is twice as long as the row before it.
    """
    place = {id(match): number for number, match in enumerate(matches)}
    row: list[Match | None] = [matches[-1]]
    levels: list[list[Match | None]] = []
    while len(levels) < most and any(match is not None for match in row):
        levels.append(row)
        row = [before for match in row for before in _before(match, matches, place)]
    return levels


def _before(match: Match | None, matches: Sequence[Match], place: dict[int, int]) -> list[Match | None]:
    """Return the match that each player of a match won before it, None if there is none."""
    if match is None:
        return [None, None]
    earlier = matches[: place[id(match)]]
    return [next((each for each in reversed(earlier) if each.winner == player), None) for player in match.players]


def _name(level: int, row: Sequence[Match | None]) -> str:
    """Return the name of a round: that of the file if it is in words, else by the number of rounds to the final."""
    named = {match.contest.round for match in row if match is not None}
    name = named.pop() if len(named) == 1 else ""
    if name and any(character.isalpha() for character in name):
        return name
    if level == 0:
        return _("Final")
    if level == 1:
        return _("Semifinals")
    if level == 2:
        return _("Quarterfinals")
    return _("Round of %(number)d") % {"number": 2 ** (level + 1)}
