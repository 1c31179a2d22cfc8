"""The rows of a contest in any format: check them, and make a ParsedContest of those that are sound."""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.formats.base import Heading, ParsedContest, ParsedStanding
from contests.formats.places import (
    check_scores,
    check_times,
    has_times_alone,
    places_from_scores,
    report_missing,
    row_in_words,
)
from contests.formats.rank_sequence import check_places, is_in_sequence
from contests.handles import clean_handle, handle_key, is_plain, printable, with_number
from contests.ranking import close_up
from contests.wording import quoted

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
        where = row_in_words(rows, first[key], line, reading)
        known = quoted(printable(handles[first[key]]))
        if not reading.repair:
            same_case = (
                "" if handles[i] == handles[first[key]] else gettext(" (upper and lower case count as the same)")
            )
            rows.error(
                reading,
                i,
                "handle",
                gettext(
                    "this player is already in the contest: %(where)s has the handle %(known)s%(same_case)s; keep "
                    "only one of the two rows, or give the players different handles."
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


def assembled(heading: Heading, rows: Rows, keys: HandleKeys, reading: Reading) -> ParsedContest | None:
    """Check the rows and return the contest, or None after reporting errors to `reading`."""
    errors_before = reading.report.error_count
    _spell_teams_alike(rows)
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
        has_shares=_has_values(rows.shares), has_handicaps=_has_values(rows.handicaps), has_times=rows.has_times,
        standings=_standings(handles, rows), ranks=_ranks(rows),
    )  # fmt: skip


def _is_sound(rows: Rows, reading: Reading) -> bool:
    """Whether all places and scores could be read; report those that contradict each other."""
    if all(place is None for place in rows.places):
        if rows.places_are_sound and rows.scores_are_sound:
            rows.places = places_from_scores(rows, reading)
        elif any(score is not None for score in rows.scores):
            report_missing(rows, "score", reading)
    elif not rows.places_are_sound:
        report_missing(rows, "rank", reading)
    else:
        check_places(rows, reading)
        if rows.scores_are_sound and rows.scores.count(None) < len(rows.scores):
            check_scores(rows, reading)
    if rows.places_are_sound and rows.scores_are_sound:
        check_times(rows, reading)
    return rows.places_are_sound and rows.scores_are_sound


def _people(handles: Sequence[str], rows: Rows, report: Report) -> list[ParsedStanding]:
    """Return the rows whose handles have no problem, without places and scores."""
    faulty = {(problem.row, problem.column) for problem in report.errors}
    names, countries = rows.names or repeat(""), rows.countries or repeat("")
    people = zip(handles, names, countries, rows.numbers, strict=False)
    return [
        ParsedStanding.of_handle(handle, name=name, country=country, row=number)
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
    if rows.statuses is None and rows.teams is None and is_in_sequence(rows.places):
        return list(rows.places)
    ranked = rows.ranked()
    teams = None if rows.teams is None else [rows.teams[i] for i in ranked]
    ranks: list[int | None] = [None] * len(rows.places)
    for i, rank in zip(ranked, close_up([rows.places[i] or 0 for i in ranked], teams), strict=True):
        ranks[i] = rank
    return ranks


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


def _spell_teams_alike(rows: Rows) -> None:
    """Give names of teams that differ only in case or white space the first spelling: they are one team."""
    if rows.teams is not None:
        first: dict[str, str] = {}
        spelling = {
            team: first.setdefault(" ".join(team.casefold().split()), team) for team in dict.fromkeys(rows.teams)
        }
        rows.teams = [spelling[team] for team in rows.teams]


def _ignore_false_teams(rows: Rows, reading: Reading) -> None:
    """Ignore a team column if members of a team have different results: it then names clubs, car makes or schools."""
    if rows.teams is None:
        return
    by_score = all(place is None for place in rows.places)
    differing = _differing(rows, _deciding(rows) if by_score else rows.places)
    if differing is not None:
        earlier, i = differing
        text = gettext(
            "rows of the same team have different results, such as “%(team)s” here and in %(where)s, so they don’t "
            "seem to compete as a team; Podium ignored the column. If they do, give the rows of a team the same result."
        )
        where = row_in_words(rows, earlier, rows.locate(earlier, "team")[0], reading)
        names = {"team": printable(rows.teams[i]), "where": where}
        rows.warn(reading, i, "team", text % names, rows.teams[i], earlier)
        rows.teams = None
    elif by_score and _has_few_of_several(rows):
        rows.warn(
            reading, 0, "team",
            gettext(
                "most teams have only one row, so the rows don’t seem to compete as teams; Podium ignored the column."
            ),
        )  # fmt: skip
        rows.teams = None
    elif not by_score and _ranks_count_rows(rows):
        rows.warn(
            reading, 0, "team",
            gettext(
                "most teams have only one row, and in the other teams every row counts separately in the ranks, so the "
                "rows don’t seem to compete as teams; Podium ignored the column."
            ),
        )  # fmt: skip
        rows.teams = None


def _deciding(rows: Rows) -> list[tuple[float, float] | None]:
    """Return what decides the places of rows without ranks: score and penalty; None for a row without a result."""
    penalties = [penalty or 0.0 for penalty in rows.penalties or repeat(None, len(rows.scores))]
    if has_times_alone(rows):
        return [None if time is None else (0.0, time) for time in rows.penalties or ()]
    pairs = zip(rows.scores, penalties, strict=True)
    return [None if score is None else (score, penalty) for score, penalty in pairs]


def _differing(rows: Rows, values: Sequence[object | None]) -> tuple[int, int] | None:
    """
    Return the first two rows of a team with different values, as in a column of clubs or employers.

    None if the members of each team have the same value.
    """
    first: dict[str, int] = {}
    for i, (team, value) in enumerate(zip(rows.teams or (), values, strict=False)):
        if team and value is not None and values[first.setdefault(team, i)] != value:
            return first[team], i
    return None


def _ranks_count_rows(rows: Rows) -> bool:
    """
    Whether the ranks show that rows of one team only tied, as club mates in a race do: 1, 2, 2, 4 and not 1, 2, 2, 3.

    Most teams must have one row, because contests of teams count rows in some files too.
    """
    placed = [(place, rows.teams[i]) for i, place in enumerate(rows.places) if rows.teams and place is not None]
    places, teams = [place for place, _ in placed], [team for _, team in placed]
    return _few_have_several(teams) and places == close_up(places) != close_up(places, teams)


def _has_few_of_several(rows: Rows) -> bool:
    """Whether some teams have several rows with a result, but most have one, as the clubs in a race do."""
    found = zip(rows.teams or (), _deciding(rows), strict=False)
    return _few_have_several([team for team, result in found if result is not None])


def _few_have_several(teams: Sequence[str]) -> bool:
    sizes = Counter(team for team in teams if team)
    several = sum(size > 1 for size in sizes.values())
    return 0 < 2 * several < len(sizes)
