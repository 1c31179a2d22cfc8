"""Results of games between two sides, as people and programs write them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_LENGTH = 60
_HALF = r"(?:½|1/2|[0]?[.,]5)"
_SEPARATOR = r"\s*[-–—−:/]\s*"
_DRAW = re.compile(rf"{_HALF}(?:{_SEPARATOR}{_HALF})?|=|=[-:]=", re.ASCII)
_NUMBER = r"(\d{1,6}(?:[.,]\d{1,3})?|\d{0,6}½)"
_SCORE = re.compile(rf"{_NUMBER}\s*[-–—−:]\s*{_NUMBER}", re.ASCII)
# With a colon between them, scores can be negative.
_SIGNED = re.compile(rf"([-−]?){_NUMBER}\s*:\s*([-−]?){_NUMBER}", re.ASCII)
# Signs in place of points: + wins and - loses without play (as in FIDE reports and federations' tables).
_SIGNS = re.compile(r"([+\-–−])\s*[:/|\-–−]?\s*([+\-–−])")
_WORDS_OF_WALKOVER = (
    r"(?:w[/.]?o\.?|walk[- ]?over|forfeit(?:ed)?|ff|f|k\.?o\.? ?l\.?|kampflos|default(?:ed)?|no[- ]?show)"
)
_WALKOVER = re.compile(rf"{_WORDS_OF_WALKOVER}", re.I)
_WITH_WALKOVER = re.compile(rf"(.+?)[\s,;]*[(\[]?\s*{_WORDS_OF_WALKOVER}\s*[)\]]?", re.I)
_WIN = frozenset(("w", "win", "won", "wins", "1", "white", "white wins", "1 - 0", "a", "home", "h", "sieg", "victory"))
_LOSS = frozenset(
    ("l", "loss", "lost", "loses", "lose", "0", "black", "black wins", "b", "away", "niederlage", "defeat")
)
DRAWS = frozenset(
    ("d", "draw", "drawn", "tie", "tied", "remis", "unentschieden", "x", "nulle", "tablas", "empate", "jigo")
)
# Of Go: the colour of the winner, and the points, resignation, time or forfeit.
_COLOURS = re.compile(r"([BW])\+(.*)", re.I | re.DOTALL)
# In a column of winners.
_WINNERS = {
    1: frozenset(("1", "a", "home", "white", "heim", "weiß", "weiss")),
    -1: frozenset(("2", "b", "away", "black", "gast", "schwarz")),
    0: DRAWS,
}
# Letters by one that shows their language: of French, Spanish and Italian (victoire, nul, défaite; victoria, empate,
# derrota; vittoria, nulla, sconfitta), of German (Sieg, Unentschieden, Niederlage), of Spanish (ganado, empatado,
# perdido).
_LETTERS = {
    "v": {"v": 1, "n": 0, "e": 0, "d": -1, "s": -1},
    "u": {"s": 1, "u": 0, "n": -1},
    "s": {"s": 1, "u": 0, "n": -1},
    "g": {"g": 1, "e": 0, "p": -1},
}
# Points of the two sides in one game, and of two that did not play.
_POINTS_OF_GAMES = frozenset(((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)))
# Bracket programs number their byes.
_BYE = re.compile(
    r"[(\[]?(?:(?:(?:full|half|zero|[01½]|1/2|requested)?[ -]*(?:points?|pts?\.?)?[ -]*)byes?|spielfrei|freilos|exempt"
    r"|descansa|descanso|libre|riposa|riposo|folga|pauza|wolny los|not paired|unpaired|no opponent|kein gegner"
    r"|walk[ -]?over|forfeit|forfait)"
    r"[)\]]?[ #.-]*(?:\d{0,4}|[(\[]?requested[)\]]?)"
)
_HALF_BYE = re.compile(r"[(\[]?(?:half|½|1/2)")
_POINTLESS_BYE = re.compile(r"[(\[]?(?:zero|0|not paired|unpaired)")
# Players of games that nobody can name yet: N.N. stands for "nomen nescio".
_UNDECIDED = frozenset(
    ("tbd", "t.b.d.", "tba", "t.b.a.", "to be decided", "to be determined", "to be announced", "?", "??", "???", "nn",
     "n.n.", "n. n.", "n.n")
)  # fmt: skip
_DASHES = re.compile("[-–—]+")
_OPEN = frozenset(
    ("*", "?", "-", "–", "--", "––", "tbd", "postponed", "abandoned", "scheduled", "unfinished", "cancelled",
     "canceled", "abgesagt", "verlegt", "abgebrochen", "aplazado", "reporté", "rinviata")
)  # fmt: skip
# After extra time, or after penalties: the score says who won in the end.
_LONGER = re.compile(
    r"(.+?)\s*[(\[]?(?:n\.? ?[vep]\.?|a\.? ?e\.? ?t\.?|a\.?p\.?|pens?\.?|penalt(?:y|ies)|p\.?k\.?|o\.?t\.?|s\.?o\.?)"
    r"[)\]]?"
)
# A score with the one at half time behind it.
_WITH_HALF_TIME = re.compile(r"(\d{1,3}) ?[-–:] ?(\d{1,3}) ?\((\d{1,3}) ?[-–:] ?(\d{1,3})\)")
# Sets, as in tennis; a number in parentheses is the loser's score in a tie-break.
_SET = re.compile(r"(\d{1,3})[-–:](\d{1,3})(?:\(\d{1,3}\))?")
# Text copied from a web page loses superscripts: 7–6⁴ becomes 7–64.
_TIE_BREAK = re.compile(r"(?:7[-–:]6|6\d{1,2}[-–:]7)\d{0,2}")
# With fewer points, the numbers can be the goals of two matches.
_LEAST_IN_A_SET = 6
# Wins, losses and draws, as in Magic, or wins, draws and losses.
_THREE_NUMBERS = re.compile(r"\d-\d-\d")
# The score when one of the two gave up, or was excluded: it does not say who.
_RETIRED = re.compile(r"(?:.*[\s,;(\[])?(?:ret|retd|retired|retirement|def|rit|aufg|aufgabe|dsq|disq)\.?\s*[)\]]?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[- ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*", re.I)


class Result(NamedTuple):
    """
    The result of a game.

    score_a, score_b
        Points of the two sides; None if the file gives only the winner.
    better
        1 if the first side won, -1 if the second, 0 for a draw.
    is_walkover
        Whether it was given without play; both sides can lose a walkover (`better` is then 0, and the scores are 0).
    """

    better: int
    score_a: float | None = None
    score_b: float | None = None
    is_walkover: bool = False


def is_bye(text: str) -> bool:
    """Whether this is a word for a round without an opponent, such as bye or “BYE 2”."""
    return bool(_BYE.fullmatch(" ".join(text.casefold().split())))


def points_of_bye(text: str) -> float:
    """Return the points that a word for a bye gives: 1, unless it is a half-point or zero-point bye."""
    words = " ".join(text.casefold().split())
    return 0.5 if _HALF_BYE.match(words) else 0.0 if _POINTLESS_BYE.match(words) else 1.0


def is_empty_side(text: str) -> bool:
    """Whether a side of a game has no player or team: its text is a word for a bye, or dashes."""
    return is_bye(text) or bool(_DASHES.fullmatch(text.strip()))


def is_undecided(text: str) -> bool:
    """Whether this stands for a player who is not known yet, such as TBD, ? or N.N."""
    return " ".join(text.casefold().split()) in _UNDECIDED


def parse_result(text: str) -> Result | None:
    """Read a result from the first side's point of view; None if the game has none yet; ValueError with the remedy."""
    cell = " ".join(text.split())
    words = cell.casefold()
    if not cell or len(cell) > _MAX_LENGTH:
        raise ValueError(
            gettext("the game has no result; enter one, such as 1-0, or delete the row") if not cell else _unknown()
        )
    if words in _OPEN:
        return None
    signs = _SIGNS.fullmatch(cell)
    if signs and cell not in ("--", "––", "−−"):
        return _of_signs(signs[1] == "+", signs[2] == "+")
    if is_walkover(cell):
        raise ValueError(
            gettext(
                "the game was a walkover, but the row does not say who won; enter +:- or -:+, or -:- if both sides lost"
            )
        )
    with_words = _WITH_WALKOVER.fullmatch(words) if len(words) > 2 else None
    played = _played(with_words[1].strip()) if with_words else None
    # “5-3 F” is a final score, and “1-0 F” a forfeit.
    if played is not None and words.endswith(" f") and (played.score_a, played.score_b) not in _POINTS_OF_GAMES:
        return played
    if played is not None:
        neither = played.score_a == played.score_b == 0.0
        return Result(played.better, *((0.0, 0.0) if neither else _points(played.better)), is_walkover=True)
    played = _played(words) or _played_longer(words) or _of_sets(words)
    if played is None:
        is_ambiguous = _THREE_NUMBERS.fullmatch(words)
        raise ValueError(
            _ambiguous() if is_ambiguous else _spreadsheet_date() if _DATE.fullmatch(words) else _unknown()
        )
    return played


def is_walkover(text: str) -> bool:
    """Whether this is only a word for a game that was not played, such as w/o, which doesn't say who won."""
    return len(text) <= _MAX_LENGTH and bool(_WALKOVER.fullmatch(" ".join(text.casefold().split())))


def is_retirement(text: str) -> bool:
    """Whether one side gave up or was excluded during the game, as in “6-4 2-1 ret.”, which doesn't say who."""
    return len(text) <= _MAX_LENGTH and bool(_RETIRED.fullmatch(text.casefold().strip()))


def letters_of(cells: Iterable[str]) -> dict[str, int]:
    """Return who won by the letters of a language that is not English, if a column of results contains them."""
    found = {cell.strip().casefold() for cell in cells}
    return next((letters for sign, letters in _LETTERS.items() if sign in found), {})


def winner_of(word: str) -> int | None:
    """Return who won according to a word in a column of winners, as in `Result.better`; None for other words."""
    return next((better for better, words in _WINNERS.items() if word in words), None)


def compared(score_a: float, score_b: float) -> Result:
    """Return the result of a game by its scores: the higher one wins."""
    return Result((score_a > score_b) - (score_a < score_b), score_a, score_b)


def of_colours(text: str, *, first: str) -> Result | None:
    """
    Read a result of Go such as B+3.5, W+R or Jigo; None for other texts.

    first
        The colour of the first side: "b" or "w".
    """
    if text.strip().casefold() in ("0", "draw", "jigo"):
        return Result(0, 0.5, 0.5)
    match = _COLOURS.fullmatch(text.strip())
    if match is None:
        return None
    won = match[1].casefold() == first
    return Result(
        1 if won else -1, float(won), float(not won), is_walkover=match[2].strip().casefold() in ("f", "forfeit")
    )


def of_bye(given: Result | None, *, is_first: bool, points: float = 1.0) -> Result:
    """Return the result of a bye: these points, unless the file gives another result to the only player."""
    if given is not None:
        own = given.score_a if is_first else given.score_b
        points = own if own in (0.0, 0.5) else _points(given.better)[0 if is_first else 1]
    return Result(1, points, None, is_walkover=True)


def _of_signs(first: bool, second: bool) -> Result:
    if first and second:
        raise ValueError(gettext("only one side can win; correct the result, for example to +:- or -:+"))
    return Result(first - second, float(first), float(second), is_walkover=True)


def _played(words: str) -> Result | None:
    if _DRAW.fullmatch(words) or words in DRAWS:
        return Result(0, 0.5, 0.5)
    if words in _WIN:
        return Result(1, 1.0, 0.0)
    if words in _LOSS:
        return Result(-1, 0.0, 1.0)
    if match := _SCORE.fullmatch(words):
        return compared(_number(match[1]), _number(match[2]))
    if match := _SIGNED.fullmatch(words):
        signs = [-1.0 if match[i] else 1.0 for i in (1, 3)]
        return compared(signs[0] * _number(match[2]), signs[1] * _number(match[4]))
    return None


def _played_longer(words: str) -> Result | None:
    """Read a score after extra time or penalties, or with the one at half time."""
    if (longer := _LONGER.fullmatch(words)) and _SCORE.fullmatch(longer[1]):
        return _played(longer[1])
    half = _WITH_HALF_TIME.fullmatch(words)
    if half is None:
        return None
    one, other, first, second = map(int, half.groups())
    # Otherwise it can be the score of the penalties.
    return compared(one, other) if first <= one and second <= other else None


def _of_sets(words: str) -> Result | None:
    """Read the scores of several sets; the side that won more of them wins."""
    sets = [_SET.fullmatch(each) for each in re.split(r"[\s,;]+", words)]
    if len(sets) < 2 or None in sets:
        return None
    points = [
        (int(each[1][:1]), int(each[2][:1])) if _TIE_BREAK.fullmatch(each[0]) else (int(each[1]), int(each[2]))
        for each in sets
        if each
    ]
    if any(one == other or max(one, other) < _LEAST_IN_A_SET for one, other in points):
        return None
    won = sum(one > other for one, other in points)
    if 2 * won == len(points):
        raise ValueError(
            gettext(
                "both sides won the same number of sets; enter all sets of the match, or the result in sets, such as "
                "2-1"
            )
        )
    return compared(won, len(points) - won)


def _points(better: int) -> tuple[float, float]:
    return (0.5, 0.5) if better == 0 else (float(better > 0), float(better < 0))


def _number(text: str) -> float:
    if text.endswith("½"):
        return float(text[:-1] or 0) + 0.5
    return float(text.replace(",", "."))


def parse_score(text: str) -> float:
    """Read the points of one side; ValueError with the remedy."""
    plain = text.strip()
    if re.fullmatch(rf"-?{_NUMBER}", plain, re.ASCII):
        sign = -1 if plain.startswith("-") else 1
        value = sign * _number(plain.lstrip("-"))
        if math.isfinite(value):
            return value
    raise ValueError(gettext("this is not a score; enter a number such as 3 or 2.5"))


def doubt_about_zeros(*, in_one_column: bool) -> str:
    """Return a remark on a result of 0-0, in one column or in two, beside results of one point in all."""
    if in_one_column:
        return gettext(
            "Podium reads 0-0 as a draw. If both sides lost or did not play, enter -:-; if it was a draw, enter ½-½."
        )
    return gettext(
        "Podium reads 0 and 0 as a draw. If both sides lost or did not play, leave the row out; if it was a draw, "
        "enter ½ and ½."
    )


def _unknown() -> str:
    return gettext(
        "this is not a result; enter 1-0, ½-½ or 0-1; a score such as 3:1; “win”, “draw” or “loss” for the first "
        "player; or +:- for a win without play"
    )


def _ambiguous() -> str:
    return gettext(
        "three numbers can mean wins, losses and draws, or wins, draws and losses; enter only the games that each side "
        "won, such as 2-1"
    )


def _spreadsheet_date() -> str:
    return gettext(
        "this is a date, not a result; spreadsheets turn entries such as 3-1 into dates, so format the column as text "
        "and enter the result again"
    )
