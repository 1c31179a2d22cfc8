"""A match between two sides with what each result would bring, and the best opponents for a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ratings.database import consistent_read
from ratings.derived.draws import draw_rate_of
from ratings.derived.favored import favored_in
from ratings.display.favored import favored
from ratings.queries.comparisons import MAX_PLAYERS, address_of
from ratings.queries.filters import ESTABLISHED, EVERYONE, established_rows, example_players
from ratings.queries.head_to_head import system_of
from ratings.queries.matchmaking import MOST_IN_TEAM, OpponentFilters, opponents_of, prospects_of
from ratings.queries.named_players import NamedPlayers, number_of_names
from ratings.queries.rows import leaders
from web.public.matchmaking.reading import opened, read_players, suggestions, texts_of
from web.public.matchmaking.tags import is_close
from web.shared.params import text_of, whole_number

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player
    from ratings.queries.matchmaking import Entrant, Prospects
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.matchmaking.reading import Answer
    from web.shared.params import SeriesPath

#: The number of opponents on the page.
OPPONENTS_SHOWN = 20
#: Pairs of neighbours on the leaderboard that the page proposes as examples.
EXAMPLES = 4


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A player of a match; each result has the rating change and the rating after it, in displayed points."""

    entrant: Entrant
    is_first: bool
    results: list[tuple[int, int]]


def match(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show how a match between the sides `a` and `b` may end; without them, a form and examples."""
    with consistent_read():
        snapshot, answer = opened(request, at, "match")
        if snapshot.run is not None:
            _answer_match(request, snapshot, answer)
    return render(request, "matchmaking/match.html", answer.context, status=answer.status)


def _answer_match(request: HttpRequest, snapshot: SeriesSnapshot, answer: Answer) -> None:
    sides = [_read_side(request, snapshot, name, answer) for name in ("a", "b")]
    answer.context |= {
        "sides": sides,
        "texts": [_text_of_side(side) for side in sides],
        "unknown": suggestions(request, snapshot, *sides),
        "rates_teams": system_of(snapshot).rates_teams,
    }
    if any(side.unknown for side in sides):
        answer.status = max(answer.status, 404)
    elif all(side.players for side in sides):
        _check_sides(snapshot, sides, answer)
        if not answer.problems:
            first, second = (side.players for side in sides)
            prospects = prospects_of(snapshot, first, second, draw_rate_of(snapshot))
            answer.context |= _match(snapshot, prospects)
            return
    answer.context["examples"] = _examples(snapshot)


def _read_side(request: HttpRequest, snapshot: SeriesSnapshot, name: str, answer: Answer) -> NamedPlayers:
    texts = texts_of(request, name)
    if sum(map(number_of_names, texts)) > 4 * MOST_IN_TEAM:
        problem = _("A side has at most %(most)s players.") % {"most": number_format(MOST_IN_TEAM)}
        answer.refuse(problem)
        texts = []
    return read_players(request, snapshot, texts)


def _text_of_side(side: NamedPlayers) -> str:
    return ", ".join([*(player.handle for player in side.players), *side.unknown])


def _check_sides(snapshot: SeriesSnapshot, sides: list[NamedPlayers], answer: Answer) -> None:
    """Add the reasons why there can't be a match between these sides."""
    players = [player.pk for side in sides for player in side.players]
    if len(set(players)) < len(players):
        answer.refuse(_("A player can’t be on both sides. Choose someone else."))
    if max(len(side.players) for side in sides) > MOST_IN_TEAM:
        answer.refuse(_("A side has at most %(most)s players.") % {"most": number_format(MOST_IN_TEAM)})
    elif len(players) > 2 and not system_of(snapshot).rates_teams:
        answer.refuse(_("The rating system of this series rates individual players only. Enter one on each side."))


def _match(snapshot: SeriesSnapshot, prospects: Prospects) -> dict[str, Any]:
    results = [each for each in (prospects.after_win, prospects.after_draw, prospects.after_loss) if each is not None]
    rows = [
        ResultRow(
            entrant,
            number == 0,
            [(after[number][place] - entrant.points, after[number][place]) for after in results],
        )
        for number, side in enumerate(prospects.sides)
        for place, entrant in enumerate(side)
    ]
    players = [entrant.player for side in prospects.sides for entrant in side]
    rated = [entrant.player for side in prospects.sides for entrant in side if entrant.rating is not None]
    compared = address_of(players, snapshot.series.full_slug)
    ratings = [[entrant.rating for entrant in side] for side in prospects.sides]
    handicap = abs(prospects.handicap or 0.0)
    return {
        "match": prospects,
        "favored": favored_in(snapshot, ratings, prospects.expected),
        "handicap": _short(handicap * (snapshot.displayed_step or 1.0)),
        "internal_handicap": _short(handicap),
        "rows": rows,
        "has_teams": len(players) > 2,
        "newcomers": [player for player in players if player not in rated],
        "compare": f"{reverse('compare')}?{compared}" if len(rated) >= 2 and len(players) <= MAX_PLAYERS else "",
        "is_uncertain": prospects.quality < 0.5 and abs(prospects.win - prospects.loss) < 0.2,
    }


def _short(handicap: float) -> float:
    """Round a handicap to whole points, or to tenths on a small scale such as that of TrueSkill."""
    return round(handicap) if handicap >= 20 else round(handicap, 1)


def _examples(snapshot: SeriesSnapshot) -> list[tuple[Any, Any]]:
    """Return pairs of neighbours from different parts of the leaderboard's default list."""
    index, rows = snapshot.index, established_rows(snapshot)
    players = index.player_ids[rows] if len(rows) else index.player_ids
    last = len(players) - 1
    if last < 1:
        return []
    firsts = sorted({min(round(last * share), last - 1) for share in (0.0, 0.1, 0.3, 0.6)})[:EXAMPLES]
    ids = [int(players[row + step]) for row in firsts for step in (0, 1)]
    found = {row.rating.player_id: row for row in leaders(snapshot, ids)}
    return [(found[a], found[b]) for a, b in zip(ids[::2], ids[1::2], strict=True) if a in found and b in found]


def opponents(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the best opponents for a player; without one, a form and examples."""
    with consistent_read():
        snapshot, answer = opened(request, at, "opponents")
        if snapshot.run is not None:
            _answer_opponents(request, snapshot, answer)
    return render(request, "matchmaking/opponents.html", answer.context, status=answer.status)


def _answer_opponents(request: HttpRequest, snapshot: SeriesSnapshot, answer: Answer) -> None:
    text = text_of(request, "player")
    named = read_players(request, snapshot, [text])
    is_choice = len(established_rows(snapshot)) > 0
    filters = OpponentFilters(
        established=is_choice and text_of(request, "show") != EVERYONE,
        active_days=whole_number(text_of(request, "active"), _("“Active in the last … days”"), answer.problems),
        unmet_days=whole_number(text_of(request, "unmet"), _("“Not met in the last … days”"), answer.problems),
    )
    if answer.problems:
        answer.status = 400
    if named.unknown or len(named.players) > 1:
        answer.status = 404
    player = named.players[0] if len(named.players) == 1 and not named.unknown else None
    unknown = named if named.unknown else NamedPlayers(unknown=[text])
    answer.context |= {
        "text": text,
        "filters": filters,
        "active": text_of(request, "active")[:12],
        "unmet": text_of(request, "unmet")[:12],
        "is_choice": is_choice,
        "show": ESTABLISHED if filters.established else EVERYONE,
        "unknown": suggestions(request, snapshot, unknown) if text and player is None else [],
    }
    if player is None:
        answer.context["examples"] = _best(snapshot)
    else:
        answer.context |= _opponents(snapshot, player, filters)


def _opponents(snapshot: SeriesSnapshot, player: Player, filters: OpponentFilters) -> dict[str, Any]:
    own, found = opponents_of(snapshot, player, filters, OPPONENTS_SHOWN, draw_rate_of(snapshot))
    return {
        "own": own,
        "found": [(opponent, opponent.after_win - own.points) for opponent in found],
        "has_draws": any(opponent.draw for opponent in found),
        "has_close": any(is_close(one.quality, favored(one.win + one.draw / 2)) for one in found),
    }


def _best(snapshot: SeriesSnapshot) -> list[Any]:
    """Return players from the top and from the middle of the leaderboard's default list."""
    best, middle = example_players(snapshot, 3)
    return [*best, *middle]
