"""Previews of changes: the change then has the previewed effect, and the preview leaves nothing behind."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps

from contests.changes.of_contests import DeleteContest, DescribeContest, FinalizeContest, RestoreContest
from contests.changes.of_standings import AddStanding, CorrectStandings, ReassignStanding, RemoveStanding
from contests.errors import ChangedMeanwhile, ContestError
from contests.services.contests import delete_contest
from contests.services.correcting import Correction
from contests.services.describing import ContestDescription, description_as_json
from ratings.models import Rating, RatingChange
from ratings.publishing.preview_content import make_preview
from ratings.publishing.preview_plans import plan_preview
from ratings.publishing.schemes import choose_scheme
from ratings.queries.snapshot import snapshot_of
from tests.factories import make_contest, make_series, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from contests.changes.base import Change
    from contests.models import Contest, Series

pytestmark = pytest.mark.django_db

HANDLES = [f"p{i}" for i in range(30)]


def made_series(system: str = "elo-mmr", **fields: Any) -> tuple[Series, list[Contest]]:
    """Make a rated series of eight contests of twelve random players each."""
    series = make_series(**fields)
    choose_scheme(series.pk, system=system)
    order = random.Random(5)
    contests = []
    for day in range(8):
        players = order.sample(HANDLES, 12)
        contests.append(make_contest(series, standings=[(p, i + 1) for i, p in enumerate(players)], day=day))
    rate(series)
    return series, contests


def said_of(contest: Contest, **changes: Any) -> ContestDescription:
    return replace(ContestDescription(**description_as_json(contest)), **changes)


def disqualify_the_winner(contests: list[Contest]) -> Change:
    row = contests[3].standings.get(rank=1)
    correction = Correction("disqualified", row.place, True, row.score)
    return CorrectStandings.of(contests[3], {row.pk: correction}, version=contests[3].version, reason="robot")


def take_three_out(contests: list[Contest]) -> Change:
    rows = contests[0].standings.filter(rank__lte=3)
    corrections = {row.pk: Correction("unofficial", row.place, True, row.score) for row in rows}
    return CorrectStandings.of(contests[0], corrections, version=contests[0].version, reason="guests")


def double_the_weight(contests: list[Contest]) -> Change:
    said = said_of(contests[2], weight=2.0)
    return DescribeContest.of(contests[2], said, version=contests[2].version, reason="finals")


def give_a_ceiling(contests: list[Contest]) -> Change:
    said = said_of(contests[5], perf_ceiling=1500.0)
    return DescribeContest.of(contests[5], said, version=contests[5].version, reason="easy")


def move_to_the_beginning(contests: list[Contest]) -> Change:
    said = said_of(contests[6], ends_at=contests[0].ends_at - timedelta(days=1))
    return DescribeContest.of(contests[6], said, version=contests[6].version, reason="wrong year")


def delete_one(contests: list[Contest]) -> Change:
    return DeleteContest(contests[4].pk, contests[4].version, reason="entered twice")


def restore_one(contests: list[Contest]) -> Change:
    delete_contest(contests[4].pk, reason="by mistake")
    rate(contests[4].series)
    return RestoreContest(contests[4].pk, reason="it was right")


def add_someone_new(contests: list[Contest]) -> Change:
    said = Correction("ranked", 1, shares_place=False)
    return AddStanding.of(contests[7], "latecomer", said, team="", version=contests[7].version, reason="forgotten")


def remove_one(contests: list[Contest]) -> Change:
    row = contests[1].standings.get(rank=2)
    return RemoveStanding(contests[1].pk, contests[1].version, row.pk, reason="never came")


def reassign_one(contests: list[Contest]) -> Change:
    row = contests[1].standings.get(rank=2)
    return ReassignStanding(contests[1].pk, contests[1].version, row.pk, "someone-else", reason="a namesake")


def finalize_a_new_one(contests: list[Contest]) -> Change:
    draft = make_contest(contests[0].series, standings=[("p3", 1), ("new", 2), ("p4", 3)], finalized=False)
    return FinalizeContest(draft.pk, draft.version)


def finalize_one_in_the_past(contests: list[Contest]) -> Change:
    standings = [("p3", 1), ("new", 2), ("p4", 3)]
    draft = make_contest(contests[0].series, standings=standings, finalized=False, day=1.5)
    return FinalizeContest(draft.pk, draft.version)


EVERY_CHANGE: list[Callable[[list[Contest]], Change]] = [
    disqualify_the_winner, take_three_out, double_the_weight, give_a_ceiling, move_to_the_beginning, delete_one,
    restore_one, add_someone_new, remove_one, reassign_one, finalize_a_new_one, finalize_one_in_the_past,
]  # fmt: skip
every_change = pytest.mark.parametrize("made", EVERY_CHANGE, ids=lambda made: made.__name__.replace("_", " "))


def everything() -> dict[str, list[Any]]:
    """Return all rows of all tables of the project."""
    models = [model for name in ("contests", "ratings") for model in apps.get_app_config(name).get_models()]
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in models}


def published(series: Series) -> dict[str, int]:
    """Return all displayed ratings by handle."""
    snapshot = snapshot_of(series)
    rows = Rating.objects.filter(series=series).select_related("player")
    return {row.player.handle: snapshot.rating(row.score) for row in rows}


@every_change
@pytest.mark.parametrize("system", ["elo-mmr", "ladder"])
def test_previews_come_true(made, system):
    series, contests = made_series(system)
    change = made(contests)
    before = published(series)
    content = make_preview(plan_preview(change))
    change.apply(actor=None)
    rate(series)
    after = published(series)
    (effect,) = content.series
    assert [move.after for move in effect.leaders] == sorted(after.values(), reverse=True)[:20]
    for move in [*effect.rises, *effect.falls, *effect.tier_moves, *effect.leaders]:
        assert (move.before, move.after) == (before.get(move.handle), after.get(move.handle))
    differences = {handle: after[handle] - before[handle] for handle in before.keys() & after.keys()}
    assert [move.change for move in effect.rises] == sorted((d for d in differences.values() if d > 0), reverse=True)[
        :10
    ]
    assert [move.change for move in effect.falls] == sorted(d for d in differences.values() if d < 0)[:10]
    assert effect.players_new == len(after.keys() - before.keys())
    assert effect.players_gone == len(before.keys() - after.keys())
    assert effect.players_changed == sum(d != 0 for d in differences.values())
    assert effect.players_changed or system == "ladder"  # which knows neither weights nor ceilings
    snapshot = snapshot_of(series)
    rows = RatingChange.objects.current().filter(contest=contest_of(change)).select_related("player")
    expected = {row.player.handle: snapshot.change(row.mu_before, row.sigma_before, row.mu, row.sigma) for row in rows}
    assert {row.handle: row.change for row in content.rows if row.change is not None} == expected


def test_first_ratings_are_no_published_changes():
    _, contests = made_series()
    content = make_preview(plan_preview(disqualify_the_winner(contests)))
    rows = list(RatingChange.objects.current().filter(contest=contests[3]).select_related("player"))
    first = {row.player.handle for row in rows if row.number == 1}
    assert 0 < len(first) < len(rows)
    assert {row.handle for row in content.rows if row.was_first} == first
    assert {row.handle for row in content.rows if row.published is not None} == {r.player.handle for r in rows} - first


def contest_of(change: Change) -> int:
    """Return the id of the contest whose table the change shows; 0 for none."""
    return 0 if isinstance(change, DeleteContest) else change.contest_id  # type: ignore[attr-defined]


@every_change
def test_a_preview_leaves_nothing_behind(made):
    _, contests = made_series()
    change = made(contests)
    before = everything()
    make_preview(plan_preview(change))
    assert everything() == before


def test_a_preview_counts_what_is_replayed_and_reports_progress():
    _, contests = made_series()
    told: list[tuple[int, int]] = []
    content = make_preview(
        plan_preview(disqualify_the_winner(contests)), lambda done, total: told.append((done, total))
    )
    assert content.series[0].contests_rated == 5
    assert told == [(done, 8) for done in range(1, 9)]


def test_the_newest_contest_is_appended_and_not_replayed():
    _, contests = made_series()
    content = make_preview(plan_preview(finalize_a_new_one(contests)))
    assert (content.series[0].kind, content.series[0].contests_rated, content.series[0].results_rated) == (
        "append",
        1,
        3,
    )
    assert {row.handle: row.is_first for row in content.rows} == {"p3": False, "new": True, "p4": False}


def test_changes_that_wait_to_be_rated_are_part_of_the_preview_and_mentioned():
    series, contests = made_series()
    double_the_weight(contests).apply(actor=None)
    change = disqualify_the_winner(contests)
    content = make_preview(plan_preview(change))
    assert content.series[0].waiting == 1
    assert content.series[0].contests_rated == 6
    change.apply(actor=None)
    rate(series)
    after = published(series)
    leaders = content.series[0].leaders
    assert len(leaders) == 20
    assert all(after[move.handle] == move.after for move in leaders)


def test_a_contest_that_is_not_rated_moves_nothing():
    series = make_series()
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False, is_rated=False)
    content = make_preview(plan_preview(FinalizeContest(draft.pk, draft.version)))
    assert content.series == []
    assert [(row.handle, row.change) for row in content.rows] == [("ann", None), ("bob", None)]


def test_a_contest_of_one_moves_nothing():
    draft = make_contest(standings=[("ann", 1)], finalized=False)
    content = make_preview(plan_preview(FinalizeContest(draft.pk, draft.version)))
    assert [row.change for row in content.rows] == [None]


def test_a_tie_of_all_newcomers_rates_them_and_moves_no_one():
    draft = make_contest(standings=[("ann", 1), ("bob", 1)], finalized=False)
    content = make_preview(plan_preview(FinalizeContest(draft.pk, draft.version)))
    assert [row.change for row in content.rows] == [0, 0]
    assert (content.series[0].results_rated, content.series[0].players_new) == (2, 2)


def test_the_preview_warns_the_slower_organizer():
    _, contests = made_series()
    change = disqualify_the_winner(contests)
    double_the_weight(contests)  # only proposed, not applied
    DescribeContest.of(contests[3], said_of(contests[3], weight=3.0), version=0, reason="finals").apply(actor=None)
    with pytest.raises(ChangedMeanwhile, match="was changed from the command line"):
        plan_preview(change)


def test_a_change_of_something_deleted_is_refused_with_an_explanation():
    _, contests = made_series()
    change = delete_one(contests)
    change.apply(actor=None)
    with pytest.raises(ContestError, match="someone has deleted it"):
        plan_preview(change)


def test_players_moved_by_a_fixed_range_alone_are_counted_too():
    series = make_series()
    choose_scheme(series.pk, system="elo-mmr", display={"mapping": "fermi", "range": 10_000})
    make_contest(series, players=8)
    rate(series)
    before = shown_now(series)
    draft = make_contest(series, standings=[("p7", 1), ("p6", 2)], finalized=False)
    content = make_preview(plan_preview(FinalizeContest(draft.pk, draft.version))).series[0]
    FinalizeContest(draft.pk, draft.version).apply(actor=None)
    rate(series)
    after = shown_now(series)
    assert content.players_changed == sum(before[player] != after[player] for player in before) > 2


def shown_now(series: Series) -> dict[int, int]:
    snapshot = snapshot_of(series)
    return {rating.player_id: snapshot.rating(rating.score) for rating in Rating.objects.filter(series=series)}
