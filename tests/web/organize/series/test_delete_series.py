"""Series that never had results that count can be deleted, with their drafts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.errors import ContestError
from contests.models import AuditEntry, Contest, Series, Standing
from contests.services.contests import delete_contest
from contests.services.events import GameEntry, add_game
from contests.services.series import delete_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def ida(client):
    user = make_user("ida")
    client.force_login(user)
    return user


def address_of(series):
    return reverse("organize:series-delete", args=[series])


def test_a_series_with_drafts_is_deleted_with_all_that_belongs_to_it(client, ida):
    series = make_series("tset", organizer=ida, name="Tset")
    other = make_series("other", organizer=ida)
    kept = make_contest(other, standings=[("ann", 1), ("bob", 2)])
    make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    deleted = make_contest(series, players=3, finalized=False)
    delete_contest(deleted.pk, reason="", actor=ida)
    empty = make_contest(series, finalized=False)
    upload(client, empty, "rank,handle\n1,ann\n2,bob\n")
    Series.objects.filter(pk=series.pk).update(needs_approval=True)
    add_game(series.pk, entry=GameEntry(("ann", "bob"), 1, timezone.now().date() - timedelta(days=2)), actor=ida)
    assert series.contests.filter(is_event=True, state="draft").exists()
    choose_scheme(series.pk, system="glicko2")
    edit = client.get(reverse("organize:series-edit", args=[series])).content.decode()
    assert address_of(series) in edit
    page = Page(client.get(address_of(series)))
    assert "Its 3 drafts and its rating scheme will be deleted with it. You cannot undo this." in page.text
    done = client.post(address_of(series), follow=True)
    assert "Deleted Tset." in Page(done).text
    assert list(Series.objects.all()) == [other]
    assert list(Contest.objects.all()) == [kept]
    assert set(Standing.objects.values_list("contest", flat=True)) == {kept.pk}
    entry = AuditEntry.objects.get(action="series.delete")
    assert (entry.actor, entry.subject, entry.before["drafts"]) == (ida, "series tset", 3)
    assert client.get(series.get_absolute_url()).status_code == 404


@pytest.mark.parametrize("state", ["finalized", "deleted"])
def test_a_series_with_results_that_count_or_have_counted_stays(client, ida, state):
    series = make_series("cup", organizer=ida, name="Cup")
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    if state == "deleted":
        delete_contest(contest.pk, reason="wrong", actor=ida)
    page = client.get(address_of(series))
    assert "This series cannot be deleted, because it has had finalized contests." in Page(page).text
    assert "Cup cannot be deleted" in Page(page).text
    assert "Cup?" not in Page(page).text, "there is nothing to confirm"
    assert '<form class="form"' not in page.content.decode()
    answer = client.post(address_of(series))
    assert answer.status_code == 409
    assert "“Cup” cannot be deleted, because it has had finalized contests." in Page(answer).text
    assert Contest.objects.filter(series=series).exists()


def test_deleting_twice_is_refused_in_words(ida):
    series = make_series("tset", organizer=ida)
    delete_series(series.pk, actor=ida)
    with pytest.raises(ContestError, match="This series no longer exists"):
        delete_series(series.pk, actor=ida)
