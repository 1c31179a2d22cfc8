"""The rows of an explanation page: parts in displayed points that add up, opponents, and coordinates of bars."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contests.models import Player
from contests.queries.teams import NAMED, TeamMembers
from contests.team_labels import number_of_unnamed
from ratings.display import conservative_factor
from ratings.systems.explain import strongest_pulls
from web.public.why.tags import SMALL
from web.shared.teams import members_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems.explain import Situation
    from web.public.why.queries import ExplainedChange

MOST_OPPONENTS = 5
MOST_PAST = 3
#: Places that differ by less are about as expected.
_LEAST_PLACES = 0.5
#: Scores of games that differ by less are as expected.
_LEAST_SCORE = 0.005
#: Parts of fewer displayed points have no line of their own and count towards the remainder.
_TOO_SMALL = 0.005
#: Opponents who moved the rating by fewer displayed points are not listed.
_LEAST_POINTS = 0.005
#: Smaller points would be zero with one decimal.
_LEAST_TENTH = 0.05
#: The scores against opponents who finished behind, level and ahead.
_SCORES = (1.0, 0.5, 0.0)
#: Percentages from here on are shown without decimals.
_WHOLE_FROM = 10.0


@dataclass(frozen=True, slots=True)
class SumRow:
    """
    One line of the sum.

    points
        Displayed points, rounded to a tenth.
    level, weight
        The displayed rating that the part averages in, and its weight in percent; None for other parts.
    start, width, zero
        The start, width and zero of the part's bar, from 0 to 100.
    """

    kind: str
    label: str
    points: float
    level: int | None = None
    weight: float | None = None
    contest_id: int | None = None
    start: str = "0"
    width: str = "0"
    zero: str = "0"


@dataclass(frozen=True, slots=True)
class Duel:
    """
    The result of one of two players or teams.

    expected, actual
        The scores in percent: 100 for a win, 50 for a draw.
    line
        The two scores on a line of length 100 from a loss to a win, as in `place_line`.
    """

    expected: float
    actual: float
    line: dict[str, str]


@dataclass(frozen=True, slots=True)
class OpponentRow:
    """An opponent's pull; `player` is None for a team, `ahead` is the probability in percent of beating them."""

    name: str
    player: Player | None
    rating: int
    place: int
    ahead: float
    points: float
    width: str


@dataclass(frozen=True, slots=True)
class Side:
    """The opponents who finished behind, level or ahead: their number, and their total pull in tenths of points."""

    number: int
    points: float


def sum_rows(snapshot: SeriesSnapshot, explained: ExplainedChange, difference: int, *, is_game: bool) -> list[SumRow]:
    """Return the lines that add up to the displayed change; the last one is the remainder of rounding."""
    rows = [
        row
        for row in _parts(snapshot, explained, is_game=is_game)
        if row.kind == "contest" or abs(row.points) > _TOO_SMALL
    ]
    weights = [row.weight for row in rows if row.weight]
    if abs(math.fsum(weights) - 100.0) < _TOO_SMALL and min(weights) >= _WHOLE_FROM:
        shown = iter(adding_up(weights, 0))
        rows = [replace(row, weight=next(shown)) if row.weight else row for row in rows]
    rest = round(difference - math.fsum(row.points for row in rows), 1)
    if rest:
        rows.append(SumRow("rounding", _rest_label(snapshot, explained), rest))
    return _with_bars(rows)


def adding_up(values: Sequence[float], decimals: int, total: float | None = None) -> list[float]:
    """
    Round values so that they add up to their rounded sum, or to a total near it.

    Each is rounded down, and then those with the largest remainders are rounded up instead.
    """
    unit = 10.0**-decimals
    floors = [math.floor(value / unit + 1e-9) for value in values]
    missing = round((math.fsum(values) if total is None else total) / unit) - sum(floors)
    order = sorted(range(len(values)), key=lambda i: floors[i] - values[i] / unit)
    for i in order[:missing]:
        floors[i] += 1
    return [round(count * unit, decimals) for count in floors]


def _parts(snapshot: SeriesSnapshot, explained: ExplainedChange, *, is_game: bool) -> list[SumRow]:
    """Return the parts of the explanation as lines: all earlier contests in one, changes of the uncertainty last."""
    explanation, factor = explained.explanation, explained.factor
    contest = next(part for part in explanation.parts if part.kind == "contest")
    level = snapshot.mapping.show(contest.level) if contest.level is not None else None
    weight = 100.0 * contest.weight if contest.weight is not None else None
    rows = [
        SumRow("contest", _contest_label(snapshot, is_game=is_game), round(factor * contest.points, 1), level, weight)
    ]
    for kind, label in _labels(explained, is_game=is_game).items():
        parts = [part for part in explanation.parts if part.kind == kind]
        if not parts:
            continue
        share = math.fsum(part.weight or 0.0 for part in parts)
        mean = math.fsum((part.weight or 0.0) * (part.level or 0.0) for part in parts) / share if share else None
        points = round(factor * math.fsum(part.points for part in parts), 1)
        rows.append(
            SumRow(kind, label, points, None if mean is None else snapshot.mapping.show(mean), 100.0 * share or None)
        )
    return [*rows, *_uncertainty_rows(snapshot, explained, is_game=is_game)]


def _contest_label(snapshot: SeriesSnapshot, *, is_game: bool) -> str:
    if is_game:
        return _("Performance in this game") if snapshot.has_performance else _("The result of this game")
    return _("Performance in this contest") if snapshot.has_performance else _("The results of this contest")


def _labels(explained: ExplainedChange, *, is_game: bool) -> dict[str, str]:
    number = len(explained.past)
    past = ngettext("%(number)s earlier performance", "%(number)s earlier performances", number) % {"number": number}
    has_past = any(part.kind == "past" for part in explained.explanation.parts)
    before = _("Rating before the game") if is_game else _("Rating before the contest")
    prior = _("Starting rating and earlier ratings, combined") if has_past else before
    if not number:
        prior = _("Every player’s starting rating")
    return {
        "past": past,
        "prior": prior,
        "limit": _("Limit that the system sets for one contest"),
        "pool": _("Correction for all participants to prevent inflation"),
    }


def _uncertainty_rows(snapshot: SeriesSnapshot, explained: ExplainedChange, *, is_game: bool) -> list[SumRow]:
    """Return the parts of a changed uncertainty, if displayed ratings lie some deviations below the mean."""
    scheme = snapshot.run.scheme if snapshot.run is not None else None
    k = conservative_factor(scheme.display) if scheme is not None else 0.0
    if not k:
        return []
    change, drifted = explained.change, explained.explanation.sigma_drifted
    each = -k * explained.factor
    by_time, by_contest = drifted - change.sigma_before, change.sigma - drifted
    if is_game:
        labels = _("Less certain because strength can change between games"), _("More certain after this game")
    else:
        labels = _("Less certain because strength can change between contests"), _("More certain after this contest")
    return [
        SumRow("drift", labels[0], round(each * by_time, 1)),
        SumRow("certainty", labels[1], round(each * by_contest, 1)),
    ]


def _rest_label(snapshot: SeriesSnapshot, explained: ExplainedChange) -> str:
    change = explained.change
    ends = [(change.mu_before, change.sigma_before), (change.mu, change.sigma)]
    if any(snapshot.mapping.cuts_off(snapshot.rating_of(*belief)) for belief in ends):
        return _("Lower end of the scale")
    return _("Rounding to a whole number")


def _with_bars(rows: Sequence[SumRow]) -> list[SumRow]:
    """Give each line a bar from the common zero to its points, in percent of the total width."""
    low, high = min(0.0, *(row.points for row in rows)), max(0.0, *(row.points for row in rows))
    scale = 100.0 / (high - low) if high > low else 0.0
    return [
        replace(
            row,
            start=_coordinate(scale * (min(row.points, 0.0) - low)),
            width=_coordinate(scale * abs(row.points)),
            zero=_coordinate(-scale * low),
        )
        for row in rows
    ]


def past_rows(snapshot: SeriesSnapshot, explained: ExplainedChange) -> list[SumRow]:
    """Return the earlier performances that moved the rating most, the largest change first."""
    parts = [part for part in explained.explanation.parts if part.kind == "past" and part.number is not None]
    parts = sorted(parts, key=lambda part: -abs(part.points))[:MOST_PAST]
    return [
        SumRow(
            "past",
            explained.past[part.number].name,
            explained.factor * part.points,
            snapshot.mapping.show(part.level),
            100.0 * (part.weight or 0.0),
            explained.past[part.number].contest_id,
        )
        for part in parts
        if part.number is not None and part.level is not None
    ]


def opponent_rows(snapshot: SeriesSnapshot, explained: ExplainedChange) -> tuple[list[OpponentRow], list[OpponentRow]]:
    """Return the opponents who raised and who lowered the rating most, in one query."""
    pulls = explained.explanation.pulls
    if pulls is None:
        return [], []
    up, down = strongest_pulls(pulls, MOST_OPPONENTS)
    if len(explained.explanation.situation) > 2:  # the only opponent is shown in any case
        least = _LEAST_POINTS / explained.factor
        up, down = ([entry for entry in side if abs(pulls[entry]) >= least] for side in (up, down))
    ids = [_members(explained, entry) for entry in (*up, *down)]
    players = Player.objects.in_bulk([pk for members in ids for pk in members[:NAMED]])
    most = max((abs(float(pulls[entry])) for entry in (*up, *down)), default=1.0)
    rows = [
        _opponent(snapshot, explained, entry, _team_members(members, players), most)
        for entry, members in zip((*up, *down), ids, strict=True)
    ]
    rows = _adding_up_to_sides(explained, [*up, *down], rows)
    return rows[: len(up)], rows[len(up) :]


def in_tenths(rows: Sequence[OpponentRow]) -> bool:
    """Return whether one decimal is enough to show the points of these opponents."""
    return all(abs(row.points) >= _LEAST_TENTH for row in rows)


def _adding_up_to_sides(
    explained: ExplainedChange, entries: Sequence[int], rows: Sequence[OpponentRow]
) -> list[OpponentRow]:
    """Round the points of the sides of which all opponents are listed, so that they add up to those of `sides`."""
    score, fitting = explained.explanation.situation.score, list(rows)
    is_rounded = in_tenths(rows)
    for side, of_side in zip(sides(explained).values(), _SCORES, strict=True):
        listed = [number for number, entry in enumerate(entries) if score[entry] == of_side]
        values = [rows[number].points for number in listed]
        if len(listed) != side.number or not (is_rounded or all(abs(value) >= SMALL for value in values)):
            continue
        shown = adding_up(values, 1, side.points)
        if all(shown):
            for number, points in zip(listed, shown, strict=True):
                fitting[number] = replace(rows[number], points=points)
    return fitting


def duel_opponent(snapshot: SeriesSnapshot, explained: ExplainedChange) -> OpponentRow:
    """Return the other one of two players or teams, in one query."""
    entry = 1 - explained.explanation.situation.own
    ids = _members(explained, entry)
    return _opponent(snapshot, explained, entry, _team_members(ids, Player.objects.in_bulk(ids[:NAMED])), 1.0)


def _members(explained: ExplainedChange, entry: int) -> list[int]:
    """Return the ids of the players of an entry: all of a team without a name, else the one who represents it."""
    situation = explained.explanation.situation
    if explained.team is None or not number_of_unnamed(explained.team[entry]):
        return [int(explained.players[situation.firsts[entry]])]
    return sorted(explained.players[situation.contest.entry == entry].tolist())


def _team_members(ids: list[int], players: dict[int, Player]) -> TeamMembers:
    return TeamMembers([players[pk] for pk in ids[:NAMED]], max(0, len(ids) - NAMED))


def _opponent(
    snapshot: SeriesSnapshot, explained: ExplainedChange, entry: int, members: TeamMembers, most: float
) -> OpponentRow:
    situation, pulls = explained.explanation.situation, explained.explanation.pulls
    pull = float(pulls[entry]) if pulls is not None else 0.0
    row = int(situation.firsts[entry])
    team = explained.team[entry] if explained.team is not None else ""
    sigma = float(situation.entrants.sigma[row])
    mu = situation.strength[entry] - situation.contest.entry_handicap[entry]
    return OpponentRow(
        name=members_words(members) if number_of_unnamed(team) or not team else team,
        player=None if team else members.players[0],
        rating=snapshot.rating_of(float(mu), sigma),
        place=int(situation.contest.competition_ranks[row]),
        ahead=100.0 * float(situation.ahead[entry]),
        points=explained.factor * pull,
        width=_coordinate(100.0 * abs(pull) / most),
    )


def sides(explained: ExplainedChange) -> dict[str, Side]:
    """Return the numbers and total pulls of the opponents who finished behind, level and ahead."""
    situation, pulls = explained.explanation.situation, explained.explanation.pulls
    numbers, points = [], []
    for score in _SCORES:
        matching = situation.score == score
        matching[situation.own] = False
        numbers.append(int(matching.sum()))
        points.append(explained.factor * float(pulls[matching].sum()) if pulls is not None else 0.0)
    return dict(zip(("behind", "level", "ahead"), map(Side, numbers, adding_up(points, 1)), strict=True))


def outweighed_by(explained: ExplainedChange, difference: int, *, is_capped: bool) -> str:
    """
    Return what turned a change against the direction of the result: "opponents" or "factors"; "" if nothing did.

    Someone may finish better than expected, but behind opponents who were expected to finish further behind.
    Other factors are, for example, a ceiling, more uncertainty after a break, and corrections for the whole pool.
    """
    explanation, situation = explained.explanation, explained.explanation.situation
    better_by = situation.expected_place - situation.middle_place
    least = _LEAST_SCORE if len(situation) == 2 else _LEAST_PLACES
    if abs(better_by) < least or better_by * difference >= 0.0:
        return ""
    by_opponents = len(situation) > 2 and not is_capped and explanation.part("contest") * difference > 0.0
    return "opponents" if by_opponents else "factors"


def duel_of(situation: Situation) -> Duel:
    """Return the scores of a player or team in a contest of two."""
    expected, actual = 2.0 - situation.expected_place, 2.0 - situation.middle_place
    return Duel(100.0 * expected, 100.0 * actual, place_line(1.0 + expected, 1.0 + actual, 2))


def place_line(expected: float, actual: float, entries: int) -> dict[str, str]:
    """Return the expected and actual place on a line of length 100 from the first to the last place."""
    span = max(1, entries - 1)
    at, to = 100.0 * (expected - 1.0) / span, 100.0 * (actual - 1.0) / span
    return {
        "expected": _coordinate(at),
        "actual": _coordinate(to),
        "start": _coordinate(min(at, to)),
        "width": _coordinate(abs(at - to)),
    }


def _coordinate(value: float) -> str:
    """Format a number for SVG, in any language."""
    return f"{value:.2f}"
