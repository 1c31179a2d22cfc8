"""Parts of the command backtest: groups of contests, measures for matches, and the course of one player's ratings."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.core.management.base import CommandError

from contests.handles import handle_key
from ratings.systems import replay
from ratings.systems.evaluate.matches import (
    MOST_SIDES,
    WinningRatio,
    draws_among_tightest,
    predicted_matches,
    prediction_error,
    settled_after,
    tightest,
    winning_ratios,
)

if TYPE_CHECKING:
    from ratings.backtests.archive import Archive
    from ratings.systems import RatingSystem

SHARES = np.arange(0.1, 1.01, 0.1)
#: Winning ratios count matches of the tightest half, by the minimum number of such matches.
RATIO_SHARE, RATIO_MATCHES = 0.5, (1, 5, 10, 20)
#: The course of a player is printed after these contests and the last one.
SHOWN_CONTESTS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def name_pattern(text: str) -> re.Pattern[str]:
    """Read a regular expression from an argument."""
    try:
        return re.compile(text)
    except re.error as error:
        raise ArgumentTypeError(f"{text!r} is not a regular expression: {error}.") from error


def groups_of(archive: Archive, pattern: re.Pattern[str]) -> list[str]:
    """Return each contest's group: the match of the pattern, or of its first group, in the name; "" without a match."""
    found = [pattern.search(name) for name in archive.names]
    groups = [(match[1 if pattern.groups else 0] or "") if match else "" for match in found]
    if not any(groups):
        raise CommandError(
            f"--groups {pattern.pattern}: matches no contest's name. The first one is “{archive.names[0]}”."
        )
    return groups


def player_of(archive: Archive, handle: str) -> int:
    """Return the index of the player with this handle."""
    for number, known in enumerate(archive.handles):
        if handle_key(known) == handle_key(handle):
            return number
    raise CommandError(f"--player {handle}: no such player in these files.")


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The measures for matches of one system.

    errors
        Prediction errors in percent (``prediction_error``), by the system that chose the matches: "" for all matches,
        otherwise a system's challenge set, its tightest fifth.
    draws
        The share of all draws among the tightest 10 %, 20 %, ... 100 % of the matches; None if nothing was drawn.
    """

    system: str
    matches: int
    left_out: int
    errors: dict[str, tuple[float | None, float | None]]
    draws: list[float] | None
    winning_ratios: list[WinningRatio]

    def as_json(self) -> dict[str, Any]:
        """Return the report as values that JSON can represent."""
        errors = [
            {"chosen_by": chooser or None, "decided": decided, "all": of_all}
            for chooser, (decided, of_all) in self.errors.items()
        ]
        ratios = [asdict(each) for each in self.winning_ratios]
        return {
            "matches": self.matches,
            "left_out": self.left_out,
            "errors": errors,
            "draws": self.draws,
            "winning_ratios": ratios,
        }


def match_report(systems: list[RatingSystem], archive: Archive) -> list[MatchReport]:
    """Return the measures for matches of each system; each also predicts the challenge sets of the others."""
    found = {
        system.name: predicted_matches(system, archive.for_system(system), len(archive.handles)) for system in systems
    }
    first = next(iter(found.values()))
    if not len(first):
        raise CommandError(f"--matches: there are no matches of 2 to {MOST_SIDES} sides in these files.")
    sets = {name: tightest(matches.quality) for name, matches in found.items()}
    reports = []
    for name, matches in found.items():
        errors = {"": prediction_error(matches)}
        errors |= {chooser: prediction_error(matches, chosen) for chooser, chosen in sets.items()}
        draws = draws_among_tightest(matches, SHARES)
        ratios = winning_ratios(matches, tightest(matches.quality, RATIO_SHARE), RATIO_MATCHES)
        reports.append(
            MatchReport(name, len(matches), matches.left_out, errors, None if draws is None else draws.tolist(), ratios)
        )
    return reports


def match_tables(reports: list[MatchReport]) -> str:
    """Return the reports as tables of text."""
    left_out = f" Contests with more than {MOST_SIDES} sides are left out." if reports[0].left_out else ""
    width = max(len("system"), *(len(report.system) for report in reports))
    choosers = [name for name in reports[0].errors if name]
    lines = [
        f"\n{reports[0].matches:,} matches of all players, newcomers included.{left_out}",
        "",
        "Prediction error, % of decided matches (in brackets: of all matches; draws and equal ratings count as right)",
        "  ".join([f"{'system':{width}}", f"{'all matches':>15}", *(f"{'set of ' + name:>25}" for name in choosers)]),
    ]
    for report in reports:
        cells = [f"{_error(report.errors['']):>15}", *(f"{_error(report.errors[name]):>25}" for name in choosers)]
        lines.append("  ".join([f"{report.system:{width}}", *cells]))
    lines.append("The challenge set of a system is the 20 % of the matches that it considered tightest.")
    if reports[0].draws is not None:
        lines += ["", "Share of all draws among the tightest matches, %"]
        lines.append("  ".join([f"{'system':{width}}", *(f"{round(100 * share):>3} %" for share in SHARES)]))
        for report in reports:
            cells = [f"{100 * share:5.1f}" for share in report.draws or []]
            lines.append("  ".join([f"{report.system:{width}}", *cells]))
    lines += ["", "Mean distance of winning ratios from 50 %, in the tightest half of the matches (players)"]
    heads = [f"{f'{number}+ matches':>14}" for number in RATIO_MATCHES]
    lines.append("  ".join([f"{'system':{width}}", *heads]))
    for report in reports:
        cells = [f"{_ratio(ratio):>14}" for ratio in report.winning_ratios]
        lines.append("  ".join([f"{report.system:{width}}", *cells]))
    return "\n".join(lines)


def _error(errors: tuple[float | None, float | None]) -> str:
    decided, of_all = ("–" if error is None else f"{error:.2f}" for error in errors)
    return f"{decided} ({of_all})"


def _ratio(ratio: WinningRatio) -> str:
    return "–" if ratio.deviation is None else f"{ratio.deviation:.1f} ({ratio.players:,})"


@dataclass(frozen=True, slots=True)
class Course:
    """One player's ratings in one system.

    ratings, deviations
        Before the first contest and after each.
    settled_after
        After how many contests the rating stays near its last value (``settled_after``).
    """

    system: str
    handle: str
    ratings: list[float]
    deviations: list[float]
    settled_after: int

    def as_json(self) -> dict[str, Any]:
        """Return the course as values that JSON can represent."""
        return {name: value for name, value in asdict(self).items() if name != "system"}


def course_of(systems: list[RatingSystem], archive: Archive, player: int) -> list[Course]:
    """Return the player's ratings in each system."""
    courses = []
    for system in systems:
        history = replay(system, archive.for_system(system), len(archive.handles))
        rows = np.flatnonzero(history.player == player)
        if not len(rows):
            raise CommandError(f"--player {archive.handles[player]}: has never met an opponent in these files.")
        mu = np.concatenate([history.mu_before[rows[:1]], history.mu[rows]])
        sigma = np.concatenate([history.sigma_before[rows[:1]], history.sigma[rows]])
        courses.append(Course(system.name, archive.handles[player], mu.tolist(), sigma.tolist(), settled_after(mu)))
    return courses


def course_table(courses: list[Course]) -> str:
    """Return the courses as a table of text."""
    last = len(courses[0].ratings) - 1
    shown = [number for number in SHOWN_CONTESTS if number < last] + [last]
    width = max(len("system"), *(len(course.system) for course in courses))
    head = [f"{'system':{width}}", f"{'new':>9}", *(f"{number:>9,}" for number in shown), "settled after"]
    lines = [f"\nRating of {courses[0].handle} after this many contests", "  ".join(head)]
    for course in courses:
        cells = [f"{course.ratings[number]:9.2f}" for number in (0, *shown)]
        lines.append("  ".join([f"{course.system:{width}}", *cells, f"{course.settled_after:13,}"]))
    lines.append("Settled: from then on, the rating is within a tenth of its total change from its last value.")
    return "\n".join(lines)
