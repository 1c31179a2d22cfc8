"""What a JSON object says of a contest apart from its standings."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from contests.formats.base import Heading
from contests.formats.json.values import REPEATED, is_far_too_long
from contests.formats.values import from_epoch, parse_moment
from contests.handles import check_handle, normalize_handle

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from contests.formats.base import Reading

KEYS = ("id", "name", "url", "start_time", "end_time", "time_seconds", "weight", "perf_ceiling", "standings")
#: Where a file that was handed back with its problems has them; it may be sent in again as it is.
REMARKS = "remarks"
_MOST_ID, _MOST_NAME, _MOST_URL = 120, 300, 500
_MOST_WEIGHT = 1000.0
_MOST_POINTS = 1e6


class HeadingFields:
    """Reads the fields of one contest object; every problem goes to the reading, with line and field."""

    def __init__(self, value: dict[str, object], line: int, label: str, reading: Reading) -> None:
        self._value, self._line, self._reading = value, line, reading
        identifier = value.get("id")
        self.label = identifier[:80] if isinstance(identifier, str) and identifier else label
        # The reference implementation's files count ranks from 0 and give the moment in seconds.
        self.is_reference = "time_seconds" in value and "end_time" not in value

    def error(self, field: str, message: str, value: object = None) -> None:
        self._reading.error(message, row=self._line, column=field, value=value, contest=self.label)

    def check_keys(self, known_already: set[str]) -> None:
        """Report repeated keys, and unknown ones the first time that they come in the file."""
        repeated = self._value.pop(REPEATED, ())
        for key in repeated if isinstance(repeated, list) else ():
            self.error(key, "the key stands twice in one object; delete one of the two.")
        for key in self._value:
            if key in KEYS or key == REMARKS or key in known_already or len(known_already) > 100:
                continue
            known_already.add(key)
            near = difflib.get_close_matches(key[:40], KEYS, n=1)
            hint = f"did you mean “{near[0]}”?" if near else f"known are {', '.join(KEYS)}."
            self._reading.warn(f"unknown key, left out; {hint}", row=self._line, value=key, contest=self.label)

    def heading(self, key: str) -> Heading:
        """Return the heading; `key` is the contest's id if the object has none."""
        ends_at = (
            self._moment("time_seconds", from_epoch) if self.is_reference else self._moment("end_time", parse_moment)
        )
        starts_at = self._moment("start_time", parse_moment)
        if starts_at is not None and ends_at is not None and ends_at < starts_at:
            self.error("end_time", f"the contest ends before it starts ({starts_at:%Y-%m-%d %H:%M} UTC); correct one.")
        return Heading(
            key=self._identifier() or key,
            name=self._text("name", _MOST_NAME),
            url=self._url(),
            ends_at=ends_at,
            starts_at=starts_at,
            weight=self._number("weight", 0.0, _MOST_WEIGHT) or 1.0,
            perf_ceiling=self._number("perf_ceiling", -_MOST_POINTS, _MOST_POINTS),
        )

    def _moment(self, field: str, parse: Callable[[object], datetime]) -> datetime | None:
        value = self._value.get(field)
        if value is None:
            return None
        try:
            return parse(value)
        except ValueError as error:
            self.error(field, f"{error}.", value)
            return None

    def _identifier(self) -> str:
        value = self._value.get("id")
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64:
            return str(value)
        text = self._text("id", _MOST_ID)
        if isinstance(value, str) and not value.strip():
            self.error("id", "the id is empty; give the contest an id, or leave the key out.", value)
        return text

    def _text(self, field: str, most: int) -> str:
        value = self._value.get(field)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.error(field, "text is expected here.", value)
            return ""
        text = value if is_far_too_long(value) else normalize_handle(value)
        if len(text) > most:
            self.error(field, f"has {len(text):,} characters; at most {most} are allowed.", value)
            return ""
        # The rules for names are the same as for handles, but for the length.
        faults = check_handle(text[:100]) or check_handle(text[-100:]) if text else None
        if faults:
            self.error(field, f"{faults}.", value)
        return text

    def _url(self) -> str:
        url = self._text("url", _MOST_URL)
        if url and not url.lower().startswith(("http://", "https://")):
            self.error("url", "an address that begins with https:// or http:// is expected.", url)
            return ""
        return url

    def _number(self, field: str, above: float, most: float) -> float | None:
        value = self._value.get(field)
        if value is None:
            return None
        # NaN fails every comparison, and integers too large for a float are compared exactly.
        if isinstance(value, int | float) and not isinstance(value, bool) and above < value <= most:
            return float(value)
        self.error(field, f"a number above {above:g}, at most {most:g}, is expected.", value)
        return None
