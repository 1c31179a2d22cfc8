"""
The two ways through one engine: *append* goes on from stored beliefs, *replay* begins with nobody known.

Both call the system's `rate_round` for one contest after the other and gather the same columns, so that they agree to
the last bit; a test proves it. Nothing here touches the database.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings import systems
from ratings.queries.inputs import NUMBERS, StoredRating

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ratings.queries.inputs import Field
    from ratings.queries.scoring import Scoring
    from ratings.systems import RatingSystem


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What the engine computed.

    changes
        Columns contest_id, player_id and inputs.NUMBERS: one row per rated participation, contest by contest.
    ratings
        The players who took part, by player id, as they stand after the last contest.
    input_hash
        Digest of the rules and of all contests rated so far, chained: an append ends with the digest that a replay
        ends with.
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
        Ratings of the players who have one (of the whole series if the system needs its pool, else the participants'
        suffice); empty or None for a replay.
    chain
        The input hash of the run that `before` belongs to; for a replay, a digest of the rules.
    progress
        Called with the number of contests done.
    """
    pool = _Pool(system, fields, scoring, before or {})
    rated, parts = [], []
    for done, field in enumerate(fields, start=1):
        columns = pool.rate(field)
        if columns is not None:
            # Only what was rated: an append that begins at the moment of a contest of one entry meets it again.
            chain = _chained(chain, field)
            rated.append(field.contest_id)
            parts.append(columns)
        if progress is not None:
            progress(done)
    dtypes = {"contest_id": "i8", "player_id": "i8", **NUMBERS}
    changes = {
        name: np.concatenate([part[name] for part in parts]) if parts else np.empty(0, dtype=dtype)
        for name, dtype in dtypes.items()
    }
    return Outcome(changes, pool.ratings(), chain, rated)


class _Pool:
    """
    Everybody who takes part in the given contests, numbered from 0, with beliefs and records; and whoever else has a
    rating, if the system needs to know the whole pool.
    """

    def __init__(
        self, system: RatingSystem, fields: Sequence[Field], scoring: Scoring, before: dict[int, StoredRating]
    ) -> None:
        everybody = [field.player_ids for field in fields]
        if system.needs_pool:
            everybody.append(np.array(list(before), dtype=np.int64))
        self.player_ids = np.unique(np.concatenate(everybody)) if everybody else np.empty(0, dtype=np.int64)
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

    def rate(self, field: Field) -> dict[str, NDArray[Any]] | None:
        """Rate one contest; return its columns, or None without two entries."""
        who = np.searchsorted(self.player_ids, field.player_ids)
        contest = systems.Contest(who, field.ranks, field.weight, field.perf_ceiling, field.day, field.teams)
        result = self.system.rate_round(self.beliefs, contest)
        if result is None:
            return None
        score = self.scoring(result.mu, result.sigma)
        higher = score > self.peak[who]
        self.peak[who[higher]] = score[higher]
        self.peak_contest[who[higher]] = field.contest_id
        self.last_contest[who] = field.contest_id
        columns: dict[str, NDArray[Any]] = {
            "contest_id": np.full(len(who), field.contest_id, dtype=np.int64),
            "player_id": field.player_ids,
        }
        own = {"number": self.beliefs.count[who], "field_size": result.field}
        named = {**own, **{name: getattr(result, name) for name in NUMBERS if name not in own}}
        columns.update({name: np.asarray(named[name], dtype=dtype) for name, dtype in NUMBERS.items()})
        return columns

    def ratings(self) -> dict[int, StoredRating]:
        """Return everybody who has been rated."""
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
    digest.update(np.array([field.contest_id], dtype="<i8").tobytes())
    digest.update(np.array([field.day, field.weight, field.perf_ceiling], dtype="<f8").tobytes())
    digest.update(field.player_ids.astype("<i8").tobytes())
    digest.update(field.ranks.astype("<i8").tobytes())
    if field.teams is not None:
        digest.update(field.teams.astype("<i8").tobytes())
    return digest.hexdigest()
