"""Results as a feed, and contests as a calendar."""

from datetime import UTC, date, datetime, timedelta
from xml.etree import ElementTree

import icalendar
import pytest
from django.core.cache import cache
from django.utils import timezone
from django.utils.http import http_date

from contests.models import Contest, Player, Series
from contests.services.contests import create_contest, delete_contest
from contests.services.correcting import Correction, correct_standing
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from contests.services.renaming import rename_player
from tests.factories import FIRST_DAY, make_contest, make_series, make_user

pytestmark = pytest.mark.django_db

ATOM = {"a": "http://www.w3.org/2005/Atom"}


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()


def entries_of(client, address="/feeds/results.atom"):
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(response.content).findall("a:entry", ATOM)


def text(entry, name):
    return entry.findtext(f"a:{name}", namespaces=ATOM)


def events_of(client, address="/feeds/contests.ics"):
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    return icalendar.Calendar.from_ical(response.content).walk("VEVENT")


def edited(contest, **changes):
    contest.refresh_from_db()
    said = ContestDescription(**{**description_as_json(contest), **changes})
    describe_contest(contest.pk, description=said, reason="a slip", actor=None)


def test_an_entry_has_the_winners_and_links_to_the_contest(client):
    cup = make_series("cup", name="Harbour Cup")
    contest = make_contest(cup, name="Spring", standings=[("ann", 1), ("bob", 1), ("cid", 3)])
    Contest.objects.filter(pk=contest.pk).update(ends_at=datetime(2004, 8, 7, 12, tzinfo=UTC))
    (entry,) = entries_of(client)
    assert text(entry, "title") == "Spring"
    assert text(entry, "summary") == "Winners: ann, bob. 3 participants. Date: 7 Aug 2004."
    assert entry.find("a:link", ATOM).get("href") == f"http://testserver/contests/{contest.pk}/"
    assert entry.find("a:category", ATOM).get("term") == "Harbour Cup"
    assert datetime.fromisoformat(text(entry, "updated")) >= contest.finalized_at


def test_the_feed_has_the_latest_fifty_results_newest_first(client):
    series = make_series()
    for number in range(53):
        make_contest(series, players=2, name=f"c{number}")
    titles = [text(entry, "title") for entry in entries_of(client)]
    assert titles == [f"c{number}" for number in range(52, 2, -1)]


def test_feeds_sort_results_by_date_and_have_those_of_the_home_page(client):
    """The oldest contest was entered last, and one contest was published half a year late."""
    club, archive = make_series("club"), make_series("archive")
    now, names = timezone.now(), {"Late": 180, "New": 1, "Old": 4000}
    for name, ago in names.items():
        contest = make_contest(archive if name == "Old" else club, players=2, name=name)
        Contest.objects.filter(pk=contest.pk).update(ends_at=now - timedelta(days=ago))
    newest_first = ["New", "Late", "Old"]
    for address in ("/feeds/results.atom", "/c/main/results.atom"):
        entries = entries_of(client, address)
        assert [text(entry, "title") for entry in entries] == newest_first
        for entry in entries:
            contest = Contest.objects.get(name=text(entry, "title"))
            assert datetime.fromisoformat(text(entry, "published")) == contest.finalized_at
            assert text(entry, "updated") >= text(entry, "published")
    assert [text(entry, "title") for entry in entries_of(client, "/c/main/series/archive/results.atom")] == ["Old"]
    home = [row.contest.name for row in client.get("/").context["front"].results]
    assert home == newest_first


def test_private_series_drafts_and_deleted_contests_are_in_no_feed(client):
    ida = make_user("ida")
    make_contest(make_series("secret", is_public=False, organizer=ida), name="Secret", players=2)
    cup = make_series("cup", organizer=ida)
    make_contest(cup, name="Draft", players=2, finalized=False)
    gone = make_contest(cup, name="Gone", players=2)
    delete_contest(gone.pk, reason="entered twice", actor=None)
    make_contest(cup, name="Open", players=2)
    client.force_login(ida)
    assert [text(entry, "title") for entry in entries_of(client)] == ["Open"]
    assert [str(event["SUMMARY"]) for event in events_of(client)] == ["Open"]
    for address in (
        "/c/main/series/secret/results.atom",
        "/c/main/series/secret/contests.ics",
        "/c/main/series/nowhere/results.atom",
    ):
        assert client.get(address).status_code == 404


def test_each_series_has_feeds_of_its_own(client):
    make_contest(make_series("one"), name="First", players=2)
    make_contest(make_series("two"), name="Second", players=2)
    assert [text(entry, "title") for entry in entries_of(client, "/c/main/series/two/results.atom")] == ["Second"]
    assert [str(event["SUMMARY"]) for event in events_of(client, "/c/main/series/two/contests.ics")] == ["Second"]


def test_an_amended_contest_keeps_its_ids_and_follows(client):
    contest = make_contest(name="Cup", standings=[("ann", 1), ("bob", 2)])
    (entry,), (event,) = entries_of(client), events_of(client)
    row = contest.standings.get(player__handle="ann")
    correct_standing(row.pk, correction=Correction("disqualified", place=1), reason="two accounts", actor=None)
    (later,), (moved,) = entries_of(client), events_of(client)
    assert text(later, "id") == text(entry, "id")
    assert text(later, "updated") > text(entry, "updated")
    assert "Winner: bob." in text(later, "summary")
    assert "Results were amended on" in text(later, "summary")
    assert moved["UID"] == event["UID"]
    assert moved["SEQUENCE"] > event["SEQUENCE"]
    assert moved["LAST-MODIFIED"].dt >= event["LAST-MODIFIED"].dt
    edited(contest, name="Cup of Spring")
    assert [text(entry, "title") for entry in entries_of(client)] == ["Cup of Spring"]


def test_renamed_players_have_their_new_names(client):
    make_contest(standings=[("ann", 1), ("bob", 2)])
    assert "Winner: ann." in text(entries_of(client)[0], "summary")
    Player.objects.filter(handle="ann").update(name="Ann Sea")
    assert "Winner: Ann Sea." in text(entries_of(client)[0], "summary")
    Player.objects.filter(handle="ann").update(name="")
    rename_player(Player.objects.get(handle="ann").pk, handle="anna", reason="asked", actor=None)
    assert "Winner: anna." in text(entries_of(client)[0], "summary")


@pytest.mark.parametrize("file", ["results.atom", "contests.ics"])
def test_a_reader_that_asks_by_time_gets_new_names_of_players(client, file):
    make_contest(make_series("cup"), standings=[("ann", 1), ("bob", 2)])
    address = f"/c/main/series/cup/{file}"
    assert b"Winner: ann." in client.get(address).content
    rename_player(Player.objects.get(handle="ann").pk, handle="anna", reason="asked", actor=None)
    later = http_date(timezone.now().timestamp() + 60)
    again = client.get(address, headers={"If-Modified-Since": later})
    assert again.status_code == 200
    assert b"Winner: anna." in again.content


@pytest.mark.parametrize("address", ["/feeds/results.atom", "/feeds/contests.ics", "/c/main/series/cup/contests.ics"])
def test_repeated_requests_get_304_until_something_changes(client, address):
    series = make_series("cup")
    described = ContestDescription("A", datetime(2031, 5, 1, tzinfo=UTC), is_announced=True)
    contest = create_contest(series.pk, description=described)
    Contest.objects.filter(pk=contest.pk).update(state="finalized", finalized_at=timezone.now())
    first = client.get(address)
    by_hash = {"HTTP_IF_NONE_MATCH": first["ETag"]}
    assert client.get(address, **by_hash).status_code == 304
    edited(contest, name="B")
    assert client.get(address, **by_hash).status_code == 200


def test_an_announced_contest_is_in_the_calendar_and_not_in_the_results(client):
    starts = datetime(2031, 5, 1, 16, 0, tzinfo=UTC)
    contest = make_contest(
        standings=[("hidden", 1)], name="Final", finalized=False, is_announced=True, starts_at=starts,
        ends_at=starts + timedelta(hours=2), url="https://cup.example/final",
    )  # fmt: skip
    (event,) = events_of(client)
    assert (event["DTSTART"].dt, event["DTEND"].dt) == (starts, starts + timedelta(hours=2))
    assert event["UID"] == f"contest-{contest.pk}@testserver"
    assert event["URL"] == f"http://testserver/contests/{contest.pk}/"
    assert "Announced; results are not in yet." in event["DESCRIPTION"]
    assert "https://cup.example/final" in event["DESCRIPTION"]
    assert b"hidden" not in client.get("/feeds/contests.ics").content
    assert entries_of(client) == []


@pytest.mark.parametrize(
    ("starts", "ends", "first", "after"),
    [
        (None, datetime(2025, 3, 1, tzinfo=UTC), date(2025, 3, 1), date(2025, 3, 2)),
        (datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 3, 3, tzinfo=UTC), date(2025, 3, 1), date(2025, 3, 4)),
    ],
)
def test_contests_without_a_time_of_day_take_whole_days(client, starts, ends, first, after):
    make_contest(players=2, starts_at=starts, ends_at=ends)
    (event,) = events_of(client)
    assert (event["DTSTART"].dt, event["DTEND"].dt) == (first, after)


def test_a_contest_without_a_start_has_no_end(client):
    at = datetime(2025, 3, 1, 18, 30, tzinfo=UTC)
    make_contest(players=2, ends_at=at)
    (event,) = events_of(client)
    assert event["DTSTART"].dt == at
    assert "DTEND" not in event


HOSTILE = "Evil\r\nEND:VEVENT\r\nBEGIN:VEVENT\x07\ufffe; a, b \\n <b>&amp;</b> ]]> \u202e" + "ü" * 120


def test_hostile_names_stay_names(client):
    series = make_series("cup", name="S\x0b" + HOSTILE[:60])
    contest = make_contest(series, standings=[("ann", 1)], name="x")
    Contest.objects.filter(pk=contest.pk).update(name=HOSTILE)
    Player.objects.update(handle="<i>\x1bann</i>")
    Series.objects.filter(pk=series.pk).update(description="\x0c")
    (entry,) = entries_of(client)
    assert text(entry, "title") == "Evil END:VEVENT BEGIN:VEVENT; a, b \\n <b>&amp;</b> ]]> " + "ü" * 120
    assert "&lt;i&gt;ann&lt;/i&gt;" in text(entry, "summary"), "what is inside a summary is read as HTML"
    (event,) = events_of(client)
    assert str(event["SUMMARY"]) == text(entry, "title")
    content = client.get("/feeds/contests.ics").content
    assert max(len(line) for line in content.split(b"\r\n")) <= 75
    assert not {*range(32), 127} & set(content.replace(b"\r\n", b""))
    assert client.get("/c/main/series/cup/results.atom").status_code == 200


@pytest.mark.parametrize("address", ["/feeds/results.atom", "/feeds/contests.ics", "/c/main/series/cup/results.atom"])
def test_the_number_of_queries_does_not_grow(client, django_assert_num_queries, address):
    series = make_series("cup")
    # the version of the list (3); the ids of the contests; the contests; their winners; the series
    queries = 6 + address.startswith("/c/")
    for contests in (1, 12):
        for _ in range(contests):
            make_contest(series, players=3, day=(timezone.now() - FIRST_DAY).days)
        cache.clear()
        with django_assert_num_queries(queries + address.endswith("ics")):
            client.get(address)


def test_the_ids_of_a_feed_are_cached_for_all_hosts_and_languages(client, django_assert_num_queries):
    contest = make_contest(players=3)
    first = client.get("/feeds/contests.ics").content
    with django_assert_num_queries(5):
        assert client.get("/feeds/contests.ics").content == first
    with django_assert_num_queries(5):
        elsewhere = client.get("/feeds/contests.ics", headers={"host": "localhost:8000"}).content
    assert f"http://localhost:8000/contests/{contest.pk}/".encode() in elsewhere.replace(b"\r\n ", b"")
    for language in ("en", "de"):
        answer = client.get("/feeds/results.atom", headers={"accept-language": language})
        assert f'xml:lang="{language}"'.encode() in answer.content


def test_all_links_begin_with_the_configured_origin(client, settings):
    settings.PODIUM_ORIGIN = "https://ratings.example.org"
    contest = make_contest(players=3)
    (entry,) = entries_of(client)
    address = f"https://ratings.example.org/contests/{contest.pk}/"
    assert (text(entry, "id"), entry.find("a:link", ATOM).get("href")) == (address, address)
    (event,) = events_of(client)
    assert (event["url"], event["uid"]) == (address, f"contest-{contest.pk}@ratings.example.org")
    assert b"testserver" not in client.get("/feeds/contests.ics").content
    following = client.get("/api/v1/players/?page_size=1").json()["next"]
    assert following.startswith("https://ratings.example.org/api/v1/players/?")
