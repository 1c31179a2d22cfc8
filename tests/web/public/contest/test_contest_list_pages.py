"""The pages of a long list of contests, whose links use the position of a contest instead of page numbers."""

import base64
import json
import struct
from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest
from django.db import connection
from django.utils import timezone

from contests.models import Contest, ContestState
from contests.services.contests import delete_contest
from tests.factories import FIRST_DAY, make_contest, make_series, make_user
from tests.pages import Page
from tests.services import on_postgresql

pytestmark = pytest.mark.django_db


def make_contests(count, *, series=None, apart=timedelta(hours=1)):
    """Make finalized contests "c0000", "c0001", … without standings, each ending `apart` after the previous one."""
    fields = {"state": ContestState.FINALIZED, "finalized_at": timezone.now()}
    series = series or make_series("cup")
    return Contest.objects.bulk_create(
        Contest(series=series, slug=f"c{i:04}", name=f"c{i:04}", ends_at=FIRST_DAY + i * apart,
                **fields)
        for i in range(count)
    )  # fmt: skip


def names(page):
    return [row[0].split(" ")[0] for row in page.tables[-1][1:]]


def walk(client, address, link, between=lambda names: None):
    """Return the names on this page and on the following ones, page by page."""
    path = address.partition("?")[0]
    page, pages = Page(client.get(address)), []
    for _ in range(50):
        assert page.status == 200
        pages.append(names(page))
        following = next((href for text, href in page.links.items() if link in text), None)
        if following is None:
            return pages
        between(pages[-1])
        page = Page(client.get(path + following))
    raise AssertionError("the walk does not end")


@pytest.mark.parametrize("query", ["", "?series=cup", "?year=2024", "?q=c", "?series=cup&year=2024&q=c0"])
@pytest.mark.parametrize("apart", [timedelta(hours=1), timedelta(hours=40), timedelta(0)])
def test_walking_all_pages_visits_every_contest_once(client, query, apart):
    make_contests(212, apart=apart)
    newest = list(Contest.objects.newest_first().values_list("name", "ends_at"))
    expected = [name for name, end in newest if "year" not in query or end.year == 2024]
    forward = walk(client, f"/contests/{query}", "Next page")
    assert [name for page in forward for name in page] == expected
    assert all(len(page) == 50 for page in forward[:-1])
    last = f"/contests/{query}{'&' if query else '?'}page=last"
    backward = walk(client, last, "Previous page")
    assert backward[::-1] == forward


def test_contests_that_end_together_are_ordered_by_their_sequence(client):
    contests = make_contests(120, apart=timedelta(0))
    for number, contest in enumerate(contests):
        contest.sequence = -(number // 7)
    Contest.objects.bulk_update(contests, ["sequence"])
    expected = list(Contest.objects.newest_first().values_list("name", flat=True))
    assert list(chain(*walk(client, "/contests/", "Next page"))) == expected


@pytest.mark.parametrize(("start", "link"), [("/contests/", "Next page"), ("/contests/?page=last", "Previous page")])
def test_contests_added_and_deleted_during_the_walk_move_no_other(client, start, link):
    series = make_series("cup")
    make_contests(212, series=series)
    added, deleted = [], []

    def change(names):
        number = len(added)
        added.append(make_contest(series, name=f"new{number}", players=2).name)
        added.append(make_contest(series, name=f"mid{number}", players=2, ends_at=FIRST_DAY + timedelta(hours=99)).name)
        deleted.append(names[-1] if "Next" in link else names[0])  # the contest whose place the link holds
        delete_contest(Contest.objects.get(name=deleted[-1]).pk, reason="a test", actor=None)

    seen = [name for page in walk(client, start, link, change) for name in page]
    assert len(seen) == len(set(seen))
    assert {f"c{i:04}" for i in range(212)} <= set(seen) <= {f"c{i:04}" for i in range(212)} | set(added)
    assert len(deleted) >= 4


def test_a_page_shows_its_position_in_the_list_while_known(client):
    series = make_series("cup")
    make_contests(130, series=series)
    first = Page(client.get("/contests/"))
    assert "1–50 of 130 contests" in first.text
    second = Page(client.get("/contests/" + first.links["Next page →"]))
    assert "51–100 of 130 contests" in second.text
    assert second.links["Page 1"] == "?"
    assert second.links["Page 3"] == "?page=last"
    make_contest(series, name="newest", players=2)
    third = Page(client.get("/contests/" + second.links["Next page →"]))
    assert "131 contests" in third.text
    assert "of 131" not in third.text
    assert third.links["First page"] == "?"
    assert names(third) == [f"c{i:04}" for i in reversed(range(30))]
    back = Page(client.get("/contests/" + third.links["← Previous page"]))
    assert names(back) == [f"c{i:04}" for i in reversed(range(30, 80))]
    assert names(Page(client.get("/contests/" + back.links["Last page"]))) == [f"c{i:04}" for i in reversed(range(31))]


def test_addresses_with_numbers_still_lead_to_their_pages(client):
    make_contests(212)
    expected = [f"c{i:04}" for i in reversed(range(212))]
    for number in range(1, 6):
        page = Page(client.get(f"/contests/?page={number}"))
        assert names(page) == expected[50 * (number - 1) : 50 * number]
        assert f"{50 * number - 49}–{min(212, 50 * number)} of 212 contests" in page.text
    page = Page(client.get("/contests/?page=6"))
    assert page.status == 404
    assert "There is no page “6”; this is page 5 of 5." in page.text


def packed(microseconds=0, sequence=0, pk=0, position=0, state=b""):
    return base64.urlsafe_b64encode(struct.pack(">qiqI6s", microseconds, sequence, pk, position, state)).decode()


NO_CURSORS = [
    "x",
    "ü",
    "A" * 40 + "\x00B",
    "A" * 5000,
    "A" * 39,
    "-" * 41,
    "' OR 1=1 --",
    packed(2**63 - 1),
    packed(-(2**63)),
    "٣",
]


@pytest.mark.parametrize("name", ["after", "before"])
@pytest.mark.parametrize("cursor", NO_CURSORS)
def test_an_invalid_cursor_shows_the_first_page_and_a_message(client, name, cursor):
    make_contests(60)
    page = Page(client.get("/contests/", {name: cursor}))
    assert page.status == 404
    assert "This link does not lead to a page of this list. This is the first page." in page.text
    assert names(page)[0] == "c0059"
    assert len(names(page)) == 50


def test_a_message_about_a_link_comes_before_the_list(client):
    said = "This link does not lead to a page of this list."
    assert said in Page(client.get("/contests/?after=x")).text
    make_contests(60)
    text = Page(client.get("/contests/?after=x")).text
    assert text.index(said) < text.index("c0059")
    text = Page(client.get("/contests/?page=9")).text
    assert text.index("There is no page “9”; this is page 2 of 2.") < text.index("c0009")


def moment(*day):
    return (datetime(*day, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


@pytest.mark.parametrize("position", [0, 1, 55, 2**32 - 1])
@pytest.mark.parametrize("at", [(1, 1, 1), (2024, 1, 7), (9999, 12, 31)])
@pytest.mark.parametrize("number", [0, 2**31 - 1, -(2**31)])
def test_a_cursor_of_any_other_contest_shows_a_page(client, at, position, number):
    make_contests(60)
    for name in ("after", "before"):
        cursor = packed(moment(*at), number, number * 2**32, position)
        page = Page(client.get("/contests/", {name: cursor}))
        assert page.status == 200
        assert names(page)


def test_a_cursor_of_one_list_opens_another_list_without_naming_a_position(client):
    make_contests(130)
    after = Page(client.get("/contests/")).links["Next page →"]
    page = Page(client.get(f"/contests/{after}&year=2024"))
    assert names(page)[0] == "c0079"
    assert "of 130" not in page.text


def test_the_organizers_page_of_a_series_is_walked_the_same_way(client):
    ida = make_user("ida")
    make_contests(120, series=make_series("cup", organizer=ida))
    client.force_login(ida)
    forward = walk(client, "/organize/c/main/series/cup/", "Next page")
    assert [len(page) for page in forward] == [50, 50, 20]
    assert list(chain(*forward)) == [f"c{i:04}" for i in reversed(range(120))]
    assert walk(client, "/organize/c/main/series/cup/?page=last", "Previous page") == forward[::-1]
    assert names(Page(client.get("/organize/c/main/series/cup/?page=2"))) == forward[1]


class Plans:
    """The query plans of the pages of contests."""

    def __init__(self):
        self.found = []

    def __call__(self, execute, sql, params, many, context):
        if sql.startswith("SELECT") and sql.endswith(" LIMIT 51") and 'FROM "contests_contest"' in sql:
            with connection.cursor() as cursor:
                how = "EXPLAIN (ANALYZE, FORMAT JSON)" if on_postgresql() else "EXPLAIN QUERY PLAN"
                cursor.execute(f"{how} {sql}", params)
                self.found.append(cursor.fetchall())
        return execute(sql, params, many, context)


def rows_read(plan):
    """Return how many contests PostgreSQL read for a plan."""
    own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return own * (plan.get("Relation Name") == "contests_contest") + sum(map(rows_read, plan.get("Plans", [])))


@pytest.mark.parametrize("query", ["", "series=cup", "year=2024", "q=c"])
@pytest.mark.parametrize("name", ["after", "before"])
def test_a_page_in_the_middle_reads_no_more_contests_than_it_shows(client, query, name):
    middle = make_contests(4000)[2000]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as a database does by itself; until then PostgreSQL plans for empty tables
    cursor = packed(moment(*middle.ends_at.timetuple()[:6]), 0, middle.pk)
    plans = Plans()
    with connection.execute_wrapper(plans):
        page = Page(client.get(f"/contests/?{query}&{name}={cursor}"))
    expected = range(1999, 1949, -1) if name == "after" else range(2050, 2000, -1)
    assert names(page) == [f"c{i:04}" for i in expected]
    [plan] = plans.found
    if on_postgresql():
        assert rows_read(plan[0][0][0]["Plan"]) <= 60, json.dumps(plan, indent=1)
    else:
        steps = "\n".join(str(row[-1]) for row in plan)
        assert "(ends_at,sequence" in steps, steps
        assert "TEMP B-TREE" not in steps, steps
