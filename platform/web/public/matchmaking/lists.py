"""Lists of players: the pairings of the next round, and balanced teams, as pages to print and as CSV files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ratings.database import consistent_read
from ratings.derived.draws import draw_rate_of
from ratings.queries.named_players import number_of_names
from ratings.queries.rounds import MOST_LISTED, RoundOptions, divide, even_sizes, next_round
from web.public.matchmaking.reading import opened, read_contest, read_day, read_list, read_players, texts_of
from web.shared.csv_files import csv_file
from web.shared.params import cut, text_of, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from ratings.queries.rounds import Division, NextRound
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.matchmaking.reading import Answer, PlayerList
    from web.shared.params import SeriesPath

#: Sizes of teams, separated by anything that is not a digit.
_SIZES = re.compile(r"\d{1,4}([^\d]+\d{1,4})*", re.ASCII)
_LARGEST_GAP = 1_000_000


def pairings(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the pairings of the next round for a list of players."""
    with consistent_read():
        snapshot, answer = opened(request, at, "pairings")
        answer.context["round"] = _pairings(request, snapshot, answer)
    return render(request, "matchmaking/pairings.html", answer.context, status=answer.status)


def _pairings(request: HttpRequest, snapshot: SeriesSnapshot, answer: Answer) -> NextRound | None:
    if snapshot.run is None:
        return None
    listed = read_list(request, snapshot, answer)
    options = _read_options(request, snapshot, listed, answer)
    if listed.is_empty or answer.problems:
        return None
    return next_round(snapshot, listed.named.players, options, draw_rate_of(snapshot))


def _read_options(request: HttpRequest, snapshot: SeriesSnapshot, listed: PlayerList, answer: Answer) -> RoundOptions:
    gap = whole_number(text_of(request, "gap"), _("“Maximum rating gap”"), answer.problems, most=_LARGEST_GAP)
    widen = whole_number(text_of(request, "widen"), _("“Extra gap for each round waited”"), answer.problems)
    if answer.problems:
        answer.status = max(answer.status, 400)
    options = RoundOptions(
        met_since=read_day(request, "met_since", answer),
        met_in=read_contest(request, snapshot, "met_in", answer),
        byes=_read_times(request, snapshot, "byes", listed, answer),
        waited=_read_times(request, snapshot, "waited", listed, answer),
        max_gap=gap,
        widening=widen or 0,
    )
    names = ("met_since", "met_in", "byes", "waited", "gap", "widen")
    texts = {name: "\n".join(texts_of(request, name))[:4000] for name in names}
    answer.context |= {"options": options, "texts": texts, "has_options": any(text.strip() for text in texts.values())}
    return options


def _read_times(
    request: HttpRequest, snapshot: SeriesSnapshot, name: str, listed: PlayerList, answer: Answer
) -> dict[int, int]:
    """Return how often a parameter names each player of the list, by player id; others are problems."""
    texts = texts_of(request, name)
    if sum(map(number_of_names, texts)) > 4 * MOST_LISTED:
        answer.refuse(_("The list of players who had a bye or waited is too long. Shorten it."))
        return {}
    named = read_players(request, snapshot, texts) if any(text.strip() for text in texts) else None
    if named is None:
        return {}
    on_list = {player.pk for player in listed.named.players}
    strangers = [*named.unknown, *(player.handle for player in named.players if player.pk not in on_list)]
    if strangers:
        problem = _("“%(handle)s” had a bye or waited, but isn’t on the list of players. Correct or remove the name.")
        answer.refuse(problem % {"handle": cut(strangers[0])})
    return named.times


def teams(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Divide a list of players into balanced teams."""
    with consistent_read():
        snapshot, answer = opened(request, at, "teams")
        answer.context["division"] = _teams(request, snapshot, answer)
    return render(request, "matchmaking/teams.html", answer.context, status=answer.status)


def _teams(request: HttpRequest, snapshot: SeriesSnapshot, answer: Answer) -> Division | None:
    if snapshot.run is None:
        return None
    listed = read_list(request, snapshot, answer)
    sizes_text = text_of(request, "sizes")
    asked = whole_number(text_of(request, "teams"), _("“Number of teams”"), answer.problems, most=MOST_LISTED)
    if answer.problems:
        answer.status = max(answer.status, 400)
    number = asked or 2
    answer.context |= {"sizes": sizes_text, "number": number}
    if listed.is_empty or answer.problems:
        return None
    players = listed.named.players
    sizes = _sizes(sizes_text, players, answer) if sizes_text else even_sizes(len(players), number)
    if not answer.problems and (len(sizes) < 2 or min(sizes) < 1):
        answer.refuse(_("Enter at least two teams, and no more teams than players."))
    if answer.problems:
        return None
    division = divide(snapshot, players, sizes)
    means = [team.points for team in division.teams]
    answer.context["spread"] = max(means) - min(means)
    return division


def _sizes(text: str, players: Sequence[object], answer: Answer) -> list[int]:
    """Return the entered sizes of teams."""
    if not _SIZES.fullmatch(text):
        answer.refuse(_("Enter the sizes of the teams as numbers, such as “3, 3, 2”, not “%s”.") % cut(text))
        return []
    sizes = [int(number) for number in re.findall(r"\d+", text, re.ASCII)]
    if sum(sizes) != len(players):
        numbers = {"sum": number_format(sum(sizes)), "players": number_format(len(players))}
        problem = _("The sizes of the teams add up to %(sum)s, but the number of players is %(players)s.")
        answer.refuse(problem % numbers)
    return sizes


def pairings_csv(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return the pairings as CSV, or the page if it has a problem to show."""
    with consistent_read():
        snapshot, answer = opened(request, at, "pairings")
        found = _pairings(request, snapshot, answer)
    if found is None:
        return pairings(request, at)
    header = [
        "kind", "board", "player_a", "rating_a", "player_b", "rating_b", "win_a", "draw", "win_b", "quality", "rematch",
    ]  # fmt: skip
    games = [
        ["game", board.number, board.first.player.handle, board.first.points, board.second.player.handle,
         board.second.points, *(round(each, 4) for each in (board.win, board.draw, board.loss, board.quality)),
         int(board.is_rematch)]
        for board in found.boards
    ]  # fmt: skip
    alone = [("bye", found.bye)] if found.bye else []
    alone += [("waiting", entrant) for entrant in found.waiting]
    rest = [[kind, "", entrant.player.handle, entrant.points, *[""] * 7] for kind, entrant in alone]
    return csv_file([header, *games, *rest], f"{snapshot.series.slug}-pairings")


def teams_csv(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return the teams as CSV, or the page if it has a problem to show."""
    with consistent_read():
        snapshot, answer = opened(request, at, "teams")
        found = _teams(request, snapshot, answer)
    if found is None:
        return teams(request, at)
    rows = [[team.number, member.player.handle, member.points] for team in found.teams for member in team.members]
    return csv_file([["team", "player", "rating"], *rows], f"{snapshot.series.slug}-teams")
