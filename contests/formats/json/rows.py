"""JSON files that have the rows of a contest in a form of another program, which Podium explains but does not read."""

from __future__ import annotations

from django.utils.translation import gettext

from contests.formats.base import UnreadableError
from contests.formats.table.columns import field_of


def refuse_rows(value: object, line: int) -> None:
    """Stop with one message if this is a row instead of a contest, a list of rows, or an object with such a list."""
    if isinstance(value, dict):
        lists = [] if "standings" in value else [each for each in value.values() if isinstance(each, list)]
        has_rows = _is_row(value) or any(each and _is_row(each[0]) for each in lists)
    else:
        has_rows = isinstance(value, list) and bool(value) and (_is_plain_row(value) or _is_row(value[0]))
    if has_rows:
        message = gettext(
            "This seems to be a list of rows, not a contest. Write the contest as "
            '{"standings": [["ann", 1, 300], ["bob", 2, 250]]}, with handle, rank and score, or save the rows as a '
            "table (CSV) with the columns handle, rank and score."
        )
        raise UnreadableError(message, row=line)


def _is_row(value: object) -> bool:
    """Whether a value is an object with the rank or score of a player, or a list such as ["ann", 1, 300]."""
    if not isinstance(value, dict):
        return _is_plain_row(value)
    plain = {field_of(key) for key, each in value.items() if not isinstance(each, dict | list)}
    return "standings" not in value and not plain.isdisjoint(("rank", "score"))


def _is_plain_row(value: object) -> bool:
    kinds = set(map(type, value)) if isinstance(value, list) else set()
    return str in kinds and not kinds.isdisjoint((int, float))
