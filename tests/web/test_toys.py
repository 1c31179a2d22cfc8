"""A rating system and a display mapping, each in one file, work wherever systems and mappings are listed or used.

Expected ratings follow from the toys' own rules by hand: with four players the places 1 to 4 are worth 3, 1, -1 and -3
steps of 8 points.
"""

from __future__ import annotations

import io
import json
import math

import pytest
from django.core.management import call_command
from django.urls import reverse

from ratings.display.mappings import register_mapping, unregister_mapping
from ratings.models import Scheme
from ratings.publishing.deriving import derive_series
from ratings.publishing.schemes import choose_scheme
from ratings.systems import register_system, unregister_system
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page
from tests.ratings.toys.bend import Bend
from tests.ratings.toys.steps import Steps
from tests.web.organize.forms import SERIES
from web.shared.scheme_form import parts_by_field

pytestmark = pytest.mark.django_db

HANDLES = ["ann", "bob", "eve", "joe"]


@pytest.fixture(autouse=True)
def toys(settings):
    settings.WHITENOISE_AUTOREFRESH = True
    register_system(Steps)
    register_mapping(Bend)
    yield
    unregister_system("steps")
    unregister_mapping("bend")


@pytest.fixture
def organizer(client):
    client.force_login(make_user("olga", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def cup():
    """A series rated by the toys: in each of two contests ann is first and joe is last."""
    series = make_series("cup")
    choose_scheme(series.pk, system="steps")
    for number in range(2):
        rows = [(handle, place) for place, handle in enumerate(HANDLES, start=1)]
        make_contest(series, standings=rows, day=20 * number, name=f"Round {number + 1}")
    rate(series)
    return series


def shown(x: float) -> int:
    return round(2000 + 500 * math.asinh((x - 1500) / 500))


ANN = shown(1500 + 2 * 3 * 8)


def test_the_form_of_a_new_series_offers_both_with_their_words_and_fields(organizer):
    text = organizer.get(reverse("organize:series-create")).content.decode()
    for words in ("Toy Steps", "written this morning", "The length of a step.", Bend.title, "Slack of the bend"):
        assert words in text
    sent = {**SERIES, "system": "steps", "steps-stride": "16", "mapping": "bend", "slack": "250"}
    assert organizer.post(reverse("organize:series-create"), sent).status_code == 302
    scheme = Scheme.objects.get()
    assert (scheme.system, scheme.parameters["stride"]) == ("steps", 16.0)
    assert scheme.display == {"mapping": "bend", "slack": 250.0}


def test_the_page_of_a_scheme_shows_previews_and_tells_both_apart(organizer, cup):
    address = reverse("organize:scheme", args=[cup])
    page = organizer.get(address)
    text = page.content.decode()
    assert all(
        words in text for words in ("A bent line", "Start of the bend", "Slack of the bend", "Centre of the bend")
    )
    said = {"system": "steps", "version": 1, "mapping": "bend", "slack": "100", "bend_centre": "1400"}
    preview = Page(organizer.post(address, {**said, "show": "preview"}))
    assert f"{round(2000 + 100 * math.asinh(148 / 100)):,}" in preview.text
    saved = Page(organizer.post(address, said, follow=True))
    assert "Slack of the bend: 500 → 100" in saved.text
    other = Page(organizer.post(address, {**said, "version": 2, "mapping": "offset"}, follow=True))
    assert "Display format: a bent line → points without an upper limit" in other.text


def test_fields_of_parts_that_share_a_name_are_told_apart():
    assert {"centre", "fermi_centre", "bend_centre", "slack"} <= set(parts_by_field())


def test_the_mapping_that_suits_a_system_is_the_one_that_it_names(organizer):
    sent = {**SERIES, "system": "steps", "mapping": "suited"}
    assert organizer.post(reverse("organize:series-create"), sent).status_code == 302
    scheme = Scheme.objects.get()
    assert scheme.display == {"mapping": "bend"}
    assert len(scheme.tiers) == 8


def test_the_public_pages_show_both(client, cup):
    number = f"{ANN:,}"
    leaderboard = Page(client.get("/c/main/series/cup/leaderboard/"))
    assert number in " ".join(leaderboard.tables[0][1])
    assert number in Page(client.get("/c/main/players/ann/")).text
    how = Page(client.get("/c/main/series/cup/how/")).text
    assert "Toy Steps" in how
    assert "Each opponent behind you is worth a step." in how
    assert "The line bends after 500 points." in how
    forecast = Page(client.get("/c/main/series/cup/what-if/?player=ann")).text
    assert "ann" in forecast
    contest = cup.contests.get(name="Round 2")
    why = Page(client.get(f"/contests/{contest.pk}/why/ann/"))
    assert f"From {shown(1524):,} on, steps are counted." in why.text
    assert f"+{ANN - shown(1524)}" in why.text
    for address in (
        "/c/main/series/cup/",
        "/c/main/series/cup/distribution/",
        f"/contests/{contest.pk}/",
        "/compare/?players=ann,bob",
    ):
        assert client.get(address).status_code == 200


def test_the_accuracy_of_every_system_includes_it(client, cup):
    for number in range(2, 12):
        rows = [(handle, place) for place, handle in enumerate(HANDLES, start=1)]
        make_contest(cup, standings=rows, day=20 * number)
    rate(cup)
    derive_series(cup.pk)
    rows = [row for table in Page(client.get("/c/main/series/cup/how/")).tables for row in table]
    assert any(row[0].startswith("Toy Steps") and "100" in row[1] for row in rows)


def test_rest_names_both_with_the_number_of_the_pages(client, cup):
    [row, *_] = client.get("/api/v1/communities/main/series/cup/leaderboard/").json()["results"]
    assert (row["player"]["handle"], row["rating"], row["mu"]) == ("ann", ANN, 1548.0)
    series = client.get("/api/v1/communities/main/series/cup/").json()
    assert "steps" in json.dumps(series)


def test_season_points_are_computed_with_a_new_mapping(client, cup):
    scheme = Scheme.objects.get()
    scheme.season = {"length": "year"}
    scheme.save()
    derive_series(cup.pk)
    assert client.get("/c/main/series/cup/season/").status_code == 200


def test_the_commands_rate_backtest_and_tune_take_the_system(cup, tmp_path):
    out = io.StringIO()
    call_command("rate", "--series", "cup", "--full", "--json", stdout=out)
    assert json.loads(out.getvalue())
    path = tmp_path / "contests.jsonl"
    standings = [[handle, place, None] for place, handle in enumerate(HANDLES, start=1)]
    path.write_text(
        "".join(
            json.dumps({"id": f"c{day}", "name": f"C{day}", "end_time": f"2024-01-{day:02}T10:00:00Z",
                        "standings": standings}) + "\n"
            for day in range(1, 29)
        )
    )  # fmt: skip
    out = io.StringIO()
    call_command("backtest", str(path), "--system", "steps", "--param", "stride=4", "--json", stdout=out)
    assert '"steps"' in out.getvalue()
    out = io.StringIO()
    call_command("tune", str(path), "--system", "steps", "--share", "0.5", "--candidates", "4", "--json", stdout=out)
    assert "stride" in out.getvalue()


def test_two_of_one_name_are_refused():
    class Other(Steps):
        """Another system of that name."""

    class Another(Bend):
        """Another mapping of that name."""

    with pytest.raises(ValueError, match="two rating systems named 'steps'"):
        register_system(Other)
    with pytest.raises(ValueError, match="two display mappings named 'bend'"):
        register_mapping(Another)
