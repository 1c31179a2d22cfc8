"""Drafts are finalized once; deleting a contest keeps what earlier runs show."""

import pytest

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry, ContestState
from contests.services import contests
from contests.services.contests import delete_contest, finalize_contest
from ratings.models import StaleMark
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, make_user

pytestmark = pytest.mark.django_db


def test_finalizing_marks_the_series_stale_from_the_contest_on():
    user = make_user()
    contest = make_contest(players=3, finalized=False)
    finalize_contest(contest.pk, actor=user)
    contest.refresh_from_db()
    assert contest.state == ContestState.FINALIZED
    assert contest.finalized_at is not None
    mark = StaleMark.objects.get()
    assert (mark.series_id, mark.since, mark.actor) == (contest.series_id, contest.ends_at, user)
    entry = AuditEntry.objects.get(action="contest.finalize")
    assert (entry.actor, entry.contest, entry.after) == (user, contest, {"ranked": 3})


def test_finalizing_a_second_time_has_no_effect():
    contest = make_contest(players=3, finalized=False)
    first = finalize_contest(contest.pk)
    second = finalize_contest(contest.pk)
    assert second.finalized_at == first.finalized_at
    assert StaleMark.objects.count() == 1
    assert AuditEntry.objects.filter(action="contest.finalize").count() == 1


def test_no_one_is_merged_or_split_between_the_look_up_of_players_and_the_end(monkeypatch):
    locked = []

    def note(name, lock):
        monkeypatch.setattr(contests, name, lambda *args, **options: locked.append(name) or lock(*args, **options))

    note("lock_players_shared", contests.lock_players_shared)
    note("locked_contest", contests.locked_contest)
    finalize_contest(make_contest(players=3, finalized=False).pk)
    assert locked == ["lock_players_shared", "locked_contest"]


def test_a_draft_that_has_changed_is_not_finalized():
    contest = make_contest(players=3, finalized=False)
    with pytest.raises(ChangedMeanwhile):
        finalize_contest(contest.pk, version=contest.version + 1)
    contest.refresh_from_db()
    assert contest.is_draft
    finalize_contest(contest.pk, version=contest.version)
    # Someone who finalizes a finalized contest has what they asked for, whatever its version.
    assert finalize_contest(contest.pk, version=contest.version).is_finalized


def test_a_contest_without_ranked_rows_is_refused():
    contest = make_contest(standings=[("ann", 1, None, "unofficial")], finalized=False)
    with pytest.raises(ContestError, match="no ranked participant"):
        finalize_contest(contest.pk)
    contest.refresh_from_db()
    assert contest.is_draft
    assert not StaleMark.objects.exists()


def test_a_team_contest_is_refused_where_the_system_rates_single_players():
    contest = make_contest(players=4, finalized=False, has_teams=True)
    choose_scheme(contest.series_id, system="codeforces")
    with pytest.raises(ContestError, match="rates individual players"):
        finalize_contest(contest.pk)
    contest.refresh_from_db()
    assert contest.is_draft, "the refusal must undo the change of state"


def test_a_deleted_contest_frees_its_slug_and_marks_the_series():
    series = make_series()
    contest = make_contest(series, players=3, slug="may")
    StaleMark.objects.all().delete()
    with pytest.raises(ContestError, match="give the reason"):
        delete_contest(contest.pk, reason=" ")
    delete_contest(contest.pk, reason="wrong file")
    assert StaleMark.objects.get().since == contest.ends_at
    assert AuditEntry.objects.get(action="contest.delete").reason == "wrong file"
    assert contest.standings.count() == 3, "earlier runs still show them"
    make_contest(series, players=2, slug="may")
    with pytest.raises(ContestError, match="someone has deleted it"):
        delete_contest(contest.pk, reason="again")


def test_deleting_a_draft_needs_no_reason_and_rates_nothing():
    contest = make_contest(players=3, finalized=False)
    delete_contest(contest.pk, reason="")
    assert not StaleMark.objects.exists()
