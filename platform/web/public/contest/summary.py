"""
The numbers behind the story of a contest: winners, favourites by rating, the largest rise and fall, and new players.

Unlike the analysis, a summary needs no probabilities, so the page of a contest can show it at once. It depends only on
the rating changes of one run and is cached by run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Exists, OuterRef

from contests.caching import cached
from ratings.derived import derived
from ratings.derived.fields import DERIVATION as FIELDS
from ratings.derived.records import DERIVATION as RECORDS
from ratings.models import RatingChange
from web.public.contest.field import ratings_of, read_field, seeds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from contests.models import Contest
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.field import ContestField

    Integers = NDArray[np.int64]

#: The number of favourites, and of winners to name.
FAVOURITES, WINNERS = 5, 3
#: A streak is counted up to this number of contests.
LONGEST_STREAK = 60
#: How long a summary is cached; it never changes.
SECONDS = 86_400
#: The version of the cached data; raise it whenever the fields of `Summary` change.
VERSION = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """
    A player or team with the ratings around the contest, in displayed points; for a team, the means of its members.

    player_id
        The player who represents the entry; for a team, its first member.
    seed
        Place by rating before the contest; None if a member had no rating.
    """

    player_id: int
    rank: int
    seed: int | None
    before: int
    after: int

    @property
    def difference(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Career:
    """The rated contests of the winner before this one: their number, the wins, and the current winning streak."""

    contests: int
    wins: int
    streak: int


@dataclass(frozen=True, slots=True)
class Summary:
    """
    The numbers of one contest.

    entries, known
        Players or teams, and those that had been rated before.
    winners, winner_count
        Some of the entries in first place, and the number of all; no winners if everyone shared first place.
    favourites
        The entries with the highest ratings before the contest, best first.
    rise, fall
        The largest gain and loss of players whose rating was no longer provisional before; None if there is none. If
        all ratings were provisional, that of all players, if no newcomer gained or lost more.
    is_rise_beaten, is_fall_beaten
        Whether a player with a provisional rating, or a newcomer, gained or lost more.
    newcomers, best_newcomer
        Players in their first rated contest, and the one with the best place.
    career
        Known for a single winner without a team.
    highest
        Ids of the players with the highest rating after the contest.
    """

    entries: int
    known: int
    winners: list[Entry]
    winner_count: int
    others: list[Entry]
    favourites: list[Entry]
    rise: Entry | None
    fall: Entry | None
    is_rise_beaten: bool
    is_fall_beaten: bool
    newcomers: int
    best_newcomer: Entry | None
    career: Career | None
    highest: frozenset[int]

    @property
    def is_tied(self) -> bool:
        return self.winner_count == self.entries

    def player_ids(self) -> set[int]:
        """Return the ids of all players who represent an entry."""
        one = [entry for entry in (self.rise, self.fall, self.best_newcomer) if entry is not None]
        return {entry.player_id for entry in (*self.winners, *self.others, *self.favourites, *one)}


@dataclass(frozen=True, slots=True)
class Extreme:
    """A field larger or stronger than those of `ahead_of` contests before; `since` is the last that was not smaller."""

    ahead_of: int
    since: int | None


@dataclass(frozen=True, slots=True)
class History:
    """The contest compared with the whole series; players are ids, `leader` became number one in it."""

    strongest: Extreme | None = None
    largest: Extreme | None = None
    highest_rating: int | None = None
    largest_rise: int | None = None
    has_larger_rise: bool = False
    leader: int | None = None

    def player_ids(self) -> set[int]:
        """Return the ids of the players."""
        return {pk for pk in (self.highest_rating, self.largest_rise, self.leader) if pk is not None}


def summary_of(snapshot: SeriesSnapshot, contest: Contest) -> Summary | None:
    """Return the summary as of the current run; None if that run did not rate the contest."""
    if snapshot.run is None or snapshot.scheme is None:
        return None
    key = f"contest-summary:{VERSION}:{contest.pk}:{contest.version}:{snapshot.run.uid}:{snapshot.scheme.uid}"

    def summarize() -> Summary | None:
        rated = read_field(snapshot, contest)
        return summary_from(snapshot, contest, rated) if rated is not None else None

    return cached(key, summarize, SECONDS)


def summary_from(snapshot: SeriesSnapshot, contest: Contest, rated: ContestField) -> Summary:
    """Return the summary of a field."""
    show, score = snapshot.mapping.show, snapshot.score
    before: Integers = show(score(rated.mu_before, rated.sigma_before))
    scores = score(rated.mu, rated.sigma)
    after: Integers = show(scores)
    first = np.unique(rated.entry, return_index=True)[1]
    sizes = np.bincount(rated.entry)
    strength = np.bincount(rated.entry, before) / sizes
    is_known = np.bincount(rated.entry, rated.is_newcomer) == 0
    ends = np.bincount(rated.entry, after) / sizes
    ratings = ratings_of(snapshot, rated)
    seeds = seeds_of(ratings, is_known)

    def entry(number: int) -> Entry:
        seed = int(seeds[number]) if is_known[number] else None
        player, rank = int(rated.player_ids[first[number]]), int(rated.rank[first[number]])
        return Entry(player, rank, seed, round(float(strength[number])), round(float(ends[number])))

    def person(row: int) -> Entry:
        return Entry(int(rated.player_ids[row]), int(rated.rank[row]), None, int(before[row]), int(after[row]))

    rank = rated.rank[first]
    won = np.flatnonzero(rank == 1)
    by_rating = np.lexsort((rank, -ratings))
    new = np.flatnonzero(rated.is_newcomer)
    rise, fall = _largest_of(rated, after - before), _largest_of(rated, before - after)
    is_alone = len(won) == 1 and sizes[won[0]] == 1 and len(rank) > 1
    return Summary(
        entries=len(rank),
        known=int(np.count_nonzero(is_known)),
        winners=[entry(number) for number in won[:WINNERS].tolist()],
        winner_count=len(won),
        others=[entry(number) for number in np.flatnonzero(rank > 1)[:1].tolist()],
        favourites=[entry(number) for number in by_rating[is_known[by_rating]][:FAVOURITES].tolist()],
        rise=person(rise[0]) if rise is not None else None,
        fall=person(fall[0]) if fall is not None else None,
        is_rise_beaten=rise is not None and rise[1],
        is_fall_beaten=fall is not None and fall[1],
        newcomers=len(new),
        best_newcomer=person(int(new[0])) if len(new) else None,
        career=_career(snapshot, contest, int(rated.player_ids[first[won[0]]])) if is_alone else None,
        highest=frozenset(rated.player_ids[scores == scores.max()].tolist()),
    )


def _largest_of(rated: ContestField, change: Integers) -> tuple[int, bool] | None:
    """Return the row of the largest change that counts, and whether another one was larger; None if there is none."""
    rows = np.flatnonzero(rated.is_compared & (change > 0))
    if not len(rows):
        return None
    best = int(rows[change[rows].argmax()])
    is_beaten = bool(change.max() > change[best])
    return (best, is_beaten) if rated.is_settled.any() or not is_beaten else None


def _career(snapshot: SeriesSnapshot, contest: Contest, player_id: int) -> Career | None:
    """Return the career of a player before a contest, in three queries."""
    changes = RatingChange.objects.current().filter(series=snapshot.series, player=player_id)
    number = changes.filter(contest=contest).values_list("number", flat=True).first()
    if number is None:
        return None
    # No one won a contest in which all shared the first place.
    behind = RatingChange.objects.current().filter(contest=OuterRef("contest"), rank__gt=1)
    earlier = changes.filter(number__lt=number)
    newest = earlier.order_by("-number").annotate(is_decided=Exists(behind)).values_list("rank", "is_decided")
    streak = 0
    for rank, is_decided in newest[:LONGEST_STREAK]:
        if rank != 1 or not is_decided:
            break
        streak += 1
    wins = earlier.filter(Exists(behind), rank=1).count()
    return Career(number - 1, wins, streak)


def history_of(snapshot: SeriesSnapshot, contest: Contest) -> History:
    """Compare a contest with its series, as far as the numbers have been computed since the newest run; two queries."""
    fields, records = derived(snapshot, FIELDS) or {}, derived(snapshot, RECORDS) or {}
    extremes: dict[str, Extreme | None] = {}
    for at in np.flatnonzero(fields["contests"] == contest.pk).tolist() if fields else ():
        for name in ("sizes", "strengths"):
            extremes[name] = extreme(fields[name][:at], fields["contests"][:at], int(fields[name][at]))
    kept = records.get("reigns", ())
    # The first number one overtook no one: that reign begins where ratings begin to count.
    later = kept[:-1] if len(kept) == records.get("reign_count") else kept
    reigns = {row[1]: row[0] for row in reversed(later)}
    peaks, gains = records.get("peaks", ()), records.get("gains", ())
    # A player's first ratings don't count as records. While one of them is higher, these would contradict the ratings.
    if peaks and peaks[0][1] < records["highest"]:
        peaks = ()
    if not records.get("leads_all", True) and records["reigns"][0][1] == contest.pk:
        reigns = {}
    return History(
        strongest=extremes.get("strengths"),
        largest=extremes.get("sizes"),
        highest_rating=_holder(peaks, contest),
        largest_rise=_holder(gains, contest),
        has_larger_rise=bool(gains) and gains[0][2] - gains[0][1] < records["largest_gain"],
        leader=reigns.get(contest.pk),
    )


def extreme(values: NDArray[Any], contests: NDArray[Any], value: int) -> Extreme | None:
    """Compare a value with those of earlier contests, oldest first; None if the last one was not smaller."""
    if not value or not len(values):
        return None
    above = np.flatnonzero(values >= value)
    ahead_of = len(values) - 1 - int(above[-1]) if len(above) else len(values)
    return Extreme(ahead_of, int(contests[above[-1]]) if len(above) else None) if ahead_of else None


def _holder(rows: Sequence[Sequence[int]], contest: Contest) -> int | None:
    """Return the player of the first row if the row's last number is the id of this contest."""
    return rows[0][0] if rows and rows[0][-1] == contest.pk else None
