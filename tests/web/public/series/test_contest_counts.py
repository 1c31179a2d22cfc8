"""Pages count the contests of a series in the same words."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from contests.uploads.importing import import_file
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from tests.factories import FIRST_DAY, make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.web.organize.forms import save, upload
from web.shared.contest_counts import ContestCounts
from web.shared.tags import in_words

pytestmark = pytest.mark.django_db

GAMES = "date,white,black,result\n2026-05-01,a,b,1-0\n2026-05-01,b,c,1-0\n2026-05-02,a,c,0-1\n"


def test_numbers_in_words():
    said = [in_words(ContestCounts(*numbers)) for numbers in [(0, 0, 0), (1, 0, 0), (0, 1, 1), (3, 2, 1500)]]
    assert said == ["0 contests", "1 contest", "1 event, 1 game", "3 contests, 2 events, 1,500 games"]


@pytest.fixture
def games(tmp_path):
    series = make_series("games", organizer=make_user("org"))
    (tmp_path / "open.csv").write_text(GAMES)
    import_file(series.pk, path=tmp_path / "open.csv")
    rate(series)
    return series


def test_a_series_of_games_has_events_with_games_everywhere(client, games):
    page = Page(client.get(games.get_absolute_url())).text
    assert "Events 1 3 games" in page
    assert "Contest Games Participants Date" in page, "of events only: a column for the games, none for winners"
    listed = Page(client.get("/contests/?series=games")).text
    assert "Contest Games Participants Date" in listed
    assert "· 3 games ·" in listed, "on phones, which have no room for that column"
    for address in ("/series/", "/", "/c/main/"):
        text = Page(client.get(address)).text
        assert "1 contest" not in text, address
    assert "1 event, 3 games" in Page(client.get("/series/")).text
    assert "1 Turnier, 3 Partien" in Page(client.get("/series/", headers={"Accept-Language": "de"})).text
    make_contest(games, players=3, day=3_000)
    rate(games)
    mixed = Page(client.get(games.get_absolute_url())).text
    assert "1 contest, 1 event, 3 games" in mixed
    assert "Contest Winners Participants Date" in mixed
    for address in ("/series/", "/", "/c/main/", "/c/main/series/"):
        assert "1 contest, 1 event, 3 games" in Page(client.get(address)).text, address


def test_organizers_read_the_same(client, games):
    client.force_login(games.organizers.get())
    assert "1 event, 3 games" in Page(client.get("/organize/")).text


def test_previews_name_what_they_would_rate(client, games):
    client.force_login(games.organizers.get())
    contest = make_contest(games, players=3, day=3_000, finalized=False)
    first = make_contest(make_series("cup", organizer=games.organizers.get()), players=3, finalized=False)
    for draft, label in [(contest, "Contests and games rated"), (first, "Contests rated")]:
        page = client.post(reverse("organize:finalize", args=[draft.pk]), follow=True)
        assert f"{label} 1" in Page(page).text


def test_the_preview_of_the_first_event_names_games(client):
    organizer = make_user("org")
    client.force_login(organizer)
    event = make_contest(make_series("chess", organizer=organizer), finalized=False)
    save(client, upload(client, event, GAMES))
    page = client.post(reverse("organize:finalize", args=[event.pk]), follow=True)
    assert "Games rated 3" in Page(page).text


def test_runs_name_what_they_count(client, games):
    client.force_login(games.organizers.get())
    runs, progress = (reverse(f"organize:{name}", args=[games]) for name in ("runs", "progress"))
    assert "Games 3" in Page(client.get(f"{runs}1/")).text
    assert "cover 3 players and 3 games." in Page(client.get(progress)).text
    make_contest(games, players=3, day=3_000)
    rate(games)
    assert "Contests and games 4" in Page(client.get(f"{runs}2/")).text
    assert "and 4 contests and games." in Page(client.get(progress)).text


@pytest.mark.parametrize(("has_contests", "label"), [(False, "Games 3"), (True, "Contests and games 4")])
def test_seasons_name_what_they_count(client, games, has_contests, label):
    if has_contests:
        make_contest(games, players=3, day=(datetime(2026, 5, 3, tzinfo=UTC) - FIRST_DAY).days)
    choose_scheme(games.pk, season={"length": "year"})
    rate(games)
    derive_series(games.pk)
    assert label in Page(client.get(reverse("season", args=[games]))).text


def test_other_series_have_contests(client):
    series = make_series("cup")
    for _ in range(2):
        make_contest(series, players=3)
    rate(series)
    assert "Contests 2 Since" in Page(client.get(series.get_absolute_url())).text
    assert "2 contests" in Page(client.get("/series/")).text
