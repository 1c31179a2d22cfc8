"""What ratings were as of an earlier run, rebuilt from its rating changes: what a roll-back publishes."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.errors import ContestError
from contests.models import Contest, Standing
from ratings.models import Run
from ratings.models.run import ROLLBACK
from ratings.publishing.engine import Outcome, rate_fields
from ratings.publishing.planning import Plan
from ratings.queries.histories import contest_order, histories_of
from ratings.queries.inputs import NUMBERS, Field, StoredRating, read_changes_as_of, read_current_changes, read_ratings
from ratings.queries.scoring import scoring_of
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray


def read_restoration(restored: Run) -> tuple[Plan, Outcome]:
    """
    Read what a roll-back to a run publishes, and what it replaces; call it inside a snapshot.

    The rating changes are those of the run, row for row. Where each player stood follows from them; for systems that
    move also those who do not take part it is computed again from the same results, and must give the same changes to
    the last bit. ContestError says why that is not possible.
    """
    series_id = restored.series_id
    system = get_system(restored.scheme.system, **restored.scheme.parameters)
    columns, stored = read_changes_as_of(series_id, restored.number), read_ratings(series_id)
    del columns["id"]
    ratings = _recomputed(restored, columns) if system.needs_pool else _ends(restored, columns)
    base = Run.objects.current(series_id)
    plan = Plan(
        restored.scheme,
        ROLLBACK,
        base.number if base else 0,
        [],
        {},
        "",
        read_current_changes(series_id),
        stored,
        None,
    )
    rated = np.unique(columns["contest_id"]).tolist()
    return plan, Outcome(columns, _without_new_beliefs(ratings, stored), restored.input_hash, rated)


def _ends(restored: Run, columns: dict[str, NDArray[Any]]) -> Iterable[tuple[int, StoredRating]]:
    """Yield where everybody stood, from the changes alone."""
    try:
        found = histories_of(columns, contest_order(restored.series_id), chained=True)
    except ValueError as error:
        raise ContestError(f"Run {restored.number} cannot be shown again: {error}.") from error
    score = scoring_of(restored.scheme)(columns["mu"], columns["sigma"])
    last, peak = found.last_rows, found.peak_rows(score)
    rows = zip(
        columns["mu"][last].tolist(), columns["sigma"][last].tolist(), score[last].tolist(), found.counts.tolist(),
        score[peak].tolist(), columns["contest_id"][peak].tolist(), columns["contest_id"][last].tolist(), repeat(b""),
        strict=False,
    )  # fmt: skip
    for player, row in zip(found.player_ids.tolist(), rows, strict=True):
        yield player, StoredRating(*row)


def _recomputed(restored: Run, columns: dict[str, NDArray[Any]]) -> Iterable[tuple[int, StoredRating]]:
    """Rate the results of the changes again, and return where everybody stands then."""
    scheme = restored.scheme
    system = get_system(scheme.system, **scheme.parameters)
    try:
        outcome = rate_fields(system, _fields(restored.series_id, columns), scoring=scoring_of(scheme))
    except ValueError as error:
        raise ContestError(_not_the_same(restored, str(error))) from error
    if not _alike(outcome.changes, columns):
        raise ContestError(_not_the_same(restored, "the date, the weight or the teams of a contest, or the engine"))
    return outcome.ratings.items()


def _not_the_same(restored: Run, what: str) -> str:
    return (
        f"Run {restored.number} cannot be shown again. Under {restored.scheme.system} a contest moves also those who "
        f"do not take part, so everybody has to be rated again, and that does not give the numbers published then; "
        f"changed since: {what}. Correct the results instead."
    )


def _fields(series_id: int, columns: Mapping[str, NDArray[Any]]) -> list[Field]:
    """Return the contests of these changes as the engine was given them."""
    order = np.lexsort((columns["player_id"], columns["contest_id"]))
    contest, player, rank = (columns[name][order] for name in ("contest_id", "player_id", "rank"))
    rows = Contest.objects.filter(series_id=series_id).in_order()
    found = list(rows.values_list("id", "ends_at", "weight", "perf_ceiling", "has_teams"))
    with_teams = [row[0] for row in found if row[4]]
    teams = _teams(with_teams) if with_teams else {}
    ids = np.array([row[0] for row in found], dtype=np.int64)
    starts, stops = np.searchsorted(contest, ids, "left"), np.searchsorted(contest, ids, "right")
    fields = []
    for (pk, ends_at, weight, ceiling, _), a, b in zip(found, starts.tolist(), stops.tolist(), strict=True):
        if a < b:
            labels = _labels(player[a:b], teams[pk]) if pk in teams else None
            ranks = rank[a:b].astype(np.int64)
            limit = np.inf if ceiling is None else ceiling
            fields.append(Field(pk, ends_at, weight, limit, player[a:b], ranks, labels))
    return fields


def _teams(contest_ids: list[int]) -> dict[int, dict[int, str]]:
    """Return contest -> player -> team, of those who are in one."""
    teams: dict[int, dict[int, str]] = {pk: {} for pk in contest_ids}
    rows = Standing.objects.filter(contest__in=contest_ids).exclude(team="")
    for contest, player, team in rows.values_list("contest_id", "player_id", "team").iterator(20_000):
        teams[contest][player] = team
    return teams


def _labels(players: NDArray[np.int64], teams: Mapping[int, str]) -> NDArray[np.int64]:
    """Return a team's least player for each of these players, which rise; who is in no team is one alone."""
    least: dict[str, int] = {}
    labels = [least.setdefault(teams[p], p) if p in teams else p for p in players.tolist()]
    return np.array(labels, dtype=np.int64)


def _alike(a: Mapping[str, NDArray[Any]], b: Mapping[str, NDArray[Any]]) -> bool:
    """Whether these are the same rating changes to the last bit, in whatever order."""
    if len(a["contest_id"]) != len(b["contest_id"]):
        return False
    first, second = (np.lexsort((c["player_id"], c["contest_id"])) for c in (a, b))
    return all(np.array_equal(a[name][first], b[name][second]) for name in ("contest_id", "player_id", *NUMBERS))


def _without_new_beliefs(
    ratings: Iterable[tuple[int, StoredRating]], stored: Mapping[int, StoredRating]
) -> dict[int, StoredRating]:
    """
    Return the ratings as they are stored where nothing of them differs but the system's memory, else without memory.

    No run goes on from a roll-back (`planning.follows_rules`), so nobody ever reads that memory.
    """
    result = {}
    for player, rating in ratings:
        old = stored.get(player)
        bare = replace(rating, belief=b"")
        result[player] = old if old is not None and replace(old, belief=b"") == bare else bare
    return result
