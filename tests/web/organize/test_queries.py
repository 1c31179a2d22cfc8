"""Pages of organizers need no more queries for many rows than for one."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.factories import make_contest, make_series, rate

pytestmark = pytest.mark.django_db

SIZES = pytest.mark.parametrize("size", [2, 200])


@pytest.mark.parametrize("size", [1, 60])
def test_the_overview_takes_thirteen_queries(organizer, ida, django_assert_num_queries, size):
    for i in range(size):
        series = make_series(f"cup-{i}", organizer=ida)
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    # session, user, number of series, series of the page, stale marks, newest runs, drafts, version of the kept numbers
    # of contests (three), these numbers, roles, players of the account
    with django_assert_num_queries(13):
        page = organizer.get(reverse("organize:home"))
    assert page.content.count(b'class="card card-link"') == min(size, 50)


def test_many_series_are_paged_and_searched(organizer, ida):
    for i in range(60):
        make_series(f"cup-{i:02}", name=f"Harbour Cup {i:02}", organizer=ida)
    make_series("elsewhere", name="Harbour Cup 59 of others")
    address = reverse("organize:home")
    first, second = (organizer.get(address, {"page": page}).context["states"] for page in (1, 2))
    assert [state.series.slug for state in (*first, *second)] == [f"cup-{i:02}" for i in range(60)]
    found = organizer.get(address, {"q": "59 HARBOUR"})
    assert [state.series.slug for state in found.context["states"]] == ["cup-59"]
    assert "None of your series has" in organizer.get(address, {"q": "lake"}).content.decode()
    assert organizer.get(address, {"page": 9}).status_code == 404


@pytest.mark.parametrize("size", [1, 30])
def test_a_series_page_takes_twenty_queries(organizer, series, django_assert_num_queries, size):
    for _ in range(size):
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
        make_contest(series, standings=[("ann", 1)], finalized=False)
        rate(series)
    # session, user, series, right to it; stale marks, newest run; drafts; contests, their number and the
    # newest change (three); players of games; deleted ones; the run that is shown and its scheme; runs; history;
    # reported games; community
    with django_assert_num_queries(20):
        page = organizer.get(reverse("organize:series", args=[series]))
    assert len(page.context["drafts"]) == size


@SIZES
def test_the_page_of_a_finalized_contest_takes_eleven_queries(organizer, series, django_assert_num_queries, size):
    contest = make_contest(series, players=size)
    # session, user, contest with series, right to it; rows, their number and whether places differ from ranks; stale
    # marks, newest run; history; community
    with django_assert_num_queries(11):
        page = organizer.get(reverse("organize:contest", args=[contest.pk]))
    assert page.content.decode().count(">Correct…<span") == min(size, 100)


@SIZES
def test_the_page_of_a_draft_takes_seventeen_queries(organizer, series, django_assert_num_queries, size):
    make_contest(series, players=3)
    rate(series)
    draft = make_contest(series, players=size, finalized=False)
    # session, user, contest with series, right to it; run, scheme; counts of earlier and later contests; scheme, rows,
    # later contests, run and ratings of the preview; rows, statuses; history; community
    with django_assert_num_queries(17):
        page = organizer.get(reverse("organize:contest", args=[draft.pk]))
    assert page.content.decode().count(">Correct…<span") == 2 * size  # one of them on phones only
