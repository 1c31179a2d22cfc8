"""Rolling back: a new run shows an earlier one again, row for row, until results change."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from contests.errors import ContestError
from contests.models import AuditEntry, Contest
from contests.services.contests import announce, delete_contest
from contests.services.correcting import Correction, correct_standing
from ratings.api.changes import first_cursor, read_part
from ratings.models import Rating, RatingChange, Run, RunState, StaleMark
from ratings.publishing.engine import follows_rules
from ratings.publishing.projection import preview_contest
from ratings.publishing.refresh import refresh_series
from ratings.publishing.rolling_back import end_roll_back
from ratings.publishing.schemes import choose_scheme, scheme_of
from ratings.queries.boards import established_ranks
from ratings.queries.snapshot import snapshot_of
from ratings.systems import SYSTEMS
from tests.factories import make_contest, make_series, make_user, rate, roll_back

pytestmark = pytest.mark.django_db

RATING = ("player_id", "mu", "sigma", "score", "contest_count", "peak", "peak_contest_id", "last_contest_id")
CHANGE = (
    "contest_id", "player_id", "rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance",
)  # fmt: skip
POOL = ("pool_mean", "pool_width", "player_count", "contest_count", "input_hash", "engine_version")


def shown_now(series):
    """All that people see of a series: changes, ratings, and what the run says of the pool."""
    run = Run.objects.current(series.pk)
    return (
        sorted(RatingChange.objects.current().filter(series=series).values_list(*CHANGE)),
        sorted(Rating.objects.filter(series=series).values_list(*RATING)),
        [getattr(run, name) for name in POOL],
    )


@pytest.fixture
def exported(tmp_path):
    """A function that returns the files of both exports."""

    def export(series):
        files = []
        for command in ("export_ratings", "export_changes"):
            call_command(command, "--series", series.slug, "--output", tmp_path / "file", stderr=StringIO())
            files.append((tmp_path / "file").read_text())
        return files

    return export


def carried_over(copy, series, since):
    """A copy of the changes as of run `since`, after all parts of the difference that the REST API sends."""
    cursor = first_cursor(Run.objects.current(series.pk).number, since)
    copy = dict(copy)
    while cursor is not None:
        part = read_part(series.pk, cursor, 2)
        for row in part.retracted:
            del copy[row.contest_id, row.player_id]
        copy |= {(row.contest_id, row.player_id): row.mu for row in part.changes}
        cursor = part.following
    return copy


def copied(series):
    return {(contest, player): mu for contest, player, *_, mu, _, _ in shown_now(series)[0]}


def played(system="elo-mmr", **parameters):
    """A series of three contests in which not all players take part, rated as run 1."""
    series = make_series()
    choose_scheme(series.pk, system=system, parameters=parameters)
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3), ("dan", 3)])
    make_contest(series, standings=[("bob", 1), ("cem", 2), ("eve", 3)])
    make_contest(series, standings=[("eve", 1), ("ann", 2), ("dan", 3), ("fay", 4)])
    rate(series)
    return series


def changed(series):
    """Correct the first contest and add another: run 2 has moved all players."""
    row = series.contests.in_order().first().standings.get(player__handle="ann")
    correct_standing(row.pk, correction=Correction("disqualified", place=1), reason="robot")
    make_contest(series, standings=[("gus", 1), ("bob", 2), ("fay", 3)])
    rate(series)
    return series


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_shows_the_earlier_run_to_the_last_bit(system):
    series = played(system)
    then = shown_now(series)
    changed(series)
    now = shown_now(series)
    assert now[0] != then[0]
    assert now[1] != then[1]
    run = roll_back(series.pk, 1, reason="too early")
    assert (run.number, run.state, run.kind, run.restores) == (3, RunState.PUBLISHED, "rollback", 1)
    assert shown_now(series) == then
    assert roll_back(series.pk, 2, reason="it was right").number == 4
    assert shown_now(series) == now


def test_players_who_moved_without_taking_part_return_to_their_positions():
    series = played("kreimeier", decay=0.3, period_days=1.0)
    then = shown_now(series)
    ends = dict(RatingChange.objects.current().order_by("contest__ends_at").values_list("player_id", "mu"))
    assert any(rating[1] != ends[rating[0]] for rating in then[1]), "nobody moved without taking part"
    changed(series)
    assert shown_now(series) != then
    roll_back(series.pk, 1, reason="too early")
    assert shown_now(series) == then


def test_a_changed_contest_prevents_a_roll_back_where_others_move_too():
    series = played("kreimeier", decay=0.3)
    changed(series)
    before = shown_now(series)
    Contest.objects.filter(series=series, pk=series.contests.in_order().first().pk).update(weight=2.0)
    with pytest.raises(ContestError, match=r"Run 1 cannot be shown again\. With the Kreimeier system"):
        roll_back(series.pk, 1, reason="too early")
    assert shown_now(series) == before
    assert Run.objects.get(series=series, number=3).state == RunState.FAILED


def test_teams_are_rated_again_as_the_teams_they_were():
    series = make_series()
    choose_scheme(series.pk, system="kreimeier", parameters={"decay": 0.5})
    for _ in range(2):
        teams = {"ann": "red", "bob": "red", "cem": "blue", "dan": "blue"}
        make_contest(series, standings=[("ann", 1), ("bob", 1), ("cem", 2), ("dan", 2), ("eve", 3)], teams=teams)
    rate(series)
    then = shown_now(series)
    make_contest(series, standings=[("eve", 1), ("ann", 2)])
    rate(series)
    roll_back(series.pk, 1, reason="too early")
    assert shown_now(series) == then


def test_exports_are_the_files_of_that_run(exported):
    series = played()
    then = exported(series)
    changed(series)
    assert exported(series) != then
    roll_back(series.pk, 1, reason="too early")
    assert exported(series) == then


def test_a_fermi_display_has_the_centre_of_that_run(exported):
    series = played()
    choose_scheme(series.pk, display={"mapping": "fermi", "range": 10_000})
    then = exported(series)
    changed(series)
    roll_back(series.pk, 1, reason="too early")
    assert exported(series) == then


def test_other_programs_are_told_the_difference():
    series = played()
    first = copied(series)
    changed(series)
    second = copied(series)
    roll_back(series.pk, 1, reason="too early")
    assert carried_over(second, series, 2) == copied(series) == first
    assert carried_over(first, series, 1) == first


def test_what_does_not_differ_is_not_written():
    series = played()
    make_contest(series, standings=[("ann", 2), ("bob", 1)])
    rate(series)
    kept = set(RatingChange.objects.filter(series=series, from_run=1).values_list("pk", flat=True))
    untouched = set(Rating.objects.exclude(player__handle__in=["ann", "bob"]).values_list("pk", "belief"))
    run = roll_back(series.pk, 1, reason="too early")
    assert run.changed_count == 2, "rolling back an appended contest removes its two changes, and writes none"
    assert not RatingChange.objects.filter(from_run=run.number).exists()
    assert set(RatingChange.objects.current().values_list("pk", flat=True)) == kept
    assert untouched <= set(Rating.objects.values_list("pk", "belief"))
    memories = dict(Rating.objects.values_list("player__handle", "belief"))
    assert (bytes(memories["ann"]), bytes(memories["bob"])) == (b"", b"")


def test_a_roll_back_can_be_rolled_back_to():
    series = played()
    then = shown_now(series)
    changed(series)
    roll_back(series.pk, 1, reason="too early")
    make_contest(series, standings=[("ann", 1), ("eve", 2)])
    rate(series)
    assert shown_now(series) != then
    run = roll_back(series.pk, 3, reason="still too early")
    assert (run.number, run.restores) == (5, 3)
    assert shown_now(series) == then


def test_the_run_keeps_who_and_why_and_so_does_the_history():
    ida = make_user("ida")
    series = changed(played())
    run = roll_back(series.pk, 1, reason=" too early ", actor=ida)
    assert (run.actor, run.cause) == (ida, "Rolled back to run 1: too early")
    assert run.scheme == Run.objects.get(series=series, number=1).scheme
    assert run.result_count == 0
    entry = AuditEntry.objects.get(action="run.roll_back")
    assert (entry.actor, entry.reason, entry.before, entry.after) == (ida, "too early", {"run": 2}, {"run": 3})


def test_it_lasts_until_results_change_and_then_all_of_them_are_rated():
    series = changed(played())
    now = shown_now(series)
    run = roll_back(series.pk, 1, reason="too early")
    assert refresh_series(series.pk) is None
    assert not follows_rules(run, scheme_of(series.pk))
    draft = make_contest(series, standings=[("ann", 1), ("fay", 2)], finalized=False)
    projected = {row.handle: row.mu for row in preview_contest(draft).rows}
    draft.state, draft.finalized_at = "finalized", timezone.now()
    draft.save()
    announce(draft, cause="Finalized it", actor=None)
    after = rate(series)
    assert after.kind == "replay"
    assert set(now[0]) <= set(shown_now(series)[0]), "the corrected and the added contest count again"
    assert projected == dict(RatingChange.objects.current().filter(contest=draft).values_list("player__handle", "mu"))
    everything = shown_now(series)
    assert rate(series, full=True).changed_count == 0
    assert shown_now(series) == everything


def test_the_results_as_they_are_can_be_rated_at_once():
    ida = make_user("ida")
    series = changed(played())
    now = shown_now(series)
    end_roll_back(series.pk, actor=ida)
    assert not StaleMark.objects.exists(), "nothing was rolled back yet"
    roll_back(series.pk, 1, reason="too early")
    end_roll_back(series.pk, actor=ida)
    end_roll_back(series.pk, actor=ida)
    assert StaleMark.objects.count() == 1
    assert "Ended the roll-back to run 1" in rate(series).cause
    assert shown_now(series) == now


def test_results_that_are_all_gone_can_be_rated_as_they_are():
    series = make_series()
    contest = make_contest(series, players=3)
    rate(series)
    delete_contest(contest.pk, reason="rehearsal")
    rate(series)
    roll_back(series.pk, 1, reason="it was none")
    assert Rating.objects.count() == 3
    end_roll_back(series.pk)
    rate(series)
    assert Rating.objects.count() == 0


def test_the_scheme_of_the_run_is_shown_again_until_the_chosen_one_rates():
    series = played()
    then = shown_now(series)
    choose_scheme(series.pk, system="elo")
    rate(series)
    run = roll_back(series.pk, 1, reason="we liked it")
    assert run.scheme.system == "elo-mmr"
    assert shown_now(series) == then
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    assert rate(series).scheme.system == "elo"


def test_a_contest_deleted_since_is_shown_again():
    series = played()
    then = shown_now(series)
    delete_contest(series.contests.in_order().first().pk, reason="a rehearsal")
    rate(series)
    roll_back(series.pk, 1, reason="it was none")
    assert shown_now(series) == then


def test_a_roll_back_restores_histories_even_if_a_contest_was_moved_in_time():
    series = played()
    then = shown_now(series)
    last = series.contests.in_order().last()
    Contest.objects.filter(pk=last.pk).update(ends_at=last.ends_at - timedelta(days=30))
    announce(last, cause="Earlier", actor=None, since=last.ends_at - timedelta(days=30))
    rate(series)
    now = shown_now(series)
    assert now[1] != then[1]
    roll_back(series.pk, 1, reason="it was later")
    assert shown_now(series)[:2] == then[:2]
    roll_back(series.pk, 2, reason="it was not")
    assert shown_now(series)[:2] == now[:2]


def test_the_established_players_of_a_restored_run_are_those_it_had():
    """Later contests, which the restored run lacks, don't count: with them, two contests would not be enough."""
    series = make_series("cup")
    for day in range(2):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    before = established_ranks(snapshot_of(series), list(Rating.objects.filter(series=series).order_by("player_id")))
    for day in range(2, 9):
        make_contest(series, standings=[("cid", 1), ("dan", 2)], day=day)
    rate(series)
    roll_back(series.pk, 1, reason="too early")
    after = established_ranks(snapshot_of(series), list(Rating.objects.filter(series=series).order_by("player_id")))
    assert before == after == [1, 2]
