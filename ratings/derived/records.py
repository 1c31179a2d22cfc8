"""
Derived numbers: records of a series, such as highest ratings, number ones, wins, streaks, gains and careers.

A player's first ratings say more about the rating system, which knew nothing about the player, than about the player.
So ratings count only from a later contest (`ratings.queries.boards.counted_from`); results count from the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Contest
from ratings.derived import Content, Derivation
from ratings.queries.boards import (
    CONTESTS_IN_WINDOW,
    CONTESTS_READ,
    SHORTEST_WINDOW,
    SLACK,
    counted_from,
    rule_of,
)
from ratings.queries.histories import histories_of
from ratings.queries.inputs import read_current_changes
from ratings.systems import get_system
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.queries.boards import Rule
    from ratings.queries.histories import Histories
    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

#: The number of peaks, of reigns, and of entries in each other record to keep.
PEAKS, REIGNS, NAMED = 20, 50, 10
#: Places on a podium, and the smallest field that has one.
PODIUM, PODIUM_FIELD = 3, 4


@dataclass(frozen=True, slots=True, eq=False)
class Careers:
    """
    All rated participations, sorted by player and contest, shape (changes,).

    nth
        Number of the player's contests up to and including this one.
    contest
        Position of the contest in the order of contests.
    player
        Position of the player in `histories.player_ids`.
    rank
        Rank in the contest; 0 if all players tied, so that no one won or reached the podium.
    field
        Size of the contest's field.
    """

    histories: Histories
    nth: Ints
    contest: Ints
    player: Ints
    rank: Ints
    field: Ints
    score: Floats
    before: Ints
    after: Ints


def compute(snapshot: SeriesSnapshot) -> Content:
    """
    Return the records of a series as of its current run. Players and contests are ids, ratings displayed points.

    counted_from
        The player's contest from which ratings count: 1 for the first.
    peaks
        [player, rating, contest at which it was first reached], highest first.
    leaders
        [player, days, contests, reigns] as number one, most days first.
    reigns, reign_count
        [player, first contest, days, whether it continues], newest first; and the total number of reigns.
    until
        The newest contest, to which days are counted.
    wins, podiums
        [player, number, contests played], most first.
    contests
        [player, contests, first, last], most first.
    gains
        [player, rating before, after, contest], largest first.
    highest, largest_gain
        The highest rating and the largest gain if the ratings that don't count are included.
    leads_all
        Whether no active player whose ratings don't count yet is above the number one; absent without `reigns`.
    streaks
        [player, length, first contest, last contest, whether it continues], longest first.
    careers
        [player, days, first contest, last contest], longest first.
    """
    rated = Contest.objects.filter(series=snapshot.series).in_order().values_list("pk", "ends_at")
    order = np.array([pk for pk, _ in rated], dtype=np.int64)
    days = np.array([days_since_1970(end) for _, end in rated])
    careers = _careers(snapshot, order)
    if not len(careers.nth):
        return {"counted_from": 1}
    # Positions on a ladder are facts from the first game on.
    since = 1 if snapshot.has_positions else counted_from(_rule(careers, days), careers.histories.counts)
    content: Content = {"counted_from": since, "until": int(order[careers.contest.max()])}
    content |= _ratings(careers, since, order) | _results(careers, order, days)
    if snapshot.run is not None and not getattr(_system_of(snapshot), "decay", 0.0):
        content |= _number_ones(careers, since, order, days)
    return content


def reigns_of(contest: Ints, player: Ints, score: Floats, players: int, days: Floats) -> list[tuple[int, int]]:
    """
    Return (player, first contest) of each reign as number one, in order of time.

    contest, player, score
        Positions of contest and player, and the player's score after the contest, sorted by contest; shape (rows,).
        A score that doesn't count is -inf.
    days
        The end of each contest in days, by its position.

    The number one stays until another active player has a higher score, or until they are no longer active. A player
    is active who took part in the last 365 days, or in one of the last three contests, as on leaderboards
    (`ratings.queries.boards.rule_of`). If several share that score, the first one follows.
    """
    current, last = np.full(players, -np.inf), np.full(players, -1)
    leader, reigns = -1, []
    first = np.flatnonzero(np.diff(contest, prepend=-1))
    parts = list(zip(first.tolist(), np.append(first[1:], len(contest)).tolist(), strict=False))
    oldest = 0  # the oldest contest whose players are still active
    for number, (start, stop) in enumerate(parts):
        present = player[start:stop]
        current[present], last[present] = score[start:stop], number
        earliest = days[contest[start]] - SHORTEST_WINDOW - SLACK
        while oldest <= number - CONTESTS_IN_WINDOW and days[contest[parts[oldest][0]]] < earliest:
            gone = player[slice(*parts[oldest])]
            current[gone[last[gone] == oldest]] = -np.inf
            oldest += 1
        # If the leader has lost points or is no longer active, a player who did not take part may now be above.
        highest = -np.inf if leader < 0 else current[leader]
        if score[start:stop].max() > highest or highest == -np.inf or leader in present:
            best = int(current.argmax())
            if current[best] > highest:
                leader = best
                reigns.append((leader, int(contest[start])))
    return reigns


def streaks_of(won: NDArray[np.bool_], first: Ints) -> tuple[Ints, Ints]:
    """
    Return the starts and lengths of winning streaks.

    won
        Whether each participation was a win, sorted by player and contest, shape (changes,).
    first
        Start of each player's participations.
    """
    begins = won & ~np.append(False, won[:-1])
    begins[first] = won[first]
    starts = np.flatnonzero(begins)
    # A streak ends at the next participation that is not a win, or at the next player.
    is_stop = np.append(~won, True)
    is_stop[first] = True
    stops = np.flatnonzero(is_stop)
    return starts, stops[np.searchsorted(stops, starts, side="right")] - starts


def _careers(snapshot: SeriesSnapshot, order: Ints) -> Careers:
    changes = read_current_changes(snapshot.series.pk)
    histories = histories_of(changes, order, chained=False)
    rows, counts = histories.rows, histories.counts
    sorter = np.argsort(order)
    score = snapshot.score(changes["mu"], changes["sigma"])[rows]
    before = snapshot.score(changes["mu_before"], changes["sigma_before"])[rows]
    contest = sorter[np.searchsorted(order, changes["contest_id"][rows], sorter=sorter)]
    return Careers(
        histories,
        np.arange(len(rows)) - np.repeat(histories.first, counts) + 1,
        contest,
        np.repeat(np.arange(len(counts)), counts),
        _decided(changes["rank"][rows], contest),
        changes["field_size"][rows],
        score,
        snapshot.mapping.show(before),
        snapshot.mapping.show(score),
    )


def _decided(rank: Ints, contest: Ints) -> Ints:
    """Return the ranks, with 0 for contests in which all players tied."""
    last = np.zeros(int(contest.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(last, contest, rank)
    return np.where(last[contest] > 1, rank, 0)


def _ratings(careers: Careers, since: int, order: Ints) -> Content:
    """Return the highest ratings and the largest gains."""
    histories, players = careers.histories, careers.histories.player_ids
    score = np.where(careers.nth >= since, careers.score, -np.inf)
    highest = np.maximum.reduceat(score, histories.first)
    peaks = []
    for player in np.argsort(-highest, kind="stable")[:PEAKS]:
        if np.isfinite(highest[player]):
            row = histories.first[player] + score[histories.first[player] : histories.last[player] + 1].argmax()
            peaks.append(_plain(players[player], careers.after[row], order[careers.contest[row]]))
    gain = np.where(careers.nth > since, careers.after - careers.before, 0)
    gains = [
        _plain(players[careers.player[row]], careers.before[row], careers.after[row], order[careers.contest[row]])
        for row in np.argsort(-gain, kind="stable")[:NAMED]
        if gain[row] > 0
    ]
    largest = int((careers.after - careers.before).max())
    return {"peaks": peaks, "gains": gains, "highest": int(careers.after.max()), "largest_gain": largest}


def _results(careers: Careers, order: Ints, days: Floats) -> Content:
    """Return the most wins, podiums and contests, and the longest streaks and careers."""
    histories, players = careers.histories, careers.histories.player_ids
    played = histories.counts
    content: Content = {}
    for name, best, least in (("wins", 1, 1), ("podiums", PODIUM, PODIUM_FIELD)):
        counts = (careers.rank >= 1) & (careers.rank <= best) & (careers.field >= least)
        number = np.add.reduceat(counts.astype(np.int64), histories.first)
        content[name] = [_plain(players[i], number[i], played[i]) for i in _most(number, careers)]
    begin, end = careers.contest[histories.first], careers.contest[histories.last]
    for name, number in (("contests", played), ("careers", days[end] - days[begin])):
        most = _most(number, careers)
        content[name] = [_plain(players[i], number[i], order[begin[i]], order[end[i]]) for i in most]
    return content | {"streaks": _streaks(careers, order, _is_active(careers, days))}


def _is_active(careers: Careers, days: Floats) -> NDArray[np.bool_]:
    """Return whether each player counts as active, by the rule of leaderboards."""
    newest = days[careers.contest.max()]
    active: NDArray[np.bool_] = (
        days[careers.contest[careers.histories.last]] >= newest - _rule(careers, days).days - SLACK
    )
    return active


def _rule(careers: Careers, days: Floats) -> Rule:
    """Return the rule of leaderboards as of the newest contest."""
    held = np.flatnonzero(np.bincount(careers.contest))
    return rule_of(days[held[::-1][:CONTESTS_READ]].tolist())


def _streaks(careers: Careers, order: Ints, is_active: NDArray[np.bool_]) -> list[list[Any]]:
    """Return the longest winning streaks; one that was never broken lasts while its player is active."""
    starts, lengths = streaks_of(careers.rank == 1, careers.histories.first)
    listed = []
    for longest in np.argsort(-lengths, kind="stable")[:NAMED]:
        start, stop = starts[longest], starts[longest] + lengths[longest] - 1
        player = careers.player[start]
        ends = order[careers.contest[start]], order[careers.contest[stop]]
        lasts = bool(stop == careers.histories.last[player] and is_active[player])
        if lengths[longest] > 1:
            listed.append([*_plain(careers.histories.player_ids[player], lengths[longest], *ends), lasts])
    return listed


def _number_ones(careers: Careers, since: int, order: Ints, days: Floats) -> Content:
    """Return the number ones, among players whose ratings count."""
    rows = np.argsort(careers.contest, kind="stable")
    score = np.where(careers.nth >= since, careers.score, -np.inf)[rows]
    players = careers.histories.player_ids
    reigns = reigns_of(careers.contest[rows], careers.player[rows], score, len(players), days)
    held = np.flatnonzero(np.bincount(careers.contest))
    begin = np.array([contest for _, contest in reigns], dtype=np.int64)
    end = np.append(begin[1:], held[-1])
    length = days[end] - days[begin]
    # The number of contests after which the player was first. The contest that ends a reign does not count.
    after = np.searchsorted(held, end) - np.searchsorted(held, begin)
    after[-1:] += 1
    totals: dict[int, list[float]] = {}
    for (player, _), lasted, contests in zip(reigns, length.tolist(), after.tolist(), strict=True):
        total = totals.setdefault(player, [0.0, 0, 0])
        for at, value in enumerate((lasted, contests, 1)):
            total[at] += value
    is_active = _is_active(careers, days)
    now = careers.score[careers.histories.last]
    lead = sorted(totals.items(), key=lambda one: (-one[1][0], -one[1][1]))[:NAMED]
    listed = [
        [*_plain(players[player], order[contest], lasted), number == len(reigns) - 1]
        for number, ((player, contest), lasted) in enumerate(zip(reigns, length, strict=True))
    ]
    return {
        "leaders": [[int(players[player]), *total] for player, total in lead],
        "reigns": listed[::-1][:REIGNS],
        "reign_count": len(reigns),
        "leads_all": bool(now[reigns[-1][0]] >= now[is_active].max()) if reigns else True,
    }


def _most(number: NDArray[Any], careers: Careers) -> Ints:
    """Return the players with the largest positive numbers; ties are sorted by current rating."""
    now = careers.score[careers.histories.last]
    best = np.lexsort((-now, -number))[:NAMED]
    return best[number[best] > 0]


def _plain(*numbers: Any) -> list[Any]:
    return [number.item() for number in numbers]


def _system_of(snapshot: SeriesSnapshot) -> Any:
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    return get_system(scheme.system, **scheme.parameters) if scheme is not None else None


DERIVATION = Derivation("records", compute, version=7)
