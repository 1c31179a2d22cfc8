"""The options for reading a table, and their JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contests.formats.table.columns import FIELDS, GAME_FIELDS, MAX_COLUMNS
from contests.formats.table.corrections import corrections_as_json, corrections_from_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contests.formats.table.corrections import Correction

_KEYS = {"columns", "sheet", "header_row", "decimal_comma", "corrections", "ignores_unknown"}
_MAX_LINES = 2_000_000
_MAX_SHEET_NAME_LENGTH = 255


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """
    The options for reading a table; None values are detected.

    columns
        0-based position -> one of FIELDS or, in a table of games, one of GAME_FIELDS, or "" for a column to ignore;
        missing columns are ignored too. None: by the names of the columns; an unknown name is then an error unless
        `ignores_unknown` is set.
    sheet
        Name of the sheet of a workbook. None: the first with a usable header.
    header_row
        1-based line (row of a sheet) with the column names, 0 if there is none; then `columns` are required.
    decimal_comma
        Whether 1,234 means 1.234. None: detected for each column.
    corrections
        1-based line (row of the sheet) -> the organizer's correction of the row.
    ignores_unknown
        Whether to ignore columns of unknown names without a problem; those who set it warn about them.
    """

    columns: Mapping[int, str] | None = None
    sheet: str | None = None
    header_row: int | None = None
    decimal_comma: bool | None = None
    corrections: Mapping[int, Correction] = field(default_factory=dict)
    ignores_unknown: bool = False

    def to_json(self) -> dict[str, object]:
        """Return a plain dict for JSON; `from_json` turns it into the same options."""
        columns = None if self.columns is None else {str(i): name for i, name in sorted(self.columns.items())}
        corrections = {"corrections": corrections_as_json(self.corrections)} if self.corrections else {}
        ignores_unknown = {"ignores_unknown": True} if self.ignores_unknown else {}
        return {
            "columns": columns,
            "sheet": self.sheet,
            "header_row": self.header_row,
            "decimal_comma": self.decimal_comma,
            **corrections,
            **ignores_unknown,
        }

    @classmethod
    def from_json(cls, value: object) -> ReadingOptions:
        """Return the options of a `to_json` dict; ValueError with the problem of anything else."""
        if not isinstance(value, dict):
            raise ValueError(f"reading options must be an object with some of {', '.join(sorted(_KEYS))}")
        unknown = [str(key)[:40] for key in value if key not in _KEYS]
        if unknown:
            raise ValueError(f"unknown reading option “{unknown[0]}”; known options are {', '.join(sorted(_KEYS))}")
        return cls(
            columns=_columns(value.get("columns")),
            sheet=_sheet(value.get("sheet")),
            header_row=_header_row(value.get("header_row")),
            decimal_comma=_decimal_comma(value.get("decimal_comma")),
            corrections=corrections_from_json(value.get("corrections")),
            ignores_unknown=_ignores_unknown(value.get("ignores_unknown", False)),
        )


def _columns(value: object) -> dict[int, str] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > MAX_COLUMNS:
        raise ValueError(f"columns must be an object of at most {MAX_COLUMNS} positions, each with its field")
    columns = {}
    for position, name in value.items():
        text = str(position)
        if not (text.isascii() and text.isdecimal() and len(text) < 4 and int(text) < MAX_COLUMNS):
            raise ValueError(f"“{text[:40]}” is not a column position; positions are 0 to {MAX_COLUMNS - 1}")
        if name != "" and name not in FIELDS and name not in GAME_FIELDS:
            known = ", ".join((*FIELDS, *GAME_FIELDS))
            raise ValueError(f"“{str(name)[:40]}” is not a field; choose one of {known}, or leave it empty")
        columns[int(text)] = str(name)
    return columns


def _sheet(value: object) -> str | None:
    if value is not None and (not isinstance(value, str) or not 1 <= len(value) <= _MAX_SHEET_NAME_LENGTH):
        raise ValueError("sheet must be the name of a sheet, or null")
    return value


def _header_row(value: object) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _MAX_LINES:
        raise ValueError("header_row must be a whole number from 1, 0 if there is no header, or null")
    return value


def _ignores_unknown(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("ignores_unknown must be true or false")
    return value


def _decimal_comma(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError("decimal_comma must be true, false or null")
    return value
