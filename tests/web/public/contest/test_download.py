"""The standings of a contest as a CSV file."""

import csv
import io

import pytest

from contests.formats import read_contests
from contests.models import Player
from contests.services.series import describe_series
from ratings.models import RatingChange
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from web.public.contest import download

pytestmark = pytest.mark.django_db

ROWS = [("ann", 1, 12.5), ("=bob", 2, 10.0), ("cem", 2, 10.0), ("eve", 4, 3.0), ("zoe", 5, None, "disqualified")]


@pytest.fixture
def contest():
    series = make_series("cup")
    choose_scheme(series.pk, system="elo")
    contest = make_contest(series, standings=ROWS, name="Final")
    Player.objects.filter(handle="ann").update(name="Ann Lee", country="NO")
    rate(series)
    return contest


def downloaded(client, contest):
    answer = client.get(f"/contests/{contest.pk}/standings.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_the_file_has_the_rows_of_the_page_with_changes(client, contest, monkeypatch):
    monkeypatch.setattr(download, "_BATCH", 2)
    rows = downloaded(client, contest)
    assert [row["handle"] for row in rows] == ["ann", "'=bob", "cem", "eve", "zoe"]
    assert [row["rank"] for row in rows] == ["1", "2", "2", "4", ""]
    assert [row["score"] for row in rows] == ["12.5", "10.0", "10.0", "3.0", ""]
    assert (rows[0]["name"], rows[0]["country"], rows[4]["status"]) == ("Ann Lee", "NO", "disqualified")
    for row in rows[:4]:
        change = RatingChange.objects.get(player__handle=row["handle"].removeprefix("'"))
        assert (int(row["rating_before"]), int(row["rating"])) == (1500, round(change.mu))
        assert int(row["rating"]) - int(row["rating_before"]) == int(row["change"])
    assert {rows[4][name] for name in ("rating_before", "rating", "change", "performance")} == {""}


def test_podium_reads_the_file_again(client, contest):
    text = client.get(f"/contests/{contest.pk}/standings.csv").content.decode()
    wanted = ["rank", "handle", "name", "country", "score", "status"]
    rows = [[row[name] for name in wanted] for row in csv.DictReader(io.StringIO(text))]
    file = io.StringIO()
    csv.writer(file).writerows([wanted, *rows])
    (again,) = read_contests(file.getvalue().encode(), filename="standings.csv")
    read = [(row.handle, row.place, row.score, row.status) for row in again.standings]
    assert read[:4] == [(*row, "ranked") for row in ROWS[:4]]
    assert read[4] == ("zoe", None, None, "disqualified"), "the file has the rank, which only ranked players have"


def test_the_page_leads_to_the_file_and_private_series_do_not_show_it(client, contest):
    address = f"/contests/{contest.pk}/standings.csv"
    assert address in client.get(f"/contests/{contest.pk}/").content.decode()
    assert client.get("/contests/99999/standings.csv").status_code == 404
    describe_series(contest.series_id, name="Cup", description="", is_public=False)
    assert client.get(address).status_code == 404
    owner = make_user("olga")
    contest.series.organizers.add(owner)
    client.force_login(owner)
    assert client.get(address).status_code == 200
    assert "Download as CSV" in Page(client.get(f"/contests/{contest.pk}/")).text


def test_caches_treat_files_as_they_treat_pages(client, contest):
    """A file of a private series must not stay in a shared cache, nor an outdated one in a browser."""
    client.force_login(make_user("olga"))
    page = client.get(f"/contests/{contest.pk}/")
    assert page["Cache-Control"] == "private, no-cache"
    files = (f"/contests/{contest.pk}/standings.csv", "/c/main/histories/ann/")
    for file in (*files, "/c/main/series/cup/pairings.csv?players=ann,cem"):
        answer = client.get(file)
        assert answer["Content-Type"].startswith("text/csv")
        assert answer["Cache-Control"] == page["Cache-Control"]
        assert "Cookie" in answer["Vary"]
