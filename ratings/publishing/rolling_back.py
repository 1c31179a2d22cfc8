"""
Roll-backs: publishing the ratings of an earlier run again, as a new run (docs/decisions/0007-roll-back.md).

An organizer's request becomes a queued run, and the process that holds the lease of the series carries it out
(`ratings.publishing.refresh`). A roll-back doesn't change results. It lasts until they change, or until an organizer
ends it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.models import Contest, Player, PlayerMerge, Series, Standing
from contests.services.audit import record
from contests.wording import in_a_row, quoted
from ratings.descriptions import description_of
from ratings.models import ROLLBACK, RatingChange, Run, RunState, StaleMark
from ratings.publishing.engine import Outcome, Plan, rate_fields
from ratings.publishing.leases import forgive
from ratings.publishing.queue import begin_run, mark_stale, notify_worker, unfinished_runs
from ratings.queries.histories import contest_order, histories_of
from ratings.queries.inputs import (
    NUMBERS,
    Field,
    StoredRating,
    read_changes_as_of,
    read_current_changes,
    read_ratings,
    read_terms,
    terms_of,
)
from ratings.queries.snapshot import scoring_of
from ratings.systems import get_system
from ratings.systems.duration import weighed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.contrib.auth.models import User
    from numpy.typing import NDArray

#: How many names a refusal lists.
_NAMED = 5


def ask_roll_back(series_id: int, number: int, *, reason: str, actor: User | None = None) -> Run:
    """
    Ask a worker to publish a new run with the ratings of run `number`; return the queued run.

    Raises ContestError, which gives the reason, if the series cannot be rolled back to that run now.
    """
    run = _queue(series_id, number, reason, actor)
    forgive(series_id)
    notify_worker(series_id)
    return run


@transaction.atomic
def end_roll_back(series_id: int, *, actor: User | None = None) -> None:
    """End a roll-back, so that the series is rated by its results and scheme; do nothing if it isn't rolled back."""
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    run = Run.objects.current(series_id)
    if run is None or run.kind != ROLLBACK or StaleMark.objects.filter(series=series).exists():
        return
    first = Contest.objects.rated().filter(series=series).in_order().first()
    cause = f"Ended the roll-back to run {run.restores}"
    record("run.end_roll_back", subject=f"run {run.number} of {series.slug}", series=series, actor=actor)
    mark_stale(series_id, since=first.ends_at if first else timezone.now(), cause=cause, actor=actor)


def restorable(series_id: int, number: int, *, among: Run | None = None) -> Run:
    """
    Return the run with this number and its scheme; ContestError if the series cannot be rolled back to it now.

    among
        The run of the roll-back itself, which is unfinished too, but no obstacle.
    """
    restored = Run.objects.published().select_related("scheme").filter(series_id=series_id, number=number).first()
    if restored is None:
        raise ContestError(gettext("There is no published run %(number)s to roll back to.") % {"number": number})
    if (current := Run.objects.current(series_id)) is not None and number in (current.number, current.restores):
        raise ContestError(gettext("Visitors already see the ratings of run %(number)s.") % {"number": number})
    others = unfinished_runs(series_id).exclude(pk=among.pk) if among is not None else unfinished_runs(series_id)
    busy = others.order_by("-number").first()
    if busy is not None:
        raise ContestError(
            gettext("Run %(number)s is not finished; wait until it has ended, or cancel it.") % {"number": busy.number}
        )
    if StaleMark.objects.filter(series_id=series_id).exists():
        raise ContestError(
            gettext("Results have changed and are not rated yet. Wait until they are rated, then roll back.")
        )
    _refuse_other_people(restored)
    return restored


@transaction.atomic
def _queue(series_id: int, number: int, reason: str, actor: User | None) -> Run:
    if not reason.strip():
        raise ContestError(gettext("Give the reason for rolling back; all organizers of the series can read it."))
    restorable(series_id, number)
    # Locked only now: a run that is being published holds the row for a long time, and was refused above.
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    restored = restorable(series_id, number)
    current = Run.objects.current(series_id)
    run = begin_run(
        series_id, kind=ROLLBACK, state=RunState.QUEUED, restores=number, scheme=restored.scheme, actor=actor,
        cause=f"Rolled back to run {number}: {reason.strip()}",
    )  # fmt: skip
    record(
        "run.roll_back", subject=f"run {number} of {series.slug}", series=series, actor=actor, reason=reason.strip(),
        before={"run": current.number if current else None}, after={"run": run.number},
    )  # fmt: skip
    return run


def _refuse_other_people(restored: Run) -> None:
    """Raise ContestError if players of that run were merged or split since, so its ratings belong to others now."""
    changes = RatingChange.objects.as_of(restored.number).filter(series=restored.series_id)
    merged = Player.objects.filter(pk__in=changes.values("player")).exclude(merged_into=None)
    now = gettext("“%(handle)s” (now “%(kept)s”)")
    names = [
        now % {"handle": a, "kept": b} for a, b in merged.values_list("handle", "merged_into__handle")[: _NAMED + 1]
    ]
    if names:
        text = gettext(
            "Run %(run)s cannot be shown again, because players have been merged into others since: %(players)s. To "
            "roll back, split them first."
        )
        raise ContestError(_other_people(restored, names, text))
    split = PlayerMerge.objects.filter(at__lte=restored.published_at, split_at__gte=restored.created_at)
    names = [
        in_a_row([quoted(kept), quoted(other)])
        for pair in split.values_list("kept_id", "merged_id", "kept__handle", "merged__handle").distinct()
        for kept, other in [pair[2:]]
        if _has_results_of_another(restored, *pair[:2])
    ]
    if names:
        text = gettext(
            "Run %(run)s cannot be shown again: %(players)s were one player then and have been split since. To roll "
            "back, merge them first."
        )
        raise ContestError(_other_people(restored, names, text))


def _has_results_of_another(restored: Run, kept_id: int, merged_id: int) -> bool:
    """Return whether the run rated the kept player for contests that are now only the merged player's."""
    rated = RatingChange.objects.as_of(restored.number).filter(series=restored.series_id, player=kept_id)
    own = Standing.objects.filter(player=kept_id, contest__series=restored.series_id)
    theirs = Standing.objects.filter(player=merged_id, contest__series=restored.series_id)
    shared = theirs.filter(contest__in=rated.values("contest")).exclude(contest__in=own.values("contest"))
    return shared.exists()


def _other_people(restored: Run, names: list[str], text: str) -> str:
    listed = ", ".join(names[:_NAMED])
    if len(names) > _NAMED:
        listed = gettext("%(players)s and others") % {"players": listed}
    return text % {"run": restored.number, "players": listed}


def read_restoration(restored: Run) -> tuple[Plan, Outcome]:
    """
    Read the ratings that a roll-back to a run publishes, and those that it replaces; call it inside a snapshot.

    The rating changes are those of the run, row for row, and each player's rating follows from them. If the system also
    moves players who don't take part, ratings are computed again from the same results, which must give the same
    changes to the last bit. ContestError gives the reason if that is not possible.
    """
    series_id = restored.series_id
    system = get_system(restored.scheme.system, **restored.scheme.parameters)
    columns, stored = read_changes_as_of(series_id, restored.number), read_ratings(series_id)
    del columns["id"]
    ratings = _recomputed(restored, columns) if system.needs_pool else _ends(restored, columns)
    base = Run.objects.current(series_id)
    replaced, number = read_current_changes(series_id), base.number if base else 0
    plan = Plan(restored.scheme, ROLLBACK, number, [], {}, "", replaced, stored, None)
    rated = np.unique(columns["contest_id"]).tolist()
    return plan, Outcome(columns, _without_new_beliefs(ratings, stored), restored.input_hash, rated)


def _ends(restored: Run, columns: dict[str, NDArray[Any]]) -> Iterable[tuple[int, StoredRating]]:
    """Yield the players' ratings, which follow from the changes alone."""
    try:
        found = histories_of(columns, contest_order(restored.series_id), chained=True)
    except ValueError as error:
        raise ContestError(
            gettext("Run %(number)s cannot be shown again: %(error)s.") % {"number": restored.number, "error": error}
        ) from error
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
    """Rate the results of the changes again, and return the players' ratings after them."""
    scheme = restored.scheme
    system = get_system(scheme.system, **scheme.parameters)
    try:
        outcome = rate_fields(system, _fields(restored, columns), scoring=scoring_of(scheme))
    except ValueError as error:
        raise ContestError(_not_the_same(restored, str(error))) from error
    if not _alike(outcome.changes, columns):
        raise ContestError(
            _not_the_same(
                restored,
                gettext("dates, weight, teams, shares or handicaps of a contest, or the rating engine"),
            )
        )
    return outcome.ratings.items()


def _not_the_same(restored: Run, what: str) -> str:
    return gettext(
        "Run %(run)s cannot be shown again. With %(system)s, a contest also affects players who don’t take part, so "
        "Podium would have to rate the results of that run again, and the ratings would differ from the published "
        "ones. Changed since then: %(what)s. Correct the results instead."
    ) % {"run": restored.number, "system": description_of(restored.scheme.system).in_words, "what": what}


def _fields(restored: Run, columns: Mapping[str, NDArray[Any]]) -> list[Field]:
    """Return the contests of these changes as the engine read them for the run."""
    order = np.lexsort((columns["player_id"], columns["contest_id"]))
    contest, player, rank = (columns[name][order] for name in ("contest_id", "player_id", "rank"))
    rows, duration = Contest.objects.filter(series_id=restored.series_id).in_order(), restored.scheme.duration_rules
    columns_of_contests = (
        "id", "ends_at", "weight", "perf_ceiling", "has_teams", "has_shares", "has_handicaps", "starts_at",
    )  # fmt: skip
    found = list(rows.values_list(*columns_of_contests))
    terms = read_terms([row[0] for row in found if row[5] or row[6]])
    with_teams = [row[0] for row in found if row[4]]
    teams = _teams(with_teams) if with_teams else {}
    ids = np.array([row[0] for row in found], dtype=np.int64)
    starts, stops = np.searchsorted(contest, ids, "left"), np.searchsorted(contest, ids, "right")
    fields = []
    for (pk, ends_at, given, ceiling, *_, starts_at), a, b in zip(found, starts.tolist(), stops.tolist(), strict=True):
        if a < b:
            weight = weighed(duration, given, starts_at, ends_at)
            labels = _labels(player[a:b], teams[pk]) if pk in teams else None
            ranks = rank[a:b].astype(np.int64)
            limit = np.inf if ceiling is None else ceiling
            fields.append(
                Field(pk, ends_at, weight, limit, player[a:b], ranks, labels, *terms_of(terms.get(pk, {}), player[a:b]))
            )
    return fields


def _teams(contest_ids: list[int]) -> dict[int, dict[int, str]]:
    """Return the teams of players, by contest and player; players without a team are left out."""
    teams: dict[int, dict[int, str]] = {pk: {} for pk in contest_ids}
    rows = Standing.objects.filter(contest__in=contest_ids).exclude(team="")
    for contest, player, team in rows.values_list("contest_id", "player_id", "team").iterator(20_000):
        teams[contest][player] = team
    return teams


def _labels(players: NDArray[np.int64], teams: Mapping[int, str]) -> NDArray[np.int64]:
    """Return the smallest player id of each player's team; ids are ascending, and a player without a team is alone."""
    least: dict[str, int] = {}
    labels = [least.setdefault(teams[p], p) if p in teams else p for p in players.tolist()]
    return np.array(labels, dtype=np.int64)


def _alike(a: Mapping[str, NDArray[Any]], b: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether these are the same rating changes to the last bit, in any order."""
    if len(a["contest_id"]) != len(b["contest_id"]):
        return False
    first, second = (np.lexsort((c["player_id"], c["contest_id"])) for c in (a, b))
    return all(np.array_equal(a[name][first], b[name][second]) for name in ("contest_id", "player_id", *NUMBERS))


def _without_new_beliefs(
    ratings: Iterable[tuple[int, StoredRating]], stored: Mapping[int, StoredRating]
) -> dict[int, StoredRating]:
    """
    Return stored ratings where only the system's packed belief differs, and other ratings without a belief.

    No run continues from a roll-back (`engine.follows_rules`), so no ratings depend on these beliefs. Forecasts do
    without them (`ratings.queries.pools.take_belief`).
    """
    result = {}
    for player, rating in ratings:
        old = stored.get(player)
        bare = replace(rating, belief=b"")
        result[player] = old if old is not None and replace(old, belief=b"") == bare else bare
    return result
