"""Values in files, as people and programs write them: ranks, numbers, statuses and their codes, and times."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext, gettext_lazy, gettext_noop

from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from contests.formats.base import Status


#: Far below the limit of the database, so that rows inserted later can still move all others down.
MAX_PLACE = 10**9
#: The largest handicap, in rating points.
MAX_HANDICAP = 1e6
#: Texts of cells that mean "nothing".
NOTHING = frozenset(("", "-", "–", "—", "n/a", "na", "n.a.", "n.a", "none", "null"))

_RANKED = frozenset(
    (
        "", "ok", "official", "ranked", "rated", "yes", "in competition", "finished", "fin", "finisher", "q",
        "qualified",
    )
)  # fmt: skip
_OUT_OF_COMPETITION = gettext_noop("out of competition")
# Meaning of a code -> its status and its names, case-folded and without periods.
_CODES: dict[str, tuple[Status, tuple[str, ...]]] = {
    _OUT_OF_COMPETITION: (
        "unofficial",
        (
            "ooc", "unofficial", "out of competition", "hors concours", "hc", "virtual", "practice", "upsolving",
            "guest", "unranked", "unrated", "ausser konkurrenz", "ak",
        ),
    ),
    gettext_noop("did not finish"): (
        "unofficial",
        (
            "dnf", "did not finish", "ret", "retired", "rtd", "ab", "abd", "abandoned", "otl", "hd",
            "outside time limit", "nc", "not classified", "nm", "no mark", "nt", "no time", "ocs", "abandon",
            "abandonné", "abandonnée", "aufgegeben", "aufg", "ausgeschieden", "abandono", "rit", "ritirato", "ritirata",
            "mc", "missed cut",
        ),
    ),
    gettext_noop("did not start"): (
        "unofficial",
        (
            "dns", "did not start", "dnc", "did not compete", "np", "ns", "no show", "dnq", "did not qualify", "dnpq",
            "abs", "absent", "non partant", "non partante", "forfait", "nicht gestartet", "nicht angetreten",
            "abwesend", "no presentado",
        ),
    ),
    gettext_noop("withdrawn"): (
        "unofficial",
        (
            "wd", "w/d", "wdr", "wdn", "withdrawn", "withdrew", "scr", "scratched", "zurückgezogen", "abgemeldet",
            "abgesagt", "retiré", "retirée",
        ),
    ),
    gettext_noop("disqualified"): (
        "disqualified",
        (
            "dsq", "dq", "disq", "dqf", "disqualified", "disqualification", "banned", "exc", "excluded", "bfd", "ufd",
            "dne", "disqualifiziert", "disqualifié", "disqualifiée", "descalificado", "descalificada", "desc",
            "squalificato",
        ),
    ),
}  # fmt: skip
_CODE_OF = {name: (status, meaning) for meaning, (status, names) in _CODES.items() for name in names}
_SEVERITY: dict[Status, int] = {"ranked": 0, "unofficial": 1, "disqualified": 2}
# A code can have a number or an explanation: "DNF1", "DNF (engine)", "DSQ - fuel".
_EXPLAINED = re.compile(r"([^\W\d_][^\d(\[:;,–—-]*?)\s*(?:\d|\(.*|\[.*|[:;,–—-]\s.*)?", re.DOTALL)
# Codes that hardly mean anything else in a column of unknown content, unlike AB or NC, which are provinces, too.
_CLEAR = sorted(
    {"dnf", "dns", "dsq", "dq", "disq", "out of competition", "hors concours", "ausser konkurrenz"}
    | {name for name, (_, meaning) in _CODE_OF.items() if len(name) >= 6 and meaning != _OUT_OF_COMPETITION}
)
_CLEAR_START = re.compile(rf"(?:{'|'.join(map(re.escape, map(str.casefold, _CLEAR)))})(?![^\W\d_])")
MAX_LENGTH = 60
_SHARE = re.compile(r"(\d+(?:[.,]\d*)?|[.,]\d+)\s*(%)?")
_NO_SHARE = gettext_lazy(
    "the share played must be above 0 and at most 1, such as 0.5 or 50 %; correct it, or leave the cell empty for a "
    "player who took part in the whole contest"
)


class Code(NamedTuple):
    """
    A code that replaces a result.

    name
        As in the cell, without an explanation.
    """

    name: str
    status: Status
    meaning: str


def _effect(code: Code, count: int) -> str:
    """Return what a code does to the rows that have it."""
    names = {"meaning": gettext(code.meaning), "more": grouped(count - 1), "code": code.name}
    if code.status == "disqualified":
        if count == 1:
            return gettext("%(meaning)s: this row is listed, but neither ranked nor rated.") % names
        return gettext("%(meaning)s: this row and %(more)s more are listed, but neither ranked nor rated.") % names
    if count == 1:
        text = gettext(
            "%(meaning)s: this row is listed, but neither ranked nor rated. To rate it, enter its result in place of "
            "“%(code)s” in each column."
        )
    else:
        text = gettext(
            "%(meaning)s: this row and %(more)s more are listed, but neither ranked nor rated. To rate them, enter "
            "their results in place of “%(code)s” in each column."
        )
    return text % names


def parse_status(text: str) -> Status:
    """Read a status by any of its names; ValueError for other texts."""
    if _simple(text) in _RANKED:
        return "ranked"
    code = code_in(text)
    if code is None:
        raise ValueError(
            gettext(
                "unknown status; use ranked (or leave the cell empty), unofficial, disqualified, or a code "
                "such as DNF, DNS, DSQ, WD or OOC"
            )
        )
    return code.status


def code_in(text: str) -> Code | None:
    """Return the code in a cell, None for numbers, empty cells, dashes and other words."""
    if not text or text[0].isdigit() or len(text) > MAX_LENGTH:
        return None
    name = text.strip()
    if _simple(name) not in _CODE_OF:
        match = _EXPLAINED.fullmatch(name)
        name = match[1] if match else ""
    found = _CODE_OF.get(_simple(name))
    return Code(name, *found) if found else None


@lru_cache(maxsize=10_000)
def begins_with_status(text: str) -> bool:
    """Whether a cell of unknown content begins with a code or word that can hardly be anything but a status."""
    return text[:1].isalpha() and _CLEAR_START.match(_simple(text[:MAX_LENGTH])) is not None


def is_dash(text: str) -> bool:
    """Whether the cell means "nothing" explicitly; an empty cell could be an oversight."""
    return bool(text) and text.casefold() in NOTHING


@dataclass(slots=True)
class Codes:
    """
    The statuses of a contest's rows, and the codes that set them.

    found
        (field, code without case and periods) -> its first spelling, and the positions of its rows.
    """

    statuses: list[Status]
    found: dict[tuple[str, str], tuple[Code, list[int]]] = field(default_factory=dict)

    def set(self, i: int, column: str, code: Code) -> None:
        """Give a row the status of a code, unless it has a more serious one."""
        if _SEVERITY[code.status] > _SEVERITY[self.statuses[i]]:
            self.statuses[i] = code.status
        _, rows = self.found.setdefault((column, _simple(code.name)), (code, []))
        rows.append(i)

    def take_dashes(self, ranks: Sequence[str], scores: Sequence[str]) -> None:
        """
        Make ranked rows unofficial if their result is a dash.

        A dash among ranks counts if other rows have a rank. A dash among scores counts if the row has no rank. If no
        row has a number, dashes mean nothing.
        """
        has_ranks = any(map(_is_given, ranks))
        if not has_ranks and not any(map(_is_given, scores)):
            return
        for i, (rank, score) in enumerate(zip_longest(ranks, scores, fillvalue="")):
            if self.statuses[i] != "ranked" or _is_given(rank):
                continue
            if has_ranks and is_dash(rank):
                self.set(i, "rank", Code(rank, "unofficial", gettext_noop("no rank")))
            elif is_dash(score):
                self.set(i, "score", Code(score, "unofficial", gettext_noop("no score")))

    def report(self, warn: Callable[[int, str, str, str], None]) -> None:
        """Report the effect of each code once, with its number of rows; `warn` takes row, field, message, and code."""
        for (column, _), (code, rows) in self.found.items():
            warn(rows[0], column, _effect(code, len(rows)), code.name)


def _is_given(text: str) -> bool:
    return bool(text) and not is_dash(text)


def _simple(text: str) -> str:
    """Return a text case-folded, with single spaces and without periods."""
    return " ".join(text.casefold().replace("_", " ").replace(".", "").split())


_PLACE = re.compile(
    r"(?:[#=]|t[-. ]?|tied? |joint )?(\d+)(?:st|nd|rd|th|ers?|[eè]re|re|[eè]mes?|e|[.=º°ª]|\.0+)?"
    r"(?: ?(?:t|tied?|\(t\)|\(tied?\)|ex\.?(?:[- ]?(?:ae|æ)quo)?))?(?: ?[-–—] ?(\d+)\.?)?",
    re.I | re.ASCII,
)
COMMAS_IN_THREES = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]{0,6}\.?"
_TIME_OF_DAY = r"(?:[ T,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?(?:z|[+-]\d{2}:?\d{2})?)?"
_DATE = re.compile(
    rf"(?:(\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|\d{{1,2}}/\d{{1,2}})"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[-. ]{{0,2}}{_MONTH}(?:[-., ]{{1,2}}\d{{2,4}})?"
    rf"|{_MONTH}[- ]?\d{{1,4}}(?:,? ?\d{{2,4}})?){_TIME_OF_DAY}",
    re.I,
)
DATE_REMEDY = gettext_lazy(
    "spreadsheets turn entries such as 3-5 or 1.2 into dates, so format the column as text or number and enter it again"
)


def parse_place(text: str) -> int | None:
    """Read 3, 3., 3rd, T3, =3, #3, 3 (tie) and 3-5 as 3, nothing or a dash as None; ValueError for other texts."""
    if text.isdecimal() and text.isascii() and len(text) < 10:
        place = int(text)
    elif text.casefold() in NOTHING:
        return None
    else:
        match = _PLACE.fullmatch(_without_separators(text)) if len(text) <= MAX_LENGTH else None
        if match is None or (match[2] and int(match[2][:11]) < int(match[1][:11])):
            if is_date(text):
                raise ValueError(
                    gettext("a rank is a whole number of 1 or more, such as 3; %(date_remedy)s")
                    % {"date_remedy": DATE_REMEDY}
                )
            raise ValueError(
                gettext(
                    "a rank is a whole number of 1 or more, or a code such as DNF, DNS, DSQ or OOC; correct it, or "
                    "leave the row out if it doesn’t belong to a participant"
                )
            )
        place = int(match[1][:11])
    if not 1 <= place <= MAX_PLACE:
        raise ValueError(
            gettext("a rank is a whole number from 1 to %(most)s; correct it") % {"most": grouped(MAX_PLACE)}
        )
    return place


def parse_share(text: str) -> float | None:
    """Read a share of play such as 0.5, 0,5 or 50 %, None for the whole contest; ValueError for other texts."""
    if text.casefold() in NOTHING:
        return None
    match = _SHARE.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        raise ValueError(str(_NO_SHARE))
    share = float(match[1].replace(",", "."))
    return checked_share(share / 100.0 if match[2] else share)


def counts_games(header: str, cells: Iterable[str]) -> bool:
    """Whether a column “Played” has numbers of games, as in the table of a league, instead of shares of play."""
    filled = [cell.strip() for cell in cells if cell.strip().casefold() not in NOTHING]
    is_whole = all(cell.isascii() and cell.isdecimal() for cell in filled)
    return header.strip().casefold() == "played" and is_whole and any(int(cell[:9]) > 1 for cell in filled)


def checked_share(share: float) -> float | None:
    """Return a share of play above 0 and below 1, None for the whole contest; ValueError for other numbers."""
    if not 0.0 < share <= 1.0:
        raise ValueError(str(_NO_SHARE))
    return None if share == 1.0 else share


def checked_handicap(points: float | None) -> float | None:
    """Return a handicap in rating points, None for 0; ValueError for numbers that are out of range."""
    if points is not None and not abs(points) <= MAX_HANDICAP:
        raise ValueError(
            gettext("a handicap must be a number of rating points, at most %(most)s; correct it")
            % {"most": grouped(round(MAX_HANDICAP))}
        )
    return points or None


def is_date(text: str) -> bool:
    """Whether the text is a date in a notation that spreadsheets produce from entries such as 3-5."""
    match = _DATE.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None or match[1] is None:
        return match is not None
    numbers = re.split("[-/.]", match[1])
    month, day = sorted(map(int, numbers[1:] if len(numbers[0]) == 4 else numbers[:2]))
    return 1 <= month <= 12 and day <= 31


def _without_separators(text: str) -> str:
    return text.replace(",", "") if COMMAS_IN_THREES.fullmatch(text) else text


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR, LAST_YEAR = 1800, 2200


def parse_moment(value: object) -> datetime:
    """
    Read an ISO 8601 date (midnight UTC) or a date-time with its zone; ValueError with the problem and its remedy.
    """
    if not isinstance(value, str):
        raise ValueError(gettext('a date and time must be text; write it like "2025-05-01T18:00:00Z"'))
    text = value.strip().removesuffix(" UTC").removesuffix(" GMT")
    if text != value.strip():
        text += "+00:00"
    try:
        moment = _midnight(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            gettext('this is not a valid date; write it like "2025-05-01T18:00:00Z" or "2025-05-01"')
        ) from None
    if moment.tzinfo is None:
        raise ValueError(
            gettext(
                'the time has no time zone; write "%(text)sZ" for UTC, or add the offset of local time, like '
                '"%(text)s+02:00"'
            )
            % {"text": text}
        )
    return _in_range(moment)


def from_epoch(value: object) -> datetime:
    """Return the time of a Unix timestamp; ValueError with the problem."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(gettext("a number of seconds since 1970-01-01 is expected"))
    try:
        return _in_range(_EPOCH + timedelta(seconds=value))
    except (OverflowError, ValueError):
        raise ValueError(
            gettext("the year must be between %(first)s and %(last)s; correct the date")
            % {"first": FIRST_YEAR, "last": LAST_YEAR}
        ) from None


def _midnight(text: str) -> datetime:
    day = date.fromisoformat(text)
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _in_range(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(
            gettext("the year %(year)s is not between %(first)s and %(last)s; correct it")
            % {"year": moment.year, "first": FIRST_YEAR, "last": LAST_YEAR}
        )
    return moment.astimezone(UTC)
