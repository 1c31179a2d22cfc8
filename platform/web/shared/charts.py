"""
Data of the rating graphs: points, the band of one standard deviation, tiers and labels.

Rows in, lists and dictionaries for JSON out. Ratings are displayed ones. Labels are in the language
of the page, with {names} where a script inserts numbers and dates.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime, time
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from django.urls import reverse
from django.utils.translation import gettext as _

from ratings.display import show_band
from ratings.display.season import season_rules_from_dict
from ratings.queries.boards import is_provisional
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.rows import ShownChanges
from web.shared.names import first_name
from web.shared.outcomes import outcome_words

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from numpy.typing import NDArray

    from contests.models import Player
    from ratings.models import RatingChange
    from ratings.queries.snapshot import SeriesSnapshot

YEAR = 365 * 86_400_000
#: Beyond this number of contests, single performances and the jumps of the band hide the line.
MANY = 60
#: More seasons than this are too narrow to shade.
MOST_SEASONS = 40

#: Lines of a comparison: colour on the light and on the dark page, dashes in pixels, and the shape of the points as a
#: path around (0, 0). Readers cannot distinguish more lines than these, even by colour, dashes and shape together.
LINES: tuple[tuple[str, str, tuple[int, ...], str], ...] = (
    ("#0b5cad", "#6db3ff", (), "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"),
    ("#b3360b", "#ff9466", (9, 3), "M-3.6-3.6h7.2v7.2h-7.2z"),
    ("#14693a", "#6fd69a", (3, 3), "M0-4.8L4.6 3.6H-4.6z"),
    ("#7d2b96", "#d3a0ff", (9, 3, 2, 3), "M0-5L5 0L0 5L-5 0z"),
    ("#7a5200", "#f0c05a", (), "M0 4.8L4.6-3.6H-4.6z"),
    ("#0a6f7d", "#5fd7e0", (9, 3), "M-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z"),
    ("#a31464", "#ff8cc0", (3, 3), "M0-5.4L1.4-1.8L5.2-1.6L2.2.8L3.2 4.6L0 2.5L-3.2 4.6L-2.2.8L-5.2-1.6L-1.4-1.8z"),
    ("#4b5361", "#c3c9d4", (9, 3, 2, 3), "M-4.6-2.6L0-5.2L4.6-2.6V2.6L0 5.2L-4.6 2.6z"),
)
MOST_COMPARED = len(LINES)


def rating_chart(
    snapshot: SeriesSnapshot, changes: Sequence[RatingChange], outcomes: Mapping[int, int] | None = None
) -> dict[str, Any]:
    """
    Return the graph of one player's rating changes in a series, given oldest first, each with its contest.

    outcomes
        1, 0 or -1 for each game won, drawn or lost, by contest.

    points
        One for each contest: `id` and `contest` (its name), `at` (milliseconds since 1970, UTC), `place`, `of`,
        `rating`, `change`, `low` and `high` (the best estimate one deviation down and up, which conservative displays
        lower; the rating itself if the deviation has no meaning), `performance` (null if the system has none), `tier`
        (position in `tiers`). Where they apply: `outcome` (of a game), `provisional`, `amended` (the moment, as in
        `at`), `reached` (the tier was reached for the first time), `won` (the first win in a field of more than two).
    peak
        Position of the highest point, the first of equals; null without points.
    tiers
        Lowest first: `name`, `symbol`, `from` (null for the lowest), `light`, `dark` (colours).
    seasons
        First moments of the seasons (of the series' rules, or calendar years), milliseconds since 1970, oldest first,
        from the season of the first contest on.
    isLong
        Whether there are so many contests that the band is smoothed and performances are hidden at first.
    ranges
        The buttons "last 10", "1 year", "3 years" that show less than everything: `ten`, `year`, `years`.
    addresses
        Of a point's row on the player's page (`row`: the id; `page`: the address, if the row is on another page of
        the table) and of its contest, with {id} in place of the contest's id.
    """
    points = _points(snapshot, changes, outcomes or {})
    return {
        "points": points,
        "peak": _peak(snapshot, changes),
        "tiers": _tiers(snapshot),
        "ranges": _ranges(points),
        "seasons": _season_starts(snapshot, changes),
        "isLong": len(points) > MANY,
        "hasBand": snapshot.sigma_means != "nothing",
        "hasPerformance": snapshot.has_performance,
        "hasProvisional": any("provisional" in point for point in points),
        "hasAmended": any("amended" in point for point in points),
        "addresses": {
            "row": "contest-{id}",
            "page": f"?series={snapshot.series.slug}&at={{id}}#contest-{{id}}",
            "contest": reverse("contest", args=[0]).replace("0", "{id}"),
        },
        "words": {**_words(), **_mark_words(is_conservative=snapshot.is_conservative), **_column_words(snapshot)},
    }


def compare_chart(
    snapshot: SeriesSnapshot,
    series_of_players: Sequence[tuple[Player, Sequence[RatingChange]]],
    tied: Container[int] = (),
) -> dict[str, Any]:
    """
    Return the graph of up to eight players' rating changes in one series, each given oldest first.

    tied
        The contests in which everyone tied for first; a game among them is drawn.

    contests
        All their contests in order of time: `name`, `at` (milliseconds since 1970, UTC), `url`.
    players
        In the order given: `name`, `url`, `line` (its look: `light` and `dark`, `dash`, `shape`), and
        `points`: `contest` (position in `contests`), `place`, `of`, `rating`, `change`, and `outcome` of a game.

    ValueError for more than eight players.
    """
    if len(series_of_players) > MOST_COMPARED:
        raise ValueError(f"at most {MOST_COMPARED} players are compared in a graph, not {len(series_of_players)}")
    contests = {change.contest_id: change.contest for __, changes in series_of_players for change in changes}
    in_order = sorted(contests.values(), key=lambda contest: (contest.ends_at, contest.sequence, contest.pk))
    position = {contest.pk: index for index, contest in enumerate(in_order)}
    return {
        "contests": [
            {"name": contest.name, "at": _milliseconds(contest.ends_at), "url": contest.get_absolute_url()}
            for contest in in_order
        ],
        "players": [
            {
                "name": first_name(player),
                "url": f"{player.get_absolute_url()}?series={snapshot.series.slug}",
                "line": dict(zip(("light", "dark", "dash", "shape"), line, strict=True)),
                "points": [
                    {
                        "contest": position[change.contest_id],
                        **_result(change, rating, difference),
                        **_outcome(change, tied),
                    }
                    for change, rating, difference in zip(changes, *_ratings(snapshot, changes), strict=True)
                ],
            }
            for (player, changes), line in zip(series_of_players, LINES, strict=False)
        ],
        "tiers": _tiers(snapshot),
        "words": {**_words(), **_moment_words()},
    }


def _points(
    snapshot: SeriesSnapshot, changes: Sequence[RatingChange], outcomes: Mapping[int, int]
) -> list[dict[str, Any]]:
    if not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    sigma = shown.column("sigma")
    low, high = show_band(
        snapshot.mapping,
        snapshot.centre(shown.column("mu"), sigma),
        sigma if snapshot.sigma_means != "nothing" else np.zeros_like(sigma),
    )
    tier = snapshot.tiers.positions(shown.after)
    early = is_provisional(snapshot, np.arange(1, len(changes) + 1))
    columns = (
        shown.after.tolist(), shown.difference.tolist(), np.rint(low).astype(int).tolist(),
        np.rint(high).astype(int).tolist(), shown.performances,
        tier.tolist(), early.tolist(), _reached(tier).tolist(),
    )  # fmt: skip
    points = [_point(change, *numbers) for change, *numbers in zip(changes, *columns, strict=True)]
    for point in points:
        if point["id"] in outcomes:
            point["outcome"] = outcomes[point["id"]]
    # After a roll-back, a contest can have another date than when it was rated. The line never goes back in time.
    for point, at in zip(points, accumulate((point["at"] for point in points), max), strict=True):
        point["at"] = at
    # In a two-player game, first is also the place of both sides of a draw.
    won = next((point for point in points if point["place"] == 1 and point["of"] > 2), None)
    if won is not None:
        won["won"] = True
    return points


def _point(
    change: RatingChange, rating: int, difference: int, low: int, high: int, performance: int | None, tier: int,
    is_early: bool, is_reached: bool,
) -> dict[str, Any]:  # fmt: skip
    point: dict[str, Any] = {
        "id": change.contest_id,
        "at": _milliseconds(change.contest.ends_at),
        "contest": change.contest.name,
        **_result(change, rating, difference),
        "low": low,
        "high": high,
        "performance": performance,
        "tier": tier,
    }
    if is_early:
        point["provisional"] = True
    if is_reached:
        point["reached"] = True
    if change.contest.amended_at is not None:
        point["amended"] = _milliseconds(change.contest.amended_at)
    return point


def _result(change: RatingChange, rating: int, difference: int) -> dict[str, int]:
    return {"place": change.rank, "of": change.field_size, "rating": rating, "change": difference}


def _outcome(change: RatingChange, tied: Container[int]) -> dict[str, int]:
    """Return the outcome of a two-sided game; nothing for other contests."""
    if change.field_size != 2:
        return {}
    return {"outcome": -1 if change.rank > 1 else 0 if change.contest_id in tied else 1}


def _ratings(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> tuple[list[int], list[int]]:
    """Return the displayed ratings after the changes, and the differences."""
    if not changes:
        return [], []
    shown = ShownChanges(snapshot, changes)
    return shown.after.tolist(), shown.difference.tolist()


def _reached(tier: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where a tier is higher than all earlier ones; the first contest never counts as a rise."""
    rises = np.zeros(len(tier), dtype=bool)
    rises[1:] = tier[1:] > np.maximum.accumulate(tier)[:-1]
    return rises


def _peak(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> int | None:
    if not changes:
        return None
    return int(np.argmax([snapshot.score(change.mu, change.sigma) for change in changes]))


def _tiers(snapshot: SeriesSnapshot) -> list[dict[str, Any]]:
    return [
        {
            "name": tier.name, "symbol": tier.symbol, "from": tier.minimum, "light": tier.colour_light,
            "dark": tier.colour_dark,
        }
        for tier in snapshot.tiers
    ]  # fmt: skip


def _season_starts(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> list[int]:
    """Return the starts of the seasons from the first contest's on; none if there are too many to tell them apart."""
    if not changes:
        return []
    first, last = (change.contest.ends_at.date() for change in (changes[0], changes[-1]))
    rules = season_rules_from_dict(snapshot.scheme.season) if snapshot.scheme is not None else None
    if rules is not None:
        starts = rules.season_starts(first, last)
        starts = starts[max(0, bisect_right(starts, first) - 1) :]
    else:
        starts = [date(year, 1, 1) for year in range(first.year, last.year + 1)]
    moments = [_milliseconds(datetime.combine(start, time(), UTC)) for start in starts]
    return moments if 1 < len(moments) <= MOST_SEASONS else []


def _ranges(points: list[dict[str, Any]]) -> list[str]:
    if not points:
        return []
    span = points[-1]["at"] - points[0]["at"]
    fits = {"ten": len(points) > 12, "year": span > 1.2 * YEAR, "years": span > 3.2 * YEAR}
    return [name for name, is_less in fits.items() if is_less]


def _milliseconds(moment: Any) -> int:
    return int(moment.timestamp() * 1000)


def _words() -> dict[str, Any]:
    """Return the labels for a contest; `outcomes` are those of games."""
    return {
        "place": _("place {place} of {field}"),
        "rating": _("Rating"),
        "performance": _("Performance"),
        "outcomes": outcome_words(),
        "at": _("{number} of {total}: {contest}, {day}, {result}, rating {rating}, change {change}"),
    }


def _moment_words() -> dict[str, str]:
    """Return the labels of a comparison for a moment."""
    return {
        "after": _("After contest number {number} of each player"),
        "moment": _("{number} of {total}: {contest} {day}"),
        "one": _("{player} {rating}"),
    }


def _mark_words(*, is_conservative: bool) -> dict[str, str]:
    """Return the labels for marked points."""
    return {
        "peak": _("Peak {rating}"),
        "isPeak": _("Highest rating"),
        "provisional": _("Provisional: few contests so far"),
        "amended": _("Results amended on {day}"),
        "reached": _("First time in {tier}"),
        "won": _("First win"),
        "band": _("Likely strength: {low} to {high}") if is_conservative else _("± range: {low} to {high}"),
        "open": _("Tap again to see it in the table"),
        "click": _("Click to see it in the table"),
        "performed": _("performance {performance}"),
    }


def _column_words(snapshot: SeriesSnapshot) -> dict[str, str]:
    """Return the headings of the table with all numbers of the graph."""
    of_games = is_of_games(snapshot)
    return {
        "contest": _("Game") if of_games else _("Contest"),
        "date": _("Date"),
        "placeOf": _("Result") if of_games else _("Place"),
        "change": _("Change"),
        "tier": _("Tier"),
        "notes": _("Notes"),
    }
