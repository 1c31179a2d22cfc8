"""Statuses by any of their names, and the codes used in place of a result: DNF, DNS, DSQ, OOC, a dash."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contests.formats.base import Status

#: What says that there is nothing in a cell.
NOTHING = frozenset(("", "-", "–", "—", "n/a", "na", "none", "null"))

_RANKED = frozenset(("", "ok", "official", "ranked", "rated", "yes", "in competition", "finished"))
_OUT_OF_COMPETITION = "out of competition"
# What a code means -> its status and its names, without case and without the points of an abbreviation.
_CODES: dict[str, tuple[Status, tuple[str, ...]]] = {
    _OUT_OF_COMPETITION: (
        "unofficial",
        (
            "ooc", "unofficial", "out of competition", "hors concours", "hc", "virtual", "practice", "upsolving",
            "guest", "unranked", "unrated", "außer konkurrenz", "ak",
        ),
    ),
    "did not finish": (
        "unofficial",
        (
            "dnf", "did not finish", "ret", "retired", "rtd", "ab", "abd", "abandoned", "otl", "hd",
            "outside time limit", "nc", "not classified", "nm", "no mark", "ocs",
        ),
    ),
    "did not start": (
        "unofficial",
        (
            "dns", "did not start", "dnc", "did not compete", "np", "ns", "no show", "dnq", "did not qualify", "dnpq",
            "abs", "absent",
        ),
    ),
    "withdrawn": ("unofficial", ("wd", "w/d", "wdr", "wdn", "withdrawn", "withdrew", "scr", "scratched")),
    "disqualified": (
        "disqualified",
        (
            "dsq", "dq", "disq", "dqf", "disqualified", "disqualification", "banned", "exc", "excluded", "bfd", "ufd",
            "dne",
        ),
    ),
}  # fmt: skip
_CODE_OF = {name: (status, meaning) for meaning, (status, names) in _CODES.items() for name in names}
_SEVERITY: dict[Status, int] = {"ranked": 0, "unofficial": 1, "disqualified": 2}
# A code may be numbered or explained: "DNF1", "DNF (engine)", "DSQ - fuel".
_EXPLAINED = re.compile(r"([^\W\d_][^\d(\[:;,–—-]*?)\s*(?:\d|\(.*|\[.*|[:;,–—-]\s.*)?", re.DOTALL)
_LONGEST = 60


class Code(NamedTuple):
    """
    A code that a cell has in place of a result.

    name
        As the cell has it, without an explanation, in capitals.
    """

    name: str
    status: Status
    meaning: str


def parse_status(text: str) -> Status:
    """Read a status by any of its names; ValueError if it is none."""
    if _simple(text) in _RANKED:
        return "ranked"
    code = code_in(text)
    if code is None:
        raise ValueError(
            "known statuses are ranked (or nothing), unofficial and disqualified, and codes such as DNF, DNS, DSQ, WD "
            "and OOC; use one of them"
        )
    return code.status


def code_in(text: str) -> Code | None:
    """Return the code that a cell has in place of a result, None for numbers, nothing, dashes and other words."""
    if not text or text[0].isdigit() or len(text) > _LONGEST:
        return None
    name = _simple(text)
    if name not in _CODE_OF:
        match = _EXPLAINED.fullmatch(name)
        name = match[1] if match else ""
    found = _CODE_OF.get(name)
    return Code(name.upper(), *found) if found else None


def is_dash(text: str) -> bool:
    """Whether the cell says that there is nothing; an empty one says nothing, and may have been forgotten."""
    return bool(text) and text.casefold() in NOTHING


@dataclass(slots=True)
class Codes:
    """
    The statuses of a contest's rows, and what the codes say that set them.

    found
        (field, code) -> the rows that have the code there, by position.
    """

    statuses: list[Status]
    found: dict[tuple[str, Code], list[int]] = field(default_factory=dict)

    def set(self, i: int, column: str, code: Code) -> None:
        """Give a row the status of a code; disqualification outweighs everything, and nothing makes a row ranked."""
        if _SEVERITY[code.status] > _SEVERITY[self.statuses[i]]:
            self.statuses[i] = code.status
        self.found.setdefault((column, code), []).append(i)

    def take_dashes(self, ranks: Sequence[str], scores: Sequence[str]) -> None:
        """
        Give rows whose result is a dash the status of one who did not compete, if they have none yet.

        A dash among ranks counts if others have a rank. A dash among scores counts where the row has no rank. Where no
        row has a number, dashes say nothing.
        """
        has_ranks = any(map(_is_given, ranks))
        if not has_ranks and not any(map(_is_given, scores)):
            return
        for i, (rank, score) in enumerate(zip_longest(ranks, scores, fillvalue="")):
            if self.statuses[i] != "ranked" or _is_given(rank):
                continue
            if has_ranks and is_dash(rank):
                self.set(i, "rank", Code(rank, "unofficial", "no rank"))
            elif is_dash(score):
                self.set(i, "score", Code(score, "unofficial", "no score"))

    def tell(self, warn: Callable[[int, str, str, str], None]) -> None:
        """Say of each code once what it does to how many rows; `warn` takes row, field, message, and code."""
        for (column, code), rows in self.found.items():
            more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
            verb, them = ("are", "them") if more else ("is", "it")
            if code.status == "disqualified":
                effect = f"{verb} disqualified and not rated"
            else:
                effect = f"{verb} shown, but neither ranked nor rated. To have {them} rated, give {them} a rank"
            warn(rows[0], column, f"{code.meaning}: this row{more} {effect}.", code.name)


def _is_given(text: str) -> bool:
    return bool(text) and not is_dash(text)


def _simple(text: str) -> str:
    """Return a text without case, with single spaces, and without the points of an abbreviation."""
    return " ".join(text.casefold().replace("_", " ").replace(".", "").split())
