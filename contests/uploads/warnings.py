"""Warnings about the people in a file: misleading names, and players whom an upload would make public."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy, ngettext

from contests.bulk import values_by_key
from contests.formats.base import Problem
from contests.handles import handle_key, printable
from contests.matching.close_names import find_alike
from contests.matching.lookalikes import (
    in_ascii_letters,
    lookalike_warning,
    lookalikes_in,
    posing_letters,
    posing_warning,
)
from contests.matching.players import close_names_warning
from contests.matching.similarity import LEAST_WARNED, folded, forms_of
from contests.models import Player, Series, Standing
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from contests.formats.base import ParsedContest, ParsedStanding, Report
    from contests.matching.players import Match
    from contests.matching.similarity import Likeness
    from contests.models import Contest
    from contests.uploads.staging import Choices


#: What people write between the names of partners.
_BETWEEN_NAMES = re.compile(r"\w\s*[&+/;|]\s*\w|\s(?:and|und|et|y)\s")

#: A question mark at the beginning of a word or inside one, as in "?ukasz" and "J?rg", but not after one ("Bob?").
_LOST_LETTER = re.compile(r"\?(?=\w)")

#: What people type instead of umlauts that their keyboard lacks.
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})

#: The most new names that are compared with each other, which takes a few seconds.
_MOST_COMPARED = 20_000

#: Players in a query; SQLite limits the number of parameters.
_PART = 5_000
_MADE_PUBLIC = gettext_lazy(
    "So far, this player has results in private series only. Finalizing this contest makes the player public, "
    "with name and country."
)

_SAME_IN_GAMES = gettext_lazy("If they are the same person, correct the name so that it is the same in all games.")


def warn_of_names(parsed: ParsedContest, matches: Sequence[Match], choices: Choices, report: Report) -> None:
    """Warn about new players whose names are close to those of known players, or to other names in the file."""
    undecided = [match.how == "new" and match.key not in choices.decisions for match in matches]
    _warn_of_close_names(parsed.standings, matches, undecided, report)
    warned = _warn_of_lookalikes(parsed.standings, matches, undecided, report)
    _warn_of_misread(parsed.standings, report)
    _warn_of_lost_letters([row for row, is_open in zip(parsed.standings, undecided, strict=True) if is_open], report)
    has_games = bool(parsed.games)
    _warn_of_partners(parsed.standings, undecided, report, has_games=has_games)
    # Only for games does the review propose players of other rows, and ask the organizer to choose.
    present = {match.player_id for match in matches}
    unasked = [
        is_open and present.isdisjoint(one.player_id for one in match.suggestions)
        for match, is_open in zip(matches, undecided, strict=True)
    ]
    warned |= _warn_of_spellings(parsed.standings, unasked, report, has_games=has_games)
    _warn_of_similar(parsed, [is_open and i not in warned for i, is_open in enumerate(unasked)], report)
    _warn_of_known_names(parsed, matches, unasked, report)


def _warn_of_close_names(
    rows: Sequence[ParsedStanding], matches: Sequence[Match], undecided: Sequence[bool], report: Report
) -> None:
    for row, match, is_open in zip(rows, matches, undecided, strict=True):
        if is_open and (words := close_names_warning(match)):
            report.add(Problem(words, "warning", row=row.row, value=printable(row.handle)))


def _warn_of_lookalikes(
    rows: Sequence[ParsedStanding], matches: Sequence[Match], undecided: Sequence[bool], report: Report
) -> set[int]:
    """
    Warn about new handles that look like another one of the file, or whose letters are of several scripts.

    Return the indexes of the rows that look alike.
    """
    warned = set()
    for i, other in lookalikes_in([row.handle for row in rows], undecided):
        words = lookalike_warning(rows[i].handle, rows[other].handle, rows[other].row)
        report.add(Problem(words, "warning", row=rows[i].row, value=printable(rows[i].handle)))
        warned |= {i, other}
    for i, row in enumerate(rows):
        is_open = undecided[i] and i not in warned
        if is_open and (letters := posing_letters(row.handle)) and not _looks_like_the_closest(matches[i]):
            words = posing_warning(row.handle, letters)
            report.add(Problem(words, "warning", row=row.row, value=printable(row.handle)))
    return warned


def _looks_like_the_closest(match: Match) -> bool:
    """Return whether the closest known player has the same handle in other letters, which another warning says."""
    if close_names_warning(match) is None:
        return False
    return in_ascii_letters(match.handle).lower() == in_ascii_letters(match.suggestions[0].handle).lower()


def _warn_of_misread(rows: Sequence[ParsedStanding], report: Report) -> None:
    """Warn once about names that a program read in the wrong encoding before it wrote the file."""
    found = [
        (row.row, text, meant)
        for row in rows
        for text in (row.handle, row.name)
        if not text.isascii() and (meant := " ".join(_meant_by(word) or word for word in text.split(" "))) != text
    ]
    if not found:
        return
    line, text, meant = found[0]
    words = ngettext(
        "“%(text)s” probably stands for “%(meant)s”: a program has read the name in the wrong encoding. Export the "
        "file again as UTF-8, or correct the name.",
        "%(number)s names were probably read in the wrong encoding by another program: “%(text)s”, for example, seems "
        "to stand for “%(meant)s”. Export the file again as UTF-8, or correct the names.",
        len(found),
    )
    names = {"number": grouped(len(found)), "text": printable(text), "meant": printable(meant)}
    report.add(Problem(words % names, "warning", row=line, value=printable(text)))


def _meant_by(text: str) -> str:
    """Return the word whose UTF-8 bytes look like this one in a Western encoding ("Zoë" for "ZoÃ«"), if any."""
    if text.isascii():
        return ""
    for encoding in ("cp1252", "latin-1"):
        try:
            meant = text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        if all(char.isascii() or char.isalpha() for char in meant):
            return meant
    return ""


def _warn_of_lost_letters(rows: Sequence[ParsedStanding], report: Report) -> None:
    """Warn once about new names with a question mark before a letter, in place of a letter that was not saved."""
    found = [(row.row, text) for row in rows for text in (row.handle, row.name) if _LOST_LETTER.search(text)]
    if not found:
        return
    line, text = found[0]
    words = ngettext(
        "In “%(text)s”, question marks may stand for letters that another program could not save. If so, export the "
        "file again as UTF-8, or correct the name.",
        "In %(number)s names, such as “%(text)s”, question marks may stand for letters that another program could not "
        "save. If so, export the file again as UTF-8, or correct the names.",
        len(found),
    )
    text = printable(text)
    report.add(Problem(words % {"number": grouped(len(found)), "text": text}, "warning", row=line, value=text))


def _warn_of_partners(
    rows: Sequence[ParsedStanding], undecided: Sequence[bool], report: Report, *, has_games: bool
) -> None:
    """Warn once if half of the rows or more seem to name several people, who would become one player."""
    found = [i for i, row in enumerate(rows) if not row.team and _BETWEEN_NAMES.search(row.handle)]
    if len(found) < 2 or 2 * len(found) < len(rows) or not any(undecided[i] for i in found):
        return
    first = rows[found[0]]
    if has_games:
        text = gettext(
            "Many sides seem to name several people, such as “%(handle)s”. Podium rates each name as one player. To "
            "rate the people, put a plus sign with spaces between them: Ann + Bob."
        )
    else:
        text = gettext(
            "Many rows seem to name several people, such as “%(handle)s”. Podium rates each row as one player. To rate "
            "the people, give each of them a row of their own, with the same rank and the same “team”."
        )
    names = {"handle": printable(first.handle)}
    report.add(Problem(text % names, "warning", row=first.row, value=names["handle"]))


def _warn_of_spellings(
    rows: Sequence[ParsedStanding], undecided: Sequence[bool], report: Report, *, has_games: bool
) -> set[int]:
    """Warn about players who may be in the file twice, with the name spelt in two ways; return indexes of rows."""
    warned = set()
    if has_games:
        remedy = str(_SAME_IN_GAMES)
    else:
        remedy = gettext("If they are the same person, leave out one of the two rows.")
    first: dict[str, int] = {}
    for i, row in enumerate(rows):
        key = handle_key(row.handle)
        plain, spelt_out = _folded(key), _folded(key.translate(_SPELT_OUT))
        other = first.setdefault(plain, first.get(spelt_out, i))
        first.setdefault(spelt_out, i)
        earlier = rows[other]
        countries = {row.country, earlier.country} - {""}
        if other == i or not plain or len(countries) > 1 or not (undecided[i] or undecided[other]):
            continue
        if _folded(handle_key(earlier.handle)) == plain:
            what = gettext(
                "“%(handle)s” and “%(other)s” in row %(row)s differ only in case, accents, punctuation or the order of "
                "words."
            )
        else:
            what = gettext(
                "“%(handle)s” and “%(other)s” in row %(row)s may be two spellings of one name, like Müller and Mueller."
            )
        handle = printable(row.handle)
        names = {"handle": handle, "other": printable(earlier.handle), "row": earlier.row}
        text = f"{what % names} {remedy}"
        report.add(Problem(text, "warning", row=row.row, value=handle, other_row=earlier.row))
        warned.add(i)
    return warned


def _warn_of_similar(parsed: ParsedContest, undecided: Sequence[bool], report: Report) -> None:
    """
    Warn about new names in different games that may be one name, misspelt.

    In a table, all rows take part in the same contest, so similar names are those of different people.
    """
    rows = [row for row, is_open in zip(parsed.standings, undecided, strict=True) if is_open and parsed.games]
    text = gettext("“%(handle)s” is new and similar to “%(other)s” in row %(row)s, which is also new: %(why)s.")
    for i, (k, found) in _closest(rows[:_MOST_COMPARED], parsed.games).items():
        row, other, handle = rows[i], rows[k], printable(rows[i].handle)
        what = text % {"handle": handle, "other": printable(other.handle), "row": other.row, "why": found.why}
        report.add(Problem(f"{what} {_SAME_IN_GAMES}", "warning", row=row.row, value=handle, other_row=other.row))


def _closest(rows: Sequence[ParsedStanding], games: Sequence[ParsedContest]) -> dict[int, tuple[int, Likeness]]:
    """Return, as indexes, the most similar earlier name that a name never met in a game, for each name that has one."""
    forms = [forms_of(row.handle, row.name, row.country) for row in rows]
    pairs = [
        (found.similarity, i, k, found)
        for i, alike in enumerate(find_alike(forms, forms).alike)
        for k, found in alike
        if k < i and found.similarity >= LEAST_WARNED
    ]
    games_of = _games_of({handle_key(rows[i].handle) for pair in pairs for i in pair[1:3]}, games)
    closest: dict[int, tuple[int, Likeness]] = {}
    for _, i, k, found in sorted(pairs, reverse=True):
        if games_of[handle_key(rows[i].handle)].isdisjoint(games_of[handle_key(rows[k].handle)]):
            closest.setdefault(i, (k, found))
    return closest


def _games_of(keys: AbstractSet[str], games: Sequence[ParsedContest]) -> dict[str, set[int]]:
    """Return the games of each of these names, given by key, as indexes."""
    found: dict[str, set[int]] = {key: set() for key in keys}
    for number, game in enumerate(games if keys else ()):
        for key in {handle_key(row.handle) for row in game.standings} & keys:
            found[key].add(number)
    return found


def _warn_of_known_names(
    parsed: ParsedContest, matches: Sequence[Match], undecided: Sequence[bool], report: Report
) -> None:
    """Warn about a new player with the name of a known player whom another row means."""
    known = {match.player_id: i for i, match in enumerate(matches) if match.player_id is not None}
    if not known or not any(undecided):
        return
    names = values_by_key(Player, "id", "name", list(known))
    named = {_folded(handle_key(name)): player for player, name in names.items() if name}
    if not named:
        return
    countries = values_by_key(Player, "id", "country", list(named.values()))
    if parsed.games:
        remedy = gettext("If they are the same person, use the same name in all games.")
    else:
        remedy = gettext("If they are the same person, leave out one of the two rows.")
    for i, row in enumerate(parsed.standings):
        player = named.get(_folded(handle_key(row.handle)), named.get(_folded(handle_key(row.name))))
        if not undecided[i] or player is None or len({row.country, countries[player]} - {""}) > 1:
            continue
        other, handle = parsed.standings[known[player]], printable(row.handle)
        text = gettext("“%(handle)s” is new, but “%(other)s” in row %(row)s is a known player of that name.")
        text = f"{text % {'handle': handle, 'other': printable(other.handle), 'row': other.row}} {remedy}"
        report.add(Problem(text, "warning", row=row.row, value=handle, other_row=other.row))


def _folded(key: str) -> str:
    """Return the sorted words of a folded name, or its letters if it has one word."""
    letters, parts = folded(key)
    return parts or letters


def warn_of_disclosure(contest: Contest, parsed: ParsedContest, players: Sequence[int | None], report: Report) -> None:
    """Add a warning for each row whose player would become public, if the contest is in a public series."""
    if not contest.series.is_public:
        return
    if not Series.objects.filter(community=contest.series.community_id, is_public=False).exists():
        return
    hidden = _hidden_players(player for player in players if player is not None)
    for row, player in zip(parsed.standings, players, strict=True):
        if player in hidden:
            report.add(Problem(str(_MADE_PUBLIC), "warning", row=row.row, value=printable(row.handle)))


def _hidden_players(player_ids: Iterable[int]) -> set[int]:
    """Return those of the players who have finalized results in private series and none in public ones."""
    hidden: set[int] = set()
    ids = list(player_ids)
    for start in range(0, len(ids), _PART):
        part = ids[start : start + _PART]
        rows = Standing.objects.filter(player__in=part, contest__finalized_at__isnull=False)
        found = rows.values_list("player", "contest__series__is_public").distinct()
        public = {player for player, is_public in found if is_public}
        hidden |= {player for player, _ in found} - public
    return hidden
