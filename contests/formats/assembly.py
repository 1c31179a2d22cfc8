"""Checks of one contest that all formats share: handles, ranks and scores; sound rows become a ParsedContest."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext, gettext_lazy, ngettext

from contests.formats.base import Heading, ParsedContest, ParsedStanding
from contests.handles import clean_handle, handle_key, is_plain, printable, with_number
from contests.ranking import close_up, competition_ranks, one_row_a_team
from contests.wording import grouped, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats.base import Reading, Report, Rows


_MAX_KEYS = 500_000


class HandleKeys(dict[str, str | None]):
    """Handle -> key for handles that are valid as they are, None for those that need cleaning."""

    def __missing__(self, handle: str) -> str | None:
        if len(self) > _MAX_KEYS:
            self.clear()
        if is_plain(handle):
            key: str | None = handle.lower()
        else:
            cleaned = clean_handle(handle)
            key = None if cleaned.handle != handle or cleaned.remarks or cleaned.faults else handle_key(handle)
        self[handle] = key
        return key


def _checked_handles(rows: Rows, keys: HandleKeys, reading: Reading) -> list[str]:
    """Return the cleaned handles; report errors and repairs to `reading`."""
    found = [keys[handle] for handle in rows.handles]
    handles = list(rows.handles)
    if None in found:
        for i in [i for i, key in enumerate(found) if key is None]:
            handles[i] = _cleaned(rows, i, reading)
            found[i] = handle_key(handles[i]) or f"\0{i}"  # an empty name is already an error, so not also a duplicate
    if len(set(found)) < len(found):
        _report_duplicates(rows, handles, [key or "" for key in found], reading)
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


def _report_duplicates(rows: Rows, handles: list[str], keys: list[str], reading: Reading) -> None:
    """Report each later row of a player; in repair mode give it a number."""
    first: dict[str, int] = {}
    for i, key in enumerate(keys):
        if key not in first:
            first[key] = i
            continue
        line, _ = rows.locate(first[key], "handle")
        where = _where(rows, first[key], line, reading)
        known = quoted(printable(handles[first[key]]))
        if not reading.repair:
            same_case = "" if handles[i] == handles[first[key]] else gettext(" (upper and lower case are the same)")
            rows.error(
                reading,
                i,
                "handle",
                gettext(
                    "this player is already in the contest: %(where)s has the handle %(known)s%(same_case)s; delete "
                    "one of the two rows, or give the players different handles."
                )
                % {"where": where, "known": known, "same_case": same_case},
                rows.handles[i],
                first[key],
            )
            continue
        number = 2
        while handle_key(with_number(handles[i], number)) in first:
            number += 1
        handles[i] = with_number(handles[i], number)
        first[handle_key(handles[i])] = i
        message = gettext("this is the same player as %(known)s in %(where)s; the row was renamed to “%(handle)s”.") % {
            "known": known,
            "where": where,
            "handle": handles[i],
        }
        rows.warn(reading, i, "handle", message, rows.handles[i])


_RULE = gettext_lazy("a rank is 1 plus the number of better rows, and tied players share it (1, 2, 2, 4)")


@dataclass(slots=True)
class _Break:
    row: int
    place: int
    expected: int
    below: int = 0


def _check_places(rows: Rows, reading: Reading) -> None:
    """
    Report ranks that are not competition ranks, neither of all rows nor of the ranked ones.

    If the rows are in rank order, a rank that jumps leaves no doubt who was better. It is only a warning, since
    standings of one school or country have such gaps. Other unexpected ranks are errors.
    """
    ranked = rows.ranked()
    if len(ranked) == len(rows.places) and rows.teams is None and _is_in_sequence(rows.places):
        return
    if _report_missing(rows, ranked, reading):
        return
    placed = [i for i, place in enumerate(rows.places) if place is not None]
    is_in_order = all(above <= below for above, below in pairwise(rows.places[i] or 0 for i in placed))
    found = _fewest_breaks(rows, ranked, placed, is_in_order=is_in_order)
    jumps = [each for each in found if _is_jump(each, is_in_order=is_in_order)]
    if jumps:
        _report_jumps(rows, jumps, reading)
    for each in found:
        if each not in jumps:
            _report_break(rows, each, reading)


def _report_missing(rows: Rows, ranked: Sequence[int], reading: Reading) -> bool:
    """Report ranked rows without a rank; return whether there are any."""
    missing = [i for i in ranked if rows.places[i] is None]
    for i in missing:
        rows.error(
            reading, i, "rank",
            gettext("this player has no rank; add the rank, or the status “unofficial” or “disqualified”."),
        )  # fmt: skip
    return bool(missing)


def _fewest_breaks(rows: Rows, ranked: list[int], placed: list[int], *, is_in_order: bool) -> list[_Break]:
    """Return the breaks for the best-fitting way of counting: ranked or all rows, teams as one or not."""
    attempts = [_breaks(rows, _units(rows, part)) for part in (ranked, placed)]
    if rows.teams is not None:
        attempts += [_breaks(rows, part) for part in (ranked, placed)]

    def badness(breaks: list[_Break]) -> tuple[int, int]:
        return sum(not _is_jump(each, is_in_order=is_in_order) for each in breaks), len(breaks)

    return min(attempts, key=badness)


def _is_jump(found: _Break, *, is_in_order: bool) -> bool:
    return is_in_order and found.place > found.expected


def _report_break(rows: Rows, found: _Break, reading: Reading) -> None:
    below = ngettext(
        " (this also affects %(number)s row below)", " (this also affects %(number)s rows below)", found.below
    )
    also = below % {"number": grouped(found.below)} if found.below else ""
    rows.error(
        reading,
        found.row,
        "rank",
        gettext("expected rank %(expected)s here%(also)s: %(rule)s.")
        % {"expected": found.expected, "also": also, "rule": _RULE},
        found.place,
    )


def _report_jumps(rows: Rows, jumps: list[_Break], reading: Reading) -> None:
    rows.warn(
        reading,
        jumps[0].row,
        "rank",
        gettext(
            "the rank jumps here; %(expected)s was expected%(jumps)s. Check whether rows are missing; if "
            "not, you can ignore this, because only the order of the ranks counts."
        )
        % {"expected": jumps[0].expected, "jumps": _and_more(len(jumps))},
        jumps[0].place,
    )


def _is_in_sequence(places: Sequence[int | None]) -> bool:
    """Whether the places are competition ranks in row order: the common case, in one pass."""
    previous = None
    for expected, place in enumerate(places, 1):
        if place != expected and (place != previous or place is None):
            return False
        previous = place
    return True


def _teams_share(rows: Rows, values: Sequence[float | None]) -> bool:
    """Whether the members of each team have the same value, so the column names teams, not clubs or employers."""
    value_of: dict[str, float | None] = {}
    pairs = zip(rows.teams or (), values, strict=False)
    return all(value_of.setdefault(team, value) == value for team, value in pairs if team and value is not None)


def _places_from_scores(rows: Rows, reading: Reading) -> list[int | None]:
    """Return places by score and penalty for all rows with a score; report ranked rows without one."""
    for i in rows.ranked():
        if rows.scores[i] is None:
            rows.error(
                reading, i, "score",
                gettext("this player has no score; add the score, or the status “unofficial” or “disqualified”."),
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


class _Group(NamedTuple):
    """Ranked rows with the same place: the place, and the rows with the lowest and the highest score."""

    place: int
    low: float
    low_row: int
    high: float
    high_row: int


def _check_scores(rows: Rows, reading: Reading) -> None:
    """
    Compare the ranks of the ranked rows with their scores.

    Scores can be points (higher is better) or times (lower is better); the direction with fewer contradictions is
    used. Contradictions are errors if the scores decide, otherwise one warning for the contest. Equal ranks with
    different scores and equal scores with different ranks can be tie-breaks, so they are warnings.
    """
    groups = _groups(rows)
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
                "better ranks always have lower scores, so Podium takes lower scores as better; if that is wrong, "
                "correct the ranks."
            ),
        )


#: The messages about a rank with a better score than a better rank, by what counts as better.
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
        "rank %(rank)s has a higher score than rank %(better_rank)s (%(score)s in %(where)s)%(more)s; the ranks count."
    ),
    "lower": gettext_lazy(
        "rank %(rank)s has a lower score than rank %(better_rank)s (%(score)s in %(where)s)%(more)s; the ranks count."
    ),
}


def _report_contradictions(
    rows: Rows, pairs: list[tuple[_Group, float, int, _Group, float, int]], better: str, reading: Reading
) -> None:
    for better_group, score, row, group, other, other_row in pairs:
        line, _ = rows.locate(row, "rank")
        where = _where(rows, row, line, reading)
        numbers = {
            "rank": group.place,
            "better_rank": better_group.place,
            "score": _plain(score),
            "where": where,
            "more": _and_more(len(pairs)),
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
            gettext("players with different scores share rank %(place)s%(uneven)s; the ranks count.")
            % {"place": uneven[0].place, "uneven": _and_more(len(uneven))},
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
                "players with equal scores have different ranks (%(place)s and %(next)s)%(split)s; the "
                "ranks count, as after a tie-break."
            )
            % {"place": split[0][0].place, "next": split[0][1].place, "split": _and_more(len(split))},
        )


def _plain(score: float) -> str:
    """Return a score with all its digits, without ".0" for a whole number."""
    return repr(score).removesuffix(".0")


def _and_more(number: int) -> str:
    """Return how many further ranks have the same problem, as part of a message."""
    if number < 2:
        return ""
    text = ngettext(" (and at %(number)s more rank)", " (and at %(number)s more ranks)", number - 1)
    return text % {"number": grouped(number - 1)}


def _where(rows: Rows, i: int, line: int | None, reading: Reading) -> str:
    """Return the place of a row in words, as part of a message."""
    if rows.contest:
        return gettext("standing %(number)s") % {"number": rows.numbers[i]}
    return reading.at_line(line)


def _groups(rows: Rows) -> list[_Group]:
    """Group the ranked rows that have a place and a score by place, best first."""
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


def assembled(heading: Heading, rows: Rows, keys: HandleKeys, reading: Reading) -> ParsedContest | None:
    """Check the rows and return the contest, or None after reporting errors to `reading`."""
    errors_before = reading.report.error_count
    _ignore_false_teams(rows, reading)
    _check_handicaps(rows, reading)
    handles = _checked_handles(rows, keys, reading)
    if not _is_sound(rows, reading) or reading.report.error_count > errors_before:
        reading.report.people = reading.report.people or _people(handles, rows, reading.report)
        return None
    has_teams = rows.teams is not None and any(rows.teams)
    return ParsedContest(
        key=heading.key, name=heading.name, url=heading.url, ends_at=heading.ends_at, starts_at=heading.starts_at,
        weight=heading.weight, perf_ceiling=heading.perf_ceiling, has_teams=has_teams,
        has_shares=_has_values(rows.shares), has_handicaps=_has_values(rows.handicaps),
        standings=_standings(handles, rows), ranks=_ranks(rows),
    )  # fmt: skip


def _is_sound(rows: Rows, reading: Reading) -> bool:
    """Whether all places and scores could be read; report those that contradict each other."""
    if all(place is None for place in rows.places):
        if rows.places_are_sound and rows.scores_are_sound:
            rows.places = _places_from_scores(rows, reading)
    elif rows.places_are_sound:
        _check_places(rows, reading)
        if rows.scores_are_sound and rows.scores.count(None) < len(rows.scores):
            _check_scores(rows, reading)
    return rows.places_are_sound and rows.scores_are_sound


def _people(handles: Sequence[str], rows: Rows, report: Report) -> list[ParsedStanding]:
    """Return the rows whose handles have no problem, without places and scores."""
    faulty = {(problem.row, problem.column) for problem in report.errors}
    names, countries = rows.names or repeat(""), rows.countries or repeat("")
    people = zip(handles, names, countries, rows.numbers, strict=False)
    return [
        ParsedStanding(None, handle, None, "ranked", name, country, "", None, number)
        for i, (handle, name, country, number) in enumerate(people)
        if handle and rows.locate(i, "handle") not in faulty
    ]


def _standings(handles: Sequence[str], rows: Rows) -> list[ParsedStanding]:
    scores = rows.scores
    if scores.count(None) < len(scores):
        scores = [None if score is None else float(score) for score in scores]
    columns = zip(
        rows.places, handles, scores, rows.statuses or repeat("ranked"), rows.names or repeat(""),
        rows.countries or repeat(""), rows.teams or repeat(""), rows.penalties or repeat(None), rows.numbers,
        rows.shares or repeat(None), rows.handicaps or repeat(None), strict=False,
    )  # fmt: skip
    # tuple.__new__ makes the named tuple without a Python call for each row; large archives have millions of rows.
    return list(map(tuple.__new__, repeat(ParsedStanding), columns))


def _has_values(column: Sequence[float | None] | None) -> bool:
    return column is not None and any(value is not None for value in column)


def _ranks(rows: Rows) -> list[int | None]:
    if rows.statuses is None and rows.teams is None and _is_in_sequence(rows.places):
        return list(rows.places)
    ranked = rows.ranked()
    teams = None if rows.teams is None else [rows.teams[i] for i in ranked]
    ranks: list[int | None] = [None] * len(rows.places)
    for i, rank in zip(ranked, close_up([rows.places[i] or 0 for i in ranked], teams), strict=True):
        ranks[i] = rank
    return ranks


def _ignore_false_teams(rows: Rows, reading: Reading) -> None:
    """Ignore a team column whose members have different results: clubs, makes, schools."""
    if rows.teams is None:
        return
    by_score = all(place is None for place in rows.places)
    if not _teams_share(rows, rows.scores if by_score else rows.places):
        rows.warn(
            reading, 0, "team",
            gettext(
                "rows of the same team have different scores, so the column does not name teams that compete together; "
                "Podium ignored it."
            )
            if by_score
            else gettext(
                "rows of the same team have different ranks, so the column does not name teams that compete together; "
                "Podium ignored it."
            ),
        )  # fmt: skip
        rows.teams = None


def _check_handicaps(rows: Rows, reading: Reading) -> None:
    """Report members of a team with different handicaps, because the handicap belongs to the team."""
    if rows.teams is None or rows.handicaps is None:
        return
    first: dict[str, int] = {}
    for i, (team, handicap) in enumerate(zip(rows.teams, rows.handicaps, strict=True)):
        other = first.setdefault(team, i) if team else i
        if rows.handicaps[other] != handicap:
            rows.error(
                reading, i, "handicap",
                gettext("the members of team “%(team)s” have different handicaps; enter the handicap of the team in "
"each of its rows.") % {"team": printable(team)},
                handicap,
            )  # fmt: skip
