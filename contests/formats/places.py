"""Ranks and scores of a contest: the order they say, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from contests.ranking import close_up, competition_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats.base import Reading
    from contests.formats.rows import Rows

_RULE = "a rank is 1 plus the number of better rows, and equals share it (1, 2, 2, 4)"


@dataclass(slots=True)
class _Break:
    row: int
    place: int
    expected: int
    below: int = 0


def check_places(rows: Rows, reading: Reading) -> None:
    """
    Report where the ranks are not competition ranks, neither of all rows nor of the ranked ones.

    A rank that jumps, in rows that are in the order of their ranks, leaves no doubt who was better: a remark, since
    rows may be missing from standings of one school or country. Other ranks that do not follow are errors.
    """
    ranked = rows.ranked()
    if len(ranked) == len(rows.places) and rows.teams is None and is_in_sequence(rows.places):
        return
    missing = [i for i in ranked if rows.places[i] is None]
    for i in missing:
        rows.error(
            reading, i, "rank",
            "a ranked player has no rank; give the rank, or the status “unofficial” or “disqualified”.",
        )  # fmt: skip
    if missing:
        return
    placed = [i for i, place in enumerate(rows.places) if place is not None]
    attempts = [_breaks(rows, _units(rows, part)) for part in (ranked, placed)]
    if rows.teams is not None:
        attempts += [_breaks(rows, part) for part in (ranked, placed)]
    is_in_order = all(above <= below for above, below in pairwise(rows.places[i] or 0 for i in placed))
    found_least = min(attempts, key=lambda breaks: (_count_errors(breaks, is_in_order=is_in_order), len(breaks)))
    jumps = [found for found in found_least if is_in_order and found.place > found.expected]
    if jumps:
        _tell_jumps(rows, jumps, reading)
    for found in found_least:
        if found in jumps:
            continue
        also = f" (and so {found.below:,} more rows below are off)" if found.below else ""
        rows.error(
            reading, found.row, "rank", f"expected rank {found.expected} here{also}: {_RULE}.", found.place,
        )  # fmt: skip


def _count_errors(breaks: Sequence[_Break], *, is_in_order: bool) -> int:
    return sum(1 for found in breaks if not (is_in_order and found.place > found.expected))


def _tell_jumps(rows: Rows, jumps: list[_Break], reading: Reading) -> None:
    more = f" (and at {len(jumps) - 1:,} more ranks)" if len(jumps) > 1 else ""
    rows.warn(
        reading, jumps[0].row, "rank",
        f"the rank jumps here: {jumps[0].expected} would follow{more}. Are rows missing? If not, leave it: the order "
        "of the ranks is what counts.",
        jumps[0].place,
    )  # fmt: skip


def is_in_sequence(places: Sequence[int | None]) -> bool:
    """Whether the places, from the first row on, are competition ranks in order: the common case, in one pass."""
    previous = None
    for expected, place in enumerate(places, 1):
        if place != expected and (place != previous or place is None):
            return False
        previous = place
    return True


def teams_share(rows: Rows, values: Sequence[float | None]) -> bool:
    """Whether the members of each team have one value, so that the column names teams, not clubs or employers."""
    value_of: dict[str, float | None] = {}
    pairs = zip(rows.teams or (), values, strict=False)
    return all(value_of.setdefault(team, value) == value for team, value in pairs if team and value is not None)


def places_from_scores(rows: Rows, reading: Reading) -> list[int | None]:
    """Return the places that scores and penalties make, of all rows with a score; a ranked row without is an error."""
    for i in rows.ranked():
        if rows.scores[i] is None:
            rows.error(
                reading, i, "score",
                "a ranked player has no score; give the score, or the status “unofficial” or “disqualified”.",
            )  # fmt: skip
    scored = [(i, score) for i, score in enumerate(rows.scores) if score is not None]
    penalties = [(rows.penalties[i] or 0.0) if rows.penalties else 0.0 for i, _ in scored]
    ranks = competition_ranks([score for _, score in scored], penalties)
    if rows.teams is not None:
        ranks = close_up(ranks, [rows.teams[i] for i, _ in scored])
    places: list[int | None] = [None] * len(rows.scores)
    for (i, _), place in zip(scored, ranks, strict=True):
        places[i] = place
    return places


def _units(rows: Rows, part: list[int]) -> list[int]:
    """Return one row for each team, and the rows without a team."""
    if rows.teams is None:
        return part
    seen: set[str] = set()
    units = []
    for i in part:
        team = rows.teams[i]
        if team in seen:
            continue
        if team:
            seen.add(team)
        units.append(i)
    return units


def _breaks(rows: Rows, part: list[int]) -> list[_Break]:
    """
    Return the rows whose rank follows neither from the number of better rows nor from the rank above.

    A rank that is off only because one above it is off belongs to that one's break.
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
                # Below a jump the ranks go on from it, so they are measured by it too.
                breaks.append(_Break(i, place, max(expected, follows)))
                previous, follows = place, place + 1
                continue
            previous, follows = place, place + 1
        if place != expected:
            breaks[-1].below += 1
    return breaks
