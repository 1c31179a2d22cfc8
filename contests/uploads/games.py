"""The review of a file of games: games that the series already has, and players who would play against themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.formats.base import Problem
from contests.handles import handle_key, printable
from contests.ranking import competition_ranks
from contests.services.describing import future_day_warning, is_in_future
from contests.services.games import ends_of, known_games
from contests.services.similar_games import similar_games
from contests.uploads.review import GameCounts
from contests.wording import day_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from contests.formats.base import ParsedContest, Report
    from contests.services.games import KnownGame
    from contests.uploads.staging import Staged


def review_games(
    staged: Staged, parsed: ParsedContest, players: Mapping[str, int | None], report: Report
) -> GameCounts:
    """
    Return the numbers of games, and report games that cannot be saved or are left out.

    players
        The player of each handle of the file, by key; None for a new one.
    """
    keys = cache(handle_key)
    for game in parsed.games:
        _check_sides(game, players, keys, report)
    ids = {key: player for key, player in players.items() if player is not None}
    known = known_games(staged.series_id, parsed.games, ids, keys, besides=staged.contest_id)
    for i, found in known.items():
        warn_of_known(parsed.games[i], found, report)
    if known and len(known) == len(parsed.games):
        report.add(Problem(gettext("The series already has all games of this file. There is nothing to save.")))
    else:
        _warn_of_similar(staged, parsed, ids, keys, known, report)
    _warn_of_future((game for i, game in enumerate(parsed.games) if i not in known), report)
    has_dates = any(game.ends_at is not None for game in parsed.games)
    days = sorted({end.date() for end in ends_of(parsed.games, staged.contest_id) if end is not None})
    return GameCounts(
        total=len(parsed.games),
        known=len(known),
        walkovers=sum(1 for game in parsed.games if game.game is not None and game.game.is_walkover),
        draws=sum(1 for game in parsed.games if len(game.ranks) > 1 and set(game.ranks) == {1}),
        first=f"{days[0]:%Y-%m-%d}" if days else "",
        last=f"{days[-1]:%Y-%m-%d}" if days else "",
        has_dates=has_dates,
    )


def _check_sides(
    game: ParsedContest, players: Mapping[str, int | None], keys: Callable[[str], str], report: Report
) -> None:
    """Report a game in which two names mean the same player."""
    seen: dict[int, str] = {}
    for row in game.standings:
        player = players.get(keys(row.handle))
        if player is None:
            continue
        if player in seen:
            report.add(
                Problem(
                    gettext(
                        "In this game, “%(one)s” and “%(other)s” are the same player under two names. Choose another "
                        "player below for one of them, or delete the game."
                    )
                    % {"one": printable(seen[player]), "other": printable(row.handle)},
                    row=row.row,
                    value=printable(game.name),
                )
            )
        seen[player] = row.handle


def _warn_of_similar(
    staged: Staged,
    parsed: ParsedContest,
    ids: Mapping[str, int],
    keys: Callable[[str], str],
    known: Mapping[int, KnownGame],
    report: Report,
) -> None:
    """Warn of games that the series probably has with another result or day: a later version of a file, for example."""
    games = [game for i, game in enumerate(parsed.games) if i not in known]
    found = similar_games(
        staged.series_id, games, ends_of(games, staged.contest_id), ids, keys, besides=staged.contest_id,
        left_out={each.contest_id for each in known.values()},
    )  # fmt: skip
    for i, ends_at in found.items():
        text = gettext(
            "The series already has a game between these players with the same date or round as this row, played on "
            "%(day)s. If the two are the same game, leave this row out and correct the existing game. Otherwise, both "
            "count."
        )
        details = games[i].game
        row = details.row if details else None
        report.add(Problem(text % {"day": day_in_words(ends_at)}, "warning", row=row, value=printable(games[i].name)))


def in_order(parsed: ParsedContest, players: Sequence[int | None]) -> tuple[ParsedContest, list[int]]:
    """
    Return the table of a contest as it will be saved, and the positions of its rows, best place first.

    In the score table of an event, a player who has several names in the file has one row, with all of the points.
    """
    rows = list(range(len(players)))
    if parsed.games:
        first: dict[object, int] = {}
        points: dict[int, float] = {}
        for i, (row, player) in enumerate(zip(parsed.standings, players, strict=True)):
            # A new player has one name, so the position tells new players apart.
            at = first.setdefault(("new", i) if player is None else player, i)
            points[at] = points.get(at, 0.0) + (row.score or 0.0)
        if len(points) < len(rows):
            ranks = dict(zip(points, competition_ranks(list(points.values()), [0.0] * len(points)), strict=True))
            standings = [row._replace(score=points.get(i)) for i, row in enumerate(parsed.standings)]
            parsed = replace(parsed, standings=standings, ranks=[ranks.get(i) for i in rows])
            rows = list(points)
    return parsed, sorted(rows, key=lambda i: (parsed.ranks[i] is None, parsed.ranks[i] or 0, i))


def _warn_of_future(games: Iterable[ParsedContest], report: Report) -> None:
    """Warn of games with a date in the future."""
    for game in games:
        if game.ends_at is not None and is_in_future(game.ends_at):
            row = game.game.row if game.game is not None else None
            text = future_day_warning(game.ends_at.date())
            report.add(Problem(text, "warning", row=row, value=printable(game.name)))


def warn_of_known(game: ParsedContest, found: KnownGame, report: Report) -> None:
    """Warn that a game is left out because the series already has it, maybe with a corrected result."""
    if found.is_changed:
        what = gettext(
            "This game is already in the series, and its result has since been corrected there, so this "
            "row is left out."
        )
    else:
        what = gettext(
            "The series already has a game between these players on this day with the same outcome, so this one is "
            "left out. If it is a different game, give it a different round."
        )
    details = game.game
    report.add(Problem(what, "warning", row=details.row if details else None, value=printable(game.name)))
