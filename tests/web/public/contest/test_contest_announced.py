"""The public and private parts of an announced contest."""

from datetime import timedelta

import pytest
from django.utils import timezone

from contests.models import AuditEntry, Contest
from contests.services.contests import delete_contest, finalize_contest
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def ida():
    return make_user("ida")


@pytest.fixture
def announced(ida):
    series = make_series("cup", name="Harbour Cup", organizer=ida)
    make_contest(series, players=4)
    rate(series)
    return make_contest(
        series,
        standings=[("secret-hero", 1, 99.5), ("p1", 2)],
        finalized=False,
        is_announced=True,
        name="Grand Final",
        url="https://cup.example/final",
        ends_at=timezone.now() + timedelta(days=3),
    )


def test_an_announced_draft_shows_name_date_and_address_and_no_standings(client, announced):
    page = Page(client.get(f"/contests/{announced.pk}/"))
    assert page.status == 200
    for said in ("Grand Final", "Announced", "Harbour Cup", "cup.example", "Takes place on"):
        assert said in page.text
    assert f"{announced.ends_at:%Y}" in page.text
    assert f"/c/main/series/cup/what-if/?contest={announced.pk}" in page.links.values()
    for hidden in ("secret-hero", "99.5", "Participants"):
        assert hidden not in page.text


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        (6 * 24, 6 * 24 + 3, ("Announced", "Starts", "Ends", "Starts in 6 days")),
        (9 * 24 + 17, 10 * 24, ("Announced", "Starts", "Ends", "Starts in 9 days")),
        (5, 8, ("Announced", "Starts", "Ends", "Starts in 5 hours")),
        (0.5, 3, ("Announced", "Starts", "Ends", "Starts in less than an hour")),
        (-1, 2, ("Running", "Started", "Ends", "The contest is running")),
        (-3, -1, ("Awaiting results", "Started", "Ended", "Results are not in yet")),
    ],
)
def test_the_page_says_whether_the_contest_is_coming_running_or_over(client, announced, starts, ends, said):
    badge, start, end, heading = said
    now = timezone.now() + timedelta(minutes=1)
    Contest.objects.filter(pk=announced.pk).update(
        starts_at=now + timedelta(hours=starts), ends_at=now + timedelta(hours=ends)
    )
    text = Page(client.get(f"/contests/{announced.pk}/")).text
    assert f"Grand Final {badge} {start} " in text
    assert f" {end} " in text.split(badge)[1]
    assert heading in text
    # The list of contests agrees.
    assert ("Awaiting results" in Page(client.get("/contests/")).text) == (ends < 0)


def test_an_announced_page_changes_its_entity_tag_with_its_state(client, announced):
    address = f"/contests/{announced.pk}/"
    tag = client.get(address)["ETag"]
    assert client.get(address, headers={"if-none-match": tag}).status_code == 304
    Contest.objects.filter(pk=announced.pk).update(ends_at=timezone.now() - timedelta(minutes=1))
    assert client.get(address, headers={"if-none-match": tag}).status_code == 200


def test_an_end_at_midnight_has_its_time_beside_a_start_with_a_time(client, announced):
    day = (timezone.now() + timedelta(days=2)).replace(hour=0, minute=0, second=0, microsecond=0)
    drafts = Contest.objects.filter(pk=announced.pk)
    for starts, ends, shown in ((day.replace(hour=21, minute=30), day + timedelta(days=1), True), (day, day, False)):
        drafts.update(starts_at=starts, ends_at=ends)
        assert ("00:00 UTC<" in client.get(f"/contests/{announced.pk}/").content.decode()) is shown


def test_organizers_see_the_announcement_too_until_there_are_standings(client, ida, announced):
    client.force_login(ida)
    address = f"/contests/{announced.pk}/"
    assert "secret-hero" in client.get(address).content.decode()
    empty = make_contest(announced.series, standings=[], finalized=False, is_announced=True, name="Epilogue")
    text = Page(client.get(f"/contests/{empty.pk}/")).text
    assert "Epilogue Announced" in text
    assert "Participants" not in text


def test_when_a_contest_starts_is_said_in_german(client, announced):
    now = timezone.now() + timedelta(minutes=1)
    Contest.objects.filter(pk=announced.pk).update(starts_at=now + timedelta(days=2), ends_at=now + timedelta(days=3))
    text = Page(client.get(f"/contests/{announced.pk}/", headers={"accept-language": "de"})).text
    assert "Beginnt in 2 Tagen" in text


@pytest.mark.parametrize("query", ["?find=secret-hero", "?rank=1", "?page=2", "?country=NO"])
def test_no_query_string_reveals_its_standings(client, announced, query):
    response = client.get(f"/contests/{announced.pk}/{query}")
    assert response.status_code == 200
    assert "secret-hero" not in response.content.decode().replace("find%3Dsecret-hero", "")


@pytest.mark.parametrize("address", ["/contests/{}/analysis/", "/contests/{}/why/secret-hero/"])
def test_its_other_pages_are_not_found(client, announced, address):
    response = client.get(address.format(announced.pk))
    assert response.status_code == 404
    assert "Grand Final" not in response.content.decode()


def test_its_organizers_see_the_whole_draft_and_that_it_is_announced(client, announced, ida):
    client.force_login(ida)
    page = Page(client.get(f"/contests/{announced.pk}/"))
    assert "secret-hero" in page.text
    assert "announced draft" in page.text
    assert "Nothing to analyse" in Page(client.get(f"/contests/{announced.pk}/analysis/")).text


def test_a_private_series_announces_nothing(client, announced):
    announced.series.is_private = True
    announced.series.save()
    assert client.get(f"/contests/{announced.pk}/").status_code == 404
    assert "Grand Final" not in Page(client.get("/contests/")).text


def test_its_standings_appear_when_it_is_finalized(client, announced):
    finalize_contest(announced.pk)
    assert "secret-hero" in Page(client.get(f"/contests/{announced.pk}/")).text


def test_a_deleted_announcement_is_called_cancelled(client, announced):
    delete_contest(announced.pk, reason="", actor=None)
    page = Page(client.get(f"/contests/{announced.pk}/"))
    assert page.status == 410
    assert "This contest was cancelled" in page.text
    assert "secret-hero" not in page.text


def test_the_api_still_hides_it(client, announced):
    assert client.get(f"/api/v1/contests/{announced.pk}/").status_code == 404
    assert "Grand Final" not in client.get("/api/v1/contests/").content.decode()


def said(**changes):
    return {"name": "Open", "ends_at": "2031-05-01T18:00", "weight": "1", "is_rated": "on", **changes}


def test_an_organizer_announces_a_draft_and_the_history_says_so(client, ida):
    series = make_series("cup", organizer=ida)
    client.force_login(ida)
    client.post("/organize/c/main/series/cup/contests/new/", said(is_announced="on"))
    contest = Contest.objects.get(series=series)
    assert contest.is_announced
    page = Page(client.get(f"/organize/contests/{contest.pk}/"))
    assert "Announced yes" in page.text
    client.post(f"/organize/contests/{contest.pk}/edit/", said(version=contest.version))
    contest.refresh_from_db()
    assert not contest.is_announced
    entry = AuditEntry.objects.filter(action="contest.describe").latest("id")
    assert (entry.before, entry.after) == ({"is_announced": True}, {"is_announced": False})
    assert "announced yes → no" in Page(client.get(f"/organize/contests/{contest.pk}/")).text


def test_editing_a_finalized_contest_leaves_its_announcement_alone(client, announced, ida):
    finalize_contest(announced.pk)
    announced.refresh_from_db()
    client.force_login(ida)
    form = client.get(f"/organize/contests/{announced.pk}/edit/").content.decode()
    assert "is_announced" not in form
    sent = said(name="Grand Final!", ends_at=f"{announced.ends_at:%Y-%m-%dT%H:%M:%S}", url=announced.url)
    response = client.post(f"/organize/contests/{announced.pk}/edit/", sent | {"reason": "a slip"})
    announced.refresh_from_db()
    assert response.status_code == 302
    assert (announced.name, announced.is_announced) == ("Grand Final!", True)
