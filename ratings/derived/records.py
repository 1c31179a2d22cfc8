"""
Records of a series: highest ratings ever, who was number one and for how long, wins, streaks, gains, careers.

A player's first ratings say more about the system, which knew nothing, than about the player. So ratings count from a
contest on that follows from how often people play in the series (`first_counted`); results count from the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.queries.boards import SETTLED_CONTESTS
from ratings.queries.histories import histories_of
from ratings.queries.inputs import read_current_changes
from ratings.systems import get_system
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.histories import Histories
    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: How many peaks and reigns are kept, and how many of each other record.
PEAKS, REIGNS, NAMED = 20, 50, 10


@dataclass(frozen=True, slots=True, eq=False)
class Careers:
    """
    All rated participations, player by player, each player's in the order of contests; shape (changes,).

    nth
        How many contests the player had played with this one.
    contest
        Position of the contest in the order of contests.
    player
        Position of the player in `found.player_ids`.
    rank
        The place; where all tie it is 0: nobody won, and nobody is on a podium.
    """

    found: Histories
    nth: Ints
    contest: Ints
    player: Ints
    rank: Ints
    score: Floats
    before: Ints
    after: Ints


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the records of a series as of its current run; players and contests by id, ratings as shown.

    counted_from
        From which of a player's contests on a rating counts.
    peaks
        [player, rating, contest at which it was first reached], highest first.
    leaders, reigns, reign_count, until
        `lead`: [player, days, contests, reigns] by days at number one; [player, first contest, days, whether it lasts],
        newest first; how many there were; id of the newest contest, until which days are counted.
    wins, podiums
        [player, how often, contests played], most first.
    contests
        [player, contests, first, last], most first.
    gains
        [player, rating before, after, contest], largest first.
    streaks
        [player, length, first contest, last contest, whether it lasts], longest first.
    careers
        [player, days, first contest, last contest], longest first.
    """
    rated = Contest.objects.filter(series=snapshot.series).in_order().values_list("pk", "ends_at")
    order = np.array([pk for pk, _ in rated], dtype=np.int64)
    days = np.array([days_since_1970(end) for _, end in rated])
    careers = _careers(snapshot, order)
    if not len(careers.nth):
        return {"counted_from": 1}
    since = first_counted(careers.found.counts)
    content: Content = {"counted_from": since, "until": int(order[careers.contest.max()])}
    content |= _ratings(careers, since, order) | _results(careers, order, days)
    if snapshot.run is not None and not getattr(_system_of(snapshot), "decay", 0.0):
        content |= _number_ones(careers, since, order, days)
    return content


def first_counted(counts: NDArray[Any]) -> int:
    """
    Return from which of a player's contests on a rating counts: the fifth, or an earlier one where people play rarely.

    counts
        Contests of each player. Nine players in ten have at most q: then it is the contest in the middle of q, and
        not the first unless q is 1.
    """
    most = int(np.quantile(counts, 0.9, method="inverted_cdf"))
    return min(SETTLED_CONTESTS, max(math.ceil(most / 2), min(2, most)))


def reigns_of(contest: Ints, player: Ints, score: Floats, players: int) -> list[tuple[int, int]]:
    """
    Return who was number one, each with the contest from which on, in the order of time.

    contest, player, score
        Shape (rows,), contests rising: the score of a player after a contest. All arrays of positions.

    Who leads stays number one until somebody has a higher score; of several who then share the highest, the first.
    """
    current = np.full(players, -np.inf)
    leader, reigns = -1, []
    first = np.flatnonzero(np.diff(contest, prepend=-1))
    for start, stop in zip(first, np.append(first[1:], len(contest))[: len(first)], strict=True):
        current[player[start:stop]] = score[start:stop]
        highest = score[start:stop].max()
        # Where the leader lost points, somebody who did not play may be above.
        if leader < 0 or highest > current[leader] or leader in player[start:stop]:
            best = int(current.argmax())
            if leader < 0 or current[best] > current[leader]:
                leader = best
                reigns.append((leader, int(contest[start])))
    return reigns


def streaks_of(won: NDArray[np.bool_], first: Ints) -> tuple[Ints, Ints]:
    """
    Return where unbroken runs of wins begin and how long they are.

    won
        Shape (changes,), player by player.
    first
        Where each player's changes begin.
    """
    begins = won & ~np.append(False, won[:-1])
    begins[first] = won[first]
    starts = np.flatnonzero(begins)
    # A run ends with the next one that is no win, or with the next player.
    is_stop = np.append(~won, True)
    is_stop[first] = True
    stops = np.flatnonzero(is_stop)
    return starts, stops[np.searchsorted(stops, starts, side="right")] - starts


def _careers(snapshot: SeriesSnapshot, order: Ints) -> Careers:
    changes = read_current_changes(snapshot.series.pk)
    found = histories_of(changes, order, chained=False)
    rows, counts = found.rows, found.counts
    sorter = np.argsort(order)
    score = snapshot.score(changes["mu"], changes["sigma"])[rows]
    before = snapshot.score(changes["mu_before"], changes["sigma_before"])[rows]
    contest = sorter[np.searchsorted(order, changes["contest_id"][rows], sorter=sorter)]
    return Careers(
        found,
        np.arange(len(rows)) - np.repeat(found.first, counts) + 1,
        contest,
        np.repeat(np.arange(len(counts)), counts),
        _decided(changes["rank"][rows], contest),
        score,
        snapshot.mapping.show(before),
        snapshot.mapping.show(score),
    )


def _decided(rank: Ints, contest: Ints) -> Ints:
    """Return the places, 0 in contests in which all share the first."""
    last = np.zeros(int(contest.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(last, contest, rank)
    return np.where(last[contest] > 1, rank, 0)


def _ratings(careers: Careers, since: int, order: Ints) -> Content:
    """Return the highest ratings and the largest gains."""
    found, players = careers.found, careers.found.player_ids
    score = np.where(careers.nth >= since, careers.score, -np.inf)
    highest = np.maximum.reduceat(score, found.first)
    peaks = []
    for player in np.argsort(-highest, kind="stable")[:PEAKS]:
        if np.isfinite(highest[player]):
            row = found.first[player] + score[found.first[player] : found.last[player] + 1].argmax()
            peaks.append(_plain(players[player], careers.after[row], order[careers.contest[row]]))
    gain = np.where(careers.nth > since, careers.after - careers.before, 0)
    gains = [
        _plain(players[careers.player[row]], careers.before[row], careers.after[row], order[careers.contest[row]])
        for row in np.argsort(-gain, kind="stable")[:NAMED]
        if gain[row] > 0
    ]
    return {"peaks": peaks, "gains": gains}


def _results(careers: Careers, order: Ints, days: Floats) -> Content:
    """Return most wins, podiums and contests, longest streaks and careers."""
    found, players = careers.found, careers.found.player_ids
    played = found.counts
    content: Content = {}
    for name, best in (("wins", 1), ("podiums", 3)):
        number = np.add.reduceat(((careers.rank >= 1) & (careers.rank <= best)).astype(np.int64), found.first)
        content[name] = [_plain(players[i], number[i], played[i]) for i in _most(number, careers)]
    begin, end = careers.contest[found.first], careers.contest[found.last]
    for name, number in (("contests", played), ("careers", days[end] - days[begin])):
        most = _most(number, careers)
        content[name] = [_plain(players[i], number[i], order[begin[i]], order[end[i]]) for i in most]
    return content | {"streaks": _streaks(careers, order)}


def _streaks(careers: Careers, order: Ints) -> list[list[Any]]:
    starts, lengths = streaks_of(careers.rank == 1, careers.found.first)
    listed = []
    for longest in np.argsort(-lengths, kind="stable")[:NAMED]:
        start, stop = starts[longest], starts[longest] + lengths[longest] - 1
        player = careers.player[start]
        ends = order[careers.contest[start]], order[careers.contest[stop]]
        lasts = bool(stop == careers.found.last[player])
        if lengths[longest] > 1:
            listed.append([*_plain(careers.found.player_ids[player], lengths[longest], *ends), lasts])
    return listed


def _number_ones(careers: Careers, since: int, order: Ints, days: Floats) -> Content:
    """Return who led after each contest, among those whose ratings count."""
    counted = np.flatnonzero(careers.nth >= since)
    rows = counted[np.argsort(careers.contest[counted], kind="stable")]
    players = careers.found.player_ids
    reigns = reigns_of(careers.contest[rows], careers.player[rows], careers.score[rows], len(players))
    held = np.flatnonzero(np.bincount(careers.contest))
    begin = np.array([contest for _, contest in reigns], dtype=np.int64)
    end = np.append(begin[1:], held[-1])
    length = days[end] - days[begin]
    # The contests after which somebody stood first: a reign ends before the contest that ends it; the last goes on.
    after = np.searchsorted(held, end) - np.searchsorted(held, begin)
    after[-1:] += 1
    totals: dict[int, list[float]] = {}
    for (player, _), lasted, contests in zip(reigns, length.tolist(), after.tolist(), strict=True):
        total = totals.setdefault(player, [0.0, 0, 0])
        for at, value in enumerate((lasted, contests, 1)):
            total[at] += value
    lead = sorted(totals.items(), key=lambda one: (-one[1][0], -one[1][1]))[:NAMED]
    listed = [
        [*_plain(players[player], order[contest], lasted), number == len(reigns) - 1]
        for number, ((player, contest), lasted) in enumerate(zip(reigns, length, strict=True))
    ]
    return {
        "leaders": [[int(players[player]), *total] for player, total in lead],
        "reigns": listed[::-1][:REIGNS],
        "reign_count": len(reigns),
    }


def _most(number: NDArray[Any], careers: Careers) -> Ints:
    """Return the players with the largest numbers above 0; of equals, those who are rated higher now."""
    now = careers.score[careers.found.last]
    best = np.lexsort((-now, -number))[:NAMED]
    return best[number[best] > 0]


def _plain(*numbers: Any) -> list[Any]:
    return [number.item() for number in numbers]


def _system_of(snapshot: SeriesSnapshot) -> Any:
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    return get_system(scheme.system, **scheme.parameters) if scheme is not None else None


DERIVATION = Derivation("records", compute)
