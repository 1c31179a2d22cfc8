"""
Plan and compute a run: append or replay, the estimated duration, and the ratings.

An *append* continues from stored beliefs, a *replay* starts with newcomers only. Both rate one contest after another
from the beliefs before it, so they agree to the last bit; a test proves it. Computing doesn't touch the database.
"""

from __future__ import annotations

import hashlib
import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Exists, OuterRef, Subquery

from contests.models import Contest, Series
from ratings import systems
from ratings.models import ROLLBACK, RatingChange, Run, StaleMark
from ratings.queries.inputs import NUMBERS, StoredRating, read_current_changes, read_fields, read_ratings
from ratings.queries.snapshot import scoring_of
from ratings.systems import ENGINE_VERSION, get_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.models import Scheme
    from ratings.queries.inputs import Field
    from ratings.queries.snapshot import Scoring
    from ratings.systems import RatingSystem

#: The cost of a run, in seconds, where nothing is known about the machine yet: for reading and rating one result, for
#: closing one rating change and opening another, and for every run (docs/benchmarks.md, "The whole pipeline").
PER_RESULT = 10e-6
PER_CHANGE = 50e-6
PER_RUN = 0.05
#: How many of the last runs show how fast the machine rates a series.
RUNS_ASKED = 10
#: The cause of a run after an update of Podium.
CAUSE = "New version of the rating engine"


@dataclass(frozen=True, slots=True)
class Plan:
    """
    Everything needed to compute and publish a run, read at one moment.

    base
        Number of the run that this one follows; 0 for the first.
    before, chain
        The ratings and the input hash that the run continues from; for a replay no ratings, and the digest of the
        scheme.
    current, stored
        For writing only the differences: for a replay, the rating changes that are current from `since` on; and the
        current ratings of all players whom the run can change.
    """

    scheme: Scheme
    kind: str
    base: int
    fields: list[Field]
    before: dict[int, StoredRating]
    chain: str
    current: dict[str, NDArray[Any]]
    stored: dict[int, StoredRating]
    since: datetime | None

    def compute(self, progress: Callable[[int], None] | None = None) -> Outcome:
        """Rate the planned contests, without touching the database (`progress` may)."""
        system = get_system(self.scheme.system, **self.scheme.parameters)
        scoring = scoring_of(self.scheme)
        return rate_fields(
            system, self.fields, scoring=scoring, before=self.before, chain=self.chain, progress=progress
        )


def make_plan(series_id: int, scheme: Scheme, *, since: datetime | None) -> Plan:
    """Read the inputs for rating the series from `since` on (None: all of it); call it inside a snapshot."""
    base = Run.objects.current(series_id)
    if since is not None and base is not None and _can_append(series_id, scheme, base, since):
        fields = read_fields(series_id, since=since, duration=scheme.duration_rules)
        before = read_ratings_before(series_id, scheme, fields)
        return Plan(scheme, "append", base.number, fields, before, base.input_hash, {}, before, since)
    if not follows_rules(base, scheme):
        since = None
    return Plan(
        scheme,
        "replay",
        base.number if base else 0,
        read_fields(series_id, duration=scheme.duration_rules),
        {},
        scheme.digest(),
        read_current_changes(series_id, since=since),
        read_ratings(series_id),
        since,
    )


def read_ratings_before(series_id: int, scheme: Scheme, fields: Sequence[Field]) -> dict[int, StoredRating]:
    """Return the current ratings that the scheme's system needs to rate these contests next."""
    if get_system(scheme.system, **scheme.parameters).needs_pool:
        return read_ratings(series_id)
    players = np.unique(np.concatenate([field.player_ids for field in fields])).tolist() if fields else []
    return read_ratings(series_id, players)


def follows_rules(run: Run | None, scheme: Scheme) -> bool:
    """
    Return whether this engine and this scheme compute what the run published, so that another run can continue from it.

    Never after a roll-back, whose ratings need not follow from the results.
    """
    if run is None or run.kind == ROLLBACK:
        return False
    return run.engine_version == ENGINE_VERSION and run.scheme.rates_alike(scheme)


def _can_append(series_id: int, scheme: Scheme, base: Run, since: datetime) -> bool:
    """Return whether nothing from `since` on was rated before, and the rules are the same."""
    if not follows_rules(base, scheme):
        return False
    return not RatingChange.objects.current().filter(series_id=series_id, contest__ends_at__gte=since).exists()


def estimate_seconds(series_id: int, results: int, *, changes: int | None = None) -> float:
    """
    Estimate how many seconds a run will take from its start to its publication.

    The estimate uses the constants above, scaled by how the last published runs compare with them.

    results
        Number of rated participations to compute: for a replay all of the series, for an append those of the new
        contests.
    changes
        Number of rating changes to be written; None if unknown, which assumes one per result.
    """
    runs = Run.objects.published().filter(series_id=series_id, result_count__gt=0, seconds__gt=0)
    last = list(runs.order_by("-number").values_list("seconds", "result_count", "changed_count")[:RUNS_ASKED])
    expected = sum(_by_constants(computed, written) for _, computed, written in last)
    pace = sum(seconds or 0.0 for seconds, _, _ in last) / expected if last else 1.0
    return pace * _by_constants(results, results if changes is None else changes)


def _by_constants(results: int, changes: int) -> float:
    return PER_RUN + PER_RESULT * results + PER_CHANGE * changes


def mark_outdated(series_ids: Iterable[int] | None = None) -> int:
    """
    Mark series that an older version of the engine rated as stale; return how many. Takes two queries.

    The run that follows such a mark is a replay, because the engine differs. A series that was rolled back keeps
    showing its earlier run, and a series that has marks is rated again in any case. Ratings of a newer engine stay:
    during an update of the site, processes of both versions are running.

    series_ids
        The series to look at; None for all.
    """
    current = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    oldest = Contest.objects.rated().filter(series=OuterRef("pk")).order_by("ends_at")
    found = Series.objects.annotate(
        version=Subquery(current.values("engine_version")[:1]),
        kind=Subquery(current.values("kind")[:1]),
        since=Subquery(oldest.values("ends_at")[:1]),
    ).filter(~Exists(StaleMark.objects.filter(series=OuterRef("pk"))), version__isnull=False, since__isnull=False)
    if series_ids is not None:
        found = found.filter(pk__in=list(series_ids))
    rows = found.exclude(kind=ROLLBACK).exclude(version=ENGINE_VERSION).values_list("pk", "since", "version")
    marks = [
        StaleMark(series_id=pk, since=since, cause=CAUSE)
        for pk, since, version in rows
        if _number(version) < _number(ENGINE_VERSION)
    ]
    StaleMark.objects.bulk_create(marks)
    return len(marks)


def _number(version: str) -> int:
    """Return the whole number at the start of a version, or 0."""
    digits = re.match(r"\d+", version)
    return int(digits[0]) if digits else 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    The result of a computed run.

    changes
        Columns contest_id, player_id and inputs.NUMBERS: one row per rated participation, contest by contest.
    ratings
        The ratings after the last contest of all players who took part, by player id.
    input_hash
        Chained digest of the rules and of all contests rated so far; append and replay end with the same digest.
    rated
        Ids of the contests that changed ratings.
    """

    changes: dict[str, NDArray[Any]]
    ratings: dict[int, StoredRating]
    input_hash: str
    rated: list[int]


def rate_fields(
    system: RatingSystem,
    fields: Sequence[Field],
    *,
    scoring: Scoring,
    before: dict[int, StoredRating] | None = None,
    chain: str = "",
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """
    Rate contests in the given order.

    before
        Current ratings: of the whole series if the system needs its pool, otherwise of the participants. Empty or None
        for a replay.
    chain
        The input hash of the run that `before` belongs to; for a replay, a digest of the rules.
    progress
        Called with the number of contests done.
    """
    pool = _Pool(system, fields, scoring, before or {})
    changes = pool.rate(fields, progress)
    # Only rated contests: an append that begins at the time of a contest with one entry reads it again.
    rated = set(changes["contest_id"].tolist())
    for field in fields:
        if field.contest_id in rated:
            chain = _chained(chain, field)
    return Outcome(changes, pool.ratings(), chain, [f.contest_id for f in fields if f.contest_id in rated])


class _Pool:
    """
    The players of the given contests, numbered from 0, with beliefs and records.

    If the system needs the whole pool, this includes all other rated players.
    """

    def __init__(
        self, system: RatingSystem, fields: Sequence[Field], scoring: Scoring, before: dict[int, StoredRating]
    ) -> None:
        players = [field.player_ids for field in fields]
        if system.needs_pool:
            players.append(np.array(list(before), dtype=np.int64))
        self.player_ids = np.unique(np.concatenate(players)) if players else np.empty(0, dtype=np.int64)
        self.system, self.scoring = system, scoring
        count = len(self.player_ids)
        self.beliefs = system.new_beliefs(count)
        self.peak = np.full(count, -np.inf)
        self.peak_contest = np.zeros(count, dtype=np.int64)
        self.last_contest = np.zeros(count, dtype=np.int64)
        known = [i for i, player in enumerate(self.player_ids.tolist()) if player in before]
        if known:
            stored = [before[int(self.player_ids[i])] for i in known]
            self.beliefs.unpack(np.array(known), [rating.belief for rating in stored])
            self.peak[known] = [rating.peak for rating in stored]
            self.peak_contest[known] = [rating.peak_contest_id for rating in stored]
            self.last_contest[known] = [rating.last_contest_id for rating in stored]

    def rate(self, fields: Sequence[Field], progress: Callable[[int], None] | None) -> dict[str, NDArray[Any]]:
        """Rate all contests; return the columns of their changes, without contests of fewer than two entries."""
        count = self.beliefs.count.copy()
        history = systems.rate_all(self.system, self.beliefs, self._contests(fields, progress))
        contest_ids = np.array([field.contest_id for field in fields], dtype=np.int64)[history.contest]
        number = self._update_records(history, contest_ids, count)
        own = {"number": number, "field_size": history.field}
        named = {**own, **{name: getattr(history, name) for name in NUMBERS if name not in own}}
        return {
            "contest_id": contest_ids,
            "player_id": self.player_ids[history.player],
            **{name: np.asarray(named[name], dtype=dtype) for name, dtype in NUMBERS.items()},
        }

    def _contests(self, fields: Sequence[Field], progress: Callable[[int], None] | None) -> Iterator[systems.Contest]:
        """Yield the contests of the library, one at a time; report each when it has been rated."""
        players = [field.player_ids for field in fields]
        who = np.searchsorted(self.player_ids, np.concatenate(players)) if players else np.empty(0, dtype=np.int64)
        end = 0
        for done, field in enumerate(fields, start=1):
            begin, end = end, end + len(field.player_ids)
            yield field.for_system(self.system, who[begin:end])
            if progress is not None:
                progress(done)

    def _update_records(
        self, history: systems.History, contest_ids: NDArray[np.int64], count: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """
        Update everyone's peak and last contest; return the number of each participation among the player's own, from 1.

        count
            The number of each player's rated contests before.
        """
        number = np.empty(len(history), dtype=np.int64)
        if not len(history):
            return number
        order = np.argsort(history.player, kind="stable")
        player, contest = history.player[order], contest_ids[order]
        starts = np.flatnonzero(np.diff(player, prepend=-1))
        sizes = np.diff(starts, append=len(player))
        who = player[starts]
        number[order] = count[player] + 1 + np.arange(len(player)) - np.repeat(starts, sizes)
        score = self.scoring(history.mu, history.sigma)[order]
        best = np.maximum.reduceat(score, starts)
        at_best = np.flatnonzero(score == np.repeat(best, sizes))
        first = at_best[np.searchsorted(at_best, starts)]
        higher = best > self.peak[who]
        self.peak[who[higher]] = best[higher]
        self.peak_contest[who[higher]] = contest[first[higher]]
        self.last_contest[who] = contest[starts + sizes - 1]
        return number

    def ratings(self) -> dict[int, StoredRating]:
        """Return the ratings of all players who have been rated."""
        who = np.flatnonzero(self.beliefs.count > 0)
        score = self.scoring(self.beliefs.mu, self.beliefs.sigma)
        columns = (
            self.beliefs.mu, self.beliefs.sigma, score, self.beliefs.count,
            self.peak, self.peak_contest, self.last_contest,
        )  # fmt: skip
        rows = zip(*(column[who].tolist() for column in columns), self.beliefs.pack(who), strict=True)
        return {player: StoredRating(*row) for player, row in zip(self.player_ids[who].tolist(), rows, strict=True)}


def _chained(chain: str, field: Field) -> str:
    digest = hashlib.sha256(chain.encode())
    digest.update(struct.pack("<qddd", field.contest_id, field.day, field.weight, field.perf_ceiling))
    digest.update(field.player_ids.astype("<i8").tobytes())
    digest.update(field.ranks.astype("<i8").tobytes())
    if field.teams is not None:
        digest.update(field.teams.astype("<i8").tobytes())
    for name, column in ((b"play", field.play), (b"handicap", field.handicap)):
        if column is not None:
            digest.update(name + column.astype("<f8").tobytes())
    return digest.hexdigest()
