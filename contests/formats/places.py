"""Check the scores and times of a contest against its places, and derive places from scores."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from django.utils.translation import gettext, gettext_lazy, ngettext

from contests.ranking import close_up, competition_ranks
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django_stubs_ext import StrOrPromise

    from contests.formats.base import Reading, Rows


#: The largest usual ratio of two times in one contest. Between 38:12:00 and 1:02:33 it is 37.
_MOST_SPREAD = 12.0


_MISSING: dict[str, StrOrPromise] = {
    "rank": gettext_lazy("this player has no rank; enter the rank, or a code such as DNF, DNS or DSQ."),
    "score": gettext_lazy("this player has no score; enter the score, or a code such as DNF, DNS or DSQ."),
    "penalty": gettext_lazy("this player has no time; enter the time, or a code such as DNF, DNS or DSQ."),
}


def report_missing(rows: Rows, field: Literal["rank", "score", "penalty"], reading: Reading) -> bool:
    """
    Report ranked rows without a rank, score or time; return whether there are any.

    Rows whose rank, score, time or status could not be read have an error already.
    """
    values = {"rank": rows.places, "score": rows.scores, "penalty": rows.penalties or ()}[field]
    missing = [i for i in rows.ranked() if values[i] is None]
    if not missing:
        return False
    faulty = {(problem.contest, problem.row, problem.column) for problem in reading.report.errors}
    for i in missing:
        if faulty.isdisjoint((rows.contest, *rows.locate(i, name)) for name in (*_MISSING, "status")):
            rows.error(reading, i, field, str(_MISSING[field]))
    return True


def places_from_scores(rows: Rows, reading: Reading) -> list[int | None]:
    """
    Return places by score and penalty for all rows with a score; report ranked rows without one.

    Without any score, the penalties decide, as the times of a race do.
    """
    if has_times_alone(rows):
        text = gettext(
            "there are no ranks and no scores, so Podium ranks the players by this column, the lowest value first."
        )
        rows.warn(reading, 0, "penalty", text)
        report_missing(rows, "penalty", reading)
        _check_zeros(rows, reading)
        scored = [(i, 0.0) for i, penalty in enumerate(rows.penalties or ()) if penalty is not None]
    else:
        report_missing(rows, "score", reading)
        scored = [(i, score) for i, score in enumerate(rows.scores) if score is not None]
        _check_direction(rows, scored, reading)
    penalties = [(rows.penalties[i] or 0.0) if rows.penalties else 0.0 for i, _ in scored]
    ranks = competition_ranks([score for _, score in scored], penalties)
    if rows.teams is not None:
        ranks = close_up(ranks, [rows.teams[i] for i, _ in scored])
    places: list[int | None] = [None] * len(rows.scores)
    for (i, _), place in zip(scored, ranks, strict=True):
        places[i] = place
    return places


def _check_zeros(rows: Rows, reading: Reading) -> None:
    """Warn once if times of zero decide the first place: timing systems write them for players who did not start."""
    times = rows.penalties or ()
    zeros = [i for i in rows.ranked() if times[i] == 0.0]
    if rows.has_times and zeros and any(times):
        text = gettext(
            "this time is zero, so the player is ranked first%(more)s. If the player did not start or finish, enter a "
            "code such as DNS or DNF instead of the time."
        )
        rows.warn(reading, zeros[0], "penalty", text % {"more": and_more(len(zeros))})


def _check_direction(rows: Rows, scored: Sequence[tuple[int, float]], reading: Reading) -> None:
    """Warn if the rows without ranks begin with the lowest score: it can be the best, as in golf."""
    scores = [score for _, score in scored]
    if len(set(scores)) > 1 and scores == sorted(scores):
        text = gettext(
            "there are no ranks, so Podium ranks the players by this column, the highest score first, although the "
            "file begins with the lowest one. If the lowest score wins, make this column the penalty, or add ranks."
        )
        rows.warn(reading, scored[0][0], "score", text)


def has_times_alone(rows: Rows) -> bool:
    """Whether the rows have penalties, which can be times, but no scores."""
    has_scores = any(score is not None for score in rows.scores)
    return not has_scores and any(penalty is not None for penalty in rows.penalties or ())


class _Group(NamedTuple):
    """Ranked rows with the same place: the place, and the rows with the lowest and the highest score or time."""

    place: int
    low: float
    low_row: int
    high: float
    high_row: int


def check_scores(rows: Rows, reading: Reading) -> None:
    """
    Compare the ranks of the ranked rows with their scores.

    Scores can be points (higher is better) or times (lower is better); the direction with fewer contradictions is
    used. Contradictions are errors if the scores decide, otherwise one warning for the contest. Equal ranks with
    different scores and equal scores with different ranks can be tie-breaks, so they are warnings.
    """
    groups = _groups(rows, rows.scores)
    if len(groups) < 2 and all(group.low == group.high for group in groups):
        return
    rising = [(a, b) for a, b in pairwise(groups) if b.high > a.low]
    falling = [(a, b) for a, b in pairwise(groups) if b.low < a.high]
    if rising and len(falling) < len(rising):
        _report_lower_is_better(rows, falling, reading)
    elif rising:
        pairs = [(a, a.low, a.low_row, b, b.high, b.high_row) for a, b in rising]
        _report_contradictions(rows, pairs, "higher", reading)
    if rows.scores_decide:
        _report_tie_breaks(rows, groups, reading)


def check_times(rows: Rows, reading: Reading) -> None:
    """
    Warn once if ranks contradict times that stand alone, without scores, or else if one time is far above another.

    The usual reasons are gaps behind the winner, and hours and minutes that are read as minutes and seconds.
    """
    if not rows.has_times or not has_times_alone(rows):
        return
    times = rows.penalties or ()
    groups = _groups(rows, times)
    wrong = [(a, b) for a, b in pairwise(groups) if b.low < a.high]
    if wrong:
        better, group = wrong[0]
        line, _ = rows.locate(better.high_row, "penalty")
        text = gettext(
            "rank %(rank)s has a shorter time than rank %(better_rank)s (%(where)s)%(more)s; Podium uses the ranks. "
            "Check the times: 1:04 means 1 minute and 4 seconds. Enter each player’s total time, not the gap to the "
            "winner."
        )
        text %= {
            "rank": group.place,
            "better_rank": better.place,
            "where": row_in_words(rows, better.high_row, line, reading),
            "more": and_more(len(wrong)),
        }
        rows.warn(reading, group.low_row, "penalty", text)
    else:
        _check_spread(rows, times, reading)
    uneven = [group for group in groups if group.low != group.high]
    if uneven:
        text = gettext("players with different times share rank %(place)s%(uneven)s; Podium uses the ranks.")
        text %= {"place": uneven[0].place, "uneven": and_more(len(uneven))}
        rows.warn(reading, uneven[0].high_row, "penalty", text)


def _check_spread(rows: Rows, times: Sequence[float | None], reading: Reading) -> None:
    """Warn once if the longest time is many times the shortest one: spreadsheets turn 58:12 into 58:12:00."""
    found = [(time, i) for i in rows.ranked() if (time := times[i]) is not None and time > 0.0]
    shortest, short_row = min(found, default=(0.0, 0))
    longest, long_row = max(found, default=(0.0, 0))
    if longest > _MOST_SPREAD * shortest:
        line, _ = rows.locate(short_row, "penalty")
        text = gettext(
            "this time is %(factor)s times as long as the one in %(where)s. Check both: 58:12 means 58 minutes and "
            "12 seconds, and 58:12:00 means 58 hours and 12 minutes."
        )
        text %= {"factor": grouped(round(longest / shortest)), "where": row_in_words(rows, short_row, line, reading)}
        rows.warn(reading, long_row, "penalty", text)


def _report_lower_is_better(rows: Rows, falling: list[tuple[_Group, _Group]], reading: Reading) -> None:
    if falling:
        pairs = [(a, a.high, a.high_row, b, b.low, b.low_row) for a, b in falling]
        _report_contradictions(rows, pairs, "lower", reading)
    elif rows.scores_decide:
        rows.warn(
            reading,
            0,
            "score",
            gettext(
                "better ranks always have lower scores, so Podium treats lower scores as better; if that is wrong, "
                "correct the ranks."
            ),
        )


#: The messages about a rank whose score beats that of a better rank, by which scores are better: higher or lower.
_TO_CORRECT = {
    "higher": gettext_lazy(
        "rank %(rank)s has a higher score than rank %(better_rank)s (%(score)s in %(where)s); correct the rank or the "
        "score, or delete the score column if scores do not decide the ranks."
    ),
    "lower": gettext_lazy(
        "rank %(rank)s has a lower score than rank %(better_rank)s (%(score)s in %(where)s); correct the rank or the "
        "score, or delete the score column if scores do not decide the ranks."
    ),
}
_IGNORED = {
    "higher": gettext_lazy(
        "rank %(rank)s has a higher score than rank %(better_rank)s (%(score)s in %(where)s)%(more)s; Podium uses the "
        "ranks."
    ),
    "lower": gettext_lazy(
        "rank %(rank)s has a lower score than rank %(better_rank)s (%(score)s in %(where)s)%(more)s; Podium uses the "
        "ranks."
    ),
}


def _report_contradictions(
    rows: Rows, pairs: list[tuple[_Group, float, int, _Group, float, int]], better: str, reading: Reading
) -> None:
    for better_group, score, row, group, other, other_row in pairs:
        line, _ = rows.locate(row, "rank")
        where = row_in_words(rows, row, line, reading)
        numbers = {
            "rank": group.place,
            "better_rank": better_group.place,
            "score": _plain(score),
            "where": where,
            "more": and_more(len(pairs)),
        }
        if rows.scores_decide:
            rows.error(reading, other_row, "score", _TO_CORRECT[better] % numbers, _plain(other), row)
            continue
        rows.warn(reading, other_row, "score", _IGNORED[better] % numbers, _plain(other))
        return


def _report_tie_breaks(rows: Rows, groups: list[_Group], reading: Reading) -> None:
    uneven = [group for group in groups if group.low != group.high]
    if uneven:
        rows.warn(
            reading,
            uneven[0].low_row,
            "score",
            gettext("players with different scores share rank %(place)s%(uneven)s; Podium uses the ranks.")
            % {"place": uneven[0].place, "uneven": and_more(len(uneven))},
        )
    if rows.penalties is not None:
        return
    split = [(a, b) for a, b in pairwise(groups) if a.low == a.high == b.low == b.high]
    if split:
        rows.warn(
            reading,
            split[0][1].low_row,
            "rank",
            gettext(
                "players with equal scores have different ranks (%(place)s and %(next)s)%(split)s; Podium uses the "
                "ranks, as after a tie-break."
            )
            % {"place": split[0][0].place, "next": split[0][1].place, "split": and_more(len(split))},
        )


def _plain(score: float) -> str:
    """Return a score with all its digits, without ".0" for a whole number."""
    return repr(score).removesuffix(".0")


def and_more(number: int) -> str:
    """Return how many further ranks have the same problem, as part of a message."""
    if number < 2:
        return ""
    text = ngettext(
        " (the same happens in %(number)s more row)", " (the same happens in %(number)s more rows)", number - 1
    )
    return text % {"number": grouped(number - 1)}


def row_in_words(rows: Rows, i: int, line: int | None, reading: Reading) -> str:
    """Return the place of a row in words, as part of a message."""
    if rows.contest:
        return gettext("row %(number)s of the standings") % {"number": rows.numbers[i]}
    return reading.at_line(line)


def _groups(rows: Rows, scores: Sequence[float | None]) -> list[_Group]:
    """Group the ranked rows that have a place and a score (or time) by place, best first."""
    found: dict[int, _Group] = {}
    places = rows.places
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
