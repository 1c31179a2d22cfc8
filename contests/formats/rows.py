"""The rows of one contest while they are read: columns of values, and where each came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contests.formats.base import Reading, Status


@dataclass(slots=True)
class Rows:
    """
    One contest's rows as columns of equal length; a column that the file does not have is None.

    locate
        Gives for a row and a field ("handle", "rank", ...) the line of the file and the name of the column.
    contest
        What the contest is called in messages, None if the file has only one.
    scores_decide
        Whether a rank that contradicts the scores is an error (a table made by hand) or a remark (an archive).
    places_are_sound, scores_are_sound
        False if some of them could not be read: then what depends on all of them together is not checked.
    """

    handles: Sequence[str]
    places: Sequence[int | None]
    scores: Sequence[float | None]
    numbers: Sequence[int]
    locate: Callable[[int, str], tuple[int | None, str]]
    contest: str | None = None
    scores_decide: bool = False
    places_are_sound: bool = True
    scores_are_sound: bool = True
    statuses: Sequence[Status] | None = None
    names: Sequence[str] | None = None
    countries: Sequence[str] | None = None
    teams: Sequence[str] | None = None
    penalties: Sequence[float | None] | None = None

    def ranked(self) -> list[int]:
        """The rows that are ranked, by position."""
        if self.statuses is None:
            return list(range(len(self.handles)))
        return [i for i, status in enumerate(self.statuses) if status == "ranked"]

    def error(self, reading: Reading, i: int, field: str, message: str, value: object = None) -> None:
        line, column = self.locate(i, field)
        reading.error(message, row=line, column=column, value=value, contest=self.contest)

    def warn(self, reading: Reading, i: int, field: str, message: str, value: object = None) -> None:
        line, column = self.locate(i, field)
        reading.warn(message, row=line, column=column, value=value, contest=self.contest)
