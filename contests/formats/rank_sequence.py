"""Check that ranks are competition ranks: 1 plus the number of better rows, and shared by players who tie."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy, ngettext

from contests.formats.places import and_more, report_missing, row_in_words
from contests.ranking import one_row_a_team
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats.base import Reading, Rows

_RULE = gettext_lazy("a rank is 1 plus the number of better rows, and tied players share it (1, 2, 2, 4)")


@dataclass(slots=True)
class _Break:
    row: int
    place: int
    expected: int
    below: int = 0


def check_places(rows: Rows, reading: Reading) -> None:
    """
    Report ranks that are competition ranks neither of all rows nor of the ranked ones.

    If the rows are in rank order, a rank that jumps leaves no doubt who was better. It is only a warning, since
    standings of one school or country have such gaps. Neither do ranks without a gap after ties (1, 2, 2, 3); in a
    table made by hand, they become competition ranks. Other unexpected ranks are errors.
    """
    ranked = rows.ranked()
    if len(ranked) == len(rows.places) and rows.teams is None and is_in_sequence(rows.places):
        return
    if report_missing(rows, "rank", reading):
        return
    placed = [i for i, place in enumerate(rows.places) if place is not None]
    is_in_order = all(above <= below for above, below in pairwise(rows.places[i] or 0 for i in placed))
    found = _fewest_breaks(rows, ranked, placed, is_in_order=is_in_order)
    by_hand = rows.scores_decide and rows.teams is None
    if found and by_hand and is_in_order and _is_dense([rows.places[i] or 0 for i in placed]):
        _close_up(rows, placed, reading)
        return
    if not is_in_order and found and (stray := _stray_repetition(rows, ranked, placed)) is not None:
        _report_repetition(rows, *stray, reading)
        return
    jumps = [each for each in found if _is_jump(each, is_in_order=is_in_order)]
    if jumps:
        _report_jumps(rows, jumps, reading)
    for each in found:
        if each not in jumps:
            _report_break(rows, each, reading, is_in_order=is_in_order)


def _fewest_breaks(rows: Rows, ranked: list[int], placed: list[int], *, is_in_order: bool) -> list[_Break]:
    """Return the breaks for the best-fitting way of counting: ranked or all rows, teams as one or not."""
    attempts = [_breaks(rows, _units(rows, part)) for part in (ranked, placed)]
    if rows.teams is not None:
        attempts += [_breaks(rows, part) for part in (ranked, placed)]

    def badness(breaks: list[_Break]) -> tuple[int, int]:
        return sum(not _is_jump(each, is_in_order=is_in_order) for each in breaks), len(breaks)

    return min(attempts, key=badness)


def _is_dense(places: Sequence[int]) -> bool:
    """Whether ascending places are 1, 2, 3 and so on, without a gap after places that are shared."""
    return bool(places) and places[0] == 1 and all(below - above in (0, 1) for above, below in pairwise(places))


def _close_up(rows: Rows, placed: list[int], reading: Reading) -> None:
    """Make ranks without gaps competition ranks, with a warning at the first one that changes."""
    given = [rows.places[i] or 0 for i in placed]
    first_of = {place: at for at, place in reversed(list(enumerate(given, 1)))}
    changed = next(i for i, place in zip(placed, given, strict=True) if first_of[place] != place)
    text = gettext(
        "the ranks continue without a gap after a tie, so Podium counts this rank as %(rank)s: %(rule)s. If the rows "
        "above did not tie, correct their ranks."
    )
    place = rows.places[changed] or 0
    rows.warn(reading, changed, "rank", text % {"rank": first_of[place], "rule": _RULE}, place)
    places = iter([first_of[place] for place in given])
    rows.places = [None if place is None else next(places) for place in rows.places]


def _stray_repetition(rows: Rows, ranked: list[int], placed: list[int]) -> tuple[int, int] | None:
    """
    Return the one row out of order that repeats the rank of another row, and that row, if all other ranks are right.

    The rank of the row out of order is probably a typing error. The others are right if they fit once this row is left
    out, or has the rank that its position or the row above it suggests. Without this rule, Podium would report a right
    rank below the repeated one.
    """
    places = [rows.places[i] or 0 for i in placed]
    drop = next(at for at, (above, below) in enumerate(pairwise(places)) if above > below)
    for at in (drop + 1, drop):
        stray, rest = placed[at], places[:at] + places[at + 1 :]
        if rest != sorted(rest) or places[at] not in rest:
            continue
        suggested = [at + 1, *places[max(0, at - 1) : at]]
        without = [[each for each in part if each != stray] for part in (ranked, placed)]
        if not _fewest_breaks(rows, *without, is_in_order=True) or any(
            not _fewest_breaks(_with_place(rows, stray, place), ranked, placed, is_in_order=True) for place in suggested
        ):
            return stray, next(i for i in placed if i != stray and rows.places[i] == places[at])
    return None


def _with_place(rows: Rows, i: int, place: int) -> Rows:
    changed = copy(rows)
    changed.places = [*rows.places[:i], place, *rows.places[i + 1 :]]
    return changed


def _report_repetition(rows: Rows, stray: int, other: int, reading: Reading) -> None:
    line, _ = rows.locate(other, "rank")
    text = gettext(
        "%(where)s has rank %(rank)s too, so the ranks after %(rank)s don’t fit. Correct the rank of one of the two. "
        "If they tied, correct the ranks after %(rank)s: %(rule)s."
    )
    text %= {"where": row_in_words(rows, other, line, reading), "rank": rows.places[stray], "rule": _RULE}
    rows.error(reading, stray, "rank", text, rows.places[stray], other)


def _is_jump(found: _Break, *, is_in_order: bool) -> bool:
    return is_in_order and found.place > found.expected


def _report_break(rows: Rows, found: _Break, reading: Reading, *, is_in_order: bool) -> None:
    below = ngettext(
        "; %(number)s row below needs a different rank too",
        "; %(number)s rows below need a different rank too",
        found.below,
    )
    also = below % {"number": grouped(found.below)} if found.below else ""
    text = gettext("expected rank %(expected)s here%(also)s: %(rule)s.")
    text %= {"expected": found.expected, "also": also, "rule": _RULE}
    if not is_in_order and found.place > found.expected:
        remedy = gettext("If the rows with the ranks in between are missing on purpose, sort the table by rank.")
        text = f"{text} {remedy}"
    rows.error(reading, found.row, "rank", text, found.place)


def _report_jumps(rows: Rows, jumps: list[_Break], reading: Reading) -> None:
    rows.warn(
        reading,
        jumps[0].row,
        "rank",
        gettext(
            "the rank jumps here; %(expected)s was expected%(jumps)s. Check whether rows are missing; if "
            "not, you can ignore this, because only the order of the ranks counts."
        )
        % {"expected": jumps[0].expected, "jumps": and_more(len(jumps))},
        jumps[0].place,
    )


def is_in_sequence(places: Sequence[int | None]) -> bool:
    """Whether the places are competition ranks in row order: the common case, in one pass."""
    previous = None
    for expected, place in enumerate(places, 1):
        if place != expected and (place != previous or place is None):
            return False
        previous = place
    return True


def _units(rows: Rows, part: list[int]) -> list[int]:
    """Return the first row of each team, and the rows without a team."""
    if rows.teams is None:
        return part
    return [part[k] for k in one_row_a_team([rows.teams[i] for i in part])]


def _breaks(rows: Rows, part: list[int]) -> list[_Break]:
    """
    Return the rows whose rank fits neither the number of better rows nor the rank above.

    Ranks that are wrong only because of a wrong rank above count towards that rank's break.
    """
    placed = sorted((place, i) for i in part if (place := rows.places[i]) is not None)
    breaks: list[_Break] = []
    previous, follows, expected = 0, 1, 1
    for above, (place, i) in enumerate(placed):
        if place == previous:
            follows += 1
        else:
            expected = above + 1
            if place not in (expected, follows):
                # Ranks below a jump can continue from it.
                breaks.append(_Break(i, place, max(expected, follows)))
                previous, follows = place, place + 1
                continue
            previous, follows = place, place + 1
        if place != expected:
            breaks[-1].below += 1
    return breaks
