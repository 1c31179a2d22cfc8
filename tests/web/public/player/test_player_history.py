"""The history on the page of a player: sorted, filtered, opened at a contest, and as a file."""

import csv
import io
import re
from datetime import UTC, datetime

import pytest

from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from tests.factories import FIRST_DAY, make_contest, make_player, make_series, make_user, rate
from tests.pages import Page, markup

pytestmark = pytest.mark.django_db

PLACES = {"Alpha": 3, "Bravo": 1, "Charlie": 2, "Delta": 1}


@pytest.fixture
def cup():
    """Four contests over two years; ann is third, first, second and first, among 3, 3, 2 and 4."""
    series = make_series("cup", name="Harbour Cup")
    fields = {
        "Alpha": ["bob", "cid", "ann"], "Bravo": ["ann", "bob", "cid"], "Charlie": ["bob", "ann"],
        "Delta": ["ann", "bob", "cid", "dan"],
    }  # fmt: skip
    for number, (name, order) in enumerate(fields.items()):
        rows = [(handle, place) for place, handle in enumerate(order, start=1)]
        make_contest(series, name=name, standings=rows, day=200 * number)
    rate(series)
    return series


def names_of(page):
    return [row[0].split()[0] for row in page.tables[0][1:]]


def history(client, query=""):
    return Page(client.get(f"/c/main/players/ann/?{query}"))


def test_the_newest_contest_comes_first(client, cup):
    page = history(client)
    assert names_of(page) == ["Delta", "Charlie", "Bravo", "Alpha"]
    assert [row[2].split()[0] for row in page.tables[0][1:]] == ["1", "lost", "1", "3"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("date", ["Alpha", "Bravo", "Charlie", "Delta"]),
        ("-date", ["Delta", "Charlie", "Bravo", "Alpha"]),
        ("contest", ["Alpha", "Bravo", "Charlie", "Delta"]),
        ("-contest", ["Delta", "Charlie", "Bravo", "Alpha"]),
        # A first place among four players is better than one among three.
        ("place", ["Delta", "Bravo", "Charlie", "Alpha"]),
        ("-place", ["Alpha", "Charlie", "Bravo", "Delta"]),
    ],
)
def test_a_column_sorts_both_ways(client, cup, sort, expected):
    assert names_of(history(client, f"sort={sort}")) == expected


@pytest.mark.parametrize(("column", "cell"), [("performance", 3), ("rating", 4), ("change", 5)])
def test_numbers_sort_by_what_is_shown(client, cup, column, cell):
    def numbers(sort):
        cells = [row[cell].replace("−", "-").replace(",", "") for row in history(client, f"sort={sort}").tables[0][1:]]
        return [int(re.findall(r"[+-]?\d+", text)[-1]) for text in cells]

    falling = numbers(f"-{column}")
    assert falling == sorted(falling, reverse=True)
    assert numbers(column) == sorted(falling)
    assert len(set(falling)) > 1


def test_headings_say_how_the_table_is_sorted_and_reverse_it(client, cup):
    text = markup(client.get("/c/main/players/ann/?sort=place&year=2024"))
    assert text.count("aria-sort") == 1
    assert '<th scope="col" class="num" aria-sort="ascending"><a class="sorter"' in text
    page = Page(client.get("/c/main/players/ann/?sort=place&year=2024"))
    assert page.links["Place ↑"] == "?series=cup&year=2024&sort=-place#history"
    assert page.links["Rating"].startswith("?series=cup&year=2024&sort=-rating")
    assert page.links["Contest"].startswith("?series=cup&year=2024&sort=contest")


def test_a_year_shows_its_contests_alone(client, cup):
    # FIRST_DAY is in January 2024: days 0 and 200 are in 2024, day 400 is in 2025, as is day 600.
    assert datetime(2024, 1, 6, 18, tzinfo=UTC) == FIRST_DAY
    assert names_of(history(client, "year=2024")) == ["Bravo", "Alpha"]
    assert names_of(history(client, "year=2025&sort=place")) == ["Delta", "Charlie"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("year=1999", "no rated contests in “1999”"),
        ("year=soon", "in “soon”"),
        ("year=-1", "in “-1”"),
        ("sort=shoe-size", "You can’t sort by “shoe-size”"),
        ("sort=--place", "You can’t sort by “--place”"),
        ("at=999999999", "There is no contest “999999999” that changed this rating"),
        ("at=x", "There is no contest “x” that changed this rating"),
        ("at=99999999999999999999999999", "changed this rating"),
        ("at=%D9%A3", "changed this rating"),
        ("page=77", "There is no page “77”"),
        ("view=shoes", "has no view “shoes”"),
        ("year=%00&sort=%00&at=1%002", "changed this rating"),
        ("year=<script>&sort=<b>", "in “<script>”"),
        ("sort=" + "x" * 10_000, "You can’t sort by"),
        ("series=" + "x" * 10_000, "has no rating in “xxx"),
    ],
)
def test_unknown_values_are_reported_and_the_whole_history_is_shown(client, cup, query, words):
    page = history(client, query)
    assert page.status == 404
    assert words in page.text
    assert len(names_of(page)) == 4


def test_a_contest_is_found_on_whatever_page_it_stands_and_marked(client, monkeypatch, cup):
    monkeypatch.setattr("web.public.player.history.PAGE_SIZE", 1)
    wanted = cup.contests.get(name="Bravo")
    response = client.get(f"/c/main/players/ann/?at={wanted.pk}")
    assert response.status_code == 200
    assert names_of(Page(response)) == ["Bravo"]
    assert f'<tr id="contest-{wanted.pk}" class="is-marked">' in response.content.decode()
    assert names_of(history(client, f"at={wanted.pk}&page=1")) == ["Delta"]
    assert names_of(history(client, f"at={wanted.pk}&sort=place&year=2024")) == ["Bravo"]
    # The requested contest takes precedence over the year.
    assert names_of(history(client, f"at={wanted.pk}&year=2025")) == ["Bravo"]


def test_a_requested_contest_chooses_the_series_of_the_history(client, cup):
    other = make_series("regatta", name="Regatta")
    make_contest(other, standings=[("ann", 1), ("bob", 2)], day=1000)
    rate(other)
    assert "of 2 in Regatta" in history(client).text
    assert "in Harbour Cup" in history(client, f"at={cup.contests.get(name='Alpha').pk}").text


def test_every_row_leads_to_its_explanation(client, cup):
    text = client.get("/c/main/players/ann/").content.decode()
    contests = cup.contests.all()
    assert len(contests) == len(PLACES)
    for contest in contests:
        assert f'href="/contests/{contest.pk}/why/ann/"' in text


def test_the_file_has_every_contest_with_the_numbers_of_the_page(client, cup):
    response = client.get("/c/main/histories/ann/?series=cup")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="cup-ann.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["contest"], int(row["place"])) for row in rows] == list(PLACES.items())
    assert [row["of"] for row in rows] == ["3", "3", "2", "4"]
    assert [row["ends_at"][:10] for row in rows] == ["2024-01-06", "2024-07-24", "2025-02-09", "2025-08-28"]
    changes = RatingChange.objects.current().filter(series=cup, player__handle="ann").order_by("contest__ends_at")
    assert [float(row["mu"]) for row in rows] == list(changes.values_list("mu", flat=True))
    for row, shown in zip(reversed(rows), history(client).tables[0][1:], strict=True):
        assert int(row["rating_before"]) + int(row["change"]) == int(row["rating"])
        assert f"{int(row['rating']):,}" in shown[4]
        assert f"{int(row['performance']):,}" == shown[3]


def test_no_spreadsheet_runs_a_name_from_the_file(client):
    series = make_series("cup")
    contest = make_contest(series, name="=HYPERLINK(1)", slug="@x", standings=[("+ann", 1), ("bob", 2)])
    rate(series)
    response = client.get(f"/c/main/histories/{make_player('+ann').handle}/?series=cup")
    row = next(csv.DictReader(io.StringIO(response.content.decode())))
    assert (row["contest"], row["contest_slug"]) == ("'=HYPERLINK(1)", "'@x")
    assert int(row["contest_id"]) == contest.pk


@pytest.mark.parametrize("handle", ['a"b', "李明", "a/b", "..", "x;y=z", "a\\b"])
def test_the_file_has_a_name_that_is_safe_everywhere(client, handle):
    series = make_series("cup")
    make_contest(series, standings=[(handle, 1), ("other", 2)])
    rate(series)
    player = make_player(handle)
    address = player.get_absolute_url().replace("/players/", "/histories/")
    name = client.get(address)["Content-Disposition"].removeprefix('attachment; filename="cup-').removesuffix('.csv"')
    assert name
    assert all(letter.isascii() and (letter.isalnum() or letter in "-._") for letter in name)


def test_a_history_that_does_not_exist_has_no_file(client, cup):
    make_player("zoe")
    for address in ("/c/main/histories/nobody/", "/c/main/histories/ann/?series=nope", "/c/main/histories/zoe/"):
        assert client.get(address).status_code == 404, address
    answer = client.get("/c/main/histories/ANN/?series=cup")
    assert (answer.status_code, answer["Location"]) == (301, "/c/main/histories/ann/?series=cup")


def test_the_file_of_a_private_series_is_for_its_organizers(client):
    ida = make_user("ida")
    secret = make_series("secret", is_public=False, organizer=ida)
    make_contest(secret, standings=[("ann", 1), ("zoe", 2)])
    rate(secret)
    assert client.get("/c/main/histories/ann/?series=secret").status_code == 404
    client.force_login(ida)
    assert client.get("/c/main/histories/ann/?series=secret").status_code == 200


def test_a_ladder_has_neither_performance_nor_uncertainty(client):
    series = make_series("cup")
    choose_scheme(series.pk, system="ladder")
    for _ in range(2):
        make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    page = Page(client.get("/c/main/players/ann/?sort=performance"))
    assert (page.status, "Performance" in page.links) == (404, False)
    row = next(csv.DictReader(io.StringIO(client.get("/c/main/histories/ann/").content.decode())))
    assert (row["performance"], row["performance_points"], row["uncertainty"]) == ("", "", "")


def test_the_page_shows_the_best_place_how_often_and_when_it_was_first_reached(client, cup):
    assert "Best place 1 2 times, first on 24 Jul 2024" in history(client).text
    assert "Best place 2 on 6 Jan 2024" in Page(client.get("/c/main/players/cid/")).text
