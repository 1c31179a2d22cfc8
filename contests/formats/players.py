"""The handles of a contest: clean, allowed, and no player twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.handles import clean_handle, handle_key, is_plain, printable, with_number

if TYPE_CHECKING:
    from contests.formats.base import Reading, Rows

_MOST = 500_000


class HandleKeys(dict[str, str | None]):
    """Handle -> key for handles that are kept as they came, None for those that need a closer look."""

    def __missing__(self, handle: str) -> str | None:
        if len(self) > _MOST:
            self.clear()
        if is_plain(handle):
            key: str | None = handle.lower()
        else:
            cleaned = clean_handle(handle)
            key = None if cleaned.handle != handle or cleaned.remarks or cleaned.faults else handle_key(handle)
        self[handle] = key
        return key


def checked_handles(rows: Rows, keys: HandleKeys, reading: Reading) -> list[str]:
    """Return the handles as they are kept; errors and repairs are told to `reading`."""
    found = [keys[handle] for handle in rows.handles]
    handles = list(rows.handles)
    if None in found:
        for i in [i for i, key in enumerate(found) if key is None]:
            handles[i] = _cleaned(rows, i, reading)
            found[i] = handle_key(handles[i]) or f"\0{i}"  # an empty name is an error already, not a duplicate too
    if len(set(found)) < len(found):
        _tell_duplicates(rows, handles, [key or "" for key in found], reading)
    return handles


def _cleaned(rows: Rows, i: int, reading: Reading) -> str:
    handle = rows.handles[i]
    place = rows.places[i]
    origin = f"{rows.contest or reading.filename}, {'row' if place is None else 'rank'} {place or rows.numbers[i]}"
    cleaned = clean_handle(handle, repair=reading.repair, origin=printable(origin, 90))
    for fault in cleaned.faults:
        rows.error(reading, i, "handle", f"{fault}.", handle)
    for remark in cleaned.remarks:
        rows.warn(reading, i, "handle", f"{remark}.", handle)
    return cleaned.handle


def _tell_duplicates(rows: Rows, handles: list[str], keys: list[str], reading: Reading) -> None:
    """Report each later row of a player; in repair mode tell it apart by a number."""
    first: dict[str, int] = {}
    for i, key in enumerate(keys):
        if key not in first:
            first[key] = i
            continue
        line, _ = rows.locate(first[key], "handle")
        where = f"standing {rows.numbers[first[key]]}" if rows.contest else f"{reading.line_word} {line}"
        earlier = f"“{printable(handles[first[key]])}” in {where}"
        if not reading.repair:
            rows.error(
                reading, i, "handle",
                f"the same player stands in the contest already, as {earlier} (upper and lower case are not told "
                "apart); delete one of the two rows, or give the players different handles.",
                rows.handles[i],
            )  # fmt: skip
            continue
        number = 2
        while handle_key(with_number(handles[i], number)) in first:
            number += 1
        handles[i] = with_number(handles[i], number)
        first[handle_key(handles[i])] = i
        rows.warn(reading, i, "handle", f"the same player as {earlier}; called “{handles[i]}”.", rows.handles[i])
