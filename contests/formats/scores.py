"""Whether ranks and scores tell the same story."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from contests.formats.base import Reading
    from contests.formats.rows import Rows


class _Group(NamedTuple):
    """The ranked rows that share a place: the place, and the rows with the lowest and the highest score."""

    place: int
    low: float
    low_row: int
    high: float
    high_row: int


def check_scores(rows: Rows, reading: Reading) -> None:
    """
    Compare the ranks of the ranked rows with their scores.

    Scores may be points (higher is better) or times (lower is better): whichever contradicts fewer ranks is meant. What
    contradicts that is an error if the scores decide, otherwise one remark a contest. Equal ranks with unequal scores
    and equal scores with unequal ranks can be tie-breaks: remarks.
    """
    groups = _groups(rows)
    if len(groups) < 2 and all(group.low == group.high for group in groups):
        return
    rising = [(a, b) for a, b in pairwise(groups) if b.high > a.low]
    falling = [(a, b) for a, b in pairwise(groups) if b.low < a.high]
    if rising and len(falling) < len(rising):
        _tell_lower_is_better(rows, falling, reading)
    elif rising:
        _tell_contradictions(rows, [(a, a.low, a.low_row, b, b.high, b.high_row) for a, b in rising], "higher", reading)
    if rows.scores_decide:
        _tell_tie_breaks(rows, groups, reading)


def _tell_lower_is_better(rows: Rows, falling: list[tuple[_Group, _Group]], reading: Reading) -> None:
    if falling:
        pairs = [(a, a.high, a.high_row, b, b.low, b.low_row) for a, b in falling]
        _tell_contradictions(rows, pairs, "lower", reading)
    elif rows.scores_decide:
        rows.warn(
            reading, 0, "score",
            "the better ranks have the lower scores throughout, so lower is taken as better; if that is wrong, correct "
            "the ranks.",
        )  # fmt: skip


def _tell_contradictions(
    rows: Rows, pairs: list[tuple[_Group, float, int, _Group, float, int]], better: str, reading: Reading
) -> None:
    for better_group, score, row, group, other, other_row in pairs:
        line, _ = rows.locate(row, "rank")
        where = f"standing {rows.numbers[row]}" if rows.contest else f"{reading.line_word} {line}"
        says = (
            f"rank {group.place} has a {better} score than the {_plain(score)} of rank {better_group.place} ({where})"
        )
        if rows.scores_decide:
            remedy = "correct the rank or the score; if scores do not decide here, delete the score column"
            rows.error(reading, other_row, "score", f"{says}; {remedy}.", _plain(other))
            continue
        rows.warn(reading, other_row, "score", f"{says}{_and_more(len(pairs))}; the ranks count.", _plain(other))
        return


def _tell_tie_breaks(rows: Rows, groups: list[_Group], reading: Reading) -> None:
    uneven = [group for group in groups if group.low != group.high]
    if uneven:
        rows.warn(
            reading, uneven[0].low_row, "score",
            f"players with unequal scores share rank {uneven[0].place}{_and_more(len(uneven))}; the ranks count.",
        )  # fmt: skip
    if rows.penalties is not None:
        return
    split = [(a, b) for a, b in pairwise(groups) if a.low == a.high == b.low == b.high]
    if split:
        rows.warn(
            reading, split[0][1].low_row, "rank",
            f"players with equal scores have the unequal ranks {split[0][0].place} and {split[0][1].place}"
            f"{_and_more(len(split))}; the ranks count, as after a tie-break.",
        )  # fmt: skip


def _plain(score: float) -> str:
    """Write a score with all its digits, and without those of a whole number's fraction."""
    return repr(score).removesuffix(".0")


def _and_more(number: int) -> str:
    return f" (and so at {number - 1:,} more ranks)" if number > 1 else ""


def _groups(rows: Rows) -> list[_Group]:
    """Return the places of the ranked rows that have a place and a score, best first."""
    found: dict[int, _Group] = {}
    places, scores = rows.places, rows.scores
    for i in rows.ranked():
        place, score = places[i], scores[i]
        if place is None or score is None:
            continue
        group = found.get(place)
        if group is None:
            found[place] = _Group(place, score, i, score, i)
        elif score < group.low:
            found[place] = group._replace(low=score, low_row=i)
        elif score > group.high:
            found[place] = group._replace(high=score, high_row=i)
    return [found[place] for place in sorted(found)]
