"""Roll-backs that are refused: the message gives the reason, and nothing is written."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from contests.errors import ContestError
from contests.models import AuditEntry, PlayerMerge
from contests.services.transactions import announce
from ratings.models import Run, RunState
from ratings.publishing import refresh
from ratings.publishing.leases import cancel_run
from ratings.publishing.queue import begin_run, is_due
from ratings.publishing.refresh import refresh_series
from ratings.publishing.rolling_back import ask_roll_back
from ratings.publishing.schemes import scheme_of
from tests.factories import make_contest, make_player, make_user, rate, roll_back
from tests.ratings.publishing.test_rolling_back import changed, played, shown_now

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("number", "words"),
    [(2, "already see the ratings of run 2"), (3, "no published run 3"), (9, "no published run 9"), (0, "run 0")],
)
def test_impossible_roll_backs_are_refused(number, words):
    series = changed(played())
    begin_run(series.pk, scheme=scheme_of(series.pk), state=RunState.FAILED)
    before = shown_now(series)
    with pytest.raises(ContestError, match=words):
        roll_back(series.pk, number, reason="why not")
    with pytest.raises(ContestError, match="Give the reason"):
        roll_back(series.pk, 1, reason=" ")
    assert shown_now(series) == before
    assert Run.objects.count() == 3
    assert not AuditEntry.objects.filter(action="run.roll_back").exists()


def test_a_roll_back_is_refused_while_results_or_runs_wait():
    series = changed(played())
    run = begin_run(series.pk, scheme=scheme_of(series.pk))
    with pytest.raises(ContestError, match="Run 3 is not finished; wait until it has ended, or cancel it"):
        roll_back(series.pk, 1, reason="too early")
    cancel_run(run.pk, actor=None)
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    with pytest.raises(ContestError, match="not rated yet"):
        roll_back(series.pk, 1, reason="too early")
    rate(series)
    assert roll_back(series.pk, 1, reason="too early").number == 5


def test_a_second_request_is_refused_while_the_first_one_waits():
    series = changed(played())
    first = ask_roll_back(series.pk, 1, reason="too early")
    with pytest.raises(ContestError, match=f"Run {first.number} is not finished"):
        ask_roll_back(series.pk, 1, reason="too early")
    assert refresh_series(series.pk).number == 3
    assert Run.objects.count() == 3


def test_players_merged_since_are_named():
    series = played()
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    ann = make_player("ann")
    ann.merged_into = make_player("anna")
    ann.save()
    with pytest.raises(ContestError, match=r"merged into others since: “ann” \(now “anna”\).*split them"):
        roll_back(series.pk, 1, reason="too early")


def test_players_split_since_are_named():
    series = played()
    kept, other = make_player("ann"), make_player("anna")
    merge = PlayerMerge.objects.create(kept=kept, merged=other)
    PlayerMerge.objects.filter(pk=merge.pk).update(at=timezone.now() - timedelta(days=2))
    Run.objects.update(created_at=timezone.now() - timedelta(days=1), published_at=timezone.now() - timedelta(days=1))
    contest = series.contests.in_order().first()
    contest.standings.filter(player=kept).update(player=other)
    PlayerMerge.objects.update(split_at=timezone.now())
    announce(contest, cause="Split ann and anna", actor=None)
    rate(series)
    with pytest.raises(
        ContestError, match=r"“ann” and “anna” were one player then and have been split since.*merge them"
    ):
        roll_back(series.pk, 1, reason="too early")
    contest.standings.filter(player=other).update(player=kept)
    assert roll_back(series.pk, 1, reason="the split was for another series").number == 3


def test_a_failure_is_kept_and_reported(monkeypatch):
    series = changed(played())
    before = shown_now(series)

    def broken(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(refresh, "publish", broken)
    with pytest.raises(OSError, match="disk full"):
        roll_back(series.pk, 1, reason="too early")
    run = Run.objects.get(series=series, number=3)
    assert (run.state, run.error[:19]) == (RunState.FAILED, "An unexpected error")
    assert shown_now(series) == before
    assert not is_due(series.pk)


def test_a_waiting_roll_back_can_be_cancelled():
    ida = make_user("ida")
    series = changed(played())
    before = shown_now(series)
    run = cancel_run(ask_roll_back(series.pk, 1, reason="too early").pk, actor=ida)
    assert (run.state, run.cancelled_by) == (RunState.CANCELLED, ida)
    assert refresh_series(series.pk) is None
    assert shown_now(series) == before


def test_an_overtaken_roll_back_publishes_nothing(monkeypatch):
    series = changed(played())
    original = refresh.publish

    def publish_too_late(run, *args, **kwargs):
        begin_run(series.pk, scheme=scheme_of(series.pk), state=RunState.PUBLISHED, published_at=timezone.now())
        original(run, *args, **kwargs)

    monkeypatch.setattr(refresh, "publish", publish_too_late)
    before = shown_now(series)[:2]
    with pytest.raises(ContestError, match="Run 4 was published in the meantime"):
        roll_back(series.pk, 1, reason="too early")
    assert shown_now(series)[:2] == before
    assert Run.objects.get(series=series, number=3).state == RunState.CANCELLED


def test_a_roll_back_is_cancelled_if_a_later_run_was_published_while_it_waited():
    series = changed(played())
    ask_roll_back(series.pk, 1, reason="too early")
    begin_run(series.pk, scheme=scheme_of(series.pk), state=RunState.PUBLISHED, published_at=timezone.now())
    before = shown_now(series)
    refresh_series(series.pk)
    run = Run.objects.get(series=series, number=3)
    assert (run.state, run.error[:27]) == (RunState.CANCELLED, "Run 4 was published in the ")
    assert shown_now(series) == before
